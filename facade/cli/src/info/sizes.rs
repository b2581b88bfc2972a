//! The sizes of objects (the longest side of each): quantiles and a histogram.

/// Maximum number of classes of the histogram, not counting the class of size 0.
const MAX_CLASSES: usize = 16;
/// The quantiles, in per cent.
pub(super) const QUANTILES: [u32; 9] = [0, 1, 10, 25, 50, 75, 90, 99, 100];

pub(super) struct Sizes {
    sorted: Vec<f64>,
}

/// A class of the histogram: sizes of at least `from` and below `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Class {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) count: usize,
}

impl Sizes {
    pub(super) fn new(mut sizes: Vec<f64>) -> Self {
        sizes.sort_unstable_by(f64::total_cmp);
        Self { sorted: sizes }
    }

    /// Returns each of [`QUANTILES`] with its size; nothing for a scene without objects.
    pub(super) fn quantiles(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let last = self.sorted.len().checked_sub(1);
        let at = move |last: usize, percent: u32| last * percent as usize / 100;
        let sizes = last.into_iter().flat_map(move |last| {
            QUANTILES.into_iter().map(move |percent| (percent, at(last, percent)))
        });
        sizes.map(|(percent, index)| (percent, self.sorted[index]))
    }

    /// Returns the classes of the histogram. If there are objects of size 0, they are the first
    /// class. The limits of the others are 1, 2 and 5 times powers of ten, or only powers of ten if
    /// there would be too many classes.
    pub(super) fn classes(&self) -> Vec<Class> {
        let zeros = self.sorted.partition_point(|&size| size <= 0.0);
        let mut classes = Vec::new();
        if zeros > 0 {
            classes.push(Class { from: 0.0, to: 0.0, count: zeros });
        }
        let mut rest = &self.sorted[zeros..];
        let (Some(&least), Some(&most)) = (rest.first(), rest.last()) else { return classes };
        let limits = limits(least, most);
        for two in limits.windows(2) {
            let [from, to] = [two[0], two[1]];
            let count = rest.partition_point(|&size| size < to);
            classes.push(Class { from, to, count });
            rest = &rest[count..];
        }
        classes
    }
}

/// Returns round numbers in ascending order, from at most `least` to above `most`.
fn limits(least: f64, most: f64) -> Vec<f64> {
    let (low, high) = (exponent(least), exponent(most));
    // All round numbers in the range of exponents, and one limit above them.
    let all = |factors: &[u32], step: usize| {
        let powers = (low..=high).step_by(step);
        let mut limits: Vec<f64> =
            powers.flat_map(|power| factors.iter().map(move |&one| round(one, power))).collect();
        limits.push(round(1, high + step as i32));
        let first = limits.partition_point(|&limit| limit <= least).saturating_sub(1);
        let last = limits.partition_point(|&limit| limit <= most);
        limits.truncate(last + 1);
        limits.split_off(first)
    };
    let decades = (1..).map(|step| all(&[1], step));
    let mut finest_first = core::iter::once(all(&[1, 2, 5], 1)).chain(decades);
    finest_first.find(|limits| limits.len() <= MAX_CLASSES + 1).unwrap_or_default()
}

/// Returns the exponent of a positive number in decimal scientific notation.
fn exponent(x: f64) -> i32 {
    let text = format!("{x:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// Returns a factor times a power of ten; infinity if the result exceeds the range of `f64`.
fn round(factor: u32, power: i32) -> f64 {
    format!("{factor}e{power}").parse().unwrap_or(f64::INFINITY)
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
            class(0.2, 0.5, 1),
            class(0.5, 1.0, 0),
            class(1.0, 2.0, 2),
            class(2.0, 5.0, 1),
        ];
        assert_eq!(sizes.classes(), expected);
        assert_eq!(Sizes::new(vec![5.0, 5.0]).classes(), [class(5.0, 10.0, 2)]);
        let decades = [class(1.0, 10.0, 1), class(10.0, 100.0, 0), class(100.0, 1000.0, 0)];
        assert_eq!(Sizes::new(vec![1.0, 1e9]).classes()[..3], decades);
        assert_eq!(Sizes::new(vec![]).classes(), []);
        assert_eq!(Sizes::new(vec![]).quantiles().count(), 0);
        let wide = Sizes::new(vec![5e-324, 1e-300, 1.0, 1e300, f64::MAX]).classes();
        assert!(wide.len() <= MAX_CLASSES, "{wide:?}");
        assert_eq!(wide.iter().map(|class| class.count).sum::<usize>(), 5);
    }

    #[test]
    fn quantiles_are_sizes() {
        let sizes = Sizes::new((0..=100).map(f64::from).rev().collect());
        let quantiles: Vec<_> = sizes.quantiles().collect();
        assert_eq!(quantiles, QUANTILES.map(|percent| (percent, f64::from(percent))));
    }
}
