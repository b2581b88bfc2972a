//! Results files: the rows of several suites, with the machine and versions that they depend on.

use std::fs;

use serde_json::Value;

use crate::tidy::files;
use crate::workspace::Workspace;

/// The folder of the results files, one per CPU.
pub(super) const FOLDER: &str = "xtask/peers/results";

/// Backends from the slowest to the fastest one.
const BACKENDS: [&str; 4] = ["scalar", "wide", "sse41", "avx2"];

/// A number in a cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    /// The nanoseconds per unit of work.
    Ns,
    /// The milliseconds for all objects of the scene; only where the unit of work is an object.
    Ms,
    /// The time of the fastest other library divided by this time.
    Ratio,
    /// The median absolute deviation of the time, divided by its median.
    Spread,
}

impl Field {
    /// Returns the field with a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "ns" => Some(Self::Ns),
            "ms" => Some(Self::Ms),
            "ratio" => Some(Self::Ratio),
            "spread" => Some(Self::Spread),
            _ => None,
        }
    }

    /// Returns the number of a row; `None` if the row lacks it.
    fn number(self, row: &Value) -> Option<f64> {
        match self {
            Self::Ns => {
                let mut fields = row.as_object()?.iter();
                fields.find(|(name, _)| name.starts_with("ns_per_"))?.1.as_f64()
            }
            Self::Ms => Some(row["ns_per_object"].as_f64()? * row["n"].as_f64()? / 1e6),
            Self::Ratio => row["ratio"].as_f64(),
            Self::Spread => row["spread"].as_f64(),
        }
    }
}

/// A key of a table: a scene or a subject, and optionally the number of threads and the backend.
#[derive(Debug)]
struct Key<'a> {
    name: &'a str,
    threads: Option<u64>,
    backend: Option<&'a str>,
}

impl<'a> Key<'a> {
    /// Parses `NAME @THREADS [BACKEND]`.
    fn parse(text: &'a str) -> Self {
        let bare = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
        let (text, backend) = bare.map_or((text, None), |(text, backend)| (text, Some(backend)));
        let bare =
            text.rsplit_once(" @").and_then(|(name, count)| Some((name, count.parse().ok()?)));
        let (name, threads) = bare.map_or((text, None), |(name, threads)| (name, Some(threads)));
        Self { name, threads, backend }
    }
}

/// The content of a results file.
#[derive(Debug)]
pub(super) struct Results {
    /// The path relative to the root.
    pub(super) file: String,
    pub(super) json: Value,
}

impl Results {
    /// Reads the file with the latest date.
    pub(super) fn latest(workspace: &Workspace) -> Result<Option<Self>, String> {
        let mut all = Vec::new();
        for path in files(&workspace.root.join(FOLDER), "json") {
            let file = workspace.relative(&path).to_string();
            let text = fs::read_to_string(&path).map_err(|why| format!("{file}: {why}"))?;
            let json = serde_json::from_str(&text).map_err(|why| format!("{file}: {why}"))?;
            all.push(Self { file, json });
        }
        // Dates such as 2026-01-02 are ordered as text.
        Ok(all.into_iter().max_by(|a, b| a.json["date"].as_str().cmp(&b.json["date"].as_str())))
    }

    /// Returns the rows of a suite.
    fn rows(&self, suite: &str) -> impl Iterator<Item = &Value> {
        let rows = self.json["rows"].as_array().into_iter().flatten();
        rows.filter(move |row| row["suite"] == suite)
    }

    /// Returns the text of a cell.
    ///
    /// One key is the scene of the row and the other one its subject. A key may end in ` @2`, the
    /// number of threads (default 1), or in ` [scalar]`, the backend (default: the fastest one).
    pub(super) fn cell(
        &self,
        suite: &str,
        fields: &[Field],
        keys: [&str; 2],
    ) -> Result<String, String> {
        let [a, b] = keys.map(Key::parse);
        let threads = a.threads.or(b.threads).unwrap_or(1);
        let backend = a.backend.or(b.backend);
        let is = |row: &Value, scene: &Key<'_>, subject: &Key<'_>| {
            row["scene"] == scene.name && row["subject"] == subject.name
        };
        let mut rows: Vec<&Value> = self
            .rows(suite)
            .filter(|row| is(row, &a, &b) || is(row, &b, &a))
            .filter(|row| row["threads"] == threads)
            .filter(|row| backend.is_none_or(|backend| row["backend"] == backend))
            .collect();
        // Other libraries have the backend `native`.
        let rank = |row: &Value| BACKENDS.iter().position(|&name| row["backend"] == name);
        let best = rows.iter().filter_map(|row| rank(row)).max();
        rows.retain(|row| rank(row).is_none() || rank(row) == best);
        let error = |why: &str| {
            format!(
                "{why} for `{}` and `{}` in the suite {suite} of {}",
                keys[0], keys[1], self.file
            )
        };
        let row = match rows[..] {
            [row] => row,
            [] => return Err(error("no result")),
            _ => return Err(error("several results")),
        };
        let number = |field: &Field| {
            field.number(row).map(shown).ok_or_else(|| error(&format!("no {field:?}")))
        };
        Ok(fields.iter().map(number).collect::<Result<Vec<_>, _>>()?.join(", "))
    }
}

/// Returns a number below 10 with two significant digits, and other numbers as integers.
fn shown(number: f64) -> String {
    let rounded: f64 = format!("{number:.1e}").parse().unwrap_or(number);
    if rounded == 0.0 {
        return "0".to_owned();
    }
    let decimals = (1.0 - rounded.log10().floor()).max(0.0) as usize;
    format!("{number:.decimals$}")
}

/// Returns the text of a results file: each row on one line, so that diffs are small.
pub(super) fn file_text(header: &Value, rows: &[Value]) -> String {
    let header = format!("{header:#}");
    let header = header.strip_suffix("\n}").unwrap_or(&header);
    let rows: Vec<String> = rows.iter().map(|row| format!("    {row}")).collect();
    format!("{header},\n  \"rows\": [\n{}\n  ]\n}}\n", rows.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::{Field, Results, Value, file_text, shown};
    use serde_json::json;

    fn row(scene: &str, subject: &str, backend: &str, threads: u64, ns: f64) -> Value {
        json!({
            "suite": "hshg", "scene": scene, "subject": subject, "backend": backend,
            "threads": threads, "n": 500_000, "ns_per_object": ns, "spread": 0.012,
        })
    }

    #[test]
    fn cells_match_scene_subject_threads_and_backend() {
        let rows = json!([
            row("discs:9", "tick", "scalar", 1, 40.0),
            row("discs:9", "tick", "avx2", 1, 4.0),
            row("discs:9", "tick", "sse41", 1, 8.0),
            row("discs:9", "tick", "avx2", 2, 2.5),
            row("discs:9", "rstar", "native", 1, 120.0),
            row("discs:9", "both", "native", 1, 1.0),
            row("discs:9", "both", "avx2", 1, 1.0),
            row("cell [a]", "at @home", "scalar", 1, 7.0),
        ]);
        let results = Results { file: "r.json".into(), json: json!({ "rows": rows }) };
        let cell = |a: &str, b: &str| results.cell("hshg", &[Field::Ns], [a, b]);
        for (a, b, expected) in [
            ("discs:9", "tick", "4.0"),
            ("tick", "discs:9", "4.0"),
            ("discs:9", "tick @2", "2.5"),
            ("discs:9 @2 [avx2]", "tick", "2.5"),
            ("discs:9 [scalar]", "tick", "40"),
            ("rstar", "discs:9", "120"),
            ("both [avx2]", "discs:9", "1.0"),
            ("cell [a] [scalar]", "at @home", "7.0"),
        ] {
            assert_eq!(cell(a, b).as_deref(), Ok(expected), "{a}, {b}");
        }
        for (a, b, why) in [
            ("discs:9", "tack", "no result for `discs:9` and `tack` in the suite hshg of r.json"),
            ("discs:9", "discs:9", "no result"),
            ("discs:9", "tick @3", "no result"),
            ("discs:9", "rstar [avx2]", "no result"),
            ("discs:9", "both", "several results"),
        ] {
            assert!(cell(a, b).unwrap_err().starts_with(why), "{a}, {b}: {:?}", cell(a, b));
        }
        assert!(results.cell("hash", &[Field::Ns], ["discs:9", "tick"]).is_err());
        let all = ["ms", "spread"].map(|name| Field::named(name).unwrap());
        assert_eq!(results.cell("hshg", &all, ["discs:9", "tick"]).as_deref(), Ok("2.0, 0.012"));
        let ratio = results.cell("hshg", &[Field::Ratio], ["discs:9", "tick"]).unwrap_err();
        assert!(ratio.starts_with("no Ratio for `discs:9`"), "{ratio}");
    }

    #[test]
    fn numbers_have_two_significant_digits_or_are_integers() {
        for (number, expected) in [
            (7.44, "7.4"),
            (0.844, "0.84"),
            (0.0846, "0.085"),
            (0.996, "1.0"),
            (9.94, "9.9"),
            (9.96, "10"),
            (12.4, "12"),
            (103.5, "104"),
            (1850.0, "1850"),
            (0.0, "0"),
        ] {
            assert_eq!(shown(number), expected, "{number}");
        }
    }

    #[test]
    fn a_file_has_one_line_per_row() {
        let rows = [row("a", "b", "avx2", 1, 1.0), row("c", "d", "avx2", 1, 2.0)];
        let header = json!({ "cpu": "x", "peers": { "rstar": "0.13.1" } });
        let text = file_text(&header, &rows);
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["cpu"], &json["peers"]), (&header["cpu"], &header["peers"]));
        assert_eq!(json["rows"], json!(rows));
        assert!(text.contains("\n  \"cpu\": \"x\",\n"), "{text}");
        let lines = text.lines().filter(|line| line.starts_with("    {\"")).count();
        assert_eq!(lines, 2, "{text}");
    }
}
