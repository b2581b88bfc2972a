//! The components of entities.

use bevy_ecs::component::Component;
use bevy_transform::components::{GlobalTransform, Transform};
use hexphase::{Aabb, Filter, Motion};

/// The extent of an entity in its own coordinates: a box or a ball.
///
/// The entity becomes an object of the [`BroadPhase`](crate::BroadPhase), with the smallest box, in
/// coordinates of the world and parallel to its axes, that contains the transformed shape.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[require(Transform, Layers, Mobility)]
pub enum Bounds<const D: usize> {
    /// A box between two corners.
    Box {
        /// The lower corner.
        min: [f32; D],
        /// The upper corner.
        max: [f32; D],
    },
    /// A ball, whose radius grows with the largest factor of the scale.
    Ball {
        /// The center.
        center: [f32; D],
        /// The radius.
        radius: f32,
    },
}

impl<const D: usize> Bounds<D> {
    /// Creates a box of this size around the origin of the entity.
    #[must_use]
    pub fn cuboid(size: impl Into<[f32; D]>) -> Self {
        let half = size.into().map(|length| length * 0.5);
        Self::Box { min: half.map(|length| -length), max: half }
    }

    /// Creates a box between two corners: of a mesh, the ends of its `Aabb`.
    #[must_use]
    pub fn between(min: impl Into<[f32; D]>, max: impl Into<[f32; D]>) -> Self {
        Self::Box { min: min.into(), max: max.into() }
    }

    /// Creates a ball around the origin of the entity.
    #[must_use]
    pub const fn ball(radius: f32) -> Self {
        Self::Ball { center: [0.0; D], radius }
    }

    /// Returns the smallest box that contains the transformed shape.
    #[must_use]
    pub fn transformed(&self, transform: &GlobalTransform) -> Aabb<f32, D> {
        let affine = transform.affine();
        let columns = [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis];
        let columns = columns.map(|column| column.to_array());
        let origin = affine.translation.to_array();
        // Each axis is the sum of the columns, in the order of the axes.
        let sum = |axis: usize, factors: &[f32; D], part: fn(f32) -> f32| {
            let terms = columns.iter().zip(factors).map(|(column, x)| part(column[axis]) * x);
            terms.fold(0.0, |sum, term| sum + term)
        };
        let (center, half) = match self {
            Self::Box { min, max } => {
                let half = core::array::from_fn(|axis| (max[axis] - min[axis]) * 0.5);
                let center = core::array::from_fn(|axis| min[axis] + half[axis]);
                (center, core::array::from_fn(|axis| sum(axis, &half, f32::abs)))
            }
            Self::Ball { center, radius } => {
                let length = |column: &[f32; 3]| column.iter().map(|x| x * x).sum::<f32>().sqrt();
                let scale = columns[..D].iter().map(length).fold(0.0, f32::max);
                (*center, [radius * scale; D])
            }
        };
        let center: [f32; D] =
            core::array::from_fn(|axis| origin[axis] + sum(axis, &center, |x| x));
        Aabb::around(center, half)
    }
}

/// The extent of an entity in two dimensions; the third coordinate of its transform is ignored.
pub type Bounds2d = Bounds<2>;

/// The extent of an entity in three dimensions.
pub type Bounds3d = Bounds<3>;

/// The layers of an entity, and the layers with which it forms pairs; all by default.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers(pub Filter);

/// How an entity moves.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mobility {
    /// Dynamic by default. Two static entities form no pair.
    pub motion: Motion,
    /// Whether the entity forms pairs with all entities on its way since the last step.
    pub swept: bool,
}

impl Mobility {
    /// An entity that does not move.
    pub const STATIC: Self = Self { motion: Motion::Static, swept: false };
}
