//! One measurement, as an object of the JSON file and as a line of the table.

use core::fmt::Write as _;

use serde_json::{Value, json};

/// One measurement: the fields of a JSON object.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) suite: String,
    pub(crate) scene: String,
    pub(crate) subject: String,
    pub(crate) backend: String,
    pub(crate) threads: usize,
    /// The number of objects (points, volumes) in the scene.
    pub(crate) n: usize,
    /// The number of pairs or hits found.
    pub(crate) pairs: u64,
    /// The name of the time: `ns_per_object`, `ns_per_point` or `ns_per_test`.
    pub(crate) unit: &'static str,
    /// The median nanoseconds per unit of work.
    pub(crate) ns: f64,
    /// The median absolute deviation divided by the median; unset for a modelled time.
    pub(crate) spread: Option<f64>,
    /// The fastest other library in the same comparison, and its nanoseconds per unit of work; set
    /// only for our own measurements.
    pub(crate) peer: Option<(String, f64)>,
}

impl Row {
    /// Returns the peer's time divided by ours: above 1 if ours is faster.
    fn ratio(&self) -> Option<f64> {
        self.peer.as_ref().map(|(_, ns)| ns / self.ns)
    }

    /// Returns the row as a JSON object.
    pub(crate) fn to_json(&self) -> Value {
        let mut row = json!({
            "suite": self.suite, "scene": self.scene, "subject": self.subject,
            "backend": self.backend, "threads": self.threads, "n": self.n, "pairs": self.pairs,
        });
        row[self.unit] = json!(rounded(self.ns, 4));
        if let Some(spread) = self.spread {
            row["spread"] = json!(rounded(spread, 2));
        }
        if let (Some((name, ns)), Some(ratio)) = (&self.peer, self.ratio()) {
            row["peer"] = json!(name);
            row["peer_ns"] = json!(rounded(*ns, 4));
            row["ratio"] = json!(rounded(ratio, 4));
        }
        row
    }
}

/// Rounds to significant digits. Four are more than a shared machine can reproduce.
fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits - 1).parse().unwrap_or(number)
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
        row.peer.as_ref().map_or(String::new(), |(name, ns)| format!("{name} {ns:.3}")),
        row.ratio().map_or(String::new(), |ratio| format!("{ratio:.2}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::{Row, progress, table};

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
            spread: Some(0.012_34),
            peer: Some(("rstar".into(), 250.0)),
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
        assert_eq!(json["spread"], 0.012);
        assert_eq!(json["peer"], "rstar");
        assert_eq!(json["peer_ns"], 250.0);
        assert_eq!(json["ratio"], 10.0);
        assert_eq!((alone.get("peer"), alone.get("ratio")), (None, None));
    }
}
