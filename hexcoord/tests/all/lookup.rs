//! Tests of the conversion of points to cells against the definition, mostly at borders.

use crate::geometry::{cells_at, greatest_cell_at, spread};
use crate::random::{Fnv, Random};
use hexcoord::{Grid, Hex, Layout, Orientation, Point, hex};
use simd_lanes::backend_tests;

/// Returns a random point near the origin or anywhere in `i32`, often within two units of an edge
/// or a vertex.
fn point(random: &mut Random, size: i64) -> Point {
    let far = random.once_in(4);
    let any = |random: &mut Random| {
        if far { i64::from(random.any()) } else { random.between(-40 * size, 40 * size) }
    };
    let (a, b) = (any(random), any(random));
    let (mut a, mut b) = (a.div_euclid(size) * size, b.div_euclid(size) * size);
    let corners = [[2, -1], [1, 1], [-1, 2], [-2, 1], [-1, -1], [1, -2]];
    let side = random.between(0, 5) as usize;
    let ([xa, xb], [ya, yb]) = (corners[side], corners[(side + 1) % 6]);
    match random.between(0, 3) {
        0 => (a, b) = (a + random.between(0, size - 1), b + random.between(0, size - 1)),
        1 => (a, b) = (a + xa * size / 3, b + xb * size / 3),
        _ => {
            let t = random.between(0, size);
            a += (xa * (size - t) + ya * t) / 3;
            b += (xb * (size - t) + yb * t) / 3;
        }
    }
    a += random.between(-1, 1);
    b += random.between(-1, 1);
    Point::new(a as i32, b as i32)
}

#[test]
fn all_lookups_match_definition() {
    let mut random = Random::new(1);
    let (mut near_border, mut on_border) = (0, 0);
    const CASES: usize = 1_000_000;
    for case in 0..CASES {
        let shift = if case % 2 == 0 { 9 } else { random.between(0, 29) as u32 };
        let grid = Grid::new(shift);
        let size = i64::from(grid.cell_size());
        let p = point(&mut random, size);
        let holding = cells_at(p.a.into(), p.b.into(), size);
        let expected = *holding.last().expect("hexagons cover the plane");
        assert_eq!(grid.cell(p), expected, "{p} of 2^{shift}");
        assert_eq!(grid.cell_by_bit_set(p), expected, "{p} of 2^{shift}");
        // Check each candidate separately.
        let floor = grid.floor(p);
        for (bit, step) in [hex(0, 0), hex(0, 1), hex(1, 0), hex(1, 1)].into_iter().enumerate() {
            let is_holding = holding.contains(&(floor + step));
            assert_eq!(grid.candidates(p) >> bit & 1 == 1, is_holding, "{p}");
        }
        assert_eq!(
            grid.candidates(p).count_ones() as usize,
            holding.len(),
            "only candidates contain the point"
        );
        let [q, r] = [expected.q, expected.r].map(i64::from);
        let depth = size - spread(i64::from(p.a) - q * size, i64::from(p.b) - r * size);
        near_border += usize::from(depth <= 2);
        on_border += usize::from(holding.len() > 1);
    }
    println!(
        "{CASES} points, {:.1} % within 2 units of a border, {:.1} % on a border",
        near_border as f64 * 100.0 / CASES as f64,
        on_border as f64 * 100.0 / CASES as f64
    );
    assert!(near_border * 4 >= CASES, "too few points near borders: {near_border}");
}

#[test]
fn lookup_is_exact_at_the_ends_of_i32() {
    let ends = [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX];
    for shift in 0..=29 {
        let grid = Grid::new(shift);
        let size = grid.cell_size();
        let around = |x: i32| {
            [x, x.wrapping_sub(size / 2), x.wrapping_add(size / 2), x.wrapping_add(size / 3)]
        };
        for a in ends.into_iter().flat_map(around) {
            for b in ends.into_iter().flat_map(around) {
                let p = Point::new(a, b);
                let expected = greatest_cell_at(a.into(), b.into(), size.into());
                assert_eq!(grid.cell(p), expected, "{p} of 2^{shift}");
                assert_eq!(grid.cell_by_bit_set(p), expected, "{p} of 2^{shift}");
            }
        }
    }
}

#[test]
fn footprint_matches_definition() {
    let mut random = Random::new(2);
    let mut touching = 0;
    for _ in 0..200_000 {
        let grid = Grid::new(random.between(2, 12) as u32);
        let size = i64::from(grid.cell_size());
        let near = if random.once_in(3) { 2 * size } else { size };
        let center = hex(random.between(-9, 9) as i32, random.between(-9, 9) as i32);
        // Test offsets up to twice the cell size: overlapped cells are at most that far away.
        let offset = point(&mut random, near);
        let offset = [i64::from(offset.a) % near, i64::from(offset.b) % near];
        let p = grid.center(center) + Point::new(offset[0] as i32, offset[1] as i32);
        let overlaps = |cell: &Hex| {
            let middle = grid.center(*cell);
            spread(i64::from(p.a - middle.a), i64::from(p.b - middle.b)) <= 2 * size
        };
        let mut expected: Vec<_> = grid.cell(p).range(4).filter(overlaps).collect();
        let mut found: Vec<_> = grid.overlapped(p).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{p}");
        assert!((4..=7).contains(&found.len()));
        touching += usize::from(found.len() > 4);
    }
    assert!(touching > 20_000, "too few hexagons that touch: {touching}");
}

/// Returns the cell of a float point, by testing all cells nearby, in multiples of 2^-40.
fn float_cell_by_definition(a: f64, b: f64) -> Hex {
    let [a, b] = [a, b].map(|x| (x * (1u64 << 40) as f64) as i64);
    greatest_cell_at(a, b, 1 << 40)
}

/// Returns a random float point near a border: a dyadic number or one of its adjacent floats.
fn float_point(random: &mut Random) -> Point<f32> {
    let coarse = point(random, 512);
    let nudge = |random: &mut Random, x: f32| match random.between(0, 4) {
        0 => x.next_up(),
        1 => x.next_down(),
        2 => x + random.between(-9, 9) as f32 / 16_777_216.0,
        _ => x,
    };
    let (a, b) = ((coarse.a % 20_000) as f32 / 512.0, (coarse.b % 20_000) as f32 / 512.0);
    Point::new(nudge(random, a), nudge(random, b))
}

#[test]
fn float_lookup_matches_definition() {
    let mut random = Random::new(3);
    let mut checked = 0;
    for _ in 0..1_000_000 {
        let p = float_point(&mut random);
        let wide = Point::new(f64::from(p.a), f64::from(p.b));
        // Use only multiples of 2^-40 whose fractions are exact in f32.
        let exact = |x: f32| {
            let scaled = f64::from(x) * (1u64 << 40) as f64;
            scaled == scaled.trunc()
                && f64::from(x - x.floor()) == f64::from(x) - f64::from(x).floor()
        };
        if exact(p.a) && exact(p.b) {
            checked += 1;
            assert_eq!(p.cell(), float_cell_by_definition(wide.a, wide.b), "{p:?}");
            assert_eq!(p.cell(), wide.cell(), "{p:?}");
        }
    }
    assert!(checked > 700_000, "too few points: {checked}");
    // Fixed-point and float lookups agree.
    let grid = Grid::new(9);
    for _ in 0..100_000 {
        let p = point(&mut random, 512);
        let small = Point::new(p.a % 1_000_000, p.b % 1_000_000);
        let float = Point::new(small.a as f32 / 512.0, small.b as f32 / 512.0);
        assert_eq!(float.cell(), grid.cell(small), "{small}");
    }
}

#[test]
fn special_floats_have_defined_cells() {
    let cell = |a: f32, b: f32| Point::new(a, b).cell();
    let outside = i32::MIN;
    assert_eq!(cell(f32::NAN, f32::NAN), hex(outside, outside));
    assert_eq!(cell(f32::NAN, 5.2), hex(outside, 5));
    assert_eq!(cell(f32::INFINITY, f32::NEG_INFINITY), hex(outside, outside));
    assert_eq!(cell(1e20, -1e20), hex(outside, outside));
    assert_eq!(cell(-0.0, -0.0), hex(0, 0));
    assert_eq!(cell(-1e-30, -1e-30), hex(0, 0));
    assert_eq!(cell(8_388_607.0, -8_388_609.0), hex(8_388_607, -8_388_609));
    assert_eq!(cell(4_194_304.5, 0.0), hex(4_194_305, 0), "an edge beyond 2^22");
    assert_eq!(Point::new(f64::NAN, 1e300).cell(), hex(outside, outside));
    assert_eq!(Point::new(2_147_483_646.7f64, -2_147_483_647.6).cell(), hex(i32::MAX, i32::MIN));
}

/// Returns random points for batches: near borders, anywhere, and special values.
fn floats(random: &mut Random, n: usize) -> Vec<Point<f32>> {
    const SPECIAL: [f32; 10] = [
        0.0,
        -0.0,
        1e-40,
        -1e-40,
        3e9,
        -3e9,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        8_388_607.5,
    ];
    let mut one = |i: usize| {
        let p = float_point(random);
        let pick = |random: &mut Random| SPECIAL[random.between(0, 9) as usize];
        match i % 7 {
            0 => Point::new(pick(random), p.b),
            1 => Point::new(pick(random), pick(random)),
            2 => Point::new(random.any() as f32, p.b * 1e4),
            3 => {
                Point::new(f32::from_bits(random.any() as u32), f32::from_bits(random.any() as u32))
            }
            _ => p,
        }
    };
    (0..n).map(&mut one).collect()
}

backend_tests! {
    fn batches_match_single_lookups_at_every_length(backend) {
        let mut random = Random::new(4);
        let layouts = [
            Layout::new(Orientation::Pointy, 32.0),
            Layout::try_new(Orientation::Flat, [0.7, -1.3], [5.5, -3.25]).expect("valid"),
        ];
        for n in (0..=40).chain([1000, 4093]) {
            let grid = Grid::new(random.between(0, 29) as u32);
            let size = i64::from(grid.cell_size());
            let points: Vec<_> = (0..n).map(|_| point(&mut random, size)).collect();
            let expected: Vec<_> = points.iter().map(|&p| grid.cell(p)).collect();
            let a: Vec<_> = points.iter().map(|p| p.a).collect();
            let b: Vec<_> = points.iter().map(|p| p.b).collect();
            let mut cells = vec![hex(7, 7); n];
            grid.cells_on(backend, &a, &b, &mut cells);
            assert_eq!(cells, expected);

            let points = floats(&mut random, n);
            let a: Vec<_> = points.iter().map(|p| p.a).collect();
            let b: Vec<_> = points.iter().map(|p| p.b).collect();
            let pairs: Vec<[f32; 2]> = points.iter().map(|&p| p.into()).collect();
            for layout in layouts {
                let expected: Vec<_> = pairs.iter().map(|&p| layout.cell(p)).collect();
                layout.cells_on(backend, &a, &b, &mut cells);
                assert_eq!(cells, expected);
            }
        }
    }

    fn four_million_lookups_match_the_golden_hash(backend) {
        /// Hashes of fixed-point, float and Cartesian lookups.
        const GOLDEN: [u64; 3] =
            [6_532_758_500_090_333_261, 7_574_628_552_293_195_410, 6_083_510_193_625_274_619];
        const N: usize = 4_000_000;
        let mut random = Random::new(5);
        let a: Vec<_> = (0..N).map(|_| random.any()).collect();
        let b: Vec<_> = (0..N).map(|_| random.any()).collect();
        let mut cells = vec![Hex::ORIGIN; N];
        let hash = |cells: &[Hex]| {
            let mut hash = Fnv::new();
            for cell in cells {
                hash.add(cell.q);
                hash.add(cell.r);
            }
            hash.0
        };
        Grid::new(9).cells_on(backend, &a, &b, &mut cells);
        let fixed = hash(&cells);
        // Use multiples of a quarter of a cell, so that many points are on borders.
        let quarters = |n: &i32| (n >> 12) as f32 / 4.0;
        let (x, y): (Vec<_>, Vec<_>) =
            (a.iter().map(quarters).collect(), b.iter().map(quarters).collect());
        for (cell, (&a, &b)) in cells.iter_mut().zip(x.iter().zip(&y)) {
            *cell = Point::new(a, b).cell();
        }
        let float = hash(&cells);
        Layout::new(Orientation::Flat, 1.5).cells_on(backend, &x, &y, &mut cells);
        assert_eq!([fixed, float, hash(&cells)], GOLDEN);
    }
}

#[test]
#[should_panic(expected = "slices differ in length")]
fn slices_of_different_length_panic() {
    Grid::new(9).cells(&[1, 2, 3], &[1, 2, 3], &mut [Hex::ORIGIN; 2]);
}
