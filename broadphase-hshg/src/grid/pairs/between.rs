//! Finds pairs of objects from two grids.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Entry, Flow, Scalar, instances};

use crate::grid::data::MoveData;
use crate::grid::pairs::sink::visit_hits;
use crate::grid::pairs::within::{take_near, visit_near_across};
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::store::View;
use crate::grid::{Core, Hshg};

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits every overlapping pair of objects from this grid and from `other`, in unspecified
    /// order, until the visitor stops. Motion classes are ignored: two static objects of different
    /// grids are a pair.
    ///
    /// This is faster than [`pairs_with`](crate::SpatialIndex::pairs_with), which accepts any other
    /// structure and sorts the pairs: `pairs_between` takes as long as
    /// [`pairs`](crate::SpatialIndex::pairs). If nothing has changed since the last call, the pairs
    /// are kept for further calls, as in [`pairs_within_unordered`](Self::pairs_within_unordered).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let (mut ships, mut rocks): (Hshg<f32, 2, &str>, Hshg<f32, 2, u8>) = Default::default();
    /// ships.insert(0, Aabb::of_ball([0.0, 0.0], 2.0), "Ada")?;
    /// rocks.insert(0, Aabb::of_ball([3.0, 0.0], 1.0), 7)?;
    /// rocks.insert(1, Aabb::of_ball([9.0, 0.0], 1.0), 8)?;
    /// let mut hits = Vec::new();
    /// ships.pairs_between(&mut rocks, |ship, rock| hits.push((*ship.data, *rock.data)));
    /// assert_eq!(hits, [("Ada", 7)]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn pairs_between<U: Copy, R: Flow>(
        &mut self,
        other: &mut Hshg<S, D, U>,
        visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, U>) -> R,
    ) -> R {
        self.pairs_between_within_unordered(other, S::ZERO, visit)
    }

    /// Visits every pair of objects from this grid and from `other` at most `distance` apart, in
    /// unspecified order, until the visitor stops. Motion classes are ignored.
    ///
    /// Distances are those of [`pairs_within`](crate::SpatialIndex::pairs_within). Faster than
    /// [`pairs_with_within`](crate::SpatialIndex::pairs_with_within), which accepts any other
    /// structure and sorts the pairs. Between calls, this grid keeps a copy of the bounds of the
    /// smaller grid and, while nothing changes, the pairs, as in
    /// [`pairs_within_unordered`](Self::pairs_within_unordered).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let (mut ships, mut rocks): (Hshg<i32, 2>, Hshg<i32, 2>) = Default::default();
    /// ships.insert(0, Aabb::point([0, 0]), ())?;
    /// rocks.insert(1, Aabb::point([3, 4]), ())?;
    /// let mut near = Vec::new();
    /// for distance in [5, 4] {
    ///     ships.pairs_between_within_unordered(&mut rocks, distance, |ship, rock| {
    ///         near.push([ship.key, rock.key]);
    ///     });
    /// }
    /// assert_eq!(near, [[0, 1]]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn pairs_between_within_unordered<U: Copy, R: Flow>(
        &mut self,
        other: &mut Hshg<S, D, U>,
        distance: S,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, U>) -> R,
    ) -> R {
        self.refresh_both(other);
        let mut near = take_near(&mut self.core);
        draw_state(&mut other.core);
        let views = self.views(other);
        let mut answer = R::CONTINUE;
        let _ = visit_near_across(&self.core, &other.core, &mut near, distance, &mut |hits| {
            visit_hits(hits, &mut answer, |hit| {
                let [a, b] = hit.map(|slot| slot as usize);
                visit(views.0.entry(a), views.1.entry(b))
            })
        });
        self.core.near = near;
        answer
    }

    /// Writes the keys of every pair of an object of this grid and an object of `other` at most
    /// `distance` apart into `out`, replacing its contents: the key of this grid's object first,
    /// the pairs in unspecified order. Motion classes are ignored.
    ///
    /// Distances, memory and cost are those of
    /// [`pairs_between_within_unordered`](Self::pairs_between_within_unordered), but neither bounds
    /// nor data are read for each pair. A distance of 0 finds the overlapping pairs.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let (mut ships, mut rocks): (Hshg<i32, 2>, Hshg<i32, 2>) = Default::default();
    /// ships.insert(4, Aabb::point([0, 0]), ())?;
    /// rocks.insert(1, Aabb::point([3, 4]), ())?;
    /// let mut near = Vec::new();
    /// ships.pairs_between_within_unordered_into(&mut rocks, 5, &mut near);
    /// assert_eq!(near, [[4, 1]]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn pairs_between_within_unordered_into<U: Copy>(
        &mut self,
        other: &mut Hshg<S, D, U>,
        distance: S,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.refresh_both(other);
        let mut near = take_near(&mut self.core);
        draw_state(&mut other.core);
        let (ours, theirs) = (&self.core.store.keys, &other.core.store.keys);
        out.clear();
        let _ = visit_near_across(&self.core, &other.core, &mut near, distance, &mut |hits| {
            out.extend(hits.iter().map(|&[a, b]| [ours[a as usize], theirs[b as usize]]));
            ControlFlow::Continue(())
        });
        self.core.near = near;
    }

    /// Refreshes two grids and gives them the same order of axes.
    fn refresh_both<U: Copy>(&mut self, other: &mut Hshg<S, D, U>) {
        self.refresh();
        other.refresh();
        if self.core.store.axes != other.core.store.axes {
            // Both grids must be swept along the same axis: rebuild the grid with fewer objects.
            let (axes, others) = (self.core.store.axes, other.core.store.axes);
            if self.core.len < other.core.len {
                rebuild_with_axes(&mut self.core, others, &mut self.data);
            } else {
                rebuild_with_axes(&mut other.core, axes, &mut other.data);
            }
        }
    }

    /// Returns views of the objects of two grids.
    #[inline(always)]
    fn views<'a, U: Copy>(
        &'a self,
        other: &'a Hshg<S, D, U>,
    ) -> (View<'a, S, D, T>, View<'a, S, D, U>) {
        (
            View::new(&self.core.store, &self.data.placed),
            View::new(&other.core.store, &other.data.placed),
        )
    }
}

instances! {
    /// Implements [`Core::rebuild_with_axes`].
    fn rebuild_with_axes<S, D>(core: &mut Core<S, D>, axes: AxisOrder, data: &mut dyn MoveData) {
        core.rebuild_with_axes(axes, data);
    }

    /// [`Core::draw_state`], compiled once.
    fn draw_state<S, D>(core: &mut Core<S, D>) {
        core.draw_state();
    }
}
