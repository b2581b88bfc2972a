//! The feature matrix of one package: sets that are checked, and sets that are tested.
//!
//! Packages are built one by one (`-p`), because cargo unifies the features of whatever it builds
//! together; a set that only compiles because a neighbour asked for more would go unnoticed.

use core::fmt;

use crate::workspace::Package;

/// Features to build a package with, and no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FeatureSet(Vec<String>);

impl FeatureSet {
    /// The arguments that choose it.
    pub(crate) fn arguments(&self) -> String {
        match self.0.as_slice() {
            [] => "--no-default-features".to_owned(),
            features => format!("--no-default-features --features {}", features.join(",")),
        }
    }
}

impl fmt::Display for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [] => f.write_str("none"),
            features => f.write_str(&features.join("+")),
        }
    }
}

/// What must compile without a warning: no features, each alone, all.
pub(crate) fn checked(package: &Package) -> Vec<FeatureSet> {
    let mut sets = vec![FeatureSet(Vec::new())];
    sets.extend(package.features.iter().map(|feature| FeatureSet(vec![feature.clone()])));
    if package.features.len() > 1 {
        sets.push(FeatureSet(package.features.clone()));
    }
    sets
}

/// Features that add items, and change nothing of what is there without them: that they compile
/// alone is seen by linting them and their tests; all features together run those.
const ADDING: [&str; 4] = ["bytemuck", "hexcoord", "scenes", "serde"];

/// What is linted with its tests: no features, and each alone but `std`, which is there for `pulp`:
/// without it nothing may ask the CPU, and no backend of pulp's would run.
pub(crate) fn linted(package: &Package) -> Vec<FeatureSet> {
    alone(package, |_| true)
}

/// What is tested beside all features together: no features, and each alone that changes what the
/// package is. What it only hands on is tested where it arrives, and all features together have
/// every law of a structure tried on each backend.
pub(crate) fn tested(package: &Package) -> Vec<FeatureSet> {
    alone(package, |feature| {
        let handed_on = package.handed_on.iter().any(|other| other == feature);
        !handed_on && !ADDING.contains(&feature)
    })
}

fn alone(package: &Package, which: impl Fn(&str) -> bool) -> Vec<FeatureSet> {
    let alone = package.features.iter().filter(|&feature| feature != "std" && which(feature));
    let mut sets = vec![FeatureSet(Vec::new())];
    sets.extend(alone.map(|feature| match feature.as_str() {
        "pulp" => FeatureSet(vec!["pulp".into(), "std".into()]),
        _ => FeatureSet(vec![feature.clone()]),
    }));
    sets
}

#[cfg(test)]
mod tests {
    use super::{FeatureSet, Package, checked, linted, tested};

    fn package(features: &[&str]) -> Package {
        Package { features: features.iter().map(|&f| f.to_owned()).collect(), ..Package::default() }
    }

    fn names(sets: &[FeatureSet]) -> Vec<String> {
        sets.iter().map(FeatureSet::to_string).collect()
    }

    #[test]
    fn checked_are_none_each_and_all() {
        let sets = checked(&package(&["pulp", "std", "wide"]));
        assert_eq!(names(&sets), ["none", "pulp", "std", "wide", "pulp+std+wide"]);
        assert_eq!(names(&checked(&package(&["only"]))), ["none", "only"]);
        assert_eq!(names(&checked(&package(&[]))), ["none"]);
    }

    #[test]
    fn tested_are_none_and_each_that_changes_what_runs() {
        let package = package(&["hash", "pulp", "serde", "std", "wide"]);
        assert_eq!(names(&tested(&package)), ["none", "hash", "pulp+std", "wide"]);
        assert_eq!(names(&linted(&package)), ["none", "hash", "pulp+std", "serde", "wide"]);
    }

    #[test]
    fn what_is_handed_on_is_linted_and_tested_below() {
        let handed_on = vec!["pulp".into(), "wide".into()];
        let package = Package { handed_on, ..package(&["hash", "pulp", "wide"]) };
        assert_eq!(names(&tested(&package)), ["none", "hash"]);
        assert_eq!(names(&linted(&package)), ["none", "hash", "pulp+std", "wide"]);
    }

    #[test]
    fn default_features_never_leak_in() {
        let sets = checked(&package(&["std", "wide"]));
        assert_eq!(sets[0].arguments(), "--no-default-features");
        assert_eq!(sets[3].arguments(), "--no-default-features --features std,wide");
    }
}
