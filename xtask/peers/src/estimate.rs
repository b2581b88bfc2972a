//! Paths of criterion's estimates, and reading the median from them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

/// Returns the folder of criterion's results: `CRITERION_HOME`, or `criterion` in the target folder
/// of this program; if the program was copied elsewhere, in a folder of temporary files.
pub(crate) fn home() -> PathBuf {
    env::var_os("CRITERION_HOME")
        .map_or_else(|| home_of(&env::current_exe().unwrap_or_default()), PathBuf::from)
}

fn home_of(program: &Path) -> PathBuf {
    // target/<profile>/deps/<program>
    let folders: Vec<&Path> = program.ancestors().skip(1).take(3).collect();
    match folders[..] {
        [deps, _, target] if deps.ends_with("deps") => target.join("criterion"),
        _ => env::temp_dir().join("hexphase/criterion"),
    }
}

/// Replaces the characters that criterion replaces in file names, so that the folder of a
/// measurement is known in advance.
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
    use super::{folder_name, home_of, median};
    use std::path::Path;

    #[test]
    fn folders_are_those_of_criterion() {
        assert_eq!(folder_name("discs:10000/hash avx2"), "discs_10000_hash_avx2");
        assert_eq!(folder_name("query-4,096_x.y+z"), "query-4,096_x.y+z");
        let built = Path::new("/home/target/release/deps/hshg-0123");
        assert_eq!(home_of(built), Path::new("/home/target/criterion"));
        for copied in ["/hshg", "/opt/hshg", "/opt/some/where/hshg"] {
            assert!(home_of(Path::new(copied)).ends_with("hexphase/criterion"), "{copied}");
        }
        assert_eq!(median(Path::new("no/such/estimates.json")), None);
    }
}
