//! Tests must not switch on what the feature matrix leaves out, and the matrix must not leave out
//! what changes a package.
//!
//! Cargo unifies the features of everything one call builds. A dev-dependency that asks a library
//! for a backend gives it to the very build that was to be tested without.
//!
//! A feature that is only handed on is not tested alone, so no source may ask for it, except for
//! tests, and for `std`, which comes with `pulp` and with all features.

use std::fs;

use super::files;
use crate::workspace::{Dependency, Package, Workspace};

/// Features that add code to run; the matrix has a row for each.
const VARIED: [&str; 3] = ["std", "wide", "pulp"];

pub(super) fn findings(workspace: &Workspace) -> Vec<String> {
    let mut findings = Vec::new();
    for library in workspace.libraries() {
        for dependency in library.dependencies.iter().filter(|dependency| dependency.dev) {
            findings.extend(forced(workspace, &library.name, dependency));
            let through = workspace.package(&dependency.name).filter(|package| !package.library);
            for dependency in through.into_iter().flat_map(Package::needs) {
                findings.extend(forced(workspace, &library.name, dependency));
            }
        }
        for path in files(&library.folder.join("src"), "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let asked = asked_for(library, &text);
            findings.extend(asked.map(|f| format!("{}: {f}", workspace.relative(&path))));
        }
    }
    findings
}

/// What a source makes depend on features that its package only hands on.
fn asked_for<'a>(package: &'a Package, text: &'a str) -> impl Iterator<Item = String> + 'a {
    let handed_on = package.handed_on.iter().filter(|&feature| feature != "std");
    let asked = handed_on.filter(|feature| {
        let question = format!("feature = \"{feature}\"");
        text.lines().any(|line| line.contains(&question) && !line.contains("(test, "))
    });
    asked.map(|feature| format!("asks for {feature}, which is only handed on"))
}

impl Package {
    fn needs(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|dependency| !dependency.dev)
    }
}

fn forced(workspace: &Workspace, tested: &str, dependency: &Dependency) -> Option<String> {
    let name = &dependency.name;
    let library = workspace.package(name).is_some_and(|package| package.library);
    let feature = dependency.features.iter().find(|&f| VARIED.contains(&f.as_str()))?;
    library.then(|| format!("the tests of {tested} always build {name} with {feature}"))
}

#[cfg(test)]
mod tests {
    use super::{Dependency, Package, Workspace, asked_for, findings};

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
    fn a_test_library_that_asks_for_a_backend_is_found() {
        assert!(findings(&workspace(&["scenes"])).is_empty());
        let expected = ["the tests of core always build core with wide"];
        assert_eq!(findings(&workspace(&["scenes", "wide"])), expected);
    }

    #[test]
    fn a_source_that_asks_for_what_is_only_handed_on_is_found() {
        let handed_on = vec!["std".into(), "wide".into()];
        let package = Package { handed_on, ..Package::default() };
        let found = |text| asked_for(&package, text).collect::<Vec<_>>();
        assert!(
            found("#[cfg(feature = \"std\")]\n#[cfg(all(test, feature = \"wide\"))]").is_empty()
        );
        assert_eq!(found("#[cfg(feature = \"wide\")]"), ["asks for wide, which is only handed on"]);
    }
}
