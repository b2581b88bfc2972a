//! One measurement, as it is written to the JSON file.

use serde_json::{Map, Value, json};

/// The time of another library that did the same work in the same run.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerTime {
    /// Its name.
    pub name: String,
    /// Its nanoseconds per unit of work.
    pub ns: f64,
}

/// One measurement: who did what, how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The suite, named like its file.
    pub suite: String,
    /// The input.
    pub scene: String,
    /// What was measured.
    pub subject: String,
    /// The backend it ran on; `native` for other libraries.
    pub backend: String,
    /// How many threads it used.
    pub threads: usize,
    /// How many objects (points, codes, volumes) the scene has.
    pub n: usize,
    /// How many pairs or hits the answer has.
    pub pairs: u64,
    /// The name of the time: `ns_per_object`, `ns_per_point`, `ns_per_test` or `ns_per_code`.
    pub unit: &'static str,
    /// Nanoseconds per unit of work, the median.
    pub ns: f64,
    /// The fastest other library in the same comparison, beside our own measurements.
    pub peer: Option<PeerTime>,
}

impl Row {
    /// How many times faster than the peer we are: the peer's time by ours.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.peer.as_ref().map(|peer| peer.ns / self.ns)
    }

    /// The row as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut row = Map::new();
        row.insert("suite".into(), json!(self.suite));
        row.insert("scene".into(), json!(self.scene));
        row.insert("subject".into(), json!(self.subject));
        row.insert("backend".into(), json!(self.backend));
        row.insert("threads".into(), json!(self.threads));
        row.insert("n".into(), json!(self.n));
        row.insert("pairs".into(), json!(self.pairs));
        row.insert(self.unit.into(), json!(rounded(self.ns)));
        if let (Some(peer), Some(ratio)) = (&self.peer, self.ratio()) {
            row.insert("peer".into(), json!(peer.name));
            row.insert("peer_ns".into(), json!(rounded(peer.ns)));
            row.insert("ratio".into(), json!(rounded(ratio)));
        }
        Value::Object(row)
    }
}

/// Four significant digits: more than a shared machine can repeat.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::{PeerTime, Row};

    fn row() -> Row {
        Row {
            suite: "hash".into(),
            scene: "discs:10000".into(),
            subject: "hash".into(),
            backend: "avx2".into(),
            threads: 1,
            n: 10_000,
            pairs: 1_826,
            unit: "ns_per_object",
            ns: 12.345_678,
            peer: None,
        }
    }

    #[test]
    fn a_row_names_its_time_by_the_unit() {
        let json = row().to_json();
        assert_eq!(json["ns_per_object"], 12.35);
        assert_eq!(json["n"], 10_000);
        assert_eq!(json["pairs"], 1_826);
        assert_eq!(json.get("peer"), None);
        assert_eq!(json.get("ratio"), None);
    }

    #[test]
    fn the_ratio_is_above_one_where_we_are_faster() {
        let peer = Some(PeerTime { name: "rstar".into(), ns: 123.456_78 });
        let json = Row { peer, ..row() }.to_json();
        assert_eq!(json["peer"], "rstar");
        assert_eq!(json["peer_ns"], 123.5);
        assert_eq!(json["ratio"], 10.0);
    }
}
