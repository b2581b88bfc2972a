//! Checks that all files state the same minimum Rust version.

use std::fs;
use std::path::Path;

use crate::verify::{EXTRA, manifest};

pub(super) fn findings(root: &Path) -> Vec<String> {
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let Some(version) = version(&text("Cargo.toml")) else {
        return vec!["Cargo.toml: no rust-version".to_owned()];
    };
    let manifests = EXTRA.into_iter().chain(["xtask/no-std"]).map(manifest);
    let manifests = manifests.map(|path| (path, format!("rust-version = \"{version}\"")));
    let others = [
        (".clippy.toml".to_owned(), format!("msrv = \"{version}\"")),
        ("README.md".to_owned(), version.clone()),
    ];
    manifests
        .chain(others)
        .filter(|(path, expected)| !text(path).contains(expected.as_str()))
        .map(|(path, text)| format!("{path}: does not contain {text}"))
        .collect()
}

fn version(manifest: &str) -> Option<String> {
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "))?;
    Some(line.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn the_version_is_read_from_the_manifest() {
        let manifest = "[workspace.package]\nedition = \"2024\"\nrust-version = \"1.89\"\n";
        assert_eq!(version(manifest).as_deref(), Some("1.89"));
        assert_eq!(version("[package]\n"), None);
    }
}
