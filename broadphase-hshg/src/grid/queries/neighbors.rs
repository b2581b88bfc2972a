//! Neighbor lists: for each object, the other objects within a radius.
//!
//! 1. If nearly all objects are at most as large as the radius: sweep strips of objects with the
//!    function shared by all structures (`query::neighbors_in_strips`).
//! 2. Otherwise enlarge every object by half of the radius on every side, sweep all rows, and test
//!    the distance of overlapping pairs exactly. Enlarging all objects alike does not change their
//!    order in a row, so the rows are reused.
//! 3. If many objects are pending, or rows are too low for enlarged objects, use a copy of the grid
//!    with suitable rows.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{
    Keys, Neighbors, Region, Scalar, SlabPlanes, Slabs, array_of, instances, query,
};

use crate::grid::data::Payload;
use crate::grid::maintenance::margin::Margins;
use crate::grid::pairs::row_pairs::visit_row_pairs;
use crate::grid::pairs::sweep::{Side, Sweep, SweepScratch};
use crate::grid::storage::row::{Row, enclose};
use crate::grid::storage::tiers::Tier;
use crate::grid::{Core, Hshg, PENDING};

/// The maximum number of pending objects; with more, a refreshed copy of the grid is used.
const MAX_PENDING: usize = 64;

/// Returns the amount by which objects are enlarged on every side, so that two objects within the
/// radius of each other overlap.
fn margin<S: Scalar>(radius: S) -> S {
    S::ZERO.half_way(radius.next_above()).next_above()
}

/// Rows of enlarged objects. Each enlarged object has the slot of the original object.
struct EnlargedRows<const D: usize> {
    min: [Vec<i32>; D],
    max: [Vec<i32>; D],
    rows: Vec<Row<D>>,
    tiers: Vec<Tier>,
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> Hshg<S, D, T> {
    /// Finds, for each object, the other objects within a radius.
    pub(in crate::grid) fn find_neighbors(&self, radius: S, out: &mut Neighbors) {
        if !(radius >= S::ZERO && radius.is_finite()) {
            query::neighbors(self, radius, out);
            return;
        }
        let objects = self.core.objects().map(|(_, key, bounds)| (key, bounds));
        if query::neighbors_in_strips(self, self.core.backend, objects, radius, out) {
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
    /// Finds, for each object, the other objects within a radius, by a sweep of all rows.
    fn find_neighbors(&self, radius: S, out: &mut Neighbors) {
        let margin = margin(radius);
        // Rows made for points or tiny objects are too low for enlarged objects: each row would be
        // swept with too many other rows.
        let narrow = self.tiers.iter().any(|tier| tier.row_height < 2.0 * margin.to_f64());
        let many_pending = self.pending.len() > MAX_PENDING;
        if !(many_pending || narrow) {
            return self.list_neighbors(radius, out);
        }
        // Use a copy of the grid. Its rows are made for enlarged objects if the margin is
        // representable.
        let mut copy = self.clone();
        let mut data = Payload::of_nothing(self.store.len(), self.pending.len());
        let skin = margin.plus(margin);
        if skin.is_finite() && S::ZERO.half_way(skin) >= margin {
            copy.set_margins(Margins::all(S::ZERO.half_way(skin)), &mut data);
        }
        copy.maintain_all(&mut data);
        copy.list_neighbors(radius, out);
    }

    /// Finds neighbors by a sweep of the existing rows, and by a query for each pending object.
    fn list_neighbors(&self, radius: S, out: &mut Neighbors) {
        // The *rank* of an object is its index in `keys`. Ranks follow storage order, so that the
        // ranks of neighbors are close.
        let (mut keys, mut ranks) = (Vec::with_capacity(self.len), Vec::new());
        ranks.resize(self.store.len(), 0);
        for row in &self.rows {
            for slot in self.live_slots(row) {
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
                    // Two pending objects find each other; count the pair once.
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

    /// Calls `visit` with the slots of each pair of objects in rows that are within a radius of
    /// each other.
    fn sweep_enlarged(&self, radius: S, mut visit: impl FnMut(usize, usize)) {
        let enlarged = self.enlarge_rows(radius);
        let side = Side {
            planes: SlabPlanes {
                min: array_of(|axis| enlarged.min[axis].as_slice()),
                max: array_of(|axis| enlarged.max[axis].as_slice()),
            },
            rows: &enlarged.rows,
            tiers: &enlarged.tiers,
        };
        let mut row_pairs = Vec::new();
        visit_row_pairs(
            [(side.rows, side.tiers); 2],
            true,
            |_, _| true,
            |[a, b]| {
                if side.rows[a as usize].meets(&side.rows[b as usize]) {
                    row_pairs.push([a, b]);
                }
            },
        );
        let sweep = Sweep {
            backend: self.backend,
            sides: [side; 2],
            same_grid: true,
            row_pairs: &row_pairs,
            hits_often: false,
            row_index: None,
        };
        let mut scratch = SweepScratch::default();
        scratch.prepare(self.longest_row(), self.tiers.len(), false);
        // The visitor never breaks.
        let _ = sweep.each(&mut scratch.picked, &mut scratch.work, &mut 0, |hits| {
            for &hit in &*hits {
                let [a, b] = hit.map(|slot| slot as usize);
                if self.is_live(a) && self.is_live(b) {
                    let region = Region::around(self.store.bounds(a), radius);
                    if region.overlaps(&self.store.bounds(b)) {
                        visit(a, b);
                    }
                }
            }
            ControlFlow::Continue(())
        });
    }

    /// Returns all rows with their objects enlarged, so that objects within the radius of each
    /// other overlap.
    fn enlarge_rows(&self, radius: S) -> EnlargedRows<D> {
        let margin = margin(radius);
        // If the margins of the grid are at least as large, its slabs are large enough.
        let margin = if self.margins.min_margin() < margin { margin } else { S::ZERO };
        let mut enlarged = EnlargedRows {
            min: self.store.min.clone(),
            max: self.store.max.clone(),
            rows: self.rows.clone(),
            tiers: self.tiers.clone(),
        };
        // The largest distance by which an end of an object moves, including rounding.
        let mut farthest = 0.0;
        for row in &mut enlarged.rows {
            row.bounds = Slabs::PADDING;
            for slot in row.slots() {
                let min = |axis: usize| S::from_key(self.store.min[axis][slot]);
                if !self.is_live(slot) {
                    // A hole moves like an object, so that rows stay sorted. Fences and leading
                    // holes begin at a key that belongs to no number, and do not move.
                    let numbers = S::MIN_KEY..=S::MAX_KEY;
                    if numbers.contains(&self.store.min[0][slot]) {
                        enlarged.min[0][slot] = min(0).minus(margin).canonical().key_below();
                    }
                    continue;
                }
                let max = |axis: usize| S::from_key(self.store.max[axis][slot]);
                let slabs = Slabs {
                    min: array_of(|axis| min(axis).minus(margin).canonical().key_below()),
                    max: array_of(|axis| max(axis).plus(margin).canonical().key_above()),
                };
                for axis in 0..D {
                    let moved = [
                        min(axis).to_f64() - S::from_key(slabs.min[axis]).to_f64(),
                        S::from_key(slabs.max[axis]).to_f64() - max(axis).to_f64(),
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
            // Both ends of an object and one end of its neighbor have moved.
            tier.grow_limit::<S>(4.0 * farthest);
        }
        enlarged
    }
}
