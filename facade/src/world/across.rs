//! Worlds that wrap: shortest vectors, images of objects, and overlaps of volumes across seams.

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Scalar};

use super::BroadPhase;
use crate::engine::{Engine, images_overlap, in_same_image};
use crate::{Error, Handle, IntoShape, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Returns the shortest vector between the centers of two objects: on each axis that wraps, to
    /// the nearest image of the second object. Exchanging the objects reverses the vector.
    ///
    /// The centers are those of the stored boxes ([`Aabb::center`](crate::Aabb::center)). If their
    /// difference on an axis that wraps is longer than half a side, one side is added or
    /// subtracted; if two images are equally near, nothing is. Exact for integers, which saturate
    /// on an axis that does not wrap. An object that covers an axis has its center at half the
    /// side. Takes constant time.
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
    /// assert_eq!(world.shortest_vector(ship, rock)?, [25.0, -20.0]);
    /// assert_eq!(world.shortest_vector(rock, ship)?, [-25.0, 20.0]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn shortest_vector(&self, from: Handle, to: Handle) -> Result<[S; D], Error> {
        let [from, to] = [self.stored_box(from)?.center(), self.stored_box(to)?.center()];
        Ok(self.engine.options().world().shortest_vector(from, to))
    }

    /// Returns the shift of an object near a box or point: the number of whole sides by which the
    /// object must be moved on each axis to be next to it; 0 on an axis that does not wrap.
    ///
    /// Use this to draw an object where a query, a cast or a pair has found it: pass the view, the
    /// position of the path ([`Path::at`](crate::Path::at)), or the bounds of the other object. The
    /// shift selects the image whose box is nearest to `near` on each axis, or, of several equally
    /// near, the one moved by fewest sides. [`image`](Self::image) returns the moved box;
    /// [`shortest_vector`](Self::shortest_vector) compares centers instead.
    ///
    /// The shift is counted from the bounds of [`get`](Self::get): `bounds.translated(..)` by the
    /// shift times the sides is the image, including a tighter volume. Takes constant time.
    ///
    /// ```text
    ///              0                     800
    ///     ─────────┼──────────────────────┼─────────
    ///          ┌───┼──────┐            ┌──┼───┐          view −20…100, object stored at 785…825
    ///          │ ┌─┼───┐  │            │  │   │
    ///          │ │ │   │  │            └──┼───┘
    ///          └─┴─┼───┴──┘               │              shift −1: image at −15…25
    /// ```
    ///
    /// # Errors
    /// If the object was removed, `near` is NaN, infinite or inverted, or a shift exceeds `i32`.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options, Path};
    ///
    /// let options = Options::new().wrap([800.0, 600.0]);
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::with_options(options);
    /// let rock = world.insert(Aabb::of_ball([805.0, 50.0], 20.0), ())?;
    /// let ship = world.insert(Aabb::of_ball([30.0, 590.0], 9.0), ())?;
    /// // A view across the seam: each object is drawn at its image.
    /// let view = Aabb::new([-20.0, -60.0], [100.0, 60.0]);
    /// let drawn: Vec<_> = world.query(view).to_vec();
    /// assert_eq!(drawn, [rock, ship]);
    /// assert_eq!(world.shift(rock, view)?, [-1, 0]);
    /// assert_eq!(world.image(rock, view)?, Aabb::of_ball([5.0, 50.0], 20.0));
    /// assert_eq!(world.image(ship, view)?, Aabb::of_ball([30.0, -10.0], 9.0));
    /// // A shot flies twice around the world.
    /// let shot = Path::segment([400.0, 300.0], [2385.0, 50.0]);
    /// let hit = world.cast(shot).first().unwrap();
    /// assert_eq!(world.shift(hit.object, shot.at(hit.fraction))?, [2, 0]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn shift<K>(
        &self,
        object: Handle,
        near: impl IntoShape<S, D, Aabb<S, D>, K>,
    ) -> Result<[i32; D], Error> {
        let (stored, world) = (self.stored_box(object)?, self.engine.options().world());
        let shift = world.shift(&stored, &near.into_shape());
        let shift = if B::IS_BOX {
            shift
        } else {
            // A tighter volume is at the position given by the caller, whole sides from the stored
            // box.
            let given = self.volumes[object.index() as usize].aabb();
            shift.and_then(|shift| world.shift_from(&stored, &given, shift))
        };
        shift.map_err(|why| Error::InvalidBounds { object: None, why })
    }

    /// Returns the image of an object's box that is nearest to a box or point: the stored box,
    /// moved by whole sides on the axes that wrap. Takes constant time.
    ///
    /// Use this to draw an object where a query, a cast or a pair has found it; the image is
    /// selected as by [`shift`](Self::shift). Floats round the multiple of the side to nearest, and
    /// then each end.
    ///
    /// ```text
    ///              0                     800
    ///     ─────────┼──────────────────────┼─────────
    ///          ┌───┼──────┐            ┌──┼───┐          view −20…100, object stored at 785…825
    ///          │ ┌─┼───┐  │            │  │   │
    ///          │ │ │   │  │            └──┼───┘
    ///          └─┴─┼───┴──┘               │              image at −15…25
    /// ```
    ///
    /// # Errors
    /// If the object was removed, `near` is NaN, infinite or inverted, the object would move by
    /// more sides than `i32` counts, or an end exceeds the number range.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options};
    ///
    /// let options = Options::new().wrap([800.0, 600.0]);
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::with_options(options);
    /// let rock = world.insert(Aabb::of_ball([805.0, 50.0], 20.0), ())?;
    /// let ship = world.insert(Aabb::of_ball([30.0, 590.0], 9.0), ())?;
    /// // A view across the seam: each object is drawn at its image.
    /// let view = Aabb::new([-20.0, -60.0], [100.0, 60.0]);
    /// assert_eq!(world.query(view).to_vec(), [rock, ship]);
    /// assert_eq!(world.image(rock, view)?, Aabb::of_ball([5.0, 50.0], 20.0));
    /// assert_eq!(world.image(ship, view)?, Aabb::of_ball([30.0, -10.0], 9.0));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn image<K>(
        &self,
        object: Handle,
        near: impl IntoShape<S, D, Aabb<S, D>, K>,
    ) -> Result<Aabb<S, D>, Error> {
        let (stored, world) = (self.stored_box(object)?, self.engine.options().world());
        let shift = world.shift(&stored, &near.into_shape());
        let shift = shift.map_err(|why| Error::InvalidBounds { object: None, why })?;
        let image = world.shifted(&stored, shift);
        image.map_err(|why| Error::InvalidBounds { object: Some(object), why })
    }

    /// Returns the stored box of an object.
    ///
    /// # Errors
    /// If the object was removed.
    pub(crate) fn stored_box(&self, object: Handle) -> Result<Aabb<S, D>, Error> {
        self.registry.live(object)?;
        let stored = self.engine.structure().get(object.index());
        stored.map(|stored| stored.bounds).ok_or(Error::Stale { object })
    }
}

/// Tests whether the volumes of two objects overlap, given that their boxes do. In a world that
/// wraps, each image in which the boxes overlap is tested.
pub(crate) struct VolumeTest<'a, S, const D: usize, B> {
    /// The volumes by slot, of the worlds of the first and the second object.
    volumes: [&'a [B]; 2],
    /// The sides of the world, if it wraps.
    sides: Option<[S; D]>,
    /// A first object, and whether it is inside the home range: most pairs in order have the first
    /// object of the pair before.
    first: Option<(u32, bool)>,
}

impl<'a, S: Scalar, const D: usize, B: Bounds<S, D>> VolumeTest<'a, S, D, B> {
    pub(crate) fn new(engine: &dyn Engine<S, D>, volumes: [&'a [B]; 2]) -> Self {
        let options = engine.options();
        Self { volumes, sides: options.wraps().then_some(options.sides), first: None }
    }

    /// Returns whether two volumes overlap; `slots` has one item per world. The order of two slots
    /// of one world must be that of their numbers: if rounding decides, the order matters.
    pub(crate) fn overlap(&mut self, slots: [u32; 2]) -> bool {
        let [one, other] = [0, 1].map(|world| &self.volumes[world][slots[world] as usize]);
        // Volumes that overlap at their own bounds need no image.
        let overlap = one.overlaps(other);
        let Some(sides) = self.sides else { return overlap };
        if overlap {
            return true;
        }
        let is_inside = |bounds: Aabb<S, D>| {
            (0..D).all(|axis| {
                let (side, min, max) = (sides[axis], bounds.min[axis], bounds.max[axis]);
                side == S::ZERO || (min >= S::ZERO && max < side)
            })
        };
        let first_is_inside = match self.first {
            Some((slot, is_inside)) if slot == slots[0] => is_inside,
            _ => is_inside(one.aabb()),
        };
        self.first = Some((slots[0], first_is_inside));
        // Two boxes inside the home range overlap in no other image.
        !(first_is_inside && is_inside(other.aabb())) && overlap_across(&sides, one, other)
    }
}

/// Returns whether two volumes overlap in an image in which their boxes overlap.
fn overlap_across<S: Scalar, const D: usize, B: Bounds<S, D>>(
    sides: &[S; D],
    one: &B,
    other: &B,
) -> bool {
    let given = [one.aabb(), other.aabb()];
    !in_same_image(sides, &given)
        && images_overlap(sides, &given, &mut |by| {
            by != [S::ZERO; D] && other.translated(by).is_none_or(|other| one.overlaps(&other))
        })
}
