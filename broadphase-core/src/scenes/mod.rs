//! The benchmark scenes, generated: the same boxes on every machine.
//!
//! Only integers and the IEEE operations + − × ÷ are used, all in `f32`. A scene is named
//! `name:count` or `name:count:seed`; names ending in 3 are three-dimensional, and so is
//! `terdiman`, Pierre Terdiman's published box pruning scene. The world grows with the number of
//! objects, so that the density stays.
//!
//! | name | sizes |
//! |---|---|
//! | `discs`, `discs3` | radius 7 |
//! | `mixed`, `mixed3` | radius 7 to 384, most of them small: the mixed scene of the C library hshg |
//! | `tail`, `tail3` | radius 2 to 200, a heavy tail |
//! | `clustered`, `clustered3` | radius 7, around 16 centres |
//! | `terdiman` | boxes of up to 254 in a cube of 4096 |
//!
//! ```
//! use broadphase_core::scenes::{Scene, SceneName};
//!
//! let name: SceneName = "discs:1000".parse()?;
//! let Scene::Flat(mut discs) = name.generate() else { unreachable!("discs are flat") };
//! assert_eq!(discs.len(), 1000);
//! discs.tick(); // every disc moves by its velocity
//! # Ok::<(), broadphase_core::scenes::UnknownScene>(())
//! ```

mod generate;
mod name;
mod random;

use alloc::vec::Vec;

use bounds_hexprism::Aabb;

pub use name::{SceneKind, SceneName, UnknownScene};

/// A generated scene, in two dimensions or three.
#[derive(Clone, Debug, PartialEq)]
pub enum Scene {
    /// Two dimensions.
    Flat(Movers<2>),
    /// Three dimensions.
    Solid(Movers<3>),
}

/// The objects of a scene: object `i` has the key `i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Movers<const D: usize> {
    /// The centres.
    pub centers: Vec<[f32; D]>,
    /// How far each reaches from its centre.
    pub extents: Extents<D>,
    /// How far each moves in a tick; all 0 for `terdiman`.
    pub velocities: Vec<[f32; D]>,
    /// Centres stay between these two on every axis.
    pub world: [f32; 2],
}

/// How far objects reach from their centres.
#[derive(Clone, Debug, PartialEq)]
pub enum Extents<const D: usize> {
    /// Discs or balls: the same radius on every axis.
    Radii(Vec<f32>),
    /// Boxes: a half extent for each axis.
    Halves(Vec<[f32; D]>),
}

impl<const D: usize> Movers<D> {
    /// How many objects there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.centers.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.centers.is_empty()
    }

    /// The box of one object.
    ///
    /// # Panics
    /// If there is no such object.
    #[inline]
    #[must_use]
    pub fn bounds(&self, object: usize) -> Aabb<f32, D> {
        match &self.extents {
            Extents::Radii(radii) => Aabb::of_ball(self.centers[object], radii[object]),
            Extents::Halves(halves) => Aabb::around(self.centers[object], halves[object]),
        }
    }

    /// The boxes of all objects.
    pub fn all_bounds(&self) -> impl ExactSizeIterator<Item = Aabb<f32, D>> + '_ {
        (0..self.len()).map(|object| self.bounds(object))
    }

    /// Moves every object by its velocity; where it would leave the world, it turns around.
    pub fn tick(&mut self) {
        let [low, high] = self.world;
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            for (x, v) in center.iter_mut().zip(velocity) {
                *x += *v;
                if *x < low || *x > high {
                    *v = -*v;
                    *x = if *x < low { low } else { high };
                }
            }
        }
    }
}
