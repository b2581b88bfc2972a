//! A panic of a closure, at any of its calls: the world stays valid, and only updates change it. The
//! laws of structures and of worlds test random panics in steps, updates and queries.

use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};

use hexphase::{
    Aabb, Algorithm, BroadPhase, Filter, Handle, Lists, Motion, Object, Options, Path, Region,
};

type World = BroadPhase<f32, 2, u32>;

const ALL: Aabb = Aabb { min: [-99.0; 2], max: [99.0; 2] };

thread_local! {
    /// The number of calls before the one that panics. Closures are called on the thread of the test,
    /// because the worlds are small.
    static CALLS_LEFT: Cell<usize> = const { Cell::new(0) };
}

/// Panics, without a message, if this is the call that must panic.
fn count() {
    let left = CALLS_LEFT.get();
    CALLS_LEFT.set(left.wrapping_sub(1));
    if left == 0 {
        resume_unwind(Box::new("on purpose"));
    }
}

/// A call whose closures call [`count`]. The bytes are a snapshot without bounds.
type Call = fn(&mut World, &[u8]);

/// Names of calls, whether they change the world if a closure panics, and the calls.
const CALLS: [(&str, bool, Call); 18] = [
    ("update", true, |world, _| {
        let _ = world.update(|_, user, bounds| {
            *user += 1;
            count();
            *bounds = placed(*user + 9);
        });
    }),
    ("update_dynamic", true, |world, _| {
        let _ = world.update_dynamic(|_, user, bounds| {
            count();
            *bounds = placed(*user + 9);
        });
    }),
    ("par_update", true, |world, _| {
        let _ = world.par_update(|_, &user, bounds| {
            count();
            *bounds = placed(user + 9);
        });
    }),
    ("step_where", false, |world, _| {
        world.step_where(|_| {
            count();
            true
        });
    }),
    ("restore_with", false, |world, saved| {
        let _ = world.restore_with(saved, |_, &user| {
            count();
            placed(user)
        });
    }),
    ("query: filter", false, |world, _| drop(world.query(ALL).filter(|_, _| accept()).to_vec())),
    ("query: visit", false, |world, _| world.query(ALL).visit(|_: Handle, _, _| count())),
    ("cast: filter", false, |world, _| drop(world.cast(path()).filter(|_, _| accept()).to_vec())),
    ("cast: visit", false, |world, _| world.cast(path()).visit(|_, _, _| count())),
    ("nearest: filter", false, |world, _| {
        drop(world.nearest([3.0, 3.0]).filter(|_, _| accept()).to_vec());
    }),
    ("nearest: visit", false, |world, _| world.nearest([3.0, 3.0]).visit(|_, _, _| count())),
    ("query_many: filter", false, |world, _| {
        let regions = [Region::from(ALL); 2];
        world.query_many(&regions).filter(|_, _| accept()).write_to(&mut Lists::default());
    }),
    ("cast_many: filter", false, |world, _| {
        world.cast_many(&[path()]).filter(|_, _| accept()).write_to(&mut Lists::default());
    }),
    ("pairs_within: visit", false, |world, _| world.pairs_within(1.0).visit(|_, _, _| count())),
    ("pairs: visit", false, |world, _| world.pairs().visit(|_, _| count())),
    ("pairs: by_key", false, |world, _| {
        let key = |&user: &u32| {
            count();
            user.into()
        };
        world.pairs().by_key(key, &mut Vec::new());
    }),
    ("swept_hits", false, |world, _| {
        world.swept_hits(world.pairs().inspect(|_| count()), &mut Vec::new());
    }),
    ("debug_lines", false, |world, _| world.debug_lines(|_| count())),
];

fn accept() -> bool {
    count();
    true
}

fn path() -> Path {
    Path::segment([-1.0, -1.0], [9.0, 9.0])
}

/// Returns bounds that overlap those of their neighbors.
fn placed(number: u32) -> Aabb {
    Aabb::of_ball([(number % 8) as f32, (number / 8) as f32], 0.6)
}

#[test]
fn after_a_panic_of_any_closure_at_any_call_the_world_is_valid() {
    for &algorithm in Algorithm::ALL {
        let mut world = World::with_options(Options::new().algorithm(algorithm));
        for user in 0..40 {
            let motion = if user % 5 == 0 { Motion::Static } else { Motion::Dynamic };
            let filter = Filter::layers(1 << (user % 2));
            let object = Object::new(placed(user), user).motion(motion).filter(filter);
            let object = world.insert_object(object).expect("valid bounds");
            world.set_swept(object, user % 3 == 0).expect("live object");
        }
        world.step();
        let (mut saved, mut boundless) = (Vec::new(), Vec::new());
        let hash = world.snapshot_into(&mut saved);
        world.snapshot_without_bounds(&mut boundless);
        for (name, changes, call) in CALLS {
            let mut calls = 0;
            loop {
                let mut panicked = world.clone();
                CALLS_LEFT.set(calls);
                let run = AssertUnwindSafe(|| call(&mut panicked, &boundless));
                if catch_unwind(run).is_ok() {
                    break;
                }
                panicked.assert_well_formed();
                if !changes {
                    assert_eq!(panicked.state_hash(), hash, "{name}, call {calls}, {algorithm}");
                }
                panicked.restore(&saved).expect("a valid snapshot");
                panicked.step();
                panicked.assert_well_formed();
                let pairs =
                    |world: &World| world.pairs().map(|pair| pair.users).collect::<Vec<_>>();
                assert_eq!(pairs(&panicked), pairs(&world), "{name}, call {calls}, {algorithm}");
                calls += 1;
            }
            assert!(calls > 5, "{name}: {calls} calls, {algorithm}");
        }
    }
}

/// The tasks of the caller share the threads of the pool with those of the world.
#[test]
#[cfg(feature = "rayon")]
fn panics_of_other_tasks_in_the_pool_do_not_change_results() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).panic_handler(drop);
    let pool = pool.build().expect("three threads");
    for &algorithm in Algorithm::ALL.iter().filter(|&&algorithm| algorithm != Algorithm::Brute) {
        let run = || {
            let mut world = World::with_options(Options::new().algorithm(algorithm));
            let objects = (0..20_000).map(|user| Object::new(placed(user), user));
            let objects: Vec<_> = objects.collect();
            world.insert_many(&objects, &mut Vec::new()).expect("valid bounds");
            for _ in 0..3 {
                world.par_update(|_, _, bounds| bounds.max[0] += 0.1).expect("valid bounds");
                world.step();
            }
            world.state_hash()
        };
        let expected = run();
        for _ in 0..100 {
            pool.spawn(|| resume_unwind(Box::new("on purpose")));
        }
        assert_eq!(pool.install(run), expected, "{algorithm}");
    }
}
