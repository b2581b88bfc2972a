//! The distances that objects move between two ticks, and a sample of them.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Scalar};

/// Maximum number of movement distances that are stored.
const MAX_SAMPLES: usize = 1 << 14;

/// A sample of the distances that objects moved. All distances are stored until [`MAX_SAMPLES`] is
/// reached; then every second stored distance is dropped, and only every second new distance is
/// stored. This is repeated, so every fourth new distance is stored, later every eighth, and so on.
#[derive(Clone, Debug)]
pub(super) struct StepSampler {
    pub(super) kept: Vec<f64>,
    seen: usize,
    every: usize,
}

impl StepSampler {
    pub(super) const fn new() -> Self {
        Self { kept: Vec::new(), seen: 0, every: 1 }
    }

    pub(super) fn add(&mut self, step: impl FnOnce() -> f64) {
        if self.kept.len() == MAX_SAMPLES {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every *= 2;
        }
        if self.seen.is_multiple_of(self.every) {
            self.kept.push(step());
        }
        self.seen += 1;
    }
}

/// Returns the distance between two boxes along the axis where it is largest; in a world that wraps
/// the shorter way around.
pub(super) fn distance<S: Scalar, const D: usize>(
    from: &Aabb<S, D>,
    to: &Aabb<S, D>,
    sides: &[S; D],
) -> f64 {
    let along = |axis: usize| {
        let way = |from: S, to: S| (to.to_f64() - from.to_f64()).abs();
        let way = way(from.min[axis], to.min[axis]).max(way(from.max[axis], to.max[axis]));
        let side = sides[axis].to_f64();
        if side > 0.0 { way.min((side - way).abs()) } else { way }
    };
    (0..D).map(along).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_sampled() {
        let mut steps = StepSampler::new();
        (0..1_000_000).for_each(|n| steps.add(|| f64::from(n)));
        assert!((MAX_SAMPLES / 2..=MAX_SAMPLES).contains(&steps.kept.len()));
        steps.kept.sort_unstable_by(f64::total_cmp);
        let middle = steps.kept[steps.kept.len() / 2];
        assert!((490_000.0..510_000.0).contains(&middle), "{middle}");
        let mut steps = StepSampler::new();
        (0..9).for_each(|n| steps.add(|| f64::from(n)));
        assert_eq!(steps.kept.len(), 9);
    }

    #[test]
    fn steps_use_the_shorter_way_around() {
        let (from, to) = (Aabb::new([60], [62]), Aabb::new([1], [3]));
        assert_eq!(distance(&from, &to, &[64]), 5.0);
        assert_eq!(distance(&from, &to, &[0]), 59.0);
    }
}
