//! Worlds that wrap: shortest vectors to objects, and overlaps of volumes across seams.

use bounds_hexprism::Bounds;
use broadphase_core::{Scalar, torus};

use super::BroadPhase;
use crate::engine::{Engine, images_overlap, in_same_image};
use crate::{Error, Handle, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Returns the shortest vector from a point to the center of an object. On each axis that
    /// wraps, the vector leads to the nearest image of the object. The point may be anywhere.
    ///
    /// The point is moved into the home range and subtracted from the center of the stored box
    /// ([`Aabb::center`](crate::Aabb::center)). If the difference on an axis that wraps is longer
    /// than half a side, one side is added or subtracted; if two images are equally near, the
    /// difference is kept. Integers are exact, but saturate on an axis that does not wrap; floats
    /// round when the point is moved, and when it is subtracted.
    ///
    /// An object that covers an axis has its center at half the side. Takes constant time.
    ///
    /// # Errors
    /// If the object was removed, or if a coordinate of the point is NaN or infinite.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options};
    ///
    /// let options = Options::new().wrap([360.0, 0.0]); // bearing in degrees, distance
    /// let mut chart: BroadPhase = BroadPhase::with_options(options);
    /// let lighthouse = chart.insert(Aabb::of_ball([10.0, 8.0], 2.0), ())?;
    /// assert_eq!(chart.shortest_vector([350.0, 5.0], lighthouse)?, [20.0, 3.0]);
    /// assert_eq!(chart.shortest_vector([-700.0, 5.0], lighthouse)?, [-10.0, 3.0]); // bearing 20
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn shortest_vector(&self, from: impl Into<[S; D]>, to: Handle) -> Result<[S; D], Error> {
        let to = self.center(to)?;
        torus::shortest_vector(self.engine.options().sides, from.into(), to)
            .map_err(|why| Error::InvalidBounds { object: None, why })
    }

    /// Returns the shortest vector from the center of an object to the center of another, by the
    /// rules of [`shortest_vector`](Self::shortest_vector). Exchanging the objects reverses the
    /// vector.
    ///
    /// # Errors
    /// If one of the objects was removed.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options};
    ///
    /// let options = Options::new().wrap([1000.0, 0.0]);
    /// let mut world: BroadPhase = BroadPhase::with_options(options);
    /// let ship = world.insert(Aabb::of_ball([990.0, 40.0], 5.0), ())?;
    /// let rock = world.insert(Aabb::of_ball([15.0, 20.0], 8.0), ())?;
    /// assert_eq!(world.shortest_vector_between(ship, rock)?, [25.0, -20.0]);
    /// assert_eq!(world.shortest_vector_between(rock, ship)?, [-25.0, 20.0]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn shortest_vector_between(&self, from: Handle, to: Handle) -> Result<[S; D], Error> {
        let [from, to] = [self.center(from)?, self.center(to)?];
        Ok(torus::shortest_between_centers(self.engine.options().sides, from, to))
    }

    /// Returns the center of the stored box of an object.
    fn center(&self, object: Handle) -> Result<[S; D], Error> {
        Ok(self.stored_box(object)?.center())
    }
}

/// Returns whether the volumes of the objects in two slots overlap, given that their boxes do. In a
/// world that wraps, the volumes are tested in each image in which the boxes overlap.
pub(super) fn volumes_overlap<S: Scalar, const D: usize, B: Bounds<S, D>>(
    engine: &dyn Engine<S, D>,
    volumes: &[B],
    [a, b]: [u32; 2],
) -> bool {
    // Test in the order of slots, so that the result does not depend on the order of the arguments.
    volumes_of_two_overlap([engine; 2], [volumes; 2], if a < b { [a, b] } else { [b, a] })
}

/// Returns whether the volumes of two objects of different worlds overlap, given that their boxes
/// do; `engines`, `volumes` and `slots` have one item per world. If rounding decides, the result
/// may depend on the order of the worlds.
pub(crate) fn volumes_of_two_overlap<S: Scalar, const D: usize, B: Bounds<S, D>>(
    engines: [&dyn Engine<S, D>; 2],
    volumes: [&[B]; 2],
    slots: [u32; 2],
) -> bool {
    let [one, other] = [0, 1].map(|world| &volumes[world][slots[world] as usize]);
    // Volumes that overlap where the caller has placed them need no image.
    let overlap = one.overlaps(other);
    let options = engines[0].options();
    if overlap || !options.wraps() {
        return overlap;
    }
    let given = [one.aabb(), other.aabb()];
    if in_same_image(&options.sides, &given) {
        return false;
    }
    images_overlap(&options.sides, &given, &mut |by| {
        by != [S::ZERO; D] && other.translated(by).is_none_or(|other| one.overlaps(&other))
    })
}
