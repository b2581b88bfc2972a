//! The sizes of objects: quantiles and a histogram.

/// The maximum number of classes of the histogram, without that of size 0.
const MAX_CLASSES: i32 = 16;
/// The quantiles, in per cent.
pub(super) const QUANTILES: [u32; 9] = [0, 1, 10, 25, 50, 75, 90, 99, 100];

/// The sizes of the objects of a scene.
#[derive(Debug)]
pub(super) struct Sizes {
    /// Sizes, ascending.
    sorted: Vec<f64>,
}

/// A class of sizes: at least `from` and below `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Class {
    pub(super) from: f64,
    pub(super) to: f64,
    /// The number of objects.
    pub(super) count: usize,
}

impl Sizes {
    /// Sorts the sizes.
    pub(super) fn new(mut sizes: Vec<f64>) -> Self {
        sizes.sort_unstable_by(f64::total_cmp);
        Self { sorted: sizes }
    }

    /// Returns the size for each of [`QUANTILES`]; none without objects.
    pub(super) fn quantiles(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let last = self.sorted.len().checked_sub(1);
        let at = move |last: usize, percent: u32| last * percent as usize / 100;
        let sizes = last.into_iter().flat_map(move |last| {
            QUANTILES.into_iter().map(move |percent| (percent, at(last, percent)))
        });
        sizes.map(|(percent, index)| (percent, self.sorted[index]))
    }

    /// Returns the classes of the histogram. The first is size 0 if there are such objects. The
    /// limits of the others are powers of two, with equal ratios.
    pub(super) fn classes(&self) -> Vec<Class> {
        let zeros = self.sorted.partition_point(|&size| size <= 0.0);
        let mut classes = Vec::new();
        if zeros > 0 {
            classes.push(Class { from: 0.0, to: 0.0, count: zeros });
        }
        let mut rest = &self.sorted[zeros..];
        let (Some(&least), Some(&most)) = (rest.first(), rest.last()) else { return classes };
        let (low, high) = (exponent(least), exponent(most));
        let step = (high - low + 1 + MAX_CLASSES - 1) / MAX_CLASSES;
        for from in (low..=high).step_by(step as usize) {
            let (from, to) = (power(from), power(from + step));
            let count = rest.partition_point(|&size| size < to);
            classes.push(Class { from, to, count });
            rest = &rest[count..];
        }
        classes
    }
}

/// Returns the largest exponent of a power of two that is at most a positive number.
fn exponent(x: f64) -> i32 {
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    // Subnormal numbers are one class.
    exponent.max(-1023)
}

/// Returns a power of two; 0 or infinity outside the range of numbers.
fn power(exponent: i32) -> f64 {
    match exponent {
        ..-1022 => 0.0,
        1024.. => f64::INFINITY,
        _ => f64::from_bits(((exponent + 1023) as u64) << 52),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_contain_all_sizes() {
        let sizes = Sizes::new(vec![3.0, 0.0, 1.0, 0.25, 1.5, 0.0]);
        let class = |from, to, count| Class { from, to, count };
        let expected = [
            class(0.0, 0.0, 2),
            class(0.25, 0.5, 1),
            class(0.5, 1.0, 0),
            class(1.0, 2.0, 2),
            class(2.0, 4.0, 1),
        ];
        assert_eq!(sizes.classes(), expected);
        assert_eq!(Sizes::new(vec![]).classes(), []);
        assert_eq!(Sizes::new(vec![]).quantiles().count(), 0);
        let wide = Sizes::new(vec![5e-324, 1e-300, 1.0, 1e300, f64::MAX]).classes();
        assert!(wide.len() <= MAX_CLASSES as usize, "{wide:?}");
        assert_eq!(wide.iter().map(|class| class.count).sum::<usize>(), 5);
    }

    #[test]
    fn quantiles_are_sizes() {
        let sizes = Sizes::new((0..=100).map(f64::from).rev().collect());
        let quantiles: Vec<_> = sizes.quantiles().collect();
        assert_eq!(quantiles, QUANTILES.map(|percent| (percent, f64::from(percent))));
    }
}
