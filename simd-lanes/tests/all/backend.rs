//! Tests of the choice of a backend, and of the order-preserving keys of numbers.

use proptest::prelude::*;
use simd_lanes::{
    Backend, BackendKind, BackendUnavailable, HitMask, Kernel, Keys, LANES, LaneKeys, Lanes, Scalar,
};

#[test]
fn backend_names_parse_and_print() {
    for backend in Backend::available() {
        assert_eq!(backend.to_string().parse(), Ok(backend));
    }
    assert_eq!("neon".parse::<Backend>(), Err(BackendUnavailable::UnknownName));
    let why = BackendUnavailable::NotOnThisCpu(BackendKind::Avx2);
    assert_eq!(why.to_string(), "backend avx2 does not run on this cpu");
}

#[test]
fn available_backends_start_with_scalar_and_end_with_the_detected_one() {
    assert_eq!(Backend::available().next(), Some(Backend::SCALAR));
    assert_eq!(Backend::available().last(), Some(Backend::detect()));
    assert!(Backend::available().skip(1).all(|backend| backend != Backend::SCALAR));
}

#[test]
fn backends_are_compiled_by_feature() {
    let compiled = |kind| !matches!(Backend::new(kind), Err(BackendUnavailable::NotCompiled(_)));
    let pulp = cfg!(all(feature = "pulp", target_arch = "x86_64"));
    assert!(compiled(BackendKind::Scalar));
    assert_eq!(compiled(BackendKind::Wide), cfg!(feature = "wide"));
    assert_eq!(compiled(BackendKind::Sse41), pulp);
    assert_eq!(compiled(BackendKind::Avx2), pulp);
}

#[test]
fn hit_masks_of_the_first_and_the_last_lanes() {
    for lanes in 0..=9 {
        let first: Vec<usize> = HitMask::first(lanes).into_iter().collect();
        assert_eq!(first, (0..lanes.min(8)).collect::<Vec<_>>());
        let rest: Vec<usize> = HitMask::from(lanes).into_iter().collect();
        assert_eq!(rest, (lanes.min(8)..8).collect::<Vec<_>>());
    }
}

fn finite_f32() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite())
}

fn finite_f64() -> impl Strategy<Value = f64> {
    let any = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite());
    // Generate the edge cases of outward rounding: each number equals an `f32`, or is the next
    // `f64` below or above an `f32`. An equal number must stay unchanged; an adjacent number must
    // not round to that `f32` in both directions.
    let near = (finite_f32(), -1..=1).prop_map(|(x, step)| match step {
        -1 => f64::from(x).next_down(),
        1 => f64::from(x).next_up(),
        _ => f64::from(x),
    });
    prop_oneof![any, near]
}

/// Kernel that returns the keys of eight intervals, and whether each interval is invalid. An
/// interval is invalid if its lane of `invalid` is set or one of its keys is out of range.
struct KeysOf<S>([S; LANES], [S; LANES]);

impl<S: Scalar> Kernel for KeysOf<S> {
    type Output = ([i32; LANES], [i32; LANES], [bool; LANES]);

    fn run<L: Lanes>(mut self, lanes: L) -> Self::Output {
        let LaneKeys { low, high, invalid, .. } = S::lane_keys(lanes, &mut self.0, &mut self.1);
        let (low, high) = (lanes.store(low), lanes.store(high));
        let keys = S::MIN_KEY..=S::MAX_KEY;
        let is_beyond = |lane: usize| !(keys.contains(&low[lane]) && keys.contains(&high[lane]));
        let invalid = lanes.movemask(invalid).0;
        (low, high, core::array::from_fn(|lane| invalid >> lane & 1 == 1 || is_beyond(lane)))
    }
}

/// Checks keys and validity for intervals between all pairs of the given numbers.
fn check_keys_and_validity<S: Scalar>(ends: &[S]) {
    let all: Vec<[S; 2]> = ends.iter().flat_map(|&a| ends.iter().map(move |&b| [a, b])).collect();
    for (backend, eight) in
        Backend::available().flat_map(|on| all.windows(LANES).map(move |e| (on, e)))
    {
        let end = |which: usize| core::array::from_fn(|lane| eight[lane][which]);
        let (low, high, invalid) = backend.dispatch(KeysOf(end(0), end(1)));
        for (lane, &[min, max]) in eight.iter().enumerate() {
            let valid = min.is_finite() && max.is_finite() && min <= max;
            assert_eq!(invalid[lane], !valid, "{min:?} to {max:?} on {backend}");
            let keys = [min.canonical().key_below(), max.canonical().key_above()];
            assert!(!valid || [low[lane], high[lane]] == keys, "{min:?} to {max:?} on {backend}");
        }
    }
}

#[test]
fn lane_keys_detect_invalid_intervals() {
    let f32s = [f32::NAN, -f32::NAN, f32::INFINITY, f32::MAX, 1.5, 0.0, -0.0, -1.0e-40, -2.0];
    let f32s = [&f32s[..], &[f32::MIN, f32::NEG_INFINITY]].concat();
    check_keys_and_validity(&f32s);
    let f64s = f32s.iter().map(|&x| f64::from(x)).chain([1.0e-300, 0.1, 3.0e38]);
    check_keys_and_validity(&f64s.collect::<Vec<_>>());
    check_keys_and_validity(&[i32::MIN, i32::MIN + 1, -7, 0, 3, i32::MAX]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn keys_of_f32_sort_like_the_numbers(x in finite_f32(), y in finite_f32()) {
        let (x, y) = (x.canonical(), y.canonical());
        prop_assert_eq!(x.partial_cmp(&y), x.key_below().partial_cmp(&y.key_below()));
        prop_assert_eq!(x.key_below(), x.key_above());
        prop_assert_eq!(f32::from_key(x.key_below()).to_bits(), x.to_bits());
        prop_assert!(x.next_below() < x && x < x.next_above());
    }

    #[test]
    fn keys_of_f64_enclose_the_number(x in finite_f64(), y in finite_f64()) {
        let (x, y) = (x.canonical(), y.canonical());
        prop_assert!(x.key_below() <= x.key_above());
        // The two keys are equal or adjacent, or only the unused key of −0 is between them.
        prop_assert!(x.key_above() - x.key_below() <= 2);
        // Intervals that overlap as numbers overlap as keys.
        if x <= y {
            prop_assert!(x.key_below() <= y.key_above());
        }
        if f64::from(x as f32) == x {
            prop_assert_eq!(x.key_below(), (x as f32).key_below());
            prop_assert_eq!(x.key_above(), (x as f32).key_above());
        }
    }

    #[test]
    fn integer_arithmetic_saturates(a in any::<i32>(), b in any::<i32>()) {
        prop_assert_eq!(Scalar::plus(a, b), a.saturating_add(b));
        prop_assert_eq!(Scalar::minus(a, b), a.saturating_sub(b));
        prop_assert_eq!((a.next_below(), a.next_above()), (a.saturating_sub(1), a.saturating_add(1)));
        let (low, high) = (a.min(b), a.max(b));
        let middle = i64::from(low.middle(high));
        prop_assert_eq!(middle, (i64::from(low) + i64::from(high)) / 2);
        let half = i64::from(low.half_way(high));
        let exact = i64::from(high) - i64::from(low);
        prop_assert!(half * 2 >= exact.min(2 * i64::from(i32::MAX)) && half * 2 <= exact + 1);
    }

    #[test]
    fn i32_from_f64_rounds_to_nearest(x in -3e9..3e9f64, halves in any::<i32>()) {
        for x in [x, f64::from(halves) * 0.5, f64::from(halves >> 20) * 0.5, 1e300, f64::NAN] {
            // The conversion of floats saturates, and converts NaN to 0.
            prop_assert_eq!(i32::from_f64(x), x.round_ties_even() as i32);
        }
    }
}

#[test]
fn both_zeros_have_the_same_key() {
    assert_eq!((-0.0f32).canonical().to_bits(), 0);
    assert_eq!((-0.0f64).canonical().to_bits(), 0);
    // An f64 just below 0 rounds up to −0, whose key must be that of 0.
    assert_eq!((-1e-300f64).key_above(), 0);
    assert_eq!(1e-300f64.key_below(), 0);
}
