//! Compares bounding volumes. Repeats the experiment of the article on hexagonal prisms
//! (COVERAGE.md of bounds-hexprism) with reproducible data, and adds data for which prisms are
//! slower.
//!
//! A test is one query against one volume. Before timing, the results of each batch are compared,
//! on every backend, with separate tests of each volume. Every query is a copy of one of the
//! volumes, so it finds at least this volume.

#[path = "hexprism/data.rs"]
mod data;
#[path = "hexprism/race.rs"]
mod race;
#[path = "hexprism/reading.rs"]
mod reading;
#[path = "hexprism/volumes.rs"]
mod volumes;

use core::time::Duration;

use bounds_hexprism::{Aabb, Backend, Batch, HexPrism, SplitPrism};
use data::{Data, OTHERS, TALL};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};
use race::{Asking, Runner, race};
use reading::Reading;
use volumes::{Bounding, BoxByX, Octahedron, SevenSided};

/// Number of queries in the article's table.
const TABLE: usize = 500;
/// Number of volumes that fit the first-level cache.
const SMALL: usize = 2_048;
/// Number of volumes between the first-level and the last-level cache.
const IN_BETWEEN: usize = 16_384;
/// Above this number of volumes, only a few queries are tested volume by volume.
const MAX_TESTED_ONE_BY_ONE: usize = 100_000;
/// Numbers of queries per timed run: `ONE_BY_ONE` with one call per query, `TOGETHER` with one call
/// for all queries.
const ONE_BY_ONE: usize = 32;
const TOGETHER: usize = 64;

fn main() {
    let mut suite = Suite::new("hexprism");
    // The three planes of a triangle, which are tested first, take 24 KiB, 192 KiB and 46 MiB.
    let mut experiments = vec![Experiment::new(TALL, SMALL), Experiment::new(TALL, IN_BETWEEN)];
    if measuring() {
        experiments.push(Experiment::new(TALL, 4_000_000));
    }
    let others = if measuring() { 50_000 } else { SMALL };
    experiments.extend(OTHERS.map(|data| Experiment::new(data, others)));
    for experiment in &mut experiments {
        experiment.run(&mut suite);
        if !suite.rows().is_empty() {
            experiment.print();
        }
        experiment.lines.clear();
    }
    suite.finish();
}

/// One set of objects, bounded by every kind of volume.
struct Experiment {
    data: Data,
    n: usize,
    scene: String,
    lines: Vec<Line>,
    /// In a sample, the number of pairs with overlapping boxes, and with overlapping prisms.
    box_pairs: [u64; 2],
}

/// A line of the article's table: one kind of volume.
struct Line {
    volume: &'static str,
    accepts: usize,
    reading: Reading,
    runner: Box<dyn Runner>,
}

impl Experiment {
    fn new(data: Data, n: usize) -> Self {
        let scene = format!("{}:{n}", data.name);
        Self { data, n, scene, lines: Vec::new(), box_pairs: [0; 2] }
    }

    fn run(&mut self, suite: &mut Suite) {
        self.volume::<Aabb<f32, 3>>(suite, "AABB", "aabb");
        self.volume::<BoxByX>(suite, "AABB, x first", "aabb-x");
        self.volume::<SplitPrism>(suite, "HexPrism, naive", "naive");
        self.volume::<HexPrism>(suite, "HexPrism", "prism");
        self.volume::<SevenSided>(suite, "7-sided AABB", "seven");
        self.volume::<Octahedron>(suite, "AABO", "aabo");
        let sample = || self.data.objects(self.n.min(8_000));
        let boxes = Batch::of(sample().map(|points| Aabb::<f32, 3>::bounding(&points)));
        let prisms: Vec<HexPrism> = sample().map(|points| HexPrism::bounding(&points)).collect();
        self.box_pairs = [0; 2];
        boxes.expect("finite volumes").pairs(|a, b| {
            self.box_pairs[0] += 1;
            self.box_pairs[1] += u64::from(prisms[a].overlaps(&prisms[b]));
        });
    }

    /// Checks and measures one kind of volume.
    fn volume<V: Bounding>(&mut self, suite: &mut Suite, volume: &'static str, subject: &str) {
        let n = self.n;
        let volumes: Vec<V> = self.data.objects(n).map(|points| V::bounding(&points)).collect();
        let batch = Batch::of(volumes.iter().copied()).expect("finite volumes");
        let queries =
            |count: usize| -> Vec<V> { (0..count).map(|i| volumes[i * (n / count)]).collect() };
        let (few, many, all) = (queries(ONE_BY_ONE), queries(TOGETHER), queries(TABLE));
        let by_definition = |queries: &[V]| -> Vec<usize> {
            let count = |query: &V| volumes.iter().filter(|volume| volume.overlaps(query)).count();
            queries.iter().map(count).collect()
        };
        let expected = by_definition(&few);
        let counts = batch.count_many(&all);
        assert!(n > MAX_TESTED_ONE_BY_ONE || counts == by_definition(&all), "{subject}");
        for backend in Backend::available() {
            let mut batch = batch.clone();
            batch.set_backend(backend);
            assert_eq!(batch.count_many(&few), expected, "{subject} on {backend}");
        }
        self.measure(suite, subject, &batch, [&few, &many]);
        // Counting is slow, and a few queries on millions of volumes are sufficient.
        let counted = if n > MAX_TESTED_ONE_BY_ONE { 2 } else { few.len() };
        self.lines.push(Line {
            volume,
            accepts: counts.iter().sum(),
            reading: Reading::of(&volumes, &few[..counted]),
            runner: Box::new(Asking {
                batch: batch.clone(),
                one_by_one: few.clone(),
                together: many.clone(),
            }),
        });
    }

    /// Adds the rows of one kind of volume: for the article's data on every backend, for other data
    /// only for the two most important subjects on the fastest backend. The printed tables contain
    /// all subjects.
    fn measure<V: Bounding>(
        &self,
        suite: &mut Suite,
        subject: &str,
        batch: &Batch<V>,
        [few, many]: [&[V]; 2],
    ) {
        let scene = |queries: &[V]| Scene {
            name: &self.scene,
            n: self.n,
            work: Work::Tests((queries.len() * self.n) as u64),
        };
        let answer = |counts: &[usize]| {
            let pairs = counts.iter().sum::<usize>() as u64;
            Answer::new(pairs, counts.iter().map(|&count| count as u64))
        };
        let (best, main) = (Backend::detect(), ["aabb", "prism"].contains(&subject));
        let everything = self.data.is_the_texts() && self.n != IN_BETWEEN;
        let wanted = |backend| everything || main && backend == best;
        for backend in Backend::available().filter(|&backend| wanted(backend)) {
            let name = backend.to_string();
            let fresh = || {
                let mut batch = batch.clone();
                batch.set_backend(backend);
                (batch, Vec::new())
            };
            suite.compare(scene(few), answer(&batch.count_many(few))).ours(
                Subject { name: subject, backend: &name, threads: 1 },
                fresh,
                |(batch, counts): &mut (Batch<V>, Vec<usize>)| {
                    counts.clear();
                    counts.extend(few.iter().map(|query| batch.count(query)));
                },
                |(_, counts)| answer(counts),
            );
            if main {
                suite.compare(scene(many), answer(&batch.count_many(many))).ours(
                    Subject { name: &format!("{subject}-many"), backend: &name, threads: 1 },
                    fresh,
                    |(batch, counts)| *counts = batch.count_many(many),
                    |(_, counts)| answer(counts),
                );
            }
        }
    }

    /// Prints the article's table: for 500 queries, the number of volumes found and the seconds
    /// needed, with one call per query and with one call for all queries.
    fn print(&mut self) {
        let time = Duration::from_secs(if self.n > MAX_TESTED_ONE_BY_ONE { 30 } else { 4 });
        let (mut lines, mut runners) = (Vec::new(), Vec::new());
        for Line { volume, accepts, reading, runner } in self.lines.drain(..) {
            lines.push((volume, accepts, reading));
            runners.push(runner);
        }
        let best = race(&mut runners, time);
        let backends: Vec<String> = Backend::available().map(|b| b.to_string()).collect();
        println!("\n{} objects, {}; seconds of {TABLE} queries", self.n, self.data.about);
        let [coarse, both] = self.box_pairs;
        println!(
            "in a sample, {both} of {coarse} overlapping pairs of boxes also overlap as prisms"
        );
        print!("{:>22} | {:>8} | {:>6} | {:>7}", "bounding volume", "accepts", "values", "first");
        backends.iter().for_each(|backend| print!(" | {backend:>8}"));
        println!(" | {:>8} | {:>7}", "together", "ns/test");
        println!("{}", "-".repeat(73 + 11 * backends.len()));
        for ((volume, accepts, reading), best) in lines.iter().zip(best) {
            let (values, first) = (reading.values_per_test(), reading.decided_first() * 100.0);
            print!("{volume:>22} | {accepts:>8} | {values:>6.2} | {first:>6.2}%");
            let seconds =
                |best: Duration, queries: usize| best.as_secs_f64() * TABLE as f64 / queries as f64;
            for &best in &best.one_by_one {
                print!(" | {:>8.6}", seconds(best, ONE_BY_ONE));
            }
            let fastest = best.one_by_one.last().copied().unwrap_or_default();
            let ns = fastest.as_secs_f64() * 1e9 / (ONE_BY_ONE * self.n) as f64;
            println!(" | {:>8.6} | {ns:>7.3}", seconds(best.together, TOGETHER));
        }
    }
}
