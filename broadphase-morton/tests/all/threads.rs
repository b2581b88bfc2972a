//! Checks that results and storage are bit-identical for any number of threads.

use broadphase_core::BruteForce;
use broadphase_morton::{
    MortonCells, Motion, SpatialIndex, SpatialIndexExt, Torus, Walk, WalkBatch,
};
use laws::Together;
use laws::panics::panic_in_par_update;
use laws::threads::{THREADS, boxes, change, dice, with_threads};

laws::threads!(morton_cells, MortonCells::new());
laws::threads!(
    on_a_torus,
    Torus::new(MortonCells::new(), [4000.3, 0.0]).expect("a valid side"),
    boxes f32 2 "tail:20000"
);

#[test]
fn changes_before_a_panic_are_kept() {
    panic_in_par_update(Together::one(MortonCells::new()), Together::one(BruteForce::new()));
}

#[test]
fn parallel_removals_are_those_of_one_thread() {
    let boxes = boxes::<f32, 2>("mixed:40000");
    let run = |threads, is_parallel| {
        with_threads(threads, || {
            let mut world: MortonCells<f32, 2> = MortonCells::new();
            world.extend((0..).zip(boxes.iter().copied())).expect("invalid bounds");
            let mut seen = Vec::new();
            for tick in 0..4 {
                let step = |batch: &mut WalkBatch<'_, f32, 2>| {
                    batch.retain(|key, bounds| {
                        change(key, tick, bounds);
                        let is_in_last_half = 2 * key > boxes.len() as u32;
                        dice(key, tick) % 5 > u32::from(is_in_last_half)
                    });
                };
                let walked = if is_parallel {
                    world.walk(Walk::Parallel(&step))
                } else {
                    world.walk(Walk::All(&mut |batch| step(batch)))
                };
                world.assert_well_formed();
                let mut pairs = Vec::new();
                world.pairs(&mut pairs);
                seen.push((walked, world.keys(), pairs));
            }
            seen
        })
    };
    let expected = run(1, false);
    assert!(expected.iter().all(|(walked, keys, _)| walked.is_err() && keys.len() < 32_000));
    for threads in [&[1], &THREADS[..]].concat() {
        assert!(run(threads, true) == expected, "{threads} threads");
    }
}

#[test]
fn few_moving_objects_among_many_static_ones() {
    let boxes = boxes::<f32, 2>("mixed:90000");
    let run = |threads| {
        with_threads(threads, || {
            let mut world: MortonCells<f32, 2> = MortonCells::new();
            world.extend((0..).zip(boxes.iter().copied())).expect("invalid bounds");
            for key in (0..boxes.len() as u32).filter(|key| key % 10 > 0) {
                world.set_motion(key, Motion::Static).expect("unknown key");
            }
            let mut seen = Vec::new();
            for tick in 0..4 {
                let walked = world.update_dynamic(|key, bounds| change(key, tick, bounds));
                let (mut pairs, mut chosen) = (Vec::new(), Vec::new());
                world.pairs(&mut pairs);
                world.pairs_where(|a, b| (a ^ b) % 3 > 0, &mut chosen);
                seen.push((walked, pairs, chosen, world.keys()));
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
