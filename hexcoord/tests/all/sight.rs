//! Tests of the definition of sight, and of its invariance under rotations, reflections and the
//! exchange of the two cells.

use alloc::collections::BTreeSet;

use crate::geometry::cells_at;
use crate::random::Random;
use hexcoord::{Hex, Sight, hex};
use proptest::prelude::*;

const KINDS: [Sight; 2] = [Sight::Strict, Sight::Permissive];

/// Determines sight by its definition. For each point k / n of the line, at least one cell that
/// contains the point is free; for strict sight, all of them are.
fn sees_by_definition(from: Hex, to: Hex, sight: Sight, opaque: impl Fn(Hex) -> bool) -> bool {
    let n = i64::from(from.distance(to));
    (1..n).all(|k| {
        let at = |f: i32, t: i32| (n - k) * i64::from(f) + k * i64::from(t);
        let mut cells = cells_at(at(from.q, to.q), at(from.r, to.r), n).into_iter();
        match sight {
            Sight::Strict => !cells.any(&opaque),
            Sight::Permissive => cells.any(|cell| !opaque(cell)),
        }
    })
}

/// Returns the image of a cell under one of the twelve symmetries of the grid.
fn image(cell: Hex, symmetry: i32) -> Hex {
    let cell = if symmetry < 6 { cell } else { cell.reflected_q() };
    cell.rotated(symmetry)
}

/// Returns random opaque cells around the origin; between 1 in 2 and 1 in 12 cells are opaque.
fn random_map(random: &mut Random) -> BTreeSet<Hex> {
    let one_in = random.between(2, 12) as u64;
    hex(0, 0).range(9).filter(|_| random.once_in(one_in)).collect()
}

#[test]
fn sight_is_invariant_under_the_twelve_symmetries() {
    let mut random = Random::new(12);
    for _ in 0..1_000 {
        let map = random_map(&mut random);
        let opaque = |cell: Hex| map.contains(&cell);
        let seen = KINDS.map(|sight| hex(0, 0).field_of_view(6, sight, opaque));
        let seen = seen.map(BTreeSet::from_iter);
        for symmetry in 0..12 {
            let image_of_map: BTreeSet<_> = map.iter().map(|&cell| image(cell, symmetry)).collect();
            let opaque = |cell: Hex| image_of_map.contains(&cell);
            for (sight, seen) in KINDS.into_iter().zip(&seen) {
                let expected: BTreeSet<_> =
                    seen.iter().map(|&cell| image(cell, symmetry)).collect();
                let seen: BTreeSet<_> = hex(0, 0).field_of_view(6, sight, opaque).collect();
                assert_eq!(seen, expected, "{sight:?} {symmetry} {map:?}");
            }
        }
    }
}

/// Generates opaque cells in a small world.
fn walls() -> impl Strategy<Value = BTreeSet<Hex>> {
    prop::collection::btree_set((-6..7, -6..7).prop_map(|(q, r)| hex(q, r)), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn sight_matches_definition(walls in walls(), q in -6..7, r in -6..7) {
        let opaque = |cell: Hex| walls.contains(&cell);
        let from = hex(q, r);
        for sight in KINDS {
            let seen: Vec<_> = from.field_of_view(9, sight, opaque).collect();
            prop_assert!(seen.is_sorted_by_key(|cell| cell.distance(from)));
            let mut in_order = seen.iter().copied().peekable();
            for cell in from.spiral(9) {
                let sees = from.sees(cell, sight, opaque);
                prop_assert_eq!(sees, sees_by_definition(from, cell, sight, opaque), "{} {:?}", cell, sight);
                prop_assert_eq!(sees, cell.sees(from, sight, opaque));
                prop_assert_eq!(sees, in_order.next_if_eq(&cell).is_some());
            }
            prop_assert!(in_order.next().is_none());
        }
    }

    /// A closed ring of opaque cells around the viewer hides all cells behind it.
    #[test]
    fn sight_does_not_pass_a_closed_wall(q in -6..7, r in -6..7, radius in 1u32..4, gap in 0..18usize) {
        let center = hex(q, r);
        let wall: Vec<_> = center.ring(radius).collect();
        for from in center.range(radius - 1) {
            for to in center.ring(radius + 1).chain(center.ring(radius + 3)) {
                for sight in KINDS {
                    prop_assert!(!from.sees(to, sight, |cell| wall.contains(&cell)));
                }
            }
        }
        // Through a gap, the center sees the cell behind it.
        let gap = wall[gap % wall.len()];
        let behind = center + (gap - center) * 2;
        prop_assert!(center.sees(behind, Sight::Permissive, |cell| cell != gap && wall.contains(&cell)));
    }
}

#[test]
fn sight_is_exact_at_any_distance() {
    let (from, to) = (hex(i32::MIN, i32::MIN), hex(i32::MIN + 300_001, i32::MIN + 300_001));
    // Every odd step of the line is a tie: it is on the edge between two cells.
    let pillar = from + hex(150_001, 150_000);
    assert!(!from.sees(to, Sight::Strict, |cell| cell == pillar));
    assert!(from.sees(to, Sight::Permissive, |cell| cell == pillar));
    let wall = [pillar, from + hex(150_000, 150_001)];
    assert!(!to.sees(from, Sight::Permissive, |cell| wall.contains(&cell)));
    assert!(from.sees(from, Sight::Strict, |_| true));
}
