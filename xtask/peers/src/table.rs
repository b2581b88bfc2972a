//! Formats rows as a text table.

use core::fmt::Write as _;

use crate::row::Row;

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
    use super::{progress, table};
    use crate::row::{PeerTime, Row};

    #[test]
    fn columns_line_up() {
        let ours = Row {
            suite: "hash".into(),
            scene: "discs:10000".into(),
            subject: "hash".into(),
            backend: "avx2".into(),
            threads: 1,
            n: 10_000,
            pairs: 1_826,
            unit: "ns_per_object",
            ns: 25.0,
            peer: Some(PeerTime { name: "rstar".into(), ns: 250.0 }),
        };
        let peer = Row {
            subject: "rstar".into(),
            backend: "native".into(),
            peer: None,
            ns: 250.0,
            ..ours.clone()
        };
        let expected = "\
scene        subject  backend  threads  pairs       ns  per     peer           ratio
discs:10000  hash     avx2           1   1826   25.000  object  rstar 250.000  10.00
discs:10000  rstar    native         1   1826  250.000  object
";
        assert_eq!(table(&[ours.clone(), peer]), expected);
        let line = "# discs:10000: hash, avx2, 1 thread: 25.000 ns per object";
        assert_eq!(progress(&ours), line);
    }
}
