//! What is in a snapshot, read and checked.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, BruteForce, Filter, InvalidBounds, Motion, Pair, Scalar, Torus};

use super::{FILTER, Plain, SnapshotError, width};
use crate::Handle;
use crate::filters::Filters;
use crate::slots::{Content, Member};
use crate::world::volume;

/// Says where an object is.
pub(super) type Given<'a, U, B> = dyn FnMut(Handle, &U) -> B + 'a;

/// Everything that is in a snapshot, in order.
pub(super) struct Image<S, const D: usize, U, B> {
    pub(super) slots: Vec<(u32, Option<Content<U>>)>,
    pub(super) filters: Filters,
    /// By slot; of free slots whatever.
    pub(super) volumes: Vec<B>,
    pub(super) remembered: Vec<Member<U>>,
    pub(super) swept: Vec<(u32, Aabb<S, D>)>,
    pub(super) pairs: Vec<Pair>,
}

impl<S, const D: usize, U, B> Image<S, D, U, B>
where
    S: Scalar + Plain,
    U: Plain,
    B: Bounds<S, D> + Plain,
{
    /// Reads what follows the kind.
    pub(super) fn read(
        mut bytes: &[u8],
        sides: &[S; D],
        given: Option<&mut Given<'_, U, B>>,
    ) -> Result<Self, SnapshotError> {
        let mut image = Self {
            slots: Vec::new(),
            filters: Filters::new(),
            volumes: Vec::new(),
            remembered: Vec::new(),
            swept: Vec::new(),
            pairs: Vec::new(),
        };
        let bytes = &mut bytes;
        let counts = <[u32; 5]>::read(bytes).ok_or(SnapshotError::Corrupt)?;
        let [capacity, live, kinds, remembered, swept] = counts.map(|count| count as usize);
        let pairs = u64::read(bytes).ok_or(SnapshotError::Corrupt)?;
        image.read_slots(bytes, [capacity, live, kinds], given)?;
        image
            .read_remembered(bytes, remembered)
            .and_then(|()| image.read_swept(bytes, swept, sides))
            .and_then(|()| image.read_pairs(bytes, pairs))
            .filter(|()| bytes.is_empty())
            .ok_or(SnapshotError::Corrupt)?;
        Ok(image)
    }

    fn read_slots(
        &mut self,
        bytes: &mut &[u8],
        [capacity, live, kinds]: [usize; 3],
        mut given: Option<&mut Given<'_, U, B>>,
    ) -> Result<(), SnapshotError> {
        let boxes = if given.is_none() { B::SIZE } else { 0 };
        let columns = Columns::take(bytes, [capacity, live, kinds], [boxes, U::SIZE]);
        let mut columns = columns.ok_or(SnapshotError::Corrupt)?;
        // Everything of fixed size is there before room is made for it.
        let out_of_memory = |_| SnapshotError::OutOfMemory;
        self.slots.try_reserve(capacity).map_err(out_of_memory)?;
        self.volumes.try_reserve(capacity).map_err(out_of_memory)?;
        let mut numbers = alloc::vec![None; kinds];
        for slot in 0..capacity {
            let generation = columns.generation(slot);
            let Some(motion) = columns.motion(slot) else {
                self.slots.push((generation, None));
                self.volumes.extend(self.volumes.last().copied());
                continue;
            };
            let kind = columns.kind();
            let number = numbers.get_mut(kind).ok_or(SnapshotError::Corrupt)?;
            let filter = match *number {
                Some(number) => self.filters.take_again(number),
                None => *number.insert(self.filters.take(columns.named[kind])),
            };
            let user = read_one(&mut columns.users).ok_or(SnapshotError::Corrupt)?;
            let bounds = if let Some(given) = &mut given {
                let object = Handle::new(slot as u32, generation);
                let bounds = given(object, &user);
                let refuse = |why| SnapshotError::InvalidBounds { object, why };
                check::<S, D, B>(&bounds).map_err(refuse)?;
                bounds
            } else {
                let bounds = read_one(&mut columns.volumes).ok_or(SnapshotError::Corrupt)?;
                check::<S, D, B>(&bounds).map_err(|_| SnapshotError::Corrupt)?;
                bounds
            };
            // Free slots before the first object have some volume, too.
            while self.volumes.len() <= slot {
                self.volumes.push(bounds);
            }
            self.slots.push((generation, Some(Content { user, filter, motion })));
        }
        Ok(())
    }

    fn is_live(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|(_, content)| content.is_some())
    }

    fn read_remembered(&mut self, bytes: &mut &[u8], count: usize) -> Option<()> {
        for _ in 0..count {
            let (handle, user) = <(Handle, U)>::read(bytes)?;
            let filter = read_filter(bytes)?;
            let before = self.remembered.last().map(|member| member.handle.index());
            let known = (handle.index() as usize) < self.slots.len();
            if !known || before.is_some_and(|before| before >= handle.index()) {
                return None;
            }
            self.remembered.push(Member { handle, user, filter });
        }
        Some(())
    }

    fn read_swept(&mut self, bytes: &mut &[u8], count: usize, sides: &[S; D]) -> Option<()> {
        // Where the world wraps, bounds are stored at home.
        let home = Torus::new(BruteForce::<S, D>::new(), *sides).ok()?;
        for _ in 0..count {
            let (slot, was) = <(u32, Aabb<S, D>)>::read(bytes)?;
            let in_order = self.swept.last().is_none_or(|&(before, _)| before < slot);
            if !self.is_live(slot) || !in_order || home.reduced(was) != Ok(was) {
                return None;
            }
            self.swept.push((slot, was));
        }
        Some(())
    }

    fn read_pairs(&mut self, bytes: &mut &[u8], count: u64) -> Option<()> {
        // Each takes two bytes at least.
        self.pairs.reserve(bytes.len() / 2);
        let mut before = [0u32; 2];
        for _ in 0..count {
            let (step, next) = (read_short(bytes)?, read_short(bytes)?);
            let a = before[0].checked_add(step)?;
            let least = if step == 0 { before[1].max(a) } else { a };
            let b = least.checked_add(next).filter(|&b| b > least)?;
            let was_there = |slot: u32| {
                let slot_of = |member: &Member<U>| member.handle.index();
                self.is_live(slot) || self.remembered.binary_search_by_key(&slot, slot_of).is_ok()
            };
            if !was_there(a) || !was_there(b) {
                return None;
            }
            before = [a, b];
            self.pairs.push(before);
        }
        Some(())
    }
}

/// What slots are made of, a column each.
struct Columns<'a> {
    generations: &'a [u8],
    wide: usize,
    states: &'a [u8],
    named: Vec<Filter>,
    kinds: &'a [u8],
    kind_wide: usize,
    volumes: &'a [u8],
    users: &'a [u8],
}

impl<'a> Columns<'a> {
    fn take(
        bytes: &mut &'a [u8],
        [capacity, live, kinds]: [usize; 3],
        [volume, user]: [usize; 2],
    ) -> Option<Self> {
        let wide = usize::from(u8::read(bytes)?);
        let generations = take(bytes, capacity.checked_mul(wide).filter(|_| wide <= 4)?)?;
        let states = take(bytes, capacity.div_ceil(4))?;
        let named = take(bytes, kinds.checked_mul(FILTER)?)?
            .chunks_exact(FILTER)
            .map(|mut filter| read_filter(&mut filter))
            .collect::<Option<_>>()?;
        let kind_wide = width(kinds.saturating_sub(1) as u32);
        let columns = Self {
            generations,
            wide,
            states,
            named,
            kinds: take(bytes, live.checked_mul(kind_wide)?)?,
            kind_wide,
            volumes: take(bytes, live.checked_mul(volume)?)?,
            users: take(bytes, live.checked_mul(user)?)?,
        };
        // Two bits a slot, both of them 0 where it is free.
        let in_use = |&four: &u8| ((four | four >> 1) & 0b0101_0101).count_ones() as usize;
        let no_more = (capacity..4 * states.len()).all(|slot| columns.motion(slot).is_none());
        let as_told = no_more && states.iter().map(in_use).sum::<usize>() == live;
        as_told.then_some(columns)
    }

    #[inline]
    fn motion(&self, slot: usize) -> Option<Motion> {
        match self.states[slot / 4] >> (slot % 4 * 2) & 3 {
            0 => None,
            1 => Some(Motion::Dynamic),
            2 => Some(Motion::Static),
            _ => Some(Motion::Sleeping),
        }
    }

    fn generation(&self, slot: usize) -> u32 {
        read_narrow(&self.generations[slot * self.wide..][..self.wide])
    }

    /// The number of the filter of the next object.
    fn kind(&mut self) -> usize {
        let (next, rest) = self.kinds.split_at(self.kind_wide);
        self.kinds = rest;
        read_narrow(next) as usize
    }
}

#[inline]
fn check<S: Scalar, const D: usize, B: Bounds<S, D>>(bounds: &B) -> Result<(), InvalidBounds> {
    bounds.check()?;
    if volume::is_box::<S, D, B>() { Ok(()) } else { bounds.aabb().checked().map(drop) }
}

/// So many bytes from the front.
#[inline]
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(front)
}

/// The next of many: what it reads is cut off first, so that its length is known to all of it.
#[inline]
fn read_one<T: Plain>(bytes: &mut &[u8]) -> Option<T> {
    T::read(&mut take(bytes, T::SIZE)?)
}

/// A number of up to four bytes.
#[inline]
fn read_narrow(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn read_filter(bytes: &mut &[u8]) -> Option<Filter> {
    let (layers, mask, group, owner) = Plain::read(bytes)?;
    Some(Filter { layers, mask, group, owner })
}

/// A number of seven bits a byte; nothing longer than needed is accepted.
fn read_short(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..32).step_by(7) {
        let byte = u8::read(bytes)?;
        let bits = u32::from(byte & 127);
        number |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if byte < 128 {
            return (byte > 0 || shift == 0).then_some(number);
        }
    }
    None
}
