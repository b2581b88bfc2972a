//! Objects as a structure stores them, and as searches pass them to visitors.

use bounds_hexprism::Aabb;

use crate::Motion;

/// An object of a structure: key, bounds and motion class.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, Motion, IndexObject, SpatialIndex};
///
/// let mut world: BruteForce = BruteForce::new();
/// let wall = IndexObject::new(7, Aabb::new([0.0, 0.0], [9.0, 1.0])).motion(Motion::Static);
/// let ball = IndexObject::new(3, Aabb::of_ball([4.0, 1.5], 1.0));
/// world.insert_many(&[wall, ball])?;
/// assert_eq!(world.get(7), Some(wall));
/// # Ok::<(), hexphase::IndexError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexObject<S = f32, const D: usize = 2> {
    /// Identifies the object in its structure.
    pub key: u32,
    /// The box around the object.
    pub bounds: Aabb<S, D>,
    /// How the object takes part in pairs.
    pub motion: Motion,
}

impl<S, const D: usize> IndexObject<S, D> {
    /// Creates a dynamic object.
    #[inline]
    #[must_use]
    pub fn new(key: u32, bounds: impl Into<Aabb<S, D>>) -> Self {
        Self { key, bounds: bounds.into(), motion: Motion::Dynamic }
    }

    /// Sets the motion class.
    #[inline]
    #[must_use]
    pub const fn motion(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }
}

impl<S, const D: usize, B: Into<Aabb<S, D>>> From<(u32, B)> for IndexObject<S, D> {
    /// Creates a dynamic object from its key and bounds.
    #[inline]
    fn from((key, bounds): (u32, B)) -> Self {
        Self::new(key, bounds)
    }
}

/// An object that a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry<S = f32, const D: usize = 2> {
    /// Identifies the object in its structure.
    pub key: u32,
    /// The box around the object.
    pub bounds: Aabb<S, D>,
}
