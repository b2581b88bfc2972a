//! Generators of the scenes.

use alloc::vec::Vec;
use core::array::from_fn;

use super::random::{Congruential, Stream};
use super::{Extents, Movers, Scene, SceneKind, SceneName};

/// Radius of equal discs.
const RADIUS: f32 = 7.0;
/// Largest radius of mixed discs.
const LARGEST: f32 = 384.0;
/// The generator of sizes starts with the seed xor this number.
const SIZES: u64 = 0x9E37_79B9_7F4A_7C15;

impl SceneName {
    /// Generates the objects of the scene.
    #[must_use]
    pub fn generate(&self) -> Scene {
        match self.kind {
            SceneKind::Terdiman => Scene::Solid(self.terdiman()),
            SceneKind::Discs => Scene::Flat(self.scattered(|_| RADIUS)),
            SceneKind::Mixed => Scene::Flat(self.scattered(mixed)),
            SceneKind::Tail => Scene::Flat(self.scattered(tail)),
            SceneKind::Clustered => Scene::Flat(self.clustered()),
            SceneKind::Discs3 => Scene::Solid(self.scattered(|_| RADIUS)),
            SceneKind::Mixed3 => Scene::Solid(self.scattered(mixed)),
            SceneKind::Tail3 => Scene::Solid(self.scattered(tail)),
            SceneKind::Clustered3 => Scene::Solid(self.clustered()),
        }
    }

    fn terdiman(&self) -> Movers<3> {
        let mut random = Congruential(self.seed as u32);
        let mut centers = Vec::with_capacity(self.count as usize);
        let mut halves = Vec::with_capacity(self.count as usize);
        for _ in 0..self.count {
            centers.push(from_fn(|_| (random.next() & 4095) as f32 - 2048.0));
            halves.push(from_fn(|_| (random.next() & 127) as f32));
        }
        Movers {
            velocities: alloc::vec![[0.0; 3]; centers.len()],
            centers,
            extents: Extents::Halves(halves),
            world: [-2048.0, 2047.0],
        }
    }

    /// Generates objects uniformly distributed in the world.
    fn scattered<const D: usize>(&self, radius: impl Fn(&mut Stream) -> f32) -> Movers<D> {
        let world = side::<D>(self.count) as f32;
        let mut main = Stream(self.seed);
        let mut sizes = Stream(self.seed ^ SIZES);
        self.movers(world, |_| {
            let center = from_fn(|_| main.unit() * world);
            (center, from_fn(|_| main.unit() - 0.5), radius(&mut sizes))
        })
    }

    /// Generates objects around sixteen centers; each offset is the sum of four draws.
    fn clustered<const D: usize>(&self) -> Movers<D> {
        let world = side::<D>(self.count) as f32;
        let mut main = Stream(self.seed);
        let clusters: [[f32; D]; 16] = from_fn(|_| from_fn(|_| main.unit() * world));
        self.movers(world, |_| {
            let cluster = clusters[(main.unit() * 16.0) as usize];
            let center = cluster.map(|x| {
                let offset = main.unit() + main.unit() + main.unit() + main.unit() - 2.0;
                x + offset * (world / 32.0)
            });
            (center, from_fn(|_| main.unit() - 0.5), RADIUS)
        })
    }

    fn movers<const D: usize>(
        &self,
        world: f32,
        mut object: impl FnMut(u32) -> ([f32; D], [f32; D], f32),
    ) -> Movers<D> {
        let count = self.count as usize;
        let mut centers = Vec::with_capacity(count);
        let mut velocities = Vec::with_capacity(count);
        let mut radii = Vec::with_capacity(count);
        for index in 0..self.count {
            let (center, velocity, radius) = object(index);
            centers.push(center);
            velocities.push(velocity);
            radii.push(radius);
        }
        Movers { centers, extents: Extents::Radii(radii), velocities, world: [0.0, world] }
    }
}

/// Draws a radius: the smallest of 120 uniform draws, so most radii are small and a few are large.
fn mixed(sizes: &mut Stream) -> f32 {
    let mut smallest = LARGEST;
    for _ in 0..120 {
        let radius = 7.0 + 1000.0 * sizes.unit();
        if radius < smallest {
            smallest = radius;
        }
    }
    smallest
}

/// Draws a radius from 2 to 200: the reciprocal of a uniform draw.
fn tail(sizes: &mut Stream) -> f32 {
    2.0 / (sizes.unit() + 0.01)
}

/// Returns the side of the world: the smallest integer with at most the density of 500,000 objects
/// in 32768², or 300,000 in 2048³.
fn side<const D: usize>(count: u32) -> u64 {
    let (objects, reference_side): (u128, u128) =
        if D == 2 { (500_000, 32_768) } else { (300_000, 2_048) };
    let suffices = |side: u64| {
        u128::from(side).pow(D as u32) * objects >= reference_side.pow(D as u32) * u128::from(count)
    };
    // Start with a sufficient power of two; subtract smaller powers while the side suffices.
    let mut side = 1 << 32;
    for bit in (0..32).rev() {
        let smaller = side - (1 << bit);
        if suffices(smaller) {
            side = smaller;
        }
    }
    side
}
