//! Checks the `Cargo.toml` of each member, and that all files state the same minimum Rust version.

use std::fs;
use std::path::Path;

use crate::verify::{EXTRA, manifest};

const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];

/// Returns a finding for each file that states another minimum Rust version than the workspace.
pub(super) fn versions(root: &Path) -> Vec<String> {
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let workspace = text("Cargo.toml");
    let lines = workspace.lines();
    let Some(line) = lines.into_iter().find(|line| line.starts_with("rust-version = ")) else {
        return vec!["Cargo.toml: no rust-version".to_owned()];
    };
    let version = line.split('"').nth(1).unwrap_or_default();
    let manifests = EXTRA.into_iter().chain(["xtask/no-std"]).map(manifest);
    let expected = manifests.map(|path| (path, line.to_owned())).chain([
        (".clippy.toml".to_owned(), format!("msrv = \"{version}\"")),
        ("README.md".to_owned(), version.to_owned()),
    ]);
    expected
        .filter(|(path, expected)| !text(path).contains(expected.as_str()))
        .map(|(path, text)| format!("{path}: does not contain {text}"))
        .collect()
}

/// Returns the findings in a manifest; for a library, `docs` is the source file with the crate's
/// documentation.
pub(super) fn findings(manifest: &str, docs: Option<&String>) -> Vec<String> {
    let lines: Vec<&str> = manifest.lines().collect();
    let mut findings = Vec::new();
    for key in INHERITED {
        if !lines.contains(&format!("{key}.workspace = true").as_str()) {
            findings.push(format!("{key} is not inherited"));
        }
    }
    if !manifest.contains("[lints]\nworkspace = true\n") {
        findings.push("lints are not inherited".to_owned());
    }
    for (feature, commented) in features(&lines) {
        if !commented {
            findings.push(format!("feature {feature} has no comment"));
        }
        if docs.is_some_and(|docs| !docs.contains(&format!("`{feature}`"))) {
            findings.push(format!("feature {feature} is not in the crate's documentation"));
        }
    }
    findings
}

/// Returns the features except `default`, and whether each has a comment above it.
fn features<'a>(lines: &[&'a str]) -> Vec<(&'a str, bool)> {
    let mut features = Vec::new();
    let mut inside = false;
    let mut before = "";
    for line in lines {
        if line.starts_with('[') {
            inside = *line == "[features]";
        } else if let Some((name, _)) = line.split_once(" = ")
            && inside
            && !line.starts_with('#')
            && name != "default"
        {
            features.push((name, before.starts_with('#')));
        }
        before = line;
    }
    features
}

#[cfg(test)]
mod tests {
    use super::findings;

    const GOOD: &str = "\
[package]
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true

[features]
default = [\"std\"]
# Detects the CPU.
std = []

[lints]
workspace = true
";

    #[test]
    fn each_omission_is_found() {
        let docs = "//! * `std` (default): detects the CPU.".to_owned();
        assert!(findings(GOOD, Some(&docs)).is_empty());
        for (from, to, expected) in [
            ("edition.workspace = true", "edition = \"2021\"", "edition is not inherited"),
            ("[lints]", "[lints.rust]", "lints are not inherited"),
            ("# Detects the CPU.\n", "", "feature std has no comment"),
            ("std = []", "st = []", "feature st is not in the crate's documentation"),
        ] {
            assert_eq!(findings(&GOOD.replace(from, to), Some(&docs)), [expected]);
        }
    }
}
