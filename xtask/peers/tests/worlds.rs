//! Checks that every world finds the pairs that brute force finds.
//!
//! This is an integration test, because it links the worlds compiled in the library; a unit test
//! would compile them again.

use broadphase_core::scenes::{Scene, SceneName};
use broadphase_core::{BruteForce, SpatialIndexExt};
use peers::Answer;
use peers::world::{
    Boxes, Builder, FLAT, FLAT_BUILDERS, Grid, Make, SOLID, SOLID_BUILDERS, Sorted, World, answer,
    answer_of,
};

/// Asserts that each world agrees with brute force at the start, after 40 ticks and after 80.
fn agree<const D: usize>(worlds: &[Make<D>], start: &Boxes<D>) {
    let mut boxes = start.clone();
    let mut worlds: Vec<_> = worlds.iter().map(|make| make(start)).collect();
    for _ in 0..3 {
        let expected = brute(&boxes);
        for (index, world) in worlds.iter_mut().enumerate() {
            assert_eq!(answer(&mut **world), expected, "world {index} of {D} dimensions");
            (0..40).for_each(|_| world.advance());
        }
        (0..40).for_each(|_| boxes.advance());
    }
}

/// Asserts that each builder agrees with brute force after objects have jumped.
fn agree_after_a_jump<const D: usize>(builders: &[Builder<D>], mut boxes: Boxes<D>) {
    boxes.jump();
    let expected = brute(&boxes);
    let mut grid = Grid::new(&boxes);
    grid.jump();
    for Builder { name, find_pairs, parallel } in builders {
        let mut out = Vec::new();
        find_pairs(&boxes, &mut out);
        assert_eq!(answer_of(&out), expected, "{name} of {D} dimensions, parallel: {parallel}");
    }
    boxes.jump();
    assert_eq!(answer(&mut grid), brute(&boxes), "the grid of {D} dimensions");
}

fn brute<const D: usize>(boxes: &Boxes<D>) -> Answer {
    let mut brute = BruteForce::<f32, D>::new();
    brute.extend(boxes.objects()).expect("valid bounds");
    let mut pairs = Vec::new();
    brute.pairs(&mut pairs);
    answer_of(&pairs)
}

#[test]
fn pairs_of_unchanged_worlds_are_searched_each_time() {
    let name: SceneName = "terdiman:500".parse().expect("a scene");
    let Scene::Solid(movers) = name.generate() else { panic!("{name} is two-dimensional") };
    let mut world: Sorted<3> = Sorted::new(&movers.into());
    for _ in 0..4 {
        world.advance();
        answer(&mut world);
        assert!(world.cells.stats().tests > 0, "pairs came from the cache");
    }
}

#[test]
fn all_moving_worlds_agree_with_brute_force() {
    for name in ["discs:800", "mixed:500", "tail:500", "clustered:500"] {
        let name: SceneName = name.parse().expect("a scene");
        let Scene::Flat(movers) = name.generate() else { panic!("{name} is three-dimensional") };
        agree(&FLAT, &movers.into());
    }
    for name in ["discs3:800", "mixed3:500", "terdiman:500"] {
        let name: SceneName = name.parse().expect("a scene");
        let Scene::Solid(movers) = name.generate() else { panic!("{name} is two-dimensional") };
        agree(&SOLID, &movers.into());
    }
}

#[test]
fn builders_and_jumps_agree_with_brute_force() {
    for name in ["discs:800", "tail:500"] {
        let name: SceneName = name.parse().expect("a scene");
        let Scene::Flat(movers) = name.generate() else { panic!("{name} is three-dimensional") };
        agree_after_a_jump(&FLAT_BUILDERS, movers.into());
    }
    for name in ["mixed3:500", "terdiman:500"] {
        let name: SceneName = name.parse().expect("a scene");
        let Scene::Solid(movers) = name.generate() else { panic!("{name} is two-dimensional") };
        agree_after_a_jump(&SOLID_BUILDERS, movers.into());
    }
}
