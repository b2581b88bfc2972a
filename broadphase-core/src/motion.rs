//! Motion classes of objects.

/// Motion class of an object: decides whether two objects can be a pair, and whether
/// [`update_dynamic`](crate::SpatialIndexExt::update_dynamic) visits it.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, IndexObject, Motion, SpatialIndexExt};
///
/// let mut world: BruteForce = BruteForce::new();
/// let here = |key, motion| IndexObject::new(key, Aabb::of_ball([0.0, 0.0], 1.0)).motion(motion);
/// world.extend([here(0, Motion::Static), here(1, Motion::Static)])?; // a floor and a crate
/// world.extend([here(2, Motion::Sleeping)])?; // a sensor
/// let mut pairs = Vec::new();
/// world.pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 2], [1, 2]]); // no pair of floor and crate
/// # Ok::<(), hexphase::IndexError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// The object may move at any time; the default.
    #[default]
    Dynamic,
    /// Fixed: two static objects of one structure or world never form a pair. Bounds may change.
    Static,
    /// At rest, but forms pairs with all objects, including static ones: for objects that rest for
    /// a while, and for fixed sensors that must detect static objects.
    ///
    /// Pairs and queries treat the object as dynamic; the class is a performance hint. The
    /// hierarchical grid caches pairs of sleeping objects with sleeping and static ones until one
    /// of these objects changes; other structures search them again whenever any object has
    /// changed.
    Sleeping,
}
