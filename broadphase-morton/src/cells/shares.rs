//! Pairs on several threads: each has a share of the groups, and what all find is put together in
//! the order of the groups.

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use broadphase_core::{LANES, Pair, Scalar, pairs, tasks};

use super::MortonCells;
use super::lookup::TOGETHER;
use super::pairs::Broom;
use super::places::{BUSY, STILL};

/// So many objects to be joined, or pairs to be looked at again, are worth another thread.
const LEAST: usize = 8192;
/// So many descents are.
const DESCENTS: usize = 2048;

/// A stretch of the groups, or of those who met, and what is found there.
#[derive(Clone, Debug)]
pub(super) struct Share<const D: usize> {
    stretch: Range<usize>,
    pub(super) broom: Broom<D>,
    found: Vec<Pair>,
}

impl<const D: usize> Share<D> {
    pub(super) fn new() -> Self {
        Self { stretch: 0..0, broom: Broom::new(), found: Vec::new() }
    }

    pub(super) fn memory_use(&self) -> usize {
        self.broom.memory_use() + self.found.capacity() * size_of::<Pair>()
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync> MortonCells<S, D, T> {
    /// Writes all pairs, or those that `accept` accepts; in the same order for any number of
    /// threads.
    pub(super) fn collect<const ALL: bool>(
        &mut self,
        accept: &(impl Fn(&T, &T) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        self.prepare();
        for other in [BUSY, STILL] {
            let stretches = self.stretches(other);
            let whole = 0..self.whole(other);
            let alone = slice::from_ref(&whole);
            let stretches = if stretches.is_empty() { alone } else { &stretches };
            self.share_out::<ALL>(other, stretches, accept, out);
        }
    }

    /// How much there is to do, in parts or in pairs to be looked at again.
    fn whole(&self, other: usize) -> usize {
        self.joins.meetings[other].known().map_or_else(|| self.parts(other), <[_]>::len)
    }

    /// What there is to do for each thread; nothing if one does it all.
    fn stretches(&self, other: usize) -> Vec<Range<usize>> {
        if let Some(known) = self.joins.meetings[other].known() {
            tasks::even(known.len(), LEAST)
        } else if self.is_sparse(other) {
            tasks::even(self.parts(other), DESCENTS / TOGETHER)
        } else if self.places.layers[other].slots.is_empty() {
            Vec::new()
        } else {
            tasks::even(self.parts(other), LEAST / (LANES * LANES))
        }
    }

    /// Finds the pairs with a layer on all threads.
    fn share_out<const ALL: bool>(
        &mut self,
        other: usize,
        stretches: &[Range<usize>],
        accept: &(impl Fn(&T, &T) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        let is_known = self.joins.meetings[other].known().is_some();
        let noted = !is_known && self.begin_notes(other);
        let mut all = core::mem::take(&mut self.joins.shares);
        if all.len() < stretches.len() {
            all.resize_with(stretches.len(), Share::new);
        }
        let shares = &mut all[..stretches.len()];
        for (share, stretch) in shares.iter_mut().zip(stretches) {
            share.stretch = stretch.clone();
            share.broom.met.clear();
            share.found.clear();
        }
        // What the first one finds and notes need not be moved.
        core::mem::swap(&mut shares[0].found, out);
        if noted {
            core::mem::swap(&mut shares[0].broom.met, &mut self.joins.meetings[other].list);
        }
        let world = &*self;
        let by_keys = ALL && !noted && world.are_keys_enough(other);
        tasks::each(shares, |Share { stretch, broom, found }| {
            let mut visit = |world: &Self, met: &[[u32; 2]]| {
                world.take::<ALL>(met, accept, found);
            };
            if let Some(known) = world.joins.meetings[other].known() {
                world.meet_again(&known[stretch.clone()], &mut visit);
            } else if by_keys {
                let write = |keys: &[Pair]| found.extend_from_slice(keys);
                world.sweep_keys(other, stretch.clone(), broom, write);
            } else {
                world.sweep_part(other, stretch.clone(), broom, noted, &mut visit);
            }
        });
        core::mem::swap(&mut shares[0].found, out);
        if noted {
            core::mem::swap(&mut shares[0].broom.met, &mut self.joins.meetings[other].list);
        }
        for Share { broom, found, .. } in shares {
            out.extend_from_slice(found);
            self.joins.meetings[other].list.extend_from_slice(&broom.met);
            self.joins.tests += broom.take_tests();
        }
        if !is_known {
            self.joins.meetings[other].end(noted);
        }
        self.joins.shares = all;
    }

    /// Writes the keys of those that meet: of all, or of those whose data `accept` accepts.
    #[inline(always)]
    fn take<const ALL: bool>(
        &self,
        met: &[[u32; 2]],
        accept: &impl Fn(&T, &T) -> bool,
        found: &mut Vec<Pair>,
    ) {
        if ALL {
            pairs::append_keys(self.backend, found, met, self.objects.keys());
            return;
        }
        for &[a, b] in met {
            let [a, b] = self.objects.entries(a as usize, b as usize);
            if accept(a.data, b.data) {
                found.push([a.key, b.key]);
            }
        }
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex};

    use super::{BUSY, MortonCells, STILL};

    #[test]
    fn groups_are_shared_out_where_there_are_threads_and_work() {
        let shares = |count: u32, statics: usize, threads| {
            let mut world: MortonCells<f32, 2> = MortonCells::new();
            for key in 0..count {
                let at = [(key % 200) as f32, (key / 200) as f32];
                world.insert(key, Aabb::of_ball(at, 0.6), ()).expect("a free key");
            }
            for key in (0..count).take(statics) {
                world.set_motion(key, Motion::Static).expect("it is there");
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                world.optimize();
                let first = [BUSY, STILL].map(|layer| world.stretches(layer).len());
                for _ in 0..2 {
                    world.pairs(&mut Vec::new());
                }
                (first, [BUSY, STILL].map(|layer| world.stretches(layer).len()))
            })
        };
        assert_eq!(shares(40_000, 0, 1), ([0, 0], [0, 0]));
        assert_eq!(shares(4000, 0, 2), ([0, 0], [0, 0]));
        let (first, again) = shares(40_000, 0, 2);
        assert!(first[0] > 1 && first[1] == 0, "{first:?} shares of groups");
        assert!(again[0] > 1 && again[1] == 0, "{again:?} shares of those who met");
        let (first, again) = shares(60_000, 54_000, 2);
        assert!(first[1] > 1, "{first:?} shares of descents, then {again:?}");
    }
}
