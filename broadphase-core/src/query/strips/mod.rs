//! Neighbors of all objects within a radius, where most objects are no larger than the radius.
//!
//! 1. Sort the objects into strips along the first axis, slightly wider than the radius plus the
//!    largest object ([`sorted`]).
//! 2. All neighbors of an object are in its strip and the adjacent strips. In each of these strips
//!    they lie in a short range of the sorted objects, which advances from object to object. The
//!    kernel in `kernel/near.rs` tests the ranges, eight objects at a time.
//! 3. Larger objects are queried in the structure one by one, and the results are merged.
//! 4. Collect the lists and copy them into the order of keys.
//!
//! Takes time about linear in objects and neighbors, independent of how the structure stores its
//! objects. Strips are divided among threads.

mod ghosts;
mod sorted;

use alloc::vec::Vec;
use core::ops::Range;

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
use crate::{SpatialIndex, tasks};

/// The algorithm is used if at most 1 / `MIN_SMALL_PER_LARGE` of the objects are larger than the
/// radius.
const MIN_SMALL_PER_LARGE: usize = 64;

/// Finds the neighbors within a radius if nearly all objects are no larger than the radius;
/// `objects` must be all objects of the structure. Runs one query for each larger object. Returns
/// `false` without any effect if too many objects are larger, or the radius is negative, not finite
/// or so extreme that its square must be scaled.
pub fn neighbors_in_strips<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    backend: Backend,
    objects: Vec<(u32, Aabb<S, D>)>,
    radius: S,
    out: &mut Neighbors,
) -> bool {
    if !(radius >= S::ZERO && radius.is_finite()) || S::is_scaled(&S::limit(radius)) {
        return false;
    }
    let query = |region: Region<S, D>, found: &mut Vec<u32>| index.find_keys(&region, found);
    let radius = Radius { radius, spacing: index.state().spacing };
    find(objects, radius, backend, &query, out)
}

/// Callback that runs [`SpatialIndex::find_keys`] of the structure.
type Query<'a, S, const D: usize> = dyn Fn(Region<S, D>, &mut Vec<u32>) + 'a;

/// Parameters of a search: the radius, and the typical distance between adjacent objects.
pub(crate) struct Radius<S> {
    pub(crate) radius: S,
    pub(crate) spacing: Option<f64>,
}

instances! {
    /// Implements [`neighbors_in_strips`]; returns `false` without any effect if too many objects
    /// are larger than the radius.
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
        let large = Large::new(&large, radius, query);
        let strips = Strips::new(&objects, objects.len(), extent, radius, spacing);
        Search { strips, large, backend }.write_lists(out);
        true
    }
}

/// Neighbors of the objects that are larger than the radius.
struct Large {
    keys: Vec<i32>,
    lists: ListBuffer,
    /// Pairs `[other, large]`, ascending, to be merged into the lists of the other objects.
    pairs: Vec<[u32; 2]>,
}

impl Large {
    fn new<S: Scalar, const D: usize>(
        objects: &[(u32, Aabb<S, D>)],
        radius: S,
        query: &Query<'_, S, D>,
    ) -> Self {
        let (mut keys, mut lists, mut pairs) = (Vec::new(), ListBuffer::default(), Vec::new());
        let mut found = Vec::new();
        for &(key, bounds) in objects {
            query(Region::around(bounds, radius), &mut found);
            found.retain(|&other| other != key);
            pairs.extend(found.iter().map(|&other| [other, key]));
            lists.push(&found);
            keys.push(rank::signed(key));
        }
        pairs.sort_unstable();
        Self { keys, lists, pairs }
    }

    /// Merges the large objects into the lists of other objects; uses `scratch`.
    fn merge_into(&self, keys: &[i32], lists: &mut ListBuffer, scratch: &mut ListBuffer) {
        if self.pairs.is_empty() {
            return;
        }
        scratch.clear();
        let mut found = Vec::new();
        for (index, &key) in keys.iter().enumerate() {
            let (key, list) = (rank::unsigned(key), lists.get(index));
            found.clear();
            found.extend_from_slice(list);
            let begin = self.pairs.partition_point(|&[other, _]| other < key);
            let own = self.pairs[begin..].iter().take_while(|pair| pair[0] == key);
            found.extend(own.map(|pair| pair[1]));
            if found.len() > list.len() {
                found.sort_unstable();
            }
            scratch.push(&found);
        }
        core::mem::swap(lists, scratch);
    }
}

/// A search for neighbors.
struct Search<S, const D: usize> {
    strips: Strips<S, D>,
    large: Large,
    backend: Backend,
}

impl<S: Scalar, const D: usize> Search<S, D> {
    /// Returns ranges of strips for threads: at least one range.
    fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = tasks::weighed(self.strips.lens(), MIN_OBJECTS_PER_THREAD);
        if ranges.is_empty() {
            ranges.push(0..self.strips.len());
        }
        ranges
    }

    /// Writes all lists.
    fn write_lists(&self, out: &mut Neighbors) {
        let mut kept = core::mem::take(&mut out.kept);
        let ranges = self.ranges();
        kept.resize_with(kept.len().max(ranges.len()), ListBuffer::default);
        let mut jobs: Vec<_> = ranges.into_iter().zip(&mut kept).collect();
        tasks::each(&mut jobs, |(range, lists)| {
            let mut scratch = Scratch::default();
            lists.clear();
            for strip in range.clone() {
                self.strips.write_lists(strip, self.backend, true, &mut scratch, lists);
            }
            let keys = &self.strips.runs.keys[self.strips.objects(range.clone())];
            self.large.merge_into(keys, lists, &mut ListBuffer::default());
        });
        let unsigned = |keys: &[i32]| keys.iter().map(|&key| rank::unsigned(key)).collect();
        let all: Vec<u32> =
            unsigned(&self.strips.runs.keys[self.strips.objects(0..self.strips.len())]);
        let large: Vec<u32> = unsigned(&self.large.keys);
        let parts = jobs
            .iter()
            .map(|(range, lists)| Part::new(&all[self.strips.objects(range.clone())], lists));
        let mut parts: Vec<Part<'_>> = parts.collect();
        parts.push(Part::new(&large, &self.large.lists));
        out.arrange(self.backend, &parts);
        out.kept = kept;
    }
}
