//! Bytes as snapshots of worlds, and as serialized values of hexcoord and of volumes.
//!
//! The first byte selects the type. Snapshots end with a checksum, which this target appends: bytes
//! without it are rejected before they are parsed.

use core::fmt::Debug;

use hexphase::hex::{Area, HexBody, HexMap, Layout, Point};
use hexphase::{
    Aabb, Algorithm, Ball, Bounds, BroadPhase, Filter, Hexagon, Motion, Number, Object, Options,
    Plain, UserData,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

#[allow(dead_code, reason = "the checksum of a ring is a part of it")]
#[path = "../../../facade/src/snapshot/checksum.rs"]
mod checksum;

/// Number of bytes of a snapshot before the sides of the world.
const HEADER: usize = 30;
/// Maximum number of slots. A few bytes can require memory for 2^32 slots, as the documentation of
/// `restore` says.
const MAX_SLOTS: u32 = 1 << 16;

/// Restores the bytes, and uses the value if they are accepted.
///
/// # Panics
/// If a restored value is not consistent, or another value after it is written and read again.
pub fn run(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    match kind % 12 {
        0 | 1 => restore::<f32, 2, bool, Aabb<f32, 2>>(bytes),
        2 => restore::<i32, 3, [u8; 2], Aabb<i32, 3>>(bytes),
        3 => restore::<f64, 1, u32, Aabb<f64, 1>>(bytes),
        4 => restore::<f32, 2, (), Ball>(bytes),
        5 => restore::<i32, 2, (), Hexagon<i32>>(bytes),
        6 => deserialize::<HexBody>(bytes),
        7 => deserialize::<HexMap<u8>>(bytes),
        8 => deserialize::<(Area, Vec<Point>)>(bytes),
        9 => deserialize::<(Layout<f32>, Layout<f64>)>(bytes),
        10 => deserialize::<(Hexagon<f32>, Ball, Aabb<f64, 3>)>(bytes),
        _ => deserialize::<BroadPhase<f32, 2, bool>>(bytes),
    }
}

fn restore<S: Number + Plain, const D: usize, U: UserData + Plain + Debug + PartialEq, B>(
    bytes: &[u8],
) where
    B: Bounds<S, D> + Plain,
{
    let counts = bytes.get(HEADER + D * S::SIZE..).unwrap_or_default().as_chunks().0;
    if counts.iter().take(2).any(|&count| u32::from_le_bytes(count) > MAX_SLOTS) {
        return;
    }
    let mut bytes = bytes.to_vec();
    bytes.extend(checksum::checksum(&bytes).to_le_bytes());
    let algorithms = [Algorithm::Hshg, Algorithm::Morton, Algorithm::Hash, Algorithm::Brute];
    let world = |bytes: &[u8], algorithm| {
        BroadPhase::<S, D, U, B>::from_snapshot(bytes, Options::new().algorithm(algorithm))
    };
    let Ok(mut world_of_bytes) = world(&bytes, algorithms[bytes.len() % 4]) else { return };
    world_of_bytes.assert_well_formed();

    // The state has one encoding, which another structure restores.
    let mut again = Vec::new();
    let hash = world_of_bytes.snapshot_into(&mut again);
    let mut other = world(&again, algorithms[(bytes.len() + 1) % 4]).expect("a valid snapshot");
    assert_eq!(other.state_hash(), hash);
    for _ in 0..2 {
        world_of_bytes.step();
        other.step();
        world_of_bytes.assert_well_formed();
        assert!(world_of_bytes.pairs().eq(other.pairs()), "pairs after a restored step");
        assert!(world_of_bytes.began().eq(other.began()), "pairs that began");
        assert!(world_of_bytes.ended().eq(other.ended()), "pairs that ended");
        assert_eq!(world_of_bytes.state_hash(), other.state_hash());
    }
    world_of_bytes.restore(&bytes).expect("the snapshot was accepted by a new world");
    assert_eq!(world_of_bytes.state_hash(), hash);
}

fn deserialize<T: Serialize + DeserializeOwned>(bytes: &[u8]) {
    let Ok(value) = postcard::from_bytes::<T>(bytes) else { return };
    let written = postcard::to_allocvec(&value).expect("a value that was read can be written");
    let again: T = postcard::from_bytes(&written).expect("a value that was written can be read");
    assert_eq!(postcard::to_allocvec(&again).expect("the same value"), written);
}

/// Returns the seeds: worlds of each type, with objects of all kinds.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let at = |number: u32| f64::from(number * number % 17) * 1.5;
    let flat = |number: u32| [at(number), at(number + 3)];
    let mut seeds = Vec::new();
    for sides in [0.0, 30.0] {
        let aabb = |n| Aabb::of_ball(flat(n).map(|x| x as f32), 2.0);
        let hexagon =
            |n| Hexagon::<i32>::of_points([flat(n).map(|x| x as i32)]).expect("small numbers");
        let ball = |n| Ball { center: flat(n).map(|x| x as f32), radius: 1.5 };
        seeds.extend([
            (0, saved(sides, aabb, |n| n % 2 == 0)),
            (2, saved(sides, |n| Aabb::of_ball([at(n) as i32; 3], 2), |n| [n as u8, 1])),
            (3, saved(sides, |n| Aabb::of_ball([at(n)], 1.0), |n| n)),
            (4, saved(sides, ball, |_| ())),
            (5, saved(sides, hexagon, |_| ())),
        ]);
    }
    seeds.extend((6..12).map(|kind| (kind, vec![kind; 40])));
    seeds.into_iter().map(|(kind, bytes)| [&[kind], &bytes[..]].concat()).collect()
}

/// Returns the snapshot of a world without its checksum. The world has free slots, several filters,
/// and swept and removed objects.
fn saved<S: Number + Plain, const D: usize, U: UserData + Plain, B: Bounds<S, D> + Plain>(
    side: f64,
    bounds: impl Fn(u32) -> B,
    user: impl Fn(u32) -> U,
) -> Vec<u8> {
    let mut world = BroadPhase::with_options(Options::new().wrap([S::from_f64(side); D]));
    let mut objects = Vec::new();
    for number in 0..12 {
        let filter = Filter::layers(1 << (number % 3)).owner(number % 4);
        let motion = [Motion::Dynamic, Motion::Static, Motion::Sleeping][number as usize % 3];
        let object = Object::new(bounds(number), user(number)).motion(motion).filter(filter);
        objects.push(world.insert_object(object).expect("valid bounds"));
    }
    world.remove(objects[3]);
    world.step();
    world.set_swept(objects[1], true).expect("a live object");
    world.set_filter(objects[5], Filter::NONE).expect("a live object");
    world.remove(objects[7]);
    let mut bytes = Vec::new();
    world.snapshot_into(&mut bytes);
    bytes.truncate(bytes.len() - 8);
    bytes
}
