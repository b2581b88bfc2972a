//! What a region overlaps: descents into both trees, and a look at each object aside.

use broadphase_core::{Entry, Flow, LANES, Region, Scalar, Slabs};

use super::MortonCells;
use super::layer::GONE;
use super::places::Places;
use super::tree::{Descent, Find};

/// Places found at a time.
const FOUND: usize = 256;
/// So many nodes tell how far apart objects are.
const SAMPLES: usize = 16;

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

    /// About how far it is from one object to the next: the middle one of what it is in some nodes,
    /// so that nothing depends on a few that are far away or huge.
    pub(super) fn typical_spacing(&self) -> Option<f64> {
        let largest = self.places.layers.iter().max_by_key(|layer| layer.slots.len())?;
        let nodes = largest.tree.heights.get(2).filter(|_| largest.tree.len() > 0)?;
        let (view, samples) = (nodes.view(), nodes.len.min(SAMPLES));
        let (mut found, mut count) = ([0.0; SAMPLES], 0);
        for sample in 0..samples {
            let index = nodes.len * (2 * sample + 1) / (2 * samples);
            let objects = (largest.tree.len() - index * LANES * LANES).min(LANES * LANES);
            if let Some(spacing) = spacing_in::<S, D>(&view.get(index), objects) {
                found[count] = spacing;
                count += 1;
            }
        }
        let found = &mut found[..count];
        found.sort_unstable_by(f64::total_cmp);
        found.get(count / 2).copied()
    }
}

/// How far it is from one object to the next, if so many fill some slabs; along the axes on which
/// they are not all in one place.
fn spacing_in<S: Scalar, const D: usize>(slabs: &Slabs<D>, objects: usize) -> Option<f64> {
    let (mut volume, mut axes) = (1.0, 0);
    for (&min, &max) in slabs.min.iter().zip(&slabs.max) {
        // Where nothing is, nothing is known.
        if min > max {
            return None;
        }
        let extent = S::of_key(max).to_f64() - S::of_key(min).to_f64();
        if extent > 0.0 {
            volume *= extent;
            axes += 1;
        }
    }
    let each = volume / objects as f64;
    (axes > 0 && each > 0.0 && each < f64::MAX).then(|| root(each, axes))
}

/// About such a root, from below or above by less than half.
fn root(x: f64, degree: usize) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE, f64::MAX);
    // Halving the exponents first, then the rest.
    for _ in 0..64 {
        let bits = low.to_bits().midpoint(high.to_bits());
        let middle = f64::from_bits(bits);
        let power = (1..degree).fold(middle, |power, _| power * middle);
        if power < x { low = middle } else { high = middle }
    }
    low
}
