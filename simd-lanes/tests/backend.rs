//! Choosing a backend, and the numbers' keys.

use proptest::prelude::*;
use simd_lanes::testing::ran_on;
use simd_lanes::{Backend, BackendKind, BackendUnavailable, HitMask, Scalar};

#[test]
fn a_backend_runs_the_lanes_it_names() {
    for backend in Backend::available() {
        assert_eq!(ran_on(backend), backend.kind());
    }
}

#[test]
fn names_parse_and_print_alike() {
    for backend in Backend::available() {
        assert_eq!(backend.to_string().parse(), Ok(backend));
    }
    assert_eq!("neon".parse::<Backend>(), Err(BackendUnavailable::UnknownName));
}

#[test]
fn scalar_comes_first_and_the_detected_one_last() {
    assert_eq!(Backend::available().next(), Some(Backend::SCALAR));
    assert_eq!(Backend::available().last(), Some(Backend::detect()));
}

#[test]
fn features_decide_what_is_compiled() {
    let compiled = |kind| !matches!(Backend::new(kind), Err(BackendUnavailable::NotCompiled(_)));
    let pulp = cfg!(all(feature = "pulp", target_arch = "x86_64"));
    assert!(compiled(BackendKind::Scalar));
    assert_eq!(compiled(BackendKind::Wide), cfg!(feature = "wide"));
    assert_eq!(compiled(BackendKind::Sse41), pulp);
    assert_eq!(compiled(BackendKind::Avx2), pulp);
}

#[test]
fn errors_say_what_is_missing() {
    for why in [
        BackendUnavailable::UnknownName,
        BackendUnavailable::NotCompiled(BackendKind::Wide),
        BackendUnavailable::NotOnThisCpu(BackendKind::Avx2),
    ] {
        assert!(!why.to_string().is_empty());
    }
    let why = BackendUnavailable::NotOnThisCpu(BackendKind::Avx2);
    assert_eq!(why.to_string(), "backend avx2 does not run on this cpu");
}

#[test]
fn masks_of_the_first_and_the_last_lanes() {
    for lanes in 0..=9 {
        let first: Vec<usize> = HitMask::first(lanes).into_iter().collect();
        assert_eq!(first, (0..lanes.min(8)).collect::<Vec<_>>());
        let rest: Vec<usize> = HitMask::from(lanes).into_iter().collect();
        assert_eq!(rest, (lanes.min(8)..8).collect::<Vec<_>>());
        assert!((0..9).all(|lane| HitMask::first(lanes).contains(lane) == (lane < lanes.min(8))));
    }
}

fn finite_f32() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite())
}

fn finite_f64() -> impl Strategy<Value = f64> {
    let any = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite());
    // Numbers that are, or are next to, an f32, where rounding has to decide.
    let near = (finite_f32(), -1..=1).prop_map(|(x, step)| match step {
        -1 => f64::from(x).next_down(),
        1 => f64::from(x).next_up(),
        _ => f64::from(x),
    });
    prop_oneof![any, near]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn keys_of_f32_sort_like_the_numbers(x in finite_f32(), y in finite_f32()) {
        let (x, y) = (x.canonical(), y.canonical());
        prop_assert_eq!(x.partial_cmp(&y), x.key_below().partial_cmp(&y.key_below()));
        prop_assert_eq!(x.key_below(), x.key_above());
        prop_assert_eq!(f32::of_key(x.key_below()).to_bits(), x.to_bits());
        prop_assert!(x.next_below() < x && x < x.next_above());
    }

    #[test]
    fn keys_of_f64_enclose_the_number(x in finite_f64(), y in finite_f64()) {
        let (x, y) = (x.canonical(), y.canonical());
        prop_assert!(x.key_below() <= x.key_above());
        // Neighbours, or with the unused key of −0 between them.
        prop_assert!(x.key_above() - x.key_below() <= 2);
        // Whatever overlaps as numbers overlaps as keys.
        if x <= y {
            prop_assert!(x.key_below() <= y.key_above());
        }
        if f64::from(x as f32) == x {
            prop_assert_eq!(x.key_below(), (x as f32).key_below());
            prop_assert_eq!(x.key_above(), (x as f32).key_above());
        }
    }

    #[test]
    fn integers_stop_at_their_ends(a in any::<i32>(), b in any::<i32>()) {
        prop_assert_eq!(Scalar::plus(a, b), a.saturating_add(b));
        prop_assert_eq!(Scalar::minus(a, b), a.saturating_sub(b));
        let (low, high) = (a.min(b), a.max(b));
        let middle = i64::from(low.middle(high));
        prop_assert_eq!(middle, (i64::from(low) + i64::from(high)) / 2);
        let half = i64::from(low.half_way(high));
        let exact = i64::from(high) - i64::from(low);
        prop_assert!(half * 2 >= exact.min(2 * i64::from(i32::MAX)) && half * 2 <= exact + 1);
    }

    #[test]
    fn integers_round_to_nearest_even(x in -3e9..3e9f64) {
        let expected = x.round_ties_even().clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32;
        prop_assert_eq!(i32::from_f64(x), expected);
    }
}

#[test]
fn rounding_to_integers_breaks_ties_to_even() {
    for (x, n) in [(0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (1e300, i32::MAX)] {
        assert_eq!(i32::from_f64(x), n, "{x}");
    }
    assert_eq!(i32::from_f64(f64::NAN), 0);
}

#[test]
fn both_zeros_have_one_key() {
    assert_eq!((-0.0f32).canonical().to_bits(), 0);
    assert_eq!((-0.0f64).canonical().to_bits(), 0);
    // The f64 just below 0 rounds up to a zero, which must not become the key of −0.
    assert_eq!((-1e-300f64).key_above(), 0);
    assert_eq!(1e-300f64.key_below(), 0);
}
