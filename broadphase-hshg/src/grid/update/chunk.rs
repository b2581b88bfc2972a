//! A *chunk*: up to 128 consecutive slots of a row, with their bounds as boxes; and its kernels.

use broadphase_core::slots::KeySlots;
use broadphase_core::{Aabb, HitMask, Kernel, Keys, LANES, Lanes, Scalar, Slabs};

use crate::grid::storage::lane_slabs::LaneSlabs;
use crate::grid::storage::tiers::Tier;
use crate::grid::update::store_slice::StoreSlice;

/// The number of slots per chunk; the bounds of a chunk fit the first-level cache.
pub(super) const CHUNK: usize = 128;

/// The minimum number of exceptional objects for which the whole chunk leaves its row.
const MIN_LEAVING: usize = 8;

/// One bit for each slot of a chunk.
pub(super) type Marks = [u8; CHUNK / LANES];

#[inline(always)]
pub(super) const fn mark(marks: &mut Marks, offset: usize) {
    marks[offset / LANES] |= 1 << (offset % LANES);
}

#[inline(always)]
pub(super) const fn is_marked(marks: &Marks, offset: usize) -> bool {
    marks[offset / LANES] >> (offset % LANES) & 1 == 1
}

/// Returns the number of marked offsets.
#[inline(always)]
fn count_of(marks: &Marks) -> usize {
    u128::from_le_bytes(*marks).count_ones() as usize
}

/// Returns the marked offsets, ascending.
#[inline(always)]
pub(super) fn marked(marks: &Marks) -> impl Iterator<Item = usize> + use<> {
    let all = u128::from_le_bytes(*marks);
    // Loops over two `u64`s take half as many instructions as a loop over one `u128`.
    let (mut left, mut later, mut begin) = (all as u64, (all >> 64) as u64, 0);
    core::iter::from_fn(move || {
        if left == 0 {
            (left, later, begin) = (later, 0, 64);
            if left == 0 {
                return None;
            }
        }
        let offset = begin + left.trailing_zeros() as usize;
        left &= left - 1;
        Some(offset)
    })
}

/// The bounds in a chunk, in the caller's order of axes, and marks of slots.
///
/// Aligned to cache lines: a store of eight numbers across two pages takes 30 cycles.
#[repr(align(64))]
pub(super) struct Chunk<S, const D: usize> {
    /// The first slot, counted from the beginning of the walker's slice.
    pub(super) begin: usize,
    pub(super) len: usize,
    pub(super) boxes: [Aabb<S, D>; CHUNK],
    /// The number of positions that the closure has processed.
    pub(super) processed: usize,
    /// Slots without an object.
    pub(crate) holes: Marks,
    /// The value of `holes` before the caller's closure ran.
    pub(super) holes_before: Marks,
    /// Objects for the scalar path, which have invalid bounds or possibly left this row.
    pub(super) exceptional: Marks,
    /// Whether nearly all objects are exceptional: then the whole chunk leaves its row.
    pub(super) leaves_row: bool,
    /// The box around the slabs of objects that are not exceptional, in the grid's order of axes.
    pub(crate) bounds: Slabs<D>,
}

impl<S: Scalar, const D: usize> Chunk<S, D> {
    pub(crate) fn new() -> Self {
        Self {
            begin: 0,
            len: 0,
            boxes: [Aabb { min: [S::ZERO; D], max: [S::ZERO; D] }; CHUNK],
            processed: 0,
            holes: Marks::default(),
            holes_before: Marks::default(),
            exceptional: Marks::default(),
            leaves_row: false,
            bounds: Slabs::PADDING,
        }
    }
}

/// Finds holes, for floats only: an integer object can have the key that marks a hole.
pub(super) struct FindHoles<'a> {
    pub(crate) last: &'a [i32],
    pub(crate) begin: usize,
    pub(crate) len: usize,
    pub(crate) found: &'a mut Marks,
}

impl Kernel for FindHoles<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { last, begin, len, found } = self;
        *found = Marks::default();
        let none = lanes.splat(i32::MIN);
        let mut at = 0;
        while at < len {
            let holes = lanes.movemask(lanes.eq(lanes.load_at(last, begin + at), none));
            found[at / LANES] = (holes & HitMask::first(len - at)).0;
            at += LANES;
        }
    }
}

/// Writes the bounds of a chunk as slabs, except for exceptional objects, which are marked and
/// retain their old slabs. Slots without an object become free. Prefetches the next chunk's slabs.
pub(super) struct UpdateSlabs<'a, 's, S, const D: usize> {
    pub(crate) chunk: &'a mut Chunk<S, D>,
    pub(crate) store: &'a mut StoreSlice<'s, S, D>,
    pub(crate) tier: &'a Tier,
    pub(crate) gate: &'a Slabs<D>,
}

impl<S: Scalar, const D: usize> Kernel for UpdateSlabs<'_, '_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { chunk, store, tier, gate } = self;
        let Chunk { begin, len, ref boxes, .. } = *chunk;
        let count = len.div_ceil(LANES);
        // Behind the last chunk of a row are free slots: whole blocks can be written.
        let mins = blocks_of_all(&mut store.min, begin, count);
        let maxs = blocks_of_all(&mut store.max, begin, count);
        let boxes = &boxes.as_chunks().0[..count];
        let mut absent = chunk.holes;
        absent[count - 1] |= HitMask::from(len - (count - 1) * LANES).0;
        chunk.exceptional = Marks::default();
        let (absent, found) = (&absent[..count], &mut chunk.exceptional[..count]);
        // `S::MAX_KEY` rejects NaN and infinity even if the tier has no limit.
        let far = lanes.splat(tier.keys[1].min(S::MAX_KEY));
        let mut gates = ([far; D], [far; D]);
        let mut axis = 0;
        while axis < D {
            gates.0[axis] = lanes.splat(gate.min[axis].max(S::MIN_KEY));
            gates.1[axis] = lanes.splat(gate.max[axis]);
            axis += 1;
        }
        let (gate_min, gate_max) = gates;
        // Non-negative floats sort like their bits as integers.
        let [below, limit] = tier.sizes;
        let (below, limit) = (below.to_bits() as i32, limit.to_bits() as i32);
        let (least, limit) = (lanes.splat(below + 1), lanes.splat(limit));
        let (none, all) = (lanes.splat(i32::MAX), lanes.splat(i32::MIN));
        let (mut low_end, mut high_end) = ([none; D], [all; D]);
        for block in 0..count {
            // Prefetch for two blocks at a time: if all prefetches are issued at once, the last
            // ones wait. Prefetching keys here as well is not faster.
            if block % 2 == 0 {
                let mut axis = 0;
                while axis < D {
                    lanes.prefetch(mins[axis], block + CHUNK / LANES);
                    lanes.prefetch(maxs[axis], block + CHUNK / LANES);
                    axis += 1;
                }
            }
            let absent = HitMask(absent[block]);
            let slabs = LaneSlabs::read(lanes, boxes[block].each_ref());
            let (mut lows, mut highs) =
                (store.axes.exchange(slabs.low), store.axes.exchange(slabs.high));
            let (mut extents, mut exceptional) = (lanes.splat(0), slabs.invalid);
            let mut axis = 0;
            while axis < D {
                extents = lanes.max(extents, lanes.f32_to_bits(slabs.extent[axis]));
                exceptional = lanes.mask_or(exceptional, lanes.gt(gate_min[axis], lows[axis]));
                // On the first axis, the range for the low ends (`gate`) has no upper limit.
                if axis > 0 {
                    exceptional = lanes.mask_or(exceptional, lanes.gt(lows[axis], gate_max[axis]));
                }
                exceptional = lanes.mask_or(exceptional, lanes.gt(highs[axis], far));
                axis += 1;
            }
            exceptional = lanes.mask_or(exceptional, lanes.gt(extents, limit));
            exceptional = lanes.mask_or(exceptional, lanes.gt(least, extents));
            let exceptional = lanes.movemask(exceptional) & !absent;
            found[block] = exceptional.0;
            // Branch-free, because 40 % of blocks have a hole. `top` is the largest key in empty
            // lanes and the smallest key in the others; `bottom` is its complement.
            let top = lanes.xor(lanes.mask_to_i32(mask(lanes, absent)), all);
            let bottom = lanes.xor(top, lanes.splat(-1));
            let mut axis = 0;
            while axis < D {
                lows[axis] = lanes.max(lows[axis], top);
                highs[axis] = lanes.min(highs[axis], bottom);
                axis += 1;
            }
            let (mut inner_low, mut inner_high) = (lows, highs);
            if !exceptional.is_empty() {
                let same = mask(lanes, exceptional);
                let mut axis = 0;
                while axis < D {
                    let (min, max) =
                        (lanes.load(&mins[axis][block]), lanes.load(&maxs[axis][block]));
                    inner_low[axis] = lanes.select(same, none, lows[axis]);
                    inner_high[axis] = lanes.select(same, all, highs[axis]);
                    lows[axis] = lanes.select(same, min, lows[axis]);
                    highs[axis] = lanes.select(same, max, highs[axis]);
                    axis += 1;
                }
            }
            let mut axis = 0;
            while axis < D {
                low_end[axis] = lanes.min(low_end[axis], inner_low[axis]);
                high_end[axis] = lanes.max(high_end[axis], inner_high[axis]);
                mins[axis][block] = lanes.store(lows[axis]);
                maxs[axis][block] = lanes.store(highs[axis]);
                axis += 1;
            }
        }
        chunk.bounds = hull(lanes, low_end, high_end);
        // Counted here, because the kernel has an instruction for it.
        let exceptional = count_of(&chunk.exceptional);
        let present = len - count_of(&chunk.holes);
        chunk.leaves_row = exceptional >= MIN_LEAVING.max(present / 2);
    }
}

#[inline(always)]
pub(crate) fn hull<L: Lanes, const D: usize>(lanes: L, min: [L::I; D], max: [L::I; D]) -> Slabs<D> {
    let mut bounds = Slabs::PADDING;
    let mut axis = 0;
    while axis < D {
        let (mins, maxs) = (lanes.store(min[axis]), lanes.store(max[axis]));
        for lane in 0..LANES {
            bounds.min[axis] = bounds.min[axis].min(mins[lane]);
            bounds.max[axis] = bounds.max[axis].max(maxs[lane]);
        }
        axis += 1;
    }
    bounds
}

/// Returns, for each axis, `count` blocks of eight keys from `begin` on. A loop, because some
/// builds do not inline `map`.
#[inline(always)]
fn blocks_of_all<'a, const D: usize>(
    planes: &'a mut [&mut [i32]; D],
    begin: usize,
    count: usize,
) -> [&'a mut [[i32; LANES]]; D] {
    const fn empty<'a>() -> &'a mut [[i32; LANES]] {
        &mut []
    }
    let mut all = [const { empty() }; D];
    for (all, plane) in all.iter_mut().zip(planes) {
        *all = &mut plane[begin..].as_chunks_mut().0[..count];
    }
    all
}

#[inline(always)]
fn mask<L: Lanes>(lanes: L, hits: HitMask) -> L::M {
    let bits = lanes.load(&[1, 2, 4, 8, 16, 32, 64, 128]);
    lanes.eq(lanes.and(lanes.splat(i32::from(hits.0)), bits), bits)
}

/// Finds slots that begin before the previous slot on the first axis, and prefetches the map
/// entries of both objects.
pub(super) struct FindInversions<'a> {
    pub(crate) order: &'a [i32],
    pub(crate) keys: &'a [u32],
    pub(crate) begin: usize,
    pub(crate) len: usize,
    pub(crate) found: &'a mut Marks,
    /// The key-to-slot map, or `None` if changes are logged; then nothing is prefetched.
    pub(crate) slots: Option<&'a KeySlots>,
}

impl Kernel for FindInversions<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { order, keys, begin, len, found, slots } = self;
        *found = Marks::default();
        let mut at = 0;
        while at < len {
            let before = lanes.load_at(order, begin + at - 1);
            let inverted = lanes.movemask(lanes.gt(before, lanes.load_at(order, begin + at)));
            found[at / LANES] = (inverted & HitMask::first(len - at)).0;
            at += LANES;
        }
        let Some(slots) = slots else { return };
        for offset in marked(found) {
            slots.prefetch(lanes, keys[begin + offset - 1]);
            slots.prefetch(lanes, keys[begin + offset]);
        }
    }
}
