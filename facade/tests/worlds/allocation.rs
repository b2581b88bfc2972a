//! Steady ticks do not allocate. In each tick everything moves, objects are replaced, filters
//! change, and events and query results are read; the number of pairs varies. Steps with a limit on
//! the number of pairs need little memory.

use broadphase_core::scenes::{Scene, SceneName};
use hexphase::{
    Algorithm, Backend, BroadPhase, Filter, Handle, Hit, Object, Options, Path, Region,
};

#[derive(Default)]
struct Answers {
    found: Vec<Handle>,
    hits: Vec<Hit>,
}

/// Runs queries that never allocate, and returns the number of results. (`nearest` is left out: it
/// allocates when it finds many objects at once.)
fn query(world: &BroadPhase<f32, 2, u32>, object: Handle, answers: &mut Answers) -> usize {
    let at = world.get(object).expect("live object").bounds.min;
    world.query(Region::ball(at, 40.0)).mask(1).write_to(&mut answers.found);
    let path = Path::segment(at, [at[0] + 50.0, at[1] + 20.0]);
    world.cast(path).except(object).write_to(&mut answers.hits);
    let found = answers.found.len() + answers.hits.len();
    world.overlapping(object, &mut answers.found).expect("live object");
    found + answers.found.len()
}

/// Takes a tick: moves all objects, replaces one in a hundred, and reads all pairs.
fn tick(
    world: &mut BroadPhase<f32, 2, u32>,
    handles: &mut [Handle],
    scene: &mut broadphase_core::scenes::Movers<2>,
    number: usize,
    answers: &mut Answers,
) -> u64 {
    scene.tick();
    world
        .update(|_, user, bounds| *bounds = scene.bounds(*user as usize))
        .expect("scenes are finite");
    for user in (number % 100..scene.len()).step_by(100) {
        world.remove(handles[user]).expect("live object");
        let bounds = scene.bounds(user);
        let filter = Filter::layers(1 << (user % 3)).owner(user as u32 % 50);
        let handle = world.insert_object(Object::new(bounds, user as u32).filter(filter));
        handles[user] = handle.expect("scenes are finite");
        let other = handles[(user + 50) % handles.len()];
        world.set_filter(other, Filter::layers(1)).expect("live object");
    }
    world.step();
    let found: usize =
        handles.iter().step_by(50).map(|&object| query(world, object, answers)).sum();
    let events = world.began().chain(world.ended());
    let events: u64 = events.map(|overlap| u64::from(overlap.users[1])).sum();
    world.pairs().map(|overlap| u64::from(overlap.users[0])).sum::<u64>() + events + found as u64
}

#[test]
fn a_thousand_steady_ticks_do_not_allocate() {
    for &algorithm in Algorithm::ALL {
        let Scene::Flat(mut scene) = "tail:1000".parse::<SceneName>().unwrap().generate() else {
            panic!("expected two dimensions");
        };
        let options = Options::new().algorithm(algorithm).backend(Backend::detect());
        let mut world = BroadPhase::with_options(options);
        let mut handles: Vec<Handle> = (0..)
            .zip(scene.all_bounds())
            .map(|(user, bounds)| world.insert(bounds, user).unwrap())
            .collect();
        let (mut counts, mut answers) = ([usize::MAX, 0], Answers::default());
        for number in 0..1000 {
            tick(&mut world, &mut handles, &mut scene, number, &mut answers);
        }
        let allocations = allocation_counter::measure(|| {
            for number in 0..1000 {
                tick(&mut world, &mut handles, &mut scene, number, &mut answers);
                let pairs = world.pairs().len();
                counts = [counts[0].min(pairs), counts[1].max(pairs)];
            }
        });
        assert!(counts[0] < counts[1], "the number of pairs does not vary");
        assert_eq!(allocations.count_total, 0, "{algorithm}");
    }
}

/// On several threads, a tick allocates only a few lists of ranges of objects, whatever the number
/// of pairs. Memory that rayon allocates on other threads is not counted.
#[test]
#[cfg(feature = "rayon")]
fn ticks_on_two_threads_allocate_little() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // A jittering lattice of discs that touch their neighbors.
    let bounds = |user: u32, tick: u32| {
        let jitter = (user * 7 + tick % 4) % 11;
        let at = [(user % 141 * 2) as f32, (user / 141 * 2) as f32 + jitter as f32 * 0.02];
        hexphase::Aabb::of_ball(at, 1.1)
    };
    for algorithm in Algorithm::ALL.iter().copied().filter(|&it| it != Algorithm::Brute) {
        let options = Options::new().algorithm(algorithm);
        let mut world: BroadPhase<f32, 2, u32> = BroadPhase::with_options(options);
        for user in 0..20_000 {
            world.insert(bounds(user, 0), user).unwrap();
        }
        let [mut update, mut step] = [0; 2];
        pool.install(|| {
            for tick in 0..60 {
                let updated = allocation_counter::measure(|| {
                    let change = world.par_update(|_, &user, at| *at = bounds(user, tick));
                    change.expect("bounds are finite");
                });
                let stepped = allocation_counter::measure(|| world.step());
                if tick >= 40 {
                    update += updated.count_total;
                    step += stepped.count_total;
                }
            }
        });
        assert!(world.pairs().len() > 2 * 16_384, "too few pairs to sort on two threads");
        assert!(update <= 20 * 16, "{algorithm}: {update} allocations in 20 updates");
        assert!(step <= 20 * 5, "{algorithm}: {step} allocations in 20 steps");
    }
}

/// Pairs are counted in batches of 1024.
#[test]
#[cfg(all(feature = "std", target_has_atomic = "64"))]
fn as_many_pairs_as_the_limit_are_all_stored() {
    for &algorithm in Algorithm::ALL {
        for points in [1024u16, 2048] {
            let options = Options::new().algorithm(algorithm);
            let mut world: BroadPhase<f32, 2, u32> = BroadPhase::with_options(options);
            let floor = hexphase::Aabb::new([0.0, 0.0], [4096.0, 0.0]);
            world.insert(floor, 0).expect("finite bounds");
            for x in 0..points {
                world
                    .insert(hexphase::Aabb::point([f32::from(x), 0.0]), x.into())
                    .expect("finite bounds");
            }
            world.step_up_to(points.into()).expect("few pairs");
            assert_eq!(world.pairs().len(), usize::from(points), "{algorithm}");
        }
    }
}

#[test]
#[cfg(all(feature = "std", target_has_atomic = "64"))]
fn memory_is_bounded_by_the_limit() {
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm).events(false);
        let mut world: BroadPhase<f32, 2, ()> = BroadPhase::with_options(options);
        for _ in 0..3000 {
            world.insert(hexphase::Aabb::point([0.0, 0.0]), ()).expect("finite bounds");
        }
        let mut found = Ok(());
        let used = allocation_counter::measure(|| found = world.step_up_to(100));
        assert_eq!(found.expect_err("all overlap").pairs, 4_498_500, "{algorithm}");
        // A list of the pairs would take 36 MB.
        assert!(used.bytes_max < 4_000_000, "{algorithm}: {used:?}");
        assert_eq!(world.pairs().len(), 0);
    }
}
