//! The dependency rules.
//!
//! * Without features, a library depends on no external package except `cfg-if`.
//! * Dev-dependencies enable no feature in [`VARIED`]. Cargo unifies the features of all packages
//!   in one build, so the feature would also be enabled in tests of feature sets without it.

use crate::cargo::Cargo;
use crate::step::Verdict;
use crate::workspace::{Dependency, Package, Workspace};

/// The only external package that a library may depend on without features.
const ALLOWED: &str = "cfg-if";

/// Features that select a backend; tests run without them.
const VARIED: [&str; 3] = ["std", "wide", "pulp"];

/// Checks the dependencies of every library.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let ours: Vec<&str> = workspace.libraries().map(|package| package.name.as_str()).collect();
    let mut findings = enabled_in_tests(workspace);
    for name in &ours {
        let tree = Cargo::new("tree --locked -e normal --no-default-features --prefix none -p");
        match tree.argument(*name).standard_output(&workspace.root) {
            Ok(tree) => findings.extend(
                foreign(&tree, &ours)
                    .map(|other| format!("{name} depends on {other} without features")),
            ),
            Err(why) => findings.push(why),
        }
    }
    if findings.is_empty() { Ok(format!("{} libraries", ours.len())) } else { Err(findings) }
}

/// Returns the packages in a tree that are neither ours nor allowed.
fn foreign<'a>(tree: &'a str, ours: &[&str]) -> impl Iterator<Item = &'a str> {
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.filter(move |name| !name.is_empty() && *name != ALLOWED && !ours.contains(name))
}

/// Returns a finding for each feature in [`VARIED`] of a library that the tests of a library always
/// enable, by their dev-dependencies or by the dependencies of these.
fn enabled_in_tests(workspace: &Workspace) -> Vec<String> {
    let mut findings = Vec::new();
    for tested in workspace.libraries() {
        let direct = || tested.dependencies.iter().filter(|dependency| dependency.dev);
        let tools = direct().filter_map(|dependency| workspace.package(&dependency.name));
        let through = tools.filter(|package| !package.library).flat_map(Package::needs);
        for Dependency { name, features, .. } in direct().chain(through) {
            let varied = features.iter().find(|feature| VARIED.contains(&feature.as_str()));
            let library = workspace.package(name).is_some_and(|package| package.library);
            if let Some(feature) = varied.filter(|_| library) {
                let tested = &tested.name;
                findings.push(format!("the tests of {tested} always build {name} with {feature}"));
            }
        }
    }
    findings
}

impl Package {
    fn needs(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|dependency| !dependency.dev)
    }
}

#[cfg(test)]
mod tests {
    use super::{Dependency, Package, Workspace, enabled_in_tests, foreign};

    #[test]
    fn external_packages_are_found() {
        let tree = "high v0.1.0 (/w/high)\nlow v0.1.0 (/w/low)\n\ncfg-if v1.0.5\nserde v1.0.0\n";
        assert_eq!(foreign(tree, &["low", "high"]).collect::<Vec<_>>(), ["serde"]);
    }

    #[test]
    fn a_test_library_that_enables_a_backend_is_found() {
        let found = |feature: &str| {
            let package = |name: &str, library, needs: &str, dev| {
                let features = if dev { Vec::new() } else { vec![feature.to_owned()] };
                let needs =
                    Dependency { name: needs.into(), dev, features, ..Dependency::default() };
                Package {
                    name: name.into(),
                    library,
                    dependencies: vec![needs],
                    ..Package::default()
                }
            };
            let packages =
                vec![package("core", true, "laws", true), package("laws", false, "core", false)];
            enabled_in_tests(&Workspace { root: "/".into(), packages })
        };
        assert!(found("scenes").is_empty());
        assert_eq!(found("wide"), ["the tests of core always build core with wide"]);
    }
}
