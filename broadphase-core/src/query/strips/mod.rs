//! Neighbors of all objects within a radius, where most objects are no larger than the radius.
//!
//! 1. Sort the objects into strips along the first axis, slightly wider than the radius plus the
//!    largest object ([`sorted`]).
//! 2. All neighbors of an object are in its strip and the adjacent strips, in short ranges of the
//!    sorted objects, which advance from object to object. The kernel in `kernel/near.rs` tests the
//!    ranges, eight objects at a time.
//! 3. Collect the lists and copy them into the order of keys.
//! 4. Query the structure around each larger object, and insert the pairs found into the lists.
//!
//! Takes time about linear in objects and neighbors. Strips are divided among threads.

mod ghosts;
mod sorted;

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Backend, Scalar, instances};

pub(crate) use self::ghosts::pairs_with_ghosts;
pub(crate) use self::sorted::extent;
use self::sorted::{Extent, Strips};
use super::list_buffer::{ListBuffer, Part};
use super::lists::Neighbors;
use super::region::Region;
use super::runs::MIN_OBJECTS_PER_THREAD;
use crate::kernel::near::Scratch;
use crate::kernel::rank;
use crate::{Pair, SpatialIndex, tasks};

/// At most 1 / `MIN_SMALL_PER_LARGE` of the objects may be larger than the radius.
const MIN_SMALL_PER_LARGE: usize = 64;

/// Finds the neighbors within a radius if nearly all objects are no larger than the radius;
/// `objects` must be all objects of the structure. Runs one query for each larger object. Returns
/// `false` without effect if too many are larger, or the radius is negative, not finite or so
/// extreme that its square must be scaled.
pub fn neighbors_in_strips<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    backend: Backend,
    objects: Vec<(u32, Aabb<S, D>)>,
    radius: S,
    out: &mut Neighbors,
) -> bool {
    if !is_regular(radius) {
        return false;
    }
    let query = |region: Region<S, D>, found: &mut Vec<u32>| index.find_keys(&region, found);
    let radius = Radius { radius, spacing: index.state().spacing };
    find(objects, radius, backend, &query, out)
}

/// Finds the neighbors of points within a radius; the keys are the indices. Returns `false` without
/// effect for the radii for which [`neighbors_in_strips`] does.
pub fn neighbors_of_points<S: Scalar, const D: usize>(
    points: &[[S; D]],
    backend: Backend,
    radius: S,
    out: &mut Neighbors,
) -> bool {
    if !is_regular(radius) {
        return false;
    }
    let boxes = points.iter().map(|&point| Aabb::point(point));
    find((0..).zip(boxes).collect(), Radius { radius, spacing: None }, backend, &|_, _| (), out)
}

/// Returns whether a radius is neither negative, nor infinite, nor so extreme that its square must
/// be scaled.
fn is_regular<S: Scalar>(radius: S) -> bool {
    radius >= S::ZERO && radius.is_finite() && !S::is_scaled(&S::limit(radius))
}

/// Callback that runs [`SpatialIndex::find_keys`] of the structure.
type Query<'a, S, const D: usize> = dyn Fn(Region<S, D>, &mut Vec<u32>) + 'a;

/// Parameters of a search: the radius, and the typical distance between adjacent objects, estimated
/// if `None`.
pub(crate) struct Radius<S> {
    pub(crate) radius: S,
    pub(crate) spacing: Option<f64>,
}

instances! {
    /// Implements [`neighbors_in_strips`].
    fn find<S, D>(
        objects: Vec<(u32, Aabb<S, D>)>,
        radius: Radius<S>,
        backend: Backend,
        query: &Query<'_, S, D>,
        out: &mut Neighbors,
    ) -> bool {
        let Radius { radius, spacing } = radius;
        let mut objects = objects;
        let mut extent = Extent::of(&objects);
        let mut large = Vec::new();
        if extent.largest > radius.to_f64() {
            let is_large = |(_, bounds): &(u32, Aabb<S, D>)| {
                sorted::extent(bounds) > radius.to_f64()
            };
            let count = objects.iter().filter(|&object| is_large(object)).count();
            if count * MIN_SMALL_PER_LARGE > objects.len() - count {
                return false;
            }
            large.extend(objects.extract_if(.., |object| is_large(object)));
            extent = Extent::of(&objects);
        }
        let strips = Strips::new(&objects, objects.len(), extent, radius, spacing);
        let keys: Vec<u32> = large.iter().map(|&(key, _)| key).collect();
        write_lists(&strips, &keys, backend, out);
        out.insert_pairs(pairs_of_large(&large, radius, query));
        true
    }
}

/// Returns the pairs of large objects with all objects. Two large objects find each other.
fn pairs_of_large<S: Scalar, const D: usize>(
    large: &[(u32, Aabb<S, D>)],
    radius: S,
    query: &Query<'_, S, D>,
) -> Vec<Pair> {
    let (mut pairs, mut found) = (Vec::new(), Vec::new());
    for &(key, bounds) in large {
        query(Region::around(bounds, radius), &mut found);
        let others = found.iter().filter(|&&other| other != key);
        pairs.extend(others.map(|&other| [key, other]));
    }
    pairs
}

/// Writes the lists of the objects in strips, and empty lists for the keys in `large`.
fn write_lists<S: Scalar, const D: usize>(
    strips: &Strips<S, D>,
    large: &[u32],
    backend: Backend,
    out: &mut Neighbors,
) {
    let mut ranges = tasks::weighed(strips.lens(), MIN_OBJECTS_PER_THREAD);
    if ranges.is_empty() {
        ranges.push(0..strips.len());
    }
    let mut kept = core::mem::take(&mut out.kept);
    kept.resize_with(kept.len().max(ranges.len()), ListBuffer::default);
    let mut jobs: Vec<_> = ranges.into_iter().zip(&mut kept).collect();
    tasks::each(&mut jobs, |(range, lists)| {
        let mut scratch = Scratch::default();
        lists.clear();
        for strip in range.clone() {
            strips.write_lists(strip, backend, true, &mut scratch, lists);
        }
    });
    let all = &strips.runs.keys[strips.objects(0..strips.len())];
    let all: Vec<u32> = all.iter().map(|&key| rank::unsigned(key)).collect();
    let parts =
        jobs.iter().map(|(range, lists)| Part::new(&all[strips.objects(range.clone())], lists));
    let mut parts: Vec<Part<'_>> = parts.collect();
    let ends = alloc::vec![0; large.len()];
    parts.push(Part { keys: large, ends: &ends, items: &[] });
    out.arrange(backend, &parts);
    out.kept = kept;
}
