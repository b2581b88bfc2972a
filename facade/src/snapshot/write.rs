//! Writes a world as bytes.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Filter, Pair, Scalar};

use super::checksum::checksum;
use super::header::Header;
use super::{HAS_BOUNDS, HAS_EVENTS, Plain, byte_width, motion_bits};
use crate::BroadPhase;
use crate::registry::Registry;
use crate::slots::PairMember;

impl<S, const D: usize, U, B> BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: Plain + Send + Sync,
    B: Bounds<S, D> + Plain,
{
    /// Writes the state of the world into `out`, replacing its contents. Returns the
    /// [`state_hash`](Self::state_hash).
    ///
    /// Contains all objects with handles, volumes, filters, motion classes and user data, the pairs
    /// of the last step unless events are disabled, and the bounds of swept objects at the last
    /// step. Options, structure and backend are not included and do not affect the bytes.
    ///
    /// Size: per object its volume, its user data and up to 6 bytes; per pair 2 or 3 bytes. Reuses
    /// the memory of `out`; temporary memory is needed only for filters and for objects changed
    /// since the last step. Linear in the number of slots and pairs.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), 5)?;
    /// let mut saved = Vec::new();
    /// let hash = world.snapshot_into(&mut saved);
    /// world.remove(ship);
    /// world.restore(&saved)?;
    /// assert_eq!((world[ship], world.state_hash()), (5, hash));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot_into(&self, out: &mut Vec<u8>) -> u64 {
        self.write(HAS_BOUNDS, out)
    }

    /// Writes a snapshot without bounds, if these are stored elsewhere. Restore it with
    /// [`restore_with`](Self::restore_with). Returns a hash of the bytes, which is not the state
    /// hash.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<i32, 2, u32> = BroadPhase::new();
    /// world.insert(Aabb::point([3, 4]), 7)?;
    /// let (mut with, mut without) = (Vec::new(), Vec::new());
    /// world.snapshot_into(&mut with);
    /// world.snapshot_without_bounds(&mut without);
    /// assert_eq!(with.len() - without.len(), 16);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn snapshot_without_bounds(&self, out: &mut Vec<u8>) -> u64 {
        self.write(0, out)
    }

    /// Returns a hash of the state.
    ///
    /// Equal for equal worlds of one kind (numbers, dimension, user data, volumes, sides, events),
    /// whatever their structure, backend and number of threads. Different states have equal hashes
    /// with a probability of about 2⁻⁶⁴.
    ///
    /// Costs as much time and memory as a snapshot. [`snapshot_into`](Self::snapshot_into) returns
    /// the hash without extra cost.
    ///
    /// ```
    /// # use hexphase::{Aabb, Algorithm, BroadPhase, Options};
    /// let hashes = [Algorithm::Auto, Algorithm::Brute].map(|algorithm| {
    ///     let options = Options::new().algorithm(algorithm);
    ///     let mut world: BroadPhase<f32, 2, u32> = BroadPhase::with_options(options);
    ///     for user in 0..1_000 {
    ///         world.insert(Aabb::of_ball([user as f32, 0.0], 0.7), user).unwrap();
    ///     }
    ///     world.step();
    ///     world.state_hash()
    /// });
    /// assert_eq!(hashes[0], hashes[1]);
    /// ```
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.snapshot_into(&mut Vec::new())
    }

    /// Writes a snapshot with the given content flags.
    fn write(&self, content: u8, out: &mut Vec<u8>) -> u64 {
        let Self { engine, registry, users, volumes, .. } = self;
        let header = Header::of::<S, D, U, B>(&engine.options().sides);
        let volume = if content & HAS_BOUNDS != 0 { B::SIZE } else { 0 };
        let kept =
            registry.write_slots(&header, content, engine.swept_len(), volume + U::SIZE, out);
        if content & HAS_BOUNDS != 0 && B::IS_BOX {
            engine.write_boxes(registry.slots.capacity(), out);
        } else if content & HAS_BOUNDS != 0 {
            for object in registry.slots.iter() {
                volumes[object.index() as usize].write(out);
            }
        }
        for object in registry.slots.iter() {
            users.now[object.index() as usize].write(out);
        }
        for member in &kept {
            member.handle.write(out);
            users.one_at_last_step(registry, member.handle.index()).write(out);
            write_filter(&member.filter, out);
        }
        engine.write_swept(out);
        registry.write_pairs(out)
    }
}

impl Registry {
    /// Writes everything before volumes and user data. Returns the objects of the last step that
    /// pairs refer to and that were removed or refiltered since.
    fn write_slots(
        &self,
        header: &Header,
        content: u8,
        swept: usize,
        bytes_each: usize,
        out: &mut Vec<u8>,
    ) -> Vec<PairMember> {
        let Self { slots, filters, .. } = self;
        let content = content | if self.events { HAS_EVENTS } else { 0 };
        let kept = self.kept();

        // Filters, in the order of first use by slots.
        let mut numbers = alloc::vec![u32::MAX; filters.numbers()];
        let mut named = Vec::new();
        let mut widest = 0;
        for (generation, content) in slots.all() {
            widest = widest.max(generation);
            if let Some(object) = content
                && numbers[object.filter as usize] == u32::MAX
            {
                numbers[object.filter as usize] = named.len() as u32;
                named.push(filters.get(object.filter));
            }
        }

        out.clear();
        out.reserve(64 + slots.len() * (8 + bytes_each) + 3 * self.saved_pairs().len());
        header.write(content, out);
        let counts = [slots.capacity(), slots.len(), named.len(), kept.len(), swept];
        counts.map(|count| count as u32).write(out);
        (self.saved_pairs().len() as u64).write(out);

        let wide = byte_width(widest);
        (wide as u8).write(out);
        for (generation, _) in slots.all() {
            out.extend_from_slice(&generation.to_le_bytes()[..wide]);
        }
        let mut states =
            slots.all().map(|(_, content)| content.map_or(0, |o| motion_bits(o.motion)));
        for _ in 0..slots.capacity().div_ceil(4) {
            out.push((0..4).fold(0, |byte, n| byte | states.next().unwrap_or(0) << (2 * n)));
        }
        named.iter().for_each(|filter| write_filter(filter, out));
        let wide = byte_width(named.len().saturating_sub(1) as u32);
        if wide > 0 {
            for object in slots.all().filter_map(|(_, content)| content) {
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

    /// Returns the pairs of the last step if the next step needs them, otherwise none.
    fn saved_pairs(&self) -> &[Pair] {
        if self.events { &self.pairs } else { &[] }
    }

    fn kept(&self) -> Vec<PairMember> {
        let pairs = self.saved_pairs();
        if !self.slots.keeps_any() || pairs.is_empty() {
            return Vec::new();
        }
        let mut named = alloc::vec![false; self.slots.capacity()];
        pairs.as_flattened().iter().for_each(|&slot| named[slot as usize] = true);
        let is_named = |member: &PairMember| named[member.handle.index() as usize];
        let changed = self.slots.changed(&self.filters);
        let mut kept: Vec<PairMember> = changed.filter(is_named).collect();
        kept.sort_unstable_by_key(|member| member.handle);
        kept
    }
}

fn write_filter(filter: &Filter, out: &mut Vec<u8>) {
    (filter.layers, filter.mask, filter.group, filter.owner).write(out);
}

/// Writes two differences per pair: lower slot minus that of the previous pair; higher slot minus
/// that of the previous pair if the lower slots are equal, otherwise minus the lower slot.
fn write_pairs(pairs: &[Pair], out: &mut Vec<u8>) {
    let mut before = [0, 0];
    for &[a, b] in pairs {
        let next = if a == before[0] { b - before[1].max(a) } else { b - a };
        write_varint(a - before[0], out);
        write_varint(next, out);
        before = [a, b];
    }
}

/// Writes a variable-length integer: seven bits per byte, low bits first; the highest bit is set if
/// more bytes follow.
fn write_varint(mut number: u32, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}
