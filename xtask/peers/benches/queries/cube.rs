//! Points in a cube. Measures the neighbors of each point within a radius that contains about
//! thirty, in `f32` and `f64`; the eight points nearest to each point; and the points nearest to
//! random places.
//!
//! * `neighbors`, `nearest to each`: one call for all points
//! * `built, neighbors`: builds the structure first
//! * `nearest`: one call per place; the places are random
//!
//! Several points may be equally near, so squared distances are compared instead of keys. Results
//! for all points are compared with those of kiddo, because rstar takes about three times as long.

use core::ops::ControlFlow;

use broadphase_core::{Aabb, Backend, Neighbors, Pair, Scalar, SpatialIndex, SpatialIndexExt};
use broadphase_hshg::Hshg;
use peers::cube::{KdTree, KdTree32, KdTree64, PointLists, Random, radius};
use peers::{Answer, Scene, Suite, Work, measuring};
use rstar::primitives::GeomWithData;
use rstar::{RTree, RTreeNum};

use super::{QUERIES, expected, refill, sorted, subject};

/// Number of nearest points.
const NEAREST: usize = 8;

pub(super) fn measure(suite: &mut Suite) {
    let n = if measuring() { 1_000_000 } else { 2_000 };
    Cube::<f32, KdTree32>::new(n).measure(suite);
    Cube::<f64, KdTree64>::new(n).neighbors(suite);
}

/// Points in all structures.
struct Cube<S: Scalar + RTreeNum, K> {
    points: Vec<[S; 3]>,
    radius: S,
    grid: Hshg<S, 3>,
    tree: RTree<GeomWithData<[S; 3], u32>>,
    kiddo: K,
    backend: String,
}

impl<S: Scalar<Real = S> + RTreeNum, K: KdTree<S>> Cube<S, K> {
    fn new(n: usize) -> Self {
        let points: Vec<[S; 3]> = Random(3).points(n);
        let leaf = |(&at, key)| GeomWithData::new(at, key);
        let tree = RTree::bulk_load(points.iter().zip(0u32..).map(leaf).collect());
        let mut grid = Hshg::new();
        fill(&mut grid, &points);
        grid.optimize();
        let kiddo = K::new(&points, false);
        let backend = Backend::detect().to_string();
        Self { radius: radius(n), points, grid, tree, kiddo, backend }
    }

    fn scene<'a>(&self, name: &'a str, queries: usize) -> Scene<'a> {
        Scene { name, n: self.points.len(), work: Work::Points(queries as u64) }
    }

    fn measure(&self, suite: &mut Suite) {
        self.neighbors(suite);
        self.nearest_to_each(suite);
        self.nearest(suite, 1);
        self.nearest(suite, NEAREST);
    }

    fn neighbors(&self, suite: &mut Suite) {
        let (n, radius) = (self.points.len(), self.radius);
        let square = radius * radius;
        let name = format!("cube:{n} neighbors {}", S::NAME);
        let answer = Answer::of_set(pairs(&self.kiddo.neighbors(square, false)));
        let mut compared = suite.compare(self.scene(&name, n), answer);
        compared.samples(10);
        compared.ours(
            subject("neighbors", &self.backend),
            Neighbors::default,
            |found| self.grid.neighbors(radius, found),
            |found| Answer::of_set(listed(found)),
        );
        let search = |out: &mut Vec<PointLists>| *out = self.kiddo.neighbors(square, false);
        compared.peer("kiddo", Vec::new, search, |out| Answer::of_set(pairs(out)));

        let mut compared = suite.compare(self.scene(&name, n), answer);
        compared.samples(10);
        compared.ours(
            subject("built, neighbors", &self.backend),
            || (Hshg::<S, 3>::new(), Neighbors::default()),
            |(grid, found)| {
                grid.clear();
                fill(grid, &self.points);
                grid.neighbors(radius, found);
            },
            |(_, found)| Answer::of_set(listed(found)),
        );
        let search = |out: &mut Vec<PointLists>| {
            *out = K::new(&self.points, false).neighbors(square, false);
        };
        compared.peer("kiddo, built", Vec::new, search, |out| Answer::of_set(pairs(out)));
    }

    fn nearest_to_each(&self, suite: &mut Suite) {
        let n = self.points.len();
        let name = format!("cube:{n} nearest {NEAREST} to each");
        let nearest = self.kiddo.nearest_to_each(NEAREST + 1, false);
        let mut compared = suite.compare(self.scene(&name, n), self.distances(pairs(&nearest)));
        compared.samples(10);
        compared.ours(
            subject("nearest to each", &self.backend),
            Neighbors::default,
            |found| self.grid.nearest_to_each(NEAREST, found),
            |found| self.distances(listed(found)),
        );
        let search =
            |out: &mut Vec<PointLists>| *out = self.kiddo.nearest_to_each(NEAREST + 1, false);
        compared.peer("kiddo", Vec::new, search, |out| self.distances(pairs(out)));
    }

    /// Returns the answer for the distances of these pairs of points.
    fn distances(&self, pairs: impl Iterator<Item = Pair>) -> Answer {
        Answer::of_set(pairs.map(|[a, b]| [a, self.bits(a, b)]))
    }

    /// Returns a number that increases with the distance of two points.
    fn bits(&self, a: u32, b: u32) -> u32 {
        let [a, b] = [a, b].map(|key| self.points[key as usize]);
        let square = (0..3).fold(S::from_f64(0.0), |sum, axis| {
            let gap = a[axis] - b[axis];
            sum + gap * gap
        });
        (square.to_f64() as f32).to_bits()
    }

    fn nearest(&self, suite: &mut Suite, count: usize) {
        let name = format!("cube:{} nearest {count}", self.points.len());
        let places: Vec<[S; 3]> = Random(4).points(QUERIES);
        let bits = |square: S| (square.to_f64() as f32).to_bits();
        let rstar = |out: &mut Vec<Pair>| {
            for (query, &at) in (0..).zip(&places) {
                let found = self.tree.nearest_neighbor_iter_with_distance_2(at).take(count);
                out.extend(found.map(|(_, square)| [query, bits(square)]));
            }
        };
        let ours = |out: &mut Vec<Pair>| {
            for (query, &at) in (0..).zip(&places) {
                let mut left = count;
                let _ = self.grid.nearest(at, |_, square| {
                    out.push([query, bits(square)]);
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
            }
        };
        let kiddo = |out: &mut Vec<Pair>| {
            for (query, &at) in (0..).zip(&places) {
                self.kiddo.nearest(at, count, |square| out.push([query, bits(square)]));
            }
        };
        let mut compared = suite.compare(self.scene(&name, QUERIES), expected(rstar));
        compared.ours(
            subject("nearest", &self.backend),
            Vec::new,
            |out| refill(out, &ours),
            sorted,
        );
        compared.peer("kiddo", Vec::new, |out| refill(out, &kiddo), sorted);
        compared.peer("rstar", Vec::new, |out| refill(out, &rstar), sorted);
    }
}

fn fill<S: Scalar>(grid: &mut Hshg<S, 3>, points: &[[S; 3]]) {
    let objects = (0..).zip(points).map(|(key, &at)| (key, Aabb::point(at)));
    grid.extend(objects).expect("finite points");
}

fn listed(found: &Neighbors) -> impl Iterator<Item = Pair> {
    found.iter().flat_map(|(key, list)| list.iter().map(move |&other| [key, other]))
}

fn pairs(lists: &[PointLists]) -> impl Iterator<Item = Pair> {
    lists.iter().flat_map(PointLists::pairs)
}
