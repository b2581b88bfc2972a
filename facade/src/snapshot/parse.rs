//! Parser of snapshots. Parts that depend neither on the number type nor on user data are decoded
//! and validated here; the rest remains byte slices.

use alloc::vec::Vec;

use broadphase_core::{Filter, Motion, Pair};

use super::{FILTER_BYTES, Plain, SnapshotError, byte_width};
use crate::Handle;
use crate::filters::Filters;
use crate::slots::{PairMember, SlotData};

/// Bytes per handle.
const HANDLE_BYTES: usize = 8;

/// Sizes in bytes that depend on the types of the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Size of a volume; 0 if the snapshot has no bounds.
    pub(super) volume: usize,
    pub(super) user: usize,
    /// Size of the box of a swept object.
    pub(super) bounds: usize,
}

/// The parts of a snapshot, in order.
pub(crate) struct ParsedSnapshot<'a> {
    pub(crate) slots: Vec<(u32, Option<SlotData>)>,
    pub(crate) filters: Filters,
    /// Volumes of live objects, by slot; empty if the snapshot has no bounds.
    pub(crate) volumes: &'a [u8],
    /// User data of live objects, by slot.
    pub(super) users: &'a [u8],
    /// Objects of the last step that were removed or refiltered since.
    pub(crate) kept: Vec<PairMember>,
    /// User data of `kept`.
    pub(super) past: Vec<&'a [u8]>,
    /// Slot and box of each swept object.
    pub(crate) swept: &'a [u8],
    pub(crate) pairs: Vec<Pair>,
}

impl<'a> ParsedSnapshot<'a> {
    /// Parses everything after the header.
    pub(super) fn read(mut bytes: &'a [u8], sizes: Sizes) -> Result<Self, SnapshotError> {
        let mut slices = Self {
            slots: Vec::new(),
            filters: Filters::new(),
            volumes: &[],
            users: &[],
            kept: Vec::new(),
            past: Vec::new(),
            swept: &[],
            pairs: Vec::new(),
        };
        let bytes = &mut bytes;
        let counts = <[u32; 5]>::read(bytes).ok_or(SnapshotError::Corrupt)?;
        let [capacity, live, kinds, kept, swept] = counts.map(|count| count as usize);
        let pairs = u64::read(bytes).ok_or(SnapshotError::Corrupt)?;
        slices.read_slots(bytes, [capacity, live, kinds], sizes)?;
        slices
            .read_kept(bytes, kept, sizes.user)
            .and_then(|()| {
                slices.swept = take(bytes, swept.checked_mul(4 + sizes.bounds)?)?;
                slices.read_pairs(bytes, pairs)
            })
            .filter(|()| bytes.is_empty())
            .ok_or(SnapshotError::Corrupt)?;
        Ok(slices)
    }

    fn read_slots(
        &mut self,
        bytes: &mut &'a [u8],
        [capacity, live, kinds]: [usize; 3],
        sizes: Sizes,
    ) -> Result<(), SnapshotError> {
        let columns = SlotColumns::take(bytes, [capacity, live, kinds], [sizes.volume, sizes.user]);
        let mut columns = columns.ok_or(SnapshotError::Corrupt)?;
        // The length of the fixed-size part is checked before memory is allocated for it.
        self.slots.try_reserve(capacity).map_err(|_| SnapshotError::OutOfMemory)?;
        let mut numbers = alloc::vec![None; kinds];
        for slot in 0..capacity {
            let generation = columns.generation(slot);
            let Some(motion) = columns.motion(slot) else {
                self.slots.push((generation, None));
                continue;
            };
            let kind = columns.kind();
            let number = numbers.get_mut(kind).ok_or(SnapshotError::Corrupt)?;
            let filter = match *number {
                Some(number) => self.filters.acquire_number(number),
                None => *number.insert(self.filters.acquire(columns.named[kind])),
            };
            self.slots.push((generation, Some(SlotData { filter, motion })));
        }
        (self.volumes, self.users) = (columns.volumes, columns.users);
        Ok(())
    }

    /// Iterates over the handles of all live objects, ascending.
    pub(super) fn live(&self) -> impl Iterator<Item = Handle> + '_ {
        let handle = |(slot, &(generation, content)): (u32, &(u32, Option<SlotData>))| {
            content.map(|_| Handle::new(slot, generation))
        };
        (0..).zip(&self.slots).filter_map(handle)
    }

    pub(crate) fn is_live(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|(_, content)| content.is_some())
    }

    fn read_kept(&mut self, bytes: &mut &'a [u8], count: usize, user: usize) -> Option<()> {
        let mut all = take(bytes, count.checked_mul(HANDLE_BYTES + user + FILTER_BYTES)?)?;
        for _ in 0..count {
            let handle = Handle::read(&mut all)?;
            self.past.push(take(&mut all, user)?);
            let filter = read_filter(&mut all)?;
            let before = self.kept.last().map(|member| member.handle.index());
            let known = (handle.index() as usize) < self.slots.len();
            if !known || before.is_some_and(|before| before >= handle.index()) {
                return None;
            }
            self.kept.push(PairMember { handle, filter });
        }
        Some(())
    }

    fn read_pairs(&mut self, bytes: &mut &[u8], count: u64) -> Option<()> {
        // Each pair takes at least two bytes.
        self.pairs.reserve(bytes.len() / 2);
        let mut before = [0u32; 2];
        for _ in 0..count {
            let (step, next) = (read_varint(bytes)?, read_varint(bytes)?);
            let a = before[0].checked_add(step)?;
            let least = if step == 0 { before[1].max(a) } else { a };
            let b = least.checked_add(next).filter(|&b| b > least)?;
            let was_there = |slot: u32| {
                let slot_of = |member: &PairMember| member.handle.index();
                self.is_live(slot) || self.kept.binary_search_by_key(&slot, slot_of).is_ok()
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

/// Builds a list by slot. A live slot gets the next item, a free slot a copy of another item. The
/// list is empty if there is no live slot.
pub(crate) fn fill_by_slot<T: Copy>(
    slices: &ParsedSnapshot<'_>,
    mut next: impl FnMut(Handle) -> Result<T, SnapshotError>,
) -> Result<Vec<T>, SnapshotError> {
    let mut list = Vec::new();
    list.try_reserve(slices.slots.len()).map_err(|_| SnapshotError::OutOfMemory)?;
    for object in slices.live() {
        let item = next(object)?;
        let slot = object.index() as usize;
        let filler = list.last().copied().unwrap_or(item);
        list.resize(slot, filler);
        list.push(item);
    }
    if let Some(&last) = list.last() {
        list.resize(slices.slots.len(), last);
    }
    Ok(list)
}

/// The columns of the table of slots.
struct SlotColumns<'a> {
    generations: &'a [u8],
    wide: usize,
    states: &'a [u8],
    named: Vec<Filter>,
    kinds: &'a [u8],
    kind_wide: usize,
    volumes: &'a [u8],
    users: &'a [u8],
}

impl<'a> SlotColumns<'a> {
    fn take(
        bytes: &mut &'a [u8],
        [capacity, live, kinds]: [usize; 3],
        [volume, user]: [usize; 2],
    ) -> Option<Self> {
        let wide = usize::from(u8::read(bytes)?);
        let generations = take(bytes, capacity.checked_mul(wide).filter(|_| wide <= 4)?)?;
        let states = take(bytes, capacity.div_ceil(4))?;
        let named = take(bytes, kinds.checked_mul(FILTER_BYTES)?)?
            .chunks_exact(FILTER_BYTES)
            .map(|mut filter| read_filter(&mut filter))
            .collect::<Option<_>>()?;
        let kind_wide = byte_width(kinds.saturating_sub(1) as u32);
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
        // Each slot has two bits; both are 0 if the slot is free.
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
        read_uint(&self.generations[slot * self.wide..][..self.wide])
    }

    /// Reads the filter number of the next object.
    fn kind(&mut self) -> usize {
        let (next, rest) = self.kinds.split_at(self.kind_wide);
        self.kinds = rest;
        read_uint(next) as usize
    }
}

/// Splits `count` bytes off the front.
#[inline]
pub(super) fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(front)
}

/// Reads one item. Its bytes are split off first, so that the compiler knows the length and removes
/// bounds checks.
#[inline]
pub(crate) fn read_one<T: Plain>(bytes: &mut &[u8]) -> Option<T> {
    T::read(&mut take(bytes, T::SIZE)?)
}

/// Reads an integer of up to four bytes.
#[inline]
fn read_uint(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn read_filter(bytes: &mut &[u8]) -> Option<Filter> {
    let (layers, mask, group, owner) = Plain::read(bytes)?;
    Some(Filter { layers, mask, group, owner })
}

/// Reads a variable-length integer, seven bits per byte; rejects encodings longer than necessary.
fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
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
