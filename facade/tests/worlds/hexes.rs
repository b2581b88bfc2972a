//! From pairs of bounding volumes to overlapping cells, with ships made of hexagonal cells.

use alloc::collections::BTreeSet;

use hexphase::BroadPhase;
use hexphase::hex::{Angle, Hex, HexBody, Point, Pose, hex};

struct Ship {
    body: HexBody,
    pose: Pose,
}

/// Returns hulls of several sizes, with holes, at random positions and angles.
fn fleet() -> Vec<Ship> {
    let mut seed = 7u32;
    let mut below = |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(seed) * u64::from(n)) >> 32) as i32
    };
    (0..200)
        .map(|_| {
            let mut body: HexBody = hex(0, 0).range(1 + below(5) as u32).collect();
            body.remove(hex(below(3), below(3)));
            let position = Point::new(below(1 << 15), below(1 << 15));
            Ship { body, pose: Pose { position, angle: Angle(below(1 << 16) as u16) } }
        })
        .collect()
}

type Cells = BTreeSet<[(usize, Hex); 2]>;

/// Appends the overlapping cells of two ships. Returns whether there are any.
fn narrow(fleet: &[Ship], [i, j]: [usize; 2], out: &mut Cells) -> bool {
    let (a, b) = (&fleet[i], &fleet[j]);
    let before = out.len();
    a.body.overlaps(a.pose, &b.body, b.pose, |ours, theirs| {
        out.insert([(i, ours), (j, theirs)]);
    });
    out.len() > before
}

/// Returns the number of candidate pairs with a type of volume, and the overlapping cells.
fn found<B: hexphase::Bounds<i32, 2>>(
    fleet: &[Ship],
    volume: impl Fn(&Ship) -> B,
) -> (usize, Cells) {
    let mut world: BroadPhase<i32, 2, usize, B> = BroadPhase::new();
    for (i, ship) in fleet.iter().enumerate() {
        world.insert(volume(ship), i).unwrap();
    }
    world.step();
    let mut cells = Cells::new();
    for overlap in world.pairs() {
        narrow(fleet, overlap.users, &mut cells);
    }
    world.assert_well_formed();
    (world.pairs().len(), cells)
}

#[test]
fn hexagons_and_rhombi_find_every_cell() {
    let fleet = fleet();
    let mut all = Cells::new();
    let mut meet = 0;
    for j in 0..fleet.len() {
        for i in 0..j {
            meet += usize::from(narrow(&fleet, [i, j], &mut all));
        }
    }
    assert!(meet > 50, "only {meet} ships overlap");
    let (hexagons, cells) = found(&fleet, |ship| ship.body.intervals(ship.pose));
    assert_eq!(cells, all);
    let (rhombi, cells) = found(&fleet, |ship| ship.body.rhombus(ship.pose));
    assert_eq!(cells, all);
    assert!(meet <= hexagons && hexagons < rhombi, "{meet} of {hexagons} of {rhombi}");
}
