//! Steps of `verify`: calls of cargo, test runs, and checks of this program. A step is run, timed
//! and counted.

use std::time::Instant;

use crate::cargo::Cargo;
use crate::tally::{Results, Skipped, Tally};
use crate::workspace::Workspace;

/// The result of a check: a summary on success, otherwise its findings, one line each.
pub(crate) type Verdict = Result<String, Vec<String>>;

/// A step of `verify`.
#[derive(Debug)]
pub(crate) struct Step {
    /// The name in the table.
    pub(crate) name: String,
    work: Work,
}

#[derive(Debug)]
enum Work {
    /// Calls of cargo that must all succeed. Together they count as one test.
    Calls(Vec<Cargo>),
    /// Calls of test runners; each test counts, and a step without tests fails.
    Tests(Vec<Cargo>),
    /// A function of this program; counts as one test.
    Check(fn(&Workspace) -> Verdict),
    /// A step that this machine cannot run, with the reason.
    Skip(&'static str),
}

/// The result of a step.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The name in the table.
    pub(crate) name: String,
    /// The run time in seconds.
    pub(crate) seconds: f64,
    /// The number of passed, failed and skipped tests.
    pub(crate) tally: Tally,
    /// The summary in the table.
    pub(crate) summary: String,
    /// The skipped tests.
    pub(crate) skipped: Vec<Skipped>,
}

impl Step {
    /// Creates a step of calls that must all succeed.
    pub(crate) fn calls(name: impl Into<String>, calls: impl IntoIterator<Item = Cargo>) -> Self {
        Self { name: name.into(), work: Work::Calls(calls.into_iter().collect()) }
    }

    /// Creates a step of `cargo test` calls; the arguments for the test runners are added here.
    pub(crate) fn tests(name: impl Into<String>, calls: impl IntoIterator<Item = Cargo>) -> Self {
        let calls = calls.into_iter().map(|call| call.with("--no-fail-fast -- --show-output"));
        Self { name: name.into(), work: Work::Tests(calls.collect()) }
    }

    /// Creates a step of `cargo test --doc` calls. Without `--show-output`, rustdoc merges all
    /// examples of a crate into one program instead of building one program each.
    pub(crate) fn examples(
        name: impl Into<String>,
        calls: impl IntoIterator<Item = Cargo>,
    ) -> Self {
        let calls = calls.into_iter().map(|call| call.with("--no-fail-fast"));
        Self { name: name.into(), work: Work::Tests(calls.collect()) }
    }

    /// Excludes the tests with `tests` in their names; another step runs them.
    pub(crate) fn skipping(mut self, tests: &str) -> Self {
        if let Work::Tests(calls) = &mut self.work {
            calls.iter_mut().for_each(|call| *call = call.clone().with("--skip").with(tests));
        }
        self
    }

    /// Creates a step that runs a function.
    pub(crate) fn check(name: impl Into<String>, check: fn(&Workspace) -> Verdict) -> Self {
        Self { name: name.into(), work: Work::Check(check) }
    }

    /// Creates a step that is skipped for a reason.
    pub(crate) fn skip(name: impl Into<String>, why: &'static str) -> Self {
        Self { name: name.into(), work: Work::Skip(why) }
    }

    /// Runs all calls even after a failure. Prints failures and the closing lines of test runners.
    pub(crate) fn run(self, workspace: &Workspace) -> Outcome {
        let start = Instant::now();
        let mut skipped = Vec::new();
        let (tally, summary) = match self.work {
            Work::Calls(calls) => {
                let failed = calls.iter().filter(|&call| !call_succeeds(workspace, call)).count();
                let summary = match (calls.len(), failed) {
                    (1, _) => String::new(),
                    (all, 0) => format!("{all} calls"),
                    (all, failed) => format!("{failed} of {all} calls failed"),
                };
                (one(failed == 0), summary)
            }
            Work::Tests(calls) => {
                let mut tally = Tally::default();
                for call in &calls {
                    let results = test(workspace, call);
                    tally += results.tally;
                    skipped.extend(results.skipped);
                }
                if tally == Tally::default() {
                    println!("{}: no tests were run", self.name);
                    tally += one(false);
                }
                (tally, format!("{} tests", tally.passed + tally.failed + tally.skipped))
            }
            Work::Check(check) => match check(workspace) {
                Ok(summary) => (one(true), summary),
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
        Outcome { name: self.name, seconds: start.elapsed().as_secs_f64(), tally, summary, skipped }
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
        // Count a failure if no runner reported one: the build failed, or a runner aborted before
        // its closing line.
        if results.tally.failed == 0 {
            results.tally += one(false);
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{Cargo, Step, Tally, Workspace};

    fn empty_workspace() -> Workspace {
        Workspace { root: env!("CARGO_MANIFEST_DIR").into(), packages: Vec::new() }
    }

    #[test]
    fn a_step_of_several_calls_counts_as_one_test() {
        let good = Cargo::new("--version");
        let bad = Cargo::new("no-such-command-of-cargo");
        let outcome = Step::calls("good", [good.clone(), good.clone()]).run(&empty_workspace());
        assert_eq!((outcome.tally.passed, outcome.tally.failed), (1, 0));
        let outcome = Step::calls("bad", [bad, good]).run(&empty_workspace());
        assert_eq!((outcome.tally.passed, outcome.tally.failed), (0, 1));
        assert_eq!(outcome.summary, "1 of 2 calls failed");
    }

    #[test]
    fn tests_that_do_not_build_are_a_failure() {
        let outcome =
            Step::tests("t", [Cargo::new("test -p no-such-package")]).run(&empty_workspace());
        assert_eq!(outcome.tally, Tally { failed: 1, ..Tally::default() });
    }

    #[test]
    fn a_step_without_a_test_is_a_failure() {
        let outcome = Step::tests("t", []).run(&empty_workspace());
        assert_eq!(outcome.tally, Tally { failed: 1, ..Tally::default() });
    }

    #[test]
    fn findings_of_checks_are_counted() {
        let bad =
            Step::check("c", |_| Err(vec!["one".into(), "two".into()])).run(&empty_workspace());
        assert_eq!((bad.tally.failed, bad.summary.as_str()), (1, "2 findings"));
        let good = Step::check("c", |_| Ok("7 files".into())).run(&empty_workspace());
        assert_eq!((good.tally.passed, good.summary.as_str()), (1, "7 files"));
    }

    #[test]
    fn skipped_steps_are_neither_passed_nor_failed() {
        let outcome = Step::skip("s", "no such cpu").run(&empty_workspace());
        assert_eq!(outcome.tally, Tally { skipped: 1, ..Tally::default() });
        assert_eq!(outcome.skipped.len(), 1);
    }
}
