//! Swept objects: pairs with all objects in the box around a path, and the exact test of the path.

use alloc::vec::Vec;
use core::cmp::Ordering;

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::BroadPhase;
use crate::{Error, Handle, Overlap, UserData};

/// A swept object and an object that its path touched, written by [`BroadPhase::swept_hits`].
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
/// world.insert(Aabb::around([7.0, 0.0], [1.0, 1.0]), "wall")?;
/// let bullet = world.insert(Aabb::point([0.0, 0.0]), "bullet")?;
/// world.set_swept(bullet, true)?;
/// world.set_bounds(bullet, Aabb::point([8.0, 0.0]))?;
/// world.step();
/// let mut hits = Vec::new();
/// world.swept_hits(world.pairs(), &mut hits);
/// assert_eq!((hits[0].overlap.users, hits[0].fraction), (["bullet", "wall"], 0.75));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptHit<U, R = f32> {
    /// Fraction of the step at the first touch, from 0 to 1.
    pub fraction: R,
    /// The two objects, the swept object first.
    pub overlap: Overlap<U>,
}

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Sets whether an object is swept. At a step a swept object forms pairs with all objects that
    /// overlap the *box around its path*: around its bounds at the last step and now. The first
    /// path starts at the bounds at this call.
    ///
    /// [`swept_hits`](Self::swept_hits) tests the path itself and orders the touched objects along
    /// it; tighter volumes are not tested along the path. In a world that wraps the shorter path is
    /// used. To teleport an object, set `false`, move it, and set `true`. Queries use the current
    /// bounds.
    ///
    /// For small, fast objects: each swept object that moved costs two extra changes of bounds per
    /// step. This call takes amortized constant time.
    ///
    /// # Errors
    /// If the object was removed.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// world.insert(Aabb::around([5.0, 0.0], [1.0, 1.0]), "wall")?;
    /// let bullet = world.insert(Aabb::point([0.0, 0.0]), "bullet")?;
    /// world.set_swept(bullet, true)?;
    /// world.step();
    /// world.set_bounds(bullet, Aabb::point([9.0, 0.0]))?;
    /// world.step();
    /// assert_eq!(world.began().next().unwrap().users, ["wall", "bullet"]);
    /// world.step(); // now at rest behind the wall
    /// assert_eq!(world.pairs().len(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_swept(&mut self, object: Handle, swept: bool) -> Result<(), Error> {
        self.registry.live(object)?;
        self.engine.set_swept(object.index(), swept);
        Ok(())
    }

    /// Finds those of the given pairs of the last step whose objects touched on their exact paths.
    /// Replaces the contents of `out` with one item for each swept object of a pair, ascending by
    /// swept object, then by the fraction of the step at the first touch, then by the other object.
    ///
    /// Pass [`pairs`](Self::pairs), or some of them, with their objects in any order.
    /// [`began`](Self::began) has fewer: a pair that began with the box around one path may be
    /// touched on a later path. A fraction of 0 means that the two touched at the start.
    ///
    /// The test is that of [`Path::sweep`](crate::Path::sweep), for two objects that both move: the
    /// ends of a swept object move linearly from its bounds at the step before to those at the last
    /// step, even if its size changes. Any other object is at rest at its current bounds: call this
    /// method before objects move on. In a world that wraps paths are the shorter ones and cross
    /// seams. Contacts at the start or the end of the step are always found: the test is exact
    /// there. In float worlds fractions are computed in `f64`; in integer worlds they are compared
    /// exactly and rounded once. Boxes are tested, not tighter volumes.
    ///
    /// Pairs without an object that was swept at the last step, and pairs with an object removed
    /// since, are skipped. After [`restore`](Self::restore) there are no hits until the next step.
    /// O(n log n) time for n pairs.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// world.insert(Aabb::of_ball([6.0, 6.0], 1.0), "far plate")?;
    /// world.insert(Aabb::of_ball([3.0, 3.0], 1.0), "near plate")?;
    /// world.insert(Aabb::of_ball([1.0, 6.0], 1.0), "beside the path")?;
    /// let bullet = world.insert(Aabb::point([0.0, 0.0]), "bullet")?;
    /// world.set_swept(bullet, true)?;
    /// world.set_bounds(bullet, Aabb::point([8.0, 8.0]))?;
    /// world.step();
    /// assert_eq!(world.pairs().len(), 3); // with the box around the path
    /// let mut hits = Vec::new();
    /// world.swept_hits(world.pairs(), &mut hits);
    /// let touched: Vec<_> = hits.iter().map(|hit| (hit.overlap.users[1], hit.fraction)).collect();
    /// assert_eq!(touched, [("near plate", 0.25), ("far plate", 0.625)]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn swept_hits(
        &self,
        overlaps: impl IntoIterator<Item = Overlap<U>>,
        out: &mut Vec<SweptHit<U, S::Real>>,
    ) {
        out.clear();
        for overlap in overlaps {
            // Test in the order of slots: the fraction then does not depend on the order of the
            // objects, which `Overlaps::between` and `of` exchange.
            let in_order = overlap.handles[0] < overlap.handles[1];
            let overlap = if in_order { overlap } else { overlap.swapped() };
            let pair = overlap.handles.map(Handle::index);
            let swept = pair.map(|slot| self.engine.swept().has_path(slot));
            let are_live = overlap.handles.iter().all(|&object| self.contains(object));
            if !are_live || swept == [false; 2] {
                continue;
            }
            let Some(fraction) = self.engine.first_contact(pair) else { continue };
            if swept[0] {
                out.push(SweptHit { fraction, overlap });
            }
            if swept[1] {
                out.push(SweptHit { fraction, overlap: overlap.swapped() });
            }
        }
        out.sort_unstable_by(|a, b| {
            let ([a_swept, a_other], [b_swept, b_other]) = (a.overlap.handles, b.overlap.handles);
            let by_fraction = a.fraction.partial_cmp(&b.fraction).unwrap_or(Ordering::Equal);
            a_swept.cmp(&b_swept).then(by_fraction).then(a_other.cmp(&b_other))
        });
    }
}
