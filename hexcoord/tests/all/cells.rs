//! Tests of cells: arithmetic, distances, rotations, groups of cells and offset coordinates.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};

use hexcoord::{Diagonal, Direction, Hex, Offset, Wraparound, hex, iter};
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
    }

    #[test]
    fn rotations_compose_and_invert(a in cells(), b in cells(), n in any::<i32>()) {
        prop_assert_eq!(a.rotated(6), a);
        prop_assert_eq!(a.rotated(n).rotated(-(n % 6)), a);
        prop_assert_eq!(a.rotated(1).rotated(1), a.rotated(2));
        prop_assert_eq!((a + b).rotated(1), a.rotated(1) + b.rotated(1));
        prop_assert_eq!(a.rotated(3), -a);
        prop_assert_eq!(a.rotated_around(b, 6), a);
        prop_assert_eq!(b.rotated_around(b, n), b);
    }

    #[test]
    fn reflections_are_involutions(a in cells()) {
        prop_assert_eq!(a.reflected_q().reflected_q(), a);
        prop_assert_eq!(a.reflected_r().reflected_r(), a);
        prop_assert_eq!(a.reflected_s().reflected_s(), a);
        // Two reflections compose to a rotation by a third of a turn.
        prop_assert_eq!(a.reflected_q().reflected_r(), a.rotated(4));
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
    fn every_cell_has_a_parent(any in cells(), near in near_cells(), n in 0u32..6, far in 0u32..1 << 12) {
        for n in [n, far] {
            let parent = any.parent(n);
            prop_assert!((any - parent.center_child(n)).length() <= n);
            let parent = near.parent(n);
            prop_assert_eq!(parent.center_child(n).parent(n), parent);
        }
    }

    #[test]
    fn wraparound_is_consistent(cell in near_cells(), step in 0..6, n in 0u32..40, w in 1u32..9, h in 1u32..9) {
        for map in [Wraparound::hexagon(n), Wraparound::rhombus(w, h)] {
            let wrapped = map.wrap(cell);
            prop_assert!(map.contains(wrapped));
            prop_assert_eq!(map.wrap(wrapped), wrapped);
            // Wrapping only after a step gives the same cell as wrapping before and after it.
            let direction = Direction::from_index(step);
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
        let cells = iter::range_count(n) as i32;
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
fn distance_matches_breadth_first_search() {
    // Compute the expected distances by a breadth-first search up to five steps.
    let mut steps = BTreeMap::from([(Hex::ORIGIN, 0)]);
    let mut queue = VecDeque::from([Hex::ORIGIN]);
    while let Some(cell) = queue.pop_front() {
        for next in cell.neighbors() {
            if steps[&cell] < 5 && !steps.contains_key(&next) {
                steps.insert(next, steps[&cell] + 1);
                queue.push_back(next);
            }
        }
    }
    assert!(steps.iter().all(|(cell, &n)| cell.length() == n));
    assert!(Hex::ORIGIN.range(5).eq(steps.into_keys()), "no other cell is within five steps");
}

#[test]
fn direction_indices_match_rotation() {
    for d in Direction::ALL {
        assert_eq!(d.rotated(1).to_hex(), d.to_hex().rotated(1));
        assert_eq!(Direction::from_index(d.index()), d);
        assert_eq!((-d).to_hex(), -d.to_hex());
        assert_eq!(Direction::towards(d * 7), Some(d));
        assert_eq!(Hex::ORIGIN + d - d, Hex::ORIGIN);
    }
    for (n, diagonal) in Diagonal::ALL.into_iter().enumerate() {
        let between = [Direction::ALL[n], Direction::ALL[(n + 1) % 6]];
        assert_eq!(diagonal.to_hex(), Hex::ORIGIN + between[0] + between[1]);
        assert_eq!(diagonal.rotated(-1).to_hex(), diagonal.to_hex().rotated(-1));
        assert_eq!(diagonal.to_hex().length(), 2);
    }
}

#[test]
fn towards_returns_the_nearest_direction() {
    for cell in Hex::ORIGIN.range(8).filter(|&cell| cell != Hex::ORIGIN) {
        let direction = Direction::towards(cell).expect("not the origin");
        assert!(Hex::ORIGIN.cone(direction, 8).any(|inside| inside == cell), "{cell}");
    }
}

#[test]
fn cone_covers_30_degrees_to_both_sides() {
    let degrees = |cell: Hex| {
        let (a, b) = (f64::from(cell.q), f64::from(cell.r));
        (3f64.sqrt() * b).atan2(2.0 * a + b).to_degrees()
    };
    for direction in Direction::ALL {
        let cone: BTreeSet<_> = Hex::ORIGIN.cone(direction, 7).collect();
        for cell in Hex::ORIGIN.range(7) {
            let off = (degrees(cell) - f64::from(direction.index()) * 60.0).rem_euclid(360.0);
            let inside = cell == Hex::ORIGIN || off.min(360.0 - off) < 30.0 + 1e-9;
            assert_eq!(cone.contains(&cell), inside, "{cell} {direction:?}");
        }
    }
}

#[test]
fn rings_ranges_wedges_and_cones_match_definition() {
    let center = hex(7, -3);
    for n in 0..12 {
        let ring: Vec<_> = center.ring(n).collect();
        assert_eq!(ring.len(), center.ring(n).len());
        assert_eq!(ring.len(), if n == 0 { 1 } else { 6 * n as usize });
        assert!(ring.iter().all(|cell| cell.distance(center) == n));
        let each_once: BTreeSet<_> = ring.iter().collect();
        assert_eq!(each_once.len(), ring.len());
        assert!(n == 0 || ring.windows(2).all(|pair| pair[0].distance(pair[1]) == 1));

        let range: Vec<_> = center.range(n).collect();
        assert_eq!(range.len() as u64, iter::range_count(n));
        assert!(range.is_sorted() && range.iter().all(|cell| cell.distance(center) <= n));

        let mut spiral: Vec<_> = center.spiral(n).collect();
        assert_eq!(spiral.len(), center.spiral(n).len());
        assert!(spiral.is_sorted_by_key(|cell| cell.distance(center)));
        spiral.sort();
        assert_eq!(spiral, range);

        // Six wedges overlap at their borders and the center; six cones overlap only at borders.
        let mut wedges: Vec<_> =
            Direction::ALL.map(|d| center.wedge(d, n).collect::<Vec<_>>()).concat();
        assert_eq!(wedges.len(), 3 * (n as usize + 1) * (n as usize + 2));
        wedges.sort();
        wedges.dedup();
        assert_eq!(wedges, range);
        let mut cones: Vec<_> =
            Direction::ALL.map(|d| center.cone(d, n).collect::<Vec<_>>()).concat();
        cones.sort();
        cones.dedup();
        assert_eq!(cones, range);
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
    check(hex(1, 2).spiral(3));
    check(hex(1, 2).range(3));
    check(hex(1, 2).wedge(Direction::W, 3));
    check(hex(1, 2).line_to(hex(-4, 9)));
}

#[test]
fn rings_wrap_at_the_ends_of_i32() {
    let edge = hex(i32::MAX, i32::MIN);
    assert!(edge.ring(2).all(|cell| (cell - edge).length() == 2));
    assert_eq!(edge.range(2).len(), 19);
}

#[test]
fn children_tile_the_plane() {
    for n in 0..4 {
        let mut finer: Vec<_> =
            Hex::ORIGIN.range(6).flat_map(|coarse| coarse.children(n)).collect();
        let all = finer.len();
        finer.sort();
        finer.dedup();
        assert_eq!(finer.len(), all, "no cell twice");
        assert!(Hex::ORIGIN.range(5 * n).all(|cell| finer.binary_search(&cell).is_ok()));
        for coarse in Hex::ORIGIN.range(6) {
            assert!(coarse.children(n).all(|cell| cell.parent(n) == coarse));
        }
    }
}

#[test]
fn wrapped_distance_is_the_shortest() {
    for (w, h) in [(1, 1), (1, 9), (7, 2), (5, 5), (8, 3)] {
        let map = Wraparound::rhombus(w, h);
        let images = |cell: Hex| {
            (-3..=3)
                .flat_map(move |i| (-3..=3).map(move |j| cell + hex(i * w as i32, j * h as i32)))
        };
        for q in 0..w as i32 {
            for r in 0..h as i32 {
                let shortest = images(hex(q, r)).map(Hex::length).min().expect("images");
                // Search again with more images of the map; narrow maps need them.
                assert!(map.distance(Hex::ORIGIN, hex(q, r)) <= shortest, "{w} {h} {q} {r}");
                let far = (-20..=20).flat_map(|i| (-20..=20).map(move |j| (i, j)));
                let shortest = far.map(|(i, j)| hex(q + i * w as i32, r + j * h as i32).length());
                assert_eq!(Some(map.distance(Hex::ORIGIN, hex(q, r))), shortest.min());
            }
        }
    }
    for n in 0..4 {
        let map = Wraparound::hexagon(n);
        let images: Vec<_> = Hex::ORIGIN.range(2).map(|coarse| coarse.center_child(n)).collect();
        for from in Hex::ORIGIN.range(n) {
            for to in Hex::ORIGIN.range(n) {
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
