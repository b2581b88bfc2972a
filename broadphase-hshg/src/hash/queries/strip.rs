//! Selects the bins along a ray: its box contains mostly bins that the ray does not come near.
//!
//! 1. Find the main axis. A *column* is the set of all bins with the same number on it.
//! 2. For the first column, compute the range of bins that the segment passes on the other axes, in
//!    fixed point (2^−32 bin), extended by the largest extent of objects.
//! 3. For any other column, move this range by the slope times the distance in columns.
//!
//! ```text
//!   ┌──┬──┬──┬──┬──┬──┐
//!   │  │  │  │  │▒▒│▒▒│     The marked bins: in each column the same range, moved by the same step
//!   ├──┼──┼──┼──┼▒▒┼▒▒┤     from one column to the next.
//!   │  │  │▒▒│▒▒│▒▒│  │
//!   ├──┼──┼▒▒┼▒▒┼──┼──┤
//!   │▒▒│▒▒│▒▒│  │  │  │
//!   └──┴──┴──┴──┴──┴──┘
//! ```

use broadphase_core::query::PathBounds;

use crate::span::Span;

/// Up to this number of bins, all bins are visited, which is faster.
const MIN_BINS: u64 = 9;
/// Maximum number of bins along an axis for which the rounding error of the slope (2^−32 bin per
/// column) stays below [`SLACK`]; with more, bins are not selected.
const MAX_BINS_PER_AXIS: i32 = 1 << 16;
/// Tolerance in bins, for rounded slopes and coordinates up to 2^29 cells from the origin.
const SLACK: f64 = 1.0 / (1 << 12) as f64;
/// From this bin side on, bins are not selected: coordinates of their borders could overflow.
const MAX_BIN_SIDE: f64 = 1e280;
/// One bin in fixed point.
const FIXED_POINT_ONE: f64 = (1u64 << 32) as f64;

/// The bins along a path: for each column a range of bins on the other axes, in fixed point.
#[derive(Clone, Copy)]
pub(crate) struct Strip<const D: usize> {
    pub(crate) main: usize,
    /// The first column, to which `low` and `high` belong.
    first: i32,
    /// For each other axis: the range in the first column (`low` to `high`), and its movement per
    /// column (`slope`).
    low: [i64; D],
    high: [i64; D],
    slope: [i64; D],
}

impl<const D: usize> Strip<D> {
    /// Returns the strip of a path in the box `bins`. Bins have sides of `side`; their objects
    /// extend over at most `reach` bins on each axis. Returns `None` if bins cannot be selected or
    /// visiting all is faster.
    #[inline(always)]
    pub(crate) fn new(
        path_bounds: &PathBounds<D>,
        bins: &Span<D>,
        side: f64,
        reach: &[f64; D],
    ) -> Option<Self> {
        let is_short = |axis: usize| bins.high[axis] - bins.low[axis] < MAX_BINS_PER_AXIS;
        if D == 1 || bins.count() <= MIN_BINS || side >= MAX_BIN_SIDE || !(0..D).all(is_short) {
            return None;
        }
        let (main, inverse) = (path_bounds.axis(), 1.0 / side);
        let first = bins.low[main];
        let low = f64::from(first);
        let here = [(low - SLACK) * side, (low + 1.0 + reach[main] + SLACK) * side];
        let mut strip = Self { main, first, low: [0; D], high: [0; D], slope: [0; D] };
        for (axis, reach) in reach.iter().enumerate().filter(|&(axis, _)| axis != main) {
            let [low, high] = path_bounds.beside(axis, here);
            strip.low[axis] = ((low * inverse - reach - SLACK) * FIXED_POINT_ONE) as i64;
            strip.high[axis] = ((high * inverse + SLACK) * FIXED_POINT_ONE) as i64;
            strip.slope[axis] = (path_bounds.slope(axis) * FIXED_POINT_ONE) as i64;
        }
        Some(strip)
    }

    /// Returns the bins of a column, within `bins`, that can store objects near the path.
    #[inline(always)]
    pub(crate) fn column(&self, column: i32, bins: &Span<D>) -> Span<D> {
        let mut part = *bins;
        let away = i64::from(column) - i64::from(self.first);
        for axis in 0..D {
            let (first, last) = (i64::from(bins.low[axis]), i64::from(bins.high[axis]));
            let low = (self.low[axis] + away * self.slope[axis]) >> 32;
            let high = (self.high[axis] + away * self.slope[axis]) >> 32;
            part.low[axis] = low.clamp(first, last + 1) as i32;
            part.high[axis] = high.clamp(first - 1, last) as i32;
        }
        part.low[self.main] = column;
        part.high[self.main] = column;
        part
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    use broadphase_core::query::{CastSegment, Hits, search_path};
    use broadphase_core::{Aabb, Path, Scalar};
    use laws::random::Random;

    use super::*;
    use crate::cell::Grid;

    /// Checks that all objects on a path are in selected bins, and that few other bins are
    /// selected.
    fn strip_contains_all_touched<S: Scalar, const D: usize>(side: f64, scale: f64) {
        let mut random = Random::new(1);
        let mut random = |below: f64| random.unit() * below;
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
            let mut look = |segment: &CastSegment<'_, S, D>, _: &mut Hits<S>| {
                let path_bounds = segment.path_bounds().expect("the path has bounds");
                let area = Span::of(grid, &segment.area());
                // The bins have four cells per axis.
                let low = area.low.map(|low| (low - (4.0 * reach) as i32) >> 2);
                let bins = Span { low, high: area.high.map(|high| high >> 2) };
                let strip = Strip::new(&path_bounds, &bins, side * 4.0, &[reach; D]);
                let Some(strip) = strip else { return };
                let has = |bin: &[i32; D]| strip.column(bin[strip.main], &bins).contains(bin);
                for thing in things.iter().filter(|thing| segment.first_touch(thing).is_some()) {
                    let bin = Span::of(grid, thing).low.map(|cell| cell >> 2);
                    assert!(has(&bin), "{thing:?} in {bin:?} by {path:?}");
                    touched += 1;
                }
                let columns = bins.low[strip.main]..=bins.high[strip.main];
                along += columns.map(|at| strip.column(at, &bins).count()).sum::<u64>();
                all += bins.count();
            };
            let visit = &mut |_: &_| ControlFlow::Continue(());
            let _ = search_path(&path, None, 1, true, &mut look, visit);
        }
        assert!(touched > 100, "{touched} touched");
        assert!(4 * along < all, "{along} of {all}");
    }

    #[test]
    fn strips_contain_all_touched_objects() {
        strip_contains_all_touched::<f32, 2>(4.0, 1000.0);
        strip_contains_all_touched::<f32, 3>(3.0, 150.0);
        strip_contains_all_touched::<f64, 2>(1e-3, 0.3);
        strip_contains_all_touched::<i32, 2>(7.0, 1500.0);
        strip_contains_all_touched::<i32, 3>(1e6, 6e7);
    }
}
