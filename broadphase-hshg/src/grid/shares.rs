//! Pairs on several threads: each has a share of the joins, and what all find is put together in
//! the order of the joins.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Pair, Scalar, pairs, tasks};

use super::Hshg;
use super::joins::QUIET;
use super::meet::Keys;
use super::pairs::Broom;

/// So many places to be swept, or pairs to be looked at again, are worth another thread.
const LEAST: usize = 8192;
/// Of two rows most places are passed over: it takes so many of them as long as one of a row that
/// is swept with itself.
const PASSED: usize = 4;

/// A stretch of the joins, or of those who met, and what is found there.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    stretch: Range<usize>,
    broom: Broom,
    found: Vec<Pair>,
}

impl Share {
    pub(super) fn memory_use(&self) -> usize {
        self.broom.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync> Hshg<S, D, T> {
    /// Writes all pairs, or those that `accept` accepts; in the same order for any number of
    /// threads.
    pub(super) fn collect<const ALL: bool>(
        &mut self,
        accept: &(impl Fn(&T, &T) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        self.refresh();
        self.join();
        for part in [0, QUIET] {
            let stretches = self.stretches(part);
            if stretches.is_empty() && ALL {
                self.sweep_part(part, &mut Keys(out));
            } else if stretches.is_empty() {
                self.sweep_part(part, &mut |hshg: &Self, hits: &[[u32; 2]]| {
                    hshg.take::<ALL>(hits, accept, out);
                });
            } else {
                self.share_out::<ALL>(part, &stretches, accept, out);
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
    fn share_out<const ALL: bool>(
        &mut self,
        part: usize,
        stretches: &[Range<usize>],
        accept: &(impl Fn(&T, &T) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        let take = |hshg: &Self, hits: &[[u32; 2]], found: &mut Vec<Pair>| {
            hshg.take::<ALL>(hits, accept, found);
        };
        if self.joins.meetings[part].known().is_some() {
            return self.share(part, stretches, out, |hshg, stretch, _, found| {
                let known = hshg.joins.meetings[part].known().unwrap_or_default();
                hshg.meet_again(&known[stretch], &mut |hshg: &Self, hits: &[[u32; 2]]| {
                    take(hshg, hits, found);
                });
            });
        }
        let noted = self.begin_notes(part);
        let names = ALL && self.names_at_once(noted);
        self.share(part, stretches, out, |hshg, stretch, broom, found| {
            if names {
                return hshg.name_joins(stretch, broom, found);
            }
            hshg.sweep_joins(stretch, broom, noted, &mut |hshg: &Self, hits: &[[u32; 2]]| {
                take(hshg, hits, found);
            });
        });
        let around = self.surroundings.len(part);
        if around > 0 {
            let mut stretches = tasks::even(around, LEAST);
            if stretches.is_empty() {
                stretches.push(0..around);
            }
            self.share(part, &stretches, out, |hshg, stretch, broom, found| {
                let notes = noted.then_some(&mut broom.met);
                hshg.meet_around(stretch, notes, &mut |hshg: &Self, hits: &[[u32; 2]]| {
                    take(hshg, hits, found);
                });
            });
        }
        self.joins.meetings[part].end(noted);
    }

    /// Does some work in stretches on all threads, and puts together what is found, and noted.
    fn share(
        &mut self,
        part: usize,
        stretches: &[Range<usize>],
        out: &mut Vec<Pair>,
        work: impl Fn(&Self, Range<usize>, &mut Broom, &mut Vec<Pair>) + Sync,
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
        let hshg = &*self;
        tasks::each(shares, |Share { stretch, broom, found }| {
            work(hshg, stretch.clone(), broom, found);
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

    /// Writes the keys of those that meet: of all, or of those whose data `accept` accepts.
    #[inline(always)]
    fn take<const ALL: bool>(
        &self,
        hits: &[[u32; 2]],
        accept: &impl Fn(&T, &T) -> bool,
        found: &mut Vec<Pair>,
    ) {
        if ALL {
            pairs::append_keys(self.backend, found, hits, &self.store.keys);
            return;
        }
        let view = self.store.view();
        for &hit in hits {
            let [a, b] = view.pair(hit);
            if accept(a.data, b.data) {
                found.push([a.key, b.key]);
            }
        }
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex, tasks};

    use super::{Hshg, QUIET};

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
                let again = world.stretches(QUIET).len();
                (world.joins.shares.len(), again)
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
                assert!(world.surroundings.rows() > 0);
                assert_eq!(world.stretches(0).is_empty(), threads == 1);
                let around = tasks::even(world.surroundings.len(0), super::LEAST);
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
