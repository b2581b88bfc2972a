//! A server with observers: which objects entered and left the surroundings of each player.
//!
//! `Interest` compares the pairs of two worlds in one search for all observers. The example checks
//! it in each tick against one query and one hash set per observer, and prints the times of both.

mod support;

use core::time::Duration;
use std::collections::HashSet;
use std::time::Instant;

use hexphase::{Aabb, BroadPhase, Error, Handle, Interest, Region};
use support::Random;

const PLAYERS: usize = 1_000;
const MONSTERS: usize = 100_000;
const SIZE: [f32; 2] = [10_000.0; 2];
const ENTER: f32 = 80.0;
const LEAVE: f32 = 96.0;
const TICKS: usize = 20;

/// User data: the velocity.
type World = BroadPhase<f32, 2, [f32; 2]>;

fn main() -> Result<(), Error> {
    let mut random = Random(6);
    let [mut players, mut monsters] = [World::new(), World::new()];
    for (world, count) in [(&mut players, PLAYERS), (&mut monsters, MONSTERS)] {
        for _ in 0..count {
            let velocity = [random.between(-3.0, 3.0), random.between(-3.0, 3.0)];
            world.insert(Aabb::point(random.point(SIZE)), velocity)?;
        }
    }
    let mut interest = Interest::new(ENTER, LEAVE);
    let mut known: Vec<HashSet<Handle>> = vec![HashSet::new(); PLAYERS];
    let (mut entered, mut left, mut times) = (0, 0, [Duration::ZERO; 2]);
    for _ in 0..TICKS {
        for world in [&mut players, &mut monsters] {
            world.update(|_, velocity, bounds| *bounds = bounds.translated(*velocity))?;
        }
        let begin = Instant::now();
        interest.update(players.pairs_with(&mut monsters));
        times[0] += begin.elapsed();

        // The first query of a tick also maintains the structure, as the search above has done.
        let begin = Instant::now();
        let expected = naive(&players, &monsters, &mut known);
        times[1] += begin.elapsed();

        let changes = interest.changes();
        assert_eq!(changes.len(), expected.len());
        for (change, (observer, came, gone)) in changes.zip(&expected) {
            assert_eq!(change.observer, *observer);
            assert_eq!((change.entered, change.left), (&came[..], &gone[..]));
            entered += came.len();
            left += gone.len();
        }
    }
    let seen: usize = players.handles().map(|player| interest.of(player).len()).sum();
    assert_eq!(entered - left, seen);
    let [all, each] = times.map(|time| time.as_secs_f64() * 1e3 / TICKS as f64);
    println!("{PLAYERS} players see {seen} of {MONSTERS} monsters");
    println!("{TICKS} ticks: {entered} entered, {left} left");
    println!("milliseconds a tick: {all:.2}; one query and hash set per player: {each:.2}");
    Ok(())
}

/// Finds the changes of all players: for each, a query, and the set of the monsters it knows.
fn naive(
    players: &World,
    monsters: &World,
    known: &mut [HashSet<Handle>],
) -> Vec<(Handle, Vec<Handle>, Vec<Handle>)> {
    let mut changes = Vec::new();
    for (player, known) in players.handles().zip(known) {
        let at = players.get(player).expect("a player").bounds;
        let within = |radius| monsters.query(Region::around(at, radius)).to_vec();
        let (near, visible) = (within(LEAVE), within(ENTER));
        let near: HashSet<Handle> = near.into_iter().collect();
        let mut gone: Vec<Handle> = known.difference(&near).copied().collect();
        gone.sort_unstable();
        known.retain(|monster| near.contains(monster));
        let came: Vec<Handle> = visible.into_iter().filter(|&one| known.insert(one)).collect();
        if !came.is_empty() || !gone.is_empty() {
            changes.push((player, came, gone));
        }
    }
    changes
}
