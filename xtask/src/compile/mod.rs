//! `cargo xtask bench compile`: the cost of compiling a program that uses worlds, and the speed of
//! its dev build.
//!
//! Two programs are built in `hexphase-compile` among temporary files, offline and with the lock
//! file of the workspace: one for discs in `f32`, one for balls in `f64`. Each program runs a world
//! of 10,000 objects and compares its state with brute force. It prints the median times of
//! `update` with its own closure, of `step`, and of `set_bounds` for each object. Runs of the
//! dev and the release build alternate.
//!
//! Compile times are CPU seconds of cargo and its child processes on Linux, and wall time
//! elsewhere.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use serde_json::{Value, json};

use crate::workspace::Workspace;

/// Number of rounds; in each round both builds run once.
const ROUNDS: usize = 7;

/// The profile that README.md recommends for games.
const PROFILE: &str = "[profile.dev.package.\"*\"]\nopt-level = 3\ndebug-assertions = false\n";

/// A program to build.
struct Program {
    name: &'static str,
    number: &'static str,
    dimensions: usize,
    side: &'static str,
}

const PROGRAMS: [Program; 2] = [
    Program { name: "discs, f32", number: "f32", dimensions: 2, side: "4633.0" },
    Program { name: "balls, f64", number: "f64", dimensions: 3, side: "660.0" },
];

/// Builds and runs the programs and prints the table; also writes the rows as JSON if `json` is
/// set.
pub(crate) fn compile(workspace: &Workspace, json: Option<PathBuf>) -> Result<bool, String> {
    let folder = env::temp_dir().join("hexphase-compile");
    // The first builds begin without files of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    let mut rows = Vec::new();
    println!("| program | measure | dev | release | dev / release |\n|---|---|---|---|---|");
    for program in &PROGRAMS {
        let package = folder.join(program.number);
        write(program, &package, &workspace.root)?;
        let [dev, release] = [false, true].map(|release| Build::of(&package, release));
        let (dev, release) = (dev?, release?);
        let mut print = |measure: &str, unit: &str, values: [f64; 2]| {
            let [dev, release] = values;
            let name = program.name;
            let ratio = dev / release;
            println!("| {name} | {measure}, {unit} | {dev:.2} | {release:.2} | {ratio:.2} |");
            rows.push(json!({
                "suite": "compile", "scene": name, "subject": measure, "unit": unit,
                "dev": dev, "release": release, "ratio": ratio,
            }));
        };
        print("first build", "CPU s", [dev.first, release.first]);
        print("build after a change of main.rs", "CPU s", [dev.again, release.again]);
        print("size", "MB", [dev.megabytes, release.megabytes]);
        let mut times = [[const { Vec::new() }; 4], [const { Vec::new() }; 4]];
        for _ in 0..ROUNDS {
            for (build, times) in [&dev, &release].into_iter().zip(&mut times) {
                let [update, step, many] = build.run()?;
                for (list, time) in times.iter_mut().zip([update + step, update, step, many]) {
                    list.push(time);
                }
            }
        }
        let measures = ["tick", "update with a closure", "step", "set_bounds of each"];
        for (index, measure) in measures.into_iter().enumerate() {
            let [dev, release] = &mut times;
            print(measure, "µs", [median(&mut dev[index]), median(&mut release[index])]);
        }
    }
    if let Some(file) = json {
        let text = Value::Array(rows).to_string();
        fs::write(&file, text).map_err(|why| format!("{}: {why}", file.display()))?;
    }
    Ok(true)
}

/// A built program, with the CPU seconds of both builds.
struct Build {
    program: PathBuf,
    first: f64,
    again: f64,
    megabytes: f64,
}

impl Build {
    fn of(package: &Path, release: bool) -> Result<Self, String> {
        let first = build(package, release)?;
        let main = package.join("src/main.rs");
        let text = fs::read_to_string(&main).map_err(|why| format!("{}: {why}", main.display()))?;
        // Change the content, not only the modification time, so the incremental build has work.
        fs::write(&main, text + "\n").map_err(|why| format!("{}: {why}", main.display()))?;
        let again = build(package, release)?;
        let folder = if release { "release" } else { "debug" };
        let program = package.join("target").join(folder).join("program");
        let program = program.with_extension(env::consts::EXE_EXTENSION);
        let size = fs::metadata(&program).map_err(|why| format!("{}: {why}", program.display()))?;
        Ok(Self { program, first, again, megabytes: size.len() as f64 / 1e6 })
    }

    /// Runs the program. Returns the times of the three parts in microseconds.
    fn run(&self) -> Result<[f64; 3], String> {
        let output = Command::new(&self.program).output();
        let output = output.map_err(|why| format!("{}: {why}", self.program.display()))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let times: Vec<f64> =
            text.split_whitespace().filter_map(|time| time.parse::<f64>().ok()).collect();
        let times: Result<[f64; 3], _> = times.try_into();
        times.map(|times| times.map(|time| time / 1e3)).map_err(|_| format!("printed {text}"))
    }
}

/// Writes the package of a program.
fn write(program: &Program, package: &Path, root: &Path) -> Result<(), String> {
    let source = include_str!("program.rs.txt")
        .replace("@NUMBER@", program.number)
        .replace("@DIMENSIONS@", &program.dimensions.to_string())
        .replace("@SIDE@", program.side);
    let facade = root.join("facade");
    let feature = Some(program.number).filter(|&number| number != "f32");
    let features: Vec<&str> = feature.into_iter().collect();
    let manifest = format!(
        "[package]\nname = \"program\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nhexphase = {{ path = {facade:?}, features = {features:?} }}\n\n[workspace]\n\n{PROFILE}"
    );
    let error = |why| format!("{}: {why}", package.display());
    fs::create_dir_all(package.join("src")).map_err(error)?;
    fs::write(package.join("src/main.rs"), source).map_err(error)?;
    fs::write(package.join("Cargo.toml"), manifest).map_err(error)?;
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).map_err(error)?;
    Ok(())
}

/// Builds a package. Returns the CPU seconds.
fn build(package: &Path, release: bool) -> Result<f64, String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--offline", "--quiet"]).args(release.then_some("--release"));
    cargo.current_dir(package).stdin(Stdio::null());
    // Remove variables that would make the build differ from a user's build.
    for variable in ["CARGO_TARGET_DIR", "CARGO_INCREMENTAL", "RUSTFLAGS"] {
        cargo.env_remove(variable);
    }
    let (start, before) = (Instant::now(), children_seconds());
    let output = cargo.output().map_err(|why| format!("cargo build: {why}"))?;
    if !output.status.success() {
        return Err(format!("cargo build: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let wall = start.elapsed().as_secs_f64();
    Ok(before.zip(children_seconds()).map_or(wall, |(before, after)| after - before))
}

/// Returns the CPU seconds of all child processes that have ended; `None` if `/proc` is
/// unavailable.
fn children_seconds() -> Option<f64> {
    /// Unit of the times in `/proc`, independent of the kernel's timer frequency.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field, the name, may contain spaces; it ends at the last parenthesis.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / TICKS_A_SECOND)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::{PROGRAMS, median, write};
    use std::path::Path;
    use std::{env, fs};

    #[test]
    fn packages_are_complete() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = env::temp_dir().join("hexphase-compile-test");
        for program in &PROGRAMS {
            write(program, &folder, &root).expect("room for a package");
            let source = fs::read_to_string(folder.join("src/main.rs")).expect("it was written");
            assert!(!source.contains('@'), "a placeholder was not replaced");
        }
        assert!((median(&mut [9.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
    }
}
