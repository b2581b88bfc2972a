//! Generators of the benchmark scenes: identical boxes on every machine.
//!
//! Only integers and the IEEE operations + − × ÷ in `f32` are used. A scene is named `name:count`
//! or `name:count:seed`; names ending in 3 are three-dimensional, and so is `terdiman`, Pierre
//! Terdiman's published box pruning scene. The density of objects does not depend on their number,
//! except for `terdiman`.
//!
//! | name | sizes |
//! |---|---|
//! | `discs`, `discs3` | radius 7 |
//! | `mixed`, `mixed3` | radius 7 to 384, most of them small: the mixed scene of the C library hshg |
//! | `tail`, `tail3` | radius 2 to 200, a heavy tail |
//! | `clustered`, `clustered3` | radius 7, around 16 centers |
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

/// Generated scene, two- or three-dimensional.
#[derive(Clone, Debug, PartialEq)]
pub enum Scene {
    /// Two-dimensional scene.
    Flat(Movers<2>),
    /// Three-dimensional scene.
    Solid(Movers<3>),
}

/// Objects of a scene; object `i` has the key `i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Movers<const D: usize> {
    /// Centers of the objects.
    pub centers: Vec<[f32; D]>,
    /// Extents of the objects from their centers.
    pub extents: Extents<D>,
    /// Movement of each object per tick; all 0 for `terdiman`.
    pub velocities: Vec<[f32; D]>,
    /// Smallest and largest coordinate of centers, on every axis.
    pub world: [f32; 2],
}

/// Extents of objects from their centers.
#[derive(Clone, Debug, PartialEq)]
pub enum Extents<const D: usize> {
    /// Discs or balls: one radius each.
    Radii(Vec<f32>),
    /// Boxes: half extents on each axis.
    Halves(Vec<[f32; D]>),
}

impl<const D: usize> Movers<D> {
    /// Returns the number of objects.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.centers.len()
    }

    /// Returns whether there are no objects.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.centers.is_empty()
    }

    /// Returns the box of an object.
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

    /// Returns the boxes of all objects.
    pub fn all_bounds(&self) -> impl ExactSizeIterator<Item = Aabb<f32, D>> + '_ {
        (0..self.len()).map(|object| self.bounds(object))
    }

    /// Moves every object by its velocity. A center that would leave the world on an axis is moved
    /// to the border, and its velocity reversed.
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
