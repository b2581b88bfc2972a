//! Benchmarks queries, with other libraries in the same run: queries of the discs of scene A, with
//! the trees of parry2d and rstar, and of points in a cube, with those of kiddo and rstar.
//!
//! * boxes that find no objects, about five, and about fifty: with one call per box, and with one
//!   call for all boxes (`batch`, with sorted results)
//! * rays up to the first object, and through all objects
//! * the nearest object and the eight nearest objects to a point
//! * points in a cube: see `queries/cube.rs`
//!
//! No object moves. The cells of `hash` have the recommended side. All trees are bulk-loaded, which
//! makes their queries fastest. Leaves of parry2d are tested by code written here, which rounds as
//! ours does, so that the results are equal.

#[path = "queries/cube.rs"]
mod cube;

use core::ops::ControlFlow;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{
    Aabb, Backend, Entry, Lists, Pair, Path, Region, SpatialIndex, SpatialIndexExt,
};
use broadphase_hshg::{Hshg, SpatialHash};
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use parry2d::query::{Ray, RayCast};
use peers::cube::Random;
use peers::world::Boxes;
use peers::{Answer, Scene, Subject, Suite, Work, measuring};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

/// Number of box queries and of points; the number of rays is 10 % of it.
const QUERIES: usize = 10_000;

fn main() {
    let mut suite = Suite::new("queries");
    cube::measure(&mut suite);
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

const fn subject<'a>(name: &'a str, backend: &'a str) -> Subject<'a> {
    Subject { name, backend, threads: 1 }
}

type Tree<const D: usize> = RTree<GeomWithData<Rectangle<[f32; D]>, u32>>;

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
            for (question, asked) in (0..).zip(&boxes) {
                let envelope = AABB::from_corners(asked.min, asked.max);
                let found = self.tree.locate_in_envelope_intersecting(envelope);
                out.extend(found.map(|leaf| [question, leaf.data]));
            }
        };
        let backend = Backend::detect().to_string();
        let mut compared = suite.compare(scene, expected(rstar));
        let mut ours = |name: &str, ask: &dyn Fn(&mut Vec<Pair>)| {
            compared.ours(subject(name, &backend), Vec::new, |out| refill(out, ask), sorted);
        };
        ours("query", &|out| {
            for (question, asked) in (0..).zip(&boxes) {
                self.grid.query_unordered(*asked, |entry| out.push([question, entry.key]));
            }
        });
        ours("hash query", &|out| {
            for (question, asked) in (0..).zip(&boxes) {
                self.hash.query_unordered(*asked, |entry| out.push([question, entry.key]));
            }
        });
        let regions: Vec<Region> = boxes.iter().map(|&asked| asked.into()).collect();
        compared.ours(
            subject("batch", &backend),
            Lists::default,
            |found| self.grid.query_many(&regions, found),
            |found| {
                let lists = (0..).zip(found.iter());
                let pairs =
                    lists.flat_map(|(question, list)| list.iter().map(move |&key| [question, key]));
                Answer::of_pairs(&pairs.collect::<Vec<Pair>>())
            },
        );
        compared.peer("rstar", Vec::new, |out| refill(out, &rstar), sorted);
        let parry = |out: &mut Vec<Pair>| {
            for (question, asked) in (0..).zip(&boxes) {
                let asked = theirs(asked);
                out.extend(self.bvh.intersect_aabb(&asked).map(|leaf| [question, leaf]));
            }
        };
        compared.peer("parry2d", Vec::new, |out| refill(out, &parry), sorted);
    }

    fn rays(&self, suite: &mut Suite, length: f32) {
        let mut random = Random(2);
        let mut way = || (random.number() - 0.5) * 2.0 * length * self.side;
        let rays: Vec<[[f32; 2]; 2]> =
            self.points.iter().take(QUERIES / 10).map(|&from| [from, [way(), way()]]).collect();
        let backend = Backend::detect().to_string();
        for first in [true, false] {
            let kind = if first { "first" } else { "all" };
            let name = format!("{} rays of {length} {kind}", self.name);
            let n = self.bounds.len();
            let scene = Scene { name: &name, n, work: Work::Points(rays.len() as u64) };
            // The second number of a pair is a key, or the bits of the first fraction.
            let parry = |out: &mut Vec<Pair>| {
                for (question, &[from, way]) in (0..).zip(&rays) {
                    let ray = Ray::new(from.into(), way.into());
                    if first {
                        let leaf = |leaf: u32, most: f32| {
                            first_touch(&self.bounds[leaf as usize], from, way)
                                .filter(|&at| at <= most)
                        };
                        let found = self.bvh.cast_ray(&ray, 1.0, leaf);
                        out.extend(found.map(|(_, fraction)| [question, fraction.to_bits()]));
                    } else {
                        let near =
                            |node: &BvhNode| node.aabb().cast_local_ray(&ray, 1.0, true).is_some();
                        let found = self.bvh.leaves(near).filter(|&leaf| {
                            first_touch(&self.bounds[leaf as usize], from, way).is_some()
                        });
                        out.extend(found.map(|leaf| [question, leaf]));
                    }
                }
            };
            let see = |out: &mut Vec<Pair>, question, key, fraction: f32| {
                out.push([question, if first { fraction.to_bits() } else { key }]);
                if first { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut compared = suite.compare(scene, expected(parry));
            let mut ours = |name: &str, ask: &dyn Fn(&mut Vec<Pair>)| {
                compared.ours(subject(name, &backend), Vec::new, |out| refill(out, ask), sorted);
            };
            let path = |[from, way]: [[f32; 2]; 2]| Path::ray(from, way).until(1.0);
            ours("cast", &|out| {
                for (question, &ray) in (0..).zip(&rays) {
                    let visit = |entry: Entry, at| see(out, question, entry.key, at);
                    let _ = self.grid.cast(path(ray), visit);
                }
            });
            ours("hash cast", &|out| {
                for (question, &ray) in (0..).zip(&rays) {
                    let visit = |entry: Entry, at| see(out, question, entry.key, at);
                    let _ = self.hash.cast(path(ray), visit);
                }
            });
            compared.peer("parry2d", Vec::new, |out| refill(out, &parry), sorted);
        }
    }

    fn nearest(&self, suite: &mut Suite, count: usize) {
        let name = format!("{} nearest {count}", self.name);
        let n = self.bounds.len();
        let scene = Scene { name: &name, n, work: Work::Points(QUERIES as u64) };
        // Several objects may be equally near, so compare the squared distances.
        let rstar = |out: &mut Vec<Pair>| {
            for (question, &at) in (0..).zip(&self.points) {
                let found = self.tree.nearest_neighbor_iter_with_distance_2(at).take(count);
                out.extend(found.map(|(_, square)| [question, square.to_bits()]));
            }
        };
        let backend = Backend::detect().to_string();
        let mut compared = suite.compare(scene, expected(rstar));
        compared.ours(
            subject("nearest", &backend),
            Vec::new,
            |out| {
                refill(out, &|out| {
                    for (question, &at) in (0..).zip(&self.points) {
                        let mut left = count;
                        let _ = self.grid.nearest(at, |_, square| {
                            out.push([question, square.to_bits()]);
                            left -= 1;
                            if left == 0 {
                                ControlFlow::Break(())
                            } else {
                                ControlFlow::Continue(())
                            }
                        });
                    }
                });
            },
            sorted,
        );
        compared.peer("rstar", Vec::new, |out| refill(out, &rstar), sorted);
    }
}

fn theirs(bounds: &Aabb) -> parry2d::bounding_volume::Aabb {
    parry2d::bounding_volume::Aabb { mins: bounds.min.into(), maxs: bounds.max.into() }
}

fn tree<const D: usize>(bounds: &[Aabb<f32, D>]) -> Tree<D> {
    let object = |(key, bounds): (u32, &Aabb<f32, D>)| {
        GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), key)
    };
    RTree::bulk_load((0..).zip(bounds).map(object).collect())
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

fn refill(out: &mut Vec<Pair>, ask: &(impl Fn(&mut Vec<Pair>) + ?Sized)) {
    out.clear();
    ask(out);
}

fn expected(ask: impl Fn(&mut Vec<Pair>)) -> Answer {
    let mut out = Vec::new();
    ask(&mut out);
    sorted(&out)
}

#[expect(clippy::ptr_arg, reason = "passed as a function of a measured state")]
fn sorted(found: &Vec<Pair>) -> Answer {
    let mut found = found.clone();
    found.sort_unstable();
    Answer::of_pairs(&found)
}
