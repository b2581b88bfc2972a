//! Who is within a radius of each object of a run: eight of the others at a time.
//!
//! All runs ascend by the low corner on the first axis, so what may be near is a stretch of each,
//! which moves on with the object.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{Aabb, HitMask, LANES, Lanes, Scalar};

use super::rank;
use crate::Lists;

/// Bounds in planes, by place, with eight places of anything behind the last.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a, S, const D: usize> {
    /// The low corners.
    pub min: [&'a [S]; D],
    /// The high corners; those of points are not looked at.
    pub max: [&'a [S]; D],
    /// The keys.
    pub keys: &'a [i32],
    /// Whether all of them are points.
    pub points: bool,
}

/// How far away objects can be that are within a radius.
#[derive(Clone, Copy, Debug)]
pub struct Reach<S> {
    /// The radius.
    pub radius: S,
    /// A little more than the radius.
    pub ahead: S,
    /// A little more than the largest extent of an object.
    pub extent: S,
}

/// What a walk over objects keeps between them.
#[derive(Clone, Debug)]
pub struct Scratch<S, const D: usize> {
    /// In which what is near to a few objects may be.
    blocks: Vec<Block<S, D>>,
    /// The keys of what is near to one of them.
    found: Vec<i32>,
}

impl<S, const D: usize> Default for Scratch<S, D> {
    #[inline(always)]
    fn default() -> Self {
        Self { blocks: Vec::new(), found: Vec::new() }
    }
}

/// Eight boxes, of which some count.
#[derive(Clone, Copy, Debug)]
struct Block<S, const D: usize> {
    min: [[S; LANES]; D],
    max: [[S; LANES]; D],
    keys: [i32; LANES],
    valid: HitMask,
}

/// So many neighbours in a run look at the same blocks: then none of the branches is a surprise.
const GROUP: usize = 8;

/// Appends for each object of a run a list of the objects in the runs `around` that are within the
/// radius, ascending by key. The runs are used up.
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
        lists::<L, S, D, true>(lanes, boxes, own, around, reach, scratch, out);
    } else {
        lists::<L, S, D, false>(lanes, boxes, own, around, reach, scratch, out);
    }
}

#[inline(always)]
fn lists<L: Lanes, S: Scalar, const D: usize, const POINTS: bool>(
    lanes: L,
    boxes: &Boxes<'_, S, D>,
    own: Range<usize>,
    around: &mut [Range<usize>],
    reach: &Reach<S>,
    scratch: &mut Scratch<S, D>,
    out: &mut Lists,
) {
    let Scratch { blocks, found } = scratch;
    let limit = S::limit(reach.radius);
    let mut begin = own.start;
    while begin < own.end {
        let end = own.end.min(begin + GROUP);
        boxes.collect::<POINTS>(begin..end, around, reach, blocks);
        if found.len() < blocks.len() * LANES {
            found.resize(blocks.len() * LANES, 0);
        }
        for place in begin..end {
            let bounds = boxes.get::<POINTS>(place);
            let own_key = lanes.splat(boxes.keys[place]);
            let mut len = 0;
            for block in &*blocks {
                let keys = lanes.load(&block.keys);
                let others = block.valid & !lanes.bits(lanes.eq(keys, own_key));
                let hits = block.within::<L, POINTS>(lanes, &bounds, &limit) & others;
                lanes.store_at(lanes.compress(keys, hits), found, len);
                len += hits.count() as usize;
            }
            rank::sort(lanes, out.push_keys(&found[..len]));
        }
        begin = end;
    }
}

impl<S: Scalar, const D: usize> Boxes<'_, S, D> {
    /// Collects what may be near to a few objects that follow each other.
    #[inline(always)]
    fn collect<const POINTS: bool>(
        &self,
        own: Range<usize>,
        around: &mut [Range<usize>],
        reach: &Reach<S>,
        blocks: &mut Vec<Block<S, D>>,
    ) {
        let order = self.min[0];
        let early = order[own.start].minus(reach.ahead).minus(reach.extent).next_below();
        let ends = if POINTS { order } else { self.max[0] };
        let mut late = ends[own.start];
        for &end in &ends[own] {
            late = if end > late { end } else { late };
        }
        let late = late.plus(reach.ahead).next_above();
        blocks.clear();
        for run in around {
            while run.start < run.end && order[run.start] < early {
                run.start += 1;
            }
            let mut at = run.start;
            while at < run.end && order[at] <= late {
                blocks.push(self.block::<POINTS>(at, HitMask::first(run.end - at)));
                at += LANES;
            }
        }
    }

    #[inline(always)]
    fn block<const POINTS: bool>(&self, at: usize, valid: HitMask) -> Block<S, D> {
        let none = [S::ZERO; LANES];
        let eight = |plane: &[S]| *plane[at..].first_chunk().expect("places behind the last");
        let keys = *self.keys[at..].first_chunk().expect("places behind the last");
        let mut block = Block { min: [none; D], max: [none; D], keys, valid };
        let mut axis = 0;
        while axis < D {
            block.min[axis] = eight(self.min[axis]);
            if !POINTS {
                block.max[axis] = eight(self.max[axis]);
            }
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

impl<S: Scalar, const D: usize> Block<S, D> {
    /// Which are within a radius of another box.
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
        lanes.bits(lanes.gt(lanes.load(&hits), lanes.splat(0)))
    }
}
