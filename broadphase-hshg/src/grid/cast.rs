//! What a path touches: in each row near a piece of it, the stretch where the path is in that row.

use core::ops::ControlFlow;

use broadphase_core::query::{Hits, Piece, Pieces};
use broadphase_core::{Aabb, Entry, Flow, Path, Scalar, Slabs};

use super::level::Tier;
use super::row::Row;
use super::{Hshg, PENDING};

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits what a path touches, front to back.
    pub(super) fn cast_path<R: Flow>(
        &self,
        path: &Path<S, D>,
        spacing: Option<f64>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let Some(mut pieces) = Pieces::new(path, spacing, self.len, true) else {
            return R::CONTINUE;
        };
        while let Some(hits) = pieces.next(|piece, hits| self.look_along(piece, hits)) {
            for hit in hits {
                let slot = hit.slot as usize;
                let entry = if slot & PENDING == 0 {
                    self.store.entry(slot)
                } else {
                    let body = &self.pending[slot & !PENDING];
                    Entry { key: body.key, bounds: body.bounds, data: &body.data }
                };
                let answer = visit(entry, hit.number);
                if answer.stops() {
                    return answer;
                }
            }
        }
        R::CONTINUE
    }

    /// Sees what may belong to a piece.
    fn look_along(&self, piece: &Piece<'_, S, D>, hits: &mut Hits<S>) {
        let slabs = piece.area().slabs();
        let mut answer = ControlFlow::Continue(());
        self.rows_near(&slabs, |row, tier| {
            if answer.is_break() || !row.loose && !row.bounds.overlaps(&slabs) {
                return;
            }
            if row.loose {
                answer = self.look_in_row(row, tier, &slabs, piece, hits);
                return;
            }
            let Slabs { min, max } = row.bounds;
            let bounds = Aabb { min: min.map(S::of_key), max: max.map(S::of_key) };
            if let Some(area) = piece.area_within(&bounds) {
                answer = self.look_in_row(row, tier, &area.slabs(), piece, hits);
            }
        });
        for (index, body) in self.pending.iter().enumerate() {
            if answer.is_break() {
                return;
            }
            if body.bounds.overlaps(&piece.area()) {
                let slot = (PENDING | index) as u32;
                answer = hits.see(body.key, slot, || piece.first_touch(&body.bounds));
            }
        }
    }

    /// Sees what in a row overlaps a box and may belong to a piece.
    #[inline]
    fn look_in_row(
        &self,
        row: &Row<D>,
        tier: &Tier,
        slabs: &Slabs<D>,
        piece: &Piece<'_, S, D>,
        hits: &mut Hits<S>,
    ) -> ControlFlow<()> {
        let early = tier.earliest(slabs.min[0], S::INTEGER);
        self.stretch(row, early, slabs, &mut |place| {
            let bounds = self.store.bounds(place);
            let key = self.store.keys[place];
            hits.see(key, place as u32, || piece.first_touch(&bounds))
        })
    }
}
