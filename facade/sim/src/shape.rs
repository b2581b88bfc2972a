//! Boxes, queries and objects with coordinates as `f64`, which represents the numbers of all worlds
//! exactly.

use hexphase::{Aabb, Filter, Handle, Motion};

/// A box. Both ends are 0 on axes beyond the dimension of the world.
pub(crate) type Box64 = Aabb<f64, 3>;

/// An object to insert.
#[derive(Clone, Copy, Debug)]
pub(crate) struct New {
    pub(crate) bounds: Box64,
    pub(crate) user: u32,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
}

/// The state of an object as a world returns it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) handle: Handle,
    pub(crate) bounds: Box64,
    pub(crate) user: u32,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
    pub(crate) swept: bool,
}

/// A region, path or target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Region { bounds: Box64, radius: f64 },
    Segment { from: [f64; 3], to: [f64; 3], ignores_contacts: bool },
    Ray { from: [f64; 3], by: [f64; 3], until: f64, ignores_contacts: bool },
    Sweep { start: Box64, by: [f64; 3], until: f64, ignores_contacts: bool },
    Target { bounds: Box64, within: Option<f64>, within_squared: Option<f64> },
}

impl Shape {
    pub(crate) const fn is_region(&self) -> bool {
        matches!(self, Self::Region { .. })
    }

    pub(crate) const fn is_target(&self) -> bool {
        matches!(self, Self::Target { .. })
    }
}

/// The method of `Query` by which results are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    List,
    First,
    Count,
    Visit,
}

/// A query with its options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    pub(crate) shape: Shape,
    pub(crate) mask: u64,
    pub(crate) except: Option<Handle>,
    /// If set, only objects whose user data have this remainder modulo 2 are found.
    pub(crate) parity: Option<u32>,
    pub(crate) take: usize,
    pub(crate) with_ties: bool,
    pub(crate) request: Request,
}

/// The results of a query: objects with their fraction or squared distance; 0 for regions.
pub(crate) type Found = Vec<(Handle, f64)>;
