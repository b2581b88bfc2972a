//! `cargo xtask verify --python`: builds the package of `facade/python` into a virtual environment,
//! and runs its tests there.
//!
//! 1. Make the environment `target/python`, and install the packages that are required.
//! 2. Install packages that some tests compare with, as far as they can be: tests without their
//!    package are skipped.
//! 3. Build a wheel, install it, and run pytest.

use std::path::Path;
use std::process::Command;

use crate::step::{Step, Verdict};
use crate::workspace::Workspace;

/// The folder of the package.
pub(crate) const FOLDER: &str = "facade/python";

/// The virtual environment, and the folder of the wheel.
const ENVIRONMENT: &str = "target/python";

/// Packages without which nothing is tested.
const REQUIRED: [&str; 3] = ["maturin>=1.16,<2", "numpy", "pytest"];

/// Packages that some tests need.
const OPTIONAL: [&str; 10] = [
    "shapely",
    "geopandas",
    "scipy",
    "ase",
    "matscipy",
    "pyarrow",
    "polars",
    "pandas",
    "matplotlib",
    "vesin",
];

/// A program that fails if the interpreter is too old or cannot make environments.
const CHECK: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/// Returns the steps of `verify --python`, after the lints.
pub(crate) fn steps() -> Vec<Step> {
    let name = "facade/python: tests";
    let has_python = Command::new("python3").args(["-c", CHECK]).output();
    if !has_python.is_ok_and(|output| output.status.success()) {
        let why = "requires Python 3.10 with venv: apt-get install -y python3-venv";
        return vec![Step::skip(name, why)];
    }
    vec![Step::check(name, test)]
}

/// Builds the package, installs it, and tests it. Returns the line with the number of tests.
fn test(workspace: &Workspace) -> Verdict {
    let environment = workspace.root.join(ENVIRONMENT);
    let program = environment.join("bin/python");
    let [environment, python] = [&environment, &program].map(|path| path.display().to_string());
    let pip = [&*python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    if !program.exists() {
        run(&workspace.root, &["python3", "-m", "venv", &environment])?;
    }
    run(&workspace.root, &[&pip[..], &REQUIRED].concat())?;
    for package in OPTIONAL {
        // Without it, pytest prints the tests that it skips.
        let _ = run(&workspace.root, &[&pip[..], &[package]].concat());
    }
    let (folder, wheels) = (workspace.root.join(FOLDER), format!("{environment}/wheels"));
    run(&folder, &[&python, "-m", "maturin", "build", "--release", "--out", &wheels])?;
    let install = ["--force-reinstall", "--no-deps", "--no-index", "--find-links", &wheels];
    run(&folder, &[&pip[..], &install, &["hexphase"]].concat())?;
    let text = run(&folder, &[&python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"])?;
    text.lines().filter(|line| line.starts_with("SKIPPED")).for_each(|line| println!("{line}"));
    Ok(text.lines().last().unwrap_or_default().to_owned())
}

/// Runs a command in a folder and returns its output.
fn run(folder: &Path, command: &[&str]) -> Result<String, Vec<String>> {
    let output = Command::new(command[0]).args(&command[1..]).current_dir(folder).output();
    let output = output.map_err(|why| vec![format!("{}: {why}", command[0])])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(vec![format!("{}: {}\n{text}{errors}", command.join(" "), output.status)])
}
