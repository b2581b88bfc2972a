//! Checks that every world finds the pairs that brute force finds.
//!
//! This is an integration test, because it links the worlds compiled in the library; a unit test
//! would compile them again.

use broadphase_core::BruteForce;
use broadphase_core::scenes::{Scene, SceneName};
use peers::Answer;
use peers::world::{
    Boxes, Builder, FLAT, FLAT_BUILDERS, Indexed, Make, SOLID, SOLID_BUILDERS, World, answer_of,
};

/// Asserts that each world agrees with brute force at the start, after 40 ticks and after 80, and
/// each builder and the grid after objects have jumped.
fn agree<const D: usize>(start: &Boxes<D>, worlds: &[Make<D>], builders: &[Builder<D>]) {
    for (index, make) in worlds.iter().enumerate() {
        let mut world = make(start);
        for ticks in [0, 40, 80] {
            let expected = brute(&start.after(ticks));
            assert_eq!(found(&mut *world), expected, "world {index} of {D} dimensions");
            (0..40).for_each(|_| world.advance());
        }
    }
    let mut boxes = start.after_jumps(1);
    let mut grid = Indexed::grid(&boxes);
    for builder in builders {
        assert_eq!(builder.answer(&boxes), brute(&boxes), "{builder:?} of {D} dimensions");
    }
    grid.jump();
    boxes.jump();
    assert_eq!(found(&mut grid), brute(&boxes), "the grid of {D} dimensions");
}

fn found<const D: usize>(world: &mut dyn World<D>) -> Answer {
    let mut pairs = Vec::new();
    world.collect(&mut pairs);
    answer_of(&pairs)
}

fn brute<const D: usize>(boxes: &Boxes<D>) -> Answer {
    found(&mut Indexed::new(Box::new(BruteForce::<f32, D>::new()), boxes))
}

#[test]
fn worlds_and_builders_agree_with_brute_force() {
    for name in [
        "discs:800",
        "mixed:500",
        "tail:500",
        "clustered:500",
        "discs3:800",
        "mixed3:500",
        "terdiman:500",
    ] {
        let name: SceneName = name.parse().expect("a scene");
        match name.generate() {
            Scene::Flat(movers) => agree(&movers.into(), &FLAT, &FLAT_BUILDERS),
            Scene::Solid(movers) => agree(&movers.into(), &SOLID, &SOLID_BUILDERS),
        }
    }
}

#[test]
fn pairs_of_a_world_at_rest_are_searched_each_time() {
    let name: SceneName = "terdiman:500".parse().expect("a scene");
    let Scene::Solid(movers) = name.generate() else { panic!("{name} is two-dimensional") };
    let mut world = Indexed::sorted(&movers.into());
    for _ in 0..4 {
        world.advance();
        found(&mut world);
        let search = world.index.state().search;
        assert!(search.is_some_and(|search| search.tests > 0), "pairs came from the cache");
    }
}
