//! Benchmarks the same work on one thread and on two threads: whole ticks of scene A and their
//! parts, box queries in a batch, and sorting pairs into canonical order.
//!
//! Here a tick ends with pairs in canonical order. The input of the sort is the pairs of the
//! clustered scene, in the order in which the grid finds them.

use std::time::Instant;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Lists, Pair, Region, SpatialIndex, pairs};
use peers::world::{Boxes, Grid, Rstar, World, answer};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::TICKS;

const THREADS: [usize; 2] = [1, 2];
/// Number of box queries.
const QUERIES: usize = 20_000;

pub(super) fn measure(suite: &mut Suite) {
    let [moving, crowded] =
        if measuring() { ["discs:500000", "clustered:500000"] } else { ["discs:40000"; 2] };
    ticks(suite, moving);
    boxes(suite, moving);
    sort(suite, crowded);
}

fn flat(scene: &str) -> Boxes<2> {
    let name: SceneName = scene.parse().expect("a scene of the generators");
    let Objects::Flat(movers) = name.generate() else { unreachable!("{scene} is flat") };
    movers.into()
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool")
}

/// Returns a grid one tick before its result is compared, and a buffer for its pairs.
fn state(boxes: &Boxes<2>) -> (Grid<2>, Vec<Pair>) {
    let (mut grid, mut out) = (Grid::new(boxes), Vec::new());
    for _ in 1..TICKS {
        grid.advance();
        grid.collect_sorted(&mut out);
    }
    (grid, out)
}

fn ticks(suite: &mut Suite, scene: &str) {
    let boxes = flat(scene);
    let mut later = boxes.clone();
    (0..TICKS).for_each(|_| later.advance());
    let n = boxes.len();
    let named = Scene { name: scene, n, work: Work::Objects(n as u64) };
    let mut compared = suite.compare(named, answer(&mut Rstar::new(&later)));
    let backend = Backend::detect().to_string();
    for threads in THREADS {
        let pool = pool(threads);
        let subject = |name| Subject { name, backend: &backend, threads };
        compared.ours(
            subject("tick at once"),
            || state(&boxes),
            |(grid, out)| {
                pool.install(|| {
                    grid.advance();
                    grid.collect_sorted(out);
                });
            },
            |(_, out)| Answer::of_pairs(out),
        );
        compared.part(
            subject("par_update"),
            || state(&boxes),
            |(grid, out)| {
                let start = Instant::now();
                pool.install(|| grid.advance());
                let took = start.elapsed();
                grid.collect_sorted(out);
                took
            },
            |(_, out)| Answer::of_pairs(out),
        );
        compared.part(
            subject("pairs at once"),
            || state(&boxes),
            |(grid, out)| {
                grid.advance();
                let start = Instant::now();
                pool.install(|| grid.collect_sorted(out));
                start.elapsed()
            },
            |(_, out)| Answer::of_pairs(out),
        );
    }
}

fn boxes(suite: &mut Suite, scene: &str) {
    let boxes = flat(scene);
    let mut grid: Grid<2> = Grid::new(&boxes);
    // Without this call, all objects would be pending and each query would test all of them.
    grid.hshg.optimize();
    let step = boxes.len() / QUERIES.min(boxes.len());
    let regions: Vec<Region> =
        boxes.bounds.iter().step_by(step).map(|area| area.enlarged(3.0).into()).collect();
    let answer = |lists: &Lists| {
        let items = lists.items().iter().map(|&key| u64::from(key));
        let ends = lists.ends().iter().map(|&end| end as u64);
        Answer::new(lists.items().len() as u64, items.chain(ends))
    };
    // Compute the expected result of the batch by one query for each region.
    let (mut expected, mut found) = (Lists::default(), Vec::new());
    for region in &regions {
        grid.hshg.query(*region, &mut found);
        expected.push(&found);
    }
    let work = Work::Points(regions.len() as u64);
    let named = Scene { name: &format!("{scene} boxes"), n: boxes.len(), work };
    let mut compared = suite.compare(named, answer(&expected));
    let backend = Backend::detect().to_string();
    for threads in THREADS {
        let pool = pool(threads);
        compared.ours(
            Subject { name: "query_many", backend: &backend, threads },
            Lists::default,
            |lists| pool.install(|| grid.hshg.query_many(&regions, lists)),
            answer,
        );
    }
}

fn sort(suite: &mut Suite, scene: &str) {
    let boxes = flat(scene);
    let mut grid: Grid<2> = Grid::new(&boxes);
    let mut unsorted = Vec::new();
    grid.collect(&mut unsorted);
    if !measuring() {
        // Sort enough pairs to use another thread.
        let more = unsorted.len() as u32 * 2;
        unsorted.extend((0..40_000).map(|n| [(n * 7919) % 40_000, 40_000 + more + n]));
    }
    let mut sorted = unsorted.clone();
    sorted.sort_unstable();
    let work = Work::Codes(unsorted.len() as u64);
    let named = Scene { name: &format!("{scene} pairs"), n: unsorted.len(), work };
    let mut compared = suite.compare(named, Answer::of_pairs(&sorted));
    for threads in THREADS {
        let pool = pool(threads);
        compared.part(
            Subject { name: "canonical sort", backend: "native", threads },
            Vec::new,
            |out: &mut Vec<Pair>| {
                out.clear();
                out.extend_from_slice(&unsorted);
                let start = Instant::now();
                pool.install(|| pairs::sort(out));
                start.elapsed()
            },
            |out| Answer::of_pairs(out),
        );
    }
}
