//! Boxes, queries and objects with coordinates as `f64`, which represents the numbers of all worlds
//! exactly.

use hexphase::{Aabb, Algorithm, Filter, Handle, Motion};

/// A box. Both ends are 0 on axes beyond the dimension of the world.
pub(crate) type Box64 = Aabb<f64, 3>;

/// The numbers of a volume: the two corners of a box; the lower and the upper limits of a hexagon;
/// the center of a ball, followed by its radius.
pub(crate) type Volume64 = Aabb<f64, 3>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct New {
    pub(crate) volume: Volume64,
    pub(crate) user: u32,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
}

/// The state of an object as a world returns it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) handle: Handle,
    pub(crate) volume: Volume64,
    pub(crate) user: u32,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
    pub(crate) swept: bool,
}

/// The constructor of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    Segment,
    Ray,
    Sweep,
}

/// A region, path or target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Region {
        bounds: Box64,
        radius: f64,
    },
    /// A path from `start` to the point `to`, or, unless it is a segment, by the vector `to`.
    Path {
        kind: PathKind,
        start: Box64,
        to: [f64; 3],
        until: f64,
        ignores_contacts: bool,
    },
    Target {
        bounds: Box64,
        within: Option<f64>,
        within_squared: Option<f64>,
    },
}

impl Shape {
    pub(crate) const fn is_region(&self) -> bool {
        matches!(self, Self::Region { .. })
    }

    /// Returns a path that ignores contacts as one that does not; `None` for all other shapes.
    pub(crate) const fn with_contacts(mut self) -> Option<Self> {
        match &mut self {
            Self::Path { ignores_contacts, .. } if *ignores_contacts => {
                *ignores_contacts = false;
                Some(self)
            }
            _ => None,
        }
    }

    pub(crate) const fn is_target(&self) -> bool {
        matches!(self, Self::Target { .. })
    }
}

/// The method of `Query` by which results are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    List,
    /// The list, written into a used buffer.
    Reused,
    First,
    Visit,
    /// A visit that stops at the first object.
    Stop,
    /// A list, with a predicate that panics at the first object.
    Panic,
}

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

/// The results of a query: objects with their fraction or squared distance, and their distance. A
/// number that the kind of query does not have is 0.
pub(crate) type Found = Vec<(Handle, [f64; 2])>;

/// A search for pairs within a distance, in one world or between two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSearch {
    /// `None` stands for overlaps in a search between two worlds, and for 0 in one world.
    pub(crate) distance: Option<f64>,
    pub(crate) layers: [u64; 2],
    /// The structure of the other world.
    pub(crate) algorithm: Algorithm,
}

/// A pair of objects with their user data.
pub(crate) type PairFound = ([Handle; 2], [u32; 2]);
