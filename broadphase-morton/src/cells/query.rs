//! What a region overlaps: descents into both trees, and a look at each object aside.

use broadphase_core::{Entry, Flow, Region, Scalar};

use super::MortonCells;
use super::layer::GONE;
use super::places::Places;
use super::tree::{Descent, Find};

/// Places found at a time.
const FOUND: usize = 256;

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Visits what overlaps a region.
    pub(super) fn find<R: Flow>(
        &self,
        region: &Region<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let mut see = |slot: u32, decided: bool| {
            let entry = self.objects.entry(slot as usize);
            if decided || region.overlaps(&entry.bounds) { visit(entry) } else { R::CONTINUE }
        };
        let Places { layers, aside, .. } = &self.places;
        if layers.iter().any(|layer| layer.stale) {
            // A walk was left in the middle.
            for slot in 0..self.objects.len() {
                let answer = see(slot as u32, false);
                if answer.stops() {
                    return answer;
                }
            }
            return R::CONTINUE;
        }
        let decided = S::EXACT_KEYS && region.is_box();
        let volume = &region.reach().slabs();
        let mut out = [0; FOUND];
        for layer in layers {
            let decided = decided && !layer.skinned;
            let mut descent = Descent::DONE;
            descent.begin(&layer.tree);
            while !descent.is_done() {
                let find = Find { tree: &layer.tree, volume, descent: &mut descent, out: &mut out };
                let filled = self.backend.dispatch(find);
                for &place in &out[..filled] {
                    let slot = layer.slots[place as usize];
                    if slot == GONE {
                        continue;
                    }
                    let answer = see(slot, decided);
                    if answer.stops() {
                        return answer;
                    }
                }
            }
        }
        for &slot in aside {
            let answer = see(slot, false);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }

    /// About how far it is from one object to the next.
    pub(super) fn typical_spacing(&self) -> Option<f64> {
        let largest = self.places.layers.iter().max_by_key(|layer| layer.slots.len())?;
        let bounds = largest.tree.bounds()?;
        let mut volume = 1.0;
        for axis in 0..D {
            let (min, max) = (S::of_key(bounds.min[axis]), S::of_key(bounds.max[axis]));
            volume *= max.to_f64() - min.to_f64();
        }
        let each = volume / largest.slots.len() as f64;
        (each > 0.0 && each < f64::MAX).then(|| root::<D>(each))
    }
}

/// About the `D`-th root, from below or above by less than half.
fn root<const D: usize>(x: f64) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE, f64::MAX);
    // Halving the exponents first, then the rest.
    for _ in 0..64 {
        let bits = low.to_bits().midpoint(high.to_bits());
        let middle = f64::from_bits(bits);
        let power = (1..D).fold(middle, |power, _| power * middle);
        if power < x { low = middle } else { high = middle }
    }
    low
}
