//! `cargo xtask verify --supply`: dependencies and the public API. Steps whose tool is not installed
//! are skipped.
//!
//! * Licences, sources and bans of all dependencies of the workspace: `deny.toml`, by cargo-deny.
//! * Each pair of features of each library. All subsets would be 2^14 builds of the facade.
//! * The libraries compile with the lowest versions that their manifests allow, and no dependency
//!   requires a later Rust than the workspace. Requires the registry.
//! * The public API of each library equals the listing `api.txt` in its folder, by cargo-public-api.

use core::fmt::Write as _;
use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::cargo::Cargo;
use crate::features::{arguments, pairs};
use crate::step::{Step, Verdict};
use crate::verify::lint;
use crate::workspace::{Package, Workspace};

/// The folder of a generated package that depends on all libraries.
const LOWEST: &str = "target/lowest";

/// The name of the listing of the public API in the folder of a library.
const LISTING: &str = "api.txt";

/// Returns all steps.
pub(crate) fn steps(workspace: &Workspace) -> Vec<Step> {
    let deny = Cargo::new("deny --locked check licenses bans sources");
    let mut steps = vec![
        if_installed(workspace, "deny", Step::calls("licences, bans and sources", [deny])),
        Step::check("lowest versions of dependencies", lowest_versions),
        if_installed(workspace, "public-api", Step::check("public API", check_api)),
    ];
    steps.extend(workspace.libraries().map(|package| {
        let calls = pairs(package).into_iter();
        let calls =
            calls.map(|set| lint(&format!("-p {} --lib {}", package.name, arguments(&set))));
        Step::calls(format!("pairs of features of {}: lints", package.name), calls)
    }));
    steps
}

/// Returns the step if a subcommand of cargo is installed, or else a skipped step.
fn if_installed(workspace: &Workspace, command: &str, step: Step) -> Step {
    match Cargo::new(command).with("--version").standard_output(&workspace.root) {
        Ok(_) => step,
        Err(_) => Step::skip(step.name, format!("requires `cargo install cargo-{command}`")),
    }
}

/// Checks the libraries with the lowest versions of their direct dependencies, and the Rust versions
/// that all dependencies require.
///
/// Generates a package that depends on the libraries, with all features, and on their dependencies:
/// cargo selects the lowest versions of direct dependencies only. Those of indirect dependencies are
/// a matter of other crates.
fn lowest_versions(workspace: &Workspace) -> Verdict {
    let folder = workspace.root.join(LOWEST);
    // Only the selection of versions needs an unstable option of cargo.
    let select = Cargo::new("generate-lockfile -Zdirect-minimal-versions --manifest-path")
        .with(&format!("{LOWEST}/Cargo.toml"))
        .variable("RUSTC_BOOTSTRAP", "1");
    let check = Cargo::new("check --locked --manifest-path").with(&format!("{LOWEST}/Cargo.toml"));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("lib.rs"), ""))
        .and_then(|()| fs::write(folder.join("Cargo.toml"), manifest(workspace)))
        .map_err(|why| vec![why.to_string()])?;
    let metadata = Cargo::new("metadata --locked --format-version 1 --manifest-path")
        .with(&format!("{LOWEST}/Cargo.toml"));
    let run = |call: &Cargo| call.standard_output(&workspace.root).map_err(|why| vec![why]);
    run(&select)?;
    run(&check)?;
    let findings = later_rust(&run(&metadata)?);
    if findings.is_empty() { Ok("all libraries".to_owned()) } else { Err(findings) }
}

/// Returns a finding for each package that requires a later Rust than the libraries.
fn later_rust(metadata: &str) -> Vec<String> {
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let packages = || metadata["packages"].as_array().into_iter().flatten();
    let version = |package: &Value| -> Vec<u32> {
        let text = package["rust_version"].as_str().unwrap_or_default();
        text.split('.').filter_map(|part| part.parse().ok()).collect()
    };
    let ours = packages().filter(|package| package["source"].is_null()).map(version).max();
    let later = packages().filter(|package| Some(version(package)) > ours);
    later.map(|package| format!("requires a later Rust: {}", package["id"])).collect()
}

/// Returns the manifest of a package that depends on all libraries and on their dependencies.
fn manifest(workspace: &Workspace) -> String {
    let mut text = "[package]\nname = \"lowest\"\nedition = \"2024\"\n[workspace]\n[lib]\npath = \
                    \"lib.rs\"\n[dependencies]\n"
        .to_owned();
    let mut external = Vec::new();
    for Package { name, folder, features, dependencies, .. } in workspace.libraries() {
        let _ = writeln!(text, "{name} = {{ path = {folder:?}, features = {features:?} }}");
        let others = dependencies.iter().filter(|other| !other.dev);
        let others = others.filter(|other| workspace.package(&other.name).is_none());
        external.extend(others.map(|other| (&other.name, &other.requirement)));
    }
    external.sort();
    external.dedup();
    for (name, requirement) in external {
        let _ =
            writeln!(text, "{name} = {{ version = {requirement:?}, default-features = false }}");
    }
    text
}

/// Writes the listings of the public API. Returns whether all were written.
///
/// # Errors
/// If cargo-public-api fails, or a file cannot be written.
pub(crate) fn write_api(workspace: &Workspace) -> Result<bool, String> {
    for package in workspace.libraries() {
        let path = package.folder.join(LISTING);
        fs::write(&path, api(workspace, package)?).map_err(|why| format!("{LISTING}: {why}"))?;
    }
    Ok(true)
}

/// Compares the public API of each library with its listing.
fn check_api(workspace: &Workspace) -> Verdict {
    let (mut findings, mut count) = (Vec::new(), 0);
    for package in workspace.libraries() {
        let listed = fs::read_to_string(package.folder.join(LISTING)).unwrap_or_default();
        let public = api(workspace, package).map_err(|why| vec![why])?;
        count += public.lines().count();
        findings.extend(difference(&listed, &public));
    }
    if findings.is_empty() {
        return Ok(format!("{count} items"));
    }
    findings.push("if the change is intended: `cargo xtask api`, and CHANGELOG.md".to_owned());
    Err(findings)
}

/// Returns the public API of a library with all features, one item a line.
fn api(workspace: &Workspace, package: &Package) -> Result<String, String> {
    Cargo::new("public-api -ss --all-features -p")
        .argument(&package.name)
        .standard_output(&workspace.root)
}

/// Returns the lines that were removed and added.
fn difference(old: &str, new: &str) -> Vec<String> {
    let missing = |from: &str, in_text: &str, sign: char| -> Vec<String> {
        let known: HashSet<_> = in_text.lines().collect();
        let lines = from.lines().filter(|line| !known.contains(line));
        lines.map(|line| format!("{sign} {line}")).collect()
    };
    [missing(old, new, '-'), missing(new, old, '+')].concat()
}

#[cfg(test)]
mod tests {
    use super::{Package, Workspace, difference, later_rust, manifest};
    use crate::workspace::Dependency;

    #[test]
    fn changed_items_are_a_difference() {
        assert_eq!(difference("pub fn a()\npub b", "pub b\npub c"), ["- pub fn a()", "+ pub c"]);
        assert!(difference("a\nb", "a\nb").is_empty());
    }

    #[test]
    fn packages_that_require_a_later_rust_are_found() {
        let package = |source: &str, rust: &str| {
            format!(r#"{{ "id": 1, "source": {source}, "rust_version": {rust} }}"#)
        };
        let registry = r#""registry""#;
        let packages =
            ["null", r#""1.56.1""#, r#""1.89""#, r#""1.90""#].map(|rust| package(registry, rust));
        let ours = package("null", r#""1.89""#);
        let found = later_rust(&format!(r#"{{ "packages": [{ours}, {}] }}"#, packages.join(",")));
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn external_dependencies_of_libraries_are_direct_ones() {
        let needs = |name: &str, dev| {
            let requirement = "^1".to_owned();
            Dependency { name: name.into(), requirement, dev, ..Dependency::default() }
        };
        let package = |name: &str, dependencies| Package {
            name: name.into(),
            library: true,
            dependencies,
            ..Package::default()
        };
        let low = package("low", vec![needs("serde", false), needs("proptest", true)]);
        let high = package("high", vec![needs("low", false), needs("serde", false)]);
        let text = manifest(&Workspace { root: "/".into(), packages: vec![low, high] });
        let (_, dependencies) = text.split_once("[dependencies]\n").expect("dependencies");
        let names = dependencies.lines().map(|line| line.split(' ').next());
        assert!(names.flatten().eq(["low", "high", "serde"]), "{text}");
    }
}
