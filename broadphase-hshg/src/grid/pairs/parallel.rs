//! Pairs on several threads: each has a share of the joins, and what all find is put together in
//! the order of the joins.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Pair, Scalar, instances, tasks};

use crate::grid::Core;
use crate::grid::pairs::row_pairs::QUIET;
use crate::grid::pairs::sink::{PairFilter, PairSink};
use crate::grid::pairs::sweep::Broom;

/// So many places to be swept, or pairs to be looked at again, are worth another thread.
const LEAST: usize = 8192;
/// Of two rows most places are passed over: it takes so many of them as long as one of a row that
/// is swept with itself.
const PASSED: usize = 4;

/// A stretch of the joins, or of those who met, and what is found there.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct Share {
    stretch: Range<usize>,
    broom: Broom,
    found: Vec<Pair>,
}

impl Share {
    pub(in crate::grid) fn memory_use(&self) -> usize {
        self.broom.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}

/// The work on one stretch.
#[derive(Clone, Copy)]
enum Work {
    /// Looks again at pairs that met at the last sweep.
    Again,
    /// Sweeps row pairs.
    Sweep,
    /// Sweeps row pairs and appends all keys at once.
    Name,
    /// Tests moving objects against the static objects around them.
    Around,
}

instances! {
    /// Writes all pairs, or the pairs that a filter accepts, in the same order for any number of threads.
    /// The rows are up to date.
    pub(in crate::grid) fn collect<S, D>(
        core: &mut Core<S, D>,
        filter: Option<&PairFilter<'_, S, D>>,
        out: &mut Vec<Pair>,
    ) {
        core.collect(filter, out);
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    fn collect(&mut self, filter: Option<&PairFilter<'_, S, D>>, out: &mut Vec<Pair>) {
        out.clear();
        self.join();
        for part in [0, QUIET] {
            let stretches = self.stretches(part);
            if stretches.is_empty() {
                // Lists never break.
                let _ = self.sweep_part(part, &mut PairSink::new(filter, out));
            } else {
                self.share_out(part, &stretches, filter, out);
            }
        }
        self.weigh();
    }

    /// What there is to do for each thread; nothing if one does it all.
    fn stretches(&self, part: usize) -> Vec<Range<usize>> {
        if let Some(known) = self.joins.meetings[part].known() {
            return tasks::even(known.len(), LEAST);
        }
        let range = self.joins.range(part);
        let begin = range.start;
        let len = |row: u32| self.rows[row as usize].len;
        let weights = self.joins.now[range]
            .iter()
            .map(|&[a, b]| if a == b { PASSED * len(a) } else { len(a) + len(b) });
        let mut stretches = tasks::weighed(weights, PASSED * LEAST);
        for stretch in &mut stretches {
            *stretch = stretch.start + begin..stretch.end + begin;
        }
        stretches
    }

    /// Finds the pairs of a part on all threads.
    fn share_out(
        &mut self,
        part: usize,
        stretches: &[Range<usize>],
        filter: Option<&PairFilter<'_, S, D>>,
        out: &mut Vec<Pair>,
    ) {
        if self.joins.meetings[part].known().is_some() {
            return self.share(part, stretches, Work::Again, false, filter, out);
        }
        let noted = self.begin_notes(part);
        let names = filter.is_none() && self.names_at_once(noted);
        let work = if names { Work::Name } else { Work::Sweep };
        self.share(part, stretches, work, noted, filter, out);
        let around = self.surroundings.len(part);
        if around > 0 {
            let mut stretches = tasks::even(around, LEAST);
            if stretches.is_empty() {
                stretches.push(0..around);
            }
            self.share(part, &stretches, Work::Around, noted, filter, out);
        }
        self.joins.meetings[part].end(noted);
    }

    /// Does some work in stretches on all threads, and puts together what is found, and noted.
    fn share(
        &mut self,
        part: usize,
        stretches: &[Range<usize>],
        work: Work,
        noted: bool,
        filter: Option<&PairFilter<'_, S, D>>,
        out: &mut Vec<Pair>,
    ) {
        let mut all = core::mem::take(&mut self.joins.shares);
        if all.len() < stretches.len() {
            all.resize_with(stretches.len(), Share::default);
        }
        let shares = &mut all[..stretches.len()];
        let (longest, tiers) = (self.longest(), self.tiers.len());
        for (share, stretch) in shares.iter_mut().zip(stretches) {
            share.stretch = stretch.clone();
            share.broom.prepare(longest, tiers, D > 2);
            share.broom.met.clear();
            share.found.clear();
        }
        let core = &*self;
        tasks::each(shares, |Share { stretch, broom, found }| {
            let stretch = stretch.clone();
            if let Work::Name = work {
                return core.name_joins(stretch, broom, found);
            }
            let sink = &mut PairSink::new(filter, found);
            // Lists never break.
            let _ = match work {
                Work::Again => {
                    let known = core.joins.meetings[part].known().unwrap_or_default();
                    core.meet_again(&known[stretch], sink)
                }
                Work::Around => core.meet_around(stretch, noted.then_some(&mut broom.met), sink),
                Work::Sweep | Work::Name => core.sweep_joins(stretch, broom, noted, sink),
            };
        });
        for Share { broom, found, .. } in &*shares {
            out.extend_from_slice(found);
            self.joins.meetings[part].list.extend_from_slice(&broom.met);
            self.joins.broom.hits += broom.hits;
            for (all, own) in self.joins.broom.work.iter_mut().zip(&broom.work) {
                *all = [all[0] + own[0], all[1] + own[1]];
            }
        }
        self.joins.shares = all;
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex, tasks};

    use super::QUIET;
    use crate::grid::Hshg;

    #[test]
    fn joins_are_shared_out_where_there_are_threads_and_work() {
        let shares = |count: u32, threads| {
            let mut world: Hshg<f32, 2> = Hshg::new();
            for key in 0..count {
                let at = [(key % 200) as f32, (key / 200) as f32];
                world.insert(key, Aabb::of_ball(at, 0.6), ()).expect("a free key");
                if key % 2 == 0 {
                    world.set_motion(key, Motion::Sleeping).expect("it is there");
                }
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                world.pairs(&mut Vec::new());
                let again = world.core.stretches(QUIET).len();
                (world.core.joins.shares.len(), again)
            })
        };
        assert_eq!(shares(40_000, 1), (0, 0));
        assert_eq!(shares(4000, 2), (0, 0));
        let (joins, again) = shares(40_000, 2);
        assert!(joins > 4 && again > 1, "{joins} shares of joins, {again} of those who met");
    }

    #[test]
    fn what_is_static_around_is_the_same_on_two_threads() {
        let ticks = |threads| {
            let mut world: Hshg<f32, 2> = Hshg::new();
            for key in 0..240_000u32 {
                let at = [(key % 600) as f32, (key / 600) as f32];
                world.insert(key, Aabb::of_ball(at, 0.3), ()).expect("a free key");
                if key % 10 != 0 {
                    world.set_motion(key, Motion::Static).expect("it is there");
                }
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                let (mut pairs, mut all) = (Vec::new(), Vec::new());
                for _ in 0..12 {
                    let walked = world.update_dynamic(|key, (), bounds| {
                        *bounds = bounds.translated([0.05, 0.01 * (key % 3) as f32]);
                    });
                    walked.expect("bounds stay valid");
                    world.pairs_unordered_into(&mut pairs);
                    all.push(pairs.clone());
                }
                assert!(world.core.surroundings.rows() > 0);
                assert_eq!(world.core.stretches(0).is_empty(), threads == 1);
                let around = tasks::even(world.core.surroundings.len(0), super::LEAST);
                assert_eq!(around.is_empty(), threads == 1);
                // Nothing has moved: they are noted, and then known.
                for _ in 0..2 {
                    world.pairs_unordered_into(&mut pairs);
                    all.push(pairs.clone());
                }
                all
            })
        };
        let all = ticks(1);
        assert!(all[0].is_empty() && all[11].len() > 10_000 && all[11] == all[13]);
        assert!(all == ticks(2));
    }
}
