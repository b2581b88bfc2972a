//! Questions to a world, with their options.

use alloc::vec::Vec;
use core::fmt;

use broadphase_core::{Aabb, Scalar};

use crate::{BroadPhase, Handle};

/// A question: which objects overlap a box. Asked by [`count`](Self::count),
/// [`to_vec`](Self::to_vec) or [`write_to`](Self::write_to).
///
/// It sees every change at once, without a step between. A region may be infinite; one that is
/// inverted or NaN overlaps nothing.
#[must_use = "a query does nothing until it is asked"]
pub struct Query<'a, S, const D: usize, U> {
    world: &'a BroadPhase<S, D, U>,
    region: Aabb<S, D>,
    mask: u64,
    except: Option<Handle>,
}

impl<'a, S: Scalar, const D: usize, U: Copy + Send + Sync> Query<'a, S, D, U> {
    pub(crate) const fn new(world: &'a BroadPhase<S, D, U>, region: Aabb<S, D>) -> Self {
        Self { world, region, mask: !0, except: None }
    }

    /// Only objects in one of these layers. (An object in no layer is never found.)
    pub const fn mask(self, layers: u64) -> Self {
        Self { mask: layers, ..self }
    }

    /// Not this object.
    pub const fn except(self, object: Handle) -> Self {
        Self { except: Some(object), ..self }
    }

    /// How many there are.
    #[must_use]
    pub fn count(self) -> usize {
        let mut count = 0;
        self.each(|_| count += 1);
        count
    }

    /// All of them, ascending.
    #[must_use]
    pub fn to_vec(self) -> Vec<Handle> {
        let mut found = Vec::new();
        self.write_to(&mut found);
        found
    }

    /// Writes all of them into `out`, ascending, in place of what it held.
    pub fn write_to(self, out: &mut Vec<Handle>) {
        out.clear();
        self.each(|object| out.push(object));
        out.sort_unstable();
    }

    fn each(self, mut visit: impl FnMut(Handle)) {
        self.world.query_structure(self.region, self.mask, &mut |object| {
            if Some(object) != self.except {
                visit(object);
            }
        });
    }
}

impl<S: Scalar, const D: usize, U> fmt::Debug for Query<'_, S, D, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("region", &self.region)
            .field("mask", &self.mask)
            .field("except", &self.except)
            .finish_non_exhaustive()
    }
}
