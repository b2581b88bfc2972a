//! Any number of threads: the same bits, in answers and in storage.
#![cfg(feature = "rayon")]

use core::ops::ControlFlow;

use broadphase_core::BruteForce;
use broadphase_core::scenes::{Scene, SceneName};
use broadphase_morton::{
    Aabb, IndexError, Lists, MortonCells, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, Torus,
};

/// How many threads are tried, besides one.
const THREADS: [usize; 3] = [2, 3, 4];

fn with_threads<R: Send>(count: usize, run: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads");
    pool.install(run)
}

/// What can be seen of a structure after a tick.
#[derive(Debug, PartialEq)]
struct Seen {
    walked: Result<(), IndexError>,
    pairs: Vec<Pair>,
    chosen: Vec<Pair>,
    of_some: Vec<Pair>,
    with_others: Vec<[u32; 2]>,
    order: Vec<u32>,
    found: Lists,
    near: Neighbors,
    nearest: Neighbors,
}

/// A number for a key and a tick.
const fn dice(key: u32, tick: u32) -> u32 {
    let mixed = (key ^ tick << 20).wrapping_mul(0x9E37_79B9);
    (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA6B) >> 8
}

fn boxes<S: Scalar, const D: usize>(scene: &str) -> Vec<Aabb<S, D>> {
    fn all<S: Scalar, const D: usize, const E: usize>(
        boxes: impl Iterator<Item = Aabb<f32, E>>,
    ) -> Vec<Aabb<S, D>> {
        // Integers are sixteenths.
        let number = |x: f32| S::from_f64(f64::from(x) * if S::INTEGER { 16.0 } else { 1.0 });
        let axes = |from: [f32; E]| core::array::from_fn(|axis| number(from[axis]));
        let boxes = boxes.map(|Aabb { min, max }| Aabb { min: axes(min), max: axes(max) });
        // On a line they would all be on top of each other.
        let apart = |n: usize| S::from_f64(if D == 1 { 16.0 * n as f64 } else { 0.0 });
        boxes.enumerate().map(|(n, bounds)| bounds.translated([apart(n); D])).collect()
    }
    match scene.parse::<SceneName>().expect("it is known").generate() {
        Scene::Flat(movers) => all(movers.all_bounds()),
        Scene::Solid(movers) => all(movers.all_bounds()),
    }
}

/// What becomes of an object in a tick.
fn change<S: Scalar, const D: usize>(key: u32, tick: u32, hits: &mut u32, bounds: &mut Aabb<S, D>) {
    let by = |dice: u32| S::from_f64(f64::from(dice % 9) - 4.0);
    let random = dice(key, tick);
    *hits += 1;
    match random % 997 {
        // Invalid, far away, or far larger.
        0 => bounds.min[0] = bounds.max[0].plus(S::from_f64(1.0)),
        1 => *bounds = bounds.translated([S::from_f64(5000.0); D]),
        2 => *bounds = bounds.enlarged(S::from_f64(100.0)),
        _ => {
            let step = core::array::from_fn(|axis| by(random >> (10 + 3 * axis)));
            *bounds = bounds.translated(step);
        }
    }
}

/// Some ticks in which about everything happens.
fn ticks<S: Scalar, const D: usize>(
    mut world: impl SpatialIndex<S, D, Data = u32>,
    scene: &str,
    alone: bool,
) -> Vec<Seen> {
    let boxes = boxes::<S, D>(scene);
    world.extend((0..).zip(&boxes).map(|(key, bounds)| (key, *bounds, key))).expect("valid");
    for key in (0..boxes.len() as u32).step_by(7) {
        let motion = if key % 2 == 0 { Motion::Static } else { Motion::Sleeping };
        world.set_motion(key, motion).expect("it is there");
    }
    let regions: Vec<Region<S, D>> = boxes.iter().step_by(13).map(|&area| area.into()).collect();
    let mut others = BruteForce::<S, D, ()>::new();
    let few = boxes.iter().step_by(200);
    others.extend((0..).zip(few).map(|(key, bounds)| (key, *bounds, ()))).expect("valid");
    let mut seen = Vec::new();
    for tick in 0..5 {
        let walked = if alone {
            world.update(|key, hits, bounds| change(key, tick, hits, bounds))
        } else {
            world.par_update(|key, hits, bounds| change(key, tick, hits, bounds))
        };
        // What was left before pairs were found, and what is there after that.
        let mut order: Vec<u32> = world.order().collect();
        let (mut pairs, mut chosen) = (Vec::new(), Vec::new());
        world.pairs(&mut pairs);
        world.pairs_where(|a, b| (a ^ b) % 3 > 0, &mut chosen);
        // Twice more, so that those who rest are known; then others come and go.
        world.pairs(&mut chosen.clone());
        world.pairs_where(|a, b| (a ^ b) % 3 > 0, &mut chosen);
        let (mut of_some, mut with_others) = (Vec::new(), Vec::new());
        let some: Vec<u32> = (0..boxes.len() as u32).step_by(3).collect();
        world.pairs_of(&some, |a, b| (a ^ b) % 3 > 0, &mut of_some);
        world.pairs_with(&mut others, |a, _| a % 3 > 0, &mut with_others);
        let (mut found, mut near, mut nearest) = Default::default();
        world.query_many(&regions, &mut found);
        if tick == 4 {
            world.neighbors(S::from_f64(2.0), &mut near);
            world.nearest_to_each(2, &mut nearest);
        }
        for key in (tick..boxes.len() as u32).step_by(90) {
            if world.remove(key).is_some() {
                let bounds = boxes[dice(key, tick) as usize % boxes.len()];
                world.insert(key, bounds, key).expect("the key is free");
            }
        }
        world.assert_well_formed();
        order.extend(world.order());
        seen.push(Seen {
            walked,
            pairs,
            chosen,
            of_some,
            with_others,
            order,
            found,
            near,
            nearest,
        });
    }
    assert!(seen.iter().any(|seen| seen.walked.is_err()), "something was invalid");
    assert!(seen.iter().all(|seen| seen.pairs.len() > seen.chosen.len()), "not all are chosen");
    assert!(seen.iter().all(|seen| seen.chosen.len() > seen.of_some.len()), "some are of others");
    assert!(seen.iter().all(|seen| seen.with_others.len() > 100), "others are met");
    seen
}

fn check<S: Scalar, const D: usize, I>(scene: &str, make: impl Fn() -> I + Sync)
where
    I: SpatialIndex<S, D, Data = u32>,
{
    let expected = with_threads(1, || ticks(make(), scene, true));
    assert!(with_threads(1, || ticks(make(), scene, false)) == expected, "{scene}, one thread");
    for threads in THREADS {
        let found = with_threads(threads, || ticks(make(), scene, false));
        for (tick, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let what = format!("{scene} in {}, {threads} threads, tick {tick}", S::NAME);
            assert_eq!(found.walked, expected.walked, "{what}");
            assert!(found.pairs == expected.pairs, "{what}: pairs");
            assert!(found.chosen == expected.chosen, "{what}: chosen pairs");
            assert!(found.of_some == expected.of_some, "{what}: pairs of some");
            assert!(found.with_others == expected.with_others, "{what}: pairs with others");
            assert!(found.order == expected.order, "{what}: storage");
            assert!(found.found == expected.found, "{what}: regions");
            assert!(found.near == expected.near, "{what}: neighbours");
            assert!(found.nearest == expected.nearest, "{what}: nearest");
        }
    }
}

#[test]
fn mixed_boxes_of_f32() {
    check::<f32, 2, _>("mixed:40000", MortonCells::new);
}

#[test]
fn boxes_with_a_skin() {
    check::<f32, 2, _>("tail:40000", || {
        let mut world = MortonCells::new();
        world.set_skin(3.0);
        world
    });
}

#[test]
fn solid_boxes_of_f64() {
    check::<f64, 3, _>("mixed3:30000", MortonCells::new);
}

#[test]
fn boxes_of_i32() {
    check::<i32, 2, _>("discs:40000", MortonCells::new);
}

#[test]
fn intervals_of_f32() {
    check::<f32, 1, _>("tail:20000", MortonCells::new);
}

#[test]
fn boxes_on_a_torus() {
    check::<f32, 2, _>("tail:20000", || {
        Torus::new(MortonCells::new(), [4096.0, 0.0]).expect("a power of two")
    });
}

/// The five that are nearest to a box, and the first five on a way from it.
fn first_five(world: &impl SpatialIndex<f32, 2>, area: Aabb<f32, 2>) -> [Vec<u32>; 2] {
    let (mut near, mut touched) = (Vec::new(), Vec::new());
    let five = |key, found: &mut Vec<u32>| {
        found.push(key);
        if found.len() < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let _ = world.nearest(area, |entry, _| five(entry.key, &mut near));
    let way = Path::sweep(area, [300.0, 40.0]);
    let _ = world.cast(way, |entry, _| five(entry.key, &mut touched));
    [near, touched]
}

#[test]
fn a_walk_that_panics_leaves_all_answers_right() {
    let mut world: MortonCells<f32, 2, u32> = MortonCells::new();
    world.set_skin(1.0);
    let boxes = boxes::<f32, 2>("discs:20000");
    world.extend((0..).zip(boxes).map(|(key, bounds)| (key, bounds, key))).expect("valid");
    world.pairs(&mut Vec::new());
    let walk = core::panic::AssertUnwindSafe(|| {
        with_threads(2, || {
            world.par_update(|key, _, bounds| {
                assert!(key != 15_000, "on purpose");
                *bounds = bounds.translated([100.0, 0.0]);
            })
        })
    });
    assert!(std::panic::catch_unwind(walk).is_err(), "it has panicked");
    let mut oracle: BruteForce<f32, 2, u32> = BruteForce::new();
    for key in 0..20_000 {
        let entry = world.get(key).expect("it is there");
        oracle.insert(key, entry.bounds, key).expect("a free key");
    }
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for key in (0..20_000).step_by(777) {
        let area = oracle.get(key).expect("it is there").bounds;
        world.query(area, &mut found);
        oracle.query(area, &mut expected);
        assert_eq!(found, expected);
        let (found, expected) = (first_five(&world, area), first_five(&oracle, area));
        assert_eq!(found, expected, "the nearest, and what a way touches");
    }
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    world.pairs(&mut found);
    oracle.pairs(&mut expected);
    assert!(found == expected, "pairs are right");
    world.assert_well_formed();
}

#[test]
fn few_that_move_among_many() {
    let boxes = boxes::<f32, 2>("mixed:90000");
    let run = |threads| {
        with_threads(threads, || {
            let mut world: MortonCells<f32, 2, u32> = MortonCells::new();
            let all = (0..).zip(&boxes);
            world.extend(all.map(|(key, bounds)| (key, *bounds, key))).expect("valid");
            for key in (0..boxes.len() as u32).filter(|key| key % 10 > 0) {
                world.set_motion(key, Motion::Static).expect("it is there");
            }
            let mut seen = Vec::new();
            for tick in 0..4 {
                let walked = world.update_dynamic(|key, hits, bounds| {
                    change(key, tick, hits, bounds);
                });
                let (mut pairs, mut chosen) = (Vec::new(), Vec::new());
                world.pairs(&mut pairs);
                world.pairs_where(|a, b| (a ^ b) % 3 > 0, &mut chosen);
                let mut known = Vec::new();
                world.pairs(&mut known);
                assert!(known == pairs, "known pairs are the same");
                seen.push((walked, pairs, chosen, world.order().collect::<Vec<u32>>()));
            }
            seen
        })
    };
    let expected = run(1);
    assert!(expected.iter().all(|(_, pairs, chosen, _)| pairs.len() > chosen.len()));
    for threads in THREADS {
        assert!(run(threads) == expected, "{threads} threads");
    }
}
