//! Objects sorted into strips along the first axis.
//!
//! 1. Cut space perpendicular to every axis but the first into strips, slightly wider than the
//!    radius plus the largest object.
//! 2. Sort the objects by strip (radix sort).
//! 3. Sort each strip by integer keys of the low ends on the first axis, and copy its objects into
//!    one array per coordinate ([`Runs`]).
//!
//! Objects may be followed by *ghosts*, which are only candidates. Each strip then has two runs,
//! objects and ghosts; objects are tested against ghosts alone.
//!
//! Takes about linear time; all steps run on several threads.

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::Range;

use bounds_hexprism::{Aabb, Backend, Scalar};

use crate::kernel::near::{RadiusBounds, Scratch};
use crate::query::ListBuffer;
use crate::query::runs::{MIN_OBJECTS_PER_THREAD, Member, Runs, WriteLists};
use crate::sort::radix_sort;
use crate::tasks;

/// Minimum width of a strip, in object spacings.
const MIN_WIDTH_IN_SPACINGS: f64 = 0.5;
/// Maximum strip number in each direction; all objects farther out share one more strip.
const MAX_STRIP: f64 = (1 << 30) as f64;

/// Returns the largest extent of a box on any axis.
pub(crate) fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let mut largest = 0.0;
    for axis in 0..D {
        let extent = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
        largest = if extent > largest { extent } else { largest };
    }
    largest
}

/// Estimates the distance between adjacent objects from the box around them, within a factor of two
/// and not below `least`.
fn typical_spacing<S: Scalar, const D: usize>(
    corners: &[[S; D]; 2],
    objects: usize,
    least: f64,
) -> f64 {
    let sides: [f64; D] = from_fn(|axis| {
        let side = corners[1][axis].to_f64() - corners[0][axis].to_f64();
        side.min(f64::MAX)
    });
    let mut spacing = sides.into_iter().fold(0.0, f64::max);
    // The share of the box that a cube of this size takes.
    let share = |size: f64| sides.iter().fold(1.0, |all, &side| all * (size / side).min(1.0));
    while spacing > least && objects as f64 * share(spacing) > 1.0 {
        spacing /= 2.0;
    }
    spacing
}

/// Smallest and largest low corner of some objects, and their largest extent on any axis.
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

/// Objects sorted by strip; each strip is a run, or two runs if there are ghosts.
pub(super) struct Strips<S, const D: usize> {
    pub(super) runs: Runs<S, D>,
    /// Number of each run that has objects and index of its first object, ascending, with a
    /// sentinel. The number is that of the strip times `kinds`, plus 1 for ghosts.
    strips: Vec<(u64, usize)>,
    /// Number of runs in a strip: 2 if there are ghosts.
    kinds: u64,
    /// Number of strips side by side in a plane; strip numbers count plane by plane.
    in_plane: u64,
    reach: RadiusBounds<S>,
}

impl<S: Scalar, const D: usize> Strips<S, D> {
    /// Sorts objects into strips. Those with an index of `ghosts` or above are ghosts.
    pub(super) fn new(
        objects: &[(u32, Aabb<S, D>)],
        ghosts: usize,
        Extent { corners, largest }: Extent<S, D>,
        radius: S,
        spacing: Option<f64>,
    ) -> Self {
        let reach = radius.to_f64() + largest;
        let spacing = spacing.unwrap_or_else(|| typical_spacing(&corners, objects.len(), reach));
        let width = reach.max(MIN_WIDTH_IN_SPACINGS * spacing) * (1.0 + 1e-5);
        // The lower bound makes the inverse finite.
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
        let kinds = if ghosts < objects.len() { 2 } else { 1 };
        let member = |(_, bounds): &(u32, Aabb<S, D>), object: usize| {
            let cells = cells(bounds.min);
            let from_low = |axis: usize| (cells[axis] - low[axis]) as u64;
            let strip = match D {
                1 => 0,
                2 => from_low(1),
                _ => from_low(2) * in_plane + from_low(1),
            };
            Member::new(strip * kinds + u64::from(object >= ghosts), bounds, object)
        };
        let runs = in_plane.saturating_mul(count(2)).saturating_mul(kinds);
        let members = sort_by_strip(objects, member, runs);
        let mut strips: Vec<(u64, usize)> = Vec::new();
        for (place, member) in members.iter().enumerate() {
            if strips.last().is_none_or(|&(strip, _)| strip != member.run) {
                strips.push((member.run, place));
            }
        }
        strips.push((u64::MAX, members.len()));
        Self {
            runs: Runs::sorted(objects, members, largest == 0.0),
            strips,
            kinds,
            in_plane,
            reach: RadiusBounds::new(radius, largest),
        }
    }

    pub(super) fn is_of_ghosts(&self, run: usize) -> bool {
        self.strips[run].0 % self.kinds == 1
    }

    pub(super) const fn len(&self) -> usize {
        self.strips.len() - 1
    }

    pub(super) fn lens(&self) -> impl Iterator<Item = usize> + Clone {
        self.strips.windows(2).map(|pair| pair[1].1 - pair[0].1)
    }

    pub(super) fn objects(&self, runs: Range<usize>) -> Range<usize> {
        self.strips[runs.start].1..self.strips[runs.end].1
    }

    /// Appends the lists of the objects of a run. If there are ghosts, the lists have ghosts near
    /// each object, and also some objects of its run.
    pub(super) fn write_lists(
        &self,
        run: usize,
        backend: Backend,
        sorted: bool,
        scratch: &mut Scratch<S, D>,
        out: &mut ListBuffer,
    ) {
        let (mut around, count) = self.around(self.strips[run].0 / self.kinds);
        let (own, around) = (self.objects(run..run + 1), &mut around[..count]);
        let Self { runs, reach, .. } = self;
        backend.dispatch(WriteLists { runs, own, around, reach, sorted, scratch, out });
    }

    /// Returns the index ranges of the candidates (ghosts, if any) in a strip and the strips next
    /// to it, and the number of ranges.
    fn around(&self, strip: u64) -> ([Range<usize>; 9], usize) {
        let (mut around, mut count) = (from_fn(|_| 0..0), 0);
        let (across, plane) = (strip % self.in_plane, strip / self.in_plane);
        let mut index = 0;
        for plane in plane.saturating_sub(1)..=plane + 1 {
            let first = plane * self.in_plane + across.saturating_sub(1);
            let last = plane * self.in_plane + (across + 1).min(self.in_plane - 1);
            index += self.strips[index..].partition_point(|&(run, _)| run / self.kinds < first);
            while self.strips[index].0 / self.kinds <= last {
                if self.kinds == 1 || self.is_of_ghosts(index) {
                    around[count] = self.strips[index].1..self.strips[index + 1].1;
                    count += 1;
                }
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
    let mut members = alloc::vec![Member::default(); objects.len()];
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
        members.sort_unstable_by_key(|member| (member.run, member.order));
        return members;
    }
    let mut other = members.clone();
    let strip = |&[member]: &[Member; 1]| member.run as u32;
    if radix_sort([&mut members[..]], [&mut other[..]], MIN_OBJECTS_PER_THREAD, strip) {
        members = other;
    }
    members
}
