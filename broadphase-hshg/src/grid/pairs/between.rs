//! Finds pairs of objects from two grids.

use core::mem::take;
use core::ops::ControlFlow;

use broadphase_core::kernel::sweep::Picks;
use broadphase_core::{Entry, Flow, Scalar, instances};

use crate::grid::data::MoveData;
use crate::grid::pairs::row_pairs::{can_pair, visit_row_pairs};
use crate::grid::pairs::sweep::Sweep;
use crate::grid::pairs::within::visit_near_across;
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::store::View;
use crate::grid::{Core, Hshg};

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits every overlapping pair of objects from this grid and from `other`, in unspecified
    /// order, until the visitor stops. Two static objects are not a pair.
    ///
    /// This is faster than [`pairs_with`](crate::SpatialIndex::pairs_with), which accepts any other
    /// structure and sorts the pairs: `pairs_between` takes as long as
    /// [`pairs`](crate::SpatialIndex::pairs).
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
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, U>) -> R,
    ) -> R {
        self.refresh_both(other);
        find_cross_pairs(&mut self.core, &other.core);
        let mut picked = take(&mut self.core.row_pairs.scratch.picked);
        let views = self.views(other);
        let mut answer = R::CONTINUE;
        let _ = sweep_cross(&self.core, &other.core, &mut picked, &mut |hits| {
            for hit in hits {
                let [a, b] = hit.map(|slot| slot as usize);
                answer = visit(views.0.entry(a), views.1.entry(b));
                if answer.stops() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        self.core.row_pairs.scratch.picked = picked;
        answer
    }

    /// Visits every pair of objects from this grid and from `other` at most `distance` apart, in
    /// unspecified order, until the visitor stops. Two static objects are not a pair.
    ///
    /// Distances are measured as in [`pairs_within`](crate::SpatialIndex::pairs_within). This is
    /// faster than [`pairs_with_within`](crate::SpatialIndex::pairs_with_within), which accepts any
    /// other structure and sorts the pairs. It allocates a copy of the bounds of the smaller grid.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let (mut ships, mut rocks): (Hshg<i32, 2>, Hshg<i32, 2>) = Default::default();
    /// ships.insert(0, Aabb::point([0, 0]), ())?;
    /// rocks.insert(1, Aabb::point([3, 4]), ())?;
    /// let mut near = Vec::new();
    /// ships.pairs_between_within(&mut rocks, 5, |ship, rock| near.push([ship.key, rock.key]));
    /// ships.pairs_between_within(&mut rocks, 4, |ship, rock| near.push([ship.key, rock.key]));
    /// assert_eq!(near, [[0, 1]]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn pairs_between_within<U: Copy, R: Flow>(
        &mut self,
        other: &mut Hshg<S, D, U>,
        distance: S,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, U>) -> R,
    ) -> R {
        if distance == S::ZERO {
            return self.pairs_between(other, visit);
        }
        self.refresh_both(other);
        let views = self.views(other);
        let mut answer = R::CONTINUE;
        let _ = visit_near_across(&self.core, &other.core, distance, &mut |hits| {
            for hit in hits {
                let [a, b] = hit.map(|slot| slot as usize);
                answer = visit(views.0.entry(a), views.1.entry(b));
                if answer.stops() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        answer
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

    /// Writes to `core.row_pairs.cross` which rows of `core` must be swept with which rows of
    /// `other`.
    fn find_cross_pairs<S, D>(core: &mut Core<S, D>, other: &Core<S, D>) {
        let row_pairs = &mut core.row_pairs.cross;
        row_pairs.clear();
        let sides = [(&*core.rows, &*core.tiers), (&*other.rows, &*other.tiers)];
        visit_row_pairs(sides, false, can_pair, |[a, b]| {
            if core.rows[a as usize].meets(&other.rows[b as usize]) {
                row_pairs.push([a, b]);
            }
        });
        let longest = core.longest_row().max(other.longest_row());
        core.row_pairs.scratch.picked.reserve(longest, D > 2);
    }

    /// Calls `visit` with pairs of overlapping slots, the first of `core` and the second of
    /// `other`, until `visit` breaks.
    fn sweep_cross<S, D>(
        core: &Core<S, D>,
        other: &Core<S, D>,
        picked: &mut Picks,
        visit: &mut dyn FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let sweep = Sweep {
            backend: core.backend,
            sides: [core.side(), other.side()],
            same_grid: false,
            row_pairs: &core.row_pairs.cross,
            hits_often: false,
            row_index: None,
        };
        sweep.each(picked, &mut [], &mut 0, |hits| {
            visit(core.retain_exact(other, core.retain_live(other, hits)))
        })
    }
}
