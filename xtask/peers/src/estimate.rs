//! Paths of criterion's estimates, and reading the median from them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

/// Returns the folder of criterion's results: `CRITERION_HOME`, or `criterion` in the target folder
/// of this program.
pub(crate) fn home() -> PathBuf {
    if let Some(home) = env::var_os("CRITERION_HOME") {
        return home.into();
    }
    target_folder().join("criterion")
}

/// Returns the target folder in which this program was built. If the program was copied elsewhere,
/// returns the folder `hexphase` in the folder of temporary files.
#[must_use]
pub fn target_folder() -> PathBuf {
    target_folder_of(&env::current_exe().unwrap_or_default())
}

fn target_folder_of(program: &Path) -> PathBuf {
    // target/<profile>/deps/<program>
    let folders: Vec<&Path> = program.ancestors().skip(1).take(3).collect();
    match folders[..] {
        [deps, _, target] if deps.ends_with("deps") => target.to_path_buf(),
        _ => env::temp_dir().join("hexphase"),
    }
}

/// Replaces the characters that criterion replaces in file names, so that the folder of a
/// measurement is known in advance.
///
/// # Panics
/// Panics if criterion would truncate the name.
pub(crate) fn folder_name(name: &str) -> String {
    assert!(name.len() <= 64, "criterion cuts names of more than 64 bytes: {name}");
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_.,+".contains(c) { c } else { '_' };
    name.chars().map(keep).collect()
}

/// Returns the file with the estimates of one measurement.
pub(crate) fn file(home: &Path, group: &str, id: &str) -> PathBuf {
    home.join(group).join(id).join("new").join("estimates.json")
}

/// Returns the median nanoseconds of one run; `None` if it was not measured.
pub(crate) fn median(file: &Path) -> Option<f64> {
    let estimates: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

#[cfg(test)]
mod tests {
    use super::{folder_name, median, target_folder_of};
    use std::path::Path;

    #[test]
    fn special_characters_are_replaced() {
        assert_eq!(folder_name("discs:10000/hash avx2"), "discs_10000_hash_avx2");
        assert_eq!(folder_name("query-4,096_x.y+z"), "query-4,096_x.y+z");
    }

    #[test]
    #[should_panic(expected = "more than 64 bytes")]
    fn too_long_names_panic() {
        folder_name(&"x".repeat(65));
    }

    #[test]
    fn a_copied_program_has_a_folder_of_its_own() {
        let built = Path::new("/home/target/release/deps/hshg-0123");
        assert_eq!(target_folder_of(built), Path::new("/home/target"));
        for copied in ["/hshg", "/opt/hshg", "/opt/some/where/hshg"] {
            assert!(target_folder_of(Path::new(copied)).ends_with("hexphase"), "{copied}");
        }
    }

    #[test]
    fn a_missing_file_has_no_median() {
        assert_eq!(median(Path::new("no/such/estimates.json")), None);
    }
}
