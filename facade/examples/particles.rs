//! Particles that repel their neighbors, on the hierarchical grid without a world.
//!
//! `neighbors` returns all objects within a radius of each object, as lists. The example checks
//! every list of the first tick against a test of all particles.

mod support;

use hexphase::{Aabb, Hshg, IndexError, Neighbors, SpatialIndexExt};
use support::{Picture, Random};

const PARTICLES: u32 = 2_000;
const RADIUS: f32 = 4.0;
const SIZE: [f32; 2] = [200.0, 200.0];

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut random = Random(4);
    let mut grid: Hshg<f32, 2> = Hshg::new();
    let (mut at, mut velocities) = (Vec::new(), vec![[0.0; 2]; PARTICLES as usize]);
    for key in 0..PARTICLES {
        // Start all particles in the middle of the area, so that they are crowded.
        let [x, y] = random.point([80.0, 80.0]);
        at.push([x + 60.0, y + 60.0]);
        grid.insert(key, Aabb::point(at[key as usize]))?;
    }
    let mut lists = Neighbors::default();
    let mut closest = [0.0; 2];
    for tick in 0..60 {
        grid.neighbors(RADIUS, &mut lists);
        if tick == 0 {
            check(&lists, &at);
        }
        closest[usize::from(tick > 0)] = mean_distance(&lists);
        push(&mut grid, &lists, &mut at, &mut velocities)?;
    }
    println!("mean distance of neighbors: {:.2}, after 60 ticks {:.2}", closest[0], closest[1]);
    assert!(closest[1] > closest[0]);
    let mut picture = Picture::new(SIZE);
    for &particle in &at {
        picture.circle(particle, 0.8, "#4fc3f7");
    }
    picture.save("particles")?;
    Ok(())
}

/// Checks each list against a test of all particles.
fn check(lists: &Neighbors, at: &[[f32; 2]]) {
    for (key, list) in lists.iter() {
        let near = |other: &u32| *other != key && squared(at, key, *other) <= RADIUS * RADIUS;
        assert!((0..PARTICLES).filter(near).eq(list.iter().copied()), "neighbors of {key}");
    }
}

/// Returns the square of the distance of two particles.
fn squared(at: &[[f32; 2]], a: u32, b: u32) -> f32 {
    let ([x, y], [u, v]) = (at[a as usize], at[b as usize]);
    (x - u) * (x - u) + (y - v) * (y - v)
}

/// Returns an estimate of the distance between neighboring particles: the radius divided by the
/// square root of the mean number of neighbors.
fn mean_distance(lists: &Neighbors) -> f32 {
    let links: usize = lists.iter().map(|(_, list)| list.len()).sum();
    RADIUS / (1.0 + links as f32 / PARTICLES as f32).sqrt()
}

/// Pushes each particle away from its neighbors and moves it.
fn push(
    grid: &mut Hshg<f32, 2>,
    lists: &Neighbors,
    at: &mut [[f32; 2]],
    velocities: &mut [[f32; 2]],
) -> Result<(), IndexError> {
    let before = at.to_vec();
    grid.update(|key, bounds| {
        let (here, velocity) = (before[key as usize], &mut velocities[key as usize]);
        for &other in lists.of(key).unwrap_or_default() {
            let there = before[other as usize];
            let push = 0.02 / (1.0 + squared(&before, key, other));
            for axis in 0..2 {
                velocity[axis] += (here[axis] - there[axis]) * push;
            }
        }
        *velocity = velocity.map(|speed| speed * 0.9);
        let moved = [0, 1].map(|axis| (here[axis] + velocity[axis]).clamp(0.0, SIZE[axis]));
        *bounds = Aabb::point(moved);
        at[key as usize] = moved;
    })
}
