//! `cargo xtask bench report`: measures every suite that a table quotes, writes the results file of
//! this CPU, and generates the tables.

use core::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::{env, fs, thread};

use serde_json::{Map, Value, json};

use super::results::{FOLDER, file_text};
use super::{quoted_suites, rewrite};
use crate::bench::bench;
use crate::workspace::Workspace;

/// The other libraries whose versions are in the file.
const PEERS: [&str; 7] =
    ["broccoli", "hexx", "kiddo", "packed_spatial_index", "parry2d", "parry3d", "rstar"];

/// Measures, unless `tables` is set, and generates the tables. Nothing is written if a suite fails.
pub(crate) fn report(workspace: &Workspace, tables: bool) -> Result<bool, String> {
    if !tables {
        measure(workspace)?;
    }
    rewrite(workspace)?;
    Ok(true)
}

/// Measures suites and writes the file.
fn measure(workspace: &Workspace) -> Result<(), String> {
    let root = &workspace.root;
    let header = header(root)?;
    let cpu = header["cpu"].as_str().unwrap_or_default();
    let file = root.join(FOLDER).join(file_name(cpu));
    let mut rows = Vec::new();
    for suite in &quoted_suites(workspace) {
        let failed = |why: &str| format!("suite {suite}: {why}; no results were written");
        println!("\nsuite {suite}");
        let json = env::temp_dir().join(format!("hexphase-{suite}-{}.json", std::process::id()));
        let done = bench(workspace, suite, Some(json.clone()), &[], &[]);
        if !done.map_err(|why| failed(&why))? {
            return Err(failed("the benchmark failed"));
        }
        let measured = read(&json).map_err(|why| failed(&why))?;
        let _ = fs::remove_file(&json);
        rows.extend(measured.as_array().into_iter().flatten().cloned());
    }
    fs::create_dir_all(root.join(FOLDER))
        .and_then(|()| fs::write(&file, file_text(&header, &rows)))
        .map_err(|why| format!("{}: {why}", file.display()))?;
    println!("{}: {} rows", workspace.relative(&file), rows.len());
    Ok(())
}

/// Parses a JSON file.
fn read(file: &Path) -> Result<Value, String> {
    let text = fs::read(file).map_err(|why| format!("{}: {why}", file.display()))?;
    serde_json::from_slice(&text).map_err(|why| format!("{}: {why}", file.display()))
}

/// Returns the fields of the file before the rows.
fn header(root: &Path) -> Result<Value, String> {
    let commit = output(root, "git", &["rev-parse", "HEAD"])?;
    let is_changed = !output(root, "git", &["status", "--porcelain"])?.is_empty();
    let lock = root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock).map_err(|why| format!("{}: {why}", lock.display()))?;
    Ok(json!({
        "commit": commit + if is_changed { "-dirty" } else { "" },
        "date": output(root, "date", &["-u", "+%Y-%m-%d"])?,
        "cpu": cpu(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
        "cores": thread::available_parallelism().map_or(1, NonZero::get),
        "rustc": output(root, "rustc", &["--version"])?,
        "peers": versions(&lock)?,
    }))
}

/// Runs a program and returns its standard output.
fn output(root: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(root).output();
    let output = output.map_err(|why| format!("{program}: {why}"))?;
    if !output.status.success() {
        return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the model name in the text of `/proc/cpuinfo`, or the architecture.
fn cpu(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    line.map_or(env::consts::ARCH, |(_, name)| name.trim())
}

/// Returns the name of the file of a CPU.
fn file_name(cpu: &str) -> String {
    let cpu = cpu.to_lowercase();
    let words = cpu.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-") + ".json"
}

/// Returns the versions of other libraries in the text of a lock file.
fn versions(lock: &str) -> Result<Map<String, Value>, String> {
    let version = |name: &str| {
        let start = format!("name = \"{name}\"\nversion = \"");
        let version = lock.split_once(&start)?.1.split('"').next()?;
        Some((name.to_owned(), json!(version)))
    };
    let versions = PEERS
        .iter()
        .map(|name| version(name).ok_or_else(|| format!("{name} is not in Cargo.lock")));
    versions.collect()
}

#[cfg(test)]
mod tests {
    use super::{PEERS, cpu, file_name, versions};

    #[test]
    fn versions_are_those_of_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        assert_eq!(versions(lock).unwrap().len(), PEERS.len());
        let without = lock.replace("name = \"rstar\"", "name = \"star\"");
        assert_eq!(versions(&without).unwrap_err(), "rstar is not in Cargo.lock");
    }

    #[test]
    fn files_have_the_names_of_cpus() {
        let text = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.60GHz\nflags\t: a\n";
        assert_eq!(cpu(text), "Intel(R) Xeon(R) CPU @ 2.60GHz");
        assert_eq!(file_name(cpu(text)), "intel-r-xeon-r-cpu-2-60ghz.json");
        assert_eq!(cpu("processor: 0\n"), std::env::consts::ARCH);
    }
}
