//! Ships that collide, lose cells and break apart. Each ship consists of hexagonal cells.
//!
//! The broad phase uses integers. `span` is a rhombus that contains a ship at any rotation; it is
//! computed in constant time, so it suits ships that turn each tick: a tick takes 69 to 78 ns per
//! ship. `intervals` returns the tightest bounds, but takes time linear in the rows of cells: a
//! tick takes 219 to 276 ns per ship. The exact phase finds the overlapping cells of two ships in
//! their poses. Both ships lose these cells, and each part that is no longer connected becomes a
//! ship. Pairs are checked against a test of all ships.

mod support;

use hexphase::hex::{Angle, Hex, HexBody, Point, Pose, hex};
use hexphase::{BroadPhase, Handle};
use support::Random;

struct Ship {
    body: HexBody,
    pose: Pose,
    velocity: [i32; 2],
    turn: u16,
    handle: Handle,
}

type World = BroadPhase<i32, 2, usize>;

fn main() -> Result<(), hexphase::Error> {
    let mut random = Random(6);
    let mut world = World::new();
    let mut ships: Vec<Ship> = Vec::new();
    for _ in 0..120 {
        let radius = (random.bits() % 4) as u32 + 1;
        let body: HexBody = hex(0, 0).range(radius).collect();
        let position = Point::new((random.bits() >> 48) as i32, (random.bits() >> 48) as i32);
        let pose = Pose { position, angle: Angle(random.bits() as u16) };
        let velocity = [0; 2].map(|_| (random.bits() % 400) as i32 - 200);
        launch(&mut world, &mut ships, body, pose, velocity)?;
    }
    let cells = |ships: &[Ship]| ships.iter().map(|ship| ship.body.len()).sum::<usize>();
    let (count, before) = (ships.len(), cells(&ships));
    for tick in 0..60 {
        for ship in &mut ships {
            let [a, b] = ship.velocity;
            ship.pose.position = Point::new(ship.pose.position.a + a, ship.pose.position.b + b);
            ship.pose.angle = Angle(ship.pose.angle.0.wrapping_add(ship.turn));
            world.set_bounds(ship.handle, ship.body.span(ship.pose.position))?;
        }
        world.step();
        let pairs: Vec<[usize; 2]> = world.pairs().map(|overlap| overlap.users).collect();
        if tick == 0 {
            check(&ships, &pairs);
        }
        for pair in pairs {
            collide(&mut world, &mut ships, pair)?;
        }
    }
    let wrecks = ships.len() - count;
    println!("{} of {before} cells left, {wrecks} wrecks", cells(&ships));
    assert!(cells(&ships) < before);
    Ok(())
}

/// Adds a ship to the world; its user data is its index.
fn launch(
    world: &mut World,
    ships: &mut Vec<Ship>,
    body: HexBody,
    pose: Pose,
    velocity: [i32; 2],
) -> Result<(), hexphase::Error> {
    let handle = world.insert(body.span(pose.position), ships.len())?;
    ships.push(Ship { turn: body.len() as u16 * 7, body, pose, velocity, handle });
    Ok(())
}

/// Removes the overlapping cells from both ships. Each disconnected part becomes a ship.
fn collide(
    world: &mut World,
    ships: &mut Vec<Ship>,
    [i, j]: [usize; 2],
) -> Result<(), hexphase::Error> {
    let mut shot: Vec<[Hex; 2]> = Vec::new();
    let (a, b) = (&ships[i], &ships[j]);
    a.body.overlaps(a.pose, &b.body, b.pose, |ours, theirs| shot.push([ours, theirs]));
    for (ship, side) in [(i, 0), (j, 1)] {
        for cells in &shot {
            ships[ship].body.remove(cells[side]);
        }
        let mut parts = Vec::new();
        ships[ship].body.split(|part| parts.push(part));
        for part in parts {
            let Ship { pose, velocity: [x, y], .. } = ships[ship];
            launch(world, ships, part, pose, [x / 2, -y / 2])?;
        }
    }
    Ok(())
}

/// Checks that every two ships with overlapping cells are a pair of the broad phase.
fn check(ships: &[Ship], pairs: &[[usize; 2]]) {
    for i in 0..ships.len() {
        for j in 0..i {
            let (a, b) = (&ships[j], &ships[i]);
            if a.body.overlaps_any(a.pose, &b.body, b.pose) {
                assert!(pairs.contains(&[j, i]), "ships {j} and {i}");
            }
        }
    }
}
