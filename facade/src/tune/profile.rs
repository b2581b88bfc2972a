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
/// let mut trace = Trace::new();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget::new().rounds(1));
/// let profile = report.profile();
/// assert_eq!((profile.ticks, profile.objects), (1, 20));
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
    /// Median distance that a moving object moves per tick, along the axis of its largest movement;
    /// 0 if nothing moves.
    pub step: f64,
    /// Longest side of the smallest, the median and the largest object.
    pub sizes: [f64; 3],
    /// Mean number of pairs per tick.
    pub pairs: f64,
}

impl Profile {
    /// Computes all statistics that need no replay.
    pub(super) fn of<S: Scalar, const D: usize>(trace: &Trace<S, D>) -> Self {
        let mut profile = Self { ticks: trace.len(), objects: trace.objects(), ..Self::default() };
        let mut sizes = Vec::new();
        for (number, tick) in trace.ticks.iter().enumerate() {
            for (_, item) in &tick.inserted {
                profile.inserted += 1;
                profile.statics += usize::from(item.motion == Motion::Static);
                sizes.push(longest_side(&item.bounds));
            }
            if number > 0 && tick.objects > 0 {
                let ticks = (trace.len() - 1) as f64;
                profile.moving += tick.moved.len() as f64 / tick.objects as f64 / ticks;
            }
        }
        profile.step = median(&mut trace.steps.kept.clone());
        let middle = median(&mut sizes);
        if let (Some(&least), Some(&most)) = (sizes.first(), sizes.last()) {
            profile.sizes = [least, middle, most];
        }
        profile
    }

    /// Returns the mean number of pairs per object.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert_eq!(report.profile().pairs_per_object(), 19.0 / 20.0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn pairs_per_object(&self) -> f64 {
        self.pairs / self.objects.max(1) as f64
    }

    /// Returns the size of the largest object divided by that of the smallest; infinite if the
    /// smallest is a point and the largest is not.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let mut trace = Trace::new();
    /// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
    /// let report = tune(&trace, &Budget::new().rounds(1));
    /// assert!(report.profile().ratio() < 1.01);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let [least, _, most] = self.sizes;
        if least == most { 1.0 } else { most / least }
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
        let mut trace = Trace::<f32, 2>::new();
        for tick in 0..3 {
            let at = |n: u32| [n as f32 * 10.0 + if n == 0 { 0.0 } else { tick as f32 }, 0.0];
            trace.push((0..4).map(|n| Aabb::around(at(n), [n as f32, 1.0]))).unwrap();
        }
        let profile = Profile::of(&trace);
        assert_eq!((profile.ticks, profile.objects, profile.inserted), (3, 4, 4));
        assert_eq!((profile.moving, profile.step), (0.75, 1.0));
        assert_eq!((profile.sizes, profile.ratio()), ([2.0, 4.0, 6.0], 3.0));
        assert_eq!(Profile::of(&Trace::<f32, 2>::new()), Profile::default());
    }
}
