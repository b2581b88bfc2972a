//! A large static world with few moving objects: static objects add no time to a step.
//!
//! Static objects form no pairs with each other, and a step visits only dynamic objects and the
//! objects near them. The example checks one query and the count of pairs against tests of all
//! boxes.

mod support;

use hexphase::{Aabb, BroadPhase, Error, Motion, Object};
use support::Random;

const TREES: usize = 100_000;
const ANIMALS: usize = 200;

fn main() -> Result<(), Error> {
    let mut random = Random(2);
    let size = [2_000.0, 2_000.0];
    // User data: position and velocity.
    let mut world: BroadPhase<f32, 2, [[f32; 2]; 2]> = BroadPhase::new();
    let mut trees = Vec::with_capacity(TREES);
    for _ in 0..TREES {
        let position = random.point(size);
        let tree = Aabb::of_ball(position, random.between(0.5, 2.0));
        world.insert_object(Object::new(tree, [position, [0.0; 2]]).motion(Motion::Static))?;
        trees.push(tree);
    }
    for _ in 0..ANIMALS {
        let velocity = [random.between(-2.0, 2.0), random.between(-2.0, 2.0)];
        let position = random.point(size);
        world.insert(Aabb::of_ball(position, 1.0), [position, velocity])?;
    }
    for _ in 0..50 {
        // Visits only the animals.
        world.update_dynamic(|_, [position, velocity], bounds| {
            *position = [position[0] + velocity[0], position[1] + velocity[1]];
            *bounds = Aabb::of_ball(*position, 1.0);
        })?;
        world.step();
    }
    let animals: Vec<_> = world
        .handles()
        .filter_map(|one| world.get(one))
        .filter(|object| object.motion == Motion::Dynamic)
        .map(|object| object.bounds)
        .collect();
    let with_trees: usize = animals
        .iter()
        .map(|animal| trees.iter().filter(|tree| tree.overlaps(animal)).count())
        .sum();
    let among: usize = (0..animals.len())
        .map(|i| animals[..i].iter().filter(|other| other.overlaps(&animals[i])).count())
        .sum();
    assert_eq!(world.pairs().len(), with_trees + among);

    let clearing = Aabb::around([1_000.0, 1_000.0], [25.0, 25.0]);
    let found = world.query(clearing).to_vec().len();
    assert_eq!(found, trees.iter().chain(&animals).filter(|one| one.overlaps(&clearing)).count());
    println!(
        "{} pairs of {ANIMALS} animals and {TREES} trees; {found} objects in the clearing",
        with_trees + among
    );
    println!("structure: {}", world.choice());
    Ok(())
}
