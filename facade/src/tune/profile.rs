//! Statistics of a trace.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Motion, Scalar};

use super::trace::Trace;

/// Statistics of a [`Trace`]: counts and sizes, identical on every machine.
///
/// ```
/// use hexphase::Aabb;
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let mut trace = Trace::default();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget { rounds: 1, ..Budget::default() });
/// assert_eq!((report.profile.ticks, report.profile.objects), (1, 20));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// Number of ticks.
    pub ticks: usize,
    /// Maximum number of objects that existed at the same time.
    pub objects: usize,
    /// Total number of insertions.
    pub inserted: usize,
    /// Number of insertions of static objects.
    pub statics: usize,
    /// Fraction of objects that move in a tick, from 0 to 1: the mean of all ticks but the first.
    pub moving: f64,
    /// Median distance of the moving objects in the last tick with movement, along the axis of the
    /// largest movement; 0 if nothing moves.
    pub step: f64,
    /// Longest side of the smallest, the median and the largest object.
    pub sizes: [f64; 3],
    /// Mean number of pairs per tick.
    pub pairs: f64,
}

impl Profile {
    /// Computes all statistics that need no replay.
    pub(super) fn of<S: Scalar, const D: usize>(trace: &Trace<S, D>) -> Self {
        let mut profile = Self { ticks: trace.ticks.len(), objects: trace.most, ..Self::default() };
        let mut sizes = Vec::new();
        for (number, tick) in trace.ticks.iter().enumerate() {
            for (_, item) in &tick.inserted {
                profile.inserted += 1;
                profile.statics += usize::from(item.motion == Motion::Static);
                sizes.push(longest_side(&item.bounds));
            }
            if number > 0 && tick.objects > 0 {
                let ticks = (trace.ticks.len() - 1) as f64;
                profile.moving += tick.moved.len() as f64 / tick.objects as f64 / ticks;
            }
        }
        profile.step = median(&mut trace.steps.clone());
        let middle = median(&mut sizes);
        if let (Some(&least), Some(&most)) = (sizes.first(), sizes.last()) {
            profile.sizes = [least, middle, most];
        }
        profile
    }
}

/// Returns the longest side of a box.
fn longest_side<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let side = |axis: usize| bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
    (0..D).map(side).fold(0.0, f64::max)
}

/// Returns the median, or 0 if there are no numbers. Sorts the numbers.
fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_count_and_measure() {
        let mut trace = Trace::<f32, 2>::default();
        for tick in 0..3 {
            let at = |n: u32| [n as f32 * 10.0 + if n == 0 { 0.0 } else { tick as f32 }, 0.0];
            trace.push((0..4).map(|n| Aabb::around(at(n), [n as f32, 1.0]))).unwrap();
        }
        let profile = Profile::of(&trace);
        assert_eq!((profile.ticks, profile.objects, profile.inserted), (3, 4, 4));
        assert_eq!((profile.moving, profile.step), (0.75, 1.0));
        assert_eq!(profile.sizes, [2.0, 4.0, 6.0]);
        assert_eq!(Profile::of(&Trace::<f32, 2>::default()), Profile::default());
    }
}
