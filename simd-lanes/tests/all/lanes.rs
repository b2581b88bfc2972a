//! Tests every operation of every backend against its definition, lane by lane, on edge cases and
//! on random bits.

use core::array::from_fn;
use core::cmp::Ordering;

use proptest::prelude::*;
use simd_lanes::{
    Backend, BackendKind, HitMask, Kernel, Keys, LANES, Lanes, Scalar, backend_tests,
};

/// The names and results of all operations. Floats are stored as bits; all NaN are equal.
type Results = Vec<(&'static str, [i32; LANES])>;

#[derive(Clone, Debug)]
struct Inputs {
    a: [i32; LANES],
    b: [i32; LANES],
    x: [f32; LANES],
    y: [f32; LANES],
    shift: u32,
    hits: HitMask,
}

fn bits(x: f32) -> i32 {
    if x.is_nan() { f32::NAN.to_bits() as i32 } else { x.to_bits() as i32 }
}

/// Keeps the first elements, one per hit, and replaces the unspecified rest with zeros.
fn front<T: Default>(packed: [T; LANES], hits: HitMask) -> [T; LANES] {
    let mut left = hits.count();
    packed.map(|value| {
        let counts = left > 0;
        left = left.saturating_sub(1);
        if counts { value } else { T::default() }
    })
}

/// Computes the results from the definitions in the documentation of `Lanes`.
fn expected(inputs: &Inputs) -> Results {
    let Inputs { a, b, x, y, shift, hits } = inputs.clone();
    let ints = |f: &dyn Fn(i32, i32) -> i32| -> [i32; LANES] { from_fn(|i| f(a[i], b[i])) };
    let floats = |f: &dyn Fn(f32, f32) -> f32| -> [i32; LANES] { from_fn(|i| bits(f(x[i], y[i]))) };
    let compared =
        |f: &dyn Fn(f32, f32) -> bool| -> [i32; LANES] { from_fn(|i| -i32::from(f(x[i], y[i]))) };
    let both_words: Vec<i32> = a.into_iter().chain(b).collect();
    let (mut packed, mut numbers) = ([0; LANES], [0; LANES]);
    for (place, lane) in (0..LANES).filter(|&lane| hits.contains(lane)).enumerate() {
        packed[place] = a[lane];
        numbers[place] = lane as i32;
    }
    let bits_of = |f: &dyn Fn(usize) -> bool| {
        let set = (0..LANES).filter(|&i| f(i)).map(|i| 1 << i).sum::<i32>();
        [set; LANES]
    };
    let mut results = vec![
        ("load", a),
        ("load_f32", x.map(|x| x.to_bits() as i32)),
        ("load_at", b),
        ("load_f32_at", y.map(|y| y.to_bits() as i32)),
        ("store_at", a),
        ("store_f32_at", x.map(|x| x.to_bits() as i32)),
        ("splat", [a[3]; LANES]),
        ("splat_f32", [x[3].to_bits() as i32; LANES]),
        ("eq", ints(&|a, b| -i32::from(a == b))),
        ("gt", ints(&|a, b| -i32::from(a > b))),
        ("eq_f32", compared(&|x, y| x == y)),
        ("gt_f32", compared(&|x, y| x > y)),
        ("ge_f32", compared(&|x, y| x >= y)),
        ("min", ints(&|a, b| a.min(b))),
        ("max", ints(&|a, b| a.max(b))),
        (
            "min_max_unsigned, min",
            ints(&|a, b| a.cast_unsigned().min(b.cast_unsigned()).cast_signed()),
        ),
        (
            "min_max_unsigned, max",
            ints(&|a, b| a.cast_unsigned().max(b.cast_unsigned()).cast_signed()),
        ),
        ("movemask", bits_of(&|i| a[i] > b[i])),
        ("movemask of f32", bits_of(&|i| x[i] > y[i])),
        (
            "movemask_of_four",
            [bits_of(&|i| a[i] > b[i])[0]
                | bits_of(&|i| x[i] > y[i])[0] << 8
                | bits_of(&|i| a[i] == b[i])[0] << 16
                | bits_of(&|i| x[i] >= y[i])[0] << 24; LANES],
        ),
        ("mask_and", from_fn(|i| -i32::from(a[i] > b[i] && x[i] > y[i]))),
        ("mask_or", from_fn(|i| -i32::from(a[i] > b[i] || x[i] > y[i]))),
        (
            "mask_and_not",
            from_fn(|i| {
                -i32::from(
                    a[i] > b[i] && !matches!(x[i].partial_cmp(&y[i]), Some(Ordering::Greater)),
                )
            }),
        ),
        ("select", from_fn(|i| if x[i] > y[i] { a[i] } else { b[i] })),
        ("select_f32", from_fn(|i| if a[i] > b[i] { x[i] } else { y[i] }.to_bits() as i32)),
        ("mask_to_i32", ints(&|a, b| if a > b { -1 } else { 0 })),
        ("add", ints(&i32::wrapping_add)),
        ("sub", ints(&i32::wrapping_sub)),
        ("and", ints(&|a, b| a & b)),
        ("or", ints(&|a, b| a | b)),
        ("xor", ints(&|a, b| a ^ b)),
        ("shl", a.map(|a| a.wrapping_shl(shift))),
        ("shr", a.map(|a| a.wrapping_shr(shift))),
        ("shr_logical", a.map(|a| (a as u32).wrapping_shr(shift) as i32)),
        ("add_f32", floats(&|x, y| x + y)),
        ("sub_f32", floats(&|x, y| x - y)),
        ("mul_f32", floats(&|x, y| x * y)),
        ("floor", x.map(|x| bits(x.floor()))),
        ("to_f32", a.map(|a| bits(a as f32))),
        ("to_i32", x.map(|x| x as i32)),
        (
            "truncate",
            x.map(|x| {
                if (-2_147_483_648.0..2_147_483_648.0).contains(&x) { x as i32 } else { i32::MIN }
            }),
        ),
        ("f32_to_bits", x.map(|x| x.to_bits() as i32)),
        ("f32_from_bits", a),
        ("deinterleave even", from_fn(|i| both_words[2 * i])),
        ("deinterleave odd", from_fn(|i| both_words[2 * i + 1])),
        ("interleave low", from_fn(|i| if i % 2 == 0 { a[i / 2] } else { b[i / 2] })),
        ("interleave high", from_fn(|i| if i % 2 == 0 { a[4 + i / 2] } else { b[4 + i / 2] })),
        ("compress", packed),
        ("lane_indices", numbers),
        ("lane_indices_twice", front(numbers.map(|lane| lane << 16 | lane), hits)),
        ("zip, first", packed),
        ("zip, second", front(numbers.map(|lane| lane.wrapping_add(b[3])), hits)),
        ("unzip and zip, first", a),
        ("unzip and zip, second", b),
    ];
    results.extend(a.map(|a| ("transpose", b.map(|b| a.wrapping_add(b)))));
    results
}

impl Kernel for &Inputs {
    type Output = Results;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Results {
        // Loads and stores at an odd offset, to test that no operation relies on alignment.
        let mut ints = [0; LANES + 1];
        ints[1..].copy_from_slice(&self.b);
        let mut floats = [0.0; LANES + 1];
        floats[1..].copy_from_slice(&self.y);
        let (a, b) = (l.load(&self.a), l.load_at(&ints, 1));
        let (x, y) = (l.load_f32(&self.x), l.load_f32_at(&floats, 1));
        let (m, n) = (l.gt(a, b), l.gt_f32(x, y));
        let raw = |v: [f32; LANES]| v.map(|x| x.to_bits() as i32);
        let float = |v: L::F| l.store_f32(v).map(bits);
        let truth = |m: L::M| l.store(l.mask_to_i32(m));
        let (even, odd) = l.deinterleave(a, b);
        let (low, high) = l.interleave(a, b);
        let lanes = l.add(l.lane_indices_for_zip(self.hits), l.splat(self.b[3]));
        let zipped = l.zip(l.compress_for_zip(a, self.hits), lanes);
        let both: [[u32; 2]; LANES] =
            from_fn(|i| [self.a[i].cast_unsigned(), self.b[i].cast_unsigned()]);
        let (first, second) = l.unzip(&both);
        let unzipped = l.zip(first, second);
        // Prefetch at indices inside and outside the slice: no index panics.
        for at in [0, LANES, LANES + 1, usize::MAX] {
            l.prefetch(&ints, at);
            l.prefetch_address(at);
        }
        l.store_at(a, &mut ints, 1);
        l.store_f32_at(x, &mut floats, 1);
        let mut results = vec![
            ("load", l.store(a)),
            ("load_f32", raw(l.store_f32(x))),
            ("load_at", l.store(b)),
            ("load_f32_at", raw(l.store_f32(y))),
            ("store_at", from_fn(|i| ints[i + 1])),
            ("store_f32_at", from_fn(|i| floats[i + 1].to_bits() as i32)),
            ("splat", l.store(l.splat(self.a[3]))),
            ("splat_f32", raw(l.store_f32(l.splat_f32(self.x[3])))),
            ("eq", truth(l.eq(a, b))),
            ("gt", truth(m)),
            ("eq_f32", truth(l.eq_f32(x, y))),
            ("gt_f32", truth(n)),
            ("ge_f32", truth(l.ge_f32(x, y))),
            ("min", l.store(l.min(a, b))),
            ("max", l.store(l.max(a, b))),
            ("min_max_unsigned, min", l.store(l.min_max_unsigned(a, b).0)),
            ("min_max_unsigned, max", l.store(l.min_max_unsigned(a, b).1)),
            ("movemask", [i32::from(l.movemask(m).0); LANES]),
            ("movemask of f32", [i32::from(l.movemask(n).0); LANES]),
            (
                "movemask_of_four",
                [l.movemask_of_four([m, n, l.eq(a, b), l.ge_f32(x, y)]) as i32; LANES],
            ),
            ("mask_and", truth(l.mask_and(m, n))),
            ("mask_or", truth(l.mask_or(m, n))),
            ("mask_and_not", truth(l.mask_and_not(m, n))),
            ("select", l.store(l.select(n, a, b))),
            ("select_f32", raw(l.store_f32(l.select_f32(m, x, y)))),
            ("mask_to_i32", l.store(l.mask_to_i32(m))),
            ("add", l.store(l.add(a, b))),
            ("sub", l.store(l.sub(a, b))),
            ("and", l.store(l.and(a, b))),
            ("or", l.store(l.or(a, b))),
            ("xor", l.store(l.xor(a, b))),
            ("shl", l.store(l.shl(a, self.shift))),
            ("shr", l.store(l.shr(a, self.shift))),
            ("shr_logical", l.store(l.shr_logical(a, self.shift))),
            ("add_f32", float(l.add_f32(x, y))),
            ("sub_f32", float(l.sub_f32(x, y))),
            ("mul_f32", float(l.mul_f32(x, y))),
            ("floor", float(l.floor(x))),
            ("to_f32", float(l.to_f32(a))),
            ("to_i32", l.store(l.to_i32(x))),
            ("truncate", l.store(l.truncate(x))),
            ("f32_to_bits", l.store(l.f32_to_bits(x))),
            ("f32_from_bits", raw(l.store_f32(l.f32_from_bits(a)))),
            ("deinterleave even", l.store(even)),
            ("deinterleave odd", l.store(odd)),
            ("interleave low", l.store(low)),
            ("interleave high", l.store(high)),
            ("compress", front(l.store(l.compress(a, self.hits)), self.hits)),
            ("lane_indices", front(l.store(l.lane_indices(self.hits)), self.hits)),
            ("lane_indices_twice", front(l.store(l.lane_indices_twice(self.hits)), self.hits)),
            ("zip, first", front(zipped.map(|[first, _]| first.cast_signed()), self.hits)),
            ("zip, second", front(zipped.map(|[_, second]| second.cast_signed()), self.hits)),
            ("unzip and zip, first", unzipped.map(|[first, _]| first.cast_signed())),
            ("unzip and zip, second", unzipped.map(|[_, second]| second.cast_signed())),
        ];
        let columns = l.transpose(self.b.map(|row| l.add(a, l.splat(row))));
        results.extend(columns.map(|column| ("transpose", l.store(column))));
        results
    }
}

/// Kernel that applies the mask operations to two masks, and to equal masks that were united with
/// themselves many times. A backend may implement unions by addition.
struct OfMasks<'a>(&'a Inputs);

impl Kernel for OfMasks<'_> {
    type Output = [Vec<[i32; LANES]>; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Self::Output {
        let Inputs { a, b, x, y, .. } = self.0;
        let (a, b, x, y) = (l.load(a), l.load(b), l.load_f32(x), l.load_f32(y));
        let plain = (l.gt(a, b), l.gt_f32(x, y));
        let mut many = plain;
        // Unite each mask with itself a different number of times. If a backend adds masks, the
        // sums then differ.
        for _ in 0..200 {
            many = (l.mask_or(many.0, plain.0), l.mask_or(many.1, l.mask_or(plain.1, plain.1)));
        }
        [plain, many].map(|(m, n)| {
            let bits = [m, n, l.mask_and_not(m, n), l.mask_or(l.mask_and_not(n, m), plain.0)];
            vec![
                [l.movemask_of_four(bits) as i32; LANES],
                bits.map(|mask| i32::from(l.movemask(mask).0)).repeat(2).try_into().expect("eight"),
                l.store(l.mask_to_i32(l.mask_or(m, n))),
                l.store(l.mask_to_i32(l.mask_and(m, n))),
                l.store(l.mask_to_i32(l.mask_and_not(m, n))),
                l.store(l.select(m, a, b)),
                l.store_f32(l.select_f32(n, x, y)).map(|x| x.to_bits() as i32),
            ]
        })
    }
}

fn check(backend: Backend, inputs: &Inputs) {
    for (ours, theirs) in backend.dispatch(inputs).into_iter().zip(expected(inputs)) {
        assert_eq!(ours, theirs, "{backend} on {inputs:?}");
    }
    let [plain, many] = backend.dispatch(OfMasks(inputs));
    assert_eq!(plain, many, "masks on {backend} of {inputs:?}");
}

const EDGE_INTS: [i32; 11] =
    [0, 1, -1, 2, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1, 0x0055_aa77, 1 << 24, -(1 << 23)];

const EDGE_FLOATS: [f32; 26] = [
    0.0,
    -0.0,
    0.3,
    -0.3,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -2.5,
    -2.0,
    8_388_607.5,
    -8_388_607.5,
    8_388_608.0,
    -8_388_609.0,
    2_147_483_520.0,
    2_147_483_648.0,
    -2_147_483_648.0,
    -2_147_483_904.0,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    f32::from_bits(1),
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

backend_tests! {
    /// Covers every pair of edge cases in every lane.
    fn operations_match_their_definitions_on_edge_cases(backend) {
        for first in 0..EDGE_INTS.len() * EDGE_FLOATS.len() {
            for step in 0..EDGE_FLOATS.len() {
                let inputs = Inputs {
                    a: from_fn(|i| EDGE_INTS[(first + i) % EDGE_INTS.len()]),
                    b: from_fn(|i| EDGE_INTS[(first + i + step) % EDGE_INTS.len()]),
                    x: from_fn(|i| EDGE_FLOATS[(first + i) % EDGE_FLOATS.len()]),
                    y: from_fn(|i| EDGE_FLOATS[(first + i + step) % EDGE_FLOATS.len()]),
                    shift: (first + step) as u32 % 67,
                    hits: HitMask((first * 7 + step) as u8),
                };
                check(backend, &inputs);
            }
        }
    }

    fn operations_match_their_definitions_on_random_bits(backend) {
        let float = any::<u32>().prop_map(f32::from_bits);
        let inputs = (
            prop::array::uniform8(any::<i32>()),
            prop::array::uniform8(any::<i32>()),
            prop::array::uniform8(float.clone()),
            prop::array::uniform8(float),
            any::<u32>(),
            any::<u8>(),
        );
        proptest!(ProptestConfig::with_cases(2_000), |((a, b, x, y, shift, hits) in inputs)| {
            check(backend, &Inputs { a, b, x, y, shift, hits: HitMask(hits) });
        });
    }
}

/// Kernel that moves the numbers of the lanes that hit to the front.
struct Compress<S>([S; LANES], HitMask);

impl<S: Scalar> Kernel for Compress<S> {
    type Output = [S; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [S; LANES] {
        front(S::compress(lanes, &self.0, self.1), self.1)
    }
}

fn check_compress<S: Scalar>(numbers: [S; LANES]) {
    for (backend, mask) in Backend::available().flat_map(|b| (0..=u8::MAX).map(move |m| (b, m))) {
        let hits = HitMask(mask);
        let mut expected = [S::ZERO; LANES];
        for (place, lane) in hits.into_iter().enumerate() {
            expected[place] = numbers[lane];
        }
        assert_eq!(backend.dispatch(Compress(numbers, hits)), expected, "{hits:?} on {backend}");
    }
}

#[test]
fn compress_works_for_all_number_types() {
    check_compress([1, -2, i32::MAX, i32::MIN, 5, 0, 7, 8]);
    check_compress([0.5, -1.5, f32::MAX, f32::MIN_POSITIVE, 1e-45, 0.0, 7.0, f32::INFINITY]);
    check_compress([0.5, -1.5, f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.0, 7.0, f64::INFINITY]);
}

#[test]
fn compress_works_for_every_mask() {
    for backend in Backend::available() {
        for mask in 0..=u8::MAX {
            let inputs = Inputs {
                a: [10, 20, 30, 40, 50, 60, 70, 80],
                b: [0; LANES],
                x: [0.0; LANES],
                y: [0.0; LANES],
                shift: 0,
                hits: HitMask(mask),
            };
            check(backend, &inputs);
        }
    }
}

/// Kernel that gathers from eight indices.
struct Gather<'a>(&'a [u32], [i32; LANES]);

impl Kernel for Gather<'_> {
    type Output = [i32; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [i32; LANES] {
        lanes.store(lanes.gather(self.0, lanes.load(&self.1)))
    }
}

backend_tests! {
    fn gather_reads_valid_indices_and_panics_at_others(backend) {
        for len in 0..20 {
            // The slice is part of a larger array, whose other elements must not be read.
            let all: [u32; 40] = from_fn(|i| (i as u32 + 3).wrapping_mul(0x9e37_79b9));
            let slice = &all[10..][..len as usize];
            let inside: [i32; LANES] = from_fn(|i| (i as i32 * 7 + 3) % len.max(1));
            if len > 0 {
                let gathered = backend.dispatch(Gather(slice, inside));
                assert_eq!(gathered, inside.map(|i| slice[i as usize].cast_signed()));
            }
            let far = [len, len + 1, i32::MAX - 1, i32::MAX, i32::MIN, i32::MIN + len, -1, len];
            for (lane, invalid) in far.into_iter().enumerate() {
                let mut indices = inside;
                indices[lane] = invalid;
                let gathered = || backend.dispatch(Gather(slice, indices));
                let panicked = std::panic::catch_unwind(gathered).is_err();
                assert!(panicked, "{backend} accepted index {invalid} of {len} in lane {lane}");
            }
        }
    }
}

/// Fails if a compiled backend does not run on this CPU, because its tests are skipped silently.
#[test]
fn every_compiled_backend_runs_here() {
    let allowed = std::env::var("HEXPHASE_ALLOW_MISSING").unwrap_or_default();
    for kind in BackendKind::ALL {
        let missing = Backend::new(kind) == Err(simd_lanes::BackendUnavailable::NotOnThisCpu(kind));
        assert!(
            !missing || allowed.split(',').any(|name| name == kind.name()),
            "{kind} is compiled but does not run on this cpu, so its tests were skipped; \
             set HEXPHASE_ALLOW_MISSING={kind} to accept this"
        );
    }
}
