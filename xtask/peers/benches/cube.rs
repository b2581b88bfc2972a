//! Benchmarks searches among points in a cube, with the trees of kiddo in the same run:
//!
//! * `neighbors`: the points within a radius of each point, about thirty, in `f32` and `f64`
//! * `list, neighbors`: as `neighbors`, of a list of points (`find_neighbors`)
//! * `nearest to each`: the eight points nearest to each point
//! * `nearest 1`, `nearest 8`: the points nearest to random places, one call per place
//!
//! The searches for all points run on 1, 2, 4, … threads. Several points may be equally near, so
//! distances are compared instead of keys.

use core::ops::{Add, ControlFlow, Mul, Sub};

use broadphase_core::{Aabb, Neighbors, Pair, Scalar, SpatialIndexExt};
use broadphase_hshg::{Hshg, find_neighbors};
use peers::cube::{KdTree, KdTree32, KdTree64, PointLists, Random, radius};
use peers::{Answer, Comparison, Scene, Subject, Suite, Work, measuring, pools};
use rayon::ThreadPool;

/// Number of nearest points.
const NEAREST: usize = 8;
/// Number of random places.
const PLACES: usize = 10_000;

fn main() {
    let mut suite = Suite::new("cube");
    let pools = pools();
    let n = if measuring() { 1_000_000 } else { 3_000 };
    let cube = Cube::<f32, KdTree32>::new(n);
    cube.neighbors(&mut suite, &pools);
    cube.nearest_to_each(&mut suite, &pools);
    cube.nearest(&mut suite, 1);
    cube.nearest(&mut suite, NEAREST);
    Cube::<f64, KdTree64>::new(n).neighbors(&mut suite, &pools[..1]);
    suite.finish();
}

/// Points in both structures.
struct Cube<S: Scalar, K> {
    points: Vec<[S; 3]>,
    radius: S,
    grid: Hshg<S, 3>,
    kiddo: K,
}

impl<S, K: KdTree<S>> Cube<S, K>
where
    S: Scalar<Real = S> + Add<Output = S> + Mul<Output = S> + Sub<Output = S>,
{
    fn new(n: usize) -> Self {
        let points: Vec<[S; 3]> = Random(3).points(n);
        let mut grid = Hshg::new();
        fill(&mut grid, &points);
        grid.optimize();
        let kiddo = K::new(&points, false);
        Self { radius: radius(n), points, grid, kiddo }
    }

    fn scene<'a>(&self, name: &'a str, queries: usize) -> Scene<'a> {
        Scene { name, n: self.points.len(), work: Work::Points(queries as u64) }
    }

    fn neighbors(&self, suite: &mut Suite, pools: &[ThreadPool]) {
        let (n, radius) = (self.points.len(), self.radius);
        let square = radius * radius;
        let name = format!("cube:{n} {}", S::NAME);
        let answer = |pairs: &mut dyn Iterator<Item = Pair>| Answer::of_set(pairs);
        let theirs = |parallel| self.kiddo.neighbors(square, parallel);
        let expected = answer(&mut pairs(&theirs(false)));
        let mut compared = suite.compare(self.scene(&name, n), expected);
        compared.samples(10);
        let ours = |found: &mut Neighbors| self.grid.neighbors(radius, found);
        compare(&mut compared, pools, "neighbors", ours, theirs, answer);

        let mut compared = suite.compare(self.scene(&name, n), expected);
        compared.samples(10);
        let ours = |found: &mut Neighbors| {
            find_neighbors(&self.points, radius, found).expect("finite points");
        };
        let theirs = |parallel| K::new(&self.points, parallel).neighbors(square, parallel);
        compare(&mut compared, pools, "list, neighbors", ours, theirs, answer);
    }

    fn nearest_to_each(&self, suite: &mut Suite, pools: &[ThreadPool]) {
        let n = self.points.len();
        let name = format!("cube:{n} {}", S::NAME);
        let theirs = |parallel| self.kiddo.nearest_to_each(NEAREST + 1, parallel);
        let answer = |pairs: &mut dyn Iterator<Item = Pair>| self.distances(pairs);
        let expected = answer(&mut pairs(&theirs(false)));
        let mut compared = suite.compare(self.scene(&name, n), expected);
        compared.samples(10);
        let ours = |found: &mut Neighbors| self.grid.nearest_to_each(NEAREST, found);
        compare(&mut compared, pools, "nearest to each", ours, theirs, answer);
    }

    /// Returns the answer for the distances of these pairs of points.
    fn distances(&self, pairs: impl Iterator<Item = Pair>) -> Answer {
        let square = |[a, b]: Pair| {
            let [a, b] = [a, b].map(|key| self.points[key as usize]);
            let gap = |axis: usize| a[axis] - b[axis];
            gap(0) * gap(0) + gap(1) * gap(1) + gap(2) * gap(2)
        };
        Answer::of_set(pairs.map(|pair| [pair[0], bits(square(pair))]))
    }

    fn nearest(&self, suite: &mut Suite, count: usize) {
        let name = format!("cube:{} {}", self.points.len(), S::NAME);
        let subject = format!("nearest {count}");
        let places: Vec<[S; 3]> = Random(4).points(PLACES);
        let kiddo = |out: &mut Vec<Pair>| {
            for (query, &at) in (0..).zip(&places) {
                self.kiddo.nearest(at, count, |square| out.push([query, bits(square)]));
            }
        };
        let mut compared = suite.compare(self.scene(&name, PLACES), Answer::of_found(kiddo));
        compared.our_search(&subject, |out| {
            for (query, &at) in (0..).zip(&places) {
                let mut left = count;
                let _ = self.grid.nearest(at, |_, square| {
                    out.push([query, bits(square)]);
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
            }
        });
        compared.peer_search(&format!("kiddo, {subject}"), kiddo);
    }
}

/// Measures a search for all points, in each pool. `theirs` is called with whether to use several
/// threads.
fn compare(
    compared: &mut Comparison<'_>,
    pools: &[ThreadPool],
    name: &str,
    ours: impl Fn(&mut Neighbors) + Sync,
    theirs: impl Fn(bool) -> Vec<PointLists> + Sync,
    answer: impl Fn(&mut dyn Iterator<Item = Pair>) -> Answer,
) {
    for pool in pools {
        let threads = pool.current_num_threads();
        compared.measure(
            Subject { threads, ..Subject::detected(name) },
            Neighbors::default,
            |found| pool.install(|| ours(found)),
            |found| answer(&mut listed(found)),
        );
        compared.measure(
            Subject { threads, ..Subject::peer(&format!("kiddo, {name}")) },
            Vec::new,
            |out| *out = pool.install(|| theirs(threads > 1)),
            |out| answer(&mut pairs(out)),
        );
    }
}

fn fill<S: Scalar>(grid: &mut Hshg<S, 3>, points: &[[S; 3]]) {
    let objects = (0..).zip(points).map(|(key, &at)| (key, Aabb::point(at)));
    grid.extend(objects).expect("finite points");
}

/// Returns a number that increases with a squared distance.
fn bits<S: Scalar>(square: S) -> u32 {
    (square.to_f64() as f32).to_bits()
}

fn listed(found: &Neighbors) -> impl Iterator<Item = Pair> {
    found.iter().flat_map(|(key, list)| list.iter().map(move |&other| [key, other]))
}

fn pairs(lists: &[PointLists]) -> impl Iterator<Item = Pair> {
    lists.iter().flat_map(PointLists::pairs)
}
