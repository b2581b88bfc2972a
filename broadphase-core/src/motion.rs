//! Motion classes of objects.

/// Motion class of an object: whether static objects are compared with each other, and which
/// objects [`update_dynamic`](crate::SpatialIndex::update_dynamic) visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// May move at any time; the default.
    #[default]
    Dynamic,
    /// Stays in place: two static objects never form a pair. Changing its bounds is allowed.
    Static,
    /// Currently at rest. A performance hint; pairs and queries do not depend on it.
    Sleeping,
}
