//! Writes a world as bytes.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Pair, Scalar};

use super::checksum::checksum;
use super::generations::write_generations;
use super::header::Header;
use super::varint::write_varint;
use super::{HAS_BOUNDS, HAS_EVENTS, Plain, byte_width, motion_bits};
use crate::registry::Registry;
use crate::slots::{PairMember, SlotData, SlotPart};
use crate::users::UserTable;
use crate::{BroadPhase, Handle, Options, UserData};

impl<S, const D: usize, U, B> BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: UserData,
    B: Bounds<S, D>,
{
    /// Replaces the contents of `out` with the state of the world. Returns its
    /// [`state_hash`](Self::state_hash).
    ///
    /// The snapshot contains all objects with handles, volumes, filters, motion classes and user
    /// data, the pairs of the last step unless events are disabled, and the bounds of swept objects
    /// at the last step, but not options, structure and backend.
    ///
    /// Size: per object its volume, its user data and up to 6 bytes; per pair 2 or 3 bytes; per run
    /// of free slots between objects at least 3 bytes, and at most 15 in worlds with very many
    /// objects and removals. Objects removed before the last step do not count. Temporary memory is
    /// needed only for filters and for objects changed since the last step. Takes time linear in
    /// the number of objects and pairs.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), 5)?;
    /// let mut saved = Vec::new();
    /// let hash = world.snapshot_into(&mut saved);
    /// world.remove(ship);
    /// world.restore(&saved)?;
    /// assert_eq!((world[ship], world.state_hash()), (5, hash));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot_into(&self, out: &mut Vec<u8>) -> u64
    where
        U: Plain,
        B: Plain,
    {
        self.write(HAS_BOUNDS, out)
    }

    /// Writes a snapshot without bounds into `out`, for programs that store the bounds elsewhere
    /// and call [`restore_with`](Self::restore_with). Returns a hash of the bytes, not the state
    /// hash.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// world.insert(Aabb::point([3.0, 4.0]), 7)?;
    /// let (mut with, mut without) = (Vec::new(), Vec::new());
    /// world.snapshot_into(&mut with);
    /// world.snapshot_without_bounds(&mut without);
    /// assert_eq!(with.len() - without.len(), 16);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn snapshot_without_bounds(&self, out: &mut Vec<u8>) -> u64
    where
        U: Plain,
        B: Plain,
    {
        self.write(0, out)
    }

    /// Returns a hash of the state.
    ///
    /// Two worlds of one kind (numbers, dimension, user data, volumes, sides, events) in equal
    /// states have equal hashes, whatever their structure, backend and number of threads. Different
    /// states have equal hashes with a probability of about 2⁻⁶⁴.
    ///
    /// Costs as much time and memory as [`snapshot_into`](Self::snapshot_into), which returns the
    /// hash, too.
    ///
    /// ```
    /// use hexphase::{Aabb, Algorithm, BroadPhase, Options};
    ///
    /// let options = Options::new().algorithm(Algorithm::Brute);
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// let mut other: BroadPhase<f32, 2, u32> = BroadPhase::with_options(options);
    /// for user in 0..1_000 {
    ///     let bounds = Aabb::of_ball([user as f32, 0.0], 0.7);
    ///     world.insert(bounds, user)?;
    ///     other.insert(bounds, user)?;
    /// }
    /// assert_eq!(world.state_hash(), other.state_hash());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn state_hash(&self) -> u64
    where
        U: Plain,
        B: Plain,
    {
        self.snapshot_into(&mut Vec::new())
    }
}

impl<S, const D: usize, U, B> BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: Plain + Send + Sync,
    B: Bounds<S, D> + Plain,
{
    fn write(&self, content: u8, out: &mut Vec<u8>) -> u64 {
        // Patterns of writers list all fields, so that a new one does not compile until it is written
        // here or, as a setting, a buffer or derived data, excluded.
        let Self { engine, registry, users, volumes, found: _ } = self;
        let Options { sides, events: _, algorithm: _, backend: _, cell: _, capacity: _ } =
            engine.options();
        let UserTable { now, past: _, ended: _ } = users;
        let header = Header::of::<S, D, U, B>(sides);
        let volume = if content & HAS_BOUNDS != 0 { B::SIZE } else { 0 };
        let kept =
            registry.write_slots(&header, content, engine.swept().len(), volume + U::SIZE, out);
        if content & HAS_BOUNDS != 0 && B::IS_BOX {
            engine.write_boxes(registry, out);
        } else if content & HAS_BOUNDS != 0 {
            for object in registry.slots.iter() {
                volumes[object.index() as usize].write(out);
            }
        }
        for object in registry.slots.iter() {
            now[object.index() as usize].write(out);
        }
        for &PairMember { handle, filter } in &kept {
            handle.write(out);
            users.one_at_last_step(registry, handle.index()).write(out);
            filter.write(out);
        }
        engine.write_swept(out);
        registry.write_pairs(out)
    }
}

impl Registry {
    /// Writes everything before volumes and user data. Returns the kept objects to which pairs of
    /// the last step refer.
    fn write_slots(
        &self,
        header: &Header,
        content: u8,
        swept: usize,
        bytes_each: usize,
        out: &mut Vec<u8>,
    ) -> Vec<PairMember> {
        // Pairs are written by `write_pairs`. The other fields contain the events of the last step,
        // which are not restored.
        let Self {
            slots,
            filters,
            events,
            pairs: _,
            pairs_before: _,
            began: _,
            ended: _,
            ended_past: _,
            comparison: _,
        } = self;
        let content = content | if *events { HAS_EVENTS } else { 0 };
        let kept = self.kept();

        // Filters, in the order of first use by slots.
        let mut numbers = alloc::vec![u32::MAX; filters.numbers()];
        let mut named = Vec::new();
        for &SlotData { filter, motion: _ } in slots.contents() {
            let number = &mut numbers[filter as usize];
            if *number == u32::MAX {
                *number = named.len() as u32;
                named.push(filters.get(filter));
            }
        }
        let is_run = |part: &SlotPart| matches!(part, SlotPart::FreeRun { .. });
        // Iterate over runs only if there are free slots between objects.
        let has_gaps = slots.len() < slots.capacity();
        let parts = || has_gaps.then(|| slots.parts()).into_iter().flatten();
        let runs = parts().filter(is_run).count();

        out.clear();
        out.reserve(64 + slots.len() * (8 + bytes_each) + 3 * self.saved_pairs().len());
        header.write(content, out);
        let kept_slots = kept.last().map_or(0, |member| member.handle.index() as usize + 1);
        let lists = kept_slots.max(slots.capacity());
        let counts = [slots.capacity(), lists, slots.len(), runs, named.len(), kept.len(), swept];
        counts.map(|count| count as u32).write(out);
        (self.saved_pairs().len() as u64).write(out);
        slots.tail_generation().write(out);

        let mut used = 0;
        for part in parts() {
            if let SlotPart::FreeRun { len, generation } = part {
                for number in [used, len - 1, generation] {
                    write_varint(number, out);
                }
                used = 0;
            } else {
                used += 1;
            }
        }
        write_generations(slots.iter().map(Handle::generation), out);
        let (mut byte, mut shift) = (0, 0);
        for object in slots.contents() {
            byte |= motion_bits(object.motion) << shift;
            shift += 2;
            if shift == 8 {
                out.push(byte);
                (byte, shift) = (0, 0);
            }
        }
        if shift > 0 {
            out.push(byte);
        }
        named.iter().for_each(|filter| filter.write(out));
        let wide = byte_width(named.len().saturating_sub(1) as u32);
        if wide > 0 {
            for object in slots.contents() {
                let number = numbers[object.filter as usize];
                out.extend_from_slice(&number.to_le_bytes()[..wide]);
            }
        }
        kept
    }

    /// Writes the pairs of the last step and the checksum. Returns the checksum.
    fn write_pairs(&self, out: &mut Vec<u8>) -> u64 {
        write_pairs(self.saved_pairs(), out);
        let sum = checksum(out);
        sum.write(out);
        sum
    }

    /// Returns the pairs of the last step, for the events of the next; none if events are disabled.
    fn saved_pairs(&self) -> &[Pair] {
        if self.events { &self.pairs } else { &[] }
    }

    fn kept(&self) -> Vec<PairMember> {
        let pairs = self.saved_pairs();
        if !self.slots.keeps_any() || pairs.is_empty() {
            return Vec::new();
        }
        let mut named = alloc::vec![false; self.slots.list_len()];
        pairs.as_flattened().iter().for_each(|&slot| named[slot as usize] = true);
        let is_named = |member: &PairMember| named[member.handle.index() as usize];
        let changed = self.slots.changed(&self.filters);
        let mut kept: Vec<PairMember> = changed.filter(is_named).collect();
        kept.sort_unstable_by_key(|member| member.handle);
        kept
    }
}

/// Writes two differences per pair: of the lower slots of this pair and the previous one; then of
/// the higher slots if the lower slots are equal, otherwise of the two slots.
fn write_pairs(pairs: &[Pair], out: &mut Vec<u8>) {
    let mut before = [0, 0];
    for &[a, b] in pairs {
        let next = if a == before[0] { b - before[1].max(a) } else { b - a };
        write_varint(a - before[0], out);
        write_varint(next, out);
        before = [a, b];
    }
}
