//! The nearest objects of every object, by a k-d tree.
//!
//! 1. Order the objects by a k-d tree ([`leaves`]), and search part by part.
//! 2. For a few objects of a part, search the nearest ones. The radius of the part is somewhat
//!    larger than their distances.
//! 3. Collect the objects in leaves near the part that are within the radius of its bounds.
//! 4. For each object of the part, the kernel in `kernel/near.rs` finds those within the radius.
//! 5. Sort them by exact squared distance, then by key, and take the first ones.
//! 6. Search the structure for an object with too few others within the radius, with a last result
//!    at the radius (rounding may give another object the same square), or with distances so
//!    extreme that their squares must be scaled.
//!
//! O(n log n) time for the tree, and time linear in objects and results for the rest, if the
//! density of objects changes little within a part.

mod leaves;

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use bounds_hexprism::{Aabb, Backend, Scalar, instances};

use self::leaves::Leaves;
use super::batch::find_neighbors_by_visits;
use super::hits::{Hit, compare};
use super::list_buffer::{ListBuffer, Part};
use super::lists::Neighbors;
use super::region::{Region, gaps};
use super::runs::{Runs, WriteLists};
use super::target::square_root_above;
use super::{Near, Search};
use crate::kernel::near::{RadiusBounds, Scratch};
use crate::{SpatialIndex, tasks};

/// Minimum number of objects per thread.
const MIN_OBJECTS_PER_THREAD: usize = 1024;
/// Maximum number of objects in a part, plus the same per result of an object: a larger radius
/// needs a larger part.
const PART: usize = 128;
const PART_PER_RESULT: usize = 16;
/// Minimum number of objects in a part; fewer are searched for one by one.
const MIN_PART: usize = 12;
/// Maximum number of candidates per object of a part; with more, each object is searched alone.
const MAX_CANDIDATES: usize = 128;
/// Number of objects of a part whose nearest objects determine the radius.
const SAMPLES: usize = 4;
/// Ratio of the radius of a part to the largest distance of the samples.
const RADIUS_PER_DISTANCE: f64 = 1.15;

/// Finds the nearest objects of each object; `objects` must be all objects of the structure.
///
/// Runs one search per object if there are few objects, or if each list has at least a quarter of
/// them. Otherwise builds a k-d tree (Friedman, Bentley and Finkel, 1977) in O(n log n) time and
/// about 100 bytes per object, with a few searches per hundred objects.
pub fn nearest_to_each_in_tree<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    backend: Backend,
    objects: Vec<(u32, Aabb<S, D>)>,
    count: usize,
    out: &mut Neighbors,
) {
    if count == 0 || count >= objects.len() / 4 || objects.len() < PART {
        find_neighbors_by_visits(index, Near::Nearest(count), out);
        return;
    }
    let search = |own: u32, bounds: Aabb<S, D>, found: &mut Vec<u32>| {
        let mut last = 0.0;
        let _ = index.visit(&Search::Nearest(bounds.into()), &mut |other, square| {
            if other.key != own {
                found.push(other.key);
                last = square.to_f64();
            }
            if found.len() == count { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        last
    };
    find(objects, count, backend, &search, out);
}

/// Appends the keys of the objects nearest to an object, given its key and bounds, to an empty
/// list. Returns the squared distance of the last one.
type SearchOne<'a, S, const D: usize> = dyn Fn(u32, Aabb<S, D>, &mut Vec<u32>) -> f64 + Sync + 'a;

instances! {
    fn find<S, D>(
        objects: Vec<(u32, Aabb<S, D>)>,
        count: usize,
        backend: Backend,
        search: &SearchOne<'_, S, D>,
        out: &mut Neighbors,
    ) {
        let leaves = Leaves::new(&objects);
        TreeSearch { leaves, count, backend, search }.write_lists(out);
    }
}

struct TreeSearch<'a, S: Scalar, const D: usize> {
    leaves: Leaves<S, D>,
    count: usize,
    backend: Backend,
    search: &'a SearchOne<'a, S, D>,
}

struct Buffers<S: Scalar, const D: usize> {
    /// The objects of a part, then others near it; the keys are places.
    candidates: Runs<S, D>,
    scratch: Scratch<S, D>,
    /// For each object of a part, the places of the objects within the radius.
    near: ListBuffer,
    hits: Vec<Hit<S>>,
    /// Rank and index of each hit.
    order: Vec<u64>,
    found: Vec<u32>,
}

impl<S: Scalar, const D: usize> TreeSearch<'_, S, D> {
    fn write_lists(&self, out: &mut Neighbors) {
        let mut kept = core::mem::take(&mut out.kept);
        let parts = self.leaves.parts(PART.max(PART_PER_RESULT * self.count));
        let lens = parts.iter().map(|(_, objects)| objects.len());
        let mut ranges = tasks::weighed(lens, MIN_OBJECTS_PER_THREAD);
        if ranges.is_empty() {
            ranges.push(0..parts.len());
        }
        kept.resize_with(kept.len().max(ranges.len()), ListBuffer::default);
        let jobs = ranges.into_iter().map(|range| &parts[range]);
        let mut jobs: Vec<_> = jobs.zip(&mut kept).collect();
        let are_points = self.leaves.bounds.iter().all(|bounds| bounds.min == bounds.max);
        tasks::each(&mut jobs, |(parts, lists)| {
            let mut buffers = Buffers {
                candidates: Runs::unsorted(are_points),
                scratch: Scratch::default(),
                near: ListBuffer::default(),
                hits: Vec::new(),
                order: Vec::new(),
                found: Vec::new(),
            };
            lists.clear();
            for (bounds, part) in *parts {
                self.search_part(bounds, part, &mut buffers, lists);
            }
        });
        let mut begin = 0;
        let lists = jobs.iter().map(|(parts, lists)| {
            let end = parts.last().map_or(begin, |(_, last)| last.end);
            let keys = &self.leaves.keys[begin..end];
            begin = end;
            Part::new(keys, lists)
        });
        let lists: Vec<Part<'_>> = lists.collect();
        out.arrange(self.backend, &lists);
        out.kept = kept;
    }

    fn search_part(
        &self,
        bounds: &Aabb<S, D>,
        part: &Range<usize>,
        buffers: &mut Buffers<S, D>,
        lists: &mut ListBuffer,
    ) {
        let radius = self.radius(part, &mut buffers.found);
        let radius = radius.filter(|&radius| self.find_near(bounds, part, radius, buffers));
        for (index, place) in part.clone().enumerate() {
            buffers.found.clear();
            if !radius.is_some_and(|radius| self.rank(place, index, radius, buffers)) {
                self.search_one(place, &mut buffers.found);
            }
            lists.push(&buffers.found);
        }
    }

    /// Writes the keys of the objects nearest to one object to `found`, which must be empty.
    /// Returns the squared distance of the last one.
    fn search_one(&self, place: usize, found: &mut Vec<u32>) -> f64 {
        (self.search)(self.leaves.keys[place], self.leaves.bounds[place], found)
    }

    /// Chooses the radius for a part; `None` if its objects are to be searched for one by one.
    fn radius(&self, part: &Range<usize>, found: &mut Vec<u32>) -> Option<S> {
        if part.len() < MIN_PART {
            return None;
        }
        let mut square = 0.0;
        for sample in 0..SAMPLES {
            found.clear();
            let place = part.start + part.len() * (2 * sample + 1) / (2 * SAMPLES);
            square = self.search_one(place, found).max(square);
        }
        let radius = S::from_f64(square_root_above(square) * RADIUS_PER_DISTANCE).next_above();
        (radius < S::MAX && !S::is_scaled(&S::limit(radius))).then_some(radius)
    }

    /// Finds the objects within the radius of each object of a part; `false` if there are too many
    /// candidates.
    fn find_near(
        &self,
        bounds: &Aabb<S, D>,
        part: &Range<usize>,
        radius: S,
        buffers: &mut Buffers<S, D>,
    ) -> bool {
        let Buffers { candidates, scratch, near, .. } = buffers;
        let area = Region::around(*bounds, radius).reach();
        let all = &self.leaves.bounds;
        let mut len = part.len();
        candidates.make_room(len);
        for (index, place) in part.clone().enumerate() {
            candidates.write(index, place as u32, &all[place]);
        }
        let most = MAX_CANDIDATES * part.len();
        self.leaves.overlapping(&area, |leaf| {
            if part.contains(&leaf.start) || len > most {
                return;
            }
            candidates.make_room(len + leaf.len());
            for place in leaf {
                candidates.write(len, place as u32, &all[place]);
                len += usize::from(all[place].overlaps(&area));
            }
        });
        if len > most {
            return false;
        }
        near.clear();
        let (own, reach) = (0..part.len(), &RadiusBounds::new(radius, 0.0));
        let around = &mut [own.clone(), part.len()..len];
        let (runs, out) = (&*candidates, near);
        self.backend.dispatch(WriteLists { runs, own, around, reach, sorted: false, scratch, out });
        true
    }

    /// Writes the keys of the objects nearest to an object to `found`. `index` is its index in the
    /// part with this radius. Returns `false`, without effect, if others outside of it may be
    /// nearer.
    fn rank(&self, place: usize, index: usize, radius: S, buffers: &mut Buffers<S, D>) -> bool {
        let Buffers { near, hits, order, found, .. } = buffers;
        let near = near.get(index);
        if near.len() < self.count {
            return false;
        }
        let Leaves { keys, bounds, .. } = &self.leaves;
        let own = bounds[place];
        hits.clear();
        order.clear();
        for (index, &slot) in (0..).zip(near) {
            let other = &bounds[slot as usize];
            let number = S::squared_length(gaps(&own, other));
            if number < S::MIN_SQUARE && !own.overlaps(other) {
                return false;
            }
            // Squares, rounded to `f32`, ascend as their bits do.
            let rank = (number.to_f64() as f32).to_bits();
            order.push(u64::from(rank) << 32 | index);
            hits.push(Hit { number, key: keys[slot as usize], slot });
        }
        order.sort_unstable();
        // Equal ranks may be in the wrong order.
        let last = order[self.count - 1] >> 32;
        let equal = order[self.count..].iter().take_while(|&&order| order >> 32 == last).count();
        let first = &mut order[..self.count + equal];
        first.sort_by(|&a, &b| compare(&hits[a as u32 as usize], &hits[b as u32 as usize]));
        // The square of the radius may be rounded up to that of an object outside of it.
        let limit = S::squared_length([S::gap(S::ZERO, radius)]);
        if hits[first[self.count - 1] as u32 as usize].number >= limit {
            return false;
        }
        let ordered = first[..self.count].iter();
        found.extend(ordered.map(|&order| hits[order as u32 as usize].key));
        true
    }
}

#[cfg(test)]
mod tests {
    use alloc::{vec, vec::Vec};

    use super::{Aabb, Backend, Buffers, Leaves, ListBuffer, Runs, Scratch, TreeSearch};

    /// Returns the keys that [`TreeSearch::rank`] finds for the object at the origin, given that the
    /// object at another point is the only one within a radius.
    fn ranked(other: [i32; 2], radius: i32) -> Option<Vec<u32>> {
        let objects = [(0, Aabb::point([0, 0])), (1, Aabb::point(other))];
        let leaves = Leaves::new(&objects);
        let [own, other] = [0, 1].map(|key| leaves.keys.iter().position(|&one| one == key));
        let search =
            TreeSearch { leaves, count: 1, backend: Backend::detect(), search: &|_, _, _| 0.0 };
        let mut buffers = Buffers {
            candidates: Runs::unsorted(true),
            scratch: Scratch::default(),
            near: ListBuffer::default(),
            hits: Vec::new(),
            order: Vec::new(),
            found: Vec::new(),
        };
        buffers.near.push(&[other.unwrap() as u32]);
        let is_complete = search.rank(own.unwrap(), 0, radius, &mut buffers);
        is_complete.then_some(buffers.found)
    }

    #[test]
    fn a_result_at_the_radius_is_uncertain() {
        // The square of the distance to (2^30, 5), outside of the radius, is rounded to 2^60 too.
        let radius = 1 << 30;
        assert_eq!(ranked([radius, 0], radius), None);
        assert_eq!(ranked([radius - 1, 0], radius), Some(vec![1]));
    }
}
