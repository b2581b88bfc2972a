//! Benchmarks the same work on 1 and 2 threads, and on 4, 8, … threads up to the number of cores.
//!
//! * `tick`: a grid moves every object and writes every overlapping pair, in any order
//! * `tick sorted`: as `tick`, with pairs in canonical order
//! * `from nothing`: clears the grid, fills it again, and writes pairs in canonical order
//! * `jump`: moves every object to a random place, and writes pairs in canonical order
//! * `neighbors`: finds for every object the objects within a distance; no object moves
//! * `world with events`: a tick of a world (`par_update`, `step`), in which each event is read;
//!   only in two dimensions
//! * `query_many`: box queries in a batch, only for the first scene
//!
//! The scenes are those of the variable `HEXPHASE_BENCH_SCENES`, separated by commas, or three
//! scenes of up to 500,000 objects. Every result is compared with that of another library, or with
//! single queries. The last table has the milliseconds of each row, and the speed-up over one
//! thread. Searches among points are in the suite `cube`.

#[path = "threads/scaling.rs"]
mod scaling;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Lists, Neighbors, Region, SpatialIndexExt};
use peers::world::{
    Boxes, Builder, FLAT_BUILDERS, Facade, Indexed, Run, SOLID_BUILDERS, World as _, answer_of,
    pairs_within,
};
use peers::{Answer, Comparison, Scene, Subject, Suite, Work, pools, scenes};
use rayon::ThreadPool;

/// Number of ticks before the answer is compared.
const TICKS: usize = 3;
/// Number of ticks after which all objects reverse their direction, so that the number of pairs is
/// nearly constant.
const TICKS_PER_DIRECTION: u32 = 20;
/// Maximum distance of neighbors; objects of `discs` have a diameter of 14.
const DISTANCE: f32 = 4.0;
/// Number of box queries.
const QUERIES: usize = 20_000;

fn main() {
    let mut suite = Suite::new("threads");
    let pools = pools();
    let names = scenes(
        &["discs:500000", "clustered:500000", "mixed3:300000"],
        &["discs:40000", "mixed3:2000"],
    );
    for (index, name) in names.iter().enumerate() {
        let scene: SceneName = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        match scene.generate() {
            Objects::Flat(movers) => {
                let test = Test::new(name, movers.into(), &pools, &FLAT_BUILDERS);
                test.measure(&mut suite);
                test.world(&mut suite);
                if index == 0 {
                    test.queries(&mut suite);
                }
            }
            Objects::Solid(movers) => {
                Test::new(name, movers.into(), &pools, &SOLID_BUILDERS).measure(&mut suite);
            }
        }
    }
    let rows = suite.rows();
    suite.finish();
    print!("{}", scaling::table(&rows));
}

/// A scene, and the pools to measure.
struct Test<'a, const D: usize> {
    scene: Scene<'a>,
    start: Boxes<D>,
    /// The boxes when the answer is compared.
    later: Boxes<D>,
    /// The answer for their pairs.
    expected: Answer,
    pools: &'a [ThreadPool],
    builders: &'static [Builder<D>],
}

impl<'a, const D: usize> Test<'a, D> {
    fn new(
        name: &'a str,
        mut start: Boxes<D>,
        pools: &'a [ThreadPool],
        builders: &'static [Builder<D>],
    ) -> Self {
        // Without walls, worlds can be updated in parallel without changing velocities.
        start.motion = start.motion.without_walls().turning_after(TICKS_PER_DIRECTION);
        let later = start.after(TICKS);
        let scene = Scene::objects(name, start.len());
        Self { scene, expected: answer(&builders[0], &later), start, later, pools, builders }
    }

    /// Measures our work in each pool.
    fn ours<S>(
        &self,
        compared: &mut Comparison<'_>,
        name: &str,
        setup: impl Fn() -> S,
        run: impl Fn(&mut S) + Sync,
        answer: impl Fn(&S) -> Answer,
    ) where
        S: Send,
    {
        for pool in self.pools {
            let threads = pool.current_num_threads();
            let subject = Subject { threads, ..Subject::detected(name) };
            compared.ours(subject, &setup, |state| pool.install(|| run(state)), &answer);
        }
    }

    fn measure(&self, suite: &mut Suite) {
        let state = || Run::after(TICKS - 1, Indexed::grid(&self.start));
        let sorted = |run: &Run<Indexed<D>>| Answer::of_pairs(&run.pairs);
        let mut compared = suite.compare(self.scene, self.expected);
        self.ours(&mut compared, "tick", state, Run::tick, Run::answer);
        let tick = |run: &mut Run<Indexed<D>>| {
            run.world.advance();
            run.world.collect_sorted(&mut run.pairs);
        };
        self.ours(&mut compared, "tick sorted", state, tick, sorted);

        let mut compared = suite.compare(self.scene, self.expected);
        let refill = |run: &mut Run<Indexed<D>>| {
            run.world.refill(&self.later);
            run.world.collect_sorted(&mut run.pairs);
        };
        self.ours(&mut compared, "from nothing", state, refill, sorted);
        for Builder { name, find_pairs, parallel } in self.builders {
            for pool in self.pools.iter().filter(|pool| (threads(pool) > 1) == *parallel) {
                let name = format!("{name}, from nothing");
                let build = |out: &mut _| pool.install(|| find_pairs(&self.later, out));
                compared.peer_on(&name, threads(pool), Vec::new, build, |out| answer_of(out));
            }
        }

        let jumped = answer(&self.builders[0], &self.start.after_jumps(TICKS));
        let mut compared = suite.compare(self.scene, jumped);
        let jump = |run: &mut Run<Indexed<D>>| {
            run.world.jump();
            run.world.collect_sorted(&mut run.pairs);
        };
        let jumping = || {
            let mut run = Run { world: Indexed::grid(&self.start), pairs: Vec::new() };
            (1..TICKS).for_each(|_| jump(&mut run));
            run
        };
        self.ours(&mut compared, "jump", jumping, jump, sorted);

        let pairs = pairs_within(&self.start, DISTANCE);
        let both = pairs.into_iter().flat_map(|[a, b]| [[a, b], [b, a]]);
        let mut compared = suite.compare(self.scene, Answer::of_set(both));
        let mut grid = Indexed::grid(&self.start);
        grid.index.optimize();
        let search = |found: &mut Neighbors| grid.index.neighbors(DISTANCE, found);
        self.ours(&mut compared, "neighbors", Neighbors::default, search, |found| {
            let list = |(key, list): (u32, &[u32])| {
                list.iter().map(move |&other| [key, other]).collect::<Vec<_>>()
            };
            Answer::of_set(found.iter().flat_map(list))
        });
    }
}

impl Test<'_, 2> {
    fn world(&self, suite: &mut Suite) {
        let mut compared = suite.compare(self.scene, self.expected);
        let started = || Facade::new(&self.start, true).after(TICKS - 1);
        self.ours(&mut compared, "world with events", started, Facade::tick, Facade::answer);
    }

    fn queries(&self, suite: &mut Suite) {
        let mut grid = Indexed::grid(&self.start);
        // Sort the pending objects into the grid; otherwise each query would test all of them.
        grid.index.optimize();
        let step = self.start.len() / QUERIES.min(self.start.len());
        let areas = self.start.bounds.iter().step_by(step);
        let regions: Vec<Region> = areas.map(|area| area.enlarged(3.0).into()).collect();
        let answer = |lists: &Lists| {
            let items = lists.items().iter().map(|&key| u64::from(key));
            let ends = lists.ends().iter().map(|&end| end as u64);
            Answer::new(lists.items().len() as u64, items.chain(ends))
        };
        let (mut expected, mut found) = (Lists::default(), Vec::new());
        for region in &regions {
            grid.index.query(*region, &mut found);
            expected.push(found.iter().copied());
        }
        let work = Work::Points(regions.len() as u64);
        let name = format!("{} boxes", self.scene.name);
        let scene = Scene { name: &name, n: regions.len(), work };
        let search = |lists: &mut Lists| grid.index.query_many(&regions, lists);
        let mut compared = suite.compare(scene, answer(&expected));
        self.ours(&mut compared, "query_many", Lists::default, search, answer);
    }
}

fn threads(pool: &ThreadPool) -> usize {
    pool.current_num_threads()
}

/// Returns the answer for the pairs that a library finds in these boxes.
fn answer<const D: usize>(builder: &Builder<D>, boxes: &Boxes<D>) -> Answer {
    let mut pairs = Vec::new();
    (builder.find_pairs)(boxes, &mut pairs);
    answer_of(&pairs)
}
