//! Asteroids in a world that wraps: an object that leaves at one side enters at the opposite side,
//! and objects on both sides of the seam can overlap.
//!
//! Asteroids that collide exchange their velocities. The example checks the pairs of the last step
//! against a test of all pairs with wrapped distances, and draws the world.

mod support;

use core::error::Error;

use hexphase::{Aabb, BroadPhase, Options};
use support::{Picture, Random};

/// Length of each side of the world.
const SIDE: f32 = 250.0;
const ASTEROIDS: usize = 400;

#[derive(Clone, Copy)]
struct Asteroid {
    position: [f32; 2],
    velocity: [f32; 2],
    radius: f32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::new().wrap([SIDE; 2]);
    let mut world: BroadPhase<f32, 2, Asteroid> = BroadPhase::with_options(options);
    let mut random = Random(1);
    for _ in 0..ASTEROIDS {
        let radius = random.between(0.5, 4.0);
        let velocity = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        let position = random.point([SIDE; 2]);
        let bounds = Aabb::of_ball(position, radius);
        world.insert(bounds, Asteroid { position, velocity, radius })?;
    }
    let mut collisions = 0;
    for _ in 0..200 {
        world.update(|_, Asteroid { position, velocity, radius }, bounds| {
            *position = [0, 1].map(|axis| (position[axis] + velocity[axis]).rem_euclid(SIDE));
            *bounds = Aabb::of_ball(*position, *radius);
        })?;
        world.step();
        let began: Vec<_> = world.began().collect();
        collisions += began.len();
        for overlap in began {
            let [a, b] = overlap.users;
            world.user_mut(overlap.handles[0]).expect("no asteroid is removed").velocity =
                b.velocity;
            world.user_mut(overlap.handles[1]).expect("no asteroid is removed").velocity =
                a.velocity;
        }
    }
    assert_eq!(world.pairs().len(), overlaps_by_force(&world));
    println!("{collisions} collisions in 200 ticks, {} overlaps at the end", world.pairs().len());

    let mut picture = Picture::new([SIDE; 2]);
    for handle in world.handles() {
        picture.circle(world[handle].position, world[handle].radius, "#8fa3b8");
    }
    for overlap in world.pairs() {
        let [a, b] = overlap.handles;
        let [x, y] = world[a].position;
        // The shorter way leads across the seam if the asteroids are on both sides of it.
        let [along, up] = world.shortest_vector(a, b)?;
        picture.line([x, y], [x + along, y + up], "#ff7043");
    }
    picture.save("asteroids")?;
    Ok(())
}

/// Counts the pairs of overlapping boxes by testing each pair, also with one box of the pair
/// shifted by one or two sides of the world.
fn overlaps_by_force(world: &BroadPhase<f32, 2, Asteroid>) -> usize {
    let boxes: Vec<_> =
        world.handles().map(|one| world.get(one).expect("it exists").bounds).collect();
    let shifts = [-2.0 * SIDE, -SIDE, 0.0, SIDE, 2.0 * SIDE];
    let overlap = |a: &Aabb<f32, 2>, b: &Aabb<f32, 2>| {
        shifts.iter().any(|&x| shifts.iter().any(|&y| a.overlaps(&b.translated([x, y]))))
    };
    (0..boxes.len()).map(|i| boxes[..i].iter().filter(|b| overlap(b, &boxes[i])).count()).sum()
}
