//! Restores a world from bytes. All bytes are validated before the world is changed.
//!
//! 1. Verify signature, version, checksum and kind.
//! 2. Parse slots, filters, kept objects and pairs; user data and bounds remain byte slices.
//! 3. Decode user data and bounds; validate each volume.
//! 4. Allocate memory, then change the structure where it differs from the snapshot, and replace
//!    slots, filters, pairs, user data and volumes.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Number, Scalar};

use super::header::{CONTENT_OFFSET, Header, SIDES_OFFSET};
use super::parse::{ParsedSnapshot, Sizes, fill_by_slot, read_one};
use super::{HAS_BOUNDS, HAS_EVENTS, Plain, SnapshotError};
use crate::world::checked_volume;
use crate::{BroadPhase, Handle, Options, UserData};

/// Supplies the volume of an object if the snapshot has no bounds.
type BoundsSource<'a, U, B> = dyn FnMut(Handle, &U) -> B + 'a;

impl<S, const D: usize, U, B> BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: UserData,
    B: Bounds<S, D>,
{
    /// Restores the state of the world at the time of the snapshot.
    ///
    /// The snapshot may come from another world of one kind (numbers, dimension, user data,
    /// volumes, sides, events), with another structure, backend or number of threads. After
    /// `restore`, the same inputs give bit-identical results, including handles.
    ///
    /// [`pairs`](Self::pairs) returns the pairs of the last step before the snapshot, or none if
    /// events are disabled. [`began`](Self::began), [`ended`](Self::ended) and
    /// [`swept_hits`](Self::swept_hits) are empty until the next step, which, after the same
    /// changes, reports the same events and hits as the first step that was taken after the
    /// snapshot.
    ///
    /// Only changed objects are written: going back a few ticks costs little more than an update of
    /// all objects. Memory is allocated for all slots up to the highest slot in use, which a few
    /// forged bytes can raise: do not restore bytes from sources that you do not trust.
    ///
    /// # Errors
    /// If the bytes are not a snapshot, damaged, or of another kind of world, or if
    /// [memory](SnapshotError::OutOfMemory) for the objects is short. On error the world is
    /// unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, Algorithm, BroadPhase, Options};
    ///
    /// let mut world: BroadPhase<f32, 2, u8> = BroadPhase::new();
    /// world.insert(Aabb::of_ball([0.0, 0.0], 1.0), 1)?;
    /// world.insert(Aabb::of_ball([1.0, 0.0], 1.0), 2)?;
    /// world.step();
    /// let mut saved = Vec::new();
    /// world.snapshot_into(&mut saved);
    ///
    /// let options = Options::new().algorithm(Algorithm::Brute);
    /// let mut other: BroadPhase<f32, 2, u8> = BroadPhase::with_options(options);
    /// other.restore(&saved)?;
    /// assert!(other.pairs().eq(world.pairs()));
    /// assert_eq!(other.state_hash(), world.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError>
    where
        U: Plain,
        B: Plain,
    {
        self.restore_from(bytes, None)
    }

    /// Restores a snapshot without bounds. `bounds` is called with each object's handle and user
    /// data and returns its bounds.
    ///
    /// # Errors
    /// As [`restore`](Self::restore), or if bounds are NaN, infinite or inverted. On error the
    /// world is unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, [f32; 2]> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([3.0, 4.0]), [3.0, 4.0])?;
    /// let mut saved = Vec::new();
    /// world.snapshot_without_bounds(&mut saved);
    /// world.clear();
    /// world.restore_with(&saved, |_, &position| Aabb::point(position))?;
    /// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([3.0, 4.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore_with(
        &mut self,
        bytes: &[u8],
        mut bounds: impl FnMut(Handle, &U) -> B,
    ) -> Result<(), SnapshotError>
    where
        U: Plain,
        B: Plain,
    {
        self.restore_from(bytes, Some(&mut bounds))
    }

    /// Creates a world from a snapshot, whose sides and events override the options.
    ///
    /// # Errors
    /// As [`restore`](Self::restore).
    ///
    /// # Panics
    /// If allocating the capacity set in the options fails.
    ///
    /// ```
    /// use hexphase::{Aabb, Algorithm, BroadPhase, Options};
    ///
    /// let options = Options::new().wrap([64.0, 0.0]).events(false);
    /// let mut world: BroadPhase<f32, 2, u8> = BroadPhase::with_options(options);
    /// let ship = world.insert(Aabb::point([60.0, 3.0]), 7)?;
    /// let mut saved = Vec::new();
    /// let hash = world.snapshot_into(&mut saved);
    ///
    /// let options = Options::new().algorithm(Algorithm::Brute);
    /// let again: BroadPhase<f32, 2, u8> = BroadPhase::from_snapshot(&saved, options)?;
    /// assert_eq!((again[ship], again.state_hash()), (7, hash));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_snapshot(bytes: &[u8], options: Options<S, D>) -> Result<Self, SnapshotError>
    where
        S: Number,
        U: Plain,
        B: Plain,
    {
        const { broadphase_core::assert_compiled(D) };
        let events = bytes.get(CONTENT_OFFSET).is_some_and(|content| content & HAS_EVENTS != 0);
        let sides = bytes.get(SIDES_OFFSET..).and_then(|mut sides| <[S; D]>::read(&mut sides));
        let sides = sides.unwrap_or([S::ZERO; D]);
        // If the sides are invalid, `restore` rejects the snapshot.
        let straight = Options { sides: [S::ZERO; D], ..options };
        let options = options.try_wrap(sides).unwrap_or(straight).events(events);
        let mut world = Self::with_options(options);
        world.restore(bytes)?;
        Ok(world)
    }
}

impl<S, const D: usize, U, B> BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: Plain + Send + Sync,
    B: Bounds<S, D> + Plain,
{
    fn restore_from(
        &mut self,
        bytes: &[u8],
        given: Option<&mut BoundsSource<'_, U, B>>,
    ) -> Result<(), SnapshotError> {
        let header = Header::of::<S, D, U, B>(&self.engine.options().sides);
        let body = header.check(bytes, self.registry.events)?;
        let has_bounds = body[CONTENT_OFFSET] & HAS_BOUNDS != 0;
        if has_bounds == given.is_some() {
            return Err(SnapshotError::Bounds);
        }
        let volume = if has_bounds { B::SIZE } else { 0 };
        let sizes = Sizes { volume, user: U::SIZE, bounds: 2 * D * S::SIZE };
        let saved = ParsedSnapshot::read(&body[header.len()..], sizes)?;

        let corrupt = || SnapshotError::Corrupt;
        let mut bytes = saved.users;
        let mut users = fill_by_slot(&saved, |_| read_one::<U>(&mut bytes).ok_or_else(corrupt))?;
        let past = saved.past.iter().map(|bytes| U::read(&mut &**bytes).ok_or_else(corrupt));
        let past: Vec<U> = past.collect::<Result<_, _>>()?;
        if let (true, Some(&any)) = (users.is_empty(), past.first()) {
            // No object is live, but lists by slot must cover the slots of pairs of the last step.
            users.resize(saved.slots.len(), any);
        }
        let (mut volumes, mut bytes) = (Vec::new(), saved.volumes);
        let boxes = if let Some(given) = given {
            volumes = fill_by_slot(&saved, |object| {
                let bounds = given(object, &users[object.index() as usize]);
                let refuse = |why| SnapshotError::InvalidBounds { object, why };
                checked_volume(bounds).map(|(volume, _)| volume).map_err(refuse)
            })?;
            boxes_of(&volumes)?
        } else if B::IS_BOX {
            self.engine.read_boxes(&saved)?
        } else {
            volumes = fill_by_slot(&saved, |_| {
                let bounds: B = read_one(&mut bytes).ok_or_else(corrupt)?;
                checked_volume(bounds).map(|(volume, _)| volume).map_err(|_| corrupt())
            })?;
            boxes_of(&volumes)?
        };
        self.engine.restore(&mut self.registry, saved, &boxes)?;
        (self.users.now, self.users.past) = (users, past);
        if !B::IS_BOX {
            self.volumes = volumes;
        }
        self.users.ended.clear();
        Ok(())
    }
}

fn boxes_of<S: Scalar, const D: usize, B: Bounds<S, D>>(
    volumes: &[B],
) -> Result<Vec<Aabb<S, D>>, SnapshotError> {
    let mut boxes = Vec::new();
    boxes.try_reserve(volumes.len()).map_err(|_| SnapshotError::OutOfMemory)?;
    boxes.extend(volumes.iter().map(B::aabb));
    Ok(boxes)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::checksum::checksum;
    use super::SIDES_OFFSET;
    use crate::{Aabb, BroadPhase, Filter, Hexagon, Motion, Object, Options, SnapshotError};

    type World = BroadPhase<f32, 2, bool>;

    /// Returns a world with free slots, several filters, and swept and kept objects.
    fn world() -> World {
        let mut world = World::new();
        for n in 0..12u32 {
            let filter = Filter::layers(1 << (n % 3)).owner(n % 4);
            let motion = [Motion::Dynamic, Motion::Static, Motion::Sleeping][n as usize % 3];
            world
                .insert_object(
                    Object::new(Aabb::of_ball([n as f32, 0.0], 2.0), n % 2 == 0)
                        .motion(motion)
                        .filter(filter),
                )
                .expect("valid bounds");
        }
        let objects: Vec<_> = world.handles().collect();
        world.remove(objects[3]);
        world.step();
        world.set_swept(objects[1], true).expect("live object");
        world.set_filter(objects[5], Filter::NONE).expect("live object");
        world.remove(objects[7]);
        world.remove(objects[11]);
        world
    }

    /// Returns the snapshot with other bytes from `at` on, and a matching checksum.
    fn forged(saved: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut forged = saved[..saved.len() - 8].to_vec();
        forged[at..at + bytes.len()].copy_from_slice(bytes);
        let sum = checksum(&forged);
        forged.extend(sum.to_le_bytes());
        forged
    }

    /// Forged snapshots with a matching checksum: if one is accepted, the world is consistent; if
    /// one is refused, the world is unchanged.
    #[test]
    fn forged_snapshots_are_rejected_or_consistent() {
        let mut saved = Vec::new();
        world().snapshot_into(&mut saved);
        let body = saved.len() - 8;
        let (mut taken, mut refused) = (0, 0);
        for place in 0..body {
            for value in [0, 1, 2, 127, 128, 255, saved[place] ^ 1, saved[place] ^ 64] {
                let forged = forged(&saved, place, &[value]);
                if let Ok(mut world) = World::from_snapshot(&forged, Options::new()) {
                    world.assert_well_formed();
                    world.step();
                    world.assert_well_formed();
                }
                let mut world = world();
                let before = world.state_hash();
                if world.restore(&forged).is_ok() {
                    world.assert_well_formed();
                    world.step();
                    world.assert_well_formed();
                    taken += 1;
                } else {
                    assert_eq!(world.state_hash(), before, "byte {place} as {value}");
                    refused += 1;
                }
            }
        }
        assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
    }

    /// A restored world stores no −0, even if the bytes contain one.
    #[test]
    fn negative_zeros_in_forged_snapshots_become_zeros() {
        fn check<B: crate::Bounds<f32, 2> + crate::Plain>(volume: B) {
            let (mut world, mut saved) = (BroadPhase::<f32, 2, (), B>::new(), Vec::new());
            let object = world.insert(volume, ()).expect("valid bounds");
            world.set_swept(object, true).expect("live object");
            let hash = world.snapshot_into(&mut saved);
            let mut changed = 0;
            for at in 0..saved.len() - 12 {
                // Test every offset: volumes and the boxes of swept objects are not aligned.
                if saved[at..at + 4] == 7f32.to_le_bytes() {
                    let zeros = [0.0f32, -0.0].map(|zero| {
                        let forged = forged(&saved, at, &zero.to_le_bytes());
                        world.restore(&forged).map(|()| world.state_hash())
                    });
                    assert_eq!(zeros[0], zeros[1], "number at byte {at}");
                    changed += usize::from(zeros[0].as_ref().is_ok_and(|&zero| zero != hash));
                }
            }
            assert!(changed > 1, "only {changed} numbers were replaced");
        }
        check(Aabb::new([7.0; 2], [8.0; 2]));
        check(Hexagon::<f32>::new([7.0, 7.0, -20.0], [8.0, 8.0, -7.0]));
    }

    #[test]
    fn forged_sides_are_rejected_or_consistent() {
        let (mut world, mut saved) = (world(), Vec::new());
        // Clear the flag of the only swept object: bounds of swept objects outside the home range
        // are rejected, not wrapped.
        let swept = world.handles().nth(1).expect("several objects");
        world.set_swept(swept, false).expect("live object");
        world.snapshot_into(&mut saved);
        let with_side = |saved: &[u8], side: f32| forged(saved, SIDES_OFFSET, &side.to_le_bytes());
        let mut wraps = World::from_snapshot(&with_side(&saved, 4.0), Options::new())
            .expect("bounds outside the home range are wrapped");
        wraps.assert_well_formed();
        wraps.step();
        wraps.assert_well_formed();
        for side in [-4.0, -0.0, f32::INFINITY, f32::NAN, f32::MAX] {
            let bytes = with_side(&saved, side);
            let (what, saved) = ("sides", alloc::format!("[{side}, 0]"));
            let refused = Some(SnapshotError::Kind { what, saved, world: "[0, 0]".into() });
            assert_eq!(World::from_snapshot(&bytes, Options::new()).err(), refused);
        }
        // Tighter volumes stay where they are; only their boxes are wrapped.
        type Hexagons = BroadPhase<f32, 2, (), Hexagon>;
        let mut world = Hexagons::new();
        let hexagon = Hexagon::of_points([[7.5, 8.0]]).expect("a finite point");
        let object = world.insert(hexagon, ()).expect("valid bounds");
        world.snapshot_into(&mut saved);
        let bytes = with_side(&saved, 4.3);
        let wraps = Hexagons::from_snapshot(&bytes, Options::new()).expect("a valid side");
        wraps.assert_well_formed();
        assert_eq!(wraps.get(object).map(|object| object.bounds), Some(hexagon));
    }
}
