//! `cargo xtask bench`: runs one suite of `xtask/peers/benches`, or compares two files of rows.
//!
//! `--compare OLD NEW` compares rows with the same suite, scene, subject, backend and number of
//! threads. Each line has the speed-up (the old time divided by the new one); the slowest line is
//! first. The last lines have two medians of the speed-up: of the subjects of hexphase, and of
//! other libraries. The second one shows how much the machine itself differed between the runs.

use core::fmt::Write as _;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

use crate::cargo::Cargo;
use crate::workspace::Workspace;

/// The suite that builds programs instead of running a benchmark; see [`compile`](crate::compile).
pub(crate) const COMPILE: &str = "compile";
/// The suite that runs all suites quoted in tables; see [`figures`](crate::figures).
pub(crate) const REPORT: &str = "report";

/// Runs a suite in the terminal, with these environment variables and with the output file in
/// another one. Returns whether it succeeded.
pub(crate) fn bench(
    workspace: &Workspace,
    suite: &str,
    json: Option<PathBuf>,
    variables: &[(&'static str, Option<&str>)],
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
    for &(name, value) in variables {
        if let Some(value) = value {
            call = call.variable(name, value);
        }
    }
    let status = call.show(&workspace.root).map_err(|why| format!("{call}: {why}"))?;
    Ok(status.success())
}

/// Returns the names of all suites: the benchmarks of peers, [`COMPILE`] and [`REPORT`].
pub(crate) fn suites(root: &Path) -> Vec<String> {
    let files = fs::read_dir(root.join("xtask/peers/benches")).into_iter().flatten().flatten();
    let mut suites: Vec<String> = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    if !suites.is_empty() {
        suites.extend([COMPILE, REPORT].map(String::from));
    }
    suites.sort();
    suites
}

/// Prints the comparison of two files.
pub(crate) fn compare(old: &Path, new: &Path) -> Result<bool, String> {
    print!("{}", table(&read(old)?, &read(new)?)?);
    Ok(true)
}

/// Times in nanoseconds and their unit of work, by the name of the row.
type Times = HashMap<String, (f64, String)>;

fn read(file: &Path) -> Result<Times, String> {
    let text = fs::read_to_string(file).map_err(|why| format!("{}: {why}", file.display()))?;
    times(&text).map_err(|why| format!("{}: {why}", file.display()))
}

/// Returns the times of a JSON array of rows. Rows without a time per unit of work are skipped.
fn times(text: &str) -> Result<Times, String> {
    let rows: Vec<HashMap<String, Value>> =
        serde_json::from_str(text).map_err(|why| format!("not an array of rows: {why}"))?;
    let time = |row: HashMap<String, Value>| {
        let (unit, ns) = row.iter().find(|(name, _)| name.starts_with("ns_per_"))?;
        let cell = |name: &str| match row.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let name = ["suite", "scene", "subject", "backend", "threads"].map(cell).join(" | ");
        Some((name, (ns.as_f64()?, unit.clone())))
    };
    Ok(rows.into_iter().filter_map(time).collect())
}

fn table(old: &Times, new: &Times) -> Result<String, String> {
    let mut rows: Vec<(f64, &str, f64, f64)> = old
        .iter()
        .filter_map(|(name, (before, unit))| {
            let (after, _) = new.get(name).filter(|(_, other)| other == unit)?;
            Some((before / after, name.as_str(), *before, *after))
        })
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
    if rows.is_empty() {
        return Err("the files have no row in common".to_owned());
    }
    let mut text = String::from("speed-up       old ns       new ns  row\n");
    for (ratio, name, before, after) in &rows {
        let _ = writeln!(text, "{ratio:>8.3} {before:>12.3} {after:>12.3}  {name}");
    }
    for (native, owner) in [(false, "our rows"), (true, "the rows of other libraries")] {
        let of = |row: &&(f64, &str, f64, f64)| row.1.contains("| native |") == native;
        let ratios: Vec<f64> = rows.iter().filter(of).map(|row| row.0).collect();
        if let Some(median) = median(&ratios) {
            let _ = writeln!(text, "{median:>8.3} is the median of {} of {owner}", ratios.len());
        }
    }
    let [old, new] = [old, new].map(|times| times.len() - rows.len());
    let _ = writeln!(text, "rows only in the old file: {old}, only in the new file: {new}");
    Ok(text)
}

/// Returns the median of sorted numbers.
fn median(sorted: &[f64]) -> Option<f64> {
    let (low, high) =
        (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low + high) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::{bench, suites, table, times};
    use crate::workspace::Workspace;
    use std::path::Path;

    #[test]
    fn suites_are_the_files_of_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(suites(&root).contains(&"compile".to_owned()));
        assert!(suites(Path::new("no/such/folder")).is_empty());
        let workspace = Workspace { root, packages: Vec::new() };
        let why = bench(&workspace, "hsgh", None, &[], &[]).unwrap_err();
        assert!(why.starts_with("unknown suite hsgh; the suites are: "), "{why}");
        assert!(why.contains("hshg"), "{why}");
    }

    #[test]
    fn rows_are_sorted_by_speed_up_above_the_medians() {
        let row = |subject: &str, backend: &str, threads: usize, ns: f64| {
            format!(
                r#"{{"suite":"a","scene":"discs:9","subject":"{subject}","backend":"{backend}",
                "threads":{threads},"ns_per_object":{ns},"spread":0.01}}"#
            )
        };
        let file = |two: f64, one: f64, peer: f64, only: &str| {
            let (tick, peer) = (row("tick", "avx2", 1, one), row("rstar", "native", 1, peer));
            let rows = [tick, row("tick", "avx2", 2, two), peer, row(only, "avx2", 1, 1.0)];
            times(&format!("[{}]", rows.join(","))).unwrap()
        };
        let (old, new) = (file(9.0, 8.0, 50.0, "gone"), file(10.0, 4.0, 40.0, "came"));
        let expected = "\
speed-up       old ns       new ns  row
   0.900        9.000       10.000  a | discs:9 | tick | avx2 | 2
   1.250       50.000       40.000  a | discs:9 | rstar | native | 1
   2.000        8.000        4.000  a | discs:9 | tick | avx2 | 1
   1.450 is the median of 2 of our rows
   1.250 is the median of 1 of the rows of other libraries
rows only in the old file: 1, only in the new file: 1
";
        assert_eq!(table(&old, &new).unwrap(), expected);
        // Rows of `bench compile` have no time per unit of work.
        let compile = times(r#"[{"suite":"compile","scene":"discs","dev":1.0}]"#).unwrap();
        assert!(table(&compile, &compile).unwrap_err().contains("no row in common"));
        assert!(times("{}").unwrap_err().starts_with("not an array"));
    }
}
