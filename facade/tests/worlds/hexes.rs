//! From pairs of bounding volumes to overlapping cells, with ships made of hexagonal cells.

use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};

use alloc::collections::BTreeSet;

use hexphase::hex::{Angle, Hex, HexBody, Point, Pose, hex};
use hexphase::{Algorithm, BroadPhase, Hexagon, Options};

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

#[test]
fn updates_move_hexagons_and_reject_invalid_ones() {
    let mut world: BroadPhase<i32, 2, i32, Hexagon<i32>> = BroadPhase::new();
    let triangle = |at: i32| Hexagon::of_points([[at, 0], [at + 9, 0], [at, 9]]).unwrap();
    let objects = [0, 20].map(|at| world.insert(triangle(at), at).unwrap());
    world.update(|_, at, volume| *volume = triangle(*at / 4)).unwrap();
    world.step();
    assert_eq!(world.began().len(), 1);
    let refused = world.update(|_, _, volume| {
        if volume.up.min_a > 0 {
            *volume = Hexagon::EMPTY;
        }
    });
    assert_eq!(
        refused.unwrap_err().to_string(),
        format!("object {}: bounds have min above max on axis 0", objects[1])
    );
    assert_eq!(world.get(objects[1]).unwrap().bounds, triangle(5), "must be unchanged");
}

#[test]
fn hexagons_match_their_boxes_after_a_panic() {
    let triangle = |at: i32| Hexagon::of_points([[at, 0], [at + 9, 0], [at, 9]]).unwrap();
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm);
        let mut world: BroadPhase<i32, 2, i32, Hexagon<i32>> = BroadPhase::with_options(options);
        let objects: Vec<_> =
            (0..300).map(|at| world.insert(triangle(at * 5), at).unwrap()).collect();
        world.step();
        let mut walked = Vec::new();
        let walk = AssertUnwindSafe(|| {
            world.update(|object, &mut at, volume| {
                if walked.len() == 200 {
                    resume_unwind(Box::new("intended"));
                }
                *volume = triangle(at * 3 + 2000);
                walked.push(object);
            })
        });
        assert!(catch_unwind(walk).is_err(), "the panic must propagate");
        world.assert_well_formed();
        let mut fresh: BroadPhase<i32, 2, i32, Hexagon<i32>> = BroadPhase::new();
        for (at, object) in (0..).zip(objects) {
            let at_end = if walked.contains(&object) { at * 3 + 2000 } else { at * 5 };
            assert_eq!(world.get(object).unwrap().bounds, triangle(at_end), "{algorithm}: {at}");
            fresh.insert(triangle(at_end), at).unwrap();
        }
        let pairs = [&mut world, &mut fresh].map(|world| {
            world.step();
            world.pairs().map(|pair| pair.users).collect::<BTreeSet<_>>()
        });
        assert_eq!(pairs[0], pairs[1], "{algorithm}");
    }
}
