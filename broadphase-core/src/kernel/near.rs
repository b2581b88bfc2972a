//! Neighbors within a radius of each object of a sorted run, tested eight candidates at a time.
//!
//! Input: runs of boxes, each ascending by the low end on the first axis; output: one sorted list
//! of keys per object of one run. For each group of eight successive objects:
//!
//! 1. Compute the box around the group.
//! 2. In each run, advance to the first object that can be near this box on the first axis, and
//!    scan from there to the last one.
//! 3. Copy the objects within the radius of the group's box into a compact buffer; this halves the
//!    candidates of the next step.
//! 4. Test each object of the group against the buffer, and sort the keys of its hits.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{Aabb, HitMask, Keys, LANES, Lanes, Scalar};

use super::rank;
use crate::Lists;

/// Boxes in one array per coordinate, padded by eight arbitrary entries.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a, S, const D: usize> {
    /// Low corners.
    pub min: [&'a [S]; D],
    /// High corners; unused for points.
    pub max: [&'a [S]; D],
    /// Keys, mapped by [`signed`](rank::signed).
    pub keys: &'a [i32],
    /// Set if all boxes are points.
    pub points: bool,
}

/// Radius of the search, with bounds for the first axis.
#[derive(Clone, Copy, Debug)]
pub struct Reach<S> {
    /// The radius of the search.
    pub radius: S,
    /// Upper bound of the radius as a difference of coordinates, including rounding errors.
    pub ahead: S,
    /// Upper bound of the extent of any object on any axis, including rounding errors.
    pub extent: S,
}

/// Scratch buffers, kept between calls to avoid reallocating.
#[derive(Clone, Debug)]
pub struct Scratch<S, const D: usize> {
    /// Candidates: objects near the box around the current group.
    candidates: Candidates<S, D>,
    /// Keys of the hits of one object.
    found: Vec<i32>,
}

impl<S, const D: usize> Default for Scratch<S, D> {
    #[inline(always)]
    fn default() -> Self {
        let planes = || [const { Vec::new() }; D];
        let candidates = Candidates { min: planes(), max: planes(), keys: Vec::new(), len: 0 };
        Self { candidates, found: Vec::new() }
    }
}

/// Boxes in one array per coordinate, of which `len` are in use; there is room for eight more.
#[derive(Clone, Debug)]
struct Candidates<S, const D: usize> {
    min: [Vec<S>; D],
    max: [Vec<S>; D],
    keys: Vec<i32>,
    len: usize,
}

/// Boxes in blocks of eight.
#[derive(Clone, Copy, Debug)]
struct Blocks<'a, S, const D: usize> {
    min: [&'a [[S; LANES]]; D],
    max: [&'a [[S; LANES]]; D],
    keys: &'a [[i32; LANES]],
}

/// Returns the first blocks of a coordinate array.
#[inline(always)]
fn first_blocks<S>(plane: &[S], blocks: usize) -> &[[S; LANES]] {
    &plane.as_chunks().0[..blocks]
}

/// Eight boxes.
#[derive(Clone, Copy, Debug)]
struct Block<S, const D: usize> {
    min: [[S; LANES]; D],
    max: [[S; LANES]; D],
}

/// Number of successive objects that share candidates. The loops over the candidates of a group
/// have equal lengths, so their branches are predictable.
const GROUP: usize = 8;

/// Appends one list to `out` for each object of the run `own`, in order: the keys of the objects in
/// the runs `around` that are within the radius, ascending. Advances the start of each run of
/// `around` past the objects that end before the last group of `own` begins.
#[inline(always)]
pub fn near<L: Lanes, S: Scalar, const D: usize>(
    lanes: L,
    boxes: &Boxes<'_, S, D>,
    own: Range<usize>,
    around: &mut [Range<usize>],
    reach: &Reach<S>,
    scratch: &mut Scratch<S, D>,
    out: &mut Lists,
) {
    if boxes.points {
        write_lists::<L, S, D, true>(lanes, boxes, own, around, reach, scratch, out);
    } else {
        write_lists::<L, S, D, false>(lanes, boxes, own, around, reach, scratch, out);
    }
}

#[inline(always)]
fn write_lists<L: Lanes, S: Scalar, const D: usize, const POINTS: bool>(
    lanes: L,
    boxes: &Boxes<'_, S, D>,
    own: Range<usize>,
    around: &mut [Range<usize>],
    reach: &Reach<S>,
    scratch: &mut Scratch<S, D>,
    out: &mut Lists,
) {
    let Scratch { candidates, found } = scratch;
    let limit = S::limit(reach.radius);
    let mut begin = own.start;
    while begin < own.end {
        let end = own.end.min(begin + GROUP);
        boxes.collect::<L, POINTS>(lanes, begin..end, around, reach, &limit, candidates);
        let room = candidates.len + rank::GROUP + LANES;
        if found.len() < room {
            found.resize(room, 0);
        }
        for place in begin..end {
            let bounds = boxes.get::<POINTS>(place);
            let own_key = lanes.splat(boxes.keys[place]);
            let blocks = candidates.blocks::<L, POINTS>(lanes, boxes.keys[place]);
            let mut len = 0;
            for index in 0..blocks.keys.len() {
                let keys = lanes.load(&blocks.keys[index]);
                let hits = blocks.get(index).within::<L, POINTS>(lanes, &bounds, &limit);
                let hits = hits & !lanes.movemask(lanes.eq(keys, own_key));
                lanes.store_at(lanes.compress(keys, hits), found, len);
                len += hits.count() as usize;
            }
            rank::sort_into(lanes, found, len, out.unfinished());
            out.finish();
        }
        begin = end;
    }
}

impl<S: Scalar, const D: usize> Boxes<'_, S, D> {
    /// Replaces the candidates with the objects of the runs `around` within the radius of the box
    /// around a group. Rounding loses no object: gaps to the box never exceed gaps to an object in
    /// it.
    #[inline(always)]
    fn collect<L: Lanes, const POINTS: bool>(
        &self,
        lanes: L,
        own: Range<usize>,
        around: &mut [Range<usize>],
        reach: &Reach<S>,
        limit: &S::Limit,
        candidates: &mut Candidates<S, D>,
    ) {
        let order = self.min[0];
        let mut all = self.get::<POINTS>(own.start);
        for place in own {
            let bounds = self.get::<POINTS>(place);
            let mut axis = 0;
            while axis < D {
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                all.min[axis] = if min < all.min[axis] { min } else { all.min[axis] };
                all.max[axis] = if max > all.max[axis] { max } else { all.max[axis] };
                axis += 1;
            }
        }
        let first = all.min[0].minus(reach.ahead).minus(reach.extent).next_below();
        let last = all.max[0].plus(reach.ahead).next_above();
        candidates.len = 0;
        for run in around {
            run.start += count_below(lanes, order, run.clone(), first);
            let mut at = run.start;
            while at < run.end && order[at] <= last {
                candidates.make_room();
                let block = self.block::<POINTS>(at);
                let near = block.within::<L, false>(lanes, &all, limit);
                let near = near & HitMask::first(run.end - at);
                candidates.push::<L, POINTS>(lanes, &block, lanes.load_at(self.keys, at), near);
                at += LANES;
            }
        }
    }

    #[inline(always)]
    fn block<const POINTS: bool>(&self, at: usize) -> Block<S, D> {
        let none = [S::ZERO; LANES];
        let eight = |plane: &[S]| *plane[at..].first_chunk().expect("padding");
        let mut block = Block { min: [none; D], max: [none; D] };
        let mut axis = 0;
        while axis < D {
            block.min[axis] = eight(self.min[axis]);
            block.max[axis] = if POINTS { block.min[axis] } else { eight(self.max[axis]) };
            axis += 1;
        }
        block
    }

    #[inline(always)]
    fn get<const POINTS: bool>(&self, place: usize) -> Aabb<S, D> {
        let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        let mut axis = 0;
        while axis < D {
            bounds.min[axis] = self.min[axis][place];
            bounds.max[axis] = if POINTS { bounds.min[axis] } else { self.max[axis][place] };
            axis += 1;
        }
        bounds
    }
}

/// Returns how many numbers of an ascending run are below a limit; the run is padded by eight
/// arbitrary entries.
#[inline(always)]
fn count_below<L: Lanes, S: Scalar>(lanes: L, order: &[S], run: Range<usize>, limit: S) -> usize {
    let mut at = run.start;
    while at < run.end {
        let numbers = order[at..].first_chunk::<LANES>().expect("padding");
        let below = numbers.map(|number| i32::from(number < limit));
        let below = lanes.movemask(lanes.gt(lanes.load(&below), lanes.splat(0)));
        let count = (below & HitMask::first(run.end - at)).0.trailing_ones();
        at += count as usize;
        if count < LANES as u32 {
            break;
        }
    }
    at - run.start
}

impl<S: Scalar, const D: usize> Candidates<S, D> {
    /// Returns the candidates as blocks of eight. The padding of the last block gets the key
    /// `none`, the own key of the object to be tested, which the caller excludes.
    #[inline(always)]
    fn blocks<L: Lanes, const POINTS: bool>(&mut self, lanes: L, none: i32) -> Blocks<'_, S, D> {
        let blocks = self.len.div_ceil(LANES);
        lanes.store_at(lanes.splat(none), &mut self.keys, self.len);
        let mut all =
            Blocks { min: [&[]; D], max: [&[]; D], keys: first_blocks(&self.keys, blocks) };
        let mut axis = 0;
        while axis < D {
            all.min[axis] = first_blocks(&self.min[axis], blocks);
            all.max[axis] =
                if POINTS { all.min[axis] } else { first_blocks(&self.max[axis], blocks) };
            axis += 1;
        }
        all
    }

    /// Grows the buffers to have room for eight entries and eight of padding.
    #[inline(always)]
    fn make_room(&mut self) {
        if self.len + 2 * LANES > self.keys.len() {
            let room = (2 * self.len).max(16 * LANES);
            self.keys.resize(room, 0);
            for plane in self.min.iter_mut().chain(&mut self.max) {
                plane.resize(room, S::ZERO);
            }
        }
    }

    /// Appends the boxes of `block` selected by `near`. Call [`make_room`](Self::make_room) first.
    #[inline(always)]
    fn push<L: Lanes, const POINTS: bool>(
        &mut self,
        lanes: L,
        block: &Block<S, D>,
        keys: L::I,
        near: HitMask,
    ) {
        let at = self.len;
        let mut axis = 0;
        while axis < D {
            let ends =
                [(&mut self.min[axis], &block.min[axis]), (&mut self.max[axis], &block.max[axis])];
            for (plane, numbers) in ends.into_iter().take(2 - POINTS as usize) {
                let front = S::compress(lanes, numbers, near);
                *plane[at..].first_chunk_mut().expect("room for eight") = front;
            }
            axis += 1;
        }
        lanes.store_at(lanes.compress(keys, near), &mut self.keys, at);
        self.len += near.count() as usize;
    }
}

impl<S: Scalar, const D: usize> Blocks<'_, S, D> {
    #[inline(always)]
    fn get(&self, index: usize) -> Block<S, D> {
        let mut block = Block { min: [[S::ZERO; LANES]; D], max: [[S::ZERO; LANES]; D] };
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
    fn within<L: Lanes, const POINTS: bool>(
        &self,
        lanes: L,
        own: &Aabb<S, D>,
        limit: &S::Limit,
    ) -> HitMask {
        let mut hits = [0; LANES];
        for (lane, hit) in hits.iter_mut().enumerate() {
            let mut gaps = [S::distance(S::ZERO, S::ZERO); D];
            let mut axis = 0;
            while axis < D {
                if POINTS {
                    gaps[axis] = S::distance(own.min[axis], self.min[axis][lane]);
                } else {
                    let above = S::gap(own.max[axis], self.min[axis][lane]);
                    let below = S::gap(self.max[axis][lane], own.min[axis]);
                    gaps[axis] = if above > below { above } else { below };
                }
                axis += 1;
            }
            *hit = i32::from(S::is_below(gaps, limit));
        }
        lanes.movemask(lanes.gt(lanes.load(&hits), lanes.splat(0)))
    }
}
