//! Pairs of objects within a distance of each other across a seam, but not directly.
//!
//! 1. Box queries at the seams collect the objects whose images below home may be within the
//!    distance of a home box, and the objects that may be within the distance of such an image.
//! 2. Move each of these objects by whole sides, to each position where it may be within the
//!    distance of a home box. Of two opposite moves, one whose first step is down suffices. Search
//!    the objects and these *ghosts* together, in strips ([`pairs_with_ghosts`]).
//! 3. Test each pair found at its nearest images, as queries do, because ghosts are rounded.
//! 4. Objects that would make strips wide are queried one by one; if the distance is not far below
//!    a side, all objects are.
//!
//! Takes time about linear in the objects near a seam and their pairs.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{Aabb, Scalar};

use super::Torus;
use super::images::rounding_margin;
use super::world::World;
use crate::pairs::{self, Pair};
use crate::query::{Radius, Region, extent, pairs_with_ghosts};
use crate::{SpatialIndexExt, tasks};

/// Maximum distance, in sides: above it, most objects may be near a seam.
const MAX_DISTANCE: f64 = 0.25;
/// Maximum extent, beyond the distance and in mean extents, of an object searched in strips.
const MAX_EXTENTS: f64 = 4.0;

/// The seams of a world, and a distance across them.
pub(super) struct Seams<S, const D: usize> {
    world: World<S, D>,
    distance: S,
    /// The distance, enlarged by more than the rounding errors of ghosts and gaps.
    reach: S,
    /// A home box has a ghost below home if it ends at or above the first number of the axis, and a
    /// ghost above home if it begins at or below the second.
    limits: [[S; 2]; D],
    /// Whether the distance is far below all sides and has an unscaled square.
    is_short: bool,
}

/// Objects near a seam, with their boxes.
type Objects<S, const D: usize> = Vec<(u32, Aabb<S, D>)>;

impl<S: Scalar, const D: usize> Seams<S, D> {
    pub(super) fn new(world: &World<S, D>, distance: S) -> Self {
        let sides = (0..D).filter_map(|axis| world.side(axis));
        let margin: f64 = sides.clone().map(|side| rounding_margin(side).to_f64()).sum();
        let reach = S::from_f64((distance.to_f64() + margin) * (1.0 + 1e-6)).next_above();
        let is_far_below = |side: S| reach.to_f64() <= MAX_DISTANCE * side.to_f64();
        let is_short = S::ZERO <= distance
            && sides.clone().all(is_far_below)
            && !S::is_scaled(&S::limit(reach));
        let limits = core::array::from_fn(|axis| {
            // The second limit is set after the lengths of objects beyond the seam are measured.
            let side = world.side(axis).unwrap_or(S::MAX);
            [side.minus(reach).minus(rounding_margin(side)), S::MIN]
        });
        Self { world: *world, distance, reach, limits, is_short }
    }

    /// Returns the value if the distance is short enough for strips.
    pub(super) fn if_short(self) -> Option<Self> {
        self.is_short.then_some(self)
    }

    fn is_below(&self, axis: usize, bounds: &Aabb<S, D>) -> bool {
        self.world.side(axis).is_some() && bounds.max[axis] >= self.limits[axis][0]
    }

    fn is_above(&self, axis: usize, bounds: &Aabb<S, D>) -> bool {
        self.world.side(axis).is_some() && bounds.min[axis] <= self.limits[axis][1]
    }

    /// Sets the second limits, given the objects that have ghosts below home.
    fn set_lower_limits(&mut self, below: &Objects<S, D>) {
        for (axis, [_, lower]) in self.limits.iter_mut().enumerate() {
            let Some(side) = self.world.side(axis) else { continue };
            let beyond = below.iter().map(|(_, bounds)| bounds.max[axis].minus(side));
            let farthest = beyond.fold(S::ZERO, |far, end| if end > far { end } else { far });
            *lower = farthest.plus(self.reach).plus(rounding_margin(side));
        }
    }

    /// Returns the objects, then their ghosts, all numbered, and the index of each ghost's object.
    fn with_ghosts(&self, objects: &Objects<S, D>) -> (Objects<S, D>, Vec<u32>) {
        let mut boxes = Vec::with_capacity(3 * objects.len());
        boxes.extend((0..).zip(objects).map(|(index, &(_, bounds))| (index, bounds)));
        let (mut origins, mut images) = (Vec::new(), Vec::new());
        for (index, (_, bounds)) in (0..).zip(objects) {
            images.clear();
            images.push(*bounds);
            for axis in 0..D {
                let Some(side) = self.world.side(axis) else { continue };
                let before = images.len();
                if self.is_below(axis, bounds) {
                    add_moved(&mut images, 0..before, axis, |x| x.minus(side));
                }
                if self.is_above(axis, bounds) {
                    add_moved(&mut images, 1..before, axis, |x| x.plus(side));
                }
            }
            for &ghost in &images[1..] {
                boxes.push((boxes.len() as u32, ghost));
                origins.push(index);
            }
        }
        (boxes, origins)
    }

    /// Returns whether two home boxes are within the distance across a seam, but not directly.
    #[inline]
    fn are_near_across(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> bool {
        let region = Region::around(*a, self.distance);
        self.world.within(&region, b) && !region.overlaps(b)
    }
}

/// Appends some of the images, with both ends on an axis moved.
fn add_moved<S: Scalar, const D: usize>(
    images: &mut Vec<Aabb<S, D>>,
    some: Range<usize>,
    axis: usize,
    moved: impl Fn(S) -> S,
) {
    for index in some {
        let mut image = images[index];
        image.min[axis] = moved(image.min[axis]);
        image.max[axis] = moved(image.max[axis]);
        images.push(image);
    }
}

impl<S: Scalar, const D: usize> Torus<S, D> {
    /// Replaces the contents of `out` with the pairs that are within the distance across a seam,
    /// but not directly, in any order, with the smaller key first. A pair that is near in several
    /// images may be repeated.
    pub(super) fn pairs_across(&self, mut seams: Seams<S, D>, out: &mut Vec<Pair>) {
        out.clear();
        let [small, large] = self.near_seams(&mut seams);
        let seams = &seams;
        let (boxes, origins) = seams.with_ghosts(&small);
        let state = self.inner.state();
        let radius = Radius { radius: seams.reach, spacing: state.spacing };
        let emit = |own: u32, ghost: u32, out: &mut Vec<Pair>| {
            let other = origins[ghost as usize - small.len()];
            let [(a, bounds), (b, others)] = [own, other].map(|index| small[index as usize]);
            if own != other && seams.are_near_across(&bounds, &others) {
                out.push(pairs::pair(a, b));
            }
        };
        let backend = state.backend.unwrap_or_default();
        pairs_with_ghosts(&boxes, small.len(), radius, backend, &emit, out);
        tasks::find(large.iter().copied(), out, |(key, bounds), out| {
            let reach = Region::around(bounds, seams.distance).reach();
            self.candidates(&reach, |other| {
                if other.key != key && seams.are_near_across(&bounds, &other.bounds) {
                    out.push(pairs::pair(key, other.key));
                }
            });
        });
    }

    /// Returns the objects that may be within the distance of another across a seam: first those
    /// for strips, then larger ones. Sets the lower limits of `seams`.
    fn near_seams(&self, seams: &mut Seams<S, D>) -> [Objects<S, D>; 2] {
        let all = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
        let axes = (0..D).filter(|&axis| self.world.side(axis).is_some());
        let mut small = Objects::new();
        if !seams.is_short {
            let mut large = Objects::new();
            self.inner.query_unordered(all, |entry| large.push((entry.key, entry.bounds)));
            return [small, large];
        }
        for axis in axes.clone() {
            let mut area = all;
            area.min[axis] = seams.limits[axis][0];
            self.inner.query_unordered(area, |entry| {
                if !(0..axis).any(|before| seams.is_below(before, &entry.bounds)) {
                    small.push((entry.key, entry.bounds));
                }
            });
        }
        if small.is_empty() {
            return [small, Objects::new()];
        }
        let total: f64 = small.iter().map(|(_, bounds)| extent(bounds)).sum();
        let longest = seams.reach.to_f64() + MAX_EXTENTS * total / small.len() as f64;
        let is_large = |bounds: &Aabb<S, D>| extent(bounds) > longest;
        let mut large: Objects<S, D> =
            small.extract_if(.., |(_, bounds)| is_large(bounds)).collect();
        seams.set_lower_limits(&small);
        let seams = &*seams;
        for axis in axes {
            let mut area = all;
            area.max[axis] = seams.limits[axis][1];
            self.inner.query_unordered(area, |entry| {
                let bounds = entry.bounds;
                let is_known = (0..D).any(|other| seams.is_below(other, &bounds))
                    || (0..axis).any(|before| seams.is_above(before, &bounds));
                if !is_known {
                    let objects = if is_large(&bounds) { &mut large } else { &mut small };
                    objects.push((entry.key, bounds));
                }
            });
        }
        [small, large]
    }
}
