//! Which objects share rows: levels of sizes, and how rows divide the plane of a level.
//!
//! Everything here goes by slabs, the keys that kernels compare, so that lanes and numbers agree
//! on where an object belongs.

use broadphase_core::kernel::sweep::Reach;
use broadphase_core::{Scalar, Slabs};

use crate::cell::{FAR, Grid};
use crate::grid::storage::row::RowId;
use crate::grid::storage::sweep_stats::SweepStats;

/// Levels that share rows: sizes within a factor of 2^3 are swept together.
pub(in crate::grid) const LEVELS_SHARED: i32 = 3;

/// The smallest n with 2^n at or above `x`; for 0 far below all others.
pub(in crate::grid) fn exponent(x: f64) -> i32 {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    exponent + i32::from(bits << 12 != 0)
}

/// 2^n, for any n a level can have.
pub(in crate::grid) fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023).clamp(1, 2046) as u64) << 52)
}

/// How sizes map to tiers: tier 0 up to `first`, and each next one up to 8 times as large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::grid) struct Tiers {
    /// Log2 of the largest extent in tier 0.
    first: i32,
    /// The highest tier, which takes all that is larger.
    highest: i32,
}

impl Tiers {
    /// With a first tier of about these sizes: nine in ten fit, unless most are far smaller.
    pub(in crate::grid) fn of_sizes(sizes: &mut [f64], highest: i32) -> Self {
        if sizes.is_empty() {
            return Self { first: 0, highest };
        }
        let mut part = |of: usize| {
            let rank = (sizes.len() - 1) * of / 10;
            *sizes.select_nth_unstable_by(rank, f64::total_cmp).1
        };
        let (median, most) = (exponent(part(5)), exponent(part(9)));
        Self { first: most.min(median + LEVELS_SHARED), highest }
    }

    /// With smallest cells of this side.
    pub(in crate::grid) fn of_cell(side: f64, highest: i32) -> Self {
        Self { first: exponent(side) + LEVELS_SHARED - 1, highest }
    }

    /// The tier of a box. Numbers are so coarse far out that no smaller cells make sense there.
    #[inline(always)]
    pub(in crate::grid) fn tier(self, size: f64) -> i32 {
        if size <= power(self.first) {
            return 0;
        }
        let above = exponent(size) - self.first;
        ((above + LEVELS_SHARED - 1) / LEVELS_SHARED).min(self.highest)
    }

    /// Log2 of the side of the cells of level 0.
    pub(in crate::grid) const fn smallest_cell(self) -> i32 {
        self.first - (LEVELS_SHARED - 1)
    }

    /// The largest extent in a tier.
    pub(in crate::grid) fn limit(self, tier: i32) -> f64 {
        let exponent = self.first + LEVELS_SHARED * tier;
        if exponent > 1023 || tier >= self.highest { f64::INFINITY } else { power(exponent) }
    }
}

/// What decides the level of an object: its largest extent, or how coarse numbers are where it
/// is.
#[inline(always)]
pub(in crate::grid) fn size<S: Scalar, const D: usize>(slabs: &Slabs<D>) -> f64 {
    let mut far = 0.0f64;
    for axis in 0..D {
        let (min, max) = (S::of_key(slabs.min[axis]).to_f64(), S::of_key(slabs.max[axis]).to_f64());
        let reach = if max > -min { max } else { -min };
        far = if reach > far { reach } else { far };
    }
    let (extent, coarse) = (f64::from(extent::<S, D>(slabs)), far * (1.0 / FAR));
    if coarse > extent { coarse } else { extent }
}

/// The largest extent of an object, rounded to nearest.
#[inline(always)]
fn extent<S: Scalar, const D: usize>(slabs: &Slabs<D>) -> f32 {
    let mut largest = 0.0f32;
    for axis in 0..D {
        let extent = S::key_extent(slabs.min[axis], slabs.max[axis]);
        largest = if extent > largest { extent } else { largest };
    }
    largest
}

/// The smallest key of a number that is not below `x`; if there is none, one above all others.
fn key_from<S: Scalar>(x: f64) -> i32 {
    let key = S::from_f64(x).canonical().key_above();
    if S::of_key(key).to_f64() < x { key.saturating_add(1) } else { key }
}

/// The largest key of a number that is not above `x`; if there is none, one below all others.
fn key_to<S: Scalar>(x: f64) -> i32 {
    let key = S::from_f64(x).canonical().key_below();
    if S::of_key(key).to_f64() > x { key.saturating_sub(1) } else { key }
}

/// How the rows of a tier divide space.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct Tier {
    pub(in crate::grid) number: i32,
    /// No object in it is larger on any axis, with room for rounding.
    pub(in crate::grid) limit: f64,
    /// The same, for kernels.
    pub(in crate::grid) reach: Reach,
    /// Its objects are larger than the first and not larger than the second.
    pub(in crate::grid) sizes: [f32; 2],
    /// Beyond these keys numbers are too coarse for it.
    pub(in crate::grid) keys: [i32; 2],
    /// The side of a row across the first axis: a power of two.
    pub(in crate::grid) row_height: f64,
    /// Rows of a crowd are not made narrower than this, which is not less than the limit.
    pub(in crate::grid) min_row_height: f64,
    pub(in crate::grid) sweep_stats: SweepStats,
    grid: Grid,
}

impl Tier {
    pub(in crate::grid) fn new<S: Scalar>(
        tiers: Tiers,
        number: i32,
        [row_height, min_row_height]: [f64; 2],
    ) -> Self {
        let limit = tiers.limit(number);
        let min_row_height = if min_row_height > limit { min_row_height } else { limit };
        let keys = [key_from::<S>(-limit * FAR), key_to::<S>(limit * FAR)];
        let below = if number == 0 { -1.0 } else { tiers.limit(number - 1) };
        // The side is a power of two: what is exactly on a border stays exactly there. It is not
        // so large that the smallest float divided by it is 0.
        let row_height =
            power(exponent(if row_height > limit { row_height } else { limit }).min(800));
        // What is longer than the largest float is not of a tier that has a limit.
        let float =
            |x: f64| if x < f64::INFINITY { x.min(f32::MAX.into()) as f32 } else { f32::INFINITY };
        let sizes = [float(below), float(limit)];
        // So that no difference below, rounded to nearest, is too small.
        let limit = limit * (1.0 + 1e-6);
        let reach = Reach::new(limit, S::INTEGER);
        let grid = Grid::new(row_height);
        Self {
            number,
            limit,
            reach,
            sizes,
            keys,
            row_height,
            min_row_height,
            sweep_stats: SweepStats::UNKNOWN,
            grid,
        }
    }

    /// Objects are larger by so much from now on.
    pub(in crate::grid) fn grow_limit<S: Scalar>(&mut self, by: f64) {
        self.limit += by;
        self.reach = Reach::new(self.limit * (1.0 + 1e-6), S::INTEGER);
    }

    /// Whether an object with such slabs belongs into a row of this tier, which is one of these.
    #[inline(always)]
    pub(in crate::grid) fn holds<S: Scalar, const D: usize>(
        &self,
        tiers: Tiers,
        slabs: &Slabs<D>,
        row: &RowId<D>,
    ) -> bool {
        tiers.tier(size::<S, D>(slabs)) == row.tier && self.cell::<S, D>(slabs) == row.cell
    }

    /// The cell across the first axis in which an object begins; on the first axis 0.
    #[inline(always)]
    pub(in crate::grid) fn cell<S: Scalar, const D: usize>(&self, slabs: &Slabs<D>) -> [i32; D] {
        let mut cell = [0; D];
        for (cell, &min) in cell.iter_mut().zip(&slabs.min).skip(1) {
            *cell = self.grid.cell(S::of_key(min));
        }
        cell
    }

    /// Between which keys an object begins that is in a row, on every axis, so that no
    /// coordinate is too far out for its level.
    pub(in crate::grid) fn gate<S: Scalar, const D: usize>(&self, id: &RowId<D>) -> Slabs<D> {
        let mut gate = Slabs { min: [self.keys[0]; D], max: [i32::MAX; D] };
        for axis in 1..D {
            let cell = id.cell[axis];
            if f64::from(cell) > -FAR {
                gate.min[axis] = key_from::<S>(f64::from(cell) * self.row_height).max(self.keys[0]);
            }
            if f64::from(cell) < FAR {
                let end = key_from::<S>(f64::from(cell + 1) * self.row_height);
                gate.max[axis] = end.saturating_sub(1);
            }
        }
        gate
    }

    /// The corners of the block of cells in which objects of this tier can begin that overlap a
    /// box.
    #[inline]
    pub(in crate::grid) fn cells_near<S: Scalar, const D: usize>(
        &self,
        slabs: &Slabs<D>,
    ) -> [[i32; D]; 2] {
        let (mut low, mut high) = ([0; D], [0; D]);
        for axis in 1..D {
            low[axis] = self.grid.cell(S::of_key(slabs.min[axis]).to_f64() - self.limit);
            high[axis] = self.grid.cell(S::of_key(slabs.max[axis]));
        }
        [low, high]
    }

    /// The corners of the block of cells in which objects of this tier can begin that overlap one
    /// that begins in a cell of `other`, a higher tier or the same.
    pub(in crate::grid) fn cells_reached<const D: usize>(
        &self,
        other: &Self,
        cell: &[i32; D],
    ) -> [[i32; D]; 2] {
        let (mut low, mut high) = ([0; D], [0; D]);
        for axis in 1..D {
            let begin = f64::from(cell[axis]) * other.row_height;
            low[axis] = self.grid.cell(begin - self.limit);
            high[axis] = self.grid.cell(begin + other.row_height + other.limit);
            // The outermost cells have no end, and the highest tier no limit.
            if cell[axis] <= -(FAR as i32) || self.limit == f64::INFINITY {
                low[axis] = -(FAR as i32);
            }
            if cell[axis] >= FAR as i32 || other.limit == f64::INFINITY {
                high[axis] = FAR as i32;
            }
        }
        [low, high]
    }
}

#[cfg(test)]
mod tests {
    use broadphase_core::Aabb;

    use super::*;

    #[test]
    fn no_coordinate_is_too_far_out_for_its_level() {
        let tiers = Tiers::of_cell(1.0, i32::MAX);
        for exponent in 0..=37 {
            for far in [10f32.powi(exponent), -(10f32.powi(exponent))] {
                let size = size::<f32, 2>(&Aabb::point([far, 0.0]).slabs());
                let limit = tiers.limit(tiers.tier(size));
                assert!(f64::from(far.abs()) <= limit * FAR, "{far} among objects up to {limit}");
            }
        }
    }

    #[test]
    fn every_size_is_within_the_limits_of_its_tier() {
        let tiers = Tiers::of_cell(0.5, i32::MAX);
        for exponent in -1022..=1023 {
            for size in [power(exponent), power(exponent) * 1.1, power(exponent) * 0.9] {
                let tier = tiers.tier(size);
                assert!(size <= tiers.limit(tier), "{size} is too large for tier {tier}");
                assert!(tier == 0 || size > tiers.limit(tier - 1), "{size} fits into a lower tier");
            }
        }
        assert_eq!(tiers.tier(0.0), 0);
        assert_eq!(tiers.limit(tiers.tier(f64::INFINITY)), f64::INFINITY);
    }
}
