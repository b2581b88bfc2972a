//! Region queries: objects that overlap a box or ball.
//!
//! 1. Scan the rows near the box of the region for overlapping slabs.
//! 2. Unless the region is a box and slabs are exact, test the bounds of the objects found.
//! 3. Test each pending object.
//!
//! Cost: O(rows near the region × log row length + candidates + pending objects).

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::kernel::rank::Sort;
use broadphase_core::{Keys, Region, Scalar, instances};

use crate::grid::storage::tiers::{exponent, power};
use crate::grid::{Hshg, PENDING};

/// The number of rows sampled to estimate the spacing.
const SAMPLED_ROWS: usize = 4;

instances! {
    pub(crate) fn find_keys<S, D>(
        grid: &Hshg<S, D>,
        region: &Region<S, D>,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        let _ = grid.query_region(region, &mut |slots| {
            out.extend(slots.iter().map(|&slot| grid.key_in(slot as usize)));
            ControlFlow::Continue(())
        });
        if out.len() > 1 {
            grid.backend.dispatch(Sort(out));
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns the key of an object, given its slot or `PENDING | index`.
    #[inline(always)]
    fn key_in(&self, slot: usize) -> u32 {
        if slot & PENDING == 0 { self.store.keys[slot] } else { self.pending.keys[slot & !PENDING] }
    }

    /// Visits the slots of objects that overlap a region, in groups, until the visitor breaks.
    pub(super) fn query_region(
        &self,
        region: &Region<S, D>,
        visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(region) = region.normalized() else { return ControlFlow::Continue(()) };
        let slabs = self.store.axes.slabs(&region.reach());
        // Whether the test of slabs is exact.
        let decided = S::EXACT_KEYS && region.is_box();
        let bounds = self.store.all_bounds();
        self.scan_rows(&slabs, None, |_| Some(slabs), &mut |slots| {
            if decided {
                return visit(slots);
            }
            let mut len = 0;
            for index in 0..slots.len() {
                let slot = slots[index];
                slots[len] = slot;
                len += usize::from(region.overlaps(&bounds(slot as usize)));
            }
            visit(&slots[..len])
        })?;
        for (index, bounds) in self.pending.bounds.iter().enumerate() {
            if region.overlaps(bounds) {
                visit(&[(PENDING | index) as u32])?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Estimates the distance between neighboring objects from a few rows.
    pub(crate) fn typical_spacing(&self) -> Option<f64> {
        let (mut space, mut objects) = (0.0, 0.0);
        for sample in 0..SAMPLED_ROWS {
            let row = self.rows.get(self.rows.len() * (2 * sample + 1) / (2 * SAMPLED_ROWS))?;
            let tier = self.tiers.iter().find(|tier| tier.number == row.id.tier)?;
            let ends = [row.bounds.min[0], row.bounds.max[0]].map(|key| S::from_key(key).to_f64());
            if row.objects() > 0 && ends[1] > ends[0] {
                let section = (1..D).fold(1.0, |section, _| section * tier.row_height);
                space += (ends[1] - ends[0]) * section;
                objects += row.objects() as f64;
            }
        }
        let tier = self.tiers.first()?;
        let spacing = power(exponent(space / objects) / D as i32);
        Some(if spacing < tier.row_height { spacing } else { tier.row_height })
    }
}
