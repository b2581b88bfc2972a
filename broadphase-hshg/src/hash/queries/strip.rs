//! Which bins are along a straight way: of a long piece of it the box is mostly what is beside it.
//!
//! ```text
//!   ┌──┬──┬──┬──┬──┬──┐
//!   │  │  │  │  │▒▒│▒▒│     where the way is while it is in a column, farther by what objects
//!   ├──┼──┼──┼──┼▒▒┼▒▒┤     reach over: the same in each column, but for a step that is always
//!   │  │  │▒▒│▒▒│▒▒│  │     the same
//!   ├──┼──┼▒▒┼▒▒┼──┼──┤
//!   │▒▒│▒▒│▒▒│  │  │  │
//!   └──┴──┴──┴──┴──┴──┘
//! ```

use broadphase_core::query::Course;

use crate::hash::cells::span::Span;
use crate::hash::map::CellMap;
use crate::hash::map::blocks::Blocks;

/// Among so few bins none are left out: to find out which took longer.
const MIN_BINS: u64 = 9;
/// Along so many, steps of 2^-32 add up to what is not small.
const MAX_BINS_PER_AXIS: i32 = 1 << 16;
/// By how much of a bin a course may be off, for that, and at most 2^29 cells from the origin.
const SLACK: f64 = 1.0 / (1 << 12) as f64;
/// Of larger cells the borders may be no numbers.
const MAX_BIN_SIDE: f64 = 1e280;
/// What counts for one bin.
const FIXED_POINT_ONE: f64 = (1u64 << 32) as f64;

/// The bins along a course: of each column of bins across its main axis those between two places,
/// which are counted in 2^-32 of a bin.
#[derive(Clone, Copy)]
pub(crate) struct Strip<const D: usize> {
    main: usize,
    /// Where it is seen from, on the main axis.
    first: i32,
    /// Between which places it is there, and how much farther in the next column.
    low: [i64; D],
    high: [i64; D],
    slope: [i64; D],
}

impl<const D: usize> Strip<D> {
    /// The strip of a course among some bins of one size in which objects reach so many bins far;
    /// none if all of the bins may as well be looked into.
    #[inline(always)]
    pub(crate) fn new(
        course: &Course<D>,
        bins: &Span<D>,
        side: f64,
        reach: &[f64; D],
    ) -> Option<Self> {
        let is_short = |axis: usize| bins.high[axis] - bins.low[axis] < MAX_BINS_PER_AXIS;
        if D == 1 || bins.count() <= MIN_BINS || side >= MAX_BIN_SIDE || !(0..D).all(is_short) {
            return None;
        }
        let (main, inverse) = (course.axis(), 1.0 / side);
        let first = bins.low[main];
        let low = f64::from(first);
        let here = [(low - SLACK) * side, (low + 1.0 + reach[main] + SLACK) * side];
        let mut strip = Self { main, first, low: [0; D], high: [0; D], slope: [0; D] };
        for (axis, reach) in reach.iter().enumerate().filter(|&(axis, _)| axis != main) {
            let [low, high] = course.beside(axis, here);
            strip.low[axis] = ((low * inverse - reach - SLACK) * FIXED_POINT_ONE) as i64;
            strip.high[axis] = ((high * inverse + SLACK) * FIXED_POINT_ONE) as i64;
            strip.slope[axis] = (course.slope(axis) * FIXED_POINT_ONE) as i64;
        }
        Some(strip)
    }

    /// A bit for each bin of a block that may have something beside the course.
    #[inline(always)]
    pub(crate) fn bins_in_block<M: CellMap<D>>(&self, block: &[i32; D]) -> u16 {
        let begin = block.map(|block| block << Blocks::<D, M>::SHIFT);
        let mut bins = 0;
        for along in 0..Blocks::<D, M>::SIDE as i32 {
            let column = i64::from(begin[self.main] + along - self.first);
            let mut beside = Blocks::<D, M>::offsets_between(self.main, along, along);
            for (axis, &begin) in begin.iter().enumerate() {
                let away = column * self.slope[axis];
                let low = ((self.low[axis] + away) >> 32) as i32 - begin;
                let high = ((self.high[axis] + away) >> 32) as i32 - begin;
                // Nothing is left out on the main axis; no branch depends on which that is.
                let across = Blocks::<D, M>::offsets_between(axis, low, high);
                beside &= if axis == self.main { u16::MAX } else { across };
            }
            bins |= beside;
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::query::Pieces;
    use broadphase_core::{Aabb, Path, Scalar};

    use super::*;
    use crate::cell::Grid;
    use crate::hash::map::Sparse;

    /// What a way touches is in a bin along its course; and there are not many more of these.
    fn has_all_that_is_touched<S: Scalar, const D: usize>(side: f64, scale: f64) {
        let mut state = 1u64;
        let mut random = |below: f64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1u64 << 24) as f64 * below
        };
        let grid = Grid::new(side);
        let (mut touched, mut along, mut all) = (0, 0, 0);
        for round in 0..300 {
            let mut at = |size: f64| -> [S; D] {
                core::array::from_fn(|_| S::from_f64((random(2.0) - 1.0) * size))
            };
            let (from, to) = (at(scale), at(scale));
            let thick = S::from_f64(if round % 3 == 0 { side * 0.7 } else { 0.0 });
            let by = core::array::from_fn(|axis| to[axis].to_f64() - from[axis].to_f64());
            let start = Aabb::around(from, [thick; D]);
            let path = Path::sweep(start, by.map(S::from_f64));
            let things: Vec<_> = (0..300 * D * D * D)
                .map(|_| {
                    let size = [0.1, 1.5, 5.0].map(|size| S::from_f64(size * side * 0.25));
                    Aabb::around(at(scale), [size[round % 3]; D])
                })
                .collect();
            let reach = [0.25, 0.75, 2.0][round % 3];
            let mut pieces = Pieces::new(&path, None, 1, true).expect("it goes somewhere");
            let _ = pieces.next(|piece, _| {
                let course = piece.course().expect("it is known");
                let area = Span::of(grid, &piece.area());
                // Bins of four cells.
                let low = area.low.map(|low| (low - (4.0 * reach) as i32) >> 2);
                let bins = Span { low, high: area.high.map(|high| high >> 2) };
                let strip = Strip::new(&course, &bins, side * 4.0, &[reach; D]);
                let Some(strip) = strip else { return };
                let shift = Blocks::<D, Sparse<D>>::SHIFT;
                let has = |bin: &[i32; D]| {
                    let block = bin.map(|bin| bin >> shift);
                    let place = (0..D).fold(u16::MAX, |place, axis| {
                        let at = bin[axis] - (block[axis] << shift);
                        place & Blocks::<D, Sparse<D>>::offsets_between(axis, at, at)
                    });
                    strip.bins_in_block::<Sparse<D>>(&block) & place > 0
                };
                for thing in things.iter().filter(|thing| piece.first_touch(thing).is_some()) {
                    let bin = Span::of(grid, thing).low.map(|cell| cell >> 2);
                    assert!(has(&bin), "{thing:?} in {bin:?} by {path:?}");
                    touched += 1;
                }
                bins.each(|bin| along += usize::from(has(&bin)));
                all += bins.count();
            });
        }
        assert!(touched > 100, "{touched} touched");
        assert!(4 * along < all as usize, "{along} of {all}");
    }

    #[test]
    fn what_a_way_touches_is_along_its_course() {
        has_all_that_is_touched::<f32, 2>(4.0, 1000.0);
        has_all_that_is_touched::<f32, 3>(3.0, 150.0);
        has_all_that_is_touched::<f64, 2>(1e-3, 0.3);
        has_all_that_is_touched::<i32, 2>(7.0, 1500.0);
        has_all_that_is_touched::<i32, 3>(1e6, 6e7);
    }
}
