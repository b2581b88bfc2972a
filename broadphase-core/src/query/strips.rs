//! Neighbors of all objects within a radius, where most objects are no larger than the radius.
//!
//! 1. Cut space into strips along the first axis, each slightly wider than the radius plus the
//!    largest object.
//! 2. Sort the objects by strip (radix sort), and in each strip by their low end on the first
//!    axis.
//! 3. For each strip: all neighbors of its objects are in this strip and the strips next to it. In
//!    each strip, the neighbors form a short range of the sorted objects, which advances from
//!    object to object. The kernel in `kernel/near.rs` tests them eight at a time.
//! 4. Larger objects are queried in the structure one by one, and the results are merged.
//!
//! Takes time about linear in objects and neighbors, independent of how the structure stores its
//! objects.

use alloc::vec::Vec;
use core::array::from_fn;
use core::cmp::Ordering;
use core::ops::Range;

use bounds_hexprism::{Aabb, Backend, Kernel, LANES, Lanes, Scalar, instances};

use super::lists::{Lists, Neighbors};
use super::region::Region;
use crate::kernel::near::{Boxes, Reach, Scratch, near};
use crate::kernel::rank;
use crate::sort::radix_sort;
use crate::{SpatialIndex, tasks};

/// Minimum width of a strip, in object spacings.
const MIN_WIDTH_IN_SPACINGS: f64 = 0.5;
/// Maximum strip number in each direction; all objects farther out share one more strip.
const MAX_STRIP: f64 = (1 << 30) as f64;
/// Factor that enlarges a distance by more than its rounding error.
const ROUNDING: f64 = 1.0 + 1e-6;

/// Minimum number of objects per thread.
const MIN_OBJECTS_PER_THREAD: usize = 4096;
/// The algorithm is used if at most one object in this many is larger than the radius.
const MIN_SMALL_PER_LARGE: usize = 64;

/// Computes [`SpatialIndex::neighbors`] if nearly all objects are no larger than the radius;
/// `objects` must be all objects of the structure. Runs one query for each larger object. Returns
/// `false` without any effect if too many objects are larger, or the radius is negative or not
/// finite.
pub fn neighbors_in_strips<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    backend: Backend,
    objects: impl Iterator<Item = (u32, Aabb<S, D>)>,
    radius: S,
    out: &mut Neighbors,
) -> bool {
    if !(radius >= S::ZERO && radius.is_finite()) {
        return false;
    }
    let (mut small, mut large) = (Vec::with_capacity(index.len()), Vec::new());
    for (key, bounds) in objects {
        if extent(&bounds) > radius.to_f64() {
            large.push((key, bounds));
        } else {
            small.push((key, bounds));
        }
    }
    if large.len() * MIN_SMALL_PER_LARGE > small.len() {
        return false;
    }
    let query = |region: Region<S, D>, found: &mut Vec<u32>| index.query(region, found);
    let objects = Objects { small: &small, large: &large, spacing: index.spacing() };
    write_neighbors(objects, radius, backend, &query, out);
    true
}

/// All objects, divided by size, and the typical distance between adjacent objects.
struct Objects<'a, S, const D: usize> {
    /// Objects no larger than the radius.
    small: &'a [(u32, Aabb<S, D>)],
    large: &'a [(u32, Aabb<S, D>)],
    spacing: Option<f64>,
}

/// Callback that runs [`SpatialIndex::query`] of the structure.
type Query<'a, S, const D: usize> = dyn Fn(Region<S, D>, &mut Vec<u32>) + 'a;

instances! {
    /// Implements [`neighbors_in_strips`] after objects were divided by size.
    fn write_neighbors<S, D>(
        objects: Objects<'_, S, D>,
        radius: S,
        backend: Backend,
        query: &Query<'_, S, D>,
        out: &mut Neighbors,
    ) {
        let Objects { small, large, spacing } = objects;
        let strips = Strips::new(small, radius, spacing);
        let mut lists = core::mem::take(&mut out.kept);
        strips.write_lists(backend, &mut lists);
        let keys = strips.keys.iter().take(small.len()).map(|&key| rank::unsigned(key));
        let mut keys: Vec<u32> = keys.collect();
        if large.is_empty() {
            out.arrange(&keys, &lists);
        } else {
            let all = with_large(query, &keys, &lists, large, radius);
            keys.extend(large.iter().map(|&(key, _)| key));
            out.arrange(&keys, &all);
        }
        out.kept = lists;
    }
}

/// Returns the largest extent of a box on any axis.
fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let mut largest = 0.0;
    for axis in 0..D {
        let extent = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
        largest = if extent > largest { extent } else { largest };
    }
    largest
}

/// Returns the lists of all objects: `lists` with the large objects merged in, then the lists of
/// the large objects.
fn with_large<S: Scalar, const D: usize>(
    query: &Query<'_, S, D>,
    keys: &[u32],
    lists: &Lists,
    large: &[(u32, Aabb<S, D>)],
    radius: S,
) -> Lists {
    // Pairs of keys `[other, large]`: each large object will be added to the list of the other.
    let (mut pairs, mut of_large) = (Vec::new(), Lists::default());
    let mut found = Vec::new();
    for &(key, bounds) in large {
        query(Region::around(bounds, radius), &mut found);
        found.retain(|&other| other != key);
        pairs.extend(found.iter().map(|&other| [other, key]));
        of_large.push(&found);
    }
    pairs.sort_unstable();
    let mut all = Lists::default();
    for (&key, list) in keys.iter().zip(lists.iter()) {
        found.clear();
        found.extend_from_slice(list);
        let begin = pairs.partition_point(|&[other, _]| other < key);
        found.extend(pairs[begin..].iter().take_while(|pair| pair[0] == key).map(|pair| pair[1]));
        if found.len() > list.len() {
            found.sort_unstable();
        }
        all.push(&found);
    }
    of_large.iter().for_each(|list| all.push(list));
    all
}

/// Objects sorted by strip, in one array per coordinate.
struct Strips<S, const D: usize> {
    min: [Vec<S>; D],
    max: [Vec<S>; D],
    /// Keys, mapped to signed numbers of the same order.
    keys: Vec<i32>,
    /// For each strip that has objects, ascending: its number and the index of its first object.
    /// Ends with a sentinel.
    strips: Vec<(u64, usize)>,
    /// Number of strips side by side in a plane; strip numbers count plane by plane.
    in_plane: u64,
    reach: Reach<S>,
    points: bool,
}

/// Sort key of an object: strip, low end on the first axis, index.
#[derive(Clone, Copy)]
struct Member<S> {
    strip: u64,
    first: S,
    object: u32,
}

impl<S: Scalar, const D: usize> Strips<S, D> {
    /// Sorts objects that are no larger than the radius into strips.
    fn new(objects: &[(u32, Aabb<S, D>)], radius: S, spacing: Option<f64>) -> Self {
        let largest = objects.iter().map(|(_, bounds)| extent(bounds)).fold(0.0, f64::max);
        let reach = radius.to_f64() + largest;
        let width = reach.max(MIN_WIDTH_IN_SPACINGS * spacing.unwrap_or(0.0)) * (1.0 + 1e-5);
        // The width is bounded below, so that its inverse is finite.
        let strips_per_unit = 1.0 / if width > 1e-300 { width } else { 1e-300 };
        let cell = |x: S| {
            let x = (x.to_f64() * strips_per_unit).clamp(-MAX_STRIP, MAX_STRIP);
            let cell = x as i64;
            cell - i64::from(cell as f64 > x)
        };
        let cells = |corner: [S; D]| -> [i64; D] {
            from_fn(|axis| if axis == 0 { 0 } else { cell(corner[axis]) })
        };
        let mut corners = objects.first().map_or([[S::ZERO; D]; 2], |(_, first)| [first.min; 2]);
        for (_, bounds) in objects {
            for (axis, &x) in bounds.min.iter().enumerate() {
                let [low, high] = [corners[0][axis], corners[1][axis]];
                corners[0][axis] = if x < low { x } else { low };
                corners[1][axis] = if x > high { x } else { high };
            }
        }
        let [low, high] = corners.map(cells);
        let count = |axis: usize| if axis < D { (high[axis] - low[axis] + 1) as u64 } else { 1 };
        let in_plane = count(1);
        let members = objects.iter().zip(0..).map(|((_, bounds), object)| {
            let cells = cells(bounds.min);
            let from_low = |axis: usize| (cells[axis] - low[axis]) as u64;
            let strip = match D {
                1 => 0,
                2 => from_low(1),
                _ => from_low(2) * in_plane + from_low(1),
            };
            Member { strip, first: bounds.min[0], object }
        });
        let members = sort_by_strip(members.collect(), in_plane.saturating_mul(count(2)));
        let mut strips: Vec<(u64, usize)> = Vec::new();
        for (place, member) in members.iter().enumerate() {
            if strips.last().is_none_or(|&(strip, _)| strip != member.strip) {
                strips.push((member.strip, place));
            }
        }
        strips.push((u64::MAX, members.len()));
        let points = largest == 0.0;
        let with_room = || Vec::with_capacity(members.len() + LANES);
        let (mut min, mut max) = (from_fn(|_| with_room()), from_fn(|_| with_room()));
        let mut keys = Vec::with_capacity(members.len() + LANES);
        for member in &members {
            let (key, bounds) = objects[member.object as usize];
            keys.push(rank::signed(key));
            for axis in 0..D {
                min[axis].push(bounds.min[axis]);
                if !points {
                    max[axis].push(bounds.max[axis]);
                }
            }
        }
        keys.resize(members.len() + LANES, 0);
        for plane in min.iter_mut().chain(&mut max) {
            plane.resize(members.len() + LANES, S::MAX);
        }
        Self {
            min,
            max,
            keys,
            strips,
            in_plane,
            reach: Reach {
                radius,
                ahead: S::from_f64(radius.to_f64() * ROUNDING).next_above(),
                extent: S::from_f64(largest * ROUNDING).next_above(),
            },
            points,
        }
    }

    /// Writes for every object, in strip order, the keys of its neighbors.
    fn write_lists(&self, backend: Backend, lists: &mut Lists) {
        lists.clear();
        let lens = self.strips.windows(2).map(|pair| pair[1].1 - pair[0].1);
        let ranges = tasks::weighed(lens, MIN_OBJECTS_PER_THREAD);
        if ranges.is_empty() {
            self.write_strips(0..self.strips.len() - 1, backend, lists);
            return;
        }
        let mut parts: Vec<(Range<usize>, Lists)> =
            ranges.into_iter().map(|range| (range, Lists::default())).collect();
        tasks::each(&mut parts, |(range, lists)| {
            self.write_strips(range.clone(), backend, lists);
        });
        parts.iter().for_each(|(_, part)| lists.append(part));
    }

    /// Writes the lists of the objects of a range of strips.
    fn write_strips(&self, strips: Range<usize>, backend: Backend, lists: &mut Lists) {
        let mut scratch = Scratch::default();
        for index in strips {
            let (strip, begin) = self.strips[index];
            let (mut around, count) = self.around(strip);
            backend.dispatch(WriteLists {
                strips: self,
                own: begin..self.strips[index + 1].1,
                around: &mut around[..count],
                scratch: &mut scratch,
                out: lists,
            });
        }
    }

    /// Returns the ranges of objects, by index, in a strip and in the strips next to it; also the
    /// number of ranges.
    fn around(&self, strip: u64) -> ([Range<usize>; 9], usize) {
        let (mut around, mut count) = (from_fn(|_| 0..0), 0);
        let (across, plane) = (strip % self.in_plane, strip / self.in_plane);
        let mut index = 0;
        for plane in plane.saturating_sub(1)..=plane + 1 {
            let first = plane * self.in_plane + across.saturating_sub(1);
            let last = plane * self.in_plane + (across + 1).min(self.in_plane - 1);
            index += self.strips[index..].partition_point(|&(strip, _)| strip < first);
            while self.strips[index].0 <= last {
                around[count] = self.strips[index].1..self.strips[index + 1].1;
                count += 1;
                index += 1;
            }
        }
        (around, count)
    }
}

/// Returns the objects sorted by strip, then by their low end on the first axis: by radix, or by
/// comparison if there are many more strips than objects.
fn sort_by_strip<S: Scalar>(members: Vec<Member<S>>, strips: u64) -> Vec<Member<S>> {
    let along = |a: &Member<S>, b: &Member<S>| {
        a.first.partial_cmp(&b.first).unwrap_or(Ordering::Equal).then(a.object.cmp(&b.object))
    };
    let mut members = members;
    if strips > (4 * members.len() as u64 + 64).min(u64::from(u32::MAX)) {
        members.sort_unstable_by(|a, b| a.strip.cmp(&b.strip).then_with(|| along(a, b)));
        return members;
    }
    let mut other = members.clone();
    let strip = |&[member]: &[Member<S>; 1]| member.strip as u32;
    if radix_sort([&mut members[..]], [&mut other[..]], MIN_OBJECTS_PER_THREAD, strip) {
        members = other;
    }
    for in_strip in members.chunk_by_mut(|a, b| a.strip == b.strip) {
        in_strip.sort_unstable_by(along);
    }
    members
}

/// Kernel: writes the lists of one strip.
struct WriteLists<'a, S, const D: usize> {
    strips: &'a Strips<S, D>,
    own: Range<usize>,
    around: &'a mut [Range<usize>],
    scratch: &'a mut Scratch<S, D>,
    out: &'a mut Lists,
}

impl<S: Scalar, const D: usize> Kernel for WriteLists<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { strips, own, around, scratch, out } = self;
        let mut boxes = Boxes {
            min: [&[][..]; D],
            max: [&[][..]; D],
            keys: &strips.keys,
            points: strips.points,
        };
        let mut axis = 0;
        while axis < D {
            boxes.min[axis] = &strips.min[axis];
            boxes.max[axis] = &strips.max[axis];
            axis += 1;
        }
        near(lanes, &boxes, own, around, &strips.reach, scratch, out);
    }
}
