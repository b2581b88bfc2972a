//! Points in a cube: their neighbors within a radius, and the points nearest to each.

use broadphase_core::{Aabb, Backend, Neighbors, Pair, SpatialIndex, SpatialIndexExt};
use broadphase_hshg::Hshg;
use peers::cube::{KdTree, KdTree32, PointLists, Random, radius};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};
use rayon::ThreadPool;

use super::listed;

/// Number of nearest points.
const NEAREST: usize = 8;

pub(super) fn measure(suite: &mut Suite, pools: &[ThreadPool]) {
    let n = if measuring() { 1_000_000 } else { 3_000 };
    let points: Vec<[f32; 3]> = Random(3).points(n);
    let radius: f32 = radius(n);
    let mut grid: Hshg<f32, 3> = Hshg::new();
    let objects = (0..).zip(&points).map(|(key, &at)| (key, Aabb::point(at)));
    grid.extend(objects).expect("finite points");
    grid.optimize();
    let kiddo = KdTree32::new(&points, false);
    let backend = Backend::detect().to_string();
    let name = format!("cube:{n}");
    let scene = Scene { name: &name, n, work: Work::Points(n as u64) };

    let answer = Answer::of_set(pairs(&kiddo.neighbors(radius * radius, false)));
    let mut compared = suite.compare(scene, answer);
    compared.samples(10);
    for pool in pools {
        let threads = pool.current_num_threads();
        compared.ours(
            Subject { name: "neighbors", backend: &backend, threads },
            Neighbors::default,
            |found| pool.install(|| grid.neighbors(radius, found)),
            |found| Answer::of_set(listed(found)),
        );
    }
    for pool in pools {
        let threads = pool.current_num_threads();
        let search = |out: &mut Vec<PointLists>| {
            *out = pool.install(|| kiddo.neighbors(radius * radius, threads > 1));
        };
        compared.peer_on("kiddo, neighbors", threads, Vec::new, search, |out| {
            Answer::of_set(pairs(out))
        });
    }

    // Several points may be equally near, so the squared distances are compared.
    let square = |[a, b]: Pair| {
        let [from, to] = [a, b].map(|key| points[key as usize]);
        let gap = |axis: usize| from[axis] - to[axis];
        [a, (gap(0) * gap(0) + gap(1) * gap(1) + gap(2) * gap(2)).to_bits()]
    };
    let nearest = kiddo.nearest_to_each(NEAREST + 1, false);
    let answer = Answer::of_set(pairs(&nearest).map(square));
    let mut compared = suite.compare(scene, answer);
    compared.samples(10);
    for pool in pools {
        let threads = pool.current_num_threads();
        compared.ours(
            Subject { name: "nearest to each", backend: &backend, threads },
            Neighbors::default,
            |found| pool.install(|| grid.nearest_to_each(NEAREST, found)),
            |found| Answer::of_set(listed(found).map(square)),
        );
    }
    for pool in pools {
        let threads = pool.current_num_threads();
        let search = |out: &mut Vec<PointLists>| {
            *out = pool.install(|| kiddo.nearest_to_each(NEAREST + 1, threads > 1));
        };
        let name = "kiddo, nearest to each";
        compared
            .peer_on(name, threads, Vec::new, search, |out| Answer::of_set(pairs(out).map(square)));
    }
}

fn pairs(lists: &[PointLists]) -> impl Iterator<Item = Pair> {
    lists.iter().flat_map(PointLists::pairs)
}
