//! Neighbors within a radius of each object of a run, tested eight candidates at a time.
//!
//! Input: runs of boxes, in any order or ascending by the low end on the first axis. Output: one
//! list of keys per object of one run. For each group of eight successive objects:
//!
//! 1. Compute the box around the group.
//! 2. In each sorted run, scan from the first object that can be near this box on the first axis to
//!    the last. Scan all objects of other runs.
//! 3. Copy the objects within the radius of the group's box into a buffer: half of the candidates.
//!    The group itself is its first block, so only this block's tests must exclude the tested
//!    object.
//! 4. Test each object of the group against the buffer, and write the keys of its hits to a row.
//! 5. If lists are to be sorted, sort the eight rows together, one in each lane (`list_sort`).
//! 6. Append the rows to the lists.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{Aabb, HitMask, Keys, LANES, Lanes, Scalar};

use super::list_sort;
use super::near_blocks::{Scans, count_until};
use crate::query::ListBuffer;

/// Boxes in one array per coordinate, padded by eight arbitrary entries.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a, S, const D: usize> {
    pub min: [&'a [S]; D],
    /// High corners; unused for points.
    pub max: [&'a [S]; D],
    /// Integer keys of the low ends on the first axis, rounded down; each run ascends by them.
    /// Padded by `near_blocks::COUNTED` arbitrary entries. Empty if runs are in any order.
    pub order: &'a [i32],
    /// Keys, mapped by [`signed`](super::rank::signed).
    pub keys: &'a [i32],
    /// Set if all boxes are points.
    pub points: bool,
}

/// Radius of the search, with bounds for the first axis.
#[derive(Clone, Copy, Debug)]
pub struct RadiusBounds<S> {
    /// The radius of the search.
    pub radius: S,
    /// Upper bound of the radius as a difference of coordinates, including rounding errors.
    pub ahead: S,
    /// Upper bound of the extent of any object on any axis, including rounding errors.
    pub extent: S,
}

/// Factor that enlarges a distance by more than its rounding error.
const ROUNDING: f64 = 1.0 + 1e-6;

impl<S: Scalar> RadiusBounds<S> {
    /// Creates the reach of a radius among objects whose largest extent is `largest`.
    #[inline(always)]
    pub fn new(radius: S, largest: f64) -> Self {
        let above = |distance: f64| S::from_f64(distance * ROUNDING).next_above();
        Self { radius, ahead: above(radius.to_f64()), extent: above(largest) }
    }
}

/// Scratch buffers, reused between calls.
#[derive(Clone, Debug)]
pub struct Scratch<S, const D: usize> {
    /// Candidates of the current group.
    candidates: Candidates<S, D>,
    /// Keys of the hits of each object of the group, in rows of equal length.
    rows: Vec<i32>,
    columns: Box<list_sort::Columns>,
}

impl<S, const D: usize> Default for Scratch<S, D> {
    #[inline(always)]
    fn default() -> Self {
        let planes = [const { [const { Vec::new() }; D] }; 2];
        let scans = Scans::default();
        let candidates = Candidates { planes, keys: Vec::new(), len: 0, scans };
        let columns = Box::new([[0; LANES]; list_sort::MAX_LEN]);
        Self { candidates, rows: Vec::new(), columns }
    }
}

/// Boxes in one array per coordinate, of which `len` are in use.
#[derive(Clone, Debug)]
struct Candidates<S, const D: usize> {
    /// The low and the high corners.
    planes: [[Vec<S>; D]; 2],
    keys: Vec<i32>,
    len: usize,
    scans: Scans,
}

/// Maximum number of runs around a strip.
const MAX_RUNS: usize = 9;

struct Cursor {
    /// End of the candidates in each run.
    ends: [usize; MAX_RUNS],
    /// Largest integer key up to which runs were searched.
    last: i32,
}

#[derive(Clone, Copy, Debug)]
struct Blocks<'a, S, const D: usize> {
    min: [&'a [[S; LANES]]; D],
    max: [&'a [[S; LANES]]; D],
    keys: &'a [[i32; LANES]],
}

#[inline(always)]
fn first_blocks<S>(plane: &[S], blocks: usize) -> &[[S; LANES]] {
    &plane.as_chunks().0[..blocks]
}

#[derive(Clone, Copy, Debug)]
struct Block<S, const D: usize> {
    min: [[S; LANES]; D],
    max: [[S; LANES]; D],
    keys: [i32; LANES],
}

/// Number of successive objects that share candidates, one per lane. Their loops have equal
/// lengths, so branches are predictable.
const GROUP: usize = LANES;

/// Appends a list to `out` for each object of the run `own`: the keys of the other objects of the
/// runs `around` within the radius, ascending if `sorted` is set. Advances the start of each run of
/// `around` past the objects that end before the last group. If `own` is not among `around`, the
/// lists have some objects of `own`, too: those in the same group of eight. `Measure::is_scaled`
/// must be `false` for the radius.
#[expect(clippy::too_many_arguments, reason = "a loop has state")]
#[inline(always)]
pub fn near<L: Lanes, S: Scalar, const D: usize>(
    lanes: L,
    boxes: &Boxes<'_, S, D>,
    own: Range<usize>,
    around: &mut [Range<usize>],
    reach: &RadiusBounds<S>,
    sorted: bool,
    scratch: &mut Scratch<S, D>,
    out: &mut ListBuffer,
) {
    let points = boxes.points;
    crate::specialize!(
        points,
        L,
        write_lists(lanes, points, boxes, own, around, reach, sorted, scratch, out)
    );
}

#[expect(clippy::too_many_arguments, reason = "a loop has state")]
#[inline(always)]
fn write_lists<L: Lanes, S: Scalar, const D: usize>(
    lanes: L,
    points: bool,
    boxes: &Boxes<'_, S, D>,
    own: Range<usize>,
    around: &mut [Range<usize>],
    reach: &RadiusBounds<S>,
    sorted: bool,
    scratch: &mut Scratch<S, D>,
    out: &mut ListBuffer,
) {
    let Scratch { candidates, rows, columns } = scratch;
    let limit = S::limit(reach.radius);
    let mut cursor = Cursor { ends: [0; MAX_RUNS], last: i32::MIN };
    let mut begin = own.start;
    while begin < own.end {
        let end = own.end.min(begin + GROUP);
        let group = begin..end;
        boxes.collect(lanes, points, group, around, &mut cursor, reach, &limit, candidates);
        // Each row has room for all candidates and one more block.
        let stride = candidates.len.next_multiple_of(LANES) + LANES;
        if rows.len() < GROUP * stride {
            rows.resize(GROUP * stride, 0);
        }
        let mut lens = [0; GROUP];
        for place in begin..end {
            let lane = place - begin;
            let bounds = boxes.get(points, place);
            let row = &mut rows[lane * stride..][..stride];
            lens[lane] = candidates.test(lanes, points, lane, end - begin, &bounds, &limit, row);
        }
        let mut longest = 0;
        for len in lens {
            longest = if len > longest { len } else { longest };
        }
        if sorted && longest <= list_sort::MAX_LEN {
            list_sort::sort(lanes, rows, stride, &lens, columns);
        } else if sorted {
            for (row, &len) in rows.chunks_mut(stride).zip(&lens) {
                row[..len].sort_unstable();
            }
        }
        append(lanes, rows, stride, &lens[..end - begin], longest, out);
        begin = end;
    }
}

#[inline(always)]
fn append<L: Lanes>(
    lanes: L,
    rows: &[i32],
    stride: usize,
    lens: &[usize],
    longest: usize,
    out: &mut ListBuffer,
) {
    // Copies as many blocks of each row as the longest has, because the number of keys is
    // unpredictable; the next row overwrites the surplus.
    let blocks = longest.div_ceil(LANES);
    let room = out.room((lens.len() + 1) * blocks * LANES);
    let (sign, mut at) = (lanes.splat(i32::MIN), 0);
    for (index, &len) in lens.iter().enumerate() {
        let row = &rows[index * stride..][..blocks * LANES];
        let to = &mut room[at..][..blocks * LANES];
        for (row, to) in row.as_chunks().0.iter().zip(to.as_chunks_mut::<LANES>().0) {
            let keys = lanes.store(lanes.xor(lanes.load(row), sign));
            *to = keys.map(i32::cast_unsigned);
        }
        at += len;
    }
    lens.iter().for_each(|&len| out.finish(len));
}

impl<S: Scalar, const D: usize> Boxes<'_, S, D> {
    /// Replaces the candidates by the objects of the group `own`, in the first block, and the other
    /// objects of the runs `around` within the radius of the group's box. Rounding excludes no
    /// neighbor: a computed gap to the box never exceeds that to an object in it.
    #[expect(clippy::too_many_arguments, reason = "a loop has state")]
    #[inline(always)]
    fn collect<L: Lanes>(
        &self,
        lanes: L,
        points: bool,
        own: Range<usize>,
        around: &mut [Range<usize>],
        cursor: &mut Cursor,
        reach: &RadiusBounds<S>,
        limit: &S::Limit,
        candidates: &mut Candidates<S, D>,
    ) {
        let mut all = self.get(points, own.start);
        for place in own.clone() {
            let bounds = self.get(points, place);
            let mut axis = 0;
            while axis < D {
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                all.min[axis] = if min < all.min[axis] { min } else { all.min[axis] };
                all.max[axis] = if max > all.max[axis] { max } else { all.max[axis] };
                axis += 1;
            }
        }
        // Objects with equal integer keys may be in any order. The number of the first key is at
        // most the low end of every later object, so no candidate of a later group is skipped.
        let lowest = self.order.get(own.start).map_or(all.min[0], |&key| S::from_key(key));
        let first = lowest.minus(reach.ahead).minus(reach.extent).next_below().key_below();
        let last = all.max[0].plus(reach.ahead).next_above().key_above();
        cursor.last = if last > cursor.last { last } else { cursor.last };
        let scans = &mut candidates.scans;
        scans.len = 0;
        for (run, end) in around.iter_mut().zip(&mut cursor.ends) {
            if self.order.is_empty() {
                *end = run.end;
            } else {
                run.start += count_until::<L, false>(lanes, self.order, run.clone(), first);
                *end = if run.start > *end { run.start } else { *end };
                *end += count_until::<L, true>(lanes, self.order, *end..run.end, cursor.last);
            }
            if run.start <= own.start && own.start < *end {
                scans.push(run.start, own.start);
                scans.push(own.end, *end);
            } else {
                scans.push(run.start, *end);
            }
        }
        candidates.make_room();
        candidates.len = 0;
        candidates.push(lanes, points, &self.block(points, own.start), HitMask::ALL);
        for index in 0..candidates.scans.len {
            let [at, left] = candidates.scans.blocks[index];
            let block = self.block(points, at as usize);
            let near = block.within(lanes, false, &all, limit);
            let near = near & HitMask::first(left as usize);
            candidates.push(lanes, points, &block, near);
        }
    }

    #[inline(always)]
    fn block(&self, points: bool, at: usize) -> Block<S, D> {
        let none = [S::ZERO; LANES];
        let eight = |plane: &[S]| *plane[at..].first_chunk().expect("padding");
        let keys = *self.keys[at..].first_chunk().expect("padding");
        let mut block = Block { min: [none; D], max: [none; D], keys };
        let mut axis = 0;
        while axis < D {
            block.min[axis] = eight(self.min[axis]);
            block.max[axis] = if points { block.min[axis] } else { eight(self.max[axis]) };
            axis += 1;
        }
        block
    }

    #[inline(always)]
    fn get(&self, points: bool, place: usize) -> Aabb<S, D> {
        let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        let mut axis = 0;
        while axis < D {
            bounds.min[axis] = self.min[axis][place];
            bounds.max[axis] = if points { bounds.min[axis] } else { self.max[axis][place] };
            axis += 1;
        }
        bounds
    }
}

impl<S: Scalar, const D: usize> Candidates<S, D> {
    /// Tests the candidates against the object `own` of the group of `count` objects, and writes
    /// the keys of the hits to `row`; returns their number.
    #[expect(clippy::too_many_arguments, reason = "a loop has state")]
    #[inline(always)]
    fn test<L: Lanes>(
        &self,
        lanes: L,
        points: bool,
        own: usize,
        count: usize,
        bounds: &Aabb<S, D>,
        limit: &S::Limit,
        row: &mut [i32],
    ) -> usize {
        let blocks = self.blocks(points);
        let last = blocks.keys.len() - 1;
        let mut len = 0;
        // The group, without the object itself.
        let group = HitMask(HitMask::first(count).0 & !(1 << own));
        len += blocks.write(lanes, points, 0, bounds, limit, group, row, len);
        if last == 0 {
            return len;
        }
        for index in 1..last {
            len += blocks.write(lanes, points, index, bounds, limit, HitMask::ALL, row, len);
        }
        let rest = HitMask::first(self.len - last * LANES);
        len + blocks.write(lanes, points, last, bounds, limit, rest, row, len)
    }

    #[inline(always)]
    fn blocks(&self, points: bool) -> Blocks<'_, S, D> {
        let blocks = self.len.div_ceil(LANES);
        let mut all =
            Blocks { min: [&[]; D], max: [&[]; D], keys: first_blocks(&self.keys, blocks) };
        let mut axis = 0;
        while axis < D {
            all.min[axis] = first_blocks(&self.planes[0][axis], blocks);
            all.max[axis] =
                if points { all.min[axis] } else { first_blocks(&self.planes[1][axis], blocks) };
            axis += 1;
        }
        all
    }

    #[inline(always)]
    fn make_room(&mut self) {
        let room = (self.scans.len + 3) * LANES;
        if room > self.keys.len() {
            self.keys.resize(2 * room, 0);
            for plane in self.planes.as_flattened_mut() {
                plane.resize(2 * room, S::ZERO);
            }
        }
    }

    /// Appends the boxes of a block that `near` selects. There must be room for eight.
    #[inline(always)]
    fn push<L: Lanes>(&mut self, lanes: L, points: bool, block: &Block<S, D>, near: HitMask) {
        let at = self.len;
        let mut axis = 0;
        while axis < D {
            let ends = [&block.min[axis], &block.max[axis]];
            for (planes, numbers) in self.planes.iter_mut().zip(ends).take(2 - usize::from(points))
            {
                let front = S::compress(lanes, numbers, near);
                *planes[axis][at..].first_chunk_mut().expect("room for eight") = front;
            }
            axis += 1;
        }
        lanes.store_at(lanes.compress(lanes.load(&block.keys), near), &mut self.keys, at);
        self.len += near.count() as usize;
    }
}

impl<S: Scalar, const D: usize> Blocks<'_, S, D> {
    /// Writes to `row`, from `len` on, the keys of the selected boxes of a block within the radius;
    /// returns their number.
    #[expect(clippy::too_many_arguments, reason = "a loop has state")]
    #[inline(always)]
    fn write<L: Lanes>(
        &self,
        lanes: L,
        points: bool,
        index: usize,
        bounds: &Aabb<S, D>,
        limit: &S::Limit,
        which: HitMask,
        row: &mut [i32],
        len: usize,
    ) -> usize {
        let block = self.get(index);
        let hits = block.within(lanes, points, bounds, limit) & which;
        lanes.store_at(lanes.compress(lanes.load(&block.keys), hits), row, len);
        hits.count() as usize
    }

    #[inline(always)]
    fn get(&self, index: usize) -> Block<S, D> {
        let none = [S::ZERO; LANES];
        let mut block = Block { min: [none; D], max: [none; D], keys: self.keys[index] };
        let mut axis = 0;
        while axis < D {
            block.min[axis] = self.min[axis][index];
            block.max[axis] = self.max[axis][index];
            axis += 1;
        }
        block
    }
}

impl<S: Scalar, const D: usize> Block<S, D> {
    /// Returns which of the eight boxes are within a radius of another box.
    #[inline(always)]
    fn within<L: Lanes>(
        &self,
        lanes: L,
        points: bool,
        own: &Aabb<S, D>,
        limit: &S::Limit,
    ) -> HitMask {
        let mut hits = [0; LANES];
        for (lane, hit) in hits.iter_mut().enumerate() {
            let mut gaps = [S::distance(S::ZERO, S::ZERO); D];
            let mut axis = 0;
            while axis < D {
                if points {
                    gaps[axis] = S::distance(own.min[axis], self.min[axis][lane]);
                } else {
                    let above = S::gap(own.max[axis], self.min[axis][lane]);
                    let below = S::gap(self.max[axis][lane], own.min[axis]);
                    gaps[axis] = if above > below { above } else { below };
                }
                axis += 1;
            }
            *hit = i32::from(S::is_below_unscaled(gaps, limit));
        }
        lanes.movemask(lanes.gt(lanes.load(&hits), lanes.splat(0)))
    }
}
