//! `cargo xtask verify`: the one definition of green.
//!
//! Every step runs, whatever failed before. Every test counts as one and so does every step that
//! is not a test; the last line is `N passed, N failed`, and `, N skipped` if there are any.
//!
//! A test that needs a large scene file looks in the folder that `HEXPHASE_SCENES` names. Without
//! it the test prints one line and succeeds; the line makes it a row of the table:
//!
//! ```text
//! println!("SKIPPED {name}: {why}");      // SKIPPED golden::navaids: HEXPHASE_SCENES is not set
//! ```

use std::io::Write as _;

use crate::cargo::Cargo;
use crate::features::{checked, linted, tested};
use crate::report::report;
use crate::step::Step;
use crate::workspace::{Package, Workspace};
use crate::{dependencies, links, readme, tidy};

/// The tests that compare every backend, structure and scalar with one answer: those of worlds, and
/// those of the command line.
const EQUIVALENCE: &str = "golden::";

/// Everything is built as parts of one whole, so that no crate is built twice because some of
/// those that need it want more features of it.
// Without `xtask`: it needs crates that procedural macros need, too, with other features. With it,
// cargo would compile the macros, and with them most crates, once for tests and once for examples.
const WHOLE: &str = "test --locked --workspace --exclude xtask --all-features";

/// The tests of this program.
const XTASK: &str = "test --locked -p xtask --bins";

/// Runs all steps and prints the report; whether nothing failed.
pub(crate) fn verify(workspace: &Workspace, quick: bool) -> bool {
    let steps = if quick { quick_steps() } else { all_steps(workspace) };
    let count = steps.len();
    let mut outcomes = Vec::new();
    for (index, step) in steps.into_iter().enumerate() {
        println!("[{}/{count}] {}", index + 1, step.name);
        let _ = std::io::stdout().flush();
        outcomes.push(step.run(workspace));
    }
    let (text, total) = report(&outcomes);
    print!("\n{text}");
    total.failed == 0
}

fn quick_steps() -> Vec<Step> {
    let mut steps = first_steps();
    steps.extend(workspace_tests());
    steps
}

fn all_steps(workspace: &Workspace) -> Vec<Step> {
    let mut steps = first_steps();
    steps.push(Step::check("links", links::check));
    steps.push(Step::check("dependencies", dependencies::check));
    steps.extend(workspace_tests());
    steps.push(doc_tests());
    steps.push(Step::check("readme commands", readme::check));
    steps.extend(workspace.libraries().map(feature_lints));
    steps.extend(workspace.libraries().filter_map(feature_tests));
    steps.push(wide_as_avx2());
    steps.push(documentation(workspace));
    steps.push(no_std());
    steps.push(benchmarks());
    steps
}

fn first_steps() -> Vec<Step> {
    vec![
        Step::calls(
            "format",
            [
                Cargo::new("fmt --all --check"),
                Cargo::new("fmt --manifest-path xtask/no-std/Cargo.toml --check"),
            ],
        ),
        Step::check("house rules", tidy::check),
        // The command line is a program of its own, and has to build with what it asks for itself.
        Step::calls(
            "lints",
            [lint("--workspace --all-targets --all-features"), lint("-p hexphase-cli")],
        ),
    ]
}

/// Always the same flags, so that everything built once is built once.
fn lint(what: &str) -> Cargo {
    Cargo::new("clippy --locked").with(what).with("-- -D warnings")
}

/// All tests with all features; the proof of equivalence is a row of its own. The same programs are
/// run twice, so what one row leaves out is in the other, wherever it is.
fn workspace_tests() -> Vec<Step> {
    vec![
        Step::tests("tests", [all_tests(), Cargo::new(XTASK)]).skipping(EQUIVALENCE),
        Step::tests("backend equivalence", [all_tests().with(EQUIVALENCE)]),
    ]
}

/// All tests with all features, and the programs they run.
pub(crate) fn all_tests() -> Cargo {
    Cargo::new(WHOLE).with("--lib --bins --tests")
}

fn doc_tests() -> Step {
    Step::examples("examples", [Cargo::new(WHOLE).with("--doc")])
}

/// The library alone, so that tests add no features; then its tests, as they are tested.
fn feature_lints(package: &Package) -> Step {
    let library = checked(package).into_iter().map(|set| ("--lib", set));
    let tests = linted(package).into_iter().map(|set| ("--all-targets", set));
    let calls = library
        .chain(tests)
        .map(|(targets, set)| lint(&format!("-p {} {targets} {}", package.name, set.arguments())));
    Step::calls(format!("features of {}: lints", package.name), calls)
}

/// All features together are what [`workspace_tests`] has.
fn feature_tests(package: &Package) -> Option<Step> {
    let sets = tested(package);
    if sets.is_empty() {
        return None;
    }
    let names: Vec<String> = sets.iter().map(ToString::to_string).collect();
    // Which structure a world selects depends on the features, and only whole worlds show it. Unit
    // tests of the facade would repeat themselves.
    let programs = if package.name == "hexphase" { "--test worlds" } else { "--lib --tests" };
    let calls = sets.iter().map(|set| {
        let call = Cargo::new("test --locked").with(programs).with("-p").argument(&package.name);
        call.with(&set.arguments())
    });
    Some(Step::tests(format!("features of {}: tests ({})", package.name, names.join(", ")), calls))
}

/// `wide` picks its instructions when it is compiled; this is the other half of its code.
fn wide_as_avx2() -> Step {
    let name = "backend equivalence: wide compiled for avx2";
    if !runs_x86_64_v3() {
        return Step::skip(name, "this cpu is not x86-64-v3");
    }
    let tests = Cargo::new("test --locked --lib --tests -p simd-lanes --no-default-features")
        .with("--features wide --target-dir target/x86-64-v3")
        // What takes precedence over all other ways to give flags.
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

/// Once for users, once for ourselves: links from public to private items are wrong only in the
/// first, and private items are only in the second.
fn documentation(workspace: &Workspace) -> Step {
    let doc = |what: &str| {
        Cargo::new("doc --locked --no-deps --all-features")
            .with(what)
            .variable("CARGO_ENCODED_RUSTDOCFLAGS", "-Dwarnings")
    };
    let libraries: Vec<String> =
        workspace.libraries().map(|package| format!("-p {}", package.name)).collect();
    let private = libraries.join(" ") + " --document-private-items";
    Step::calls("documentation", [doc("--workspace"), doc(&private)])
}

/// The package has its own panic handler: if anything linked std there would be two of them, and
/// it would not build. It is outside the workspace because there is no unwinding without std.
fn no_std() -> Step {
    let build = "build --locked --manifest-path xtask/no-std/Cargo.toml --target-dir target/no-std";
    Step::calls("no_std", [Cargo::new(build), Cargo::new(build).with("--features simd")])
}

/// Every benchmark checks its answer, once, untimed.
fn benchmarks() -> Step {
    Step::calls("benchmarks", [Cargo::new(WHOLE).with("--bench *")])
}
