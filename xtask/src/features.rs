//! The feature sets that are linted and tested in addition to all features together.
//!
//! Packages are built one by one (`-p`), because cargo unifies the features of all packages in one
//! build. Otherwise a set with a missing feature would pass if another package enables the feature.
//!
//! A set is a list of features, separated by commas. A feature that only enables features of
//! dependencies has no set of its own unless a source has a condition on it: without one, the
//! package has the same code as without features, and the dependencies are checked by themselves.

use std::fs;
use std::path::{Path, PathBuf};

use crate::tidy::files;
use crate::workspace::Package;

/// The sets to test, by package: those with code that is not compiled with all features, because a
/// source has a condition `not(feature = ..)`, or is not run, because with `pulp` the backend
/// `wide` is not detected.
const TESTED: [(&str, &[&str]); 3] = [
    ("simd-lanes", &["", "one-dimension", "pulp,std", "wide"]),
    ("broadphase-core", &[""]),
    ("hexphase", &["", "hash", "morton"]),
];

/// Returns the sets that are tested.
pub(crate) fn tested(package: &Package) -> &'static [&'static str] {
    TESTED.iter().find(|(name, _)| *name == package.name).map_or(&[], |(_, sets)| sets)
}

/// Returns the sets with which the library must compile without a warning: no features, each
/// feature alone, all features.
pub(crate) fn checked(package: &Package) -> Vec<String> {
    let mut sets = alone(package, &package.folder.join("src"));
    sets.push(package.features.join(","));
    sets.dedup();
    sets
}

/// Returns the sets that are linted with their tests: no features, and each feature alone except
/// `std`. `pulp` is combined with `std`, because without run-time CPU detection no backend of
/// `pulp` runs.
pub(crate) fn linted(package: &Package) -> Vec<String> {
    let sets = alone(package, &package.folder).into_iter().filter(|set| set != "std");
    sets.map(|set| if set == "pulp" { "pulp,std".to_owned() } else { set }).collect()
}

/// Returns the arguments by which cargo selects a set of features.
pub(crate) fn arguments(set: &str) -> String {
    format!("--no-default-features --features={set}")
}

/// Returns the empty set, and each feature alone.
fn alone(package: &Package, folder: &Path) -> Vec<String> {
    let texts = texts(folder);
    let matters = |feature: &&String| {
        !package.forwarded.contains(feature)
            || texts.iter().any(|text| depends_on_alone(text, feature))
    };
    let features = package.features.iter().filter(matters).cloned();
    [String::new()].into_iter().chain(features).collect()
}

/// Returns the texts of the sources in a folder, without those of packages in folders below it.
fn texts(folder: &Path) -> Vec<String> {
    let in_package = |source: &PathBuf| {
        let mut folders = source.ancestors().skip(1).take_while(|&parent| parent != folder);
        !folders.any(|parent| parent.join("Cargo.toml").exists())
    };
    let sources = files(folder, "rs").into_iter().filter(in_package);
    sources.filter_map(|source| fs::read_to_string(source).ok()).collect()
}

/// Returns whether a source has a condition that may be true with this feature alone.
/// The condition `all(feature = "wide", feature = "pulp")` does not count: it is false with either
/// feature alone.
fn depends_on_alone(text: &str, feature: &str) -> bool {
    let condition = format!("feature = \"{feature}\"");
    text.lines().filter(|line| line.contains(&condition)).any(|line| {
        let several = line.contains("all(") && line.matches("feature = ").count() > 1;
        !several || line.contains("any(") || line.contains("not(")
    })
}

#[cfg(test)]
mod tests {
    use super::{Package, TESTED, checked, depends_on_alone, linted};
    use crate::workspace::Workspace;

    fn package(features: &[&str]) -> Package {
        let features: Vec<String> = features.iter().map(|&f| f.to_owned()).collect();
        Package { features, folder: "no-such-folder".into(), ..Package::default() }
    }

    #[test]
    fn sets_are_none_each_feature_and_all() {
        let one = package(&["pulp", "std", "wide"]);
        assert_eq!(checked(&one), ["", "pulp", "std", "wide", "pulp,std,wide"]);
        assert_eq!(linted(&one), ["", "pulp,std", "wide"]);
        assert_eq!(checked(&package(&["only"])), ["", "only"]);
        assert_eq!(checked(&package(&[])), [""]);
        let forwarded = vec!["pulp".into(), "wide".into()];
        let one = Package { forwarded, ..package(&["hash", "pulp", "wide"]) };
        assert_eq!(checked(&one), ["", "hash", "hash,pulp,wide"]);
        assert_eq!(linted(&one), ["", "hash"]);
    }

    #[test]
    fn tested_sets_are_sets_of_packages() {
        let workspace = Workspace::here().expect("this workspace");
        for (name, sets) in TESTED {
            let package = workspace.package(name).expect("a package of this name");
            let mut features = sets.iter().flat_map(|set| set.split_terminator(','));
            assert!(features.all(|feature| package.features.iter().any(|other| other == feature)));
        }
    }

    #[test]
    fn conditions_on_one_feature_are_found() {
        let on_wide = |text| depends_on_alone(text, "wide");
        assert!(on_wide("#[cfg(feature = \"wide\")]"));
        assert!(on_wide("#[cfg(all(test, feature = \"wide\"))]"));
        assert!(on_wide("#[cfg(any(feature = \"wide\", feature = \"pulp\"))]"));
        assert!(on_wide("#[cfg(all(feature = \"pulp\", not(feature = \"wide\")))]"));
        assert!(!on_wide("#[cfg(all(test, feature = \"wide\", feature = \"pulp\"))]"));
        assert!(!on_wide("#[cfg(feature = \"pulp\")]"));
    }
}
