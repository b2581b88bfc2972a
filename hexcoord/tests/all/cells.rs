//! Tests of cells: arithmetic, distances, rotations, groups of cells and offset coordinates.

use alloc::collections::BTreeSet;

use hexcoord::{Angle, Diagonal, Direction, Hex, Offset, Wraparound, hex};
use proptest::prelude::*;

/// Generates cells near the origin, arbitrary cells, and cells at the ends of `i32`.
fn cells() -> impl Strategy<Value = Hex> {
    let small = (-9..9, -9..9);
    let any = (any::<i32>(), any::<i32>());
    let ends = prop::sample::select(vec![i32::MIN, i32::MAX, 0, -1]);
    let extreme = (ends.clone(), ends);
    prop_oneof![small, any, extreme].prop_map(|(q, r)| hex(q, r))
}

/// Generates cells whose differences fit in 32 bits.
fn near_cells() -> impl Strategy<Value = Hex> {
    (-1 << 28..1 << 28, -1 << 28..1 << 28).prop_map(|(q, r)| hex(q, r))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn cell_arithmetic_is_a_group(a in cells(), b in cells(), c in cells()) {
        prop_assert_eq!((a + b) + c, a + (b + c));
        prop_assert_eq!(a + b, b + a);
        prop_assert_eq!(a - a, Hex::ORIGIN);
        prop_assert_eq!(a + b - b, a);
        prop_assert_eq!(a + -b, a - b);
        let [q, r, s] = a.to_cube();
        prop_assert_eq!(q.wrapping_add(r).wrapping_add(s), 0);
        prop_assert_eq!(Hex::from(<[i32; 2]>::from(a)), a);
        let mut moved = a;
        moved -= b;
        prop_assert_eq!(moved, a - b);
        moved = a;
        moved += Direction::E;
        prop_assert_eq!(moved, a + Direction::E.to_hex());
        let (one, other) = (Angle(a.q as u16), Angle(b.q as u16));
        let mut angle = one;
        angle -= other;
        prop_assert_eq!(angle + other, one);
    }

    #[test]
    fn rotations_compose_and_invert(a in cells(), b in cells(), n in any::<i32>()) {
        prop_assert_eq!(a.rotated(6), a);
        prop_assert_eq!(a.rotated(n).rotated(-(n % 6)), a);
        prop_assert_eq!(a.rotated(1).rotated(1), a.rotated(2));
        prop_assert_eq!((a + b).rotated(1), a.rotated(1) + b.rotated(1));
        prop_assert_eq!(a.rotated(3), -a);
    }

    #[test]
    fn reflections_are_involutions(a in cells()) {
        prop_assert_eq!(a.reflected_q().reflected_q(), a);
        // Turned by two or four sixths, the reflection keeps another coordinate.
        prop_assert_eq!(a.reflected_q().rotated(2), hex(a.r, a.q));
        prop_assert_eq!(a.reflected_q().rotated(4), hex(a.s(), a.r));
    }

    #[test]
    fn distance_is_a_metric(a in near_cells(), b in near_cells(), c in near_cells()) {
        prop_assert_eq!(a.distance(b), b.distance(a));
        prop_assert_eq!(a.distance(b) == 0, a == b);
        prop_assert!(a.distance(c) <= a.distance(b) + b.distance(c));
        prop_assert_eq!((a - b).length(), a.distance(b));
        prop_assert_eq!((a - b).rotated(1).length(), a.distance(b));
        let [q, r, s] = (a - b).to_cube().map(|n| u64::from(n.unsigned_abs()));
        prop_assert_eq!(u64::from(a.distance(b)) * 2, q + r + s);
    }

    #[test]
    fn offset_coordinates_round_trip(a in near_cells()) {
        for offset in Offset::ALL {
            prop_assert_eq!(Hex::from_offset(a.to_offset(offset), offset), a, "{:?}", offset);
        }
        for offset in [Offset::DoubledWidth, Offset::DoubledHeight] {
            let [column, row] = a.to_offset(offset);
            prop_assert_eq!((column + row) % 2, 0);
        }
    }

    #[test]
    fn wraparound_is_consistent(cell in near_cells(), step in 0..6usize, n in 0u32..40, w in 1u32..9, h in 1u32..9) {
        for map in [Wraparound::hexagon(n), Wraparound::rhombus(w, h)] {
            let wrapped = map.wrap(cell);
            prop_assert_eq!(map.wrap(wrapped), wrapped);
            // Wrapping only after a step gives the same cell as wrapping before and after it.
            let direction = Direction::ALL[step];
            prop_assert_eq!(map.wrap(cell + direction), map.wrap(wrapped + direction));
            prop_assert!(map.distance(cell, cell + direction) <= 1);
        }
    }
}

#[test]
fn hexagonal_maps_have_one_handedness() {
    for n in 0..12 {
        let (map, radius) = (Wraparound::hexagon(n), n as i32);
        for sixths in 0..6 {
            assert_eq!(map.wrap(hex(radius + 1, radius).rotated(sixths)), hex(0, 0));
            let mirrored = hex(radius, radius + 1).rotated(sixths);
            assert_eq!(map.wrap(mirrored) == hex(0, 0), n == 0);
        }
        let cells = hex(0, 0).range(n).len() as i32;
        for direction in Direction::ALL {
            let walk: BTreeSet<_> = (0..cells).map(|k| map.wrap(direction * k)).collect();
            assert!(walk.into_iter().eq(hex(0, 0).range(n)));
            assert_eq!(map.wrap(direction * cells), hex(0, 0));
        }
    }
}

#[test]
fn distance_saturates_at_the_ends_of_i32() {
    assert_eq!(hex(i32::MIN, i32::MIN).length(), u32::MAX);
    assert_eq!(hex(i32::MAX, i32::MIN).length(), 1 << 31);
    assert_eq!(hex(i32::MAX, i32::MAX).distance(hex(i32::MIN, i32::MAX)), u32::MAX);
    assert_eq!(hex(0, i32::MIN).distance(hex(i32::MAX, i32::MIN)), i32::MAX as u32);
}

#[test]
fn directions_and_diagonals_match_rotation() {
    for d in Direction::ALL {
        assert_eq!(d.rotated(1).to_hex(), d.to_hex().rotated(1));
        assert_eq!(Direction::ALL[d as usize], d);
        assert_eq!((-d).to_hex(), -d.to_hex());
        assert_eq!(Hex::ORIGIN + d + -d, Hex::ORIGIN);
    }
    for (n, diagonal) in Diagonal::ALL.into_iter().enumerate() {
        let between = [Direction::ALL[n], Direction::ALL[(n + 1) % 6]];
        assert_eq!(diagonal.to_hex(), Hex::ORIGIN + between[0] + between[1]);
        assert_eq!(diagonal.to_hex().length(), 2);
    }
}

#[test]
fn rings_ranges_and_wedges_match_definition() {
    let center = hex(7, -3);
    for n in 0..12 {
        let ring: Vec<_> = center.ring(n).collect();
        assert_eq!(ring.len(), if n == 0 { 1 } else { 6 * n as usize });
        assert!(ring.iter().all(|cell| cell.distance(center) == n));
        let each_once: BTreeSet<_> = ring.iter().collect();
        assert_eq!(each_once.len(), ring.len());
        assert!(n == 0 || ring.windows(2).all(|pair| pair[0].distance(pair[1]) == 1));
        // The ring starts in the east and has its corners in the order of directions.
        let corners = ring.iter().step_by(n.max(1) as usize);
        assert!(corners.zip(Direction::ALL).all(|(&cell, d)| cell == center + d * n as i32));

        let range: Vec<_> = center.range(n).collect();
        assert_eq!(range.len(), 1 + 3 * n as usize * (n as usize + 1));
        assert!(range.is_sorted() && range.iter().all(|cell| cell.distance(center) <= n));

        let mut spiral: Vec<_> = center.spiral(n).collect();
        assert!(spiral.is_sorted_by_key(|cell| cell.distance(center)));
        spiral.sort();
        assert_eq!(spiral, range);

        // Six wedges overlap at their borders and the center.
        let mut wedges: Vec<_> =
            Direction::ALL.map(|d| center.wedge(d, n).collect::<Vec<_>>()).concat();
        assert_eq!(wedges.len(), 3 * (n as usize + 1) * (n as usize + 2));
        let wedge = center.wedge(Direction::SW, n);
        assert!(wedge.is_sorted_by_key(|cell| cell.distance(center)));
        wedges.sort();
        wedges.dedup();
        assert_eq!(wedges, range);
    }
}

#[test]
fn iterators_report_exact_length() {
    fn check(mut cells: impl ExactSizeIterator) {
        let mut left = cells.len();
        while cells.next().is_some() {
            left -= 1;
            assert_eq!(cells.len(), left);
        }
        assert_eq!(left, 0);
        assert!(cells.next().is_none());
    }
    check(hex(1, 2).ring(3));
    check(hex(1, 2).ring(0));
    check(hex(1, 2).range(3));
    check(hex(1, 2).line_to(hex(-4, 9)));
}

#[test]
fn rings_wrap_at_the_ends_of_i32() {
    let edge = hex(i32::MAX, i32::MIN);
    assert!(edge.ring(2).all(|cell| (cell - edge).length() == 2));
    assert_eq!(edge.range(2).len(), 19);
}

#[test]
fn wrapped_distance_is_the_shortest() {
    for (w, h) in [(1, 1), (1, 9), (7, 2), (5, 5), (8, 3)] {
        let map = Wraparound::rhombus(w, h);
        for q in 0..w as i32 {
            for r in 0..h as i32 {
                // Narrow maps need many images.
                let far = (-20..=20).flat_map(|i| (-20..=20).map(move |j| (i, j)));
                let shortest = far.map(|(i, j)| hex(q + i * w as i32, r + j * h as i32).length());
                assert_eq!(Some(map.distance(Hex::ORIGIN, hex(q, r))), shortest.min());
            }
        }
    }
    for n in 0..4 {
        let (map, radius) = (Wraparound::hexagon(n as u32), n as u32);
        let images: Vec<_> = Hex::ORIGIN
            .range(2)
            .map(|Hex { q, r }| hex(n + 1, n) * q + hex(-n, 2 * n + 1) * r)
            .collect();
        for from in Hex::ORIGIN.range(radius) {
            for to in Hex::ORIGIN.range(radius) {
                let shortest = images.iter().map(|&image| (to + image).distance(from)).min();
                assert_eq!(Some(map.distance(from, to)), shortest);
            }
        }
    }
}

#[test]
fn offset_coordinates_match_the_drawings() {
    assert_eq!(hex(0, 1).to_offset(Offset::OddR), [0, 1]);
    assert_eq!(hex(-1, 1).to_offset(Offset::OddR), [-1, 1]);
    assert_eq!(hex(-1, 1).to_offset(Offset::EvenR), [0, 1]);
    assert_eq!(hex(1, 0).to_offset(Offset::OddQ), [1, 0]);
    assert_eq!(hex(1, 0).to_offset(Offset::EvenQ), [1, 1]);
    assert_eq!(hex(0, 1).to_offset(Offset::DoubledWidth), [1, 1]);
    assert_eq!(hex(1, 0).to_offset(Offset::DoubledHeight), [1, 1]);
}
