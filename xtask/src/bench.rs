//! `cargo xtask bench`: runs one suite of `xtask/peers/benches`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::cargo::Cargo;
use crate::workspace::Workspace;

/// The suite that builds programs instead of running a benchmark; see [`compile`](crate::compile).
pub(crate) const COMPILE: &str = "compile";

/// Runs a suite in the terminal. Returns whether it succeeded. The output file and the scenes are
/// passed to the benchmark in environment variables.
pub(crate) fn bench(
    workspace: &Workspace,
    suite: &str,
    json: Option<PathBuf>,
    scenes: Option<&str>,
    criterion: &[String],
) -> Result<bool, String> {
    let suites = suites(&workspace.root);
    if !suites.iter().any(|known| known == suite) {
        return Err(format!("unknown suite {suite}; the suites are: {}", suites.join(", ")));
    }
    let mut call = Cargo::new("bench -p peers --bench").argument(suite).argument("--");
    for argument in criterion {
        call = call.argument(argument);
    }
    if let Some(file) = json {
        // The benchmark runs in another folder, so the path must be absolute.
        let here = env::current_dir().map_err(|why| format!("no current folder: {why}"))?;
        let file = here.join(file);
        let text = file.to_str().ok_or_else(|| format!("{}: not UTF-8", file.display()))?;
        call = call.variable("HEXPHASE_BENCH_JSON", text);
    }
    if let Some(scenes) = scenes {
        call = call.variable("HEXPHASE_BENCH_SCENES", scenes);
    }
    let status = call.show(&workspace.root).map_err(|why| format!("{call}: {why}"))?;
    Ok(status.success())
}

/// Returns the names of all suites: the benchmarks of peers, and [`COMPILE`].
pub(crate) fn suites(root: &Path) -> Vec<String> {
    let files = fs::read_dir(root.join("xtask/peers/benches")).into_iter().flatten().flatten();
    let mut suites: Vec<String> = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    if !suites.is_empty() {
        suites.push(COMPILE.to_owned());
    }
    suites.sort();
    suites
}

#[cfg(test)]
mod tests {
    use super::{bench, suites};
    use crate::workspace::Workspace;
    use std::path::Path;

    #[test]
    fn suites_are_the_files_of_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(suites(&root).contains(&"compile".to_owned()));
        assert!(suites(Path::new("no/such/folder")).is_empty());
        let workspace = Workspace { root, packages: Vec::new() };
        let why = bench(&workspace, "hsgh", None, None, &[]).unwrap_err();
        assert!(why.starts_with("unknown suite hsgh; the suites are: "), "{why}");
        assert!(why.contains("hshg"), "{why}");
    }
}
