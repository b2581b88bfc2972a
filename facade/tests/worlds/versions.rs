//! Snapshots written earlier are read: one file in `facade/tests/snapshots` for each kind of world.
//!
//! A change of the format makes these tests fail. Then raise `VERSION` in
//! `facade/src/snapshot/mod.rs`, and write new files:
//!
//! ```console
//! $ HEXPHASE_WRITE_SNAPSHOTS=1 cargo test -p hexphase --all-features --test worlds versions::
//! ```

use core::fmt::Debug;
use std::path::Path;
use std::{env, fs};

use hexphase::{
    Aabb, Algorithm, Ball, Bounds, BroadPhase, Filter, Handle, HexPrism, Hexagon, Motion, Number,
    Object, Options, Overlap, Plain, Scalar, SnapshotError, SweptHit, plain,
};

plain! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Unit {
        team: u8,
        at: [i16; 2],
        target: Option<Handle>,
    }
}

type World<S, const D: usize, B> = BroadPhase<S, D, Unit, B>;

/// Returns the volume around a point with a given extent.
type Volume<S, const D: usize, B> = fn([S; D], S) -> B;

/// Range of the bytes of the version.
const VERSION: core::ops::Range<usize> = 8..10;

/// Returns the volume of an object in a tick. Volumes overlap their neighbors, and move.
fn placed<S: Scalar, const D: usize, B>(volume: Volume<S, D, B>, number: u32, tick: u32) -> B {
    let at = |axis: u32| S::from_f64(f64::from(number * (axis + 1) % 7 * 8 + tick * (number % 3)));
    volume(core::array::from_fn(|axis| at(axis as u32)), S::from_f64(5.0))
}

/// Returns a world with free slots, several filters, swept objects, and objects that were removed
/// or got another filter after the step.
fn world<S: Number, const D: usize, B: Bounds<S, D>>(
    options: Options<S, D>,
    volume: Volume<S, D, B>,
) -> World<S, D, B> {
    let mut world = World::with_options(options);
    let mut objects = Vec::new();
    for number in 0..14 {
        let target = objects.last().copied();
        let unit = Unit { team: number as u8 % 2, at: [number as i16, -3], target };
        let motion = [Motion::Dynamic, Motion::Dynamic, Motion::Static, Motion::Sleeping];
        let filter = [Filter::ALL, Filter::layers(6), Filter::layers(2).mask(2).owner(9)];
        let object = Object::new(placed(volume, number, 0), unit)
            .motion(motion[number as usize % 4])
            .filter(filter[number as usize % 3]);
        objects.push(world.insert_object(object).expect("valid bounds"));
    }
    let remove = |world: &mut World<S, D, B>, numbers: &[usize]| {
        numbers.iter().for_each(|&number| assert!(world.remove(objects[number]).is_some()));
    };
    remove(&mut world, &[3, 9]);
    for number in [4, 5] {
        world.set_swept(objects[number], true).expect("live object");
        world.set_bounds(objects[number], placed(volume, number as u32, 3)).expect("live object");
    }
    world.step();
    assert!(world.pairs().len() > 4, "too few pairs");
    world.set_bounds(objects[4], placed(volume, 4, 5)).expect("live object");
    world.set_filter(objects[0], Filter::NONE).expect("live object");
    remove(&mut world, &[7, 13]);
    world
}

/// The results of a step.
type Results<S> = (Vec<Overlap<Unit>>, Vec<Overlap<Unit>>, Vec<SweptHit<Unit, S>>, Handle, u64);

/// Changes a world, takes a step, and returns the results.
fn proceed<S: Number + Plain, const D: usize, B: Bounds<S, D> + Plain>(
    world: &mut World<S, D, B>,
    volume: Volume<S, D, B>,
) -> Results<S::Real> {
    world.assert_well_formed();
    let unit = Unit { team: 7, at: [0; 2], target: None };
    let new = world.insert(placed(volume, 3, 9), unit).expect("valid bounds");
    let moved = world.update(|object, _, bounds| *bounds = placed(volume, object.index(), 9));
    moved.expect("valid bounds");
    world.step();
    let mut hits = Vec::new();
    world.swept_hits(world.pairs(), &mut hits);
    (world.pairs().collect(), world.ended().collect(), hits, new, world.state_hash())
}

/// Compares the file with the present snapshot, and worlds restored from it with the world that
/// wrote it.
fn check<S, const D: usize, B>(name: &str, options: Options<S, D>, volume: Volume<S, D, B>)
where
    S: Number + Plain,
    S::Real: Debug + PartialEq,
    B: Bounds<S, D> + Plain + Debug + PartialEq,
{
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}.bin"));
    let (mut written, mut original) = (Vec::new(), world(options, volume));
    let hash = original.snapshot_into(&mut written);
    let old = fs::read(&path).unwrap_or_default();
    if env::var_os("HEXPHASE_WRITE_SNAPSHOTS").is_some() && old != written {
        let rises = old.get(VERSION) != written.get(VERSION);
        assert!(rises, "{name}: the format has changed, but not its version");
        fs::write(&path, &written).expect("a file");
        return;
    }
    assert!(
        old == written,
        "{name}: the format has changed; the head of this file says what to do"
    );

    let objects: Vec<_> = original.objects().collect();
    let results = proceed(&mut original, volume);
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm);
        let mut restored = World::<S, D, B>::from_snapshot(&old, options).expect("this version");
        assert_eq!(restored.state_hash(), hash, "{name}, {algorithm}");
        assert!(restored.objects().eq(objects.iter().copied()), "{name}, {algorithm}");
        assert_eq!(proceed(&mut restored, volume), results, "{name}, {algorithm}");
    }

    let version = u16::read(&mut &old[VERSION]).expect("two bytes");
    for other in [version - 1, version + 1] {
        let mut bytes = old.clone();
        bytes[VERSION].copy_from_slice(&other.to_le_bytes());
        let refused = World::<S, D, B>::from_snapshot(&bytes, Options::new()).err();
        assert_eq!(refused, Some(SnapshotError::Version(other)), "{name}");
        let text =
            format!("snapshot version {other} is not supported: only version {version} is read");
        assert_eq!(refused.map(|why| why.to_string()), Some(text));
    }
}

/// Defines a test for a kind of world: number type, dimension, volume, options, and the function
/// that makes volumes.
macro_rules! kinds {
    ($($name:ident: $S:ident $D:literal $B:ty, $options:expr, $volume:expr;)*) => {$(
        #[test]
        fn $name() {
            check::<$S, $D, $B>(stringify!($name), $options, $volume);
        }
    )*};
}

/// Returns the corners of a square.
fn corners<S: Scalar>([x, y]: [S; 2], side: S) -> [[S; 2]; 4] {
    [[x, y], [x.plus(side), y], [x, y.plus(side)], [x.plus(side), y.plus(side)]]
}

kinds! {
    f32_2d: f32 2 Aabb, Options::new(), |at, r| Aabb::around(at, [r; 2]);
    f64_2d_wraps: f64 2 Aabb<f64>, Options::new().wrap([64.0, 0.0]), Aabb::of_ball;
    i32_2d_without_events: i32 2 Aabb<i32>, Options::new().events(false),
        |at, r| Aabb::around(at, [r; 2]);
    f32_3d_wraps: f32 3 Aabb<f32, 3>, Options::new().wrap([64.0, 80.0, 96.0]),
        |at, r| Aabb::around(at, [r; 3]);
    i32_3d: i32 3 Aabb<i32, 3>, Options::new(), |at, r| Aabb::around(at, [r; 3]);
    f64_1d: f64 1 Aabb<f64, 1>, Options::new(), |at, r| Aabb::around(at, [r]);
    f32_balls: f32 3 Ball<f32, 3>, Options::new(), Ball::new;
    i32_hexagons: i32 2 Hexagon<i32>, Options::new().wrap([64, 0]),
        |at, r| Hexagon::of_points(corners(at, r)).expect("valid points");
    f64_prisms: f64 3 HexPrism<f64>, Options::new(), |[x, y, z], r| {
        let at = |z: f64| corners([x, y], r).map(|[x, y]| [x, y, z]);
        HexPrism::of_points([at(z), at(z + r)].concat()).expect("valid points")
    };
}
