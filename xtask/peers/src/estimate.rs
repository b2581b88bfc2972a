//! Where criterion keeps its estimates, and how the median is read from them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

/// The folder of criterion's results: `CRITERION_HOME`, or `criterion` in the target folder this
/// program was built in.
pub(crate) fn home() -> PathBuf {
    if let Some(home) = env::var_os("CRITERION_HOME") {
        return home.into();
    }
    target_folder().join("criterion")
}

/// The target folder that this program was built in.
#[must_use]
pub fn target_folder() -> PathBuf {
    // target/<profile>/deps/<program>
    let program = env::current_exe().unwrap_or_default();
    program.ancestors().nth(3).unwrap_or(Path::new("target")).to_path_buf()
}

/// A name that is its own file name, so that the folder of a measurement is known beforehand.
///
/// # Panics
/// If it is longer than criterion keeps.
pub(crate) fn folder_name(name: &str) -> String {
    assert!(name.len() <= 64, "criterion cuts names of more than 64 bytes: {name}");
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_.,+".contains(c) { c } else { '_' };
    name.chars().map(keep).collect()
}

/// The file of one measurement's estimates.
pub(crate) fn file(home: &Path, group: &str, id: &str) -> PathBuf {
    home.join(group).join(id).join("new").join("estimates.json")
}

/// The median nanoseconds of one run, or nothing if it was not measured.
pub(crate) fn median(file: &Path) -> Option<f64> {
    let estimates: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

#[cfg(test)]
mod tests {
    use super::{folder_name, median};
    use std::path::Path;

    #[test]
    fn names_become_plain_file_names() {
        assert_eq!(folder_name("discs:10000/hash avx2"), "discs_10000_hash_avx2");
        assert_eq!(folder_name("query-4,096_x.y+z"), "query-4,096_x.y+z");
    }

    #[test]
    #[should_panic(expected = "more than 64 bytes")]
    fn names_that_criterion_would_cut_are_refused() {
        folder_name(&"x".repeat(65));
    }

    #[test]
    fn what_was_not_measured_has_no_median() {
        assert_eq!(median(Path::new("no/such/estimates.json")), None);
    }
}
