//! Checks that results and storage are bit-identical for any number of threads.

use broadphase_core::BruteForce;
use broadphase_morton::{MortonCells, Motion, SpatialIndex, Torus};
use laws::panics::panic_in_par_update;
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
    Torus::new(MortonCells::new(), [4000.3, 0.0]).expect("a valid side"),
    boxes f32 2 "tail:20000"
);

#[test]
fn changes_before_a_panic_are_kept() {
    for skin in [0.0, 3.0] {
        let mut world = MortonCells::new();
        world.set_skin(skin);
        panic_in_par_update(world, BruteForce::new());
    }
}

#[test]
fn few_moving_objects_among_many_static_ones() {
    let boxes = boxes::<f32, 2>("mixed:90000");
    let run = |threads| {
        with_threads(threads, || {
            let mut world: MortonCells<f32, 2, u32> = MortonCells::new();
            let all = (0..).zip(&boxes);
            world.extend(all.map(|(key, bounds)| (key, *bounds, key))).expect("invalid bounds");
            for key in (0..boxes.len() as u32).filter(|key| key % 10 > 0) {
                world.set_motion(key, Motion::Static).expect("unknown key");
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
                assert!(known == pairs, "cached pairs differ");
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
