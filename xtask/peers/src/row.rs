//! One measurement, as written to the JSON file.

use serde_json::{Map, Value, json};

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
    /// The name of the time: `ns_per_object`, `ns_per_point`, `ns_per_test` or `ns_per_code`.
    pub unit: &'static str,
    /// The median nanoseconds per unit of work.
    pub ns: f64,
    /// The fastest other library in the same comparison; set only for our own measurements.
    pub peer: Option<PeerTime>,
}

impl Row {
    /// Returns the peer's time divided by ours: above 1 if ours is faster.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.peer.as_ref().map(|peer| peer.ns / self.ns)
    }

    /// Returns the row as a JSON object.
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

/// Rounds to four significant digits, more than a shared machine can reproduce.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::{PeerTime, Row};

    #[test]
    fn the_time_is_named_by_its_unit_and_the_ratio_is_above_one_if_ours_is_faster() {
        let ours = Row {
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
        };
        let json = ours.to_json();
        assert_eq!(json["ns_per_object"], 12.35);
        assert_eq!((json.get("peer"), json.get("ratio")), (None, None));
        let peer = Some(PeerTime { name: "rstar".into(), ns: 123.456_78 });
        let json = Row { peer, ..ours }.to_json();
        assert_eq!(json["peer"], "rstar");
        assert_eq!(json["peer_ns"], 123.5);
        assert_eq!(json["ratio"], 10.0);
    }
}
