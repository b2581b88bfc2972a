//! Checks the `Cargo.toml` of each member.

const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];
const PUBLISHED: [&str; 4] = ["description", "keywords", "categories", "readme"];

/// Returns the findings; for a library, `docs` is the source file with the crate's documentation.
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
    if docs.is_some() {
        let has = |key: &&&str| lines.iter().any(|line| line.starts_with(&format!("{key} = ")));
        let missing = PUBLISHED.iter().filter(|key| !has(key));
        findings.extend(missing.map(|key| format!("{key} is missing")));
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
description = \"d\"
keywords = []
categories = []
readme = \"README.md\"
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

    fn docs() -> String {
        "//! * `std` (default): detects the CPU.".to_owned()
    }

    #[test]
    fn a_valid_manifest_has_no_findings() {
        assert!(findings(GOOD, Some(&docs())).is_empty());
        let tool = GOOD.replace("keywords = []\n", "");
        assert!(findings(&tool, None).is_empty());
    }

    #[test]
    fn each_omission_is_found() {
        let cases = [
            ("edition.workspace = true", "edition = \"2021\"", "edition is not inherited"),
            ("[lints]", "[lints.rust]", "lints are not inherited"),
            ("# Detects the CPU.\n", "", "feature std has no comment"),
            ("keywords = []\n", "", "keywords is missing"),
        ];
        for (from, to, expected) in cases {
            assert_eq!(findings(&GOOD.replace(from, to), Some(&docs())), [expected]);
        }
        let undocumented = findings(GOOD, Some(&String::new()));
        assert_eq!(undocumented, ["feature std is not in the crate's documentation"]);
    }
}
