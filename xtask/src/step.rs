//! One step of `verify`: calls of cargo, or a check written here; run, timed, judged.

use std::time::Instant;

use crate::cargo::Cargo;
use crate::tally::{Results, Skipped, Tally};
use crate::workspace::Workspace;

/// What a check found: a few words if all is well, else what is wrong, one finding a line.
pub(crate) type Verdict = Result<String, Vec<String>>;

/// A step, not yet run.
#[derive(Debug)]
pub(crate) struct Step {
    /// Its name in the table.
    pub(crate) name: String,
    work: Work,
}

#[derive(Debug)]
enum Work {
    /// Succeeds if all calls succeed; counts as one.
    Calls(Vec<Cargo>),
    /// Test runners; every test counts as one, and it is a failure if there are none.
    Tests(Vec<Cargo>),
    /// Counts as one.
    Check(fn(&Workspace) -> Verdict),
    /// Cannot run here.
    Skip(&'static str),
}

/// What became of a step.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Its name in the table.
    pub(crate) name: String,
    /// How long it took.
    pub(crate) seconds: f64,
    /// What it counts for.
    pub(crate) tally: Tally,
    /// A few words for the table.
    pub(crate) words: String,
    /// The tests that could not run here.
    pub(crate) skipped: Vec<Skipped>,
}

impl Step {
    /// Calls of cargo that all must succeed.
    pub(crate) fn calls(name: impl Into<String>, calls: impl IntoIterator<Item = Cargo>) -> Self {
        Self { name: name.into(), work: Work::Calls(calls.into_iter().collect()) }
    }

    /// Calls of `cargo test`, without the arguments for the test runners.
    pub(crate) fn tests(name: impl Into<String>, calls: impl IntoIterator<Item = Cargo>) -> Self {
        let calls = calls.into_iter().map(|call| call.with("--no-fail-fast -- --show-output"));
        Self { name: name.into(), work: Work::Tests(calls.collect()) }
    }

    /// Calls of `cargo test --doc`. Their output is not shown, so that rustdoc makes one program of
    /// all examples of a crate, instead of one of each.
    pub(crate) fn examples(
        name: impl Into<String>,
        calls: impl IntoIterator<Item = Cargo>,
    ) -> Self {
        let calls = calls.into_iter().map(|call| call.with("--no-fail-fast"));
        Self { name: name.into(), work: Work::Tests(calls.collect()) }
    }

    /// The same without the tests that have this in their names: another step runs them.
    pub(crate) fn skipping(mut self, tests: &str) -> Self {
        if let Work::Tests(calls) = &mut self.work {
            calls.iter_mut().for_each(|call| *call = call.clone().with("--skip").with(tests));
        }
        self
    }

    /// A check written here.
    pub(crate) fn check(name: impl Into<String>, check: fn(&Workspace) -> Verdict) -> Self {
        Self { name: name.into(), work: Work::Check(check) }
    }

    /// A step that cannot run here.
    pub(crate) fn skip(name: impl Into<String>, why: &'static str) -> Self {
        Self { name: name.into(), work: Work::Skip(why) }
    }

    /// Runs all of it, whatever fails, printing failures and the test runners' closing lines.
    pub(crate) fn run(self, workspace: &Workspace) -> Outcome {
        let start = Instant::now();
        let mut skipped = Vec::new();
        let (tally, words) = match self.work {
            Work::Calls(calls) => {
                let failed = calls.iter().filter(|&call| !call_succeeds(workspace, call)).count();
                let words = match (calls.len(), failed) {
                    (1, _) => String::new(),
                    (all, 0) => format!("{all} calls"),
                    (all, failed) => format!("{failed} of {all} calls failed"),
                };
                (one(failed == 0), words)
            }
            Work::Tests(calls) => {
                let mut tally = Tally::default();
                for call in &calls {
                    let results = test(workspace, call);
                    tally += results.tally;
                    skipped.extend(results.skipped);
                }
                if tally == Tally::default() {
                    println!("{}: there are no such tests", self.name);
                    tally += one(false);
                }
                (tally, format!("{} tests", tally.passed + tally.failed + tally.skipped))
            }
            Work::Check(check) => match check(workspace) {
                Ok(words) => (one(true), words),
                Err(findings) => {
                    findings.iter().for_each(|finding| println!("{finding}"));
                    (one(false), format!("{} findings", findings.len()))
                }
            },
            Work::Skip(why) => {
                skipped.push(Skipped { name: self.name.clone(), why: why.to_owned() });
                (Tally { skipped: 1, ..Tally::default() }, why.to_owned())
            }
        };
        Outcome { name: self.name, seconds: start.elapsed().as_secs_f64(), tally, words, skipped }
    }
}

fn one(passed: bool) -> Tally {
    Tally { passed: passed.into(), failed: (!passed).into(), skipped: 0 }
}

fn call_succeeds(workspace: &Workspace, call: &Cargo) -> bool {
    match call.capture(&workspace.root) {
        Ok(output) if output.success => true,
        Ok(output) => {
            println!("{call}\n{}", output.text.trim_end());
            false
        }
        Err(why) => {
            println!("{call}\n{why}");
            false
        }
    }
}

fn test(workspace: &Workspace, call: &Cargo) -> Results {
    let output = match call.capture(&workspace.root) {
        Ok(output) => output,
        Err(why) => {
            println!("{call}\n{why}");
            return Results { tally: one(false), ..Results::default() };
        }
    };
    let mut results = Results::read(&output.text);
    if output.success {
        results.closing.iter().for_each(|line| println!("{line}"));
    } else {
        println!("{call}\n{}", output.text.trim_end());
        // It did not build, or a runner died before it could count.
        if results.tally.failed == 0 {
            results.tally += one(false);
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{Cargo, Step, Tally, Workspace};

    fn nowhere() -> Workspace {
        Workspace { root: env!("CARGO_MANIFEST_DIR").into(), packages: Vec::new() }
    }

    #[test]
    fn a_step_counts_as_one_however_many_calls_it_makes() {
        let good = Cargo::new("--version");
        let bad = Cargo::new("no-such-command-of-cargo");
        let outcome = Step::calls("good", [good.clone(), good.clone()]).run(&nowhere());
        assert_eq!((outcome.tally.passed, outcome.tally.failed), (1, 0));
        let outcome = Step::calls("bad", [bad, good]).run(&nowhere());
        assert_eq!((outcome.tally.passed, outcome.tally.failed), (0, 1));
        assert_eq!(outcome.words, "1 of 2 calls failed");
    }

    #[test]
    fn tests_that_do_not_even_build_are_a_failure() {
        let outcome = Step::tests("t", [Cargo::new("test -p no-such-package")]).run(&nowhere());
        assert_eq!(outcome.tally, Tally { failed: 1, ..Tally::default() });
    }

    #[test]
    fn a_step_without_a_test_is_a_failure() {
        let outcome = Step::tests("t", []).run(&nowhere());
        assert_eq!(outcome.tally, Tally { failed: 1, ..Tally::default() });
    }

    #[test]
    fn checks_say_what_they_find() {
        let bad = Step::check("c", |_| Err(vec!["one".into(), "two".into()])).run(&nowhere());
        assert_eq!((bad.tally.failed, bad.words.as_str()), (1, "2 findings"));
        let good = Step::check("c", |_| Ok("7 files".into())).run(&nowhere());
        assert_eq!((good.tally.passed, good.words.as_str()), (1, "7 files"));
    }

    #[test]
    fn what_cannot_run_is_neither_passed_nor_failed() {
        let outcome = Step::skip("s", "no such cpu").run(&nowhere());
        assert_eq!(outcome.tally, Tally { skipped: 1, ..Tally::default() });
        assert_eq!(outcome.skipped.len(), 1);
    }
}
