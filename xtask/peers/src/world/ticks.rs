//! Ticks, builds and jumps of the grid, and of libraries that build a structure for each search.

use broadphase_core::{Pair, PairSearch, SpatialIndexExt as _};
use broadphase_hshg::{Hshg, find_pairs};
use rayon::ThreadPool;

use super::{Boxes, Builder, Indexed, Run, World as _, answer_of};
use crate::model::Model;
use crate::{Answer, Comparison, Scene, Subject, Suite};

/// Number of ticks before the answer is compared.
pub const TICKS: usize = 3;

/// A scene, and the pools to measure.
#[derive(Debug)]
pub struct Test<'a, const D: usize> {
    /// The scene.
    pub scene: Scene<'a>,
    /// The boxes at the start.
    pub start: Boxes<D>,
    /// The boxes when the answer is compared.
    later: Boxes<D>,
    /// The answer for their pairs, as found by another library.
    pub expected: Answer,
    pools: &'a [ThreadPool],
    builders: &'static [Builder<D>],
}

impl<'a, const D: usize> Test<'a, D> {
    /// Creates the test of a scene.
    pub fn new(
        name: &'a str,
        start: Boxes<D>,
        pools: &'a [ThreadPool],
        builders: &'static [Builder<D>],
    ) -> Self {
        let later = start.after(TICKS);
        let scene = Scene::objects(name, start.bounds.len());
        Self { scene, expected: builders[0].answer(&later), start, later, pools, builders }
    }

    /// Returns the grid before the tick whose pairs are compared.
    pub fn warm(&self) -> Run<Indexed<D>> {
        Run::after(TICKS - 1, Indexed::grid(&self.start))
    }

    /// Measures our work in each pool, or computes its time by the model that the environment
    /// selects.
    pub fn ours<S: Send>(
        &self,
        compared: &mut Comparison<'_>,
        name: &str,
        setup: impl Fn() -> S,
        run: impl Fn(&mut S) + Sync,
        answer: impl Fn(&S) -> Answer,
    ) {
        if let Some(model) = Model::requested() {
            compared.model(model, &self.pools[1], name, setup, run, answer);
            return;
        }
        for pool in self.pools {
            let threads = pool.current_num_threads();
            let subject = Subject { threads, ..Subject::detected(name) };
            compared.measure(subject, &setup, |state| on(pool, || run(state)), &answer);
        }
    }

    /// Measures the other libraries in each pool that they can use.
    fn peers<S: Send>(
        &self,
        compared: &mut Comparison<'_>,
        work: &str,
        setup: impl Fn() -> S,
        search: impl Fn(&Builder<D>, &mut S, &mut Vec<Pair>) + Sync,
    ) {
        if Model::requested().is_some() {
            return;
        }
        for builder in self.builders {
            let name = format!("{}, {work}", builder.name);
            for pool in self.pools {
                let threads = pool.current_num_threads();
                if builder.parallel == (threads > 1) {
                    compared.measure(
                        Subject { threads, ..Subject::peer(&name) },
                        || (setup(), Vec::new()),
                        |(state, out)| on(pool, || search(builder, state, out)),
                        |(_, out)| answer_of(out),
                    );
                }
            }
        }
    }

    /// Measures ticks with pairs in canonical order.
    pub fn sorted_ticks(&self, compared: &mut Comparison<'_>) {
        let tick = |run: &mut Run<Indexed<D>>| {
            run.world.advance();
            run.world.collect_sorted(&mut run.pairs);
        };
        self.ours(compared, "tick sorted", || self.warm(), tick, sorted);
    }

    /// Measures searches in lists and in new structures, and after all objects have jumped.
    pub fn builds(&self, suite: &mut Suite) {
        let mut compared = suite.compare(self.scene, self.expected);
        let answer = |pairs: &Vec<Pair>| Answer::of_pairs(pairs);
        let list = |pairs: &mut Vec<Pair>| {
            let found = find_pairs(&self.later.bounds, &PairSearch::OVERLAPS, pairs);
            found.expect("scenes have valid bounds");
        };
        self.ours(&mut compared, "list", Vec::new, list, answer);
        let build = |pairs: &mut Vec<Pair>| {
            let mut grid = Hshg::new();
            grid.extend(self.later.objects()).expect("scenes have valid bounds");
            grid.pairs(pairs);
        };
        self.ours(&mut compared, "from nothing", Vec::new, build, answer);
        let build = |builder: &Builder<D>, (): &mut (), out: &mut _| {
            (builder.find_pairs)(&self.later, out);
        };
        self.peers(&mut compared, "from nothing", || (), build);

        let expected = self.builders[0].answer(&self.start.after_jumps(TICKS));
        let mut compared = suite.compare(self.scene, expected);
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
        let build = |builder: &Builder<D>, boxes: &mut Boxes<D>, out: &mut _| {
            boxes.jump();
            (builder.find_pairs)(boxes, out);
        };
        self.peers(&mut compared, "jump", || self.start.after_jumps(TICKS - 1), build);
    }
}

fn sorted<const D: usize>(run: &Run<Indexed<D>>) -> Answer {
    Answer::of_pairs(&run.pairs)
}

/// Runs work in a pool. The global pool has one thread, so work on one thread runs in place.
fn on(pool: &ThreadPool, work: impl FnOnce() + Send) {
    if pool.current_num_threads() == 1 { work() } else { pool.install(work) }
}
