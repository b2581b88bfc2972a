//! Objects sorted into strips along the first axis.
//!
//! 1. Cut space perpendicular to every axis but the first into strips, slightly wider than the
//!    radius plus the largest object.
//! 2. Sort the objects by strip (radix sort).
//! 3. Sort each strip by the integer keys of the low ends on the first axis, and copy its objects
//!    into one array per coordinate.
//!
//! Takes about linear time; all steps run on several threads.

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::Range;

use bounds_hexprism::{Aabb, Backend, Kernel, Keys, LANES, Lanes, Scalar};

use super::MIN_OBJECTS_PER_THREAD;
use crate::kernel::near::{Boxes, Reach, Scratch, near};
use crate::kernel::{COUNTED, rank};
use crate::query::ListBuffer;
use crate::sort::radix_sort;
use crate::tasks;

/// Minimum width of a strip, in object spacings.
const MIN_WIDTH_IN_SPACINGS: f64 = 0.5;
/// Maximum strip number in each direction; all objects farther out share one more strip.
const MAX_STRIP: f64 = (1 << 30) as f64;
/// Factor that enlarges a distance by more than its rounding error.
const ROUNDING: f64 = 1.0 + 1e-6;

/// Returns the largest extent of a box on any axis.
pub(super) fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let mut largest = 0.0;
    for axis in 0..D {
        let extent = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
        largest = if extent > largest { extent } else { largest };
    }
    largest
}

/// The smallest and the largest low corner of some objects, and the largest extent of an object on
/// any axis.
pub(super) struct Extent<S, const D: usize> {
    corners: [[S; D]; 2],
    pub(super) largest: f64,
}

impl<S: Scalar, const D: usize> Extent<S, D> {
    pub(super) fn of(objects: &[(u32, Aabb<S, D>)]) -> Self {
        let mut corners = objects.first().map_or([[S::ZERO; D]; 2], |(_, first)| [first.min; 2]);
        let mut largest = 0.0;
        for (_, bounds) in objects {
            let extent = extent(bounds);
            largest = if extent > largest { extent } else { largest };
            for (axis, &x) in bounds.min.iter().enumerate() {
                let [low, high] = [corners[0][axis], corners[1][axis]];
                corners[0][axis] = if x < low { x } else { low };
                corners[1][axis] = if x > high { x } else { high };
            }
        }
        Self { corners, largest }
    }
}

/// Objects sorted by strip, in one array per coordinate.
pub(super) struct Strips<S, const D: usize> {
    planes: Planes<S, D>,
    /// Keys, mapped to signed numbers of the same order, and padding.
    pub(super) keys: Vec<i32>,
    /// Number of each strip that has objects and index of its first object, ascending; ends with a
    /// sentinel.
    strips: Vec<(u64, usize)>,
    /// Number of strips side by side in a plane; strip numbers count plane by plane.
    in_plane: u64,
    reach: Reach<S>,
    points: bool,
}

/// Coordinates of sorted objects.
struct Planes<S, const D: usize> {
    min: [Vec<S>; D],
    /// Empty for points.
    max: [Vec<S>; D],
    /// Integer keys of the low ends on the first axis.
    order: Vec<i32>,
}

/// Sort key of an object: strip, integer key of the low end on the first axis, index.
#[derive(Clone, Copy)]
struct Member {
    strip: u64,
    order: u64,
}

impl Member {
    fn object(self) -> usize {
        self.order as u32 as usize
    }
}

impl<S: Scalar, const D: usize> Strips<S, D> {
    /// Sorts objects that are no larger than the radius into strips.
    pub(super) fn new(
        objects: &[(u32, Aabb<S, D>)],
        Extent { corners, largest }: Extent<S, D>,
        radius: S,
        spacing: Option<f64>,
    ) -> Self {
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
        let [low, high] = corners.map(cells);
        let count = |axis: usize| if axis < D { (high[axis] - low[axis] + 1) as u64 } else { 1 };
        let in_plane = count(1);
        let member = |(_, bounds): &(u32, Aabb<S, D>), object: usize| {
            let cells = cells(bounds.min);
            let from_low = |axis: usize| (cells[axis] - low[axis]) as u64;
            let strip = match D {
                1 => 0,
                2 => from_low(1),
                _ => from_low(2) * in_plane + from_low(1),
            };
            let first = rank::unsigned(bounds.min[0].key_below());
            Member { strip, order: u64::from(first) << 32 | object as u64 }
        };
        let members = sort_by_strip(objects, member, in_plane.saturating_mul(count(2)));
        let mut strips: Vec<(u64, usize)> = Vec::new();
        for (place, member) in members.iter().enumerate() {
            if strips.last().is_none_or(|&(strip, _)| strip != member.strip) {
                strips.push((member.strip, place));
            }
        }
        strips.push((u64::MAX, members.len()));
        let points = largest == 0.0;
        let (planes, keys) = planes(objects, members, points);
        Self {
            planes,
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

    /// Returns the number of strips that have objects.
    pub(super) const fn len(&self) -> usize {
        self.strips.len() - 1
    }

    /// Returns the number of objects in each strip.
    pub(super) fn lens(&self) -> impl Iterator<Item = usize> + Clone {
        self.strips.windows(2).map(|pair| pair[1].1 - pair[0].1)
    }

    /// Returns the index range of the objects in a range of strips.
    pub(super) fn objects(&self, strips: Range<usize>) -> Range<usize> {
        self.strips[strips.start].1..self.strips[strips.end].1
    }

    /// Appends the lists of the objects of a strip.
    pub(super) fn write_lists(
        &self,
        strip: usize,
        backend: Backend,
        sorted: bool,
        scratch: &mut Scratch<S, D>,
        out: &mut ListBuffer,
    ) {
        let (mut around, count) = self.around(self.strips[strip].0);
        backend.dispatch(WriteLists {
            strips: self,
            own: self.objects(strip..strip + 1),
            around: &mut around[..count],
            sorted,
            scratch,
            out,
        });
    }

    /// Returns the index ranges of the objects in a strip and in the strips next to it, and the
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

/// Returns a sort key for each object, ascending: by radix, or by comparison if there are many more
/// strips than objects.
fn sort_by_strip<S: Scalar, const D: usize>(
    objects: &[(u32, Aabb<S, D>)],
    member: impl Fn(&(u32, Aabb<S, D>), usize) -> Member + Sync,
    strips: u64,
) -> Vec<Member> {
    let mut members = alloc::vec![Member { strip: 0, order: 0 }; objects.len()];
    let mut ranges = tasks::even(objects.len(), MIN_OBJECTS_PER_THREAD);
    if ranges.is_empty() {
        ranges.push(0..objects.len());
    }
    let mut rest = &mut members[..];
    let mut jobs = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (own, others) = rest.split_at_mut(range.len());
        jobs.push((range, own));
        rest = others;
    }
    tasks::each(&mut jobs, |(range, own)| {
        for (own, index) in own.iter_mut().zip(range.clone()) {
            *own = member(&objects[index], index);
        }
    });
    if strips > (4 * members.len() as u64 + 64).min(u64::from(u32::MAX)) {
        members.sort_unstable_by_key(|member| (member.strip, member.order));
        return members;
    }
    let mut other = members.clone();
    let strip = |&[member]: &[Member; 1]| member.strip as u32;
    if radix_sort([&mut members[..]], [&mut other[..]], MIN_OBJECTS_PER_THREAD, strip) {
        members = other;
    }
    members
}

/// Task of [`planes`]: one range of the objects, whole strips.
struct Job<'a, S, const D: usize> {
    members: &'a mut [Member],
    min: [&'a mut [S]; D],
    max: [&'a mut [S]; D],
    order: &'a mut [i32],
    keys: &'a mut [i32],
}

/// Returns the coordinates and keys of objects sorted by strip, and sorts each strip.
fn planes<S: Scalar, const D: usize>(
    objects: &[(u32, Aabb<S, D>)],
    mut members: Vec<Member>,
    points: bool,
) -> (Planes<S, D>, Vec<i32>) {
    let len = members.len() + LANES;
    let plane = |len| alloc::vec![S::MAX; len];
    let mut planes = Planes {
        min: from_fn(|_| plane(len)),
        max: from_fn(|_| plane(if points { 0 } else { len })),
        order: alloc::vec![i32::MAX; members.len() + COUNTED],
    };
    let mut keys = alloc::vec![0; len];
    let lens = members.chunk_by(|a, b| a.strip == b.strip).map(<[Member]>::len);
    let mut ends = Vec::new();
    let mut end = 0;
    let least = members.len() / (4 * tasks::threads()) + MIN_OBJECTS_PER_THREAD;
    for len in lens {
        end += len;
        if end - ends.last().copied().unwrap_or(0) >= least {
            ends.push(end);
        }
    }
    ends.push(end);
    let mut jobs: Vec<Job<'_, S, D>> = Vec::with_capacity(ends.len());
    let mut rest = Job {
        members: &mut members,
        min: planes.min.each_mut().map(|plane| &mut plane[..]),
        max: planes.max.each_mut().map(|plane| &mut plane[..]),
        order: &mut planes.order,
        keys: &mut keys,
    };
    let mut begin = 0;
    for end in ends {
        let len = end - begin;
        begin = end;
        let (own, others) = rest.split(len);
        jobs.push(own);
        rest = others;
    }
    tasks::each(&mut jobs, |job| job.run(objects, points));
    (planes, keys)
}

impl<'a, S: Scalar, const D: usize> Job<'a, S, D> {
    fn split(self, len: usize) -> (Self, Self) {
        let (members, other_members) = self.members.split_at_mut(len);
        let (order, other_order) = self.order.split_at_mut(len);
        let (keys, other_keys) = self.keys.split_at_mut(len);
        let (mut min, mut max) = (from_fn(|_| &mut [][..]), from_fn(|_| &mut [][..]));
        let (mut other_min, mut other_max) = (from_fn(|_| &mut [][..]), from_fn(|_| &mut [][..]));
        for (axis, (low, high)) in self.min.into_iter().zip(self.max).enumerate() {
            (min[axis], other_min[axis]) = low.split_at_mut(len);
            let len = len.min(high.len());
            (max[axis], other_max[axis]) = high.split_at_mut(len);
        }
        (
            Self { members, min, max, order, keys },
            Self {
                members: other_members,
                min: other_min,
                max: other_max,
                order: other_order,
                keys: other_keys,
            },
        )
    }

    fn run(&mut self, objects: &[(u32, Aabb<S, D>)], points: bool) {
        let mut orders: Vec<u64> = Vec::new();
        let mut begin = 0;
        for strip in self.members.chunk_by_mut(|a, b| a.strip == b.strip) {
            orders.clear();
            orders.extend(strip.iter().map(|member| member.order));
            // The stable sort is faster here, because it merges runs that are sorted already, such
            // as the rows of a grid.
            orders.sort();
            let own = begin..begin + strip.len();
            let object = |order: u64| &objects[Member { strip: 0, order }.object()];
            for (to, &order) in self.keys[own.clone()].iter_mut().zip(&orders) {
                *to = rank::signed(object(order).0);
            }
            for (to, &order) in self.order[own.clone()].iter_mut().zip(&orders) {
                *to = rank::signed((order >> 32) as u32);
            }
            for axis in 0..D {
                for (to, &order) in self.min[axis][own.clone()].iter_mut().zip(&orders) {
                    *to = object(order).1.min[axis];
                }
                if points {
                    continue;
                }
                for (to, &order) in self.max[axis][own.clone()].iter_mut().zip(&orders) {
                    *to = object(order).1.max[axis];
                }
            }
            begin += strip.len();
        }
    }
}

/// Kernel: writes the lists of one strip.
struct WriteLists<'a, S, const D: usize> {
    strips: &'a Strips<S, D>,
    own: Range<usize>,
    around: &'a mut [Range<usize>],
    sorted: bool,
    scratch: &'a mut Scratch<S, D>,
    out: &'a mut ListBuffer,
}

impl<S: Scalar, const D: usize> Kernel for WriteLists<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { strips, own, around, sorted, scratch, out } = self;
        let planes = &strips.planes;
        let mut boxes = Boxes {
            min: [&[][..]; D],
            max: [&[][..]; D],
            order: &planes.order,
            keys: &strips.keys,
            points: strips.points,
        };
        let mut axis = 0;
        while axis < D {
            boxes.min[axis] = &planes.min[axis];
            boxes.max[axis] = &planes.max[axis];
            axis += 1;
        }
        near(lanes, &boxes, own, around, &strips.reach, sorted, scratch, out);
    }
}
