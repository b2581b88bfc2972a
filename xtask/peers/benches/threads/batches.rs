//! Box queries in a batch, and sorting pairs into canonical order.

use std::time::Instant;

use broadphase_core::{Backend, Lists, Pair, Region, SpatialIndex, SpatialIndexExt, pairs};
use peers::world::{Boxes, Grid, World as _};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};
use rayon::ThreadPool;

/// Number of box queries.
const QUERIES: usize = 20_000;

pub(super) fn boxes(suite: &mut Suite, scene: &str, boxes: &Boxes<2>, pools: &[ThreadPool]) {
    let mut grid: Grid<2> = Grid::new(boxes);
    // Sort the pending objects into the grid; otherwise each query would test all of them.
    grid.hshg.optimize();
    let step = boxes.len() / QUERIES.min(boxes.len());
    let regions: Vec<Region> =
        boxes.bounds.iter().step_by(step).map(|area| area.enlarged(3.0).into()).collect();
    let answer = |lists: &Lists| {
        let items = lists.items().iter().map(|&key| u64::from(key));
        let ends = lists.ends().iter().map(|&end| end as u64);
        Answer::new(lists.items().len() as u64, items.chain(ends))
    };
    // The expected answer comes from one call per box.
    let (mut expected, mut found) = (Lists::default(), Vec::new());
    for region in &regions {
        grid.hshg.query(*region, &mut found);
        expected.push(&found);
    }
    let work = Work::Points(regions.len() as u64);
    let named = Scene { name: &format!("{scene} boxes"), n: regions.len(), work };
    let mut compared = suite.compare(named, answer(&expected));
    let backend = Backend::detect().to_string();
    for pool in pools {
        let threads = pool.current_num_threads();
        compared.ours(
            Subject { name: "query_many", backend: &backend, threads },
            Lists::default,
            |lists| pool.install(|| grid.hshg.query_many(&regions, lists)),
            answer,
        );
    }
}

pub(super) fn sort(suite: &mut Suite, scene: &str, boxes: &Boxes<2>, pools: &[ThreadPool]) {
    let mut grid: Grid<2> = Grid::new(boxes);
    let mut unsorted = Vec::new();
    grid.collect(&mut unsorted);
    if !measuring() {
        // Add pairs, because small scenes have too few of them for a second thread.
        let more = unsorted.len() as u32 * 2;
        unsorted.extend((0..40_000).map(|n| [(n * 7919) % 40_000, 40_000 + more + n]));
    }
    let mut sorted = unsorted.clone();
    sorted.sort_unstable();
    let work = Work::Codes(unsorted.len() as u64);
    let named = Scene { name: &format!("{scene} pairs"), n: unsorted.len(), work };
    let mut compared = suite.compare(named, Answer::of_pairs(&sorted));
    for pool in pools {
        let threads = pool.current_num_threads();
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
