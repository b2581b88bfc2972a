//! Benchmarks queries of static discs, with the trees of parry2d and rstar in the same run.
//! Searches among points are in the suite `cube`.
//!
//! * boxes that find no objects, about five, and about fifty: with one call per box, and with one
//!   call for all boxes (`batch`, with sorted results)
//! * rays up to the first object, and through all objects
//! * the nearest object and the eight nearest objects to a point
//!
//! No object moves. The cells of `hash` have the recommended side. All trees are bulk-loaded, which
//! makes their queries fastest. Leaves of parry2d are tested by code written here, which rounds as
//! ours does, so that the results are equal.

use core::ops::ControlFlow;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Aabb, Lists, Pair, Path, Region, SpatialIndex, SpatialIndexExt};
use broadphase_hshg::{Hshg, SpatialHash};
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use parry2d::query::{Ray, RayCast};
use peers::cube::Random;
use peers::world::{Boxes, Tree, tree};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};
use rstar::AABB;

/// Number of box queries and of points; the number of rays is 10 % of it.
const QUERIES: usize = 10_000;

fn main() {
    let mut suite = Suite::new("queries");
    let scenes: &[&str] =
        if measuring() { &["discs:100000", "discs:1000000"] } else { &["discs:5000"] };
    for scene in scenes {
        let test = Test::new(scene);
        for hits in [0, 5, 50] {
            test.boxes(&mut suite, hits);
        }
        for length in [0.01, 0.1] {
            test.rays(&mut suite, length);
        }
        test.nearest(&mut suite, 1);
        test.nearest(&mut suite, 8);
    }
    suite.finish();
}

/// A scene in all structures.
struct Test {
    name: String,
    bounds: Vec<Aabb>,
    side: f32,
    points: Vec<[f32; 2]>,
    grid: Hshg<f32, 2>,
    hash: SpatialHash<f32, 2>,
    bvh: Bvh,
    tree: Tree<2>,
}

impl Test {
    fn new(name: &str) -> Self {
        let scene: SceneName = name.parse().expect("a scene of the generators");
        let Objects::Flat(movers) = scene.generate() else { unreachable!("discs are flat") };
        let [low, high] = movers.world;
        let boxes = Boxes::from(movers);
        let mut grid = Hshg::new();
        grid.extend(boxes.objects()).expect("scenes have valid bounds");
        grid.optimize();
        let bounds = boxes.bounds.clone();
        let cell = SpatialHash::<f32, 2>::recommend(bounds.iter().copied());
        let mut hash = SpatialHash::new(cell);
        hash.extend(boxes.objects()).expect("scenes have valid bounds");
        hash.optimize();
        let leaves = bounds.iter().map(theirs).enumerate();
        let mut random = Random(1);
        let mut at = || low + random.number() * (high - low);
        Self {
            name: name.to_owned(),
            side: high - low,
            points: (0..QUERIES).map(|_| [at(), at()]).collect(),
            grid,
            hash,
            bvh: Bvh::from_iter(BvhBuildStrategy::Binned, leaves),
            tree: tree(&bounds),
            bounds,
        }
    }

    fn boxes(&self, suite: &mut Suite, hits: u32) {
        let density = self.bounds.len() as f32 / (self.side * self.side);
        // A box also finds objects that overlap it only partly, so it is smaller than the area of
        // that number of objects.
        let half = (hits as f32 / density).sqrt() * 0.43;
        let boxes: Vec<Aabb> = self.points.iter().map(|&at| Aabb::around(at, [half; 2])).collect();
        let name = format!("{} boxes of {hits}", self.name);
        let n = self.bounds.len();
        let scene = Scene { name: &name, n, work: Work::Points(QUERIES as u64) };
        let rstar = |out: &mut Vec<Pair>| {
            for (query, bounds) in (0..).zip(&boxes) {
                let envelope = AABB::from_corners(bounds.min, bounds.max);
                let found = self.tree.locate_in_envelope_intersecting(envelope);
                out.extend(found.map(|leaf| [query, leaf.data]));
            }
        };
        let mut compared = suite.compare(scene, Answer::of_found(rstar));
        compared.our_search("query", |out| query(&self.grid, &boxes, out));
        compared.our_search("hash query", |out| query(&self.hash, &boxes, out));
        let regions: Vec<Region> = boxes.iter().map(|&bounds| bounds.into()).collect();
        compared.measure(
            Subject::detected("batch"),
            Lists::default,
            |found| self.grid.query_many(&regions, found),
            |found| {
                let lists = (0..).zip(found.iter());
                Answer::of_set(
                    lists.flat_map(|(query, list)| list.iter().map(move |&key| [query, key])),
                )
            },
        );
        compared.peer_search("rstar", rstar);
        compared.peer_search("parry2d", |out| {
            for (query, bounds) in (0..).zip(&boxes) {
                let bounds = theirs(bounds);
                let found = self.bvh.intersect_aabb(&bounds);
                out.extend(found.map(|leaf| [query, leaf]));
            }
        });
    }

    fn rays(&self, suite: &mut Suite, length: f32) {
        let mut random = Random(2);
        let mut way = || (random.number() - 0.5) * 2.0 * length * self.side;
        let rays: Vec<[[f32; 2]; 2]> =
            self.points.iter().take(QUERIES / 10).map(|&from| [from, [way(), way()]]).collect();
        for first in [true, false] {
            let kind = if first { "first" } else { "all" };
            let name = format!("{} rays of {length} {kind}", self.name);
            let n = self.bounds.len();
            let scene = Scene { name: &name, n, work: Work::Points(rays.len() as u64) };
            let parry = |out: &mut Vec<Pair>| {
                for (query, &[from, way]) in (0..).zip(&rays) {
                    let ray = Ray::new(from.into(), way.into());
                    if first {
                        let leaf = |leaf: u32, most: f32| {
                            first_touch(&self.bounds[leaf as usize], from, way)
                                .filter(|&at| at <= most)
                        };
                        let found = self.bvh.cast_ray(&ray, 1.0, leaf);
                        out.extend(found.map(|(_, fraction)| [query, fraction.to_bits()]));
                    } else {
                        let near =
                            |node: &BvhNode| node.aabb().cast_local_ray(&ray, 1.0, true).is_some();
                        let found = self.bvh.leaves(near).filter(|&leaf| {
                            first_touch(&self.bounds[leaf as usize], from, way).is_some()
                        });
                        out.extend(found.map(|leaf| [query, leaf]));
                    }
                }
            };
            let mut compared = suite.compare(scene, Answer::of_found(parry));
            compared.our_search("cast", |out| cast(&self.grid, &rays, first, out));
            compared.our_search("hash cast", |out| cast(&self.hash, &rays, first, out));
            compared.peer_search("parry2d", parry);
        }
    }

    fn nearest(&self, suite: &mut Suite, count: usize) {
        let name = format!("{} nearest {count}", self.name);
        let n = self.bounds.len();
        let scene = Scene { name: &name, n, work: Work::Points(QUERIES as u64) };
        // Several objects may be equally near, so compare the squared distances.
        let rstar = |out: &mut Vec<Pair>| {
            for (query, &at) in (0..).zip(&self.points) {
                let found = self.tree.nearest_neighbor_iter_with_distance_2(at).take(count);
                out.extend(found.map(|(_, square)| [query, square.to_bits()]));
            }
        };
        let mut compared = suite.compare(scene, Answer::of_found(rstar));
        compared.our_search("nearest", |out| {
            for (query, &at) in (0..).zip(&self.points) {
                let mut left = count;
                let _ = self.grid.nearest(at, |_, square| {
                    out.push([query, square.to_bits()]);
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
            }
        });
        compared.peer_search("rstar", rstar);
    }
}

fn query(index: &impl SpatialIndex<f32, 2>, boxes: &[Aabb], out: &mut Vec<Pair>) {
    for (query, &bounds) in (0..).zip(boxes) {
        index.query_unordered(bounds, |entry| out.push([query, entry.key]));
    }
}

/// Casts rays. The second number of a pair is a key or, if `first` is set, the bits of the first
/// fraction.
fn cast(
    index: &impl SpatialIndex<f32, 2>,
    rays: &[[[f32; 2]; 2]],
    first: bool,
    out: &mut Vec<Pair>,
) {
    for (query, &[from, way]) in (0..).zip(rays) {
        let _ = index.cast(Path::ray(from, way).until(1.0), |entry, fraction| {
            out.push([query, if first { fraction.to_bits() } else { entry.key }]);
            if first { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
}

fn theirs(bounds: &Aabb) -> parry2d::bounding_volume::Aabb {
    parry2d::bounding_volume::Aabb { mins: bounds.min.into(), maxs: bounds.max.into() }
}

/// Returns the fraction, up to 1, at which a ray first touches a box. No component of `way` may be
/// 0.
#[inline(always)]
fn first_touch(bounds: &Aabb, from: [f32; 2], way: [f32; 2]) -> Option<f32> {
    let (mut enter, mut exit) = (0.0f32, 1.0f32);
    for axis in 0..2 {
        let a = (bounds.min[axis] - from[axis]) / way[axis];
        let b = (bounds.max[axis] - from[axis]) / way[axis];
        enter = enter.max(a.min(b));
        exit = exit.min(a.max(b));
    }
    (enter <= exit).then_some(enter)
}
