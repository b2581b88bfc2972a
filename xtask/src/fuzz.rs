//! `cargo xtask fuzz`: builds the targets of `xtask/fuzz` with an address sanitizer, and runs them.
//!
//! 1. Find the tools: cargo-fuzz, a C++ compiler for libFuzzer, and the sanitizer of the Rust
//!    toolchain. If one is missing, each target is skipped. Sanitizers are unstable: stable
//!    compilers have them if `RUSTC_BOOTSTRAP` is set, so it is set.
//! 2. Build the targets.
//! 3. Run each target, one after the other, on one core. The target writes its seeds into its
//!    corpus, to which libFuzzer adds each input that reaches new code. It stops at the first input
//!    that fails, takes more than [`LIMITS`], or leaks memory, and writes it to
//!    `xtask/fuzz/artifacts`.
//! 4. Print a table: the number of executions, the size of the corpus, and the findings.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::cargo::Cargo;
use crate::report::{Tally, report};
use crate::step::Outcome;
use crate::workspace::Workspace;

/// The folder of the package.
const FOLDER: &str = "xtask/fuzz";
/// Limits of an input: its time in seconds, the size of one allocation and of all memory in MB.
const LIMITS: &str = "-timeout=10 -malloc_limit_mb=512 -rss_limit_mb=2048";

/// Runs one target, or all, for a number of seconds each. Returns whether there were no findings.
pub(crate) fn fuzz(
    workspace: &Workspace,
    seconds: u64,
    target: Option<&str>,
) -> Result<bool, String> {
    let mut targets = targets(&workspace.root);
    if let Some(target) = target {
        if !targets.iter().any(|known| known == target) {
            let known = targets.join(", ");
            return Err(format!("unknown target {target}; the targets are: {known}"));
        }
        targets = vec![target.to_owned()];
    }
    let begin = Instant::now();
    let outcomes: Vec<Outcome> = match missing(workspace) {
        Some(tool) => targets.into_iter().map(|target| skipped(target, tool)).collect(),
        None => {
            let mut build = call("build");
            if let [target] = &targets[..] {
                build = build.argument(target);
            }
            let status = build.show(&workspace.root).map_err(|why| format!("{build}: {why}"))?;
            if !status.success() {
                return Err(format!("{build}: {status}"));
            }
            targets.into_iter().map(|target| run(workspace, seconds, target)).collect()
        }
    };
    let (text, total) = report(&outcomes, begin.elapsed());
    print!("\n{text}");
    Ok(total.failed == 0)
}

/// Returns the names of all targets, sorted.
fn targets(root: &Path) -> Vec<String> {
    let files = fs::read_dir(root.join(FOLDER).join("fuzz_targets")).into_iter().flatten();
    let names = files.flatten().filter_map(|file| {
        let name = file.path().file_stem()?.to_str()?.to_owned();
        Some(name)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Returns the first tool that this machine lacks, and how to install it.
fn missing(workspace: &Workspace) -> Option<&'static str> {
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let has_sanitizer = || {
        let libraries = Command::new("rustc").args(["--print", "target-libdir"]).output().ok()?;
        let folder = String::from_utf8(libraries.stdout).ok()?;
        let mut files = fs::read_dir(folder.trim()).ok()?.flatten();
        files.find(|file| file.file_name().to_string_lossy().contains("rt.asan"))
    };
    if Cargo::new("fuzz --version").standard_output(&workspace.root).is_err() {
        Some("cargo-fuzz is not installed: cargo install cargo-fuzz")
    } else if !runs("c++") {
        Some("there is no C++ compiler `c++`")
    } else if has_sanitizer().is_none() {
        Some("this Rust toolchain has no AddressSanitizer; those of rustup have it")
    } else {
        None
    }
}

fn skipped(name: String, tool: &str) -> Outcome {
    let tally = Tally { skipped: 1, ..Tally::default() };
    Outcome { name, seconds: 0.0, tally, summary: tool.to_owned(), skipped: Vec::new() }
}

/// Returns a call of cargo-fuzz.
fn call(command: &str) -> Cargo {
    Cargo::new("fuzz")
        .with(command)
        .with("--features libfuzzer --fuzz-dir")
        .with(FOLDER)
        .variable("RUSTC_BOOTSTRAP", "1")
}

fn run(workspace: &Workspace, seconds: u64, name: String) -> Outcome {
    println!("{name}: {seconds} s");
    let begin = Instant::now();
    let call = call("run")
        .argument(&name)
        .with("-- -print_final_stats=1")
        .with(LIMITS)
        .argument(format!("-max_total_time={seconds}"))
        // Too large allocations are errors that the targets test.
        .variable("ASAN_OPTIONS", "allocator_may_return_null=1")
        .variable("RAYON_NUM_THREADS", "1");
    let (is_clean, text) = match call.capture(&workspace.root) {
        Ok(output) => (output.success, output.text),
        Err(why) => (false, why.to_string()),
    };
    if !is_clean {
        println!("{call}\n{}", without_progress(&text));
    }
    let corpus = fs::read_dir(workspace.root.join(FOLDER).join("corpus").join(&name));
    let inputs = corpus.into_iter().flatten().count();
    let findings = if is_clean { "no finding" } else { "1 finding" };
    let summary = match executions(&text) {
        Some(count) => format!("{count} executions, {inputs} inputs in the corpus, {findings}"),
        None => "did not run".to_owned(),
    };
    Outcome {
        name,
        seconds: begin.elapsed().as_secs_f64(),
        tally: Tally::one(is_clean),
        summary,
        skipped: Vec::new(),
    }
}

/// Returns the number of executions from the statistics that libFuzzer prints at the end.
fn executions(text: &str) -> Option<u64> {
    let count =
        |line: &str| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok();
    text.lines().find_map(count)
}

/// Returns the output of libFuzzer without the lines about its progress, which begin with a number.
fn without_progress(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("INFO: "));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Path, executions, targets, without_progress};

    #[test]
    fn targets_are_the_programs_of_the_package() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let targets = targets(&root);
        assert!(targets.contains(&"world".to_owned()) && targets.is_sorted(), "{targets:?}");
    }

    #[test]
    fn executions_and_findings_are_read_from_the_output() {
        let text = "INFO: files: 3\n#8\tNEW    cov: 3 ft: 3\npanicked at a.rs:1:2\n    \
                    #0 0x5 in main\nstat::number_of_executed_units: 2144\n";
        assert_eq!(executions(text), Some(2144));
        assert_eq!(executions("error: could not compile"), None);
        let shown = without_progress(text);
        assert!(shown.starts_with("panicked") && shown.contains("#0 0x5"), "{shown}");
    }
}
