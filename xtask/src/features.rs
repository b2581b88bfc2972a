//! The feature matrix of one package: the feature sets that are checked, linted and tested.
//!
//! Packages are built one by one (`-p`), because cargo unifies the features of all packages in one
//! build. Otherwise a set with a missing feature would pass if another package enables the feature.

use core::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::tidy::files;
use crate::workspace::Package;

/// The complete set of features to build a package with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FeatureSet(Vec<String>);

impl FeatureSet {
    /// Returns the arguments by which cargo selects this set of features.
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

/// Returns the feature sets with which the library must compile without a warning: no features,
/// each feature alone, all features.
///
/// A feature that is only forwarded to dependencies is omitted if no source of the library names
/// it: the library then has the same code as without features, and the dependencies are checked
/// with the feature by themselves.
pub(crate) fn checked(package: &Package) -> Vec<FeatureSet> {
    let texts = texts(&package.folder.join("src"));
    let is_named = |feature: &String| {
        let condition = format!("feature = \"{feature}\"");
        !package.forwarded.contains(feature) || texts.iter().any(|text| text.contains(&condition))
    };
    let mut sets = vec![FeatureSet(Vec::new())];
    let alone = package.features.iter().filter(|feature| is_named(feature));
    sets.extend(alone.map(|feature| FeatureSet(vec![feature.clone()])));
    if package.features.len() > 1 {
        sets.push(FeatureSet(package.features.clone()));
    }
    sets
}

/// Features that only add code. The tests with all features run this code, so with one of these
/// features alone the package is linted but not tested.
///
/// Every other feature is also tested alone, because with all features another feature may replace
/// the code that it enables: with `std`, `libm` is not called; with `pulp`, `wide` is not the
/// detected backend.
const SAME_WITH_ALL: [&str; 8] =
    ["bytemuck", "f64", "hexcoord", "hshg", "i32", "rayon", "scenes", "serde"];

/// Returns the feature sets that are linted with their tests: no features, and each feature alone
/// except `std`. `pulp` is combined with `std`, because without run-time CPU detection no backend
/// of `pulp` runs.
///
/// A feature that only enables features of dependencies is omitted unless a source of the package
/// has a condition on it: without one, the package and its tests have the same code as without
/// features.
pub(crate) fn linted(package: &Package) -> Vec<FeatureSet> {
    let texts = texts(&package.folder);
    none_and_each_alone(package, |feature| {
        let forwarded = package.forwarded.iter().any(|other| other == feature);
        !forwarded || texts.iter().any(|text| depends_on_alone(text, feature))
    })
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

/// Returns whether a source has code that is compiled with a feature set but not with all features.
/// This is a line with `not(..)` around a feature that the set lacks. Features outside `not` must
/// be in the set.
fn depends_on_absence(text: &str, set: &FeatureSet) -> bool {
    text.lines().any(|line| {
        let Some((outside, absent)) = split_at_not(line) else { return false };
        let has = |feature| set.0.iter().any(|other| other == feature);
        let present = outside.contains("any(") || named(&outside).all(has);
        // A feature name that is not a literal is an argument of a macro, so its value is unknown.
        let unknown = absent.contains("feature = $");
        present && (unknown || named(absent).any(|feature| !has(feature)))
    })
}

/// Splits a line into the text outside and the text inside its first `not(..)`.
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

/// Returns the features named in a condition.
fn named(condition: &str) -> impl Iterator<Item = &str> {
    condition.split("feature = \"").skip(1).filter_map(|rest| rest.split('"').next())
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

/// Returns the feature sets that are tested in addition to all features together: no features, and
/// each feature alone that is not in [`SAME_WITH_ALL`]. A feature that is only forwarded is tested
/// in the package that receives it.
///
/// A set is omitted if no code of the package depends on the absence of a feature: all code is then
/// tested with all features.
pub(crate) fn tested(package: &Package) -> Vec<FeatureSet> {
    let texts = texts(&package.folder);
    let mut sets = none_and_each_alone(package, |feature| {
        let forwarded = package.forwarded.iter().any(|other| other == feature);
        !forwarded && !SAME_WITH_ALL.contains(&feature)
    });
    if !package.folder.as_os_str().is_empty() {
        sets.retain(|set| texts.iter().any(|text| depends_on_absence(text, set)));
    }
    sets
}

fn none_and_each_alone(package: &Package, which: impl Fn(&str) -> bool) -> Vec<FeatureSet> {
    let alone = package.features.iter().filter(|&feature| {
        feature != "std" && !tests_always_enable(package, feature) && which(feature)
    });
    let mut sets = vec![FeatureSet(Vec::new())];
    sets.extend(alone.map(|feature| match feature.as_str() {
        "pulp" => FeatureSet(vec!["pulp".into(), "std".into()]),
        _ => FeatureSet(vec![feature.clone()]),
    }));
    sets
}

/// Returns whether the package is its own dev-dependency with this feature. Its tests are then
/// compiled with the feature in every feature set.
fn tests_always_enable(package: &Package, feature: &str) -> bool {
    let itself =
        package.dependencies.iter().filter(|other| other.dev && other.name == package.name);
    itself.flat_map(|other| &other.features).any(|enabled| enabled == feature)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::workspace::Dependency;

    use super::{
        FeatureSet, Package, checked, depends_on_absence, depends_on_alone, linted, tested, texts,
    };

    fn package(features: &[&str]) -> Package {
        Package { features: features.iter().map(|&f| f.to_owned()).collect(), ..Package::default() }
    }

    fn names(sets: &[FeatureSet]) -> Vec<String> {
        sets.iter().map(FeatureSet::to_string).collect()
    }

    #[test]
    fn checked_sets_are_none_each_and_all() {
        let sets = checked(&package(&["pulp", "std", "wide"]));
        assert_eq!(names(&sets), ["none", "pulp", "std", "wide", "pulp+std+wide"]);
        assert_eq!(names(&checked(&package(&["only"]))), ["none", "only"]);
        assert_eq!(names(&checked(&package(&[]))), ["none"]);
    }

    #[test]
    fn tested_sets_are_none_and_each_feature_with_replaced_code() {
        let package = package(&["hash", "pulp", "rayon", "serde", "std", "wide"]);
        assert_eq!(names(&tested(&package)), ["none", "hash", "pulp+std", "wide"]);
        assert_eq!(
            names(&linted(&package)),
            ["none", "hash", "pulp+std", "rayon", "serde", "wide"]
        );
    }

    #[test]
    fn forwarded_features_are_linted_and_tested_in_the_dependency() {
        let forwarded = vec!["pulp".into(), "wide".into()];
        let package = Package { forwarded, ..package(&["hash", "pulp", "wide"]) };
        assert_eq!(names(&tested(&package)), ["none", "hash"]);
        assert_eq!(names(&linted(&package)), ["none", "hash"]);
        // The folder has no sources that name a feature.
        let package = Package { folder: "no-such-folder".into(), ..package };
        assert_eq!(names(&checked(&package)), ["none", "hash", "hash+pulp+wide"]);
    }

    #[test]
    fn sources_of_packages_below_a_folder_are_not_its_sources() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let has = |text: &str| texts(folder).iter().any(|source| source.contains(text));
        assert!(has("sources_of_packages_below_a_folder_are_not_its_sources"));
        let below = texts(&folder.join("laws"));
        assert!(!below.is_empty());
        assert!(!below.iter().any(|source| has(source)));
    }

    #[test]
    fn features_that_all_tests_enable_add_no_set() {
        let itself = Dependency { name: "it".into(), dev: true, features: vec!["hash".into()] };
        let features = package(&["hash", "wide"]);
        let package = Package { name: "it".into(), dependencies: vec![itself], ..features };
        assert_eq!(names(&tested(&package)), ["none", "wide"]);
        assert_eq!(names(&linted(&package)), ["none", "wide"]);
        assert_eq!(names(&checked(&package)), ["none", "hash", "wide", "hash+wide"]);
    }

    #[test]
    fn code_for_absent_features_is_found() {
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
    fn conditions_on_one_feature_are_found() {
        let on_wide = |text| depends_on_alone(text, "wide");
        assert!(on_wide("#[cfg(feature = \"wide\")]"));
        assert!(on_wide("#[cfg(all(test, feature = \"wide\"))]"));
        assert!(on_wide("#[cfg(any(feature = \"wide\", feature = \"pulp\"))]"));
        assert!(on_wide("#[cfg(all(feature = \"pulp\", not(feature = \"wide\")))]"));
        assert!(!on_wide("#[cfg(all(test, feature = \"wide\", feature = \"pulp\"))]"));
        assert!(!on_wide("#[cfg(feature = \"pulp\")]"));
    }

    #[test]
    fn default_features_are_disabled() {
        let sets = checked(&package(&["std", "wide"]));
        assert_eq!(sets[0].arguments(), "--no-default-features");
        assert_eq!(sets[3].arguments(), "--no-default-features --features std,wide");
    }
}
