//! Worlds that are changed and queried, but make no steps, find what brute force finds.

use core::cell::RefCell;

use hexphase::{
    Aabb, Algorithm, BroadPhase, Filter, Handle, Motion, NeighborLists, Options, Path, Region,
    Target,
};
use proptest::prelude::*;

type World = BroadPhase<f32, 2, u32>;

/// A change of a world, or queries.
#[derive(Clone, Debug)]
enum Op {
    Insert([i32; 2], i32),
    InsertMany(Vec<[i32; 2]>),
    Remove(usize),
    RemoveMany(usize),
    Move(usize, [i32; 2]),
    SetFilter(usize, u64),
    SetMotion(usize, Motion),
    Update,
    /// Single queries at a point.
    Query([i32; 2], u8),
    /// Queries of many regions, paths and targets.
    Many(Vec<[i32; 2]>),
    /// Neighbors of all objects.
    Neighbors,
    /// The world is replaced by its clone.
    Clone,
    /// A new world restores the snapshot of the world.
    Restore,
    Clear,
    /// Pairs within a distance, which must be those of the latest bounds.
    Pairs,
}

fn point() -> impl Strategy<Value = [i32; 2]> {
    [-60..60, -60..60]
}

fn op() -> impl Strategy<Value = Op> {
    let many = |most| prop::collection::vec(point(), 0..most);
    let motion = prop_oneof![Just(Motion::Dynamic), Just(Motion::Static), Just(Motion::Sleeping)];
    prop_oneof![
        6 => (point(), 0..9).prop_map(|(at, size)| Op::Insert(at, size)),
        4 => many(400).prop_map(Op::InsertMany),
        3 => any::<usize>().prop_map(Op::Remove),
        1 => any::<usize>().prop_map(Op::RemoveMany),
        6 => (any::<usize>(), point()).prop_map(|(object, at)| Op::Move(object, at)),
        2 => (any::<usize>(), 0..4u64).prop_map(|(object, layers)| Op::SetFilter(object, layers)),
        2 => (any::<usize>(), motion).prop_map(|(object, motion)| Op::SetMotion(object, motion)),
        1 => Just(Op::Update),
        8 => (point(), 0..12u8).prop_map(|(at, times)| Op::Query(at, times)),
        4 => many(30).prop_map(Op::Many),
        1 => Just(Op::Neighbors),
        1 => Just(Op::Clone),
        1 => Just(Op::Restore),
        1 => Just(Op::Clear),
        1 => Just(Op::Pairs),
    ]
}

fn disc([x, y]: [i32; 2], size: i32) -> Aabb {
    Aabb::around([x as f32, y as f32], [size as f32 * 0.5, 1.0])
}

/// Everything that the queries of an operation return.
fn results(world: &mut World, options: Options<f32, 2>, all: &mut Vec<Handle>, op: &Op) -> String {
    let pick = |all: &Vec<Handle>, at: usize| all.get(at % all.len().max(1)).copied();
    let near = |at: [i32; 2]| at.map(|x| x as f32);
    let mut out = Vec::new();
    match *op {
        Op::Insert(at, size) => all.push(world.insert(disc(at, size), size as u32).unwrap()),
        Op::InsertMany(ref points) => {
            let object = |&at| (disc(at, 3), 3, Motion::Dynamic, Filter::ALL);
            let objects: Vec<_> = points.iter().map(object).collect();
            let mut handles = Vec::new();
            world.insert_many(&objects, &mut handles).unwrap();
            all.append(&mut handles);
        }
        Op::Remove(at) if !all.is_empty() => {
            let object = all.swap_remove(at % all.len());
            return format!("{:?}", world.remove(object));
        }
        Op::RemoveMany(at) if !all.is_empty() => {
            let gone = all.split_off(at % all.len());
            world.remove_many(&gone).unwrap();
        }
        Op::Move(at, to) => {
            if let Some(object) = pick(all, at) {
                world.set_bounds(object, disc(to, 4)).unwrap();
            }
        }
        Op::SetFilter(at, layers) => {
            if let Some(object) = pick(all, at) {
                world.set_filter(object, Filter::layers(layers)).unwrap();
            }
        }
        Op::SetMotion(at, motion) => {
            if let Some(object) = pick(all, at) {
                world.set_motion(object, motion).unwrap();
            }
        }
        Op::Update => world
            .update(|_, user, bounds| *bounds = bounds.translated([*user as f32, -1.0]))
            .unwrap(),
        Op::Query(at, times) => {
            for _ in 0..times {
                out.push(world.query(Region::ball(near(at), 9.0)).mask(!1).to_vec());
                let hits = world.cast(Path::ray(near(at), [1.0, 0.5]).until(99.0)).to_vec();
                out.push(hits.iter().map(|hit| hit.object).collect());
                let nearest = world.nearest(near(at)).take(3).to_vec();
                out.push(nearest.iter().map(|near| near.object).collect());
            }
        }
        Op::Many(ref points) => {
            let regions: Vec<_> = points.iter().map(|&at| Region::from(disc(at, 8))).collect();
            out.extend(world.query_many(&regions).to_lists().iter().map(<[_]>::to_vec));
            let targets: Vec<_> = points.iter().map(|&at| Target::point(near(at))).collect();
            for list in world.nearest_many(&targets).take(2).to_lists().iter() {
                out.push(list.iter().map(|near| near.object).collect());
            }
        }
        Op::Neighbors => {
            let lists = RefCell::new(NeighborLists::default());
            world.neighbors(2.0, &mut lists.borrow_mut());
            out.extend(lists.borrow().iter().map(|(_, near)| near.collect()));
            world.nearest_to_each(1, &mut lists.borrow_mut());
            out.extend(lists.borrow().iter().map(|(_, near)| near.collect()));
        }
        Op::Clone => *world = world.clone(),
        Op::Restore => {
            let mut bytes = Vec::new();
            world.snapshot_into(&mut bytes);
            *world = World::from_snapshot(&bytes, options).unwrap();
        }
        Op::Clear => {
            world.clear();
            all.clear();
        }
        Op::Pairs => {
            let pairs = world.pairs_within(1.0).to_vec();
            out.extend(pairs.iter().map(|pair| pair.to_vec()));
        }
        Op::Remove(_) | Op::RemoveMany(_) => {}
    }
    world.assert_well_formed();
    format!("{out:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn queries_find_what_brute_force_finds(
        ops in prop::collection::vec(op(), 1..40),
        wraps in any::<bool>(),
        skin in prop_oneof![Just(0.0f32), Just(2.0)],
    ) {
        let options = Options::new().wrap([if wraps { 100.0 } else { 0.0 }, 0.0]).skin(skin);
        let worlds = Algorithm::ALL.iter().map(|&algorithm| options.algorithm(algorithm));
        let mut worlds: Vec<_> =
            worlds.map(|options| (World::with_options(options), options, Vec::new())).collect();
        let brute = options.algorithm(Algorithm::Brute);
        let (mut expected, mut objects) = (World::with_options(brute), Vec::new());
        for op in &ops {
            let found = results(&mut expected, brute, &mut objects, op);
            for (world, options, all) in &mut worlds {
                let own = results(world, *options, all, op);
                prop_assert_eq!(&own, &found, "{:?} after {:?}", world.choice().algorithm, op);
            }
        }
    }
}

#[test]
fn threads_that_query_at_once_find_what_one_thread_finds() {
    for &algorithm in Algorithm::ALL {
        let mut world = World::with_options(Options::new().algorithm(algorithm));
        for n in 0..2000 {
            world.insert(disc([n % 50 * 3, n / 50 * 3], 5), n as u32).unwrap();
        }
        let optimized = {
            let mut world = world.clone();
            world.optimize();
            world
        };
        let search = |world: &World, seed: i32| {
            (0..200)
                .map(|n| world.query(disc([n * 7 % 150, (n + seed) % 120], 9)).to_vec())
                .collect()
        };
        std::thread::scope(|scope| {
            let (world, search) = (&world, &search);
            let threads: Vec<_> =
                (0..4).map(|seed| scope.spawn(move || search(world, seed))).collect();
            for (seed, thread) in (0..).zip(threads) {
                let found: Vec<Vec<Handle>> = thread.join().unwrap();
                assert_eq!(found, search(&optimized, seed), "{algorithm}");
            }
        });
        world.assert_well_formed();
    }
}

#[test]
#[cfg(feature = "hash")]
fn queries_select_the_structure_of_a_world_that_makes_no_step() {
    let mut world = World::with_options(Options::new().algorithm(Algorithm::Hash));
    for n in 0..1000 {
        world.insert(disc([n % 50 * 3, n / 50 * 3], 5), n as u32).unwrap();
    }
    assert_eq!(world.choice().algorithm, Some(Algorithm::Brute));
    let found = |world: &World| world.query(disc([30, 30], 9)).to_vec();
    let first = found(&world);
    for _ in 0..4 {
        assert_eq!(found(&world), first);
    }
    assert_eq!(world.choice().algorithm, Some(Algorithm::Hash));
    world.insert(disc([0, 0], 1), 0).unwrap();
    assert_eq!(world.choice().algorithm, Some(Algorithm::Hash));
    assert_eq!(found(&world), first);
}
