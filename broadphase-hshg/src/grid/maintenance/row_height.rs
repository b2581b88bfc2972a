//! The row-height policy: chooses how high the rows of each tier are across the first axis.
//!
//! Higher rows have more objects: fewer rows are swept, with better use of the eight lanes, but
//! each object is compared with more neighbors that do not overlap it.
//!
//! 1. Initial height: about one other object of the row should begin within the length of an
//!    object. It is at most 2^[`MAX_HEIGHT_LOG2`] object spacings, because queries should not scan
//!    distant objects, and at least the size limit of the tier: no object is higher than a row.
//! 2. In a *crowded* tier (sweeps compare too many neighbors, see
//!    [`SweepStats`](crate::grid::storage::sweep_stats)), halve the height, down to
//!    [`MIN_HEIGHT_IN_EXTENTS`] object widths.
//! 3. If the tier is *calm* for many sweeps, raise the rows to the height that the current
//!    distribution requires, at most to twice their height. [`RAISE_MARGIN`] and the growing number
//!    of calm sweeps that is required prevent oscillation.
//! 4. The objects of a changed tier become pending and get new rows in the same refresh.
//! 5. A rebuild sets initial heights again, for instance if most objects are pending and the rows
//!    are far too low for them.
//!
//! A change of height costs about as much as a few steps, so the policy bounds its frequency.

use core::mem::take;

use broadphase_core::{Keys, Scalar, Slabs};

use crate::grid::Hshg;
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::{Row, enclose};
use crate::grid::storage::sweep_stats::HeightOrigin;
use crate::grid::storage::tiers::{Tier, exponent, power};

/// Safety factor: the estimated volume of a tier is divided by this factor. Rows are raised only if
/// the height for it is still larger than the current one.
const RAISE_MARGIN: f64 = 1.1;

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Lowers the rows of crowded and raises those of calm tiers. Returns whether objects became
    /// pending.
    pub(super) fn adjust_row_heights(&mut self) -> bool {
        let mut relaid = false;
        for index in 0..self.tiers.len() {
            if let Some(tier) = self.tier_with_better_height(index) {
                self.tiers[index] = tier;
                self.unpack_tier(tier.number);
                relaid = true;
            }
        }
        if relaid && 4 * self.unused > self.store.len() {
            // Free unused slots first: the new rows then need no more memory.
            self.compact_in_place();
        }
        relaid
    }

    /// Returns whether the rows of a tier are far too low for its [measured](Self::measure)
    /// objects. This happens if all were inserted at one point and have moved since.
    pub(super) fn has_outgrown_rows(&self) -> bool {
        self.load.measured.iter().any(|measured| {
            let tier = self.tiers.iter().find(|tier| tier.number == measured.tier);
            tier.is_some_and(|tier| {
                let [estimate, _] = measured.row_heights::<S>(self.sizes.limit(tier.number), 0.0);
                tier.sweep_stats.origin == HeightOrigin::FromSpread
                    && estimate >= 2.0 * tier.row_height
            })
        })
    }

    /// Returns a copy of a tier with a better row height; `None` if the tier is neither crowded nor
    /// calm for long enough, or no better height is found. In the last two cases the sweep
    /// statistics of the tier record the attempt.
    fn tier_with_better_height(&mut self, index: usize) -> Option<Tier> {
        let Tier { number, row_height: height, min_row_height, sweep_stats, .. } =
            self.tiers[index];
        let row_heights = if sweep_stats.crowded {
            [height * 0.5, min_row_height]
        } else if sweep_stats.calm_sweeps >= sweep_stats.required_calm_sweeps {
            let limit = self.sizes.limit(number);
            let distribution = Distribution::of::<S>(self.tier_slabs(number));
            let volume = self.tier_volume(index, limit) / RAISE_MARGIN;
            let [estimate, min_row_height] = distribution.row_heights(volume, limit);
            [estimate.min(height * 2.0), min_row_height]
        } else {
            return None;
        };
        let mut tier = Tier::new::<S>(self.sizes, number, row_heights);
        let is_better = if sweep_stats.crowded {
            height * 0.5 >= min_row_height
        } else {
            tier.row_height > height
        };
        tier.sweep_stats = sweep_stats.after_change(is_better);
        self.tiers[index].sweep_stats = tier.sweep_stats;
        is_better.then_some(tier)
    }

    fn tier_slabs(&self, number: i32) -> impl Iterator<Item = Slabs<D>> {
        let rows = self.rows.iter().filter(move |row| row.id.tier == number);
        rows.flat_map(|row| self.live_slots(row)).map(|slot| self.store.slabs(slot))
    }

    /// Estimates the volume of the rows of a tier. The length of a row is twice the extent of the
    /// middle half of its objects, which ignores outliers.
    fn tier_volume(&self, index: usize, limit: f64) -> f64 {
        let Tier { number, row_height: height, .. } = self.tiers[index];
        let order = &self.store.min[0];
        let rows = self.rows.iter().filter(|row| row.id.tier == number && row.len > 0);
        let lengths = rows.map(|row| {
            let [from, to] = [1, 3].map(|quarter| order[row.begin + row.len * quarter / 4]);
            (2.0 * f64::from(S::key_extent(from, to))).max(limit)
        });
        lengths.sum::<f64>() * (1..D).map(|_| height).product::<f64>()
    }

    /// Makes all objects of a tier pending and drops its rows.
    fn unpack_tier(&mut self, number: i32) {
        let mut rows = take(&mut self.rows);
        let of_tier = rows.iter().filter(|row| row.id.tier == number);
        self.reserve_pending(of_tier.clone().map(Row::objects).sum());
        of_tier.for_each(|row| self.unpack_row(row));
        rows.retain(|row| row.id.tier != number);
        self.rows = rows;
        self.rows_changed = true;
        self.row_pairs.invalidate();
    }
}

/// The base-2 logarithm of the maximum row height, in object spacings.
const MAX_HEIGHT_LOG2: i32 = 3;

/// The minimum row height in mean object widths. Lower rows have more row pairs with fewer objects
/// each: in a crowd of equal balls a step takes up to 150 % longer.
const MIN_HEIGHT_IN_EXTENTS: f64 = 3.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct Distribution<const D: usize> {
    pub(crate) count: f64,
    /// The sum of the extents of all objects, for each axis.
    pub(super) widths: [f64; D],
    pub(crate) bounds: Slabs<D>,
}

impl<const D: usize> Distribution<D> {
    pub(super) const NONE: Self = Self { count: 0.0, widths: [0.0; D], bounds: Slabs::PADDING };

    fn of<S: Scalar>(all: impl Iterator<Item = Slabs<D>>) -> Self {
        let mut distribution = Self::NONE;
        all.for_each(|slabs| distribution.add::<S>(&slabs));
        distribution
    }

    #[inline(always)]
    pub(super) fn add<S: Scalar>(&mut self, slabs: &Slabs<D>) {
        self.count += 1.0;
        for (axis, width) in self.widths.iter_mut().enumerate() {
            *width += f64::from(S::key_extent(slabs.min[axis], slabs.max[axis]));
        }
        enclose(&mut self.bounds, slabs);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        for (width, more) in self.widths.iter_mut().zip(other.widths) {
            *width += more;
        }
        enclose(&mut self.bounds, &other.bounds);
    }

    /// Converts from the caller's order of axes to the grid's.
    pub(crate) fn exchange(&mut self, axes: AxisOrder) {
        self.widths = axes.exchange(self.widths);
        self.bounds = axes.exchange_slabs(self.bounds);
    }

    /// Returns the volume of the box around all objects, with sides of at least `limit`, the limit
    /// of the tier.
    pub(super) fn volume<S: Scalar>(&self, limit: f64) -> f64 {
        let Slabs { min, max } = &self.bounds;
        (0..D).map(|axis| f64::from(S::key_extent(min[axis], max[axis])).max(limit)).product()
    }

    /// Returns the initial and the minimum row height: see steps 1 and 2 of the module. `volume` is
    /// the volume that the objects cover.
    pub(super) fn row_heights(&self, volume: f64, limit: f64) -> [f64; 2] {
        let Self { count, widths, .. } = *self;
        let section = volume / widths[0];
        let spacing = exponent(volume / count) / D as i32;
        let height = match D {
            1 => limit,
            2 => power(exponent(section)),
            _ => power(exponent(section) / 2 + 1),
        };
        let across = widths[1..].iter().fold(0.0, |most: f64, &width| most.max(width)) / count;
        [height.min(power(spacing + MAX_HEIGHT_LOG2)).max(limit), MIN_HEIGHT_IN_EXTENTS * across]
    }
}

/// Returns the initial row height for `objects` objects distributed like a sample.
pub(super) fn row_height_of_sample<S: Scalar, const D: usize>(
    sample: impl Iterator<Item = Slabs<D>>,
    limit: f64,
    objects: f64,
) -> f64 {
    let mut distribution = Distribution::of::<S>(sample);
    let scale = objects / distribution.count;
    distribution.count = objects;
    distribution.widths = distribution.widths.map(|width| width * scale);
    distribution.row_heights(distribution.volume::<S>(limit), limit)[0]
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::array::from_fn;

    use broadphase_core::{Aabb, Scalar, SpatialIndex, SpatialIndexExt};

    use crate::grid::Hshg;
    use crate::grid::storage::sweep_stats::CALM_SWEEPS;

    /// Returns the row height of the smallest tier before and after sweeps of a scene with a crowd
    /// of 16 × 16 × 16 balls among distant ones.
    fn row_heights_around_a_crowd(radius: impl Fn(u32) -> f64) -> [f64; 2] {
        let mut world: Hshg<f64, 3> = Hshg::new();
        for key in 0..8192 {
            let far = if key < 4096 { 4.0 } else { 100.0 };
            let at = from_fn(|axis| far * f64::from(key >> (4 * axis) & 15));
            world.insert(key, Aabb::of_ball(at, radius(key))).expect("the key is unused");
        }
        world.optimize();
        let before = world.tiers[0].row_height;
        sweep(&mut world, 8);
        world.assert_well_formed();
        [before, world.tiers[0].row_height]
    }

    /// Finds all pairs `times` times, each time by a sweep and not from cached pairs.
    fn sweep<S: Scalar, const D: usize>(world: &mut Hshg<S, D>, times: u32) {
        let mut pairs = Vec::new();
        for _ in 0..times {
            world.pairs_unordered(&mut pairs);
            world.update(|_, _| ()).expect("all bounds are valid");
        }
    }

    /// Returns the disc with a key, one of 64 × 64 on a square lattice with spacing `apart`.
    fn disc(key: u32, apart: f32) -> Aabb {
        Aabb::of_ball([key % 64, key / 64].map(|at| at as f32 * apart), 6.0)
    }

    /// Returns a grid with all discs.
    fn discs(apart: f32) -> Hshg {
        let mut world = Hshg::new();
        world.extend((0..4096).map(|key| (key, disc(key, apart)))).expect("keys are unique");
        world.optimize();
        world
    }

    fn spread(world: &mut Hshg, apart: f32) {
        world.update(|key, bounds| *bounds = disc(key, apart)).expect("all bounds are valid");
    }

    const FAR: f32 = 50.0;
    const NEAR: f32 = 0.5;

    #[test]
    fn a_crowd_lowers_rows_to_the_minimum_height() {
        // The minimum row height is three mean object widths: 36. Half of 64 would be less, so rows
        // stay 64 high.
        assert_eq!(row_heights_around_a_crowd(|_| 6.0), [512.0, 64.0]);
        // Three mean object widths are 7.9 here. That is less than the limit of the tier, the
        // maximum object size in it; so this limit, 16, is the minimum row height.
        assert_eq!(
            row_heights_around_a_crowd(|key| if key % 16 == 0 { 6.0 } else { 1.0 }),
            [512.0, 16.0]
        );
    }

    #[test]
    fn rows_are_raised_after_a_crowd_disperses() {
        let mut world = discs(FAR);
        let before = world.tiers[0].row_height;
        spread(&mut world, NEAR);
        sweep(&mut world, 4);
        let narrow = world.tiers[0].row_height;
        assert!(narrow <= before / 4.0, "the height {before} became {narrow}");
        spread(&mut world, FAR);
        let mut height = narrow;
        while height < before {
            sweep(&mut world, CALM_SWEEPS[0] - 1);
            assert_eq!(
                world.tiers[0].row_height, height,
                "rows are not raised before the calm period ends"
            );
            sweep(&mut world, 1);
            height *= 2.0;
            assert_eq!(world.tiers[0].row_height, height);
        }
        world.assert_well_formed();
        sweep(&mut world, 3 * CALM_SWEEPS[0]);
        assert_eq!(world.tiers[0].row_height, before, "rows have their maximum height");
    }

    #[test]
    fn objects_spread_from_one_point_get_new_rows() {
        let height = discs(FAR).tiers[0].row_height;
        let mut world = discs(0.0);
        assert!(world.tiers[0].row_height < height);
        spread(&mut world, FAR);
        assert_eq!(world.tiers[0].row_height, height);
        world.assert_well_formed();
    }

    #[test]
    fn rows_stay_when_most_objects_are_repeatedly_pending() {
        let mut world = discs(FAR);
        // A rebuild would overwrite this value; if it is unchanged at the end, there was no
        // rebuild.
        world.len_at_rebuild = 4095;
        let side = world.tiers[0].row_height;
        for offset in 0..16 {
            // Slightly more than half of the objects move to other rows.
            let moved = |key, bounds: &mut Aabb| {
                let to = if key % 16 < 9 { (key + 577 * offset) % 4096 } else { key };
                *bounds = disc(to, FAR);
            };
            world.update(moved).expect("all bounds are valid");
            assert_eq!((world.len_at_rebuild, world.tiers[0].row_height), (4095, side));
        }
    }

    #[test]
    fn outliers_do_not_raise_rows() {
        let mut world = discs(FAR);
        let side = world.tiers[0].row_height;
        let escapes = [[1e6, 0.0], [0.0, -1e6], [1e6, 1e6], [-1e5, 1e3], [300.0, 1e4]];
        for (key, at) in (4096..).zip(escapes) {
            world.insert(key, Aabb::of_ball(at, 6.0)).expect("the key is unused");
        }
        sweep(&mut world, 4 * CALM_SWEEPS[0]);
        assert_eq!(world.tiers[0].row_height, side);
        world.assert_well_formed();
    }

    #[test]
    fn rebuilt_rows_need_little_more_memory() {
        let mut world: Hshg = Hshg::new();
        let crowd = |key| disc(key, if key < 20_000 { 1.0 } else { 100.0 });
        world.extend((0..40_000).map(|key| (key, crowd(key)))).expect("keys are unique");
        world.optimize();
        let (side, before) =
            (world.tiers[0].row_height, world.memory_use() - world.row_pairs.memory_use());
        sweep(&mut world, 3);
        assert!(world.tiers[0].row_height < side);
        let after = world.memory_use() - world.row_pairs.memory_use();
        assert!(after < before + before / 4, "memory was {before}, then {after}");
    }
}
