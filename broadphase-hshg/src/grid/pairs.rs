//! The pairs of all rows: each within itself, and with every row near it.

use alloc::vec::Vec;

use broadphase_core::kernel::sweep::{self, SweepCursor};
use broadphase_core::{Kernel, Lanes, Scalar, SlabPlanes};

use super::Hshg;
use super::level::Tier;
use super::row::{Row, between};

/// Where the walk over all joins has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JoinCursor {
    pub(super) join: usize,
    sweep: SweepCursor,
}

/// Goes on from `cursor` until the joins end or the buffer is full; yields how many pairs of
/// places it wrote.
pub(super) struct PairsOfRows<'a, S, const D: usize> {
    pub(super) planes: SlabPlanes<'a, D>,
    pub(super) rows: &'a [Row<D>],
    pub(super) tiers: &'a [Tier],
    pub(super) joins: &'a [[u32; 2]],
    pub(super) cursor: &'a mut JoinCursor,
    pub(super) hits: &'a mut [[u32; 2]],
    pub(super) numbers: core::marker::PhantomData<S>,
}

impl<S: Scalar, const D: usize> Kernel for PairsOfRows<'_, S, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { planes, rows, tiers, joins, cursor, hits, .. } = self;
        let mut filled = 0;
        while cursor.join < joins.len() {
            let [a, b] = joins[cursor.join];
            let (first, second) = (&rows[a as usize], &rows[b as usize]);
            let sweep = &mut cursor.sweep;
            let done;
            if a == b {
                (filled, done) = sweep::within(lanes, &planes, first.places(), sweep, hits, filled);
            } else {
                let tier = tiers.partition_point(|tier| tier.number < second.id.tier);
                let tier = tiers[tier];
                (filled, done) = sweep::between(
                    lanes,
                    &planes,
                    first.places(),
                    second.places(),
                    &second.bounds,
                    |key| tier.earliest::<S>(key),
                    sweep,
                    hits,
                    filled,
                );
            }
            if !done {
                return filled;
            }
            cursor.join += 1;
        }
        filled
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Which rows have to be swept with which: each with itself, with later ones of its tier, and
    /// with those of lower tiers, as far as they reach.
    pub(super) fn join(&mut self) {
        let mut joins: Vec<[u32; 2]> = core::mem::take(&mut self.joins);
        joins.clear();
        for (index, row) in self.rows.iter().enumerate() {
            if row.len == 0 {
                continue;
            }
            joins.push([index as u32; 2]);
            let reach = broadphase_core::Aabb {
                min: row.bounds.min.map(S::of_key),
                max: row.bounds.max.map(S::of_key),
            };
            for tier in self.tiers.iter().take_while(|tier| tier.number <= row.id.tier) {
                between(&self.rows, tier.rows_near(&reach), |other| {
                    let near = &self.rows[other];
                    let later = tier.number < row.id.tier || other > index;
                    if later && near.len > 0 && near.bounds.overlaps(&row.bounds) {
                        joins.push([index as u32, other as u32]);
                    }
                });
            }
        }
        self.joins = joins;
    }
}
