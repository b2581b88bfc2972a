//! Steps of `verify`: calls of cargo, test runs, and checks of this program. A step is run, timed
//! and counted.

use std::time::Instant;

use crate::cargo::Cargo;
use crate::report::{Results, Tally};
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
    Skip(String),
}

/// The result of a step.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The name in the table.
    pub(crate) name: String,
    /// The run time in seconds.
    pub(crate) seconds: f64,
    pub(crate) tally: Tally,
    /// The summary in the table.
    pub(crate) summary: String,
    /// Names of the skipped tests, with reasons.
    pub(crate) skipped: Vec<String>,
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

    /// Creates a step of one `cargo test --doc` call. Without `--show-output`, rustdoc merges all
    /// examples of a crate into one program instead of building one program each.
    pub(crate) fn examples(name: impl Into<String>, call: Cargo) -> Self {
        Self { name: name.into(), work: Work::Tests(vec![call.with("--no-fail-fast")]) }
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
    pub(crate) fn skip(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), work: Work::Skip(why.into()) }
    }

    /// Runs all calls even after a failure. Prints the output of failed calls.
    pub(crate) fn run(self, workspace: &Workspace) -> Outcome {
        let start = Instant::now();
        let mut skipped = Vec::new();
        let (tally, summary) = match self.work {
            Work::Calls(calls) => {
                let failed = calls.iter().filter(|call| !output(workspace, call).0).count();
                let summary = match failed {
                    0 => format!("{} calls", calls.len()),
                    _ => format!("{failed} of {} calls failed", calls.len()),
                };
                (Tally::one(failed == 0), summary)
            }
            Work::Tests(calls) => {
                let (mut tally, mut hash) = (Tally::default(), String::new());
                for call in &calls {
                    let results = test(workspace, call);
                    tally += results.tally;
                    skipped.extend(results.skipped);
                    hash += &results.hash;
                }
                if tally == Tally::default() {
                    println!("{}: no tests were run", self.name);
                    tally += Tally::one(false);
                }
                let count = tally.passed + tally.failed + tally.skipped;
                (tally, format!("{count} tests{hash}"))
            }
            Work::Check(check) => match check(workspace) {
                Ok(summary) => (Tally::one(true), summary),
                Err(findings) => {
                    findings.iter().for_each(|finding| println!("{finding}"));
                    (Tally::one(false), format!("{} findings", findings.len()))
                }
            },
            Work::Skip(why) => (Tally { skipped: 1, ..Tally::default() }, why),
        };
        Outcome { name: self.name, seconds: start.elapsed().as_secs_f64(), tally, summary, skipped }
    }
}

/// Runs a call. Returns whether it succeeded, and its output, which is printed after a failure.
fn output(workspace: &Workspace, call: &Cargo) -> (bool, String) {
    let (success, text) = match call.capture(&workspace.root) {
        Ok(output) => (output.success, output.text),
        Err(why) => (false, why.to_string()),
    };
    if !success {
        println!("{call}\n{}", text.trim_end());
    }
    (success, text)
}

fn test(workspace: &Workspace, call: &Cargo) -> Results {
    let (success, text) = output(workspace, call);
    let mut results = Results::read(&text);
    if !success && results.tally.failed == 0 {
        // The build failed, or a runner aborted before its closing line.
        results.tally += Tally::one(false);
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{Cargo, Step, Workspace};

    #[test]
    fn steps_count_failures() {
        let [good, bad] = ["--version", "no-such-command-of-cargo"].map(Cargo::new);
        let missing = Cargo::new("test -p no-such-package");
        let workspace = Workspace { root: env!("CARGO_MANIFEST_DIR").into(), packages: Vec::new() };
        for (step, expected, summary) in [
            (Step::calls("good", [good.clone(), good.clone()]), (1, 0, 0), "2 calls"),
            (Step::calls("bad", [bad, good]), (0, 1, 0), "1 of 2 calls failed"),
            (Step::tests("not built", [missing]), (0, 1, 0), "1 tests"),
            (Step::tests("no tests", []), (0, 1, 0), "1 tests"),
            (Step::check("bad", |_| Err(vec![String::new(); 2])), (0, 1, 0), "2 findings"),
            (Step::check("good", |_| Ok("7 files".into())), (1, 0, 0), "7 files"),
            (Step::skip("skipped", "no such cpu"), (0, 0, 1), "no such cpu"),
        ] {
            let outcome = step.run(&workspace);
            let tally = outcome.tally;
            assert_eq!((tally.passed, tally.failed, tally.skipped), expected, "{}", outcome.name);
            assert_eq!(outcome.summary, summary, "{}", outcome.name);
        }
    }
}
