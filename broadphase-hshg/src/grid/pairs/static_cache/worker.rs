//! Finds out what is static in new ranges, on all threads: each scout has a stretch of those that
//! have left theirs.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::sweep::Guides;
use broadphase_core::{Backend, Scalar, SlabPlanes, Slabs, tasks};

use super::lookup::{LOOKS, Look, LookUp};
use super::{Leaver, Near};
use crate::grid::storage::row::{Row, STATIC, in_block};
use crate::grid::storage::tiers::Tier;

/// So many that have left their ranges are worth another thread.
const LEAST: usize = 1024;

/// All that scouts look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a, const D: usize> {
    pub(super) backend: Backend,
    pub(super) planes: SlabPlanes<'a, D>,
    pub(super) rows: &'a [Row<D>],
    pub(super) guides: &'a Guides,
    /// The tiers in which something is static, and which rows that is in.
    pub(super) tiers: &'a [(Tier, Range<usize>)],
    pub(super) leavers: &'a [Leaver<D>],
    /// More near those that move is too much, and so is more effort to find it.
    pub(super) most: usize,
    pub(super) effort: usize,
}

/// One who finds out what is static in some ranges.
#[derive(Clone, Debug, Default)]
pub(super) struct Scout<const D: usize> {
    stretch: Range<usize>,
    /// Where to look, and what is seen there: by which of the leavers, and a place.
    looks: Vec<Look<D>>,
    seen: Vec<[u32; 2]>,
    near: Vec<Near<D>>,
    /// How many looks there were, and how much was seen.
    effort: usize,
}

/// Finds what is static in the ranges of all, and appends it in their order, whoever finds it;
/// yields whether that is not too much, and was not too hard.
pub(super) fn send<S: Scalar, const D: usize>(
    scouts: &mut Vec<Scout<D>>,
    field: &Field<'_, D>,
    near: &mut Vec<Near<D>>,
) -> bool {
    let stretches = tasks::even(field.leavers.len(), LEAST);
    let count = stretches.len().max(1);
    if scouts.len() < count {
        scouts.resize_with(count, Scout::default);
    }
    let scouts = &mut scouts[..count];
    scouts[0].stretch = 0..field.leavers.len();
    for (scout, stretch) in scouts.iter_mut().zip(stretches) {
        scout.stretch = stretch;
    }
    // What the first finds is where it belongs.
    core::mem::swap(near, &mut scouts[0].near);
    tasks::each(scouts, |scout| {
        scout.effort = 0;
        scout.explore::<S>(field);
    });
    core::mem::swap(near, &mut scouts[0].near);
    for scout in &mut scouts[1..] {
        near.append(&mut scout.near);
    }
    // One that stopped early has had more than all may have.
    let effort: usize = scouts.iter().map(|scout| scout.effort).sum();
    near.len() <= field.most && effort <= field.effort
}

impl<const D: usize> Scout<D> {
    pub(super) fn memory_use(&self) -> usize {
        self.looks.capacity() * size_of::<Look<D>>()
            + self.seen.capacity() * size_of::<[u32; 2]>()
            + self.near.capacity() * size_of::<Near<D>>()
    }

    fn explore<S: Scalar>(&mut self, field: &Field<'_, D>) {
        self.looks.clear();
        for leaver in self.stretch.clone() {
            let range = field.leavers[leaver].range;
            for (tier, of_tier) in field.tiers {
                let min = range.min.map(|min| tier.reach.earliest(min));
                let begins = Slabs { min, max: range.max };
                let cells = tier.cells_near::<S, D>(&range);
                let rows = &field.rows[of_tier.clone()];
                in_block(rows, [i32::from(STATIC), tier.number], cells, |index| {
                    if rows[index].bounds.overlaps(&range) {
                        let [leaver, row] = [leaver, of_tier.start + index].map(|n| n as u32);
                        self.looks.push(Look { leaver, row, begins });
                    }
                });
            }
            if self.looks.len() >= LOOKS {
                self.look(field);
            }
            if self.near.len() > field.most || self.effort > field.effort {
                return;
            }
        }
        self.look(field);
    }

    /// Has the looks that wait.
    fn look(&mut self, field: &Field<'_, D>) {
        let Self { looks, seen, near, effort, .. } = self;
        let &Field { planes, rows, guides, .. } = field;
        let slabs = planes.of_one_length();
        for looks in looks.chunks(LOOKS) {
            seen.clear();
            let most = field.effort.saturating_sub(*effort);
            field.backend.dispatch(LookUp { planes, rows, guides, looks, seen, most });
            *effort += looks.len() + seen.len();
            for &[leaver, place] in &*seen {
                let Leaver { spot, place: mover, range } = field.leavers[leaver as usize];
                let slabs = slabs.get(place as usize);
                if slabs.overlaps(&range) && near.len() <= field.most {
                    near.push(Near { spot, mover, place, slabs });
                }
            }
        }
        looks.clear();
    }
}
