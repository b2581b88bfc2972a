//! Worlds that wrap (periodic worlds), over any structure.
//!
//! Terms: the *side* is the length of the world on an axis; a *seam* is where its ends join; a box
//! is *home* if its `min` is in `[0, side)`; an *image* of a box is the box moved by a multiple of
//! the sides.

mod cast;
mod images;
mod index;
mod nearest;
mod pairs;
mod seams;
mod shift;
mod world;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use bounds_hexprism::{Aabb, InvalidBounds, Scalar};

use crate::{Pair, SpatialIndex, SpatialIndexExt};
pub use world::{InvalidWorld, World};

/// Structure whose world wraps: an object that leaves on one side enters on the opposite side.
///
/// ```text
///       ┌──────────────────┐        a passes the seam: min 28, max 34 in a world of 32,
///     ──┼─┐              ┌─┼──      so it meets b, which touches it at 2.
///     a │ │b┐            │a│
///     ──┼─┘─┘            └─┼──
///       └──────────────────┘
///       0                 32
/// ```
///
/// Contains any [`SpatialIndex`] and is one itself, with the same keys and motion classes.
///
/// * **Sides** are positive, up to an eighth of the number range, such as 360 for degrees.
/// * **Boxes** are given unwrapped, `min <= max`, anywhere, and stored with `min` moved into
///   `[0, side)`, while `max` may exceed the side. Both ends move by the same number of sides:
///   exact for integers; for floats exact, then rounded once. A `min` that would round up to a seam
///   becomes 0. If `max - min`, as rounded by the number type, is at least the side, the box covers
///   the axis and is stored as `[0, side]`.
/// * **Pairs** are reported once, even if the objects touch on both sides. The test of two stored
///   boxes is exact. No object forms a pair with itself.
/// * **Queries** report an object once, even if several of its images overlap. Distances are to the
///   nearest image, found axis by axis in the scalar's own precision: an image is the stored box,
///   minus one side and rounded to nearest. Regions may be anywhere, and may be infinite.
/// * **Casts** report an object once, where the path touches the first of its images. For an image,
///   the path is moved by a multiple of the side, rounded to nearest. A path is followed for 1024
///   rounds on its fastest axis, or as the number range allows: the largest number divided by the
///   largest side, minus 3, but at least 4. Contacts after that are not reported. A ray is followed
///   while there are objects that it has not touched: limit it with
///   [`Path::until`](crate::Path::until), or with a visitor that stops.
///
/// **Cost.** Methods run those of the wrapped structure, and search for more only near seams.
///
/// * Pairs and neighbors: the objects within the distance of a seam are searched again, in strips,
///   with their images. If the distance is above a quarter of a side, one query runs per object.
/// * `query` and `nearest` run queries at the images beyond a seam within the region or the
///   distance of a result; so does `nearest_to_each` for objects whose last result is farther away
///   than a seam.
/// * `cast` consists of box queries; pairs with another structure take one query per object of one
///   of the two.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, Path, SpatialIndex, SpatialIndexExt, Torus};
///
/// let mut world = Torus::new(BruteForce::<f32, 2>::new(), [32.0, 16.0])?;
/// world.insert(0, Aabb::new([28.0, 4.0], [34.0, 8.0]))?; // over the seam
/// world.insert(1, Aabb::new([2.0, 4.0], [4.0, 8.0]))?; // touches it there
/// world.insert(2, Aabb::new([-8.0, 4.0], [-7.0, 8.0]))?; // is at 24
/// assert_eq!(world.get(2).unwrap().bounds, Aabb::new([24.0, 4.0], [25.0, 8.0]));
///
/// let mut pairs = Vec::new();
/// world.pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 1]]);
///
/// let mut order = Vec::new();
/// world.cast(Path::ray([10.0, 6.0], [-1.0, 0.0]), |entry, far| order.push((entry.key, far)));
/// assert_eq!(order, [(1, 6.0), (0, 8.0), (2, 17.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Torus<S: Scalar = f32, const D: usize = 2> {
    inner: Box<dyn SpatialIndex<S, D>>,
    world: World<S, D>,
    /// Upper bound of `max` of all objects on each axis that wraps. Only `clear` resets it.
    far: [S; D],
    /// Whether a static object was inserted. Only `clear` resets it.
    has_statics: bool,
    /// Scratch buffer for pairs across seams.
    across: Vec<Pair>,
}

impl<S: Scalar, const D: usize> Clone for Torus<S, D> {
    fn clone(&self) -> Self {
        let (inner, across) = (self.inner.boxed_clone(), Vec::new());
        Self { inner, across, ..*self }
    }
}

impl<S: Scalar, const D: usize> fmt::Debug for Torus<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Torus");
        fields.field("world", &self.world()).field("objects", &self.inner.len()).finish()
    }
}

impl<S: Scalar, const D: usize> Torus<S, D> {
    /// Wraps the world of a structure with these sides, 0 for an axis that does not wrap. Objects
    /// in the structure are moved home.
    ///
    /// # Errors
    /// If a side is negative or NaN, or above an eighth of the number range: 2²⁸ for `i32`.
    pub fn new(inner: impl SpatialIndex<S, D>, world: [S; D]) -> Result<Self, InvalidWorld> {
        Self::from_box(Box::new(inner), world)
    }

    /// Puts a boxed structure into a world, as [`new`](Self::new) does.
    ///
    /// # Errors
    /// In the same cases as [`new`](Self::new).
    #[doc(hidden)]
    pub fn from_box(
        inner: Box<dyn SpatialIndex<S, D>>,
        world: [S; D],
    ) -> Result<Self, InvalidWorld> {
        let world = World::new(world)?;
        let (far, has_statics) = ([S::ZERO; D], inner.len() > 0);
        let mut torus = Self { inner, world, far, has_statics, across: Vec::new() };
        let Self { inner, far, .. } = &mut torus;
        // Cannot fail: stored bounds are valid and stay valid.
        let _ = inner.update(|_, bounds| move_home(&world, far, bounds));
        Ok(torus)
    }

    /// Returns the sides of the world; 0 for an axis that does not wrap.
    #[must_use]
    pub const fn world(&self) -> [S; D] {
        self.world.sides()
    }

    /// Returns the wrapped structure, which does not handle seams.
    #[must_use]
    pub fn inner(&self) -> &dyn SpatialIndex<S, D> {
        &*self.inner
    }

    /// Returns a box as it would be stored: with `min` in `[0, side)` on each axis that wraps.
    ///
    /// # Errors
    /// If the box is NaN, infinite or inverted.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, BruteForce, Torus};
    ///
    /// let torus = Torus::new(BruteForce::<f32, 2>::new(), [8.0, 0.0])?;
    /// let stored = |min, max| torus.reduced(Aabb::new([min, 0.0], [max, 1.0]));
    /// assert_eq!(stored(-1.0, 3.0)?, Aabb::new([7.0, 0.0], [11.0, 1.0]));
    /// assert_eq!(stored(-1e-20, 3.0)?, Aabb::new([0.0, 0.0], [3.0, 1.0])); // 8 − 10⁻²⁰ is no f32
    /// assert_eq!(stored(-1.0, 7.0)?, Aabb::new([0.0, 0.0], [8.0, 1.0])); // covers the axis
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reduced(&self, bounds: impl Into<Aabb<S, D>>) -> Result<Aabb<S, D>, InvalidBounds> {
        self.world.reduced(bounds.into())
    }

    /// Returns the shortest vector between two points anywhere: to the nearest image on each axis
    /// that wraps. If two are equally near, the vector crosses no seam, so exchanging the points
    /// reverses the vector.
    ///
    /// Both points are moved home, as boxes are, and subtracted; then one side is added or
    /// subtracted if the result is longer than half a side. Exact for integers, which saturate on
    /// an axis that does not wrap; floats round once.
    ///
    /// # Errors
    /// If a coordinate is NaN or infinite.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{BruteForce, Torus};
    ///
    /// let torus = Torus::new(BruteForce::<f32, 2>::new(), [360.0, 0.0])?;
    /// assert_eq!(torus.shortest_vector([350.0, 0.0], [20.0, 700.0])?, [30.0, 700.0]);
    /// assert_eq!(torus.shortest_vector([20.0, 700.0], [-10.0, 0.0])?, [-30.0, -700.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shortest_vector(
        &self,
        from: impl Into<[S; D]>,
        to: impl Into<[S; D]>,
    ) -> Result<[S; D], InvalidBounds> {
        let [from, to] = [self.reduced(Aabb::point(from))?, self.reduced(Aabb::point(to))?];
        Ok(self.world.shortest_vector(from.min, to.min))
    }
}

/// Moves a box home and raises `far` to its end; leaves invalid boxes unchanged.
#[inline]
fn move_home<S: Scalar, const D: usize>(
    world: &World<S, D>,
    far: &mut [S; D],
    bounds: &mut Aabb<S, D>,
) {
    if let Some(home) = bounds.checked().ok().and_then(|bounds| world.reduce(bounds)) {
        *bounds = home;
        raise(far, home.max);
    }
}

fn raise<S: Scalar, const D: usize>(far: &mut [S; D], max: [S; D]) {
    for (far, max) in far.iter_mut().zip(max) {
        if max > *far {
            *far = max;
        }
    }
}
