//! What a region overlaps.

use broadphase_core::{Entry, Flow, Region, Scalar};

use super::Hshg;
use super::level::{exponent, power};

/// So many rows tell how dense all are.
const SAMPLES: usize = 4;

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits the objects that overlap a region.
    pub(super) fn query_region<R: Flow>(
        &self,
        region: &Region<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let slabs = region.reach().slabs();
        // Whether nothing else has to be asked.
        let decided = self.store.is_exact() && region.is_box();
        let mut answer = self.places_near(&slabs, None, |_| Some(slabs), &mut |place| {
            let entry = self.store.entry(place);
            if decided || region.overlaps(&entry.bounds) { visit(entry) } else { R::CONTINUE }
        });
        for body in &self.pending {
            if answer.stops() {
                break;
            }
            if region.overlaps(&body.bounds) {
                answer = visit(Entry { key: body.key, bounds: body.bounds, data: &body.data });
            }
        }
        answer
    }

    /// How far it is from one object to the next, about, in some rows.
    pub(super) fn typical_spacing(&self) -> Option<f64> {
        let (mut space, mut objects) = (0.0, 0.0);
        for sample in 0..SAMPLES {
            let row = self.rows.get(self.rows.len() * (2 * sample + 1) / (2 * SAMPLES))?;
            let tier = self.tiers.iter().find(|tier| tier.number == row.id.tier)?;
            let ends = [row.bounds.min[0], row.bounds.max[0]].map(|key| S::of_key(key).to_f64());
            if row.objects() > 0 && ends[1] > ends[0] {
                let section = (1..D).fold(1.0, |section, _| section * tier.side);
                space += (ends[1] - ends[0]) * section;
                objects += row.objects() as f64;
            }
        }
        let tier = self.tiers.first()?;
        let spacing = power(exponent(space / objects) / D as i32);
        Some(if spacing < tier.side { spacing } else { tier.side })
    }
}
