//! The feature matrix of one package: sets that are checked, and sets that are tested.
//!
//! Packages are built one by one (`-p`), because cargo unifies the features of whatever it builds
//! together; a set that only compiles because a neighbour asked for more would go unnoticed.

use core::fmt;
use std::fs;

use crate::tidy::files;
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

/// Features whose code also runs, unchanged, in the tests with all features. Alone they are only
/// linted, with their tests: running those would repeat what the tests with all features run.
///
/// The others are tested alone because another feature replaces their code: with `std`, `libm` is
/// not called; with `pulp`, `wide` is not the detected backend; with `hshg`, no world selects the
/// structures of `hash` and `morton` itself.
const SAME_WITH_ALL: [&str; 8] =
    ["bytemuck", "f64", "hexcoord", "hshg", "i32", "rayon", "scenes", "serde"];

/// Feature sets linted with their tests: no features, and each alone but `std`, which only `pulp` needs:
/// without run-time CPU detection no backend of `pulp` would run.
///
/// A feature that is only handed on is left out if no source depends on it alone: then the package
/// and its tests have the same code as without features.
pub(crate) fn linted(package: &Package) -> Vec<FeatureSet> {
    let texts = files(&package.folder, "rs").into_iter().map(fs::read_to_string);
    let texts: Vec<String> = texts.filter_map(Result::ok).collect();
    alone(package, |feature| {
        let handed_on = package.handed_on.iter().any(|other| other == feature);
        !handed_on || texts.iter().any(|text| depends_on_alone(text, feature))
    })
}

/// Whether a text has code for a set of features that is not compiled with all features: a line with
/// `not(..)` around a feature that the set lacks. The features outside `not` must be in the set.
fn depends_on_absence(text: &str, set: &FeatureSet) -> bool {
    text.lines().any(|line| {
        let Some((outside, absent)) = split_at_not(line) else { return false };
        let has = |feature| set.0.iter().any(|other| other == feature);
        let present = outside.contains("any(") || named(&outside).all(has);
        // A feature that is not a literal is an argument of a macro.
        let unknown = absent.contains("feature = $");
        present && (unknown || named(absent).any(|feature| !has(feature)))
    })
}

/// Splits a line into what is outside of its first `not(..)` and what is in it.
fn split_at_not(line: &str) -> Option<(String, &str)> {
    let (before, rest) = line.split_once("not(")?;
    let mut depth = 1;
    let end = rest.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some((format!("{before}{}", &rest[end..]), &rest[..end]))
}

/// The features that are named in a condition.
fn named(condition: &str) -> impl Iterator<Item = &str> {
    condition.split("feature = \"").skip(1).filter_map(|rest| rest.split('"').next())
}

/// Whether a line depends on a feature, and not only on several together: `all(feature = "wide",
/// feature = "pulp")` is false with either of them alone.
fn depends_on_alone(text: &str, feature: &str) -> bool {
    let condition = format!("feature = \"{feature}\"");
    text.lines().filter(|line| line.contains(&condition)).any(|line| {
        let several = line.contains("all(") && line.matches("feature = ").count() > 1;
        !several || line.contains("any(") || line.contains("not(")
    })
}

/// Feature sets tested beside all features together: no features, and each alone that is not
/// [`SAME_WITH_ALL`]. A feature that is only handed on is tested in the package that receives it.
///
/// Only sets with code that all features together do not have: code that depends on the absence of
/// a feature.
pub(crate) fn tested(package: &Package) -> Vec<FeatureSet> {
    let texts = files(&package.folder, "rs").into_iter().map(fs::read_to_string);
    let texts: Vec<String> = texts.filter_map(Result::ok).collect();
    let mut sets = alone(package, |feature| {
        let handed_on = package.handed_on.iter().any(|other| other == feature);
        !handed_on && !SAME_WITH_ALL.contains(&feature)
    });
    if !package.folder.as_os_str().is_empty() {
        sets.retain(|set| texts.iter().any(|text| depends_on_absence(text, set)));
    }
    sets
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
    use super::{
        FeatureSet, Package, checked, depends_on_absence, depends_on_alone, linted, tested,
    };

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
    fn tested_are_none_and_each_that_all_features_replace() {
        let package = package(&["hash", "pulp", "rayon", "serde", "std", "wide"]);
        assert_eq!(names(&tested(&package)), ["none", "hash", "pulp+std", "wide"]);
        assert_eq!(
            names(&linted(&package)),
            ["none", "hash", "pulp+std", "rayon", "serde", "wide"]
        );
    }

    #[test]
    fn what_is_handed_on_is_linted_and_tested_below() {
        let handed_on = vec!["pulp".into(), "wide".into()];
        let package = Package { handed_on, ..package(&["hash", "pulp", "wide"]) };
        assert_eq!(names(&tested(&package)), ["none", "hash"]);
        assert_eq!(names(&linted(&package)), ["none", "hash"]);
    }

    #[test]
    fn absences_that_sources_depend_on_are_found() {
        let none = FeatureSet(Vec::new());
        let [a, b] = ["a", "b"].map(|feature| FeatureSet(vec![feature.to_owned()]));
        let without_b = "#[cfg(not(feature = \"b\"))]";
        assert!(depends_on_absence(without_b, &none));
        assert!(depends_on_absence(without_b, &a));
        assert!(!depends_on_absence(without_b, &b));
        let a_alone = "#[cfg(all(feature = \"a\", not(any(feature = \"b\"))))]";
        assert!(!depends_on_absence(a_alone, &none));
        assert!(depends_on_absence(a_alone, &a));
        assert!(!depends_on_absence(a_alone, &b));
        assert!(depends_on_absence("#[cfg(any(feature = \"a\", not(feature = \"b\")))]", &none));
        assert!(depends_on_absence("#[cfg(not(feature = $feature))]", &b));
        assert!(!depends_on_absence("#[cfg(feature = \"a\")]", &none));
        assert!(!depends_on_absence("#[cfg(not(test))]", &none));
    }

    #[test]
    fn features_that_sources_depend_on_alone_are_found() {
        let on_wide = |text| depends_on_alone(text, "wide");
        assert!(on_wide("#[cfg(feature = \"wide\")]"));
        assert!(on_wide("#[cfg(all(test, feature = \"wide\"))]"));
        assert!(on_wide("#[cfg(any(feature = \"wide\", feature = \"pulp\"))]"));
        assert!(on_wide("#[cfg(all(feature = \"pulp\", not(feature = \"wide\")))]"));
        assert!(!on_wide("#[cfg(all(test, feature = \"wide\", feature = \"pulp\"))]"));
        assert!(!on_wide("#[cfg(feature = \"pulp\")]"));
    }

    #[test]
    fn default_features_never_leak_in() {
        let sets = checked(&package(&["std", "wide"]));
        assert_eq!(sets[0].arguments(), "--no-default-features");
        assert_eq!(sets[3].arguments(), "--no-default-features --features std,wide");
    }
}
