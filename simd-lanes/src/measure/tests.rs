//! Tests of distances and times of contact.

use super::*;

#[test]
fn squares_of_integer_gaps_do_not_overflow() {
    assert!(i32::is_within([i32::MAX as u32, 0, 0], i32::MAX));
    assert!(!i32::is_within([i32::MAX as u32, 1, 0], i32::MAX));
    assert_eq!(i32::squared_length([u32::MAX; 3]), 3.0 * (u32::MAX as f64).powi(2));
    assert_eq!(i32::gap(i32::MIN, i32::MAX), u32::MAX);
    assert_eq!(i32::gap(i32::MAX, i32::MIN), 0);
    let is_below_five = |gaps: [u32; 2]| i32::is_below_unscaled(gaps, &i32::limit(5));
    assert!(is_below_five([3, 4]) && !is_below_five([3, 5]));
}

#[test]
fn integer_balls_that_touch_overlap() {
    let overlap = |to: [i32; 2], radii| i32::balls_overlap([&[0, 0], &to], radii);
    assert!(overlap([3, 4], [2, 3]) && !overlap([3, 4], [2, 2]));
    assert!(overlap([0, 0], [1, -1]) && !overlap([0, 0], [1, -2]));
}

/// Asserts that the length of gaps is the smallest radius that includes them.
fn check_length<const D: usize>(gaps: [f32; D]) {
    let length = f32::length(gaps);
    assert!(f32::is_within(gaps, length), "{gaps:?} within {length}");
    assert!(!f32::is_within(gaps, length.next_down()), "{gaps:?} below {length}");
    let square = f32::squared_length(gaps);
    assert!(f32::root(square).is_none_or(|root| root == length), "{gaps:?}: root of {square}");
    let wide = f64::length(gaps.map(f64::from));
    let error = (f64::from(length) - wide).abs();
    assert!(error <= wide * 2e-7 || error < 1.5e-45 || length == f32::INFINITY, "{gaps:?}");
}

#[test]
fn lengths_are_the_smallest_radius_that_includes_the_gaps() {
    // All mantissas of squares with an even and with an odd exponent, and lengths of every
    // magnitude, including those at which the scale changes.
    for bits in (1f32.to_bits()..4f32.to_bits()).step_by(7) {
        let square = f32::from_bits(bits);
        let root = f32::root(square).expect("a normal square");
        assert!(root * root >= square && root.next_down() * root.next_down() < square);
    }
    for n in 0..=254 {
        let power = f32::from_bits(n << 23);
        for gap in [power, power.next_up(), power * 1.37, power.next_down().max(0.0)] {
            check_length([gap]);
            check_length([gap, gap]);
            check_length([gap * 0.3, gap, gap * 0.77]);
            check_length([0.0, gap * 1e-9, gap * 3e-4]);
        }
    }
    check_length([0.0; 3]);
    check_length([f32::from_bits(3), f32::from_bits(5), f32::from_bits(7)]);
    assert_eq!(f32::length([f32::MAX, f32::MAX]), f32::INFINITY);
    assert_eq!(f32::length([f32::INFINITY, 0.0]), f32::INFINITY);
    assert_eq!(f32::length([3e30, 4e30]), 5e30);
    assert_eq!([f32::root(0.0), f32::root(1e-40), f32::root(f32::INFINITY)], [None; 3]);
    for n in 0..=2046 {
        let power = f64::from_bits(n << 52);
        for gaps in [[power, 0.0], [power, power * 0.71], [power.next_up(), power * 1.9]] {
            let length = f64::length(gaps);
            assert!(f64::is_within(gaps, length) && !f64::is_within(gaps, length.next_down()));
        }
    }
}

#[test]
fn roots_without_std_are_accurate() {
    for n in 1..=2046 {
        for square in [1.0, 1.37, 2.0 - f64::EPSILON].map(|x| x * f64::from_bits(n << 52)) {
            let error = newton_root(square) / square.sqrt() - 1.0;
            assert!(error.abs() < 4.0 * f64::EPSILON, "{square}");
        }
    }
}

#[test]
fn integer_lengths_are_the_first_numbers_not_below_the_exact_ones() {
    assert_eq!(i32::length([3, 4]), 5.0);
    assert_eq!(i32::length([0, 0, 0]), 0.0);
    assert_eq!(i32::root(2f64.powi(53)), None);
    let far = i32::MAX.unsigned_abs();
    let most = u32::MAX;
    for gaps in [[1, 1, 0], [far, 1, 0], [far, 0, 0], [most; 3], [most, 1, 1], [7, 9, 2]] {
        let square: u128 = gaps.iter().map(|&gap| u128::from(gap) * u128::from(gap)).sum();
        let length = i32::length(gaps);
        let is_enough = |length: f64| (length as u128).pow(2) >= square;
        assert!(is_enough(length.ceil()) && length.ceil() - length < 1.0, "{gaps:?}");
        assert!(!is_enough(length.ceil() - 1.0), "{gaps:?}");
    }
    // The rounded root is 2^31 − 1, but the exact one is above it.
    assert_eq!(i32::length([far, 1]), f64::from(far).next_up());
    assert_eq!(i32::root(2.0), Some(2f64.sqrt()));
    assert_eq!(i32::root(3.0), Some(3f64.sqrt().next_up())); // its root is rounded down
}

#[test]
fn one_float_above_the_radius_is_not_within() {
    let far = |radius: f32| !f32::is_within([radius.next_up(), 0.0], radius);
    // Test all mantissas of `f32` with an even and with an odd exponent.
    assert!((1f32.to_bits()..4f32.to_bits()).map(f32::from_bits).all(far));
    let mut unscaled = 0;
    for n in 0..=254 {
        let power = f32::from_bits(n << 23);
        for radius in [power, power.next_up(), power * 1.5, power.next_down().max(0.0)] {
            assert!(far(radius) && f32::is_within([0.0, radius], radius), "{radius}");
            let limit = f32::limit(radius);
            if !f32::is_scaled(&limit) {
                let within = |gap| f32::is_below_unscaled([0.0, gap], &limit);
                assert!(within(radius) && !within(radius.next_up()), "{radius}");
                unscaled += 1;
            }
        }
    }
    assert!((400..500).contains(&unscaled), "powers of two from 2^-50 to 2^60: {unscaled}");
    assert!(!f32::is_within([f32::INFINITY], f32::MAX));
    assert!(f32::is_within([f32::INFINITY; 3], f32::INFINITY));
    for n in 0..=2046 {
        let power = f64::from_bits(n << 52);
        for radius in [power, power.next_up(), power * 1.375, power.next_down().max(0.0)] {
            assert!(!f64::is_within([0.0, radius.next_up()], radius), "{radius}");
            assert!(f64::is_within([radius, 0.0], radius), "{radius}");
        }
    }
    for negative_or_nan in [-1e-45, -1.0, f32::MIN, f32::NEG_INFINITY, f32::NAN] {
        assert!(!f32::is_within([0.0, 0.0], negative_or_nan), "{negative_or_nan}");
    }
}

/// Asserts that scaled squares of the smallest to the largest distances are normal numbers.
fn check_scales<F: Scalar<Real = F> + Measure<Gap = F>>(smallest: F) {
    let square = |gap: f64, scale: f64| F::squared_length([F::from_f64(gap * scale); 3]);
    let largest = 2.0 * (F::MAX.to_f64() * F::SCALE_DOWN);
    assert!(F::MIN_SQUARE <= square(smallest.to_f64(), F::SCALE_UP));
    assert!(square(largest, 1.0).is_finite());
    // Test the distances between the smallest whose square overflows, scaled down, and the
    // largest whose square underflows, scaled up.
    let root = F::MAX.to_f64().sqrt();
    assert!(F::MIN_SQUARE <= F::squared_length([F::from_f64(root * 0.5 * F::SCALE_DOWN)]));
    assert!(square(F::MIN_SQUARE.to_f64().sqrt(), F::SCALE_UP).is_finite());
    // Around `NEAR_ZERO` the squared distance of adjacent numbers is a normal number.
    let near = F::from_f64(F::NEAR_ZERO);
    let gaps = [F::distance(near, near.next_above()), F::distance(near, near.next_below())];
    assert!(gaps.into_iter().all(|gap| F::MIN_SQUARE <= F::squared_length([gap])));
}

#[test]
fn scaled_distances_have_normal_squares() {
    check_scales(f32::from_bits(1));
    check_scales(f64::from_bits(1));
}

#[test]
fn contact_times_of_displacements_that_overflow() {
    let steps = [f32::step(f32::MIN, f32::MAX)];
    let touch = |at: f32| {
        let start = [&[f32::MIN]; 2];
        f32::touch(start, &steps, [&[at], &[f32::MAX]], 1.0)
    };
    assert_eq!(touch(f32::MIN), Some([0.0, 1.0]));
    assert_eq!(touch(0.0), Some([0.5, 1.0]));
    assert_eq!(touch(f32::MAX), Some([1.0, 1.0]));
    let steps = [i32::step(i32::MIN, i32::MAX)];
    let touch = i32::touch([&[i32::MIN]; 2], &steps, [&[0], &[0]], 1.0);
    assert_eq!(touch, Some([2f64.powi(31) / (2f64.powi(32) - 1.0); 2]));
    // The ray touches the box only at a fraction far above 1.
    let steps = [f32::step(0.0, 1.0)];
    let touch =
        |from: f32, to: f32| f32::touch([&[from]; 2], &steps, [&[to], &[to]], f32::INFINITY);
    assert_eq!(touch(f32::MIN, f32::MAX), Some([f32::MAX; 2]));
    assert_eq!(touch(f32::MAX, f32::MIN), None);
}

#[test]
fn zero_displacement_touches_from_zero_to_until_or_never() {
    for (to, until) in [(0.0, 1.0), (-0.0, f32::MAX), (0.0, f32::INFINITY), (-0.0, 0.0)] {
        let steps = [f32::step(0.0, to)];
        let touch = |other: [f32; 2]| {
            f32::touch([&[1.0], &[2.0]], &steps, [&[other[0]], &[other[1]]], until)
        };
        for touching in [[0.0, 1.0], [1.0, 1.0], [1.0, 2.0], [1.5, 1.5], [2.0, 2.0], [2.0, 9.0]] {
            assert_eq!(touch(touching), Some([0.0, until]), "{touching:?} until {until}");
        }
        for apart in [[-3.0, 0.5], [2.5, 9.0], [f32::MIN; 2], [f32::MAX; 2]] {
            assert_eq!(touch(apart), None, "{apart:?} until {until}");
        }
    }
}

#[test]
fn integer_contact_at_corners_is_exact() {
    let far = i32::MAX;
    let steps = [i32::step(0, far), i32::step(0, far - 1)];
    let touch =
        |x: i32, y: i32| i32::touch([&[0, 0]; 2], &steps, [&[0, y], &[x, far]], 1.0).is_some();
    // The point moves from (0, 0) to (far, far − 1); the box is [0, x] × [y, far]. At y = far −
    // 1 the point is at x = far; at y = far − 2 its x is slightly below far − 1.
    assert!(touch(far, far - 1) && !touch(far - 1, far - 1));
    assert!(touch(far - 1, far - 2) && !touch(far - 2, far - 2));
}
