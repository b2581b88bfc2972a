//! Paths of criterion's estimates, and reading the median and its spread from them.

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

/// The time of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// The median, in nanoseconds.
    pub(crate) median: f64,
    /// The median absolute deviation, as computed by criterion, divided by the median.
    pub(crate) spread: f64,
}

/// Returns the estimate in a file; `None` if nothing was measured.
pub(crate) fn read(file: &Path) -> Option<Estimate> {
    parse(&fs::read(file).ok()?)
}

/// Parses the estimate in the JSON of criterion.
fn parse(json: &[u8]) -> Option<Estimate> {
    let estimates: Value = serde_json::from_slice(json).ok()?;
    let number = |name: &str| estimates[name]["point_estimate"].as_f64();
    let median = number("median")?;
    Some(Estimate { median, spread: number("median_abs_dev")? / median })
}

#[cfg(test)]
mod tests {
    use super::{Estimate, folder_name, home_of, parse, read};
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
        assert_eq!(read(Path::new("no/such/estimates.json")), None);
    }

    #[test]
    fn the_spread_is_relative_to_the_median() {
        let json = br#"{ "mean": { "point_estimate": 9.0 }, "median": { "point_estimate": 8.0 },
            "median_abs_dev": { "point_estimate": 0.5, "standard_error": 1.0 } }"#;
        assert_eq!(parse(json), Some(Estimate { median: 8.0, spread: 0.0625 }));
    }
}
