//! One measurement, as an object of the JSON file and as a line of the table.

use core::fmt::Write as _;

use serde_json::{Value, json};

/// The time of another library for the same work in the same run.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerTime {
    /// The name of the library.
    pub name: String,
    /// Nanoseconds per unit of work.
    pub ns: f64,
}

/// One measurement: the fields of a JSON object.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The suite, named like its file.
    pub suite: String,
    /// The name of the scene, that is, of the input.
    pub scene: String,
    /// The structure or function that was measured.
    pub subject: String,
    /// The backend used; `native` for other libraries.
    pub backend: String,
    /// The number of threads used.
    pub threads: usize,
    /// The number of objects (points, codes, volumes) in the scene.
    pub n: usize,
    /// The number of pairs or hits found.
    pub pairs: u64,
    /// The name of the time: `ns_per_object`, `ns_per_point` or `ns_per_test`.
    pub unit: &'static str,
    /// The median nanoseconds per unit of work.
    pub ns: f64,
    /// The fastest other library in the same comparison; set only for our own measurements.
    pub peer: Option<PeerTime>,
}

impl Row {
    /// Returns the peer's time divided by ours: above 1 if ours is faster.
    pub fn ratio(&self) -> Option<f64> {
        self.peer.as_ref().map(|peer| peer.ns / self.ns)
    }

    /// Returns the row as a JSON object.
    pub fn to_json(&self) -> Value {
        let mut row = json!({
            "suite": self.suite, "scene": self.scene, "subject": self.subject,
            "backend": self.backend, "threads": self.threads, "n": self.n, "pairs": self.pairs,
        });
        row[self.unit] = json!(rounded(self.ns));
        if let (Some(peer), Some(ratio)) = (&self.peer, self.ratio()) {
            row["peer"] = json!(peer.name);
            row["peer_ns"] = json!(rounded(peer.ns));
            row["ratio"] = json!(rounded(ratio));
        }
        row
    }
}

/// Rounds to four significant digits, more than a shared machine can reproduce.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// Returns the rows as aligned columns under a heading.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut lines = vec![heading()];
    lines.extend(rows.iter().map(cells));
    let widths: [usize; 9] = core::array::from_fn(|column| {
        lines.iter().map(|line| line[column].len()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for line in &lines {
        let mut row = String::new();
        for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
            // Text is left-aligned, numbers are right-aligned.
            let _ = match column {
                0..=2 | 6 | 7 => write!(row, "{cell:<width$}  "),
                _ => write!(row, "{cell:>width$}  "),
            };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

/// Returns one row as a line, to be printed when it has been measured.
pub(crate) fn progress(row: &Row) -> String {
    let [scene, subject, backend, threads, _, ns, unit, ..] = cells(row);
    let plural = if row.threads == 1 { "" } else { "s" };
    format!("# {scene}: {subject}, {backend}, {threads} thread{plural}: {ns} ns per {unit}")
}

fn heading() -> [String; 9] {
    ["scene", "subject", "backend", "threads", "pairs", "ns", "per", "peer", "ratio"]
        .map(String::from)
}

fn cells(row: &Row) -> [String; 9] {
    [
        row.scene.clone(),
        row.subject.clone(),
        row.backend.clone(),
        row.threads.to_string(),
        row.pairs.to_string(),
        format!("{:.3}", row.ns),
        row.unit.trim_start_matches("ns_per_").to_owned(),
        row.peer.as_ref().map_or(String::new(), |peer| format!("{} {:.3}", peer.name, peer.ns)),
        row.ratio().map_or(String::new(), |ratio| format!("{ratio:.2}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::{PeerTime, Row, progress, table};

    #[test]
    fn rows_are_objects_and_aligned_lines() {
        let ours = Row {
            suite: "morton".into(),
            scene: "discs:10000".into(),
            subject: "tick".into(),
            backend: "avx2".into(),
            threads: 1,
            n: 10_000,
            pairs: 1_826,
            unit: "ns_per_object",
            ns: 25.000_05,
            peer: Some(PeerTime { name: "rstar".into(), ns: 250.0 }),
        };
        let subject = "rstar".to_owned();
        let peer = Row { subject, backend: "native".into(), peer: None, ns: 250.0, ..ours.clone() };
        let expected = "\
scene        subject  backend  threads  pairs       ns  per     peer           ratio
discs:10000  tick     avx2           1   1826   25.000  object  rstar 250.000  10.00
discs:10000  rstar    native         1   1826  250.000  object
";
        assert_eq!(table(&[ours.clone(), peer.clone()]), expected);
        let line = "# discs:10000: tick, avx2, 1 thread: 25.000 ns per object";
        assert_eq!(progress(&ours), line);

        let [json, alone] = [ours, peer].map(|row| row.to_json());
        assert_eq!(json["ns_per_object"], 25.0);
        assert_eq!(json["peer"], "rstar");
        assert_eq!(json["peer_ns"], 250.0);
        assert_eq!(json["ratio"], 10.0);
        assert_eq!((alone.get("peer"), alone.get("ratio")), (None, None));
    }
}
