//! Pairs within a distance, in one grid or of two grids.

use alloc::vec::Vec;
use core::mem::take;
use core::ops::ControlFlow;

use broadphase_core::{Entry, Flow, Pair, Scalar, SpatialIndex, instances, pairs};

use crate::grid::data::Payload;
use crate::grid::pairs::enlarged::NearSweep;
use crate::grid::pairs::near_cache::{NearCache, VisitSlots};
use crate::grid::pairs::row_pairs::can_pair;
use crate::grid::pairs::sink::visit_hits;
use crate::grid::storage::row::Class;
use crate::grid::storage::store::View;
use crate::grid::{Core, Hshg};

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> Hshg<S, D, T> {
    /// Visits every pair of objects at most `distance` apart, the object with the smaller key
    /// first, in unspecified order, until the visitor stops. Two static objects are not a pair.
    ///
    /// Distances are those of [`pairs_within`](crate::SpatialIndex::pairs_within), which sorts the
    /// pairs. Takes about twice as long as
    /// [`pairs_unordered`](crate::SpatialIndex::pairs_unordered) if the distance is at most that
    /// between neighboring objects.
    ///
    /// Keeps a copy of all bounds, enlarged for the distance: 8 bytes per axis and object. If
    /// nothing has changed since the last search with this distance, the search also keeps its
    /// pairs, up to 8 per object (8 bytes per pair), and the next searches read them. The memory is
    /// freed after eight searches for overlapping pairs without a search within a distance or
    /// between two grids, and by [`shrink_to_fit`](crate::SpatialIndex::shrink_to_fit).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 2, &str> = Hshg::new();
    /// for (key, name, at) in [(0, "a", [0.0, 0.0]), (1, "b", [3.0, 4.0]), (2, "c", [9.0, 9.0])] {
    ///     world.insert(key, Aabb::point(at), name)?;
    /// }
    /// let mut near = Vec::new();
    /// world.pairs_within_unordered(5.0, |a, b| near.push([*a.data, *b.data]));
    /// assert_eq!(near, [["a", "b"]]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn pairs_within_unordered<R: Flow>(
        &mut self,
        distance: S,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        if distance == S::ZERO {
            return self.pairs_unordered(visit);
        }
        self.refresh();
        let mut near = take_near(&mut self.core);
        let mut answer = R::CONTINUE;
        let view = View::new(&self.core.store, &self.data.placed);
        let _ = visit_near(&self.core, &mut near, distance, &mut |hits| {
            visit_hits(hits, &mut answer, |hit| {
                let [a, b] = view.pair(hit);
                visit(a, b)
            })
        });
        self.core.near = near;
        answer
    }

    /// Writes the keys of every pair of objects at most `distance` apart into `out`, replacing its
    /// contents: the smaller key first, the pairs in unspecified order. Two static objects are not
    /// a pair.
    ///
    /// Distances, memory and cost are those of
    /// [`pairs_within_unordered`](Self::pairs_within_unordered), but neither bounds nor data are
    /// read for each pair.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 1> = Hshg::new();
    /// for (key, x) in [(0, 0.0), (1, 1.0), (2, 3.0)] {
    ///     world.insert(key, Aabb::point([x]), ())?;
    /// }
    /// let mut near = Vec::new();
    /// world.pairs_within_unordered_into(1.0, &mut near);
    /// assert_eq!(near, [[0, 1]]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn pairs_within_unordered_into(&mut self, distance: S, out: &mut Vec<Pair>) {
        if distance == S::ZERO {
            return self.pairs_unordered_into(out);
        }
        self.refresh();
        write_near_keys(&mut self.core, distance, out);
    }

    /// Implements [`pairs_within`](crate::SpatialIndex::pairs_within).
    pub(in crate::grid) fn find_pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&T, &T) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        if distance == S::ZERO {
            return self.pairs_where(accept, out);
        }
        out.clear();
        self.pairs_within_unordered(distance, |a, b| {
            if accept(a.data, b.data) {
                out.push([a.key, b.key]);
            }
        });
        pairs::sort(out);
    }
}

instances! {
    /// Calls `visit` with the slots of every two objects within a distance, until `visit` breaks.
    fn visit_near<S, D>(
        core: &Core<S, D>,
        near: &mut NearCache<S, D>,
        distance: S,
        visit: &mut VisitSlots<'_>,
    ) -> ControlFlow<()> {
        visit_within(core, None, near, distance, visit)
    }

    /// Replaces the contents of `out` by the keys of all pairs of objects within a distance.
    fn write_near_keys<S, D>(core: &mut Core<S, D>, distance: S, out: &mut Vec<Pair>) {
        out.clear();
        core.draw_state();
        let mut near = take(&mut core.near);
        let _ = visit_within(core, None, &mut near, distance, &mut |hits| {
            pairs::append_keys(core.backend, out, hits, &core.store.keys);
            ControlFlow::Continue(())
        });
        core.near = near;
    }

    /// Calls `visit` with pairs of slots of objects within a distance, the first of `core` and the
    /// second of `other`, until `visit` breaks. Both grids must have the same order of axes.
    pub(in crate::grid) fn visit_near_across<S, D>(
        core: &Core<S, D>,
        other: &Core<S, D>,
        near: &mut NearCache<S, D>,
        distance: S,
        visit: &mut VisitSlots<'_>,
    ) -> ControlFlow<()> {
        visit_within(core, Some(other), near, distance, visit)
    }

    /// Takes the cache of near pairs out of a grid, and gives the current state of the grid a
    /// number if it has none.
    pub(in crate::grid) fn take_near<S, D>(core: &mut Core<S, D>) -> NearCache<S, D> {
        core.draw_state();
        take(&mut core.near)
    }
}

/// Returns the classes whose objects can be pairs: in one grid all but two static ones, of two grids
/// all.
fn classes_that_pair(of_two_grids: bool) -> fn(Class, Class) -> bool {
    if of_two_grids { |_, _| true } else { can_pair }
}

/// Calls `visit` with pairs of slots of objects within a distance, in one grid or of two, until
/// `visit` breaks. All rows must be up to date; `near` is the cache of `core`.
fn visit_within<S: Scalar, const D: usize>(
    core: &Core<S, D>,
    other: Option<&Core<S, D>>,
    near: &mut NearCache<S, D>,
    distance: S,
    visit: &mut VisitSlots<'_>,
) -> ControlFlow<()> {
    // This comparison is also false for NaN.
    let is_valid = distance >= S::ZERO;
    if !is_valid {
        return ControlFlow::Continue(());
    }
    near.run(core, other, distance, visit, |buffers, visit| {
        let can_pair = classes_that_pair(other.is_some());
        let fits = |core: &Core<S, D>| distance == S::ZERO || core.has_rows_for(distance);
        if fits(core) && other.is_none_or(fits) {
            NearSweep { core, other, distance, can_pair }.each_with(buffers, visit)
        } else {
            sweep_copies(core, other, distance, visit)
        }
    })
}

/// Calls `visit` with pairs of slots of objects within a distance, found in copies of the grids
/// with rows made for the distance, until `visit` breaks.
fn sweep_copies<S: Scalar, const D: usize>(
    core: &Core<S, D>,
    other: Option<&Core<S, D>>,
    distance: S,
    visit: &mut VisitSlots<'_>,
) -> ControlFlow<()> {
    // Objects may have other slots in the copies; their keys are used to find the original slots.
    let copy = core.with_rows_for(distance);
    let other_copy = other.map(|other| {
        let mut copied = other.with_rows_for(distance);
        if copied.store.axes != copy.store.axes {
            let (slots, pending) = (copied.store.len(), copied.pending.len());
            copied.rebuild_with_axes(copy.store.axes, &mut Payload::of_nothing(slots, pending));
        }
        copied
    });
    let sides = [(&copy, core), (other_copy.as_ref().unwrap_or(&copy), other.unwrap_or(core))];
    let slot_of = |side: usize, slot: u32| {
        let (copy, original) = sides[side];
        original.slots.get(copy.store.keys[slot as usize]).unwrap_or_default() as u32
    };
    let mut found = Vec::new();
    let can_pair = classes_that_pair(other.is_some());
    let sweep = NearSweep { core: &copy, other: other_copy.as_ref(), distance, can_pair };
    sweep.each(&mut |hits| {
        found.clear();
        found.extend(hits.iter().map(|&[a, b]| [slot_of(0, a), slot_of(1, b)]));
        visit(&found)
    })
}
