//! Who is within a radius of whom. Where objects are larger than the radius: the sweep of all rows,
//! with every object enlarged by half of it.
//!
//! Enlarged objects are in the same order, so rows stay what they are; what overlaps then is
//! looked at exactly.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::kernel::sweep::Picks;
use broadphase_core::{Neighbors, Region, Scalar, SlabPlanes, Slabs, array_of, instances, query};

use crate::grid::data::Payload;
use crate::grid::maintenance::margin::Margins;
use crate::grid::pairs::sweep::{RowPairCursor, SweepRowPairs, sweep_rows};
use crate::grid::storage::row::{CLASSES, Row, enclose, visit_block};
use crate::grid::storage::tiers::Tier;
use crate::grid::{Core, Hshg, PENDING};

/// With more that wait, a copy is brought up to date first.
const MAX_PENDING: usize = 64;

/// By how much both of two objects are enlarged so that they overlap if they are within a radius.
fn margin<S: Scalar>(radius: S) -> S {
    S::ZERO.half_way(radius.next_above()).next_above()
}

/// Rows of enlarged objects, in the places of the others.
struct EnlargedRows<const D: usize> {
    min: [Vec<i32>; D],
    max: [Vec<i32>; D],
    rows: Vec<Row<D>>,
    tiers: Vec<Tier>,
    row_pairs: Vec<[u32; 2]>,
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> Hshg<S, D, T> {
    /// Finds for each object the others within a radius.
    pub(in crate::grid) fn find_neighbors(&self, radius: S, out: &mut Neighbors) {
        if !(radius >= S::ZERO && radius.is_finite()) {
            query::neighbors(self, radius, out);
            return;
        }
        if query::neighbors_in_strips(self, self.core.backend, self.core.objects(), radius, out) {
            return;
        }
        list_neighbors(&self.core, radius, out);
    }
}

instances! {
    /// [`Core::find_neighbors`], compiled once.
    fn list_neighbors<S, D>(core: &Core<S, D>, radius: S, out: &mut Neighbors) {
        core.find_neighbors(radius, out);
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Finds for each object the others within a radius: by a sweep of all rows.
    fn find_neighbors(&self, radius: S, out: &mut Neighbors) {
        let margin = margin(radius);
        // Rows for points, or for what is far smaller than the radius, would be far too many.
        let narrow = self.tiers.iter().any(|tier| tier.row_height < 2.0 * margin.to_f64());
        let many_pending = self.pending.len() > MAX_PENDING;
        if !(many_pending || narrow) {
            return self.list_neighbors(radius, out);
        }
        // A copy whose rows are made for enlarged objects, if there is a number for their skin.
        let mut copy = self.clone();
        let mut data = Payload::of_nothing(self.store.len(), self.pending.len());
        let skin = margin.plus(margin);
        if skin.is_finite() && S::ZERO.half_way(skin) >= margin {
            copy.set_margins(Margins::all(S::ZERO.half_way(skin)), &mut data);
        }
        copy.maintain_all(&mut data);
        copy.list_neighbors(radius, out);
    }

    /// The same with the rows there are.
    fn list_neighbors(&self, radius: S, out: &mut Neighbors) {
        // The ranks of places, so that those of neighbours are near each other.
        let (mut keys, mut ranks) = (Vec::with_capacity(self.len), Vec::new());
        ranks.resize(self.store.len(), 0);
        for row in &self.rows {
            for slot in row.slots().filter(|&slot| self.is_live(slot)) {
                ranks[slot] = keys.len() as u32;
                keys.push(self.store.keys[slot]);
            }
        }
        let mut pairs = Vec::new();
        self.sweep_enlarged(radius, |a, b| pairs.push([ranks[a], ranks[b]]));
        let placed = keys.len();
        for body in &self.pending {
            let region = Region::around(body.bounds, radius);
            let own = keys.len() as u32;
            keys.push(body.key);
            let _ = self.query_region(&region, &mut |slots| {
                for slot in slots.iter().map(|&slot| slot as usize) {
                    if slot & PENDING == 0 {
                        pairs.push([ranks[slot], own]);
                        continue;
                    }
                    // Two that wait find each other: the later one counts.
                    let rank = (placed + (slot & !PENDING)) as u32;
                    if rank < own {
                        pairs.push([rank, own]);
                    }
                }
                ControlFlow::Continue(())
            });
        }
        out.set_pairs(&keys, &pairs);
    }

    /// Visits the places of all in rows that are within a radius of each other.
    fn sweep_enlarged(&self, radius: S, mut visit: impl FnMut(usize, usize)) {
        let enlarged = self.enlarge_rows(radius);
        let mut picked = Picks::default();
        let longest = self.rows.iter().map(|row| row.len).max().unwrap_or(0);
        picked.reserve(longest, false);
        let mut work = alloc::vec![[0; 2]; enlarged.tiers.len()];
        let planes = SlabPlanes {
            min: array_of(|axis| enlarged.min[axis].as_slice()),
            max: array_of(|axis| enlarged.max[axis].as_slice()),
        };
        let mut cursor =
            RowPairCursor { end: enlarged.row_pairs.len(), ..RowPairCursor::default() };
        let mut hits = [[0; 2]; 1024];
        while cursor.index < cursor.end {
            let kernel = SweepRowPairs {
                planes: [planes; 2],
                rows: [&enlarged.rows; 2],
                tiers: [&enlarged.tiers; 2],
                same_grid: true,
                row_index: None,
                names: None,
                row_pairs: &enlarged.row_pairs,
                hits_often: false,
                picked: &mut picked,
                work: &mut work,
                cursor: &mut cursor,
                hits: &mut hits,
            };
            let filled = sweep_rows(self.backend, kernel);
            for &hit in &hits[..filled] {
                let [a, b] = hit.map(|slot| slot as usize);
                if self.is_live(a) && self.is_live(b) {
                    let region = Region::around(self.store.bounds(a), radius);
                    if region.overlaps(&self.store.bounds(b)) {
                        visit(a, b);
                    }
                }
            }
        }
    }

    /// All rows with every object enlarged, by so much that those within a radius overlap.
    fn enlarge_rows(&self, radius: S) -> EnlargedRows<D> {
        let margin = margin(radius);
        // Slabs that are wide enough for all are those of a copy in which nothing has moved.
        let margin = if self.margins.min_margin() < margin { margin } else { S::ZERO };
        let mut enlarged = EnlargedRows {
            min: self.store.min.clone(),
            max: self.store.max.clone(),
            rows: self.rows.clone(),
            tiers: self.tiers.clone(),
            row_pairs: Vec::new(),
        };
        // The farthest that an end moved, which rounding may have made more.
        let mut farthest = 0.0;
        for row in &mut enlarged.rows {
            row.bounds = Slabs::PADDING;
            for slot in row.slots() {
                let min = |axis: usize| S::of_key(self.store.min[axis][slot]);
                if !self.is_live(slot) {
                    // A hole stays in order; before all objects, and behind them, its key is that
                    // of no number.
                    let numbers = S::LEAST_KEY..=S::GREATEST_KEY;
                    if numbers.contains(&self.store.min[0][slot]) {
                        enlarged.min[0][slot] = min(0).minus(margin).canonical().key_below();
                    }
                    continue;
                }
                let max = |axis: usize| S::of_key(self.store.max[axis][slot]);
                let slabs = Slabs {
                    min: array_of(|axis| min(axis).minus(margin).canonical().key_below()),
                    max: array_of(|axis| max(axis).plus(margin).canonical().key_above()),
                };
                for axis in 0..D {
                    let moved = [
                        min(axis).to_f64() - S::of_key(slabs.min[axis]).to_f64(),
                        S::of_key(slabs.max[axis]).to_f64() - max(axis).to_f64(),
                    ];
                    for moved in moved {
                        farthest = if moved > farthest { moved } else { farthest };
                    }
                    enlarged.min[axis][slot] = slabs.min[axis];
                    enlarged.max[axis][slot] = slabs.max[axis];
                }
                enclose(&mut row.bounds, &slabs);
            }
        }
        for tier in &mut enlarged.tiers {
            // Both ends of an object moved, and one of its neighbour.
            tier.grow_limit::<S>(4.0 * farthest);
        }
        enlarged.find_row_pairs();
        enlarged
    }
}

impl<const D: usize> EnlargedRows<D> {
    /// Finds which rows have to be swept with which.
    fn find_row_pairs(&mut self) {
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.len > 0) {
            self.row_pairs.push([index as u32; 2]);
            let own = self.tiers.iter().find(|tier| tier.number == row.id.tier);
            let own = own.expect("the tier of a row is known");
            for tier in self.tiers.iter().take_while(|tier| tier.number <= own.number) {
                let cells = tier.cells_reached(own, &row.id.cell);
                for class in 0..CLASSES {
                    visit_block(&self.rows, [i32::from(class), tier.number], cells, |other| {
                        let later = tier.number < own.number || other > index;
                        if later && self.rows[other].bounds.overlaps(&row.bounds) {
                            self.row_pairs.push([index as u32, other as u32]);
                        }
                    });
                }
            }
        }
    }
}
