//! Accuracy and limits of `Layout`, in `f32` and `f64`, against centers computed with more digits.

use core::cell::Cell;
use core::ops::RangeInclusive;

use hexcoord::{Direction, Float, Hex, InvalidLayout, Layout, Orientation, hex};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A number as an unevaluated sum of two `f64`, with about 100 significant bits.
#[derive(Clone, Copy)]
struct Wide(f64, f64);

impl Wide {
    /// √3 as the nearest `f64` and the rest.
    const SQRT_3: Self = Self(1.732_050_807_568_877_2, 1.001_760_529_096_3e-16);

    /// Returns `a + b` exactly.
    fn sum(a: f64, b: f64) -> Self {
        let sum = a + b;
        let part = sum - a;
        Self(sum, (a - (sum - part)) + (b - part))
    }

    /// Returns `a * b` exactly; `mul_add` rounds once.
    fn product(a: f64, b: f64) -> Self {
        let product = a * b;
        Self(product, a.mul_add(b, -product))
    }

    fn plus(self, other: Self) -> Self {
        let high = Self::sum(self.0, other.0);
        Self::sum(high.0, high.1 + self.1 + other.1)
    }

    fn times(self, factor: f64) -> Self {
        let high = Self::product(self.0, factor);
        Self::sum(high.0, high.1 + self.1 * factor)
    }
}

/// Returns the distance between a position and the exact center of a cell, in sizes.
fn distance<F: Float>(layout: &Layout<F>, position: [F; 2], cell: Hex) -> f64 {
    let [q, r] = [f64::from(cell.q), f64::from(cell.r)];
    let straight = |n: f64| Wide(1.5 * n, 0.0);
    let slanted = |twice: f64| Wide::SQRT_3.times(twice / 2.0);
    let center = match layout.orientation() {
        Orientation::Pointy => [slanted(2.0 * q + r), straight(r)],
        Orientation::Flat => [straight(q), slanted(2.0 * r + q)],
    };
    let off = [0, 1].map(|axis| {
        let size = layout.size()[axis].to_f64();
        let from_origin = Wide::sum(position[axis].to_f64(), -layout.origin()[axis].to_f64());
        let Wide(high, low) = from_origin.plus(center[axis].times(-size));
        (high + low) / size
    });
    off[0].hypot(off[1])
}

/// Returns the largest coordinate or origin in sizes.
fn reach<F: Float>(layout: &Layout<F>, position: [F; 2]) -> f64 {
    let numbers = |axis: usize| [position[axis], layout.origin()[axis]].map(|x| x.to_f64().abs());
    let reach = |axis: usize| {
        let [x, origin] = numbers(axis);
        x.max(origin) / layout.size()[axis].to_f64().abs()
    };
    reach(0).max(reach(1))
}

fn layouts<F: Float>(far: i32) -> impl Strategy<Value = Layout<F>> {
    let orientation = prop::sample::select(vec![Orientation::Pointy, Orientation::Flat]);
    let size = || prop_oneof![Just(1.0), 0.01..100.0, -100.0..-0.01];
    let origin = prop_oneof![2 => Just(0.0), 1 => -1.0..1.0];
    (orientation, [size(), size()], [origin.clone(), origin], 0..=far).prop_map(
        |(orientation, size, origin, power)| {
            let origin = [0, 1].map(|axis| origin[axis] * size[axis] * 2f64.powi(power));
            let [size, origin] = [size, origin].map(|pair| pair.map(F::from_f64));
            Layout::try_new(orientation, size, origin).expect("valid numbers")
        },
    )
}

/// A position in sizes, as a fraction of a power of two.
type Place = ([f64; 2], i32);

/// A direction, and a position along the edge in that direction.
type Border = Option<(usize, f64)>;

/// Checks both promises of [`Layout`]: cells up to `2^trip` sizes from the zero of coordinates
/// return from their centers, and the found center is the nearest within `2^error` of the reach.
fn accuracy<F: Float>(trip: i32, error: i32, powers: RangeInclusive<i32>) {
    let tightest = Cell::new((0.0f64, 0));
    let border = prop::option::of((0..6usize, 0.0..1.0));
    let place = ([-1.0..1.0, -1.0..1.0], powers);
    let cases = (layouts::<F>(trip - 2), place, border);
    let law = |(layout, (at, power), border): (Layout<F>, Place, Border)| {
        let mut position = [0, 1].map(|axis| {
            let far = at[axis] * 2f64.powi(power) * layout.size()[axis].to_f64();
            F::from_f64(far + layout.origin()[axis].to_f64())
        });
        if let Some((direction, part)) = border {
            // The position of a point on the border of the cell, rounded.
            let edge = layout.cell(position).edge(Direction::ALL[direction]);
            let [from, to] = layout.edge(edge).map(|end| end.map(|x| x.to_f64()));
            position = [0, 1].map(|axis| F::from_f64(from[axis] + (to[axis] - from[axis]) * part));
        }
        let cell = layout.try_cell(position).expect("in range");
        prop_assert_eq!(layout.cell(position), cell);
        let found = distance(&layout, position, cell);
        let nearest = cell.range(2).map(|other| distance(&layout, position, other));
        let excess = found - nearest.fold(f64::INFINITY, f64::min);
        let far = reach(&layout, position).max(1.0);
        prop_assert!(excess <= far * 2f64.powi(error), "{} at {}", excess, far);
        let (part, mut trips) = tightest.get();
        let center = layout.center(cell);
        if reach(&layout, center) <= 2f64.powi(trip) {
            prop_assert_eq!(layout.cell(center), cell, "at {}", far);
            trips += 1;
        }
        tightest.set((part.max(excess / far * 2f64.powi(-error)), trips));
        Ok(())
    };
    let config =
        ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100_000) };
    TestRunner::new(config).run(&cases, law).expect("the documented accuracy");
    let (part, trips) = tightest.get();
    println!("{part} of the error, {trips} round trips");
    assert!(part > 0.1 && trips > 10_000, "{part} {trips}");
}

#[test]
fn cells_of_f32_are_as_near_as_documented() {
    accuracy::<f32>(19, -20, 0..=22);
}

#[test]
fn cells_of_f64_are_as_near_as_documented() {
    accuracy::<f64>(31, -49, 0..=30);
}

#[test]
fn all_cells_near_the_limit_return_from_their_centers() {
    for orientation in [Orientation::Pointy, Orientation::Flat] {
        let layout = Layout::new(orientation, 1.0);
        let far = layout.cell([524_280.0, 524_280.0]);
        assert!(far.range(100).all(|cell| layout.cell(layout.center(cell)) == cell));
        let layout = Layout::<f64>::try_new(orientation, [1.0; 2], [0.0; 2]).expect("valid");
        let far = layout.cell([2_147_483_600.0, -2_147_483_600.0]);
        assert!(far.range(100).all(|cell| layout.cell(layout.center(cell)) == cell));
    }
}

#[test]
fn invalid_numbers_are_errors() {
    fn check<F: Float>(nan: F, infinite: F, subnormal: F) {
        let one = [F::from_f64(1.0); 2];
        let error = |size, origin| {
            Layout::<F>::try_new(Orientation::Flat, size, origin).err() == Some(InvalidLayout)
        };
        assert!(!error(one, one) && !error(one.map(|one| F::ZERO.minus(one)), one));
        let negative_infinity = F::ZERO.minus(infinite);
        for bad in [nan, infinite, negative_infinity, F::ZERO, F::from_f64(-0.0), subnormal, F::MAX]
        {
            assert!(error([bad, one[0]], one) && error([one[0], bad], one), "{bad}");
        }
        for bad in [nan, infinite, negative_infinity] {
            assert!(error(one, [bad, one[0]]) && error(one, [one[0], bad]), "{bad}");
        }
        let layout = Layout::<F>::try_new(Orientation::Flat, one, one).expect("valid");
        for bad in
            [nan, infinite, negative_infinity, F::from_f64(3.3e9), F::from_f64(-3.3e9), F::MAX]
        {
            assert_eq!(layout.try_cell([bad, one[0]]), None, "{bad}");
        }
        assert_eq!(layout.try_cell(one), Some(hex(0, 0)));
    }
    check(f32::NAN, f32::INFINITY, 1e-45);
    check(f64::NAN, f64::INFINITY, 5e-324);
}

#[test]
#[should_panic(expected = "sizes of a layout must be finite and not 0")]
fn a_size_of_zero_panics() {
    let _ = Layout::new(Orientation::Pointy, 0.0);
}
