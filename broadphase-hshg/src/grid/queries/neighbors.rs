//! Neighbor lists: for each object, the other objects within a radius.
//!
//! 1. If nearly all objects are at most as large as the radius: sweep strips of objects with the
//!    function shared by all structures (`query::neighbors_in_strips`).
//! 2. Otherwise find the pairs of objects within the radius ([`NearSweep`]).
//! 3. If many objects are pending, or rows are too low for enlarged objects, use a copy of the grid
//!    with suitable rows.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Aabb, Near, Neighbors, Region, Scalar, instances, query, tasks};

use crate::grid::pairs::enlarged::NearSweep;
use crate::grid::storage::row::Row;
use crate::grid::{Hshg, PENDING};

/// The maximum number of pending objects; with more, a refreshed copy of the grid is used.
const MAX_PENDING: usize = 64;
/// Minimum number of objects per thread.
const MIN_OBJECTS_PER_THREAD: usize = 4096;

instances! {
    /// Implements [`SpatialIndex::find_neighbors`](broadphase_core::SpatialIndex::find_neighbors).
    pub(in crate::grid) fn find_neighbors<S, D>(
        grid: &Hshg<S, D>,
        near: Near<S>,
        out: &mut Neighbors,
    ) {
        let backend = grid.backend;
        match near {
            Near::Nearest(count) => {
                query::nearest_to_each_in_tree(grid, backend, grid.all_bounds(), count, out);
            }
            Near::Within(radius) if radius >= S::ZERO && radius.is_finite() => {
                if !query::neighbors_in_strips(grid, backend, grid.all_bounds(), radius, out) {
                    grid.find_within(radius, out);
                }
            }
            Near::Within(_) => query::find_neighbors_by_visits(grid, near, out),
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns the keys and bounds of all objects, in the order of rows, read by several threads.
    fn all_bounds(&self) -> Vec<(u32, Aabb<S, D>)> {
        let bounds = self.store.all_bounds();
        let append = |rows: &[Row<D>], objects: &mut Vec<(u32, Aabb<S, D>)>| {
            for row in rows {
                let slots = self.live_slots(row);
                objects.extend(slots.map(|slot| (self.store.keys[slot], bounds(slot))));
            }
        };
        let mut objects = Vec::with_capacity(self.len);
        let lens = self.rows.iter().map(|row| row.len);
        let ranges = tasks::weighed(lens, MIN_OBJECTS_PER_THREAD).into_iter();
        let mut parts: Vec<_> = ranges.map(|range| (range, Vec::new())).collect();
        if parts.is_empty() {
            append(&self.rows, &mut objects);
        } else {
            tasks::each(&mut parts, |(range, objects)| append(&self.rows[range.clone()], objects));
            parts.iter().for_each(|(_, part)| objects.extend_from_slice(part));
        }
        objects.extend(self.pending.iter().map(|body| (body.key, body.bounds)));
        objects
    }

    /// Finds, for each object, the other objects within a radius, by a sweep of all rows.
    fn find_within(&self, radius: S, out: &mut Neighbors) {
        if self.pending.len() > MAX_PENDING || !self.has_rows_for(radius) {
            self.with_rows_for(radius, None).list_neighbors(radius, out);
        } else {
            self.list_neighbors(radius, out);
        }
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
        let sweep = NearSweep { grid: self, other: None, distance: radius, can_pair: |_, _| true };
        sweep.each(&mut |hits| {
            pairs.extend(hits.iter().map(|hit| hit.map(|slot| ranks[slot as usize])));
        });
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
}
