//! Pairs within a distance, in one grid or of two grids.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Entry, Flow, Pair, Scalar, SpatialIndex, instances, pairs};

use crate::grid::data::Payload;
use crate::grid::pairs::enlarged::NearSweep;
use crate::grid::pairs::row_pairs::can_pair;
use crate::grid::storage::store::View;
use crate::grid::{Core, Hshg};

/// Receives pairs of slots; breaks to stop the search.
type VisitSlots<'a> = dyn FnMut(&[[u32; 2]]) -> ControlFlow<()> + 'a;

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> Hshg<S, D, T> {
    /// Visits every pair of objects at most `distance` apart, the object with the smaller key
    /// first, in unspecified order, until the visitor stops. Two static objects are not a pair.
    ///
    /// Distances are measured as in [`pairs_within`](crate::SpatialIndex::pairs_within), which
    /// sorts the pairs. Allocates a copy of all bounds; takes about twice as long as
    /// [`pairs_unordered`](crate::SpatialIndex::pairs_unordered) if the distance is at most that
    /// between neighboring objects.
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
        let mut answer = R::CONTINUE;
        let view = View::new(&self.core.store, &self.data.placed);
        let _ = visit_near(&self.core, distance, &mut |hits| {
            for &hit in hits {
                let [a, b] = view.pair(hit);
                answer = visit(a, b);
                if answer.stops() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        answer
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
    /// Calls `visit` with the slots of each two objects within a distance, until `visit` breaks.
    fn visit_near<S, D>(
        core: &Core<S, D>,
        distance: S,
        visit: &mut VisitSlots<'_>,
    ) -> ControlFlow<()> {
        visit_within(core, None, distance, visit)
    }

    /// Calls `visit` with the slots of each two objects within a distance, the first in `core` and
    /// the second in `other`, until `visit` breaks. Both grids must have the same order of axes.
    pub(in crate::grid) fn visit_near_across<S, D>(
        core: &Core<S, D>,
        other: &Core<S, D>,
        distance: S,
        visit: &mut VisitSlots<'_>,
    ) -> ControlFlow<()> {
        visit_within(core, Some(other), distance, visit)
    }
}

/// Calls `visit` with the slots of each two objects within a distance, in one grid or two, until
/// `visit` breaks. All rows must be up to date.
fn visit_within<S: Scalar, const D: usize>(
    core: &Core<S, D>,
    other: Option<&Core<S, D>>,
    distance: S,
    visit: &mut VisitSlots<'_>,
) -> ControlFlow<()> {
    // This comparison is also false for NaN.
    let is_valid = distance >= S::ZERO;
    if !is_valid {
        return ControlFlow::Continue(());
    }
    if core.has_rows_for(distance) && other.is_none_or(|other| other.has_rows_for(distance)) {
        return NearSweep { core, other, distance, can_pair }.each(visit);
    }
    // Objects may have other slots in the copies; keys lead back to the original slots.
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
    let sweep = NearSweep { core: &copy, other: other_copy.as_ref(), distance, can_pair };
    sweep.each(&mut |hits| {
        found.clear();
        found.extend(hits.iter().map(|&[a, b]| [slot_of(0, a), slot_of(1, b)]));
        visit(&found)
    })
}
