//! A walk over the bins whose objects may overlap a box, level by level.
//!
//! A walk finds every bin of the box in the map of the level, or scans its buckets if these are
//! fewer. For a ray, bins away from the ray are skipped ([`Strip`]).

use broadphase_core::query::PathBounds;

use super::map::FREE;
use super::{Bins, MIN_SHIFT};
use crate::hash::queries::strip::Strip;
use crate::span::Span;

/// The maximum number of bins that a search tests together, in a buffer of chain heads. The first
/// pages of all these chains are prefetched together.
pub(crate) const HEADS_LEN: usize = 32;

/// The state of a walk over bins.
pub(crate) struct BinWalk<const D: usize> {
    /// The low corner of the box, and the cells that the box touches.
    area_min: [f64; D],
    span: Span<D>,
    path_bounds: Option<PathBounds<D>>,
    /// The levels still to visit, one bit each.
    levels_left: u32,
    level: usize,
    /// The bins of the current level whose objects may overlap the box.
    bins: Span<D>,
    strip: Option<Strip<D>>,
    /// The bins of the current search in the map: all, or those of the current column of the strip.
    part: Span<D>,
    next: Next<D>,
}

/// The next operation of a walk over a level.
enum Next<const D: usize> {
    /// Finds this bin of the current part in the map; `None` at the end of the part.
    Lookup(Option<[i32; D]>),
    /// Reads the bucket with this index.
    Scan(usize),
}

impl<const D: usize> Bins<D> {
    /// Starts a walk over the bins, on some levels (one bit each), whose objects may overlap a box.
    /// The box has the low corner `area_min` and touches the cells `span`. With path bounds, only
    /// bins along the path are visited.
    #[inline(always)]
    pub(crate) fn walk(
        &self,
        area_min: [f64; D],
        span: &Span<D>,
        path_bounds: Option<PathBounds<D>>,
        levels: u32,
    ) -> BinWalk<D> {
        BinWalk {
            area_min,
            span: *span,
            path_bounds,
            levels_left: self.used_levels & levels,
            level: 0,
            bins: *span,
            strip: None,
            part: *span,
            next: Next::Lookup(None),
        }
    }

    /// Writes heads of page chains until the walk ends or the buffer is full. Returns their number;
    /// 0 if the walk has ended.
    #[inline(always)]
    pub(crate) fn next_heads(&self, walk: &mut BinWalk<D>, heads: &mut [u32; HEADS_LEN]) -> usize {
        let mut len = 0;
        loop {
            let map = &self.levels[walk.level].bins;
            match &mut walk.next {
                Next::Lookup(next) => {
                    while let Some(bin) = *next
                        && len < HEADS_LEN
                    {
                        *next = walk.part.after(bin);
                        if let Some(head) = map.get(&bin) {
                            heads[len] = head;
                            len += 1;
                        }
                    }
                }
                Next::Scan(next) => {
                    while let Some(bucket) = map.buckets().get(*next)
                        && len < HEADS_LEN
                    {
                        *next += 1;
                        if bucket.number != FREE && walk.bins.contains(&bucket.bin) {
                            heads[len] = bucket.number;
                            len += 1;
                        }
                    }
                }
            }
            if len == HEADS_LEN || !self.next_part(walk) {
                return len;
            }
        }
    }

    /// Moves a walk to the next column of its strip or to the next level, if there is one.
    #[inline(always)]
    fn next_part(&self, walk: &mut BinWalk<D>) -> bool {
        if let Some(strip) = &walk.strip
            && let column = walk.part.high[strip.main] + 1
            && column <= walk.bins.high[strip.main]
        {
            walk.part = strip.column(column, &walk.bins);
            walk.next = Next::Lookup(walk.part.first());
            return true;
        }
        if walk.levels_left == 0 {
            return false;
        }
        walk.level = walk.levels_left.trailing_zeros() as usize;
        walk.levels_left &= walk.levels_left - 1;
        self.begin_level(walk);
        true
    }

    /// Starts the walk on the current level.
    #[inline(always)]
    fn begin_level(&self, walk: &mut BinWalk<D>) {
        let (level, shift) = (&self.levels[walk.level], walk.level as u8 + MIN_SHIFT);
        for axis in 0..D {
            // `min` also removes NaN, the difference of two infinities.
            let area_min = walk.area_min[axis];
            let from = (area_min - level.extent[axis]).min(area_min);
            // An object extends over fewer cells than its bin has.
            let reach = ((1u32 << shift) - 1) as i32;
            let low = self.grid.cell(from).max(walk.span.low[axis].saturating_sub(reach));
            walk.bins.low[axis] = low >> shift;
            walk.bins.high[axis] = walk.span.high[axis] >> shift;
        }
        let side = self.side * Self::cells_along(walk.level as u8);
        walk.strip = walk.path_bounds.as_ref().and_then(|path_bounds| {
            let reach = level.extent.map(|extent| (extent / side).min(1.0));
            Strip::new(path_bounds, &walk.bins, side, &reach)
        });
        let (mut part, mut bins) = (walk.bins, walk.bins.count());
        if let Some(strip) = &walk.strip {
            part = strip.column(walk.bins.low[strip.main], &walk.bins);
            bins = (walk.bins.high[strip.main] - walk.bins.low[strip.main]) as u64;
        }
        walk.next = Next::Lookup(part.first());
        if bins > level.bins.buckets().len() as u64 {
            (walk.strip, walk.next) = (None, Next::Scan(0));
        }
        walk.part = part;
    }
}
