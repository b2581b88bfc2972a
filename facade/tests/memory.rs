//! If an allocation fails, functions that promise an error return it, and the world is unchanged.
//!
//! A program of its own: it limits the memory of the whole process, so it has one test.

use std::alloc::System;

use cap::Cap;
use hexphase::{
    Aabb, Algorithm, Bounds, BroadPhase, Error, Filter, Handle, Hexagon, Motion, Object, Options,
    Plain,
};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

type World<B> = BroadPhase<f32, 2, u32, B>;

/// A function that may fail for lack of memory.
type Act<B> = dyn Fn(&mut World<B>) -> Result<(), Error>;

/// Calls a function on copies of a world, with more memory each time, from none to enough. Returns
/// the number of failures.
fn starve<B: Bounds<f32, 2> + Plain>(name: &str, world: &World<B>, act: &Act<B>) -> usize {
    let (before, mut expected) = (world.state_hash(), world.clone());
    act(&mut expected).expect(name);
    expected.step();
    let (mut bytes, mut failures) = (0, 0);
    loop {
        let mut starved = world.clone();
        ALLOCATOR.set_limit(ALLOCATOR.allocated() + bytes).expect("a limit that is not exceeded");
        let result = act(&mut starved);
        ALLOCATOR.set_limit(usize::MAX).expect("no limit");
        starved.assert_well_formed();
        match result {
            Ok(()) => break,
            Err(Error::OutOfMemory) => {
                assert_eq!(starved.state_hash(), before, "{name}, {bytes} bytes");
                act(&mut starved).expect(name);
            }
            Err(why) => panic!("{name}, {bytes} bytes: {why}"),
        }
        starved.step();
        assert_eq!(starved.state_hash(), expected.state_hash(), "{name}, {bytes} bytes");
        failures += 1;
        bytes += 8.max(bytes / 64 / 8 * 8);
    }
    failures
}

/// Starves every function that promises an error, in a world of a given structure.
fn starve_all<B: Bounds<f32, 2> + Plain + 'static>(algorithm: Algorithm, volume: fn(u32) -> B) {
    let object = move |number: u32| {
        let filter = Filter::layers(1 << (number % 3));
        Object::new(volume(number), number).filter(filter)
    };
    let mut world = World::<B>::with_options(Options::new().algorithm(algorithm));
    let mut handles = Vec::new();
    let first: Vec<_> = (0..300).map(object).collect();
    world.insert_many(&first, &mut handles).expect("valid bounds");
    world.step();
    for &object in &handles[250..] {
        world.remove(object);
    }
    // Exact capacities, so that each list grows.
    world.shrink_to_fit();
    let (removed, moved) = (handles[..200].to_vec(), handles[5]);
    let more: Vec<_> = (300..700).map(object).collect();
    let acts: [(&str, Box<Act<B>>); 5] = [
        ("try_reserve", Box::new(|world| world.try_reserve(500))),
        ("insert", Box::new(move |world| world.insert_object(object(999)).map(|_: Handle| ()))),
        ("insert_many", Box::new(move |world| world.insert_many(&more, &mut Vec::new()))),
        ("remove_many", Box::new(move |world| world.remove_many(&removed))),
        ("set_motion", Box::new(move |world| world.set_motion(moved, Motion::Static))),
    ];
    for (name, act) in acts {
        let failures = starve(&format!("{name}, {algorithm}"), &world, &*act);
        assert!(failures > 0 || name == "set_motion", "{name}, {algorithm}");
    }
}

/// Returns a point of a lattice.
fn at(number: u32) -> [f32; 2] {
    [(number % 20) as f32, (number / 20) as f32]
}

#[test]
fn if_memory_is_short_promised_errors_are_returned_and_nothing_has_changed() {
    for &algorithm in Algorithm::ALL {
        starve_all(algorithm, |number| Aabb::of_ball(at(number), 0.6));
        starve_all(algorithm, |number| {
            let [x, y] = at(number);
            Hexagon::<f32>::of_points([[x, y], [x + 1.2, y + 1.0]]).expect("valid points")
        });
    }
}
