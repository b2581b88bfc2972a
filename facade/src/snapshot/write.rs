//! A world written as bytes.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Filter, Pair, Scalar};

use super::digest::digest;
use super::kind::Kind;
use super::{BOUNDS, EVENTS, Plain, state, width};
use crate::BroadPhase;
use crate::registry::Registry;
use crate::slots::Member;

impl<S, const D: usize, U, B> BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: Plain + Send + Sync,
    B: Bounds<S, D> + Plain,
{
    /// Writes all that the world is into `out`, in place of what it held, and hands back the
    /// [`state_hash`](Self::state_hash). The bytes need no other memory but a little for filters,
    /// and for what changed since the last step.
    ///
    /// Objects with their handles, volumes, filters, motion and user data; the pairs of the last
    /// step, unless the world has no events; and whatever else the next step depends on. Not the
    /// options, the structure or the backend: bytes are the same on all.
    ///
    /// It takes, per object, its volume, its user data, and up to 6 bytes more; and 2 or 3 bytes
    /// per pair.
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
        self.write(BOUNDS, out)
    }

    /// The same without bounds, for those who keep them elsewhere: to be taken back by
    /// [`restore_with`](Self::restore_with). Hands back a hash of these bytes, not of the state.
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

    /// A number that follows from all that a snapshot holds: equal for equal worlds of one kind
    /// (numbers, dimensions, user data, volumes, sides, with or without events), whatever their
    /// structure, backend and threads, and different for others but by a chance of 2⁻⁶⁴.
    ///
    /// It costs a snapshot, memory included, and comes with one.
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

    /// Writes all of it; what `content` does not name is left out.
    fn write(&self, content: u8, out: &mut Vec<u8>) -> u64 {
        let Self { engine, registry, users, volumes, .. } = self;
        let kind = Kind::of::<S, D, U, B>(&engine.options().sides);
        let volume = if content & BOUNDS != 0 { B::SIZE } else { 0 };
        let remembered =
            registry.write_slots(&kind, content, engine.swept_len(), volume + U::SIZE, out);
        if content & BOUNDS != 0 && B::IS_BOX {
            engine.write_boxes(registry.slots.capacity(), out);
        } else if content & BOUNDS != 0 {
            for object in registry.slots.iter() {
                volumes[object.index() as usize].write(out);
            }
        }
        for object in registry.slots.iter() {
            users.now[object.index() as usize].write(out);
        }
        for member in &remembered {
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
    /// pairs name and that are removed or have another filter since.
    fn write_slots(
        &self,
        kind: &Kind,
        content: u8,
        swept: usize,
        bytes_each: usize,
        out: &mut Vec<u8>,
    ) -> Vec<Member> {
        let Self { slots, filters, .. } = self;
        let content = content | if self.events { EVENTS } else { 0 };
        let remembered = self.remembered();

        // Filters, in the order in which slots name them first.
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
        kind.write(content, out);
        let counts = [slots.capacity(), slots.len(), named.len(), remembered.len(), swept];
        counts.map(|count| count as u32).write(out);
        (self.saved_pairs().len() as u64).write(out);

        let wide = width(widest);
        (wide as u8).write(out);
        for (generation, _) in slots.all() {
            out.extend_from_slice(&generation.to_le_bytes()[..wide]);
        }
        let mut states = slots.all().map(|(_, content)| content.map_or(0, |o| state(o.motion)));
        for _ in 0..slots.capacity().div_ceil(4) {
            out.push((0..4).fold(0, |byte, n| byte | states.next().unwrap_or(0) << (2 * n)));
        }
        named.iter().for_each(|filter| write_filter(filter, out));
        let wide = width(named.len().saturating_sub(1) as u32);
        if wide > 0 {
            for object in slots.all().filter_map(|(_, content)| content) {
                let number = numbers[object.filter as usize];
                out.extend_from_slice(&number.to_le_bytes()[..wide]);
            }
        }
        remembered
    }

    /// Writes the pairs of the last step and the check sum, and returns the sum.
    fn write_pairs(&self, out: &mut Vec<u8>) -> u64 {
        write_pairs(self.saved_pairs(), out);
        let sum = digest(out);
        sum.write(out);
        sum
    }

    /// Returns the pairs of the last step if the next step compares with them.
    fn saved_pairs(&self) -> &[Pair] {
        if self.events { &self.pairs } else { &[] }
    }

    fn remembered(&self) -> Vec<Member> {
        let pairs = self.saved_pairs();
        if !self.slots.remembers() || pairs.is_empty() {
            return Vec::new();
        }
        let mut named = alloc::vec![false; self.slots.capacity()];
        pairs.as_flattened().iter().for_each(|&slot| named[slot as usize] = true);
        let is_named = |member: &Member| named[member.handle.index() as usize];
        let changed = self.slots.changed(&self.filters);
        let mut remembered: Vec<Member> = changed.filter(is_named).collect();
        remembered.sort_unstable_by_key(|member| member.handle);
        remembered
    }
}

fn write_filter(filter: &Filter, out: &mut Vec<u8>) {
    (filter.layers, filter.mask, filter.group, filter.owner).write(out);
}

/// Each pair as the difference to the one before, or, for the first of its lower slot, to that.
fn write_pairs(pairs: &[Pair], out: &mut Vec<u8>) {
    let mut before = [0, 0];
    for &[a, b] in pairs {
        let next = if a == before[0] { b - before[1].max(a) } else { b - a };
        write_short(a - before[0], out);
        write_short(next, out);
        before = [a, b];
    }
}

/// Seven bits a byte, low ones first; the highest bit of a byte tells that more come.
fn write_short(mut number: u32, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}
