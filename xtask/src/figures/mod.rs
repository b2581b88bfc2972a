//! Tables of figures in Markdown files, generated from a results file.
//!
//! A table is generated if the line before it is a marker:
//!
//! ```text
//! <!-- figures hshg ns, ratio: tick sorted; from nothing -->
//! | scene | tick | new grid |
//! |---|---|---|
//! | `discs:500000` equal discs | 7.4, 6.8 | 103, 1.9 |
//! ```
//!
//! 1. The marker names the suite, the [`Field`]s of each cell, and the key of each column.
//! 2. The key of a row is the first code in backticks in its first cell.
//! 3. A cell contains the fields of the result whose scene is one of the two keys and whose subject
//!    is the other one; [`Results::cell`] describes the keys.
//! 4. The first two lines, the first cells and cells with only [`KEPT`] are kept as written.
//!
//! `cargo xtask bench report` measures and generates, `tidy` compares. All cells of a table are
//! from one run of its suite.

mod measure;
mod results;

use std::fs;
use std::path::PathBuf;

use crate::tidy::files;
use crate::workspace::Workspace;

pub(crate) use measure::report;
use results::{Field, Results};

/// The beginning of a marker.
const MARKER: &str = "<!-- figures ";
/// The cell of a combination that is not measured.
const KEPT: &str = "–";
/// The command that generates the tables again.
const AGAIN: &str = "run `cargo xtask bench report --tables`";

/// A parsed marker.
#[derive(Debug)]
struct Marker<'a> {
    suite: &'a str,
    fields: Vec<Field>,
    /// The key of each column after the first one.
    columns: Vec<&'a str>,
}

impl<'a> Marker<'a> {
    /// Parses a line; returns `None` if the line is no marker.
    fn parse(line: &'a str) -> Option<Result<Self, String>> {
        let content = line.strip_prefix(MARKER)?.trim_end().strip_suffix("-->");
        let parts = content.and_then(|content| {
            let (suite, rest) = content.split_once(' ')?;
            let (fields, columns) = rest.split_once(": ")?;
            let fields = fields.split(',').map(|name| Field::named(name.trim()));
            let columns = columns.split(';').map(str::trim).collect();
            Some(Self { suite, fields: fields.collect::<Option<_>>()?, columns })
        });
        Some(parts.ok_or_else(|| {
            format!(
                "a marker is {MARKER}SUITE FIELD, FIELD: COLUMN; COLUMN -->, see xtask/src/figures"
            )
        }))
    }

    /// Returns the cells of a row, with their new text.
    fn cells<'r>(&self, row: &'r str, results: &Results) -> Result<Vec<(&'r str, String)>, String> {
        let row = row.trim().trim_start_matches('|');
        let mut cells = row.strip_suffix('|').unwrap_or(row).split('|').map(str::trim);
        let first = cells.next().unwrap_or_default();
        let key = first.split('`').nth(1).ok_or("the first cell has no key in backticks")?;
        let rest: Vec<&str> = cells.collect();
        if rest.len() != self.columns.len() {
            return Err(format!("{} cells for {} columns", rest.len(), self.columns.len()));
        }
        let cells = rest.into_iter().zip(&self.columns).map(|(old, column)| {
            let is_kept = old == KEPT;
            let new = || results.cell(self.suite, &self.fields, [key, column]);
            Ok((old, if is_kept { old.to_owned() } else { new()? }))
        });
        [Ok((first, first.to_owned()))].into_iter().chain(cells).collect()
    }
}

/// A text with generated tables.
#[derive(Debug, Default)]
struct Generated {
    text: String,
    /// Cells whose text has changed, as `line: message`.
    changes: Vec<String>,
    /// Cells without a result and invalid tables, as `line: message`.
    errors: Vec<String>,
}

/// Generates the tables of a Markdown text.
fn generate(text: &str, results: &Results) -> Generated {
    let mut generated = Generated::default();
    let mut marker = None;
    let mut lines_of_table = 0;
    for (number, line) in (1..).zip(text.lines()) {
        lines_of_table += 1;
        let mut new = line.to_owned();
        let mut error = |why: String| generated.errors.push(format!("{number}: {why}"));
        if let Some(parsed) = Marker::parse(line) {
            marker = parsed.map_err(&mut error).ok();
            lines_of_table = 0;
        } else if !line.starts_with('|') {
            if marker.take().is_some() && lines_of_table <= 3 {
                error("the table above has no rows".to_owned());
            }
        } else if let Some(marker) = marker.as_ref().filter(|_| lines_of_table > 2) {
            match marker.cells(line, results) {
                Ok(cells) => {
                    let changed = cells.iter().filter(|(old, new)| old != new);
                    generated.changes.extend(changed.map(|(old, new)| {
                        format!("{number}: figure {old} is {new} in {}; {AGAIN}", results.file)
                    }));
                    let cells: Vec<String> = cells.into_iter().map(|(_, new)| new).collect();
                    new = format!("| {} |", cells.join(" | "));
                }
                Err(why) => error(why),
            }
        }
        generated.text.push_str(&new);
        generated.text.push('\n');
    }
    generated
}

/// Returns all Markdown files with their texts.
fn texts(workspace: &Workspace) -> impl Iterator<Item = (PathBuf, String)> {
    let files = files(&workspace.root, "md").into_iter();
    files.filter_map(|path| fs::read_to_string(&path).ok().map(|text| (path, text)))
}

/// Returns the suites that the tables quote, sorted.
fn quoted_suites(workspace: &Workspace) -> Vec<String> {
    let mut suites = Vec::new();
    for (_, text) in texts(workspace) {
        let markers = text.lines().filter_map(Marker::parse).flatten();
        suites.extend(markers.map(|marker| marker.suite.to_owned()));
    }
    suites.sort();
    suites.dedup();
    suites
}

/// Writes the files whose tables have changed. A file with errors is not written.
fn rewrite(workspace: &Workspace) -> Result<(), String> {
    let results =
        Results::latest(workspace)?.ok_or("no results; run `cargo xtask bench report`")?;
    let mut errors = Vec::new();
    for (path, text) in texts(workspace) {
        let name = workspace.relative(&path);
        let generated = generate(&text, &results);
        errors.extend(generated.errors.iter().map(|error| format!("{name}:{error}")));
        if generated.errors.is_empty() && !generated.changes.is_empty() {
            fs::write(&path, generated.text).map_err(|why| format!("{name}: {why}"))?;
            println!("{name}: {} figures changed", generated.changes.len());
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// Returns the cells that differ from the results, as `file:line: message`.
pub(crate) fn findings(workspace: &Workspace) -> Vec<String> {
    let results = match Results::latest(workspace) {
        Ok(results) => results,
        Err(why) => return vec![why],
    };
    let mut findings = Vec::new();
    for (path, text) in texts(workspace) {
        let found = if let Some(results) = &results {
            let generated = generate(&text, results);
            [generated.errors, generated.changes].concat()
        } else {
            let markers = (1..).zip(text.lines()).filter(|(_, line)| line.starts_with(MARKER));
            let missing = "no results for this table; run `cargo xtask bench report`";
            markers.map(|(number, _): (u32, _)| format!("{number}: {missing}")).collect()
        };
        let name = workspace.relative(&path);
        findings.extend(found.into_iter().map(|finding| format!("{name}:{finding}")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::results::FOLDER;
    use super::{AGAIN, Results, Workspace, findings, generate, quoted_suites, rewrite};
    use serde_json::{Value, json};
    use std::{env, fs};

    const TABLE: &str = "\
Ticks.
<!-- figures hshg ns, ratio: tick; from nothing -->
| scene | tick | new |
|---|---|---|
| `discs:9` equal `discs` | 4.5, 8.2 | 103, 1.9 |
| `terdiman:9` | 1.0, 0.95 | – |

| `discs:9` | no marker |
";

    fn rows() -> Value {
        let row = |scene: &str, subject: &str, ns: f64, ratio: f64| {
            json!({
                "suite": "hshg", "scene": scene, "subject": subject, "backend": "avx2",
                "threads": 1, "n": 9, "ns_per_object": ns, "ratio": ratio,
            })
        };
        json!([
            row("discs:9", "tick", 4.46, 8.2),
            row("discs:9", "from nothing", 103.4, 1.94),
            row("terdiman:9", "tick", 1.0, 0.95),
        ])
    }

    fn results() -> Results {
        Results { file: "r.json".into(), json: json!({ "date": "2026-01-02", "rows": rows() }) }
    }

    #[test]
    fn cells_are_generated_from_rows() {
        let generated = generate(TABLE, &results());
        assert_eq!((generated.text.as_str(), generated.errors.len()), (TABLE, 0));
        assert!(generated.changes.is_empty(), "{:?}", generated.changes);

        let unmeasured = TABLE.replace("4.5, 8.2", "?").replace("| 103, 1.9 |", "|  |");
        let generated = generate(&unmeasured, &results());
        assert_eq!(generated.text, TABLE);
        let change = |old: &str, new: &str| format!("5: figure {old} is {new} in r.json; {AGAIN}");
        assert_eq!(generated.changes, [change("?", "4.5, 8.2"), change("", "103, 1.9")]);
    }

    #[test]
    fn invalid_tables_are_errors_with_their_lines() {
        for (from, to, expected) in [
            ("`discs:9` equal", "`discs:8` equal", "5: no result for `discs:8` and `tick` in"),
            ("tick; from", "tick; fram", "5: no result for `discs:9` and `fram nothing` in"),
            ("`terdiman:9`", "terdiman:9", "6: the first cell has no key in backticks"),
            (" | – |", " |", "6: 1 cells for 2 columns"),
            ("ns, ratio:", "ns, ration:", "2: a marker is <!-- figures SUITE"),
            (" -->", "", "2: a marker is <!-- figures SUITE"),
            ("|---|---|---|\n", "\n", "4: the table above has no rows"),
        ] {
            let text = TABLE.replace(from, to);
            assert_ne!(text, TABLE, "{from}");
            let generated = generate(&text, &results());
            let found = generated.errors.first().is_some_and(|error| error.starts_with(expected));
            assert!(found, "{to}: {:?}", generated.errors);
        }
    }

    #[test]
    fn tables_must_equal_the_latest_results() {
        let root = env::temp_dir().join(format!("hexphase-figures-{}", std::process::id()));
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        fs::write(root.join("README.md"), TABLE).unwrap();
        let workspace = Workspace { root: root.clone(), packages: Vec::new() };
        assert_eq!(quoted_suites(&workspace), ["hshg"]);
        let missing = "README.md:2: no results for this table; run `cargo xtask bench report`";
        assert_eq!(findings(&workspace), [missing]);
        assert!(rewrite(&workspace).unwrap_err().starts_with("no results"));

        let write = |name: &str, date: &str, rows: Value| {
            let json = json!({ "date": date, "rows": rows });
            fs::write(folder.join(name), json.to_string()).unwrap();
        };
        write("new.json", "2026-02-01", rows());
        write("old.json", "2026-01-31", json!([]));
        assert!(findings(&workspace).is_empty(), "{:?}", findings(&workspace));
        fs::write(root.join("README.md"), TABLE.replace("0.95", "0.96")).unwrap();
        let changed = format!("README.md:6: figure 1.0, 0.96 is 1.0, 0.95 in {FOLDER}/new.json; ");
        assert_eq!(findings(&workspace), [changed + AGAIN]);
        rewrite(&workspace).unwrap();
        assert_eq!(fs::read_to_string(root.join("README.md")).unwrap(), TABLE);
        assert!(findings(&workspace).is_empty());
        // Without rows nothing is written, and each row of the table is an error.
        write("newest.json", "2026-02-02", json!([]));
        let why = rewrite(&workspace).unwrap_err();
        assert!(why.starts_with("README.md:5: no result for `discs:9` and `tick` in"), "{why}");
        assert_eq!((why.lines().count(), findings(&workspace).len()), (2, 2));
        fs::remove_dir_all(&root).unwrap();
    }
}
