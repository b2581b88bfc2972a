//! Benchmarks the same work on 1 and 2 threads, and on 4, 8, … threads up to the number of cores.
//!
//! * `tick`: a grid moves every object and writes every overlapping pair, in any order
//! * `tick sorted`: as `tick`, with pairs in canonical order
//! * `from nothing`: clears the grid, fills it again, and writes pairs in canonical order
//! * `jump`: moves every object to a random place, and writes pairs in canonical order
//! * `neighbors`: finds for every object the objects within a distance; no object moves
//! * `world with events`: a tick of a world (`par_update`, `step`), in which each event is read
//! * `snapshot`: saves the world
//!
//! Only for the first scene: the parts `update` and `pairs sorted` of a tick, and box queries in a
//! batch. Only in two dimensions: sorting pairs into canonical order, from the order in which the
//! grid finds them. Also, for points in a cube and with kiddo: `neighbors` and `nearest to each`.
//!
//! The scenes are those of the variable `HEXPHASE_BENCH_SCENES`, separated by commas, or three
//! scenes of up to 500,000 objects. Every result is compared with that of another library. The last
//! table has the milliseconds of each row, and the speed-up over one thread.

#[path = "threads/batches.rs"]
mod batches;
#[path = "threads/cube.rs"]
mod cube;
#[path = "threads/scaling.rs"]
mod scaling;
#[path = "threads/world.rs"]
mod world;

use core::num::NonZero;
use std::time::Instant;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Neighbors, Pair, SpatialIndex, SpatialIndexExt};
use peers::world::{
    Boxes, Builder, FLAT_BUILDERS, Grid, SOLID_BUILDERS, World as _, answer_of, pairs_within,
};
use peers::{Answer, Scene, Subject, Suite, Work, measuring, scenes};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Number of ticks before the answer is compared.
const TICKS: usize = 3;
/// Number of ticks after which all objects reverse their direction, so that the number of pairs is
/// nearly constant.
const TICKS_PER_DIRECTION: u32 = 20;
/// Maximum distance of neighbors; objects of `discs` have a diameter of 14.
const DISTANCE: f32 = 4.0;

fn main() {
    let mut suite = Suite::new("threads");
    let pools: Vec<ThreadPool> = counts().into_iter().map(pool).collect();
    let names = scenes(
        &["discs:500000", "clustered:500000", "mixed3:300000"],
        &["discs:40000", "mixed3:2000"],
    );
    for (index, name) in names.iter().enumerate() {
        let scene: SceneName = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        match scene.generate() {
            Objects::Flat(movers) => {
                let boxes = open(movers.into());
                Test::new(name, &boxes, &pools).measure(&mut suite, &FLAT_BUILDERS);
                if index == 0 {
                    parts(&mut suite, name, &boxes, &pools);
                    batches::boxes(&mut suite, name, &boxes, &pools);
                }
                batches::sort(&mut suite, name, &boxes, &pools);
            }
            Objects::Solid(movers) => {
                let boxes = open(movers.into());
                Test::new(name, &boxes, &pools).measure(&mut suite, &SOLID_BUILDERS);
            }
        }
    }
    cube::measure(&mut suite, &pools);
    let rows = suite.rows();
    suite.finish();
    print!("{}", scaling::table(&rows));
}

/// Returns the numbers of threads to measure.
fn counts() -> Vec<usize> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut counts = vec![1, 2];
    if measuring() {
        counts.extend((2..).map(|power| 1 << power).take_while(|&count| count < cores));
        counts.extend((cores > 2).then_some(cores));
    }
    counts
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool")
}

/// Removes the walls, so that worlds can be updated in parallel without changing velocities.
fn open<const D: usize>(mut boxes: Boxes<D>) -> Boxes<D> {
    boxes.motion = boxes.motion.without_walls().turning_after(TICKS_PER_DIRECTION);
    boxes
}

/// Returns the answer for the pairs that a library finds in these boxes.
fn expected<const D: usize>(builder: &Builder<D>, boxes: &Boxes<D>) -> Answer {
    let mut pairs = Vec::new();
    (builder.find_pairs)(boxes, &mut pairs);
    answer_of(&pairs)
}

/// A scene, and the pools to measure.
struct Test<'a, const D: usize> {
    name: &'a str,
    start: &'a Boxes<D>,
    /// The boxes when the answer is compared.
    later: Boxes<D>,
    pools: &'a [ThreadPool],
    backend: String,
}

impl<'a, const D: usize> Test<'a, D> {
    fn new(name: &'a str, start: &'a Boxes<D>, pools: &'a [ThreadPool]) -> Self {
        let mut later = start.clone();
        (0..TICKS).for_each(|_| later.advance());
        Self { name, start, later, pools, backend: Backend::detect().to_string() }
    }

    fn scene(&self) -> Scene<'a> {
        let n = self.start.len();
        Scene { name: self.name, n, work: Work::Objects(n as u64) }
    }

    fn subject(&self, name: &'a str, pool: &ThreadPool) -> Subject<'_> {
        Subject { name, backend: &self.backend, threads: pool.current_num_threads() }
    }

    fn measure(&self, suite: &mut Suite, builders: &[Builder<D>])
    where
        world::World<D>: world::Ticks<D>,
    {
        let pairs = expected(&builders[0], &self.later);
        self.ticks(suite, pairs);
        self.builds(suite, pairs, builders);
        self.jumps(suite, &builders[0]);
        self.neighbors(suite);
        self.world(suite, pairs);
    }

    /// Returns a grid one tick before its answer is compared, and a buffer for its pairs.
    fn state(&self) -> (Grid<D>, Vec<Pair>) {
        let (mut grid, mut out) = (Grid::new(self.start), Vec::new());
        for _ in 1..TICKS {
            grid.advance();
            grid.collect_sorted(&mut out);
        }
        (grid, out)
    }

    fn ticks(&self, suite: &mut Suite, pairs: Answer) {
        let mut compared = suite.compare(self.scene(), pairs);
        for pool in self.pools {
            compared.ours(
                self.subject("tick", pool),
                || self.state(),
                |(grid, out)| {
                    pool.install(|| {
                        grid.advance();
                        grid.collect(out);
                    });
                },
                |(_, out)| answer_of(out),
            );
        }
        for pool in self.pools {
            compared.ours(
                self.subject("tick sorted", pool),
                || self.state(),
                |(grid, out)| {
                    pool.install(|| {
                        grid.advance();
                        grid.collect_sorted(out);
                    });
                },
                |(_, out)| Answer::of_pairs(out),
            );
        }
    }

    fn builds(&self, suite: &mut Suite, pairs: Answer, builders: &[Builder<D>]) {
        let mut compared = suite.compare(self.scene(), pairs);
        for pool in self.pools {
            compared.ours(
                self.subject("from nothing", pool),
                || self.state(),
                |(grid, out)| {
                    pool.install(|| {
                        grid.refill(&self.later);
                        grid.collect_sorted(out);
                    });
                },
                |(_, out)| Answer::of_pairs(out),
            );
        }
        for Builder { name, find_pairs, parallel } in builders {
            let is_serial = |pool: &&ThreadPool| pool.current_num_threads() == 1;
            for pool in self.pools.iter().filter(|pool| is_serial(pool) != *parallel) {
                compared.peer_on(
                    &format!("{name}, from nothing"),
                    pool.current_num_threads(),
                    Vec::new,
                    |out| pool.install(|| find_pairs(&self.later, out)),
                    |out| answer_of(out),
                );
            }
        }
    }

    fn jumps(&self, suite: &mut Suite, builder: &Builder<D>) {
        let mut jumped = self.start.clone();
        (0..TICKS).for_each(|_| jumped.jump());
        let mut compared = suite.compare(self.scene(), expected(builder, &jumped));
        for pool in self.pools {
            compared.ours(
                self.subject("jump", pool),
                || {
                    let (mut grid, mut out) = (Grid::new(self.start), Vec::new());
                    for _ in 1..TICKS {
                        grid.jump();
                        grid.collect_sorted(&mut out);
                    }
                    (grid, out)
                },
                |(grid, out)| {
                    pool.install(|| {
                        grid.jump();
                        grid.collect_sorted(out);
                    });
                },
                |(_, out)| Answer::of_pairs(out),
            );
        }
    }

    fn neighbors(&self, suite: &mut Suite) {
        let pairs = pairs_within(self.start, DISTANCE);
        let both = pairs.into_iter().flat_map(|[a, b]| [[a, b], [b, a]]);
        let mut compared = suite.compare(self.scene(), Answer::of_set(both));
        let mut grid: Grid<D> = Grid::new(self.start);
        grid.hshg.optimize();
        for pool in self.pools {
            compared.ours(
                self.subject("neighbors", pool),
                Neighbors::default,
                |found| pool.install(|| grid.hshg.neighbors(DISTANCE, found)),
                |found| Answer::of_set(listed(found)),
            );
        }
    }

    fn world(&self, suite: &mut Suite, pairs: Answer)
    where
        world::World<D>: world::Ticks<D>,
    {
        use world::Ticks as _;
        let mut compared = suite.compare(self.scene(), pairs);
        for pool in self.pools {
            compared.ours(
                self.subject("world with events", pool),
                || {
                    let mut world = world::World::new(self.start);
                    (1..TICKS).for_each(|_| world.tick());
                    world
                },
                |world| pool.install(|| world.tick()),
                world::World::answer,
            );
        }
        let mut world = world::World::new(self.start);
        (0..TICKS).for_each(|_| world.tick());
        for pool in self.pools {
            compared.ours(
                self.subject("snapshot", pool),
                Vec::new,
                |out| pool.install(|| world.snapshot_into(out)),
                |_| world.answer(),
            );
        }
    }
}

/// Returns each object with each of its neighbors.
fn listed(found: &Neighbors) -> impl Iterator<Item = Pair> {
    found.iter().flat_map(|(key, list)| list.iter().map(move |&other| [key, other]))
}

/// Measures the parts of `tick sorted`.
fn parts(suite: &mut Suite, name: &str, start: &Boxes<2>, pools: &[ThreadPool]) {
    let test = Test::new(name, start, pools);
    let pairs = expected(&FLAT_BUILDERS[0], &test.later);
    let mut compared = suite.compare(test.scene(), pairs);
    for pool in pools {
        compared.part(
            test.subject("update", pool),
            || test.state(),
            |(grid, out)| {
                let start = Instant::now();
                pool.install(|| grid.advance());
                let took = start.elapsed();
                grid.collect_sorted(out);
                took
            },
            |(_, out)| Answer::of_pairs(out),
        );
    }
    for pool in pools {
        compared.part(
            test.subject("pairs sorted", pool),
            || test.state(),
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
