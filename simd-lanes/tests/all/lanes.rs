//! Tests every operation of every backend against its definition, lane by lane, on edge cases and
//! on random bits.

use core::array::from_fn;

use proptest::prelude::*;
use simd_lanes::{
    Backend, BackendKind, HitMask, Kernel, Keys, LANES, Lanes, Scalar, backend_tests,
};

/// The name, the result and the expected result of an operation. Floats are stored as bits; all NaN
/// are equal.
type Row = (&'static str, [i32; LANES], [i32; LANES]);

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

/// Runs each operation, and computes the expected result from its documentation in `Lanes`.
impl Kernel for &Inputs {
    type Output = Vec<Row>;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Vec<Row> {
        let Inputs { a, b, x, y, shift, hits } = self.clone();
        // The definitions.
        let ints = |f: &dyn Fn(i32, i32) -> i32| -> [i32; LANES] { from_fn(|i| f(a[i], b[i])) };
        let floats =
            |f: &dyn Fn(f32, f32) -> f32| -> [i32; LANES] { from_fn(|i| bits(f(x[i], y[i]))) };
        let compared = |f: &dyn Fn(f32, f32) -> bool| -> [i32; LANES] {
            from_fn(|i| -i32::from(f(x[i], y[i])))
        };
        let raw = |v: [f32; LANES]| v.map(|x| x.to_bits() as i32);
        let both_words: Vec<i32> = a.into_iter().chain(b).collect();
        let (mut packed, mut numbers) = ([0; LANES], [0; LANES]);
        for (place, lane) in (0..LANES).filter(|&lane| hits.0 >> lane & 1 == 1).enumerate() {
            packed[place] = a[lane];
            numbers[place] = lane as i32;
        }
        let bits_of = |f: &dyn Fn(usize) -> bool| {
            let set = (0..LANES).filter(|&i| f(i)).map(|i| 1 << i).sum::<i32>();
            [set; LANES]
        };
        let (a_above, x_above) = (bits_of(&|i| a[i] > b[i]), bits_of(&|i| x[i] > y[i]));
        let (equal, x_from) = (bits_of(&|i| a[i] == b[i]), bits_of(&|i| x[i] >= y[i]));
        let four = a_above[0] | x_above[0] << 8 | equal[0] << 16 | x_from[0] << 24;
        let fits = |x: f32| (-2_147_483_648.0..2_147_483_648.0).contains(&x);

        // The operations. Loads and stores at an odd offset test that no operation relies on
        // alignment.
        let mut at_one = [0; LANES + 1];
        at_one[1..].copy_from_slice(&b);
        let (va, vb) = (l.load(&a), l.load_at(&at_one, 1));
        let (vx, vy) = (l.load_f32(&x), l.load_f32(&y));
        let (m, n) = (l.gt(va, vb), l.gt_f32(vx, vy));
        let int = |v: L::I| l.store(v);
        let float = |v: L::F| l.store_f32(v).map(bits);
        let truth = |m: L::M| l.store(l.mask_to_i32(m));
        let (even, odd) = l.deinterleave(va, vb);
        let (low, high) = l.interleave(va, vb);
        let (least, most) = l.min_max_unsigned(va, vb);
        let lanes = l.add(l.lane_indices_for_zip(hits), l.splat(b[3]));
        let zipped = l.zip(l.compress_for_zip(va, hits), lanes);
        let both: [[u32; 2]; LANES] = from_fn(|i| [a[i].cast_unsigned(), b[i].cast_unsigned()]);
        let (first, second) = l.unzip(&both);
        let unzipped = l.zip(first, second);
        // Prefetch at indices inside and outside the slice: no index panics.
        for at in [0, LANES, LANES + 1, usize::MAX] {
            l.prefetch(&at_one, at);
            l.prefetch_address(at);
        }
        let mut stored = at_one;
        l.store_at(va, &mut stored, 1);
        let side = |pairs: [[u32; 2]; LANES], n: usize| pairs.map(|pair| pair[n].cast_signed());
        let mut rows = vec![
            ("load", int(va), a),
            ("load_f32", raw(l.store_f32(vx)), raw(x)),
            ("load_at", int(vb), b),
            ("store_at", from_fn(|i| stored[i + 1]), a),
            ("splat", int(l.splat(a[3])), [a[3]; LANES]),
            ("splat_f32", raw(l.store_f32(l.splat_f32(x[3]))), raw([x[3]; LANES])),
            ("eq", truth(l.eq(va, vb)), ints(&|a, b| -i32::from(a == b))),
            ("gt", truth(m), ints(&|a, b| -i32::from(a > b))),
            ("eq_f32", truth(l.eq_f32(vx, vy)), compared(&|x, y| x == y)),
            ("gt_f32", truth(n), compared(&|x, y| x > y)),
            ("ge_f32", truth(l.ge_f32(vx, vy)), compared(&|x, y| x >= y)),
            ("min", int(l.min(va, vb)), ints(&i32::min)),
            ("max", int(l.max(va, vb)), ints(&i32::max)),
            ("least", int(least), ints(&|a, b| (a as u32).min(b as u32) as i32)),
            ("most", int(most), ints(&|a, b| (a as u32).max(b as u32) as i32)),
            ("movemask", [i32::from(l.movemask(m).0); LANES], a_above),
            ("movemask of f32", [i32::from(l.movemask(n).0); LANES], x_above),
            (
                "movemask_of_four",
                [l.movemask_of_four([m, n, l.eq(va, vb), l.ge_f32(vx, vy)]) as i32; LANES],
                [four; LANES],
            ),
            (
                "mask_and",
                truth(l.mask_and(m, n)),
                from_fn(|i| -i32::from(a[i] > b[i] && x[i] > y[i])),
            ),
            (
                "mask_or",
                truth(l.mask_or(m, n)),
                from_fn(|i| -i32::from(a[i] > b[i] || x[i] > y[i])),
            ),
            (
                "mask_and_not",
                truth(l.mask_and_not(m, n)),
                from_fn(|i| -i32::from(a_above[0] & !x_above[0] & 1 << i != 0)),
            ),
            (
                "select",
                int(l.select(n, va, vb)),
                from_fn(|i| if x[i] > y[i] { a[i] } else { b[i] }),
            ),
            (
                "select_f32",
                raw(l.store_f32(l.select_f32(m, vx, vy))),
                raw(from_fn(|i| if a[i] > b[i] { x[i] } else { y[i] })),
            ),
            ("add", int(l.add(va, vb)), ints(&i32::wrapping_add)),
            ("sub", int(l.sub(va, vb)), ints(&i32::wrapping_sub)),
            ("and", int(l.and(va, vb)), ints(&|a, b| a & b)),
            ("or", int(l.or(va, vb)), ints(&|a, b| a | b)),
            ("xor", int(l.xor(va, vb)), ints(&|a, b| a ^ b)),
            ("shl", int(l.shl(va, shift)), a.map(|a| a.wrapping_shl(shift))),
            ("shr", int(l.shr(va, shift)), a.map(|a| a.wrapping_shr(shift))),
            (
                "shr_logical",
                int(l.shr_logical(va, shift)),
                a.map(|a| (a as u32).wrapping_shr(shift) as i32),
            ),
            ("add_f32", float(l.add_f32(vx, vy)), floats(&|x, y| x + y)),
            ("sub_f32", float(l.sub_f32(vx, vy)), floats(&|x, y| x - y)),
            ("mul_f32", float(l.mul_f32(vx, vy)), floats(&|x, y| x * y)),
            ("floor", float(l.floor(vx)), x.map(|x| bits(x.floor()))),
            ("to_f32", float(l.to_f32(va)), a.map(|a| bits(a as f32))),
            ("truncate", int(l.truncate(vx)), x.map(|x| if fits(x) { x as i32 } else { i32::MIN })),
            ("f32_to_bits", int(l.f32_to_bits(vx)), raw(x)),
            ("f32_from_bits", raw(l.store_f32(l.f32_from_bits(va))), a),
            ("deinterleave even", int(even), from_fn(|i| both_words[2 * i])),
            ("deinterleave odd", int(odd), from_fn(|i| both_words[2 * i + 1])),
            ("interleave low", int(low), from_fn(|i| [a, b][i % 2][i / 2])),
            ("interleave high", int(high), from_fn(|i| [a, b][i % 2][4 + i / 2])),
            ("compress", front(int(l.compress(va, hits)), hits), packed),
            ("lane_indices", front(int(l.lane_indices(hits)), hits), numbers),
            (
                "lane_indices_twice",
                front(int(l.lane_indices_twice(hits)), hits),
                numbers.map(|lane| lane << 16 | lane),
            ),
            ("zip, first", front(side(zipped, 0), hits), packed),
            (
                "zip, second",
                front(side(zipped, 1), hits),
                front(numbers.map(|lane| lane.wrapping_add(b[3])), hits),
            ),
            ("unzip and zip, first", side(unzipped, 0), a),
            ("unzip and zip, second", side(unzipped, 1), b),
        ];
        let columns = l.transpose(b.map(|row| l.add(va, l.splat(row))));
        let sums = a.map(|a| b.map(|b| a.wrapping_add(b)));
        rows.extend(columns.into_iter().zip(sums).map(|(got, sum)| ("transpose", int(got), sum)));
        rows
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
    for (name, result, expected) in backend.dispatch(inputs) {
        assert_eq!(result, expected, "{name} on {backend} of {inputs:?}");
    }
    let [plain, many] = backend.dispatch(OfMasks(inputs));
    assert_eq!(plain, many, "masks on {backend} of {inputs:?}");
}

const EDGE_INTS: [i32; 11] =
    [0, 1, -1, 2, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1, 0x0055_aa77, 1 << 24, -(1 << 23)];

/// Returns numbers at the ends of ranges, each with its negative, and NaN.
fn edge_floats() -> Vec<f32> {
    // From 2^23 on all floats are integers; 2^31 is the end of the range of `i32`.
    let (far, end) = (8_388_608.0f32, 2_147_483_648.0f32);
    let small = [0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5, f32::MIN_POSITIVE, f32::from_bits(1)];
    let large = [far - 0.5, far, far + 1.0, end.next_down(), end, end.next_up()];
    let all = small.into_iter().chain(large).chain([f32::MAX, f32::INFINITY]);
    all.flat_map(|x| [x, -x]).chain([f32::NAN]).collect()
}

backend_tests! {
    /// Covers every pair of edge cases in every lane.
    fn operations_match_their_definitions_on_edge_cases(backend) {
        let floats = edge_floats();
        for first in 0..EDGE_INTS.len() * floats.len() {
            for step in 0..floats.len() {
                let inputs = Inputs {
                    a: from_fn(|i| EDGE_INTS[(first + i) % EDGE_INTS.len()]),
                    b: from_fn(|i| EDGE_INTS[(first + i + step) % EDGE_INTS.len()]),
                    x: from_fn(|i| floats[(first + i) % floats.len()]),
                    y: from_fn(|i| floats[(first + i + step) % floats.len()]),
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
