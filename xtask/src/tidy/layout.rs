//! Checks the top level of the repository: exactly the entries of the drawing in the README.

use std::fs;
use std::path::Path;

/// The required entries.
const ENTRIES: [&str; 17] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "TESTING.md",
    "bounds-hexprism",
    "broadphase-core",
    "broadphase-hshg",
    "broadphase-morton",
    "facade",
    "hexcoord",
    "simd-lanes",
    "xtask",
];

pub(super) fn findings(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    differences(&names)
}

fn differences(names: &[String]) -> Vec<String> {
    let missing = ENTRIES.iter().filter(|&&entry| !names.iter().any(|name| name == entry));
    let expected =
        |name: &str| name.starts_with('.') || name == "target" || ENTRIES.contains(&name);
    let unexpected = names.iter().filter(|name| !expected(name));
    missing
        .map(|entry| format!("{entry} is missing"))
        .chain(unexpected.map(|name| format!("{name} is not an entry of the top level")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{ENTRIES, differences};

    #[test]
    fn missing_and_unexpected_entries_are_found() {
        let mut names: Vec<String> = ENTRIES.map(String::from).to_vec();
        names.extend([".git".to_owned(), "target".to_owned()]);
        assert!(differences(&names).is_empty());
        names[0] = "notes.txt".to_owned();
        let expected = ["ARCHITECTURE.md is missing", "notes.txt is not an entry of the top level"];
        assert_eq!(differences(&names), expected);
    }
}
