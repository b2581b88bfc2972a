//! `cargo xtask mutants`: changes the libraries in many small ways, and counts the changes that the
//! tests find.
//!
//! 1. Find all places where a [`Mutant`] can change the libraries (`find.rs`), and take a sample.
//! 2. Insert the sample into a copy of the workspace, as choices at run time (`tree.rs`). So the
//!    tests are built once.
//! 3. Run each test of the changed libraries without a mutant, to record its time and the mutants
//!    that it reaches. Then, for each mutant, run the tests of its library that reach it, the
//!    fastest first, until one fails.
//! 4. Repeat 3 with the laws and worlds of the facade and the mutants that are left.
//!
//! Mutants that were killed, or do not compile, are written to `target/mutants/outcomes.txt` and
//! not run again: an interrupted call continues, and after a change of tests only the mutants that
//! survived are run.

mod find;
mod tree;

use core::hash::{Hash as _, Hasher as _};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::DefaultHasher;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, thread};

use clap::Args;

use self::find::Mutant;
use self::tree::Program;
use crate::cargo::KEEP_FREED_MEMORY;
use crate::tidy;
use crate::verify::two_at_a_time;
use crate::workspace::Workspace;

/// Parts of paths whose mutants are four times as frequent in samples: kernels and orders.
const PREFERRED: [&str; 10] = [
    "kernel", "lanes", "slots", "snapshot", "torus", "events", "keys", "nearest", "radix", "order",
];

/// Maximum size of the address space of a test program, in KiB: a mutant may allocate without end.
const MAX_KIB: u32 = 8 << 20;

/// The mutants to run.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The libraries to change; all by default.
    packages: Vec<String>,
    /// The number of mutants in each library.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=9000))]
    count: u32,
    /// Selects another sample.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Killed,
    TimedOut,
    Invalid,
    Survived,
    NotReached,
}
use Outcome::{Invalid, Killed, NotReached, Survived, TimedOut};

/// Runs mutants and prints the survivors. Returns whether all were killed.
pub(crate) fn mutants(workspace: &Workspace, options: &Options) -> Result<bool, String> {
    let is_selected =
        |name: &String| options.packages.is_empty() || options.packages.contains(name);
    let packages: Vec<_> = workspace.libraries().filter(|it| is_selected(&it.name)).collect();
    if packages.len() < options.packages.len() {
        return Err(format!("not all of {:?} are libraries", options.packages));
    }
    let mut mutants = Vec::new();
    for package in &packages {
        mutants.extend(sample(workspace, &package.folder.join("src"), options)?);
    }
    let folder = workspace.root.join("target/mutants");
    let path = folder.join("outcomes.txt");
    let log = fs::create_dir_all(&folder)
        .and_then(|()| File::options().append(true).create(true).open(&path))
        .map_err(|why| format!("{}: {why}", path.display()))?;
    let log = |outcome: Outcome, number: usize| {
        if !matches!(outcome, Survived | NotReached) {
            let line = format!("{outcome:?} {}\n", mutants[number]);
            let _ = (&log).write_all(line.as_bytes());
        }
    };
    let text = fs::read_to_string(&path).unwrap_or_default();
    let logged: HashSet<&str> = text.lines().collect();
    let known = |mutant: &Mutant| {
        let is_known = |it: &Outcome| logged.contains(&*format!("{it:?} {mutant}"));
        [Killed, TimedOut, Invalid].into_iter().find(is_known).unwrap_or(NotReached)
    };
    let mut outcomes: Vec<Outcome> = mutants.iter().map(known).collect();

    let own: String = packages.iter().map(|package| format!("-p {} ", package.name)).collect();
    let stages =
        [format!("--lib --tests {own}"), format!("--test laws --test worlds -p hexphase {own}")];
    for (stage, call) in stages.iter().enumerate() {
        // The first stage has run the laws and worlds for mutants of the facade.
        let is_left = |outcomes: &[Outcome], number: usize| {
            matches!(outcomes[number], Survived | NotReached)
                && (stage == 0 || mutants[number].folder() != "facade")
        };
        if !(0..mutants.len()).any(|number| is_left(&outcomes, number)) {
            continue;
        }
        let mut programs = loop {
            let numbered = mutants.iter().enumerate();
            let valid: Vec<_> = numbered.filter(|&(at, _)| outcomes[at] != Invalid).collect();
            match tree::build(workspace, &folder.join("tree"), &valid, call)? {
                Ok(programs) => break programs,
                Err(invalid) => invalid.into_iter().for_each(|number| {
                    log(Invalid, number);
                    outcomes[number] = Invalid;
                }),
            }
        };
        let left = (0..mutants.len()).filter(|&number| is_left(&outcomes, number));
        let left: Vec<_> = left.collect();
        let is_run = |program: &Program, number: usize| {
            stage == 1 || mutants[number].folder() == program.folder
        };
        programs.retain(|program| left.iter().any(|&number| is_run(program, number)));
        let all = programs.iter().flat_map(|program| list(program, &folder)).collect();
        let measured = two_at_a_time(all, |(program, name)| measure(program, name, &folder));
        let mut tests: Vec<_> = measured.into_iter().flatten().collect();
        tests.sort_by_key(|test| test.time);
        let seconds: f64 = tests.iter().map(|test| test.time.as_secs_f64()).sum();
        println!("{} mutants, {} tests of {seconds:.0} s", left.len(), tests.len());
        let done = AtomicUsize::new(0);
        let results = two_at_a_time(left.clone(), |number| {
            let reaching = tests.iter().filter(|test| test.reached.contains(&number));
            let mut runs = reaching.filter(|test| is_run(test.program, number)).map(|test| {
                let limit = 5 * test.time + Duration::from_secs(5);
                run(test.program, &test.name, &folder, &number.to_string(), limit)
            });
            let mut outcome = outcomes[number];
            while matches!(outcome, Survived | NotReached)
                && let Some(next) = runs.next()
            {
                outcome = next;
            }
            log(outcome, number);
            let done = done.fetch_add(1, Relaxed) + 1;
            println!("[{done}/{}] {outcome:?} {}", left.len(), mutants[number]);
            outcome
        });
        left.into_iter().zip(results).for_each(|(number, outcome)| outcomes[number] = outcome);
    }
    Ok(report(&mutants, &outcomes))
}

/// Returns a sample of the mutants in a folder, in the order of the source.
fn sample(workspace: &Workspace, folder: &Path, options: &Options) -> Result<Vec<Mutant>, String> {
    let mut all = Vec::new();
    let files = tidy::files(folder, "rs").into_iter().filter(|path| !path.ends_with("tests.rs"));
    for path in files {
        let file = workspace.relative(&path).to_string();
        let text = fs::read_to_string(&path).map_err(|why| format!("{file}: {why}"))?;
        all.extend(find::find(&file, &text).map_err(|why| format!("{file}: {why}"))?);
    }
    let rank = |&number: &usize| {
        let mut hasher = DefaultHasher::new();
        (options.seed, all[number].to_string()).hash(&mut hasher);
        let is_preferred = PREFERRED.iter().any(|part| all[number].file.contains(part));
        hasher.finish() / if is_preferred { 4 } else { 1 }
    };
    let mut numbers: Vec<_> = (0..all.len()).collect();
    numbers.sort_by_cached_key(rank);
    numbers.truncate(options.count as usize);
    numbers.sort_unstable();
    println!("{}: {} of {} mutants", workspace.relative(folder), numbers.len(), all.len());
    Ok(numbers.into_iter().map(|number| all[number].clone()).collect())
}

/// A test and the mutants that it reaches.
struct Test<'p> {
    program: &'p Program,
    name: String,
    time: Duration,
    reached: HashSet<usize>,
}

/// Returns the names of the tests of a program.
fn list<'p>(program: &'p Program, folder: &Path) -> Vec<(&'p Program, String)> {
    let mut command = Command::new(&program.path);
    command.args(["--list", "--format", "terse"]).current_dir(folder.join("tree"));
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&output).into_owned();
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    names.map(|name| (program, name.to_owned())).collect()
}

/// Runs a test without a mutant, to record the mutants that it reaches.
fn measure<'p>(program: &'p Program, name: String, folder: &Path) -> Option<Test<'p>> {
    let file = format!("{}-{}-{name}", program.folder, program.name).replace("::", "-");
    let file = folder.join(file);
    let _ = fs::remove_file(&file);
    let begin = Instant::now();
    let outcome = run(program, &name, folder, &file.to_string_lossy(), Duration::from_secs(1800));
    let time = begin.elapsed();
    if outcome != Survived {
        println!("{}: {name} fails without mutants, and is not run", program.folder);
        return None;
    }
    let bytes = fs::read(&file).unwrap_or_default();
    let _ = fs::remove_file(&file);
    let numbers = bytes.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number) as usize);
    Some(Test { program, name, time, reached: numbers.collect() })
}

/// Runs a test with a mutant, or with a file for the mutants that it reaches.
fn run(program: &Program, test: &str, folder: &Path, mutant: &str, limit: Duration) -> Outcome {
    let script = format!("ulimit -v {MAX_KIB} && exec \"$0\" --exact \"$1\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(&program.path).arg(test);
    command.current_dir(folder.join("tree").join(&program.folder)).env(tree::VARIABLE, mutant);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Failed property tests neither shrink nor save their case, and have equal random numbers.
    command.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("PROPTEST_RNG_SEED", "1");
    command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1").envs(KEEP_FREED_MEMORY);
    if env::var_os("HEXPHASE_EXAMPLES").is_none() {
        command.env("HEXPHASE_EXAMPLES", "0.1");
    }
    let begin = Instant::now();
    let mut child = command.spawn().expect("sh can be run");
    loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) if status.success() => return Survived,
            Some(_) => return Killed,
            None if begin.elapsed() < limit => thread::sleep(Duration::from_millis(2)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return TimedOut;
            }
        }
    }
}

/// Prints the number of mutants by library and outcome, and the mutants that no test finds. Returns
/// whether all were found.
fn report(mutants: &[Mutant], outcomes: &[Outcome]) -> bool {
    let columns = [Killed, TimedOut, Invalid, Survived, NotReached];
    println!("\n{:18}{}", "", columns.map(|outcome| format!("{outcome:>12?}")).concat());
    let all: Vec<_> = mutants.iter().zip(outcomes).collect();
    for part in all.chunk_by(|a, b| a.0.folder() == b.0.folder()) {
        let count = |outcome| part.iter().filter(|it| *it.1 == outcome).count();
        let counts = columns.map(|outcome| format!("{:12}", count(outcome)));
        println!("{:18}{}", part[0].0.folder(), counts.concat());
    }
    let left = all.iter().filter(|it| matches!(it.1, Survived | NotReached));
    left.clone().for_each(|(mutant, outcome)| println!("{outcome:?} {mutant}"));
    left.count() == 0
}
