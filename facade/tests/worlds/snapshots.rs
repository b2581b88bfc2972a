//! Snapshots: which worlds refuse them, and their sizes. The laws restore them into worlds with
//! other structures and backends.

use hexphase::{
    Aabb, Algorithm, BroadPhase, Filter, Handle, Motion, Object, Options, Plain, SnapshotError,
};

type World = BroadPhase<f32, 2, ([f32; 2], u32)>;

#[test]
fn snapshots_of_other_kinds_are_rejected() {
    let (mut world, mut saved) = (World::new(), Vec::new());
    world.insert(Aabb::point([0.0; 2]), ([0.0; 2], 0)).unwrap();
    world.snapshot_into(&mut saved);
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
        world.insert_object(Object::new(Aabb::point([n as f32, 0.0]), 0).filter(filter)).unwrap();
    }
    // Reuse slots many times, so that generations need three bytes.
    for _ in 0..70_000 {
        let object = world.handles().next().unwrap();
        world.remove(object);
        world
            .insert_object(
                Object::new(Aabb::point([0.0, 0.0]), 0)
                    .motion(Motion::Static)
                    .filter(Filter::layers(1)),
            )
            .unwrap();
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
                world.insert_object(Object::new(bounds, ([0.0; 2], n)).filter(filter)).unwrap();
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
