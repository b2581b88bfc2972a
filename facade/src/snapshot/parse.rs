//! Parser of snapshots: decodes and validates parts that depend neither on the number type nor on
//! user data; the rest remains byte slices.

use alloc::vec::Vec;

use broadphase_core::{Filter, Motion, Pair};

use super::generations::read_generations;
use super::varint::read_varint;
use super::{FILTER_BYTES, Plain, SnapshotError, byte_width, read_uint, take};
use crate::Handle;
use crate::filters::Filters;
use crate::slots::{EXHAUSTED, PairMember, SlotData};

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
    /// Generation and object by slot, for all slots that are in use or have kept objects.
    pub(crate) slots: Vec<(u32, Option<SlotData>)>,
    /// Generation of the tail of the slots.
    pub(crate) tail_generation: u32,
    pub(crate) filters: Filters,
    /// Bytes of the volumes of live objects, in slot order; empty without bounds.
    pub(crate) volumes: &'a [u8],
    /// Bytes of the user data of live objects, in slot order.
    pub(crate) users: &'a [u8],
    /// Objects in pairs of the last step that have since been removed or got another filter:
    /// handles and filters at that step.
    pub(crate) kept: Vec<PairMember>,
    /// User data of `kept`.
    pub(crate) past: Vec<&'a [u8]>,
    /// Slot and box of each swept object.
    pub(crate) swept: &'a [u8],
    pub(crate) pairs: Vec<Pair>,
}

impl<'a> ParsedSnapshot<'a> {
    /// Parses everything after the header.
    pub(super) fn read(mut bytes: &'a [u8], sizes: Sizes) -> Result<Self, SnapshotError> {
        let mut slices = Self {
            slots: Vec::new(),
            tail_generation: 0,
            filters: Filters::new(),
            volumes: &[],
            users: &[],
            kept: Vec::new(),
            past: Vec::new(),
            swept: &[],
            pairs: Vec::new(),
        };
        let bytes = &mut bytes;
        let counts = <[u32; 7]>::read(bytes).ok_or(SnapshotError::Corrupt)?;
        let [capacity, lists, live, runs, filters, kept, swept] =
            counts.map(|count| count as usize);
        let pairs = u64::read(bytes).ok_or(SnapshotError::Corrupt)?;
        slices.tail_generation = u32::read(bytes)
            .filter(|&generation| generation != EXHAUSTED)
            .ok_or(SnapshotError::Corrupt)?;
        slices.read_slots(bytes, [capacity, live, runs, filters], sizes)?;
        slices.read_kept(bytes, [kept, lists], sizes.user)?;
        take(bytes, swept.saturating_mul(4 + sizes.bounds))
            .and_then(|taken| {
                slices.swept = taken;
                slices.read_pairs(bytes, pairs)
            })
            .filter(|()| bytes.is_empty())
            .ok_or(SnapshotError::Corrupt)?;
        Ok(slices)
    }

    fn read_slots(
        &mut self,
        bytes: &mut &'a [u8],
        [capacity, live, runs, filters]: [usize; 4],
        sizes: Sizes,
    ) -> Result<(), SnapshotError> {
        let runs = read_runs(bytes, [capacity, live, runs]).ok_or(SnapshotError::Corrupt)?;
        let mut columns = ObjectColumns::take(bytes, [live, filters], [sizes.volume, sizes.user])
            .ok_or(SnapshotError::Corrupt)?;
        self.slots.try_reserve(capacity).map_err(|_| SnapshotError::OutOfMemory)?;
        let mut numbers = alloc::vec![None; filters];
        let mut object = 0;
        for FreeRun { used, len, generation } in runs {
            for _ in 0..used {
                let motion = columns.motion(object).ok_or(SnapshotError::Corrupt)?;
                let place = columns.filter_number();
                let number = numbers.get_mut(place).ok_or(SnapshotError::Corrupt)?;
                let filter = match *number {
                    Some(number) => self.filters.acquire_number(number),
                    None => *number.insert(self.filters.acquire(columns.filters[place])),
                };
                let generation = columns.generations[object];
                self.slots.push((generation, Some(SlotData { filter, motion })));
                object += 1;
            }
            self.slots.resize(self.slots.len() + len as usize, (generation, None));
        }
        (self.volumes, self.users) = (columns.volumes, columns.users);
        Ok(())
    }

    pub(crate) fn is_live(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|(_, content)| content.is_some())
    }

    fn read_kept(
        &mut self,
        bytes: &mut &'a [u8],
        [count, lists]: [usize; 2],
        user: usize,
    ) -> Result<(), SnapshotError> {
        let len = count.saturating_mul(HANDLE_BYTES + user + FILTER_BYTES);
        let mut all = take(bytes, len).ok_or(SnapshotError::Corrupt)?;
        for _ in 0..count {
            let (handle, past, filter) = Handle::read(&mut all)
                .and_then(|handle| Some((handle, take(&mut all, user)?, Filter::read(&mut all)?)))
                .ok_or(SnapshotError::Corrupt)?;
            let before = self.kept.last().map(|member| member.handle.index());
            if handle.index() == u32::MAX || before.is_some_and(|before| before >= handle.index()) {
                return Err(SnapshotError::Corrupt);
            }
            self.past.push(past);
            self.kept.push(PairMember { handle, filter });
        }
        // Kept objects that were removed may have had slots above all slots in use.
        let last = self.kept.last().map_or(0, |member| member.handle.index() as usize + 1);
        let missing = last.saturating_sub(self.slots.len());
        if self.slots.len() + missing != lists {
            return Err(SnapshotError::Corrupt);
        }
        self.slots.try_reserve(missing).map_err(|_| SnapshotError::OutOfMemory)?;
        self.slots.resize(self.slots.len() + missing, (self.tail_generation, None));
        Ok(())
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

/// Builds a list with one item per slot, or an empty one without live objects. Calls `next` for
/// each live object, ascending by slot; a free slot gets a copy of another item.
pub(crate) fn fill_by_slot<T: Copy>(
    slices: &ParsedSnapshot<'_>,
    mut next: impl FnMut(Handle) -> Result<T, SnapshotError>,
) -> Result<Vec<T>, SnapshotError> {
    let mut list = Vec::new();
    list.try_reserve(slices.slots.len()).map_err(|_| SnapshotError::OutOfMemory)?;
    let mut below = 0;
    for (slot, &(generation, content)) in (0..).zip(&slices.slots) {
        match (content, list.last()) {
            (Some(_), _) => list.push(next(Handle::new(slot, generation))?),
            (None, Some(&last)) => list.push(last),
            (None, None) => below += 1,
        }
    }
    if let Some(&first) = list.first() {
        list.resize(list.len() + below, first);
        list.rotate_right(below);
    }
    Ok(list)
}

/// A run of `len` free slots of one generation, which follows `used` slots in use.
#[derive(Clone, Copy)]
struct FreeRun {
    used: u32,
    len: u32,
    generation: u32,
}

/// Reads the runs of free slots, and adds one with `len` 0 for the objects after them. Returns
/// `None` if the runs are invalid.
fn read_runs(bytes: &mut &[u8], [capacity, live, count]: [usize; 3]) -> Option<Vec<FreeRun>> {
    let mut runs: Vec<FreeRun> = Vec::new();
    let (mut rest, mut free) = (live as u32, 0u32);
    for _ in 0..count {
        let used = read_varint(bytes)?;
        let len = read_varint(bytes)?.checked_add(1)?;
        let generation = read_varint(bytes)?;
        // Adjacent runs are one run, unless exactly one of them is exhausted.
        let exhausted = |generation: u32| generation == EXHAUSTED;
        let apart = |before: &FreeRun| exhausted(before.generation) != exhausted(generation);
        if used == 0 && !runs.last().is_none_or(apart) {
            return None;
        }
        (rest, free) = (rest.checked_sub(used)?, free.checked_add(len)?);
        runs.push(FreeRun { used, len, generation });
    }
    // The last part must be an object or an exhausted run: other free slots belong to the tail.
    let ends = rest > 0 || runs.last().is_none_or(|last| last.generation == EXHAUSTED);
    runs.push(FreeRun { used: rest, len: 0, generation: 0 });
    (ends && live.checked_add(free as usize) == Some(capacity)).then_some(runs)
}

/// The table of live objects, one column per property, in the layout drawn in `snapshot`. For each
/// object, `filter_numbers` has an index into `filters` in `filter_number_bytes` bytes. Byte slices
/// are decoded later.
struct ObjectColumns<'a> {
    generations: Vec<u32>,
    motions: &'a [u8],
    filters: Vec<Filter>,
    filter_numbers: &'a [u8],
    filter_number_bytes: usize,
    volumes: &'a [u8],
    users: &'a [u8],
}

impl<'a> ObjectColumns<'a> {
    fn take(
        bytes: &mut &'a [u8],
        [live, filters]: [usize; 2],
        [volume, user]: [usize; 2],
    ) -> Option<Self> {
        let generations = read_generations(bytes, live)?;
        let motions = take(bytes, live.div_ceil(4))?;
        let filter_number_bytes = byte_width(filters.saturating_sub(1) as u32);
        let filters = take(bytes, filters.checked_mul(FILTER_BYTES)?)?
            .chunks_exact(FILTER_BYTES)
            .map(|mut filter| Filter::read(&mut filter))
            .collect::<Option<_>>()?;
        let columns = Self {
            motions,
            filters,
            filter_numbers: take(bytes, live.checked_mul(filter_number_bytes)?)?,
            filter_number_bytes,
            volumes: take(bytes, live.checked_mul(volume)?)?,
            users: take(bytes, live.checked_mul(user)?)?,
            generations,
        };
        let no_more = (live..4 * motions.len()).all(|object| columns.motion(object).is_none());
        let usable = columns.generations.iter().all(|&generation| generation != EXHAUSTED);
        (no_more && usable).then_some(columns)
    }

    #[inline]
    fn motion(&self, object: usize) -> Option<Motion> {
        match self.motions[object / 4] >> (object % 4 * 2) & 3 {
            0 => None,
            1 => Some(Motion::Dynamic),
            2 => Some(Motion::Static),
            _ => Some(Motion::Sleeping),
        }
    }

    /// Reads the filter number of the next object.
    fn filter_number(&mut self) -> usize {
        let (next, rest) = self.filter_numbers.split_at(self.filter_number_bytes);
        self.filter_numbers = rest;
        read_uint(next) as usize
    }
}

/// Reads one item; `None` if there are too few bytes or they are invalid. They are split off first:
/// the compiler knows the length and removes bounds checks.
#[inline]
pub(crate) fn read_one<T: Plain>(bytes: &mut &[u8]) -> Option<T> {
    T::read(&mut take(bytes, T::SIZE)?)
}
