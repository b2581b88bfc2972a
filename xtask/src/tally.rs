//! Counts tests in the output of test runners.
//!
//! A test that cannot run on this machine prints one line and succeeds:
//!
//! ```text
//! SKIPPED golden::navaids: HEXPHASE_SCENES is not set
//! ```
//!
//! Such a test is counted as skipped, not as passed. Test runners print the line only with
//! `--show-output`; `verify` passes this option to all test runners except those of doc examples.

use core::ops::AddAssign;

/// A skipped test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The name of the test.
    pub(crate) name: String,
    /// The missing requirement.
    pub(crate) why: String,
}

/// The number of passed, failed and skipped tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Number of passed tests.
    pub(crate) passed: usize,
    /// Number of failed tests.
    pub(crate) failed: usize,
    /// Number of skipped tests.
    pub(crate) skipped: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The results of all test runners in one output.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// The total of all runners.
    pub(crate) tally: Tally,
    /// The skipped tests.
    pub(crate) skipped: Vec<Skipped>,
    /// The closing lines of the runners that ran at least one test.
    pub(crate) closing: Vec<String>,
}

impl Results {
    /// Parses the output of `cargo test -- --show-output`.
    pub(crate) fn read(output: &str) -> Self {
        let mut results = Self::default();
        for line in output.lines() {
            if let Some(tally) = closing_line(line) {
                results.tally += tally;
                if tally != Tally::default() {
                    results.closing.push(line.to_owned());
                }
            } else if let Some(skipped) = skipped_line(line) {
                results.skipped.push(skipped);
            }
        }
        let without_running = results.skipped.len().min(results.tally.passed);
        results.tally.passed -= without_running;
        results.tally.skipped += without_running;
        results
    }
}

/// Parses `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn closing_line(line: &str) -> Option<Tally> {
    let counts = line.strip_prefix("test result: ")?;
    let count = |what: &str| {
        let before = counts.split([';', '.']).find_map(|part| part.trim().strip_suffix(what))?;
        before.trim().parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
}

/// Parses `SKIPPED name: why`.
fn skipped_line(line: &str) -> Option<Skipped> {
    let (name, why) = line.strip_prefix("SKIPPED ")?.split_once(": ")?;
    Some(Skipped { name: name.to_owned(), why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{Results, Skipped, Tally};

    const OUTPUT: &str = "
     Running tests/golden.rs (target/debug/deps/golden-0123)

running 3 tests
test navaids ... ok
test discs ... ok
test mixed ... FAILED

successes:

---- navaids stdout ----
SKIPPED golden::navaids: HEXPHASE_SCENES is not set

failures:
test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.50s
";

    #[test]
    fn runners_are_summed_and_skipped_tests_are_not_passed() {
        let results = Results::read(OUTPUT);
        assert_eq!(results.tally, Tally { passed: 41, failed: 1, skipped: 2 });
        let why = "HEXPHASE_SCENES is not set".to_owned();
        assert_eq!(results.skipped, [Skipped { name: "golden::navaids".into(), why }]);
    }

    #[test]
    fn closing_lines_of_runners_with_tests_are_kept() {
        let closing = Results::read(OUTPUT).closing;
        assert_eq!(closing.len(), 2);
        assert!(closing.iter().all(|line| OUTPUT.lines().any(|printed| printed == line)));
    }

    #[test]
    fn other_lines_are_ignored() {
        let results = Results::read("test result: unknown\nSKIPPED\nnot SKIPPED a: b\n");
        assert_eq!(results.tally, Tally::default());
        assert!(results.skipped.is_empty() && results.closing.is_empty());
    }
}
