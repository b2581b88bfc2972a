//! Rollback: two peers with different structures, backends and threads stay bit-identical.

use hexphase::{
    Aabb, Algorithm, Backend, BroadPhase, Filter, Handle, Motion, Options, Plain, SnapshotError,
    SnapshotRing,
};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// User data: velocity and number of begun pairs.
type World = BroadPhase<f32, 2, ([f32; 2], u32)>;

fn random(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// The seed of the random input of all players in a tick. A predicted input has another seed than
/// the real one.
#[derive(Clone, Copy)]
struct Input(u64);

const SIDE: f32 = 2000.0;

/// Advances the world by a tick. Depends only on the world and the input.
fn advance(world: &mut World, input: Input) {
    let mut random = random(input.0);
    let mut below = |n: u32| random.next_u32() % n;
    let live: Vec<Handle> = world.handles().collect();
    for _ in 0..8 {
        let at = [below(SIDE as u32) as f32, below(SIDE as u32) as f32];
        let motion = [Motion::Dynamic, Motion::Dynamic, Motion::Static][below(3) as usize];
        let filter = Filter::layers(1 << below(4)).mask(0b0111 << below(2)).owner(below(40));
        let velocity = [below(9) as f32 - 4.0, below(9) as f32 - 4.0];
        let radius = 1.0 + below(16) as f32;
        world.insert_with(Aabb::of_ball(at, radius), (velocity, 0), motion, filter).unwrap();
        let any = live[below(live.len() as u32) as usize];
        world.remove(any);
        let any = live[below(live.len() as u32) as usize];
        let motion = [Motion::Dynamic, Motion::Sleeping, Motion::Static][below(3) as usize];
        let _ = world.set_motion(any, motion);
        let any = live[below(live.len() as u32) as usize];
        let _ = world.set_filter(any, Filter::layers(1 << below(4)));
        let any = live[below(live.len() as u32) as usize];
        let _ = world.set_swept(any, below(2) == 0);
    }
    world
        .update_dynamic(|_, (velocity, _), bounds| {
            let ends = bounds.min.into_iter().zip(bounds.max);
            for (velocity, (min, max)) in velocity.iter_mut().zip(ends) {
                if min < 0.0 && *velocity < 0.0 || max > SIDE && *velocity > 0.0 {
                    *velocity = -*velocity;
                }
            }
            *bounds = bounds.translated(*velocity);
        })
        .unwrap();
    world.step();
    // Let events change user data, so that wrong events change the following ticks.
    let met: Vec<Handle> = world.began().flat_map(|overlap| overlap.handles).collect();
    for object in met {
        world.user_mut(object).unwrap().1 += 1;
    }
    let parted: Vec<Handle> = world.ended().map(|overlap| overlap.handles[1]).collect();
    for object in parted {
        if world.get(object).is_some_and(|object| object.user.1 % 64 == 63) {
            world.remove(object);
        }
    }
}

fn begin(algorithm: Algorithm, backend: Backend, objects: u32) -> World {
    let options = Options::new().algorithm(algorithm).backend(backend);
    let mut world = World::with_options(options);
    let mut random = random(0);
    let mut below = |n: u32| random.next_u32() % n;
    for _ in 0..objects {
        let at = [below(SIDE as u32) as f32, below(SIDE as u32) as f32];
        let velocity = [below(9) as f32 - 4.0, below(9) as f32 - 4.0];
        world.insert(Aabb::of_ball(at, 1.0 + below(16) as f32), (velocity, 0)).unwrap();
    }
    world
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Simulates two peers. The first gets every input in time, on two threads. The second gets some
/// inputs up to eight ticks late, on one thread: it predicts, rolls back and simulates again.
/// Hashes must be equal after every tick.
fn peers(first: (Algorithm, Backend), second: (Algorithm, Backend), objects: u32, ticks: u64) {
    let mut punctual = begin(first.0, first.1, objects);
    let mut late = begin(second.0, second.1, objects);
    let mut ring = SnapshotRing::new(8);
    let mut random = random(objects.into());
    let pools = [pool(2), pool(1)];
    let mut hashes = Vec::new();
    let (mut settled, mut replayed, mut events) = (0, 0, 0);
    for tick in 0..ticks {
        pools[0].install(|| advance(&mut punctual, Input(tick)));
        hashes.push(punctual.state_hash());
        events += punctual.began().len() + punctual.ended().len();
        // Until the real input arrives, simulate with a predicted one.
        ring.save(tick, &late);
        pools[1].install(|| advance(&mut late, Input(u64::MAX - tick)));
        let behind = tick + 1 - settled;
        if behind == 8 || random.next_u32().is_multiple_of(4) || tick + 1 == ticks {
            ring.restore(settled, &mut late).unwrap();
            if tick % 16 == 0 {
                late.assert_well_formed();
            }
            for again in settled..=tick {
                ring.save(again, &late);
                pools[1].install(|| advance(&mut late, Input(again)));
                assert_eq!(late.state_hash(), hashes[again as usize], "after tick {again}");
                replayed += 1;
            }
            settled = tick + 1;
            assert!(late.pairs().eq(punctual.pairs()), "after tick {tick}");
            assert!(late.began().eq(punctual.began()), "after tick {tick}");
            assert!(late.ended().eq(punctual.ended()), "after tick {tick}");
        }
    }
    assert!(replayed >= ticks && events > ticks as usize, "{replayed} ticks, {events} events");
}

fn best() -> Backend {
    Backend::detect()
}

/// One peer steps on one thread, the other on three.
#[test]
#[cfg(all(feature = "rayon", feature = "hshg"))]
fn peers_with_different_numbers_of_threads_agree() {
    let hashes = [1, 3].map(|threads| {
        pool(threads).install(|| {
            let mut world = begin(Algorithm::Hshg, best(), 40_000);
            let hashes = (0..6).map(|tick| {
                advance(&mut world, Input(tick));
                world
                    .par_update(|_, (velocity, _), bounds| *bounds = bounds.translated(*velocity))
                    .unwrap();
                world.state_hash()
            });
            hashes.collect::<Vec<u64>>()
        })
    });
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn peers_with_every_combination_of_structures_agree() {
    for &second in Algorithm::ALL {
        peers((Algorithm::Brute, Backend::SCALAR), (second, best()), 300, 60);
        peers((second, Backend::SCALAR), (Algorithm::Auto, best()), 600, 30);
    }
}

#[test]
fn snapshots_of_other_kinds_are_rejected() {
    let mut saved = Vec::new();
    begin(Algorithm::Auto, best(), 10).snapshot_into(&mut saved);
    let text = |restored: Result<(), SnapshotError>| {
        let text = restored.unwrap_err().to_string();
        text.strip_prefix("snapshot of another kind of world: ").map(str::to_owned).expect(&text)
    };
    type User = ([f32; 2], u32);
    let numbers = ["f64", "i32"]
        .map(|world| format!("number type f32 in the snapshot, {world} in this world"));
    assert_eq!(text(BroadPhase::<f64, 2, User>::new().restore(&saved)), numbers[0]);
    assert_eq!(text(BroadPhase::<i32, 2, User>::new().restore(&saved)), numbers[1]);
    let dimensions = "2 dimensions in the snapshot, 3 in this world";
    assert_eq!(text(BroadPhase::<f32, 3, User>::new().restore(&saved)), dimensions);
    let users = [
        text(BroadPhase::<f32, 2, u8>::new().restore(&saved)),
        text(BroadPhase::<f32, 2, ([i32; 2], u32)>::new().restore(&saved)),
    ];
    for (text, world) in users.iter().zip(["u8 of 1 bytes", "([i32; 2], u32) of 12 bytes"]) {
        let saved =
            format!("user data of 12 bytes (type number {:#x}) in the snapshot, ", User::KIND);
        assert!(text.starts_with(&(saved + world)), "{text}");
    }
    let wraps = World::with_options(Options::new().wrap([64.5, 0.0])).restore(&saved);
    assert_eq!(text(wraps), "sides [0, 0] in the snapshot, [64.5, 0] in this world");
    let silent = World::with_options(Options::new().events(false)).restore(&saved);
    assert_eq!(text(silent), "events enabled in the snapshot, disabled in this world");
    let hexagons = BroadPhase::<f32, 2, User, hexphase::Hexagon>::new().restore(&saved);
    let volumes = format!("volumes of 16 bytes (type number {:#x}) ", <Aabb as Plain>::KIND);
    assert!(text(hexagons).starts_with(&volumes));
    assert_eq!(World::new().restore(b"hexphas"), Err(SnapshotError::NotASnapshot));
    let without = World::new().restore_with(&saved, |_, _| Aabb::point([0.0; 2]));
    assert_eq!(without, Err(SnapshotError::Bounds));
}

/// The limit of six bytes does not include bounds and user data.
#[test]
fn snapshots_have_at_most_six_bytes_per_object() {
    let options = Options::new().events(false);
    let mut world: BroadPhase<f32, 2, u64> = BroadPhase::with_options(options);
    let objects: u32 = 20_000;
    for n in 0..objects {
        let filter = Filter::layers(u64::from(n % 1000));
        world.insert_with(Aabb::point([n as f32, 0.0]), 0, Motion::Dynamic, filter).unwrap();
    }
    // Reuse slots many times, so that generations need three bytes.
    for _ in 0..70_000 {
        let object = world.handles().next().unwrap();
        world.remove(object);
        world.insert_with(Aabb::point([0.0, 0.0]), 0, Motion::Static, Filter::layers(1)).unwrap();
    }
    let mut saved = Vec::new();
    world.snapshot_into(&mut saved);
    let table = 24 * 1000 + 100;
    let each = (saved.len() - table) as f64 / f64::from(objects);
    assert!(each <= 16.0 + 8.0 + 6.0, "{each} bytes per object");
    world.snapshot_without_bounds(&mut saved);
    let each = (saved.len() - table) as f64 / f64::from(objects);
    assert!(each <= 8.0 + 6.0, "{each} bytes per object without bounds");
}

/// Removes all objects but a few, in no particular order.
fn remove_most(world: &mut World, remaining: usize) {
    let mut handles: Vec<Handle> = world.handles().collect();
    handles.sort_by_key(|object| object.index().wrapping_mul(0x9e37_79b9));
    for object in &handles[remaining..] {
        world.remove(*object);
    }
    world.step();
    world.step();
}

#[test]
fn snapshots_do_not_grow_with_the_past() {
    let size = |world: &World| {
        let mut saved = Vec::new();
        world.snapshot_into(&mut saved);
        saved.len()
    };
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm);
        let fill = |world: &mut World, count: u32| {
            for n in 0..count {
                let bounds = Aabb::point([(n % 300) as f32, (n / 300) as f32]);
                let filter = Filter::layers(1).owner(1 + n % 1000);
                world.insert_with(bounds, ([0.0; 2], n), Motion::Dynamic, filter).unwrap();
            }
            world.step();
        };
        let mut world = World::with_options(options);
        world.shrink_to_fit();
        let (empty, bytes) = (size(&world), world.stats().bytes);
        for _ in 0..3 {
            fill(&mut world, 20_000);
            remove_most(&mut world, 10);
            assert!(size(&world) < empty + 10 * (28 + 24 + 6 + 5), "{algorithm}");
            remove_most(&mut world, 0);
            assert_eq!(size(&world), empty, "{algorithm}");
        }
        world.shrink_to_fit();
        let now = world.stats().bytes;
        assert!(now <= bytes + 2000, "{algorithm}: {bytes} bytes at first, {now} in the end");
        world.assert_well_formed();

        // Use one slot often.
        fill(&mut world, 1000);
        let before = size(&world);
        for _ in 0..70_000 {
            let object = world.handles().nth(500).unwrap();
            world.remove(object);
            world.insert(Aabb::point([0.0; 2]), ([0.0; 2], 0)).unwrap();
        }
        assert!(size(&world) < before + 64 * 3 + 24, "{algorithm}");
    }
}
