//! Checks that results and storage are bit-identical for any number of threads.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::{catch_unwind, resume_unwind};

use broadphase_core::{BruteForce, Torus};
use broadphase_hshg::{Hshg, Motion, SpatialHash, SpatialIndex, SpatialIndexExt, Walk, WalkBatch};
use laws::Together;
use laws::panics::panic_in_par_update;
use laws::threads::{boxes, change, dice, with_threads};

laws::threads!(hshg, Hshg::<_, _>::new());
laws::threads!(spatial_hash, SpatialHash::new(30.0), boxes f32 2 "mixed:30000");
laws::threads!(
    on_a_torus,
    Torus::new(Hshg::new(), [4096.0, 0.0]).expect("a valid side"),
    boxes f32 2 "tail:20000"
);

#[test]
fn changes_before_a_panic_are_kept() {
    let oracle = || Together::one(BruteForce::new());
    panic_in_par_update(Together::one(Hshg::new()), oracle());
    panic_in_par_update(Together::one(SpatialHash::new(30.0)), oracle());
    let sides = [4096.0, 0.0];
    let world = Torus::new(Hshg::new(), sides).expect("a valid side");
    let oracle = Torus::new(BruteForce::new(), sides).expect("a valid side");
    panic_in_par_update(Together::one(world), Together::one(oracle));
}

#[test]
fn batch_removals_before_a_panic_are_kept() {
    let mut world: Hshg<f32, 2> = Hshg::new();
    let boxes = boxes::<f32, 2>("tail:20000");
    world
        .extend((0..).zip(&boxes).map(|(key, &bounds)| (key, bounds)))
        .expect("the bounds are valid");
    world.pairs(&mut Vec::new());
    let removed = AtomicUsize::new(0);
    let walk = AssertUnwindSafe(|| {
        with_threads(3, || {
            world.walk(Walk::Parallel(&|batch| {
                batch.retain(|key, _| {
                    if key == 9000 {
                        resume_unwind(Box::new("on purpose"));
                    }
                    let stays = !key.is_multiple_of(10);
                    removed.fetch_add(usize::from(!stays), Ordering::Relaxed);
                    stays
                });
            }))
        })
    });
    assert!(catch_unwind(walk).is_err(), "the panic reaches the caller");
    world.assert_well_formed();
    let removed = removed.into_inner();
    assert!(removed > 0, "some are removed");
    assert_eq!(world.len(), 20_000 - removed);
    let mut oracle: BruteForce<f32, 2> = BruteForce::new();
    for key in world.keys() {
        oracle.insert(key, boxes[key as usize]).expect("keys differ");
    }
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    world.pairs(&mut found);
    oracle.pairs(&mut expected);
    assert!(found == expected, "pairs are right");
}

#[test]
fn parallel_batches_match_serial_ones() {
    let run = |threads, alone| {
        with_threads(threads, || {
            let mut world: Hshg<f32, 2> = Hshg::new();
            let boxes = boxes::<f32, 2>("mixed:40000");
            world.extend((0..).zip(boxes)).expect("the bounds are valid");
            for key in (0..40_000).step_by(5) {
                world.set_motion(key, Motion::Static).expect("the key is known");
            }
            let mut seen = Vec::new();
            for tick in 0..6 {
                let step = |batch: &mut WalkBatch<'_, f32, 2>| {
                    batch.retain(|key, bounds| {
                        change(key, tick, bounds);
                        !dice(key, tick).is_multiple_of(61)
                    });
                };
                let walked = if alone {
                    world.walk(Walk::All(&mut { step }))
                } else {
                    world.walk(Walk::Parallel(&step))
                };
                let objects: Vec<_> =
                    world.keys().into_iter().filter_map(|key| world.get(key)).collect();
                seen.push((walked, objects));
            }
            world.assert_well_formed();
            seen
        })
    };
    let expected = run(1, true);
    assert!(expected.iter().all(|(walked, objects)| walked.is_err() && objects.len() < 40_000));
    for threads in [1, 2, 3, 4] {
        assert!(run(threads, false) == expected, "{threads} threads");
    }
}
