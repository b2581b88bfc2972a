//! Checks the compiler's messages for programs with errors that users easily make.
//!
//! The programs are in `xtask/messages/src/bin`. One call of cargo builds all programs, and each
//! must fail. If a program has a line `//~ text`, the compiler must print this text for the
//! program. Errors that depend on constants, such as the number of dimensions, appear only in a
//! build, not in `cargo check`.

use std::collections::HashMap;
use std::fs;

use serde_json::Value;

use crate::cargo::Cargo;
use crate::step::Verdict;
use crate::workspace::Workspace;

/// Prefix of a line with expected text.
const EXPECTED: &str = "//~ ";

const BUILD: &str = "build --locked --keep-going --bins --manifest-path xtask/messages/Cargo.toml \
                     --target-dir target/messages --message-format json";

/// Builds the programs and compares the messages.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let folder = workspace.root.join("xtask/messages/src/bin");
    let output = Cargo::new(BUILD).capture(&workspace.root);
    let output = output.map_err(|why| vec![format!("cargo build: {why}")])?;
    let printed = messages(&output.text);
    let (mut findings, mut count) = (Vec::new(), 0);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        count += 1;
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).unwrap_or_default();
        let text = printed.get(&name).map_or("", String::as_str);
        let missing = missing(&source, text).into_iter();
        findings.extend(missing.map(|line| format!("{name}: no `{line}` in {text}")));
    }
    if count == 0 || printed.is_empty() {
        findings.push(format!("no messages: {}", output.text));
    }
    if findings.is_empty() { Ok(format!("{count} programs")) } else { Err(findings) }
}

/// Returns the messages of each program from the JSON lines that cargo prints.
fn messages(output: &str) -> HashMap<String, String> {
    let mut messages = HashMap::<String, String>::new();
    for line in output.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let rendered = message["message"]["rendered"].as_str();
        if let (Some(name), Some(text)) = (message["target"]["name"].as_str(), rendered) {
            *messages.entry(name.to_owned()).or_default() += text;
        }
    }
    messages
}

/// Returns the expected lines that are not in the messages. If the program expects no lines,
/// returns an empty line. Types are compared without the paths of their crate.
fn missing<'a>(source: &'a str, messages: &str) -> Vec<&'a str> {
    let messages = messages.replace("hexphase::", "");
    let mut lines: Vec<&str> =
        source.lines().filter_map(|line| line.strip_prefix(EXPECTED)).collect();
    if lines.is_empty() {
        return vec![""];
    }
    lines.retain(|line| !messages.contains(&line.replace("hexphase::", "")));
    lines
}

#[cfg(test)]
mod tests {
    use super::{messages, missing};

    #[test]
    fn missing_lines_are_reported() {
        let line = |name: &str, text: &str| {
            format!(r#"{{"target":{{"name":"{name}"}},"message":{{"rendered":"{text}"}}}}"#)
        };
        let output =
            [line("a", "one;"), "Compiling b".into(), line("b", "two"), line("a", "three")];
        let messages = messages(&output.join("\n"));
        assert_eq!((&*messages["a"], &*messages["b"]), ("one;three", "two"));
        let source = "//! head\n//~ `Aabb` is\n//~ no such\nfn main() {} //~ not one\n";
        assert_eq!(missing(source, "error: `hexphase::Aabb` is"), ["no such"]);
        assert_eq!(missing("fn main() {}", "error"), [""], "a program without expectations");
    }
}
