//! Tiers: size classes of objects, and the grid of rows of each tier.
//!
//! 1. The *size* of an object is its largest extent, but at least the spacing of floating-point
//!    numbers at its position.
//! 2. The *level* is the exponent of the size. Three levels form one *tier*, whose objects share
//!    rows.
//! 3. A tier divides all axes but the first into cells of side `row_height`. The low corner of an
//!    object selects its cell.
//!
//! All decisions use slabs, as kernels do: scalar code and kernels agree on the row of an object.

use broadphase_core::kernel::sweep::Reach;
use broadphase_core::{Keys, Scalar, Slabs};

use crate::cell::{FAR, Grid, LaneGrid};
use crate::grid::storage::row::RowId;
use crate::grid::storage::sweep_stats::SweepStats;

/// The number of levels that share rows: sizes within a factor of 2^3.
const LEVELS_SHARED: i32 = 3;

/// Returns the smallest n with 2^n at or above `x`; the smallest result for `x == 0`.
pub(crate) fn exponent(x: f64) -> i32 {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    exponent + i32::from(bits << 12 != 0)
}

/// Returns 2^n, clamped to the normal numbers.
pub(crate) fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023).clamp(1, 2046) as u64) << 52)
}

/// Maps sizes to tiers: tier 0 has sizes up to 2^`first`, each further tier 8 times larger ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tiers {
    /// The base-2 logarithm of the largest size in tier 0.
    first: i32,
}

impl Tiers {
    /// Chooses the largest size in tier 0: the 90th percentile of the sizes, rounded up to a level,
    /// at most three levels above the median.
    pub(crate) fn of_sizes(sizes: &mut [f64]) -> Self {
        if sizes.is_empty() {
            return Self { first: 0 };
        }
        let mut part = |of: usize| {
            let rank = (sizes.len() - 1) * of / 10;
            *sizes.select_nth_unstable_by(rank, f64::total_cmp).1
        };
        let (median, most) = (exponent(part(5)), exponent(part(9)));
        Self { first: most.min(median + LEVELS_SHARED) }
    }

    /// Chooses tier 0 for smallest cells with a side of at least `side`.
    pub(crate) fn of_cell(side: f64) -> Self {
        Self { first: exponent(side) + LEVELS_SHARED - 1 }
    }

    #[inline(always)]
    pub(crate) fn tier(self, size: f64) -> i32 {
        if size <= power(self.first) {
            return 0;
        }
        let above = exponent(size) - self.first;
        (above + LEVELS_SHARED - 1) / LEVELS_SHARED
    }

    /// Returns the base-2 logarithm of the side of the cells of level 0.
    pub(crate) const fn smallest_cell(self) -> i32 {
        self.first - (LEVELS_SHARED - 1)
    }

    /// Returns the largest size in a tier; infinite for a tier that has the largest numbers.
    pub(crate) fn limit(self, tier: i32) -> f64 {
        let exponent = self.first + LEVELS_SHARED * tier;
        if exponent > 1023 { f64::INFINITY } else { power(exponent) }
    }
}

/// Returns the largest extent of an object, or the spacing of numbers at its position if larger.
#[inline(always)]
pub(crate) fn size<S: Scalar, const D: usize>(slabs: &Slabs<D>) -> f64 {
    let mut far = 0.0f64;
    for axis in 0..D {
        let (min, max) =
            (S::from_key(slabs.min[axis]).to_f64(), S::from_key(slabs.max[axis]).to_f64());
        let reach = if max > -min { max } else { -min };
        far = if reach > far { reach } else { far };
    }
    let (extent, coarse) = (f64::from(extent::<S, D>(slabs)), far * (1.0 / FAR));
    if coarse > extent { coarse } else { extent }
}

/// Returns the largest extent of an object, rounded to nearest.
#[inline(always)]
fn extent<S: Scalar, const D: usize>(slabs: &Slabs<D>) -> f32 {
    let mut largest = 0.0f32;
    for axis in 0..D {
        let extent = S::key_extent(slabs.min[axis], slabs.max[axis]);
        largest = if extent > largest { extent } else { largest };
    }
    largest
}

/// Returns the smallest key whose number is at or above `x`; above all keys if there is none.
fn key_from<S: Scalar>(x: f64) -> i32 {
    let key = S::from_f64(x).canonical().key_above();
    if S::from_key(key).to_f64() < x { key.saturating_add(1) } else { key }
}

/// Returns the largest key whose number is at or below `x`; below all keys if there is none.
fn key_to<S: Scalar>(x: f64) -> i32 {
    let key = S::from_f64(x).canonical().key_below();
    if S::from_key(key).to_f64() > x { key.saturating_sub(1) } else { key }
}

/// A tier: the sizes in it and the grid of its rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
    pub(crate) number: i32,
    /// The largest extent of an object of this tier on any axis, enlarged by the rounding error.
    pub(crate) limit: f64,
    /// `limit` in the form that kernels use.
    pub(crate) reach: Reach,
    /// Sizes in this tier are larger than `sizes[0]` and at most `sizes[1]`.
    pub(crate) sizes: [f32; 2],
    /// The keys whose coordinates have a floating-point spacing of at most `limit`. Objects farther
    /// out have a higher tier.
    pub(crate) keys: [i32; 2],
    /// The side of this tier's cells, the height of its rows; a power of two.
    pub(crate) row_height: f64,
    /// The minimum to which the row height is lowered in a crowd; at least `limit`.
    pub(crate) min_row_height: f64,
    pub(crate) sweep_stats: SweepStats,
    grid: Grid,
}

impl Tier {
    pub(crate) fn new<S: Scalar>(
        tiers: Tiers,
        number: i32,
        [row_height, min_row_height]: [f64; 2],
    ) -> Self {
        let limit = tiers.limit(number);
        let min_row_height = if min_row_height > limit { min_row_height } else { limit };
        let keys = [key_from::<S>(-limit * FAR), key_to::<S>(limit * FAR)];
        let below = if number == 0 { -1.0 } else { tiers.limit(number - 1) };
        // The height is a power of two: a coordinate exactly on a cell border stays there after
        // division. It is capped: the smallest float divided by it is not 0.
        let row_height =
            power(exponent(if row_height > limit { row_height } else { limit }).min(800));
        // A finite limit is clamped to the largest float; a longer object is in a tier without a
        // limit.
        let float =
            |x: f64| if x < f64::INFINITY { x.min(f32::MAX.into()) as f32 } else { f32::INFINITY };
        let sizes = [float(below), float(limit)];
        // The limit is enlarged by more than the rounding error of `cells_near` and
        // `cells_reached`.
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

    /// Increases the limit by `by`.
    pub(crate) fn grow_limit<S: Scalar>(&mut self, by: f64) {
        self.limit += by;
        self.reach = Reach::new(self.limit * (1.0 + 1e-6), S::INTEGER);
    }

    /// Returns whether an object with these slabs belongs in the given row of this tier.
    #[inline(always)]
    pub(crate) fn holds<S: Scalar, const D: usize>(
        &self,
        tiers: Tiers,
        slabs: &Slabs<D>,
        row: &RowId<D>,
    ) -> bool {
        tiers.tier(size::<S, D>(slabs)) == row.tier && self.cell::<S, D>(slabs) == row.cell
    }

    /// Returns the cell that contains the low corner of an object; 0 on the first axis.
    #[inline(always)]
    pub(crate) fn cell<S: Scalar, const D: usize>(&self, slabs: &Slabs<D>) -> [i32; D] {
        let mut cell = [0; D];
        for (cell, &min) in cell.iter_mut().zip(&slabs.min).skip(1) {
            *cell = self.grid.cell(S::from_key(min));
        }
        cell
    }

    /// Returns the grid of cells for lanes; `None` if lanes cannot give the same cells.
    pub(crate) fn lane_grid<S: Scalar>(&self) -> Option<LaneGrid> {
        self.grid.in_lanes::<S>()
    }

    /// Returns, for each axis, the keys that the low ends of a row's objects can have, without
    /// those too far from the origin for this tier.
    pub(crate) fn gate<S: Scalar, const D: usize>(&self, id: &RowId<D>) -> Slabs<D> {
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

    /// Returns the corners of the box of cells that can contain low corners of this tier's objects
    /// overlapping the box `slabs`.
    #[inline]
    pub(crate) fn cells_near<S: Scalar, const D: usize>(&self, slabs: &Slabs<D>) -> [[i32; D]; 2] {
        let (mut low, mut high) = ([0; D], [0; D]);
        for axis in 1..D {
            low[axis] = self.grid.cell(S::from_key(slabs.min[axis]).to_f64() - self.limit);
            high[axis] = self.grid.cell(S::from_key(slabs.max[axis]));
        }
        [low, high]
    }

    /// Returns the corners of the box of cells that can contain low corners of this tier's objects
    /// overlapping an object in cell `cell` of the tier `other`, this one or a higher one.
    pub(crate) fn cells_reached<const D: usize>(
        &self,
        other: &Self,
        cell: &[i32; D],
    ) -> [[i32; D]; 2] {
        let (mut low, mut high) = ([0; D], [0; D]);
        for axis in 1..D {
            let begin = f64::from(cell[axis]) * other.row_height;
            low[axis] = self.grid.cell(begin - self.limit);
            high[axis] = self.grid.cell(begin + other.row_height + other.limit);
            // The outermost cells are unbounded, and the highest tier has no limit.
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
        let tiers = Tiers::of_cell(1.0);
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
        let tiers = Tiers::of_cell(0.5);
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
