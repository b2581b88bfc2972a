//! Compares bounding volumes. Repeats the experiment of the article on hexagonal prisms
//! (COVERAGE.md of bounds-hexprism) with reproducible data, and adds data for which prisms are
//! slower.
//!
//! A test is one query against one volume. Before timing, the results of each batch are compared,
//! on every backend, with separate tests of each volume. Every query is a copy of one of the
//! volumes, so it finds at least this volume.

#[path = "hexprism/data.rs"]
mod data;
#[path = "hexprism/reading.rs"]
mod reading;
#[path = "hexprism/volumes.rs"]
mod volumes;

use bounds_hexprism::{Aabb, Backend, Batch, Bounds, HexPrism, SplitPrism};
use data::{Data, OTHERS, TALL};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};
use reading::Reading;
use volumes::{Bounding, BoxByX, Octahedron, SevenSided};

/// Number of queries whose results are counted.
const COUNTED: usize = 500;
/// Number of volumes that fit the first-level cache.
const SMALL: usize = 2_048;
/// Above this number of volumes, only a few queries are tested volume by volume.
const MAX_TESTED_ONE_BY_ONE: usize = 100_000;
/// Numbers of queries per timed run: `ONE_BY_ONE` with one call per query, `TOGETHER` with one call
/// for all queries.
const ONE_BY_ONE: usize = 32;
const TOGETHER: usize = 64;

fn main() {
    let mut suite = Suite::new("hexprism");
    // The three planes of a triangle, which are tested first, take 24 KiB and 46 MiB.
    compare(&mut suite, &TALL, SMALL);
    if measuring() {
        compare(&mut suite, &TALL, 4_000_000);
    }
    let others = if measuring() { 50_000 } else { SMALL };
    for data in &OTHERS {
        compare(&mut suite, data, others);
    }
    suite.finish();
}

/// Checks and measures all kinds of volumes for one set of objects.
fn compare(suite: &mut Suite, data: &Data, n: usize) {
    println!("\n{n} objects, {}", data.name);
    println!("{:>22} | {:>8} | {:>6} | {:>7}", "bounding volume", "accepts", "values", "first");
    volume::<Aabb<f32, 3>>(suite, data, n, ["AABB", "aabb"]);
    volume::<BoxByX>(suite, data, n, ["AABB, x first", "aabb-x"]);
    volume::<SplitPrism>(suite, data, n, ["HexPrism, naive", "naive"]);
    volume::<HexPrism>(suite, data, n, ["HexPrism", "prism"]);
    volume::<SevenSided>(suite, data, n, ["7-sided AABB", "seven"]);
    volume::<Octahedron>(suite, data, n, ["AABO", "aabo"]);
    let sample = || data.objects(n.min(8_000));
    let boxes = Batch::of(sample().map(|points| Aabb::<f32, 3>::bounding(&points)));
    let prisms: Vec<HexPrism> = sample().map(|points| HexPrism::bounding(&points)).collect();
    let (mut coarse, mut both) = (0, 0);
    boxes.expect("finite volumes").pairs(|a, b| {
        coarse += 1;
        both += usize::from(prisms[a].overlaps(&prisms[b]));
    });
    println!("in a sample, {both} of {coarse} overlapping pairs of boxes also overlap as prisms");
}

/// Checks and measures one kind of volume, given its titles in the printed table and in the rows.
fn volume<V: Bounding>(suite: &mut Suite, data: &Data, n: usize, [title, subject]: [&str; 2]) {
    let volumes: Vec<V> = data.objects(n).map(|points| V::bounding(&points)).collect();
    let batch = Batch::of(volumes.iter().copied()).expect("finite volumes");
    let queries =
        |count: usize| -> Vec<V> { (0..count).map(|i| volumes[i * (n / count)]).collect() };
    let (few, many, all) = (queries(ONE_BY_ONE), queries(TOGETHER), queries(COUNTED));
    let by_definition = |queries: &[V]| -> Vec<u64> {
        let count = |query: &V| volumes.iter().filter(|volume| volume.overlaps(query)).count();
        queries.iter().map(|query| count(query) as u64).collect()
    };
    let expected = by_definition(&few);
    let counts = count_together(&batch, &all);
    assert!(n > MAX_TESTED_ONE_BY_ONE || counts == by_definition(&all), "{subject}");
    // Counting is slow, and a few queries on millions of volumes are sufficient.
    let counted = if n > MAX_TESTED_ONE_BY_ONE { 2 } else { few.len() };
    let reading = Reading::of(&volumes, &few[..counted]);
    let (values, first) = (reading.values_per_test(), reading.decided_first() * 100.0);
    println!("{title:>22} | {:>8} | {values:>6.2} | {first:>6.2}%", counts.iter().sum::<u64>());

    let name = format!("{}:{n}", data.name);
    let scene =
        |queries: &[V]| Scene { name: &name, n, work: Work::Tests((queries.len() * n) as u64) };
    let answer = |counts: &[u64]| Answer::new(counts.iter().sum(), counts.iter().copied());
    // The article's data are measured on every backend, other data only with the two most important
    // volumes on the fastest backend.
    let main = ["aabb", "prism"].contains(&subject);
    for backend in Backend::available() {
        let fresh = || {
            let mut batch = batch.clone();
            batch.set_backend(backend);
            (batch, Vec::new())
        };
        assert_eq!(count_together(&fresh().0, &few), expected, "{subject} on {backend}");
        if !(data.is_the_texts() || main && backend == Backend::detect()) {
            continue;
        }
        let backend = backend.to_string();
        suite.compare(scene(&few), answer(&expected)).measure(
            Subject { name: subject, backend: &backend, threads: 1 },
            fresh,
            |(batch, counts): &mut (Batch<V>, Vec<u64>)| {
                counts.clear();
                counts.extend(few.iter().map(|query| batch.count(query) as u64));
            },
            |(_, counts)| answer(counts),
        );
        if main {
            suite.compare(scene(&many), answer(&count_together(&batch, &many))).measure(
                Subject { name: &format!("{subject}-many"), backend: &backend, threads: 1 },
                fresh,
                |(batch, counts)| *counts = count_together(batch, &many),
                |(_, counts)| answer(counts),
            );
        }
    }
}

/// Returns the number of hits of each query, found with one call for all queries.
fn count_together<V: Bounding>(batch: &Batch<V>, queries: &[V]) -> Vec<u64> {
    let mut counts = vec![0; queries.len()];
    batch.query_many(queries, |query, _| counts[query] += 1);
    counts
}
