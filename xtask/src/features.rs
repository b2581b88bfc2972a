//! The feature sets that are linted and tested in addition to all features together.
//!
//! Packages are built one by one (`-p`), because cargo unifies the features of all packages in one
//! build. Otherwise a set with a missing feature would pass if another package enables the feature.
//!
//! A set is a list of features, separated by commas. A feature that only enables features of
//! dependencies has no set of its own unless a source has a condition on it: without one, the
//! package has the same code as without features, and the dependencies are checked by themselves.

use std::fs;

use crate::tidy::files;
use crate::workspace::Package;

/// The sets to test, by package: those with code that is not compiled with all
/// features, because a source has a condition `not(feature = ..)`, or is not run, because with
/// `pulp` the backend `wide` is not detected.
///
/// Worlds without `std` and `rayon` run all such code of `broadphase-core`. With the hash as the
/// only structure, `Algorithm::Auto` selects a structure whose cells are measured.
const TESTED: [(&str, &str); 3] =
    [("simd-lanes", ""), ("simd-lanes", "wide"), ("hexphase", "hash")];

/// Returns the sets of a package that are tested.
pub(crate) fn tested(package: &Package) -> impl Iterator<Item = &'static str> {
    TESTED.iter().filter(|(name, _)| *name == package.name).map(|&(_, set)| set)
}

/// Returns the sets with which the library must compile without a warning: no features, each
/// feature alone, all features.
pub(crate) fn checked(package: &Package) -> Vec<String> {
    let mut sets: Vec<_> = [String::new()].into_iter().chain(alone(package)).collect();
    sets.push(package.features.join(","));
    sets.dedup();
    sets
}

/// Returns the pairs of features that are checked alone.
pub(crate) fn pairs(package: &Package) -> Vec<String> {
    let features = alone(package);
    let of_first = |(index, first): (usize, &String)| {
        features[index + 1..].iter().map(|second| format!("{first},{second}")).collect::<Vec<_>>()
    };
    features.iter().enumerate().flat_map(of_first).collect()
}

/// Returns the features whose set with no other feature is checked.
fn alone(package: &Package) -> Vec<String> {
    let sources = files(&package.folder.join("src"), "rs");
    let texts: Vec<_> =
        sources.iter().filter_map(|source| fs::read_to_string(source).ok()).collect();
    let matters = |feature: &&String| {
        !package.forwarded.contains(feature)
            || texts.iter().any(|text| depends_on_alone(text, feature))
    };
    package.features.iter().filter(matters).cloned().collect()
}

/// Returns the arguments by which cargo selects a set of features.
pub(crate) fn arguments(set: &str) -> String {
    format!("--no-default-features --features={set}")
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
    use super::{Package, TESTED, checked, depends_on_alone, pairs};
    use crate::workspace::Workspace;

    #[test]
    fn sets_are_none_each_feature_and_all() {
        let checked = |features: &[&str], forwarded: &[&str]| {
            let [features, forwarded] =
                [features, forwarded].map(|names| names.iter().map(|&f| f.to_owned()).collect());
            let folder = "no-such-folder".into();
            checked(&Package { features, forwarded, folder, ..Package::default() })
        };
        let all = ["pulp", "std", "wide"];
        assert_eq!(checked(&all, &[]), ["", "pulp", "std", "wide", "pulp,std,wide"]);
        assert_eq!(checked(&all, &["pulp", "wide"]), ["", "std", "pulp,std,wide"]);
        assert_eq!(checked(&["only"], &[]), ["", "only"]);
        assert_eq!(checked(&[], &[]), [""]);
        let features = ["pulp", "std", "wide"].map(String::from).to_vec();
        let package = Package { features, folder: "no-such-folder".into(), ..Package::default() };
        assert_eq!(pairs(&package), ["pulp,std", "pulp,wide", "std,wide"]);
    }

    #[test]
    fn tested_sets_are_sets_of_packages() {
        let workspace = Workspace::here().expect("this workspace");
        for (name, set) in TESTED {
            let package = workspace.package(name).expect("a package of this name");
            let mut features = set.split_terminator(',');
            assert!(features.all(|feature| package.features.iter().any(|other| other == feature)));
        }
    }

    #[test]
    fn conditions_on_one_feature_are_found() {
        for (text, expected) in [
            ("#[cfg(feature = \"wide\")]", true),
            ("#[cfg(all(test, feature = \"wide\"))]", true),
            ("#[cfg(any(feature = \"wide\", feature = \"pulp\"))]", true),
            ("#[cfg(all(feature = \"pulp\", not(feature = \"wide\")))]", true),
            ("#[cfg(all(test, feature = \"wide\", feature = \"pulp\"))]", false),
            ("#[cfg(feature = \"pulp\")]", false),
        ] {
            assert_eq!(depends_on_alone(text, "wide"), expected, "{text}");
        }
    }
}
