//! A stretch of a row on its way through the caller's hands, and the lanes that look at it.

use core::array::from_fn;
use core::ops::Range;

use broadphase_core::{Aabb, HitMask, Kernel, LANES, LaneKeys, Lanes, Scalar, SlabPlanes, Slabs};

use super::level::Tier;
use super::row::enclose;

/// How many objects are taken at a time: few enough to stay in the nearest cache.
pub(super) const CHUNK: usize = 128;

/// A bit for each place of a chunk.
pub(super) type Marks = [u8; CHUNK / LANES];

#[inline(always)]
pub(super) const fn mark(marks: &mut Marks, offset: usize) {
    marks[offset / LANES] |= 1 << (offset % LANES);
}

#[inline(always)]
pub(super) const fn is_marked(marks: &Marks, offset: usize) -> bool {
    marks[offset / LANES] >> (offset % LANES) & 1 == 1
}

/// The marked places, ascending.
#[inline(always)]
pub(super) fn marked(marks: &Marks) -> impl Iterator<Item = usize> + use<> {
    let mut left = u128::from_le_bytes(*marks);
    core::iter::from_fn(move || {
        let offset = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (offset < CHUNK).then_some(offset)
    })
}

/// Bounds as numbers and as slabs, and what was found about them.
pub(super) struct Chunk<S, const D: usize> {
    pub(super) min: [[S; CHUNK]; D],
    pub(super) max: [[S; CHUNK]; D],
    pub(super) low: [[i32; CHUNK]; D],
    pub(super) high: [[i32; CHUNK]; D],
    /// A bit for each place without an object.
    pub(super) holes: Marks,
    /// A bit for each object that has to be looked at on its own.
    pub(super) strange: Marks,
    /// Encloses all objects but the strange ones.
    pub(super) bounds: Slabs<D>,
}

impl<S: Scalar, const D: usize> Chunk<S, D> {
    pub(super) fn new() -> Self {
        Self {
            min: [[S::ZERO; CHUNK]; D],
            max: [[S::ZERO; CHUNK]; D],
            low: [[0; CHUNK]; D],
            high: [[0; CHUNK]; D],
            holes: Marks::default(),
            strange: Marks::default(),
            bounds: Slabs::PADDING,
        }
    }

    #[inline(always)]
    pub(super) fn bounds_at(&self, offset: usize) -> Aabb<S, D> {
        Aabb {
            min: from_fn(|axis| self.min[axis][offset]),
            max: from_fn(|axis| self.max[axis][offset]),
        }
    }

    #[inline(always)]
    pub(super) fn set_bounds_at(&mut self, offset: usize, bounds: &Aabb<S, D>) {
        for axis in 0..D {
            self.min[axis][offset] = bounds.min[axis];
            self.max[axis][offset] = bounds.max[axis];
        }
    }

    #[inline(always)]
    pub(super) fn slabs_at(&self, offset: usize) -> Slabs<D> {
        Slabs {
            min: from_fn(|axis| self.low[axis][offset]),
            max: from_fn(|axis| self.high[axis][offset]),
        }
    }

    #[inline(always)]
    pub(super) fn set_slabs_at(&mut self, offset: usize, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.low[axis][offset] = slabs.min[axis];
            self.high[axis][offset] = slabs.max[axis];
        }
    }
}

/// How many bytes come from memory at once.
const LINE: usize = 64;

/// Asks for a stretch of what is stored, as far as there is something.
#[inline(always)]
fn prefetch<L: Lanes, X: Copy>(lanes: L, stored: &[X], stretch: Range<usize>) {
    if size_of::<X>() > 0 {
        for place in stretch.step_by((LINE / size_of::<X>()).max(1)) {
            lanes.prefetch(stored, place);
        }
    }
}

/// Turns a stretch of slabs that are exact into the numbers of a chunk, and asks for its keys and for
/// what the next chunk will want: rows are too short for the machine to foresee it.
pub(super) struct Read<'a, S, const D: usize, T> {
    pub(super) chunk: &'a mut Chunk<S, D>,
    pub(super) planes: SlabPlanes<'a, D>,
    pub(super) keys: &'a [u32],
    pub(super) data: &'a [T],
    pub(super) begin: usize,
    pub(super) len: usize,
}

impl<S: Scalar, const D: usize, T: Copy> Kernel for Read<'_, S, D, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { chunk, planes, keys, data, begin, len } = self;
        let ahead = begin + len..begin + len + CHUNK;
        let mut axis = 0;
        while axis < D {
            prefetch(lanes, planes.min[axis], ahead.clone());
            prefetch(lanes, planes.max[axis], ahead.clone());
            axis += 1;
        }
        prefetch(lanes, data, ahead);
        // Those that will change places are known by their keys.
        prefetch(lanes, keys, begin..begin + len);
        let mut axis = 0;
        while axis < D {
            let planes = [planes.min[axis], planes.max[axis]];
            let numbers = [&mut chunk.min[axis], &mut chunk.max[axis]];
            for (numbers, plane) in numbers.into_iter().zip(planes) {
                for (number, key) in numbers.iter_mut().zip(&plane[begin..][..len]) {
                    *number = S::of_key(*key);
                }
            }
            axis += 1;
        }
    }
}

/// Finds the places of a stretch of floats that hold no object.
pub(super) struct Holes<'a> {
    /// Where the intervals of the first axis end.
    pub(super) last: &'a [i32],
    pub(super) begin: usize,
    pub(super) len: usize,
    pub(super) found: &'a mut Marks,
}

impl Kernel for Holes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { last, begin, len, found } = self;
        *found = Marks::default();
        let none = lanes.splat(i32::MIN);
        let mut at = 0;
        while at < len {
            let holes = lanes.bits(lanes.eq(lanes.load_at(last, begin + at), none));
            found[at / LANES] = (holes & HitMask::first(len - at)).0;
            at += LANES;
        }
    }
}

/// Turns the numbers of a chunk into slabs, and finds those that are invalid or do not belong to
/// the row.
pub(super) struct Admit<'a, S, const D: usize> {
    pub(super) chunk: &'a mut Chunk<S, D>,
    pub(super) len: usize,
    pub(super) tier: &'a Tier,
    pub(super) gate: &'a Slabs<D>,
    /// How much larger slabs are, and whether they are.
    pub(super) margin: Option<S>,
}

impl<S: Scalar, const D: usize> Kernel for Admit<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { chunk, len, tier, gate, margin } = self;
        chunk.strange = Marks::default();
        let far = lanes.splat(tier.keys[1]);
        let sizes = tier.sizes.map(|size| lanes.splat(size.to_bits() as i32));
        let gate_min = gate.min.map(|key| lanes.splat(key));
        let gate_max = gate.max.map(|key| lanes.splat(key));
        let (none, all) = (lanes.splat(i32::MAX), lanes.splat(i32::MIN));
        let (mut min, mut max) = ([none; D], [all; D]);
        let last = lanes.splat(len as i32 - 1);
        let mut places = lanes.load(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let mut at = 0;
        while at < len {
            let mut extents = lanes.splat(0);
            let mut strange = lanes.gt(all, all);
            let (mut lows, mut highs) = ([none; D], [all; D]);
            let mut axis = 0;
            while axis < D {
                let min = chunk.min[axis][at..].first_chunk_mut().expect("whole blocks");
                let max = chunk.max[axis][at..].first_chunk_mut().expect("whole blocks");
                let (mut wide_min, mut wide_max) = (*min, *max);
                if let Some(margin) = margin {
                    for lane in 0..LANES {
                        wide_min[lane] = wide_min[lane].minus(margin);
                        wide_max[lane] = wide_max[lane].plus(margin);
                    }
                }
                let keys = S::lane_keys(lanes, &mut wide_min, &mut wide_max);
                let LaneKeys { low, high, extent, invalid } = keys;
                (lows[axis], highs[axis]) = (low, high);
                // Those of valid bounds sort alike as floats and as integers.
                extents = lanes.max(extents, lanes.bits_of_f32(extent));
                strange = lanes.either(strange, invalid);
                strange = lanes.either(strange, lanes.gt(gate_min[axis], low));
                strange = lanes.either(strange, lanes.gt(low, gate_max[axis]));
                strange = lanes.either(strange, lanes.gt(high, far));
                if margin.is_none() {
                    (*min, *max) = (wide_min, wide_max);
                }
                axis += 1;
            }
            strange = lanes.either(strange, lanes.gt(extents, sizes[1]));
            strange = lanes.either(strange, lanes.gt(sizes[0], extents));
            strange = lanes.either(strange, lanes.eq(sizes[0], extents));
            let hole = mask(lanes, HitMask(chunk.holes[at / LANES]));
            let absent = lanes.either(hole, lanes.gt(places, last));
            chunk.strange[at / LANES] = lanes.bits(lanes.except(strange, absent)).0;
            // The largest key where the mask holds, else the smallest; and the other way round.
            let top = lanes.xor(lanes.mask_i32(hole), all);
            let bottom = lanes.xor(top, lanes.splat(-1));
            let skipped = lanes.mask_i32(lanes.either(strange, absent));
            let out_top = lanes.xor(skipped, all);
            let out_bottom = lanes.xor(out_top, lanes.splat(-1));
            let mut axis = 0;
            while axis < D {
                let (low, high) = (lows[axis], highs[axis]);
                min[axis] = lanes.min(min[axis], lanes.max(low, out_top));
                max[axis] = lanes.max(max[axis], lanes.min(high, out_bottom));
                lanes.store_at(lanes.max(low, top), &mut chunk.low[axis], at);
                lanes.store_at(lanes.min(high, bottom), &mut chunk.high[axis], at);
                axis += 1;
            }
            places = lanes.add(places, lanes.splat(LANES as i32));
            at += LANES;
        }
        let mut bounds = Slabs::PADDING;
        let (mins, maxs) = (min.map(|min| lanes.store(min)), max.map(|max| lanes.store(max)));
        for lane in 0..LANES {
            let one = Slabs { min: mins.map(|min| min[lane]), max: maxs.map(|max| max[lane]) };
            enclose(&mut bounds, &one);
        }
        chunk.bounds = bounds;
    }
}

/// Finds the objects of a chunk that are invalid or outgrow their slabs.
pub(super) struct Outgrow<'a, S, const D: usize> {
    pub(super) chunk: &'a mut Chunk<S, D>,
    pub(super) len: usize,
    pub(super) planes: SlabPlanes<'a, D>,
    pub(super) begin: usize,
}

impl<S: Scalar, const D: usize> Kernel for Outgrow<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { chunk, len, planes, begin } = self;
        chunk.strange = Marks::default();
        let mut at = 0;
        while at < len {
            let mut strange = lanes.gt(lanes.splat(0), lanes.splat(0));
            let mut axis = 0;
            while axis < D {
                let min = chunk.min[axis][at..].first_chunk_mut().expect("whole blocks");
                let max = chunk.max[axis][at..].first_chunk_mut().expect("whole blocks");
                let LaneKeys { low, high, invalid, .. } = S::lane_keys(lanes, min, max);
                let below = lanes.gt(lanes.load_at(planes.min[axis], begin + at), low);
                let above = lanes.gt(high, lanes.load_at(planes.max[axis], begin + at));
                strange = lanes.either(strange, lanes.either(invalid, lanes.either(below, above)));
                axis += 1;
            }
            let skipped = HitMask(chunk.holes[at / LANES]) | HitMask::from(len - at);
            chunk.strange[at / LANES] = (lanes.bits(strange) & !skipped).0;
            at += LANES;
        }
    }
}

/// The lanes that are named.
#[inline(always)]
fn mask<L: Lanes>(lanes: L, hits: HitMask) -> L::M {
    let bits = lanes.load(&[1, 2, 4, 8, 16, 32, 64, 128]);
    lanes.eq(lanes.and(lanes.splat(i32::from(hits.0)), bits), bits)
}

/// Finds which places of a stretch begin before the one in front of them, and says whom that
/// concerns, so that what is known of them is at hand when they change places.
pub(super) struct Inversions<'a, F> {
    pub(super) order: &'a [i32],
    pub(super) keys: &'a [u32],
    pub(super) begin: usize,
    pub(super) len: usize,
    pub(super) found: &'a mut Marks,
    pub(super) ahead: &'a F,
}

/// Asks for what will be needed of a key.
pub(super) trait Ahead {
    /// Does so.
    fn ask<L: Lanes>(&self, lanes: L, key: u32);
}

impl<F: Ahead> Kernel for Inversions<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { order, keys, begin, len, found, ahead } = self;
        *found = Marks::default();
        let mut at = 0;
        while at < len {
            let before = lanes.load_at(order, begin + at - 1);
            let inverted = lanes.bits(lanes.gt(before, lanes.load_at(order, begin + at)));
            found[at / LANES] = (inverted & HitMask::first(len - at)).0;
            at += LANES;
        }
        for offset in marked(found) {
            ahead.ask(lanes, keys[begin + offset - 1]);
            ahead.ask(lanes, keys[begin + offset]);
        }
    }
}
