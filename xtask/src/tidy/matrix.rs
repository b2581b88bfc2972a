//! Checks that the feature matrix tests each feature set as intended.
//!
//! * Dev-dependencies must not enable a feature in [`VARIED`]. Cargo unifies the features of all
//!   packages in one build, so the feature would also be enabled in tests of feature sets without
//!   it.
//! * A feature that only enables features of dependencies is not tested alone, so no source may
//!   depend on it. Exceptions are tests, and `std`, which is tested with `pulp` and with all
//!   features.

use std::fs;

use super::files;
use crate::workspace::{Dependency, Package, Workspace};

/// Features that add code; the matrix tests each of them.
const VARIED: [&str; 3] = ["std", "wide", "pulp"];

pub(super) fn findings(workspace: &Workspace) -> Vec<String> {
    let mut findings = Vec::new();
    for library in workspace.libraries() {
        for dependency in library.dependencies.iter().filter(|dependency| dependency.dev) {
            findings.extend(enabled_in_tests(workspace, &library.name, dependency));
            let through = workspace.package(&dependency.name).filter(|package| !package.library);
            for dependency in through.into_iter().flat_map(Package::needs) {
                findings.extend(enabled_in_tests(workspace, &library.name, dependency));
            }
        }
        for path in files(&library.folder.join("src"), "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let used = forwarded_conditions(library, &text);
            findings.extend(used.map(|f| format!("{}: {f}", workspace.relative(&path))));
        }
    }
    findings
}

/// Returns a finding for each feature on which a source depends although the package only forwards
/// it.
fn forwarded_conditions<'a>(
    package: &'a Package,
    text: &'a str,
) -> impl Iterator<Item = String> + 'a {
    let forwarded = package.forwarded.iter().filter(|&feature| feature != "std");
    let used = forwarded.filter(|feature| {
        let condition = format!("feature = \"{feature}\"");
        let is_for_tests = |line: &str| line.contains("(test, ") || line.contains("doctest");
        text.lines().any(|line| line.contains(&condition) && !is_for_tests(line))
    });
    used.map(|feature| format!("depends on feature {feature}, which is only forwarded"))
}

impl Package {
    fn needs(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|dependency| !dependency.dev)
    }
}

fn enabled_in_tests(
    workspace: &Workspace,
    tested: &str,
    dependency: &Dependency,
) -> Option<String> {
    let name = &dependency.name;
    let library = workspace.package(name).is_some_and(|package| package.library);
    let feature = dependency.features.iter().find(|&f| VARIED.contains(&f.as_str()))?;
    library.then(|| format!("the tests of {tested} always build {name} with {feature}"))
}

#[cfg(test)]
mod tests {
    use super::{Dependency, Package, Workspace, findings, forwarded_conditions};

    fn package(name: &str, library: bool, dependencies: Vec<Dependency>) -> Package {
        Package { name: name.into(), library, dependencies, ..Package::default() }
    }

    fn needs(name: &str, dev: bool, features: &[&str]) -> Dependency {
        let features = features.iter().map(|&feature| feature.to_owned()).collect();
        Dependency { name: name.into(), dev, features }
    }

    fn workspace(laws: &[&str]) -> Workspace {
        let packages = vec![
            package("core", true, vec![needs("laws", true, &[])]),
            package(
                "laws",
                false,
                vec![needs("core", false, laws), needs("proptest", false, &["std"])],
            ),
        ];
        Workspace { root: "/".into(), packages }
    }

    #[test]
    fn a_test_library_that_enables_a_backend_is_found() {
        assert!(findings(&workspace(&["scenes"])).is_empty());
        let expected = ["the tests of core always build core with wide"];
        assert_eq!(findings(&workspace(&["scenes", "wide"])), expected);
    }

    #[test]
    fn a_source_that_depends_on_a_forwarded_feature_is_found() {
        let forwarded = vec!["std".into(), "wide".into()];
        let package = Package { forwarded, ..Package::default() };
        let found = |text| forwarded_conditions(&package, text).collect::<Vec<_>>();
        assert!(
            found("#[cfg(feature = \"std\")]\n#[cfg(all(test, feature = \"wide\"))]").is_empty()
        );
        assert!(found("#[cfg(all(doctest, feature = \"wide\"))]").is_empty());
        assert_eq!(
            found("#[cfg(feature = \"wide\")]"),
            ["depends on feature wide, which is only forwarded"]
        );
    }
}
