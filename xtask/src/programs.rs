//! Programs that cargo builds, and the step that runs the example programs of the facade.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::cargo::Cargo;
use crate::step::Verdict;
use crate::verify;
use crate::workspace::Workspace;

/// A program that cargo has built.
pub(crate) struct Program {
    /// The kind of target: `bin` or `example`.
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// Builds and returns the programs of a call of cargo; test programs are left out.
pub(crate) fn build(call: Cargo, workspace: &Workspace) -> Result<Vec<Program>, String> {
    let programs = artifacts(call, workspace)?.into_iter().filter_map(|message| {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Program {
            kind: text(&message["target"]["kind"][0])?,
            name: text(&message["target"]["name"])?,
            path: text(&message["executable"])?.into(),
        })
    });
    Ok(programs.collect())
}

/// Builds the library of this name by a call of cargo. Returns the path of its `rlib`.
pub(crate) fn library(call: Cargo, name: &str, workspace: &Workspace) -> Result<PathBuf, String> {
    let error = format!("{call} builds no library {name}");
    let artifacts = artifacts(call, workspace)?;
    let found = artifacts
        .iter()
        .find(|message| message["target"]["name"] == name && message["target"]["kind"][0] == "lib");
    // Cargo may also list a link in the folder above, which the next call replaces.
    let files = found.into_iter().flat_map(|message| message["filenames"].as_array());
    let mut paths = files.flatten().filter_map(Value::as_str).map(PathBuf::from);
    let path = paths.find(|path| path.parent().is_some_and(|folder| folder.ends_with("deps")));
    Ok(path.ok_or(error)?.with_extension("rlib"))
}

/// Returns the messages of a call of cargo about what it has built; test programs are left out.
fn artifacts(call: Cargo, workspace: &Workspace) -> Result<Vec<Value>, String> {
    let call = call.with("--message-format json-render-diagnostics");
    let messages = call.standard_output(&workspace.root)?;
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(messages.filter(|message| message["profile"]["test"] == false).collect())
}

/// Runs every example program. A program must succeed; if its source saves a picture, the picture
/// must exist afterwards.
pub(crate) fn run_examples(workspace: &Workspace) -> Verdict {
    let programs = build(verify::examples(), workspace).map_err(|why| vec![why])?;
    let folder = workspace.root.join("target/examples");
    fs::create_dir_all(&folder).map_err(|why| vec![format!("{}: {why}", folder.display())])?;
    let (mut findings, mut count) = (Vec::new(), 0);
    for program in programs.iter().filter(|program| program.kind == "example") {
        count += 1;
        let source = workspace.root.join(format!("facade/examples/{}.rs", program.name));
        let source = fs::read_to_string(source).unwrap_or_default();
        let picture = folder.join(format!("{}.svg", program.name));
        let _ = fs::remove_file(&picture);
        let draws = source.contains(".save(\"");
        let mut command = Command::new(&program.path);
        if draws {
            command.arg(&picture);
        }
        match command.output() {
            Ok(output) if output.status.success() && picture.is_file() == draws => {}
            Ok(output) if output.status.success() => {
                findings.push(format!("example {}: writes no picture", program.name));
            }
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                findings.push(format!("example {}: {text}", program.name));
            }
            Err(why) => findings.push(format!("example {}: {why}", program.name)),
        }
    }
    if count == 0 {
        findings.push("there are no example programs".to_owned());
    }
    if findings.is_empty() { Ok(format!("{count} programs")) } else { Err(findings) }
}
