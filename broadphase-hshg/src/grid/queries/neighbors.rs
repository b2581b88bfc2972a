//! Neighbor lists: for each object, the other objects within a radius.
//!
//! 1. If nearly all objects are at most as large as the radius: sweep strips of objects
//!    (`query::neighbors_in_strips`).
//! 2. Otherwise find the pairs of objects within the radius ([`NearSweep`]).
//! 3. If objects are pending, or rows are too low, use a copy of the grid with suitable rows.

use alloc::vec::Vec;

use broadphase_core::{Near, Neighbors, Scalar, instances, query};

use crate::grid::Hshg;
use crate::grid::pairs::near::{NearBuffers, NearSweep};

instances! {
    pub(crate) fn find_neighbors<S, D>(
        grid: &Hshg<S, D>,
        near: Near<S>,
        out: &mut Neighbors,
    ) {
        let backend = grid.backend;
        match near {
            Near::Nearest(count) => {
                query::nearest_to_each_in_tree(grid, backend, grid.objects(), count, out);
            }
            Near::Within(radius) if radius >= S::ZERO && radius.is_finite() => {
                if !query::neighbors_in_strips(grid, backend, grid.objects(), radius, out) {
                    grid.find_within(radius, out);
                }
            }
            Near::Within(_) => query::find_neighbors_by_visits(grid, near, out),
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    fn find_within(&self, radius: S, out: &mut Neighbors) {
        if self.pending.is_empty() && self.has_rows_for(radius) {
            self.list_neighbors(radius, out);
        } else {
            self.with_rows_for(radius, None).list_neighbors(radius, out);
        }
    }

    /// Finds, for each object, the others within a radius by a sweep of rows that have all objects.
    fn list_neighbors(&self, radius: S, out: &mut Neighbors) {
        let slots = self.rows.iter().flat_map(|row| self.live_slots(row));
        let keys: Vec<u32> = slots.map(|slot| self.store.keys[slot]).collect();
        let mut pairs = Vec::new();
        let sweep = NearSweep { grid: self, other: None, distance: radius, can_pair: |_, _| true };
        sweep.each(&mut NearBuffers::default(), &mut |hits| {
            pairs.extend(hits.iter().map(|hit| hit.map(|slot| self.store.keys[slot as usize])));
        });
        out.set_pairs(&keys, pairs);
    }
}
