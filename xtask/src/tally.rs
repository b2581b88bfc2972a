//! Counting what test runners print.
//!
//! A test that cannot run here says so itself and then succeeds, in one line of its own:
//!
//! ```text
//! SKIPPED golden::navaids: HEXPHASE_SCENES is not set
//! ```
//!
//! The runner keeps that line to itself unless it is called with `--show-output`, which `verify`
//! does, but for examples; such a test is counted as skipped, not as passed.

use core::ops::AddAssign;

/// A test that could not run here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The test.
    pub(crate) name: String,
    /// What is missing.
    pub(crate) why: String,
}

/// How many passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Did what they should.
    pub(crate) passed: usize,
    /// Did not.
    pub(crate) failed: usize,
    /// Could not run here.
    pub(crate) skipped: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// What the runners in one output said.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// All tests together.
    pub(crate) tally: Tally,
    /// The tests that could not run here.
    pub(crate) skipped: Vec<Skipped>,
    /// The runners' closing lines, but for those that had nothing to do.
    pub(crate) closing: Vec<String>,
}

impl Results {
    /// Reads everything a run of `cargo test -- --show-output` printed.
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

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`
fn closing_line(line: &str) -> Option<Tally> {
    let counts = line.strip_prefix("test result: ")?;
    let count = |what: &str| {
        let before = counts.split([';', '.']).find_map(|part| part.trim().strip_suffix(what))?;
        before.trim().parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
}

/// `SKIPPED name: why`
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
    fn runners_are_added_up_and_skipped_tests_are_not_passed_ones() {
        let results = Results::read(OUTPUT);
        assert_eq!(results.tally, Tally { passed: 41, failed: 1, skipped: 2 });
        let why = "HEXPHASE_SCENES is not set".to_owned();
        assert_eq!(results.skipped, [Skipped { name: "golden::navaids".into(), why }]);
    }

    #[test]
    fn closing_lines_are_kept_as_they_are_unless_empty() {
        let closing = Results::read(OUTPUT).closing;
        assert_eq!(closing.len(), 2);
        assert!(closing.iter().all(|line| OUTPUT.lines().any(|printed| printed == line)));
    }

    #[test]
    fn other_lines_count_nothing() {
        let results = Results::read("test result: unknown\nSKIPPED\nnot SKIPPED a: b\n");
        assert_eq!(results.tally, Tally::default());
        assert!(results.skipped.is_empty() && results.closing.is_empty());
    }
}
