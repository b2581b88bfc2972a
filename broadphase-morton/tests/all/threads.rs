//! Any number of threads: the same bits, in answers and in storage.

use core::ops::ControlFlow;

use broadphase_core::BruteForce;
use broadphase_morton::{Aabb, MortonCells, Motion, Path, SpatialIndex, Torus};
use laws::threads::{THREADS, boxes, change, with_threads};

laws::threads!(morton_cells, MortonCells::new());
laws::threads!(
    with_a_skin,
    {
        let mut world = MortonCells::new();
        world.set_skin(3.0);
        world
    },
    boxes f32 2 "tail:40000"
);
laws::threads!(
    on_a_torus,
    Torus::new(MortonCells::new(), [4096.0, 0.0]).expect("a power of two"),
    boxes f32 2 "tail:20000"
);

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
