//! −0 is stored as 0 in every volume, whichever function sets the bounds. Otherwise equal worlds
//! would have different state hashes, which peers of a lockstep game take for a desync.

use hexphase::bounds::{Axes, Pragmatic, Turned};
use hexphase::{
    Aabb, Algorithm, Bounds, BroadPhase, Handle, HexPrism, Hexagon, Number, Options, Plain,
};

type World<S, const D: usize, B> = BroadPhase<S, D, u8, B>;

/// A way to set the bounds of all objects of a world to a volume: its name, and the function.
type Way<S, const D: usize, B> = (&'static str, fn(&mut World<S, D, B>, &[Handle], B));

/// Returns all ways to set bounds, except insertion.
fn ways<S: Number + Plain, const D: usize, B: Bounds<S, D> + Plain>() -> [Way<S, D, B>; 5] {
    [
        ("set_bounds", |world, objects, volume| {
            objects.iter().for_each(|&object| world.set_bounds(object, volume).unwrap());
        }),
        ("update", |world, _, volume| world.update(|_, _, bounds| *bounds = volume).unwrap()),
        ("update_dynamic", |world, _, volume| {
            world.update_dynamic(|_, _, bounds| *bounds = volume).unwrap();
        }),
        ("par_update", |world, _, volume| {
            world.par_update(|_, _, bounds| *bounds = volume).unwrap();
        }),
        ("restore_with", |world, _, volume| {
            let mut saved = Vec::new();
            world.snapshot_without_bounds(&mut saved);
            world.restore_with(&saved, |_, _| volume).unwrap();
        }),
    ]
}

/// Returns a snapshot in which all objects are swept, after a step.
fn saved<S: Number + Plain, const D: usize, B: Bounds<S, D> + Plain>(
    world: &mut World<S, D, B>,
) -> Vec<u8> {
    let objects: Vec<Handle> = world.handles().collect();
    objects.iter().for_each(|&object| world.set_swept(object, true).unwrap());
    world.step();
    let mut bytes = Vec::new();
    world.snapshot_into(&mut bytes);
    bytes
}

/// Checks that volumes made from −0 and from 0 are stored alike, in every structure and by every
/// way to set bounds. `volume` returns a valid volume for each number from 0 to 1.
fn law<S: Number + Plain, const D: usize, B: Bounds<S, D> + Plain>(
    options: Options<S, D>,
    volume: impl Fn(S) -> B,
) {
    let [zero, minus_zero, away] = [0.0, -0.0, 1.0].map(|number| volume(S::from_f64(number)));
    let bytes = [zero, minus_zero].map(|volume| {
        let mut bytes = Vec::new();
        volume.write(&mut bytes);
        bytes
    });
    assert_ne!(bytes[0], bytes[1], "no number of the volume is −0");
    for &algorithm in Algorithm::ALL {
        let world_of = |volume: B| {
            let mut world = World::<S, D, B>::with_options(options.algorithm(algorithm));
            let insert = |user| world.insert(volume, user).unwrap();
            let objects: Vec<Handle> = (0..9).map(insert).collect();
            (world, objects)
        };
        let expected = saved(&mut world_of(zero).0);
        assert!(saved(&mut world_of(minus_zero).0) == expected, "insert, {algorithm}");
        for (name, way) in ways::<S, D, B>() {
            let (mut world, objects) = world_of(away);
            way(&mut world, &objects, minus_zero);
            assert!(saved(&mut world) == expected, "{name}, {algorithm}");
        }
    }
}

fn boxes<S: Number + Plain, const D: usize>() {
    let bounds = |zero: S| Aabb::new([zero; D], [S::from_f64(1.0); D]);
    law(Options::new(), bounds);
    law(Options::new(), |zero: S| Aabb::new([S::from_f64(-1.0); D], [zero; D]));
    law(Options::new().wrap([S::from_f64(4.0); D]), bounds);
}

fn hexagons_and_prisms<S: Number + Plain, A: Axes>() {
    let [one, two] = [1.0, 2.0].map(S::from_f64);
    let below = S::from_f64(-2.0);
    law(Options::new(), |zero| Hexagon::<S, A>::new([zero, zero, below], [one, two, zero]));
    law(Options::new(), |zero| Hexagon::<S, A>::new([below, below, zero], [zero, zero, two]));
    law(Options::new(), |zero| {
        HexPrism::<S, A>::new([zero, zero, below], [one, two, zero], [zero, one])
    });
    law(Options::new(), |zero| {
        HexPrism::<S, A>::new([below, below, zero], [zero, zero, two], [below, zero])
    });
}

#[test]
fn minus_zero_is_stored_as_zero_in_every_volume() {
    boxes::<f32, 2>();
    boxes::<f64, 3>();
    hexagons_and_prisms::<f32, Pragmatic>();
    hexagons_and_prisms::<f64, Turned>();
}
