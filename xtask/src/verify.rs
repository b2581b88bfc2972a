//! `cargo xtask verify`: runs all checks that a change must pass.
//!
//! 1. Build the list of [`Step`]s: the quick ones, all, or those of the programs outside the
//!    workspace.
//! 2. Run every step, even after a failure, two at a time: one that runs the tests, and one that
//!    uses another target folder. Each test counts as one; a step of another kind also counts as
//!    one.
//! 3. Print a table of the steps and skipped tests (`report.rs`). The last line is `N passed, N
//!    failed`, and `, N skipped` if tests were skipped.

use core::iter::from_fn;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::io::Write as _;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use clap::Args;

use crate::cargo::Cargo;
use crate::cross::Target;
use crate::features::{arguments, checked, tested};
use crate::report::report;
use crate::step::Step;
use crate::workspace::{Package, Workspace};
use crate::{
    dependencies, doc_examples, markdown, messages, programs, python, readme, supply, tidy, web,
};

/// Part of the names of the tests that compare results with golden hashes, for every backend,
/// structure and number type, in the facade and in the command line.
const EQUIVALENCE: &str = "golden::";

/// Parts of the names of the slowest tests, which the quick steps leave out.
const SLOW: [&str; 5] = [EQUIVALENCE, "allocation::", "memory::", "polygon", "threads::"];

/// The call that tests the whole workspace with all features. As one call, it compiles no crate
/// twice with different features.
// `xtask` is excluded because it shares dependencies with procedural macros, but with other
// features. Otherwise cargo would compile the macros and their users once for tests and once for
// examples.
const WHOLE: &str = "test --locked --workspace --exclude xtask --all-features";

/// The tests of this program.
const XTASK: &str = "test --locked -p xtask --bins";

/// The target folder of the steps that run beside the tests. Cargo locks a target folder during a
/// call.
const LINTS: &str = "target/lints";

/// The folders of the packages outside the workspace: their dependencies take long to compile.
/// Each has its own lock file.
pub(crate) const EXTRA: [&str; 3] = ["facade/parquet", "facade/wire", "xtask/fuzz"];

/// The package of the engine for tables, outside the workspace because it takes half an hour
/// to compile on two cores.
const ENGINE: &str = "facade/datafusion";

/// The plugin for Bevy, outside the workspace because Bevy needs a later Rust.
const BEVY: &str = "facade/bevy";

/// The example of worker processes, a member of the workspace of [`ENGINE`].
const CLUSTER: &str = "facade/datafusion/cluster";

/// The steps to run: all steps of the workspace, unless one of these is set.
#[derive(Args, Clone, Debug)]
pub(crate) struct Scope {
    /// Run only formatting, house rules, lints, and the tests of libraries without the slowest, with
    /// a tenth of the random examples.
    #[arg(long)]
    quick: bool,
    /// Lint and test only the programs outside the workspace.
    #[arg(long, conflicts_with = "quick")]
    extra: bool,
    /// Lint and test only facade/datafusion, whose engine takes 10 minutes to compile.
    #[arg(long, conflicts_with_all = ["quick", "extra"])]
    engine: bool,
    /// Run golden hashes, laws and tests of numbers on another CPU; needs packages of Debian, which
    /// are named if they are missing. May be given several times.
    #[arg(long, value_name = "TARGET", conflicts_with_all = ["quick", "extra", "engine"])]
    cross: Vec<Target>,
    /// Check only licences, lowest versions of dependencies, pairs of features, and the public API.
    #[arg(long, conflicts_with_all = ["quick", "extra", "engine", "cross"])]
    supply: bool,
    /// Test only facade/web: its Rust code, the npm package in Node, and the page in Chromium.
    #[arg(long, conflicts_with_all = ["quick", "extra", "engine", "cross", "supply"])]
    web: bool,
    /// Lint and test only facade/bevy, also with gizmos.
    #[arg(long, conflicts_with_all = ["quick", "extra", "engine", "cross", "supply", "web"])]
    bevy: bool,
    /// Lint and test only facade/python, in a virtual environment; needs Python 3.10.
    #[arg(long)]
    #[arg(conflicts_with_all = ["quick", "extra", "engine", "cross", "supply", "web", "bevy"])]
    python: bool,
}

/// Runs all steps and prints the report. Returns whether all passed.
pub(crate) fn verify(workspace: &Workspace, scope: &Scope) -> bool {
    let start = Instant::now();
    let steps = match scope {
        Scope { quick: true, .. } => quick_steps(),
        Scope { extra: true, .. } => extra_steps(),
        Scope { engine: true, .. } => engine_steps(),
        Scope { cross, .. } if !cross.is_empty() => {
            cross.iter().flat_map(|target| target.steps(workspace)).collect()
        }
        Scope { supply: true, .. } => supply::steps(workspace),
        Scope { web: true, .. } => web_steps(workspace),
        Scope { bevy: true, .. } => outside(BEVY).into(),
        Scope { python: true, .. } => python_steps(),
        _ => all_steps(workspace),
    };
    let (count, begun) = (steps.len(), AtomicUsize::new(0));
    let outcomes = two_at_a_time(steps, |step| {
        println!("[{}/{count}] {}", begun.fetch_add(1, Relaxed) + 1, step.name);
        let _ = std::io::stdout().flush();
        step.run(workspace)
    });
    let (text, total) = report(&outcomes, start.elapsed());
    print!("\n{text}");
    total.failed == 0
}

/// Calls a function with each item on two threads; each thread takes the next item when it is idle.
/// Returns the results in the order of the items.
pub(crate) fn two_at_a_time<T: Send, R: Send>(
    items: Vec<T>,
    run: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let left = Mutex::new(items.into_iter().enumerate());
    let run_rest = || {
        let next = || left.lock().expect("taking an item does not panic").next();
        from_fn(next).map(|(number, item)| (number, run(item))).collect::<Vec<_>>()
    };
    let mut results = thread::scope(|scope| {
        let other = scope.spawn(run_rest);
        let mut results = run_rest();
        results.extend(other.join().expect("a step panicked"));
        results
    });
    results.sort_by_key(|&(number, _)| number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Returns the steps that take a minute and a half on two cores once everything is compiled.
fn quick_steps() -> Vec<Step> {
    // All packages, so that nothing is compiled with other features; not the tests of programs.
    let tests = Cargo::new(WHOLE).with("--lib --bins --test all --test laws --test worlds");
    let tests = Step::tests("tests", [tests.variable("HEXPHASE_EXAMPLES", "0.1")]);
    let tests = SLOW.into_iter().fold(tests, Step::skipping);
    vec![format(), Step::check("house rules", tidy::check), tests, lints()]
}

/// Returns all steps: first the steps that use other target folders than the tests, then the steps
/// that use the programs built for the tests.
fn all_steps(workspace: &Workspace) -> Vec<Step> {
    let mut steps = vec![
        format(),
        Step::check("house rules", tidy::check),
        Step::tests("tests", [all_tests(), Cargo::new(XTASK)]).skipping(EQUIVALENCE),
        lints(),
    ];
    steps.extend(workspace.libraries().map(feature_lints));
    steps.extend([wide_as_avx2(), documentation(workspace), no_std()]);
    steps.push(Step::check("links", markdown::check_links));
    steps.push(Step::check("dependencies", dependencies::check));
    steps.push(Step::tests("backend equivalence", [all_tests().with(EQUIVALENCE)]));
    steps.extend([benchmarks(), Step::check("readme commands", readme::check)]);
    steps.extend(workspace.libraries().filter_map(feature_tests));
    steps.extend([doc_tests(), Step::check("example programs", programs::run_examples)]);
    steps.push(Step::check("documentation examples as shown", doc_examples::check));
    steps.push(Step::check("compiler messages", messages::check));
    steps
}

fn format() -> Step {
    let outside = ["xtask/no-std", "xtask/messages", ENGINE, CLUSTER].into_iter().chain(EXTRA);
    let outside =
        outside.map(|folder| Cargo::new("fmt --check --manifest-path").with(&manifest(folder)));
    Step::calls("format", [Cargo::new("fmt --all --check")].into_iter().chain(outside))
}

/// Lints and tests each program outside the workspace, also its documentation.
fn extra_steps() -> Vec<Step> {
    EXTRA.into_iter().flat_map(outside).collect()
}

fn web_steps(workspace: &Workspace) -> Vec<Step> {
    outside(web::FOLDER).into_iter().chain(web::steps(workspace)).collect()
}

/// Lints facade/python, whose tests are run by Python.
fn python_steps() -> Vec<Step> {
    let [lints, _] = outside(python::FOLDER);
    let format = Cargo::new("fmt --check --manifest-path").with(&manifest(python::FOLDER));
    let format = Step::calls(format!("{}: format", python::FOLDER), [format]);
    [format, lints].into_iter().chain(python::steps()).collect()
}

/// Lints and tests a package outside the workspace.
fn outside(folder: &str) -> [Step; 2] {
    let call = |command: &str| {
        Cargo::new(command)
            .with("--locked --target-dir target/extra --manifest-path")
            .with(&manifest(folder))
    };
    let features = if folder == BEVY { "--all-features" } else { "" };
    let lints = call("clippy --all-targets").with(features).with("-- -D warnings");
    [
        Step::calls(format!("{folder}: lints"), [lints]),
        Step::tests(format!("{folder}: tests"), [call("test")]),
    ]
}

/// Returns the path of the manifest in a folder.
pub(crate) fn manifest(folder: &str) -> String {
    format!("{folder}/Cargo.toml")
}

/// Lints the workspace with all features, and the command line alone with only the features that
/// its manifest enables.
fn lints() -> Step {
    Step::calls(
        "lints",
        [lint("--workspace --all-targets --all-features"), lint("-p hexphase-cli")],
    )
}

/// Returns a call of clippy. All calls have the same flags, so cargo reuses earlier builds.
pub(crate) fn lint(what: &str) -> Cargo {
    Cargo::new("clippy --locked --target-dir").with(LINTS).with(what).with("-- -D warnings")
}

/// Returns the call that runs all tests with all features, and builds the programs they start.
pub(crate) fn all_tests() -> Cargo {
    Cargo::new(WHOLE).with("--lib --bins --tests")
}

/// Returns the call that builds the example programs, with the libraries that the tests use.
pub(crate) fn examples() -> Cargo {
    Cargo::new(&WHOLE.replacen("test", "build --profile test", 1)).with("--examples")
}

fn doc_tests() -> Step {
    Step::examples("documentation examples", Cargo::new(WHOLE).with("--doc"))
}

/// Lints the library alone with each set, so that dev-dependencies enable no features, and all
/// targets without features. The step `lints` lints all targets with all features.
fn feature_lints(package: &Package) -> Step {
    let name = &package.name;
    let library = checked(package).into_iter().map(|set| ("--lib", set));
    let calls = library
        .chain([("--all-targets", String::new())])
        .map(|(targets, set)| lint(&format!("-p {name} {targets} {}", arguments(&set))));
    Step::calls(format!("features of {name}: lints"), calls)
}

/// Tests the feature sets of a package; [`WHOLE`] tests all features together.
fn feature_tests(package: &Package) -> Option<Step> {
    let sets: Vec<_> = tested(package).collect();
    let calls = sets.iter().map(|set| {
        let call = Cargo::new("test --locked --lib --tests -p").argument(&package.name);
        call.with(&arguments(set))
    });
    let name = format!("features of {}: tests ({sets:?})", package.name);
    (!sets.is_empty()).then(|| Step::tests(name, calls))
}

/// Tests the backend `wide` compiled for AVX2. Its instructions are selected at compile time, and
/// all other steps compile it for the baseline CPU.
fn wide_as_avx2() -> Step {
    let name = "backend equivalence: wide compiled for avx2";
    if !runs_x86_64_v3() {
        return Step::skip(name, "this cpu is not x86-64-v3");
    }
    let tests = Cargo::new("test --locked --lib --tests -p simd-lanes --no-default-features")
        .with("--features wide --target-dir target/x86-64-v3")
        // This variable takes precedence over all other sources of compiler flags.
        .variable("CARGO_ENCODED_RUSTFLAGS", "-Ctarget-cpu=x86-64-v3");
    Step::tests(name, [tests])
}

fn runs_x86_64_v3() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        has!("avx2")
            && has!("bmi1")
            && has!("bmi2")
            && has!("f16c")
            && has!("fma")
            && has!("lzcnt")
            && has!("movbe")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Builds the documentation. Without private items, links from public to private items are errors;
/// with private items, their links are checked; of the facade with default features, links to items
/// that require another feature are errors.
fn documentation(workspace: &Workspace) -> Step {
    let doc = |what: &str| {
        Cargo::new("doc --locked --no-deps --target-dir")
            .with(LINTS)
            .with(what)
            .variable("CARGO_ENCODED_RUSTDOCFLAGS", "-Dwarnings")
    };
    let libraries: Vec<String> =
        workspace.libraries().map(|package| format!("-p {}", package.name)).collect();
    let public = "--workspace --all-features";
    let private = libraries.join(" ") + " --all-features --document-private-items";
    Step::calls("documentation", [doc(public), doc(&private), doc("-p hexphase")])
}

/// Checks `xtask/no-std`, which has a panic handler. If a library linked std, there would be two
/// panic handlers and the check would fail. A build finds no further use of std, because the package
/// is a static library, which is not linked. It is outside the workspace because it needs
/// `panic = "abort"`.
fn no_std() -> Step {
    let call = || {
        let options = "--locked --manifest-path xtask/no-std/Cargo.toml --target-dir target/no-std";
        Cargo::new("check").with(options)
    };
    Step::calls("no_std", [call(), call().with("--features simd")])
}

/// Checks `facade/datafusion`, which is outside the workspace because `DataFusion` takes long to
/// compile: the functions alone, then all features, with the example of worker processes. All are
/// compiled together, so that they share one `DataFusion`.
fn engine_steps() -> Vec<Step> {
    let call = |command: &str| {
        Cargo::new(command)
            .with("--manifest-path facade/datafusion/Cargo.toml --target-dir target/engine")
            .with("--locked")
    };
    let all = "--all-targets --workspace --all-features";
    vec![
        Step::calls(
            "engine: lints",
            ["--lib", all].map(|what| call("clippy").with(what).with("-- -D warnings")),
        ),
        Step::tests("engine: tests", [call("test").with(all)]),
        Step::examples(
            "engine: documentation examples",
            call("test --doc --workspace --all-features"),
        ),
    ]
}

/// Runs every benchmark once, untimed; each checks its result.
fn benchmarks() -> Step {
    Step::calls("benchmarks", [Cargo::new(WHOLE).with("--bench *")])
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::two_at_a_time;

    #[test]
    fn two_items_run_at_the_same_time_and_results_are_in_order() {
        // The first two calls wait for each other.
        let both = Barrier::new(2);
        let run = |item: u32| {
            if item < 2 {
                both.wait();
            }
            item * 10
        };
        assert_eq!(two_at_a_time((0..9).collect(), run), [0, 10, 20, 30, 40, 50, 60, 70, 80]);
        assert!(two_at_a_time(Vec::new(), run).is_empty());
    }
}
