//! Which objects share rows: levels of sizes, and how rows divide the plane of a level.

use broadphase_core::{Aabb, Scalar, Slabs};

use super::row::Row;
use crate::cell::{FAR, Grid};

/// Levels that share rows: sizes within a factor of 2^3 are swept together.
const LEVELS_SHARED: i32 = 3;

/// The smallest n with 2^n at or above `x`; for 0 far below all others.
fn exponent(x: f64) -> i32 {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    exponent + i32::from(bits << 12 != 0)
}

/// 2^n, for any n a level can have.
fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023).clamp(1, 2046) as u64) << 52)
}

/// How sizes map to tiers: tier 0 up to `largest`, and each next one up to 8 times as large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tiers {
    /// Log2 of the largest extent in tier 0.
    first: i32,
}

impl Tiers {
    /// With a first tier of about these sizes: nine in ten fit, unless most are far smaller.
    pub(super) fn of_sizes(sizes: &mut [f64]) -> Self {
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

    /// With smallest cells of this side.
    pub(super) fn of_cell(side: f64) -> Self {
        Self { first: exponent(side) + LEVELS_SHARED - 1 }
    }

    /// The tier of a box. Numbers are so coarse far out that no smaller cells make sense there.
    #[inline(always)]
    pub(super) fn tier(self, size: f64) -> i32 {
        if size <= power(self.first) {
            return 0;
        }
        let above = exponent(size) - self.first;
        (above + LEVELS_SHARED - 1) / LEVELS_SHARED
    }

    /// The largest extent in a tier.
    pub(super) fn limit(self, tier: i32) -> f64 {
        let exponent = self.first + LEVELS_SHARED * tier;
        if exponent > 1023 { f64::INFINITY } else { power(exponent) }
    }
}

/// What decides the level of a box: its largest extent, or how coarse numbers are where it is.
#[inline(always)]
pub(super) fn size<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let mut far = 0.0f64;
    for axis in 0..D {
        let (min, max) = (bounds.min[axis].to_f64(), bounds.max[axis].to_f64());
        let reach = if max > -min { max } else { -min };
        far = if reach > far { reach } else { far };
    }
    let (extent, coarse) = (extent(bounds), far * (1.0 / FAR));
    if coarse > extent { coarse } else { extent }
}

/// The largest extent of a box, rounded to nearest.
#[inline(always)]
fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let mut largest = 0.0f64;
    for axis in 0..D {
        let extent = bounds.min[axis].extent(bounds.max[axis]);
        largest = if extent > largest { extent } else { largest };
    }
    largest
}

/// Where a row is: its tier, then its cell on every axis but the first, which is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowId<const D: usize> {
    pub(super) tier: i32,
    pub(super) cell: [i32; D],
}

/// How the rows of a tier divide space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tier {
    pub(super) number: i32,
    /// No object in it is larger on any axis, with room for rounding.
    pub(super) limit: f64,
    /// Its objects are larger than the first and not larger than the second.
    sizes: [f64; 2],
    /// Beyond these keys numbers are too coarse for it.
    keys: [i32; 2],
    side: f64,
    grid: Grid,
}

impl Tier {
    pub(super) fn new<S: Scalar>(tiers: Tiers, number: i32, side: f64) -> Self {
        let limit = tiers.limit(number);
        let far = limit * FAR;
        let keys = [S::from_f64(-far).key_below(), S::from_f64(far).key_above()];
        let sizes = [if number == 0 { -1.0 } else { tiers.limit(number - 1) }, limit];
        // The side is a power of two: what is exactly on a border stays exactly there.
        let side = power(exponent(if side > limit { side } else { limit }));
        // So that no difference below, rounded to nearest, is too small.
        let limit = limit * (1.0 + 1e-6);
        Self { number, limit, sizes, keys, side, grid: Grid::new(side) }
    }

    /// The row of a box that belongs to this tier.
    #[inline(always)]
    pub(super) fn row<S: Scalar, const D: usize>(&self, bounds: &Aabb<S, D>) -> RowId<D> {
        let cell =
            core::array::from_fn(
                |axis| {
                    if axis == 0 { 0 } else { self.grid.cell(bounds.min[axis]) }
                },
            );
        RowId { tier: self.number, cell }
    }

    /// Whether a valid box begins in a row of it and belongs to it.
    #[inline(always)]
    pub(super) fn holds<S: Scalar, const D: usize>(
        &self,
        row: &Row<D>,
        bounds: &Aabb<S, D>,
        slabs: &Slabs<D>,
    ) -> bool {
        if !S::EXACT_KEYS {
            let size = size(bounds);
            return self.sizes[0] < size && size <= self.sizes[1] && self.row(bounds) == row.id;
        }
        let extent = extent(bounds);
        let mut holds = self.sizes[0] < extent && extent <= self.sizes[1];
        for axis in 0..D {
            holds &= row.gate.min[axis] <= slabs.min[axis];
            holds &= slabs.min[axis] <= row.gate.max[axis];
            holds &= slabs.max[axis] <= self.keys[1];
        }
        // What is tiny and far out may be of it all the same, but that is rare.
        holds || self.sizes[0] >= extent && self.holds_tiny(row, bounds)
    }

    #[cold]
    fn holds_tiny<S: Scalar, const D: usize>(&self, row: &Row<D>, bounds: &Aabb<S, D>) -> bool {
        let size = size(bounds);
        self.sizes[0] < size && size <= self.sizes[1] && self.row(bounds) == row.id
    }

    /// Between which keys an object begins that is in a row, on every axis, so that no
    /// coordinate is too far out for its level. Only where keys are exact.
    pub(super) fn gate<S: Scalar, const D: usize>(&self, id: &RowId<D>) -> Slabs<D> {
        let mut gate = Slabs { min: [self.keys[0]; D], max: [i32::MAX; D] };
        for axis in 1..D {
            let cell = id.cell[axis];
            if f64::from(cell) > -FAR {
                let border = self.border::<S>(cell).unwrap_or(i32::MAX);
                gate.min[axis] = border.max(self.keys[0]);
            }
            if f64::from(cell) < FAR {
                gate.max[axis] = self.border::<S>(cell + 1).map_or(i32::MAX, |key| key - 1);
            }
        }
        gate
    }

    /// The key of the smallest number in a cell or behind it, if there is one.
    fn border<S: Scalar>(&self, cell: i32) -> Option<i32> {
        let border = f64::from(cell) * self.side;
        let nearest = S::from_f64(border);
        let number = if nearest.to_f64() < border { nearest.next_above() } else { nearest };
        (number.to_f64() >= border).then(|| number.canonical().key_below())
    }

    /// The rows in which objects of this tier can begin that overlap a box.
    #[inline]
    pub(super) fn rows_near<S: Scalar, const D: usize>(
        &self,
        bounds: &Aabb<S, D>,
    ) -> [RowId<D>; 2] {
        let (mut low, mut high) = ([0; D], [0; D]);
        for axis in 1..D {
            low[axis] = self.grid.cell(bounds.min[axis].to_f64() - self.limit);
            high[axis] = self.grid.cell(bounds.max[axis]);
        }
        [low, high].map(|cell| RowId { tier: self.number, cell })
    }

    /// The key before which no object of this tier can begin that reaches a box that begins at
    /// `key`.
    #[inline(always)]
    pub(super) fn earliest<S: Scalar>(&self, key: i32) -> i32 {
        S::from_f64(S::of_key(key).to_f64() - self.limit).key_below()
    }
}

/// The side of rows for such objects: about one of them should begin in a row while another
/// lasts, and none may be larger.
pub(super) fn side<'a, S: Scalar, const D: usize>(
    all: impl Iterator<Item = &'a Aabb<S, D>>,
    limit: f64,
) -> f64 {
    let (mut width, mut world) = (0.0, None::<Aabb<S, D>>);
    for bounds in all {
        width += bounds.max[0].to_f64() - bounds.min[0].to_f64();
        world = Some(world.map_or(*bounds, |world| world.union(bounds)));
    }
    let Some(world) = world else { return limit };
    // width / extent objects begin or last per unit of length, spread over the other axes.
    let extent = |axis: usize| world.min[axis].extent(world.max[axis]).max(limit);
    let mut section = 1.0 / (width / extent(0)).max(1e-9);
    for axis in 1..D {
        section *= extent(axis);
    }
    match D {
        1 => limit,
        2 => section,
        _ => power(exponent(section) / 2),
    }
    .clamp(limit, limit * 1e6)
}
