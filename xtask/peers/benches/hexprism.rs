//! Bounding volumes against each other: the hexprism text's experiment on data that is all there,
//! and other data to show where prisms lose.
//!
//! A test is one query against one volume. Before anything is timed, what every batch accepts is
//! compared with testing volume after volume, on every backend. Every query is one of the volumes, and
//! finds itself.

#[path = "hexprism/data.rs"]
mod data;
#[path = "hexprism/volumes.rs"]
mod volumes;

use bounds_hexprism::{Aabb, Backend, Batch, HexPrism, Reading, Saving, SplitPrism, TestOrder};
use data::{Data, OTHERS, TALL};
use peers::{Answer, Row, Scene, Subject, Suite, Work};
use volumes::{Bounding, BoxByX, Octahedron, SevenSided};

/// The queries of the text's table.
const TABLE: usize = 500;
/// More volumes than this are tested one by one by a few queries only.
const BIG: usize = 100_000;
/// The queries of a run that asks one after the other, and of one that asks all together.
const ONE_BY_ONE: usize = 32;
const TOGETHER: usize = 64;

fn main() {
    let mut suite = Suite::new("hexprism");
    let mut experiments = vec![
        Experiment::new(TALL, 2_048, true),
        Experiment::new(TALL, 16_384, true),
        Experiment::new(TALL, 4_000_000, true),
    ];
    experiments.extend(OTHERS.map(|data| Experiment::new(data, 50_000, false)));
    for experiment in &mut experiments {
        experiment.run(&mut suite);
    }
    let rows = suite.rows();
    for experiment in &experiments {
        experiment.print(&rows);
    }
    suite.finish();
}

/// All volumes around the same objects.
struct Experiment {
    data: Data,
    n: usize,
    scene: String,
    /// On every backend, or on the best.
    all_backends: bool,
    /// What the volumes did that needs no clock.
    lines: Vec<Line>,
    saving: Saving,
}

/// A line of the text's table.
struct Line {
    volume: &'static str,
    subject: &'static str,
    accepts: usize,
    reading: Reading,
}

impl Experiment {
    fn new(data: Data, n: usize, all_backends: bool) -> Self {
        let scene = format!("{}:{n}", data.name);
        Self { data, n, scene, all_backends, lines: Vec::new(), saving: Saving::default() }
    }

    fn run(&mut self, suite: &mut Suite) {
        use TestOrder::{Auto, DownFirst, UpFirst};
        self.volume::<Aabb<f32, 3>>(suite, &[("AABB", "aabb", Auto)]);
        self.volume::<BoxByX>(suite, &[("AABB, x first", "aabb-x", Auto)]);
        self.volume::<SplitPrism>(suite, &[("HexPrism, naive", "naive", Auto)]);
        self.volume::<HexPrism>(
            suite,
            &[
                ("HexPrism, up first", "prism-up", UpFirst),
                ("HexPrism, down first", "prism-down", DownFirst),
            ],
        );
        self.volume::<SevenSided>(suite, &[("7-sided AABB", "seven", UpFirst)]);
        self.volume::<Octahedron>(suite, &[("AABO", "aabo", UpFirst)]);
        let sample = || self.data.objects(self.n.min(8_000));
        let boxes = Batch::of(sample().map(|points| Aabb::<f32, 3>::bounding(&points)));
        let prisms = Batch::of(sample().map(|points| HexPrism::bounding(&points)));
        self.saving = Saving::of(&boxes.expect("finite"), &prisms.expect("finite"));
    }

    /// Checks and measures one kind of volume in some test orders.
    fn volume<V: Bounding>(
        &mut self,
        suite: &mut Suite,
        orders: &[(&'static str, &'static str, TestOrder)],
    ) {
        let volumes: Vec<V> =
            self.data.objects(self.n).map(|points| V::bounding(&points)).collect();
        let mut batch = Batch::of(volumes.iter().copied()).expect("finite");
        let queries = |count: usize| -> Vec<V> {
            (0..count).map(|i| volumes[i * (self.n / count)]).collect()
        };
        let (few, many, all) = (queries(ONE_BY_ONE), queries(TOGETHER), queries(TABLE));
        let by_definition = |queries: &[V]| -> Vec<usize> {
            let count = |query: &V| volumes.iter().filter(|volume| volume.overlaps(query)).count();
            queries.iter().map(count).collect()
        };
        let expected = by_definition(&few);
        let answer = |counts: &[usize]| {
            let pairs = counts.iter().sum::<usize>() as u64;
            Answer::new(pairs, counts.iter().map(|&count| count as u64))
        };
        let n = self.n;
        for &(volume, subject, order) in orders {
            batch.set_test_order(order);
            let counts = batch.count_many(&all);
            if n <= BIG {
                assert_eq!(counts, by_definition(&all), "{subject}");
            }
            for backend in Backend::available() {
                let mut batch = batch.clone();
                batch.set_backend(backend);
                assert_eq!(batch.count_many(&few), expected, "{subject} on {backend}");
                if self.n <= 50_000 {
                    assert_eq!(
                        batch.count_many(&all),
                        by_definition(&all),
                        "{subject} on {backend}"
                    );
                }
            }
            let accepts = counts.iter().sum();
            // Counting takes its time; a few queries on millions of volumes say enough.
            let counted = if n > BIG { 2 } else { few.len() };
            let reading = batch.reading(&few[..counted]);
            self.lines.push(Line { volume, subject, accepts, reading });
            let backends =
                Backend::available().filter(|&b| self.all_backends || b == Backend::detect());
            for backend in backends {
                let fresh = || {
                    let mut batch = batch.clone();
                    batch.set_backend(backend);
                    (batch, Vec::new())
                };
                let name = backend.to_string();
                let scene = |queries: usize| Scene {
                    name: &self.scene,
                    n,
                    work: Work::Tests((queries * n) as u64),
                };
                suite.compare(scene(few.len()), answer(&expected)).ours(
                    Subject { name: subject, backend: &name, threads: 1 },
                    fresh,
                    |(batch, counts): &mut (Batch<V>, Vec<usize>)| {
                        counts.clear();
                        counts.extend(few.iter().map(|query| batch.count(query)));
                    },
                    |(_, counts)| answer(counts),
                );
                let counts = batch.count_many(&many);
                suite.compare(scene(many.len()), answer(&counts)).ours(
                    Subject { name: &format!("{subject}-many"), backend: &name, threads: 1 },
                    fresh,
                    |(batch, counts)| *counts = batch.count_many(&many),
                    |(_, counts)| answer(counts),
                );
            }
        }
    }

    /// The text's table: accepts and seconds of 500 queries, one after the other.
    fn print(&self, rows: &[Row]) {
        println!("\n{} objects, {}", self.n, self.data.about);
        let Saving { coarse, both, .. } = self.saving;
        println!("of {coarse} pairs of boxes in a sample the prism leaves {both}");
        let backends: Vec<String> = Backend::available().map(|b| b.to_string()).collect();
        print!("{:>22} | {:>8} | {:>6} | {:>6}", "bounding volume", "accepts", "values", "first");
        backends.iter().for_each(|backend| print!(" | {backend:>7} s"));
        println!(" | {:>8}", "together");
        println!("{}", "-".repeat(53 + 12 * backends.len() + 8));
        let tests = (TABLE * self.n) as f64;
        for line in &self.lines {
            let seconds = |subject: &str, backend: &str| {
                let row = rows.iter().find(|row| {
                    row.scene == self.scene && row.subject == subject && row.backend == backend
                });
                row.map_or("-".to_owned(), |row| format!("{:.4}", row.ns * tests / 1e9))
            };
            let Line { volume, subject, accepts, reading } = line;
            let (values, first) = (reading.values_per_test(), reading.decided_first() * 100.0);
            print!("{volume:>22} | {accepts:>8} | {values:>6.2} | {first:>5.2}%");
            backends.iter().for_each(|backend| print!(" | {:>9}", seconds(subject, backend)));
            let best = Backend::detect().to_string();
            println!(" | {:>8}", seconds(&format!("{subject}-many"), &best));
        }
    }
}
