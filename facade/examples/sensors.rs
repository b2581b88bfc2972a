//! Uses an area as a sensor: a door opens when a player enters the area in front of it, and closes
//! when the last player leaves or is removed.
//!
//! `began` and `ended` are the enter and exit events of a sensor. They come in pairs: removing,
//! disabling or refiltering an object ends its overlaps at the next step. The sensors are sleeping
//! objects. They do not move, but form pairs with all objects, also with static ones. So a static
//! crate keeps a door open until the crate is removed.

extern crate alloc;

use alloc::collections::BTreeMap;

use hexphase::{Aabb, BroadPhase, Error, Filter, Motion};

const PLAYERS: u64 = 1;
const SENSORS: u64 = 2;
const CRATES: u64 = 4;

fn main() -> Result<(), Error> {
    let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    for (name, x) in [("north door", 10.0), ("south door", 30.0)] {
        let area = Aabb::around([x, 0.0], [3.0, 3.0]);
        let filter = Filter::layers(SENSORS).mask(PLAYERS | CRATES);
        world.insert_with(area, name, Motion::Sleeping, filter)?;
    }
    let crates = Filter::layers(CRATES).mask(SENSORS);
    let area = Aabb::around([12.0, 2.0], [1.0, 1.0]);
    let block = world.insert_with(area, "a crate", Motion::Static, crates)?;
    let players = Filter::layers(PLAYERS).mask(SENSORS);
    let mut walkers = Vec::new();
    for (name, x) in [("Ada", 0.0), ("Grace", 4.0)] {
        walkers.push(world.insert_with(
            Aabb::of_ball([x, 0.0], 0.5),
            name,
            Motion::Dynamic,
            players,
        )?);
    }
    // The number of players and crates in front of each door.
    let mut before: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut opened, mut closed) = (0, 0);
    for tick in 0..40 {
        world.update_dynamic(|_, _, bounds| *bounds = bounds.translated([1.0, 0.0]))?;
        if tick == 25 {
            world.remove(walkers[1]);
        }
        if tick == 20 {
            world.remove(block);
        }
        world.step();
        // The end of an overlap carries the user data of both objects, even of a removed one.
        for overlap in world.ended() {
            let [door, visitor] = overlap.users;
            let count = before.get_mut(door).expect("an end follows a begin");
            *count -= 1;
            println!("tick {tick}: {visitor} leaves the {door}");
            closed += usize::from(*count == 0);
        }
        for overlap in world.began() {
            let [door, visitor] = overlap.users;
            let count = before.entry(door).or_default();
            opened += usize::from(*count == 0);
            *count += 1;
            println!("tick {tick}: {visitor} reaches the {door}");
        }
    }
    // The crate keeps the north door open while the players pass. The south door opens twice: Grace
    // is removed in front of it before Ada reaches it.
    assert_eq!((opened, closed), (3, 3));
    assert!(before.values().all(|&count| count == 0));
    Ok(())
}
