//! Pairs on several threads: each has a share of the groups, and what all find is put together in
//! the order of the groups.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};
use core::slice;

use broadphase_core::{LANES, Pair, Scalar, instances, pairs, tasks};

use super::geometry::Geometry;
use super::lookup::TOGETHER;
use super::pairs::{Broom, Joins};
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

/// Appends the keys of those pairs, given by their slots, that the caller accepts.
pub(super) type Emit<'a> = dyn Fn(&[[u32; 2]], &mut Vec<Pair>) + Sync + 'a;

instances! {
    /// Writes the keys of all pairs, or the keys that `emit` appends; in the same order for any number
    /// of threads.
    pub(super) fn collect<S, D>(
        geometry: Geometry<'_, S, D>,
        joins: &mut Joins<D>,
        emit: Option<&Emit<'_>>,
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        for other in [BUSY, STILL] {
            let stretches = geometry.stretches(joins, other);
            let whole = 0..geometry.whole(joins, other);
            let alone = slice::from_ref(&whole);
            let stretches = if stretches.is_empty() { alone } else { &stretches };
            geometry.share_out(joins, other, stretches, emit, out);
        }
    }
}

impl<S: Scalar, const D: usize> Geometry<'_, S, D> {
    /// How much there is to do, in parts or in pairs to be looked at again.
    fn whole(&self, joins: &Joins<D>, other: usize) -> usize {
        joins.meetings[other].known().map_or_else(|| self.parts(other), <[_]>::len)
    }

    /// What there is to do for each thread; nothing if one does it all.
    fn stretches(&self, joins: &Joins<D>, other: usize) -> Vec<Range<usize>> {
        if let Some(known) = joins.meetings[other].known() {
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
    fn share_out(
        &self,
        joins: &mut Joins<D>,
        other: usize,
        stretches: &[Range<usize>],
        emit: Option<&Emit<'_>>,
        out: &mut Vec<Pair>,
    ) {
        let is_known = joins.meetings[other].known().is_some();
        let noted = !is_known && self.begin_notes(joins, other);
        let mut all = core::mem::take(&mut joins.shares);
        let Joins { meetings, tests, .. } = joins;
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
            core::mem::swap(&mut shares[0].broom.met, &mut meetings[other].list);
        }
        let known = meetings[other].known();
        let by_keys = emit.is_none() && !noted && self.are_keys_enough(other);
        tasks::each(shares, |Share { stretch, broom, found }| {
            if known.is_none() && by_keys {
                self.sweep_keys(other, stretch.clone(), broom, found);
                return;
            }
            let mut visit = |met: &[[u32; 2]]| {
                match emit {
                    Some(emit) => emit(met, found),
                    None => pairs::append_keys(self.backend, found, met, self.keys),
                }
                ControlFlow::Continue(())
            };
            let _ = match known {
                Some(known) => self.meet_again(&known[stretch.clone()], &mut visit),
                None => self.sweep_part(other, stretch.clone(), broom, noted, &mut visit),
            };
        });
        core::mem::swap(&mut shares[0].found, out);
        if noted {
            core::mem::swap(&mut shares[0].broom.met, &mut meetings[other].list);
        }
        for Share { broom, found, .. } in shares {
            out.extend_from_slice(found);
            meetings[other].list.extend_from_slice(&broom.met);
            *tests += broom.take_tests();
        }
        if !is_known {
            meetings[other].end(noted);
        }
        joins.shares = all;
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex};

    use super::{BUSY, STILL};
    use crate::MortonCells;

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
                let first = [BUSY, STILL]
                    .map(|layer| world.geometry().stretches(&world.joins, layer).len());
                for _ in 0..2 {
                    world.pairs(&mut Vec::new());
                }
                (
                    first,
                    [BUSY, STILL]
                        .map(|layer| world.geometry().stretches(&world.joins, layer).len()),
                )
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
