//! What a path touches, front to back, and what is nearest: piece by piece and ring by ring, each
//! with a descent into both trees.
//!
//! Going from node to node in the order of their distances takes longer: what waits has to be kept
//! in order, one by one, while a descent decides about eight nodes at a time.

use core::ops::ControlFlow;

use broadphase_core::kernel::sweep::Line;
use broadphase_core::query::{Hit, Hits, Piece, Pieces, Ring, Rings};
use broadphase_core::{Aabb, Entry, Flow, Path, Scalar, Target};

use super::MortonCells;
use super::layer::GONE;
use super::places::Places;
use super::tree::{Descent, FindAlong};

/// Places found at a time.
const FOUND: usize = 64;

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Visits what a path touches, front to back.
    pub(super) fn cast_path<R: Flow>(
        &self,
        path: &Path<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let Some(mut pieces) = Pieces::new(path, self.spacing, self.objects.len(), true) else {
            return R::CONTINUE;
        };
        pieces.each(|piece, hits| self.look_along(piece, hits), |hit| self.show(hit, visit))
    }

    /// Visits what is near a target, the nearest first.
    pub(super) fn find_nearest<R: Flow>(
        &self,
        target: Target<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let Some(mut rings) = Rings::new(target, self.spacing, self.objects.len()) else {
            return R::CONTINUE;
        };
        rings.each(|ring, hits| self.look_around(ring, hits), |hit| self.show(hit, visit))
    }

    /// Visits what was found.
    #[inline]
    fn show<R: Flow>(
        &self,
        hit: &Hit<S>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        visit(self.objects.entry(hit.slot as usize), hit.number)
    }

    /// Sees what may belong to a piece.
    fn look_along(&self, piece: &Piece<'_, S, D>, hits: &mut Hits<S>) {
        let (keys, bounds) = (self.objects.keys(), self.objects.bounds());
        let _ = self.look(&piece.area(), Some(piece.line()), |slot| {
            let (key, bounds) = (keys[slot as usize], &bounds[slot as usize]);
            hits.see(key, slot, || piece.first_touch(bounds))
        });
    }

    /// Sees what may belong to a ring.
    fn look_around(&self, ring: &Ring<'_, S, D>, hits: &mut Hits<S>) {
        let (keys, bounds) = (self.objects.keys(), self.objects.bounds());
        let _ = self.look(&ring.area(), None, |slot| {
            let (key, bounds) = (keys[slot as usize], &bounds[slot as usize]);
            hits.see(key, slot, || ring.distance_squared(bounds))
        });
    }

    /// Sees the slots of what may overlap a box and, if there is a line, may touch that.
    #[inline(always)]
    fn look(
        &self,
        area: &Aabb<S, D>,
        line: Option<&Line<D>>,
        mut see: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Places { layers, aside, .. } = &self.places;
        if layers.iter().any(|layer| layer.stale) {
            // A walk was left in the middle.
            return (0..self.objects.len() as u32).try_for_each(see);
        }
        let volume = &area.slabs();
        let mut out = [0; FOUND];
        for layer in layers {
            let (tree, mut descent) = (&layer.tree, Descent::DONE);
            descent.begin(tree);
            while !descent.is_done() {
                let (descent, out) = (&mut descent, &mut out[..]);
                let find = FindAlong::<S, D>::new(tree, volume, line, descent, out);
                let filled = self.backend.dispatch(find);
                for &place in &out[..filled] {
                    let slot = layer.slots[place as usize];
                    if slot != GONE {
                        see(slot)?;
                    }
                }
            }
        }
        aside.iter().copied().try_for_each(see)
    }
}
