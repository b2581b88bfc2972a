//! The pairs of all rows: each within itself, and with every row near it.

use alloc::vec::Vec;
use core::marker::PhantomData;

use broadphase_core::kernel::sweep::{self, BetweenCursor, Picked, Run, WithinCursor};
use broadphase_core::{Kernel, Lanes, Scalar, SlabPlanes};

use super::Hshg;
use super::level::Tier;
use super::row::{Row, in_block};

/// Which rows are swept with which, and what sweeps need.
#[derive(Clone, Debug, Default)]
pub(super) struct Joins {
    /// Pairs of rows whose objects could meet: each with itself, with later ones of its tier, and
    /// with those of lower tiers, as far as they reach.
    near: Vec<[u32; 2]>,
    /// Those of them whose objects' bounds meet now.
    now: Vec<[u32; 2]>,
    picked: [Picked; 2],
    /// How many blocks were swept and how often, for each tier.
    work: Vec<[u64; 2]>,
}

/// Where the walk over all joins has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JoinCursor {
    join: usize,
    within: WithinCursor,
    between: BetweenCursor,
}

impl JoinCursor {
    /// Whether joins are left.
    pub(super) fn goes_on(&self, joins: &Joins) -> bool {
        self.join < joins.now.len()
    }
}

/// Goes on from `cursor` until the joins end or the buffer is full; yields how many pairs of
/// places it wrote.
pub(super) struct PairsOfRows<'a, S, const D: usize> {
    pub(super) planes: SlabPlanes<'a, D>,
    pub(super) rows: &'a [Row<D>],
    pub(super) tiers: &'a [Tier],
    pub(super) joins: &'a mut Joins,
    pub(super) cursor: &'a mut JoinCursor,
    pub(super) hits: &'a mut [[u32; 2]],
    pub(super) numbers: PhantomData<S>,
}

impl<S: Scalar, const D: usize> Kernel for PairsOfRows<'_, S, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { planes, rows, tiers, joins, cursor, hits, .. } = self;
        let mut filled = 0;
        while let Some(&[a, b]) = joins.now.get(cursor.join) {
            let (first, second) = (&rows[a as usize], &rows[b as usize]);
            let tier = tiers.partition_point(|tier| tier.number < second.id.tier);
            let done;
            if a == b {
                let run = first.places();
                let within = &mut cursor.within;
                (filled, done) = sweep::within(lanes, &planes, run, within, hits, filled);
                if done {
                    let [blocks, rounds] = &mut joins.work[tier];
                    *blocks += first.len.div_ceil(8) as u64;
                    *rounds += core::mem::take(&mut within.rounds);
                }
            } else {
                let run = |row: &Row<D>| Run { planes, places: row.places(), bounds: row.bounds };
                (filled, done) = sweep::between(
                    lanes,
                    &run(first),
                    &run(second),
                    |key| tiers[tier].earliest::<S>(key),
                    &mut joins.picked,
                    &mut cursor.between,
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

/// Sweeps that go over two blocks more often than this on average have rows that are too wide.
const ROUNDS: u64 = 7;

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Finds which rows have to be swept with which.
    pub(super) fn join(&mut self) {
        if self.rows_changed {
            self.find_near();
            self.rows_changed = false;
        }
        let joins = &mut self.joins;
        joins.now.clear();
        for &[a, b] in &joins.near {
            let (first, second) = (&self.rows[a as usize], &self.rows[b as usize]);
            if first.len > 0 && (a == b || first.bounds.overlaps(&second.bounds)) {
                joins.now.push([a, b]);
            }
        }
        let longest = self.rows.iter().map(|row| row.len).max().unwrap_or(0);
        for picked in &mut joins.picked {
            picked.reserve(longest);
        }
        joins.work.clear();
        joins.work.resize(self.tiers.len(), [0; 2]);
    }

    /// Finds which rows are near each other, whatever is in them.
    fn find_near(&mut self) {
        let near = &mut self.joins.near;
        near.clear();
        for (index, row) in self.rows.iter().enumerate() {
            near.push([index as u32; 2]);
            let own = self.tiers.iter().find(|tier| tier.number == row.id.tier);
            let own = own.expect("the tier of a row is known");
            for tier in self.tiers.iter().take_while(|tier| tier.number <= own.number) {
                let cells = tier.cells_reached(own, &row.id.cell);
                in_block(&self.rows, [i32::from(row.id.kind), tier.number], cells, |other| {
                    if tier.number < own.number || other > index {
                        near.push([index as u32, other as u32]);
                    }
                });
            }
        }
    }

    /// Takes note of what sweeps had to do.
    pub(super) fn weigh(&mut self) {
        for (tier, &[blocks, rounds]) in self.tiers.iter_mut().zip(&self.joins.work) {
            tier.crowded = 2 * rounds > ROUNDS * blocks;
        }
    }
}
