//! The hierarchical grid alone: the caller chooses the keys, and keeps the data of objects by key.
//!
//! Without a world there are no handles, filters and events, and no cost for them. Keys may be any
//! numbers, but should be dense, because memory grows with the largest key. Pairs are returned in
//! canonical order; the example checks them against brute force.

mod support;

use hexphase::{Aabb, BruteForce, Hshg, IndexError, Motion, SpatialIndex, SpatialIndexExt};
use support::Random;

/// The data of an object.
struct Body {
    position: [f32; 2],
    velocity: [f32; 2],
    radius: f32,
    mass: f32,
}

fn main() -> Result<(), IndexError> {
    let mut random = Random(8);
    let mut grid: Hshg<f32, 2> = Hshg::new();
    let mut bodies = Vec::new();
    for index in 0..5_000 {
        let radius = random.between(0.2, 1.5);
        let velocity = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        let position = random.point([300.0, 300.0]);
        bodies.push(Body { position, velocity, radius, mass: radius * radius });
        // Keys may have gaps: use even numbers only.
        grid.insert(index * 2, Aabb::of_ball(position, radius))?;
    }
    grid.set_motion(0, Motion::Static)?;
    let mut pairs = Vec::new();
    for _ in 0..20 {
        grid.update(|key, bounds| {
            let body = &mut bodies[key as usize / 2];
            body.position = [0, 1].map(|axis| body.position[axis] + body.velocity[axis]);
            *bounds = Aabb::of_ball(body.position, body.radius);
            for axis in 0..2 {
                if bounds.min[axis] < 0.0 || bounds.max[axis] > 300.0 {
                    body.velocity[axis] = -body.velocity[axis];
                }
            }
        })?;
        grid.pairs(&mut pairs);
    }
    let mut oracle: BruteForce<f32, 2> = BruteForce::new();
    for key in (0..10_000).step_by(2) {
        let object = grid.get(key).expect("nothing was removed");
        oracle.insert(key, object.bounds)?;
    }
    let mut expected = Vec::new();
    oracle.pairs(&mut expected);
    assert_eq!(pairs, expected);

    let mut heaviest = (0, 0.0);
    for key in pairs.iter().copied().flatten() {
        let mass = bodies[key as usize / 2].mass;
        if mass > heaviest.1 {
            heaviest = (key, mass);
        }
    }
    println!(
        "{} pairs; the heaviest object in one is {} with mass {:.2}",
        pairs.len(),
        heaviest.0,
        heaviest.1
    );
    Ok(())
}
