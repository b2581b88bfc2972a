//! Region queries, and the estimate of the distance between objects.

use core::ops::ControlFlow;

use broadphase_core::{Aabb, Keys, LANES, Region, Scalar, Slabs, instances};

use super::SortedObjects;
use super::tree_search::{LayerSearch, search_layers};

/// Maximum number of objects that a search finds before they are tested.
const BATCH: usize = 256;
/// Number of nodes sampled for the spacing.
const SAMPLES: usize = 16;

impl<S: Scalar, const D: usize> SortedObjects<S, D> {
    /// Visits the slots and bounds of the objects that overlap a region.
    #[inline(always)]
    pub(super) fn for_each_in_region(
        &self,
        region: &Region<S, D>,
        visit: &mut impl FnMut(usize, &Aabb<S, D>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(region) = region.normalized() else { return ControlFlow::Continue(()) };
        let decided = S::EXACT_KEYS && region.is_box();
        let volume = &region.reach().slabs();
        let (store, backend, buffer) = (&self.store, self.backend, &mut [0; BATCH][..]);
        let all = self.objects.bounds();
        search_layers(
            LayerSearch { store, volume, path: None, backend, buffer },
            &mut |slots, overlap| {
                for &slot in slots {
                    let bounds = &all[slot as usize];
                    if decided && overlap || region.overlaps(bounds) {
                        visit(slot as usize, bounds)?;
                    }
                }
                ControlFlow::Continue(())
            },
        )
    }
}

instances! {
    /// Estimates the distance between neighboring objects: the median of sampled nodes, which
    /// ignores a few far or huge objects.
    pub(super) fn typical_spacing<S, D>(sorted: &SortedObjects<S, D>) -> Option<f64> {
        let largest = sorted.store.layers.iter().max_by_key(|layer| layer.slots.len())?;
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

/// Returns the distance between neighbors if objects fill the slabs evenly, ignoring axes without
/// extent.
fn spacing_in<S: Scalar, const D: usize>(slabs: &Slabs<D>, objects: usize) -> Option<f64> {
    let (mut volume, mut axes) = (1.0, 0);
    for (&min, &max) in slabs.min.iter().zip(&slabs.max) {
        // An empty node has no spacing.
        if min > max {
            return None;
        }
        let extent = S::from_key(max).to_f64() - S::from_key(min).to_f64();
        if extent > 0.0 {
            volume *= extent;
            axes += 1;
        }
    }
    let each = volume / objects as f64;
    (axes > 0 && each > 0.0 && each < f64::MAX).then(|| approximate_root(each, axes))
}

/// Approximates a root by bisection, with a relative error below 50 %.
fn approximate_root(x: f64, degree: usize) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE, f64::MAX);
    // Bisect the bit patterns: the exponent first, then the fraction.
    for _ in 0..64 {
        let bits = low.to_bits().midpoint(high.to_bits());
        let middle = f64::from_bits(bits);
        let power = (1..degree).fold(middle, |power, _| power * middle);
        if power < x { low = middle } else { high = middle }
    }
    low
}
