//! Worlds that join themselves at their ends, over any structure.

mod cast;
mod images;
mod index;
mod nearest;
mod pairs;
mod world;

use alloc::vec::Vec;
#[cfg(all(feature = "rayon", target_has_atomic = "64"))]
use core::{
    array,
    sync::atomic::{AtomicU64, Ordering},
};

use bounds_hexprism::{Aabb, InvalidBounds, Scalar};

use crate::SpatialIndex;
pub use world::InvalidWorld;
use world::World;

/// A structure whose world joins itself at its ends: what leaves on one side comes in on the other.
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
/// It holds any [`SpatialIndex`] and is one itself, with the same keys, data and motions.
///
/// * **Boxes** are given unwrapped, `min <= max`, anywhere. They are stored and shown with `min`
///   brought into `[0, side)`, while `max` may pass the side. Floats round to nearest there; a
///   `min` so little below a seam that there is no number between is on the seam, and so 0. An
///   extent of a side or more, as numbers subtract, covers the axis: `[0, side]`.
/// * **Pairs** are reported once, even if they meet on both sides, and touching across a seam
///   counts. Whether two stored boxes meet is decided exactly. Nothing meets itself.
/// * **Queries** find an object once, whichever of its images overlaps; distances are those to the
///   nearest image, found axis by axis, in the scalar's own precision. Regions may be given
///   anywhere as well, and may be infinite.
/// * **Casts** show an object once, where the path touches the first of its images. A path is
///   followed until it has gone 1024 times around on the axis where it is fastest, or as often as
///   the numbers have room for: the largest of them divided by the largest side, less 3 (never
///   fewer than 4 times); what it would only touch later it does not touch. So endless rays end
///   too. They are best ended by [`Path::until`](crate::Path::until), or by a visitor that stops:
///   as long as there is an object that it has not met, a ray goes on looking.
///
/// What crosses no seam costs little more than inside. Each object that does is looked for in the
/// images of its box beyond the seams, of which there are up to 2 on one axis, 8 on two and 26 on
/// three; a query near a seam asks there as well. `cast`, `nearest` and `neighbors` are made of box
/// queries, even where the structure inside has faster ways.
///
/// ```
/// use broadphase_core::{Aabb, BruteForce, Path, SpatialIndex, Torus};
///
/// let mut world = Torus::new(BruteForce::<f32, 2>::new(), [32.0, 16.0])?;
/// world.insert(0, Aabb::new([28.0, 4.0], [34.0, 8.0]), ())?; // over the seam
/// world.insert(1, Aabb::new([2.0, 4.0], [4.0, 8.0]), ())?; // touches it there
/// world.insert(2, Aabb::new([-8.0, 4.0], [-7.0, 8.0]), ())?; // is at 24
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
#[derive(Clone, Debug)]
pub struct Torus<I, S = f32, const D: usize = 2> {
    inner: I,
    world: World<S, D>,
    /// No object ends farther out on an axis that wraps. Only goes up while there are objects.
    far: [S; D],
    /// Room for the keys of what passes a seam.
    crossing: Vec<u32>,
}

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> Torus<I, S, D> {
    /// Makes a torus of a structure, with sides of these lengths; 0 for an axis that does not
    /// wrap. What is in the structure already is brought home.
    ///
    /// # Errors
    /// If a side is neither 0 nor a power of two, or so large that eight of them are not a
    /// number: at most 2²⁸ for `i32`, 2¹²⁴ for `f32`, 2¹⁰²⁰ for `f64`.
    pub fn new(inner: I, world: [S; D]) -> Result<Self, InvalidWorld> {
        let world = World::new(world)?;
        let mut torus = Self { inner, world, far: [S::ZERO; D], crossing: Vec::new() };
        let Self { inner, far, .. } = &mut torus;
        // What is stored is valid, and stays so.
        let _ = inner.update(|_, _, bounds| bring_home(&world, far, bounds));
        Ok(torus)
    }

    /// How long the sides are; 0 for an axis that does not wrap.
    #[must_use]
    pub const fn world(&self) -> [S; D] {
        self.world.sides()
    }

    /// The structure inside, which knows nothing of seams.
    #[must_use]
    pub const fn inner(&self) -> &I {
        &self.inner
    }

    /// The structure inside, with all objects as they are stored.
    #[must_use]
    pub fn into_inner(self) -> I {
        self.inner
    }

    /// A box as it would be stored: on each axis that wraps, with `min` in `[0, side)`. What is
    /// stored stays as it is.
    ///
    /// # Errors
    /// If it is NaN, infinite or inverted.
    ///
    /// ```
    /// # use broadphase_core::{Aabb, BruteForce, Torus};
    /// let torus = Torus::new(BruteForce::<f32, 1>::new(), [8.0]).unwrap();
    /// let stored = |min, max| torus.reduced(Aabb::new([min], [max])).unwrap();
    /// assert_eq!(stored(-1.0, 3.0), Aabb::new([7.0], [11.0]));
    /// assert_eq!(stored(-1e-20, 3.0), Aabb::new([0.0], [3.0])); // 8 − 10⁻²⁰ is no f32
    /// assert_eq!(stored(-1.0, 7.0), Aabb::new([0.0], [8.0])); // covers the axis
    /// ```
    pub fn reduced(&self, bounds: impl Into<Aabb<S, D>>) -> Result<Aabb<S, D>, InvalidBounds> {
        let bounds = bounds.into().checked()?;
        Ok(self.world.reduce(bounds).unwrap_or(bounds))
    }
}

/// Returns the sides of a world that wraps, with −0 as 0, without making a [`Torus`].
///
/// # Errors
/// As [`Torus::new`].
#[doc(hidden)]
pub fn checked_sides<S: Scalar, const D: usize>(sides: [S; D]) -> Result<[S; D], InvalidWorld> {
    Ok(World::new(sides)?.sides())
}

/// Returns a box as a [`Torus`] with these valid sides stores it; see [`Torus::reduced`].
///
/// # Errors
/// If the box is NaN, infinite or inverted, or a side is invalid (reported as inverted).
#[doc(hidden)]
pub fn reduced<S: Scalar, const D: usize>(
    sides: [S; D],
    bounds: Aabb<S, D>,
) -> Result<Aabb<S, D>, InvalidBounds> {
    let bounds = bounds.checked()?;
    let world = World::new(sides).map_err(|why| InvalidBounds::Inverted { axis: why.axis })?;
    Ok(world.reduce(bounds).unwrap_or(bounds))
}

/// Brings a box home and remembers how far it goes; leaves one as it is that nobody may store.
#[inline]
fn bring_home<S: Scalar, const D: usize>(
    world: &World<S, D>,
    far: &mut [S; D],
    bounds: &mut Aabb<S, D>,
) {
    if let Some(home) = bounds.checked().ok().and_then(|bounds| world.reduce(bounds)) {
        *bounds = home;
        for (far, max) in far.iter_mut().zip(home.max) {
            if max > *far {
                *far = max;
            }
        }
    }
}

/// How far boxes go that several threads bring home; written back in the end, and should one of
/// them panic.
#[cfg(all(feature = "rayon", target_has_atomic = "64"))]
struct Farthest<'a, S: Scalar, const D: usize> {
    far: &'a mut [S; D],
    bits: [AtomicU64; D],
}

#[cfg(all(feature = "rayon", target_has_atomic = "64"))]
impl<'a, S: Scalar, const D: usize> Farthest<'a, S, D> {
    fn new(far: &'a mut [S; D]) -> Self {
        // Every number is a double, and those that are not negative are ordered as their bits are.
        let bits = far.map(|far| AtomicU64::new(far.to_f64().to_bits()));
        Self { far, bits }
    }

    /// As [`bring_home`].
    #[inline]
    fn bring_home(&self, world: &World<S, D>, bounds: &mut Aabb<S, D>) {
        let before = self.get();
        let mut far = before;
        bring_home(world, &mut far, bounds);
        for axis in (0..D).filter(|&axis| far[axis] > before[axis]) {
            self.bits[axis].fetch_max(far[axis].to_f64().to_bits(), Ordering::Relaxed);
        }
    }

    fn get(&self) -> [S; D] {
        array::from_fn(|axis| S::from_f64(f64::from_bits(self.bits[axis].load(Ordering::Relaxed))))
    }
}

#[cfg(all(feature = "rayon", target_has_atomic = "64"))]
impl<S: Scalar, const D: usize> Drop for Farthest<'_, S, D> {
    fn drop(&mut self) {
        *self.far = self.get();
    }
}
