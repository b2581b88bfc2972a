//! House rules: conventions that neither the compiler nor clippy checks.

mod lanes;
mod manifest;
mod source;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::figures;
use crate::step::Verdict;
use crate::workspace::Workspace;

/// Applies every rule to every file.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let root = &workspace.root;
    let mut findings = manifest::versions(root);
    for package in &workspace.packages {
        let path = package.folder.join("Cargo.toml");
        let docs = fs::read_to_string(package.folder.join("src/lib.rs")).unwrap_or_default();
        let found = read(&path, |text| manifest::findings(text, package.library.then_some(&docs)));
        findings.extend(found.into_iter().map(|f| format!("{}: {f}", workspace.relative(&path))));
    }
    let sources = files(root, "rs");
    for path in &sources {
        let owner = workspace
            .packages
            .iter()
            .filter(|package| path.starts_with(&package.folder))
            .max_by_key(|package| package.folder.as_os_str().len());
        let location = source::Location {
            path: path.strip_prefix(root).unwrap_or(path),
            library: owner
                .is_some_and(|owner| owner.library && path.starts_with(owner.folder.join("src"))),
        };
        let found = read(path, |text| source::findings(&location, text));
        findings.extend(found.into_iter().map(|f| format!("{}: {f}", workspace.relative(path))));
        let found = read(path, words::in_source);
        findings.extend(found.into_iter().map(|f| format!("{}:{f}", workspace.relative(path))));
    }
    // Skip the changelog: entries of past versions are not rewritten.
    let texts = files(root, "md").into_iter().filter(|path| !path.ends_with("CHANGELOG.md"));
    for path in texts {
        let found = read(&path, words::in_markdown);
        findings.extend(found.into_iter().map(|f| format!("{}:{f}", workspace.relative(&path))));
    }
    findings.extend(figures::findings(workspace));
    if findings.is_empty() { Ok(format!("{} files", sources.len())) } else { Err(findings) }
}

/// Folders of files that are built or installed, not written here.
const BUILT: [&str; 3] = ["dist", "node_modules", "target"];

/// Returns all files under a folder with an extension, sorted; skips hidden folders and [`BUILT`].
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if path.is_dir() {
                if !hidden && !BUILT.iter().any(|name| entry.file_name() == *name) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path, rules: impl FnOnce(&str) -> Vec<String>) -> Vec<String> {
    match fs::read_to_string(path) {
        Ok(text) => rules(&text),
        Err(why) => vec![why.to_string()],
    }
}
