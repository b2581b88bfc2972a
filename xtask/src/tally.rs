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

/// The number of passed, failed and skipped tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Tally {
    /// Returns the tally of one test.
    pub(crate) fn one(passed: bool) -> Self {
        Self { passed: passed.into(), failed: (!passed).into(), skipped: 0 }
    }
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
    /// Names of the skipped tests, and the missing requirements: `name: why`.
    pub(crate) skipped: Vec<String>,
}

impl Results {
    /// Parses the output of `cargo test -- --show-output`.
    pub(crate) fn read(output: &str) -> Self {
        let mut results = Self::default();
        for line in output.lines() {
            if let Some(tally) = closing_line(line) {
                results.tally += tally;
            } else if let Some(skipped) = line.strip_prefix("SKIPPED ") {
                results.skipped.push(skipped.to_owned());
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

#[cfg(test)]
mod tests {
    use super::{Results, Tally};

    #[test]
    fn runners_are_summed_and_skipped_tests_are_not_passed() {
        let output = "
test discs ... ok
SKIPPED golden::navaids: HEXPHASE_SCENES is not set
not SKIPPED a: b
test result: unknown
test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.50s
";
        let results = Results::read(output);
        assert_eq!(results.tally, Tally { passed: 41, failed: 1, skipped: 2 });
        assert_eq!(results.skipped, ["golden::navaids: HEXPHASE_SCENES is not set"]);
    }
}
