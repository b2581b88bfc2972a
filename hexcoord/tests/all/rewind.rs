//! Test of event replication: peers that replay the same events reach the same state, even if
//! events arrive late.

use crate::random::Fnv;
use hexcoord::{Angle, HexBody, Point, Pose, hex};

#[derive(Clone, PartialEq, Debug)]
struct Ship {
    body: HexBody,
    pose: Pose,
    velocity: Point,
}

/// A rotation of one ship by a player.
#[derive(Clone, Copy)]
struct Event {
    tick: usize,
    ship: usize,
    turn: i16,
}

const TICKS: usize = 200;

fn start() -> Vec<Ship> {
    let ship = |i: i32| Ship {
        body: hex(0, 0).range(2).collect(),
        pose: Pose::new(Point::new(i % 5 * 4000, i / 5 * 4000), Angle((i * 7919) as u16)),
        velocity: Point::new(97 * (i % 3 - 1), 83 * (i % 4 - 1)),
    };
    (0..20).map(ship).collect()
}

fn advance(ships: &mut [Ship], events: &[Event], tick: usize) {
    for event in events.iter().filter(|event| event.tick == tick) {
        let ship = &mut ships[event.ship];
        ship.pose.angle += Angle(event.turn as u16);
        ship.velocity = ship.pose.angle.rotation().rotate(ship.velocity);
    }
    for ship in &mut *ships {
        ship.pose.position += ship.velocity;
        ship.pose.angle += Angle(50);
    }
    // Remove all cells that touch a cell of another ship.
    let mut lost = vec![];
    for i in 0..ships.len() {
        for j in 0..i {
            let (ours, theirs) = (&ships[i], &ships[j]);
            ours.body.overlaps(ours.pose, &theirs.body, theirs.pose, |cell, their_cell| {
                lost.extend([(i, cell), (j, their_cell)]);
            });
        }
    }
    for (ship, cell) in lost {
        ships[ship].body.remove(cell);
    }
}

fn hash(ships: &[Ship]) -> u64 {
    let mut hash = Fnv::new();
    for Ship { body, pose, velocity } in ships {
        let cells = body.cells().flat_map(|cell| [cell.q, cell.r]);
        let place =
            [pose.position.a, pose.position.b, i32::from(pose.angle.0), velocity.a, velocity.b];
        cells.chain(place).for_each(|n| hash.add(n));
    }
    hash.0
}

#[test]
fn late_events_replay_to_the_same_state() {
    let events: Vec<_> = (0..60)
        .map(|i| Event { tick: i * 3 % TICKS, ship: i * 7 % 20, turn: (i * 2749) as i16 })
        .collect();
    // The first peer has all events from the start.
    let mut prompt = start();
    for tick in 0..TICKS {
        advance(&mut prompt, &events, tick);
    }
    // The second peer receives each event twenty ticks late, rewinds and replays.
    let mut past = vec![start()];
    for now in 1..=TICKS + 20 {
        let known: Vec<_> = events.iter().filter(|event| event.tick + 20 <= now).copied().collect();
        let from = now.saturating_sub(20).min(TICKS);
        past.truncate(from + 1);
        for tick in from..now.min(TICKS) {
            let mut ships = past[tick].clone();
            advance(&mut ships, &known, tick);
            past.push(ships);
        }
    }
    let late = past.last().expect("the last tick");
    assert_eq!(past.len(), TICKS + 1);
    assert_eq!(*late, prompt);
    let cells: usize = prompt.iter().map(|ship| ship.body.len()).sum();
    assert!((100..300).contains(&cells), "some but not all cells are lost: {cells}");
    assert_eq!(hash(&prompt), 7_544_760_413_450_319_907);
}
