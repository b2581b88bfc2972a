//! Objects in runs, in one array per coordinate, for the kernel in `kernel/near.rs`.

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::Range;

use bounds_hexprism::{Aabb, Kernel, Keys, LANES, Lanes, Scalar};

use crate::kernel::near::{Boxes, RadiusBounds, Scratch, near};
use crate::kernel::{COUNTED, rank};
use crate::query::ListBuffer;
use crate::tasks;

/// Minimum number of objects per thread.
pub(super) const MIN_OBJECTS_PER_THREAD: usize = 4096;

/// Objects in runs that follow each other, in one array per coordinate.
pub(super) struct Runs<S, const D: usize> {
    planes: Planes<S, D>,
    /// Keys, or other numbers of objects, mapped to signed numbers of the same order; and padding.
    pub(super) keys: Vec<i32>,
    points: bool,
}

struct Planes<S, const D: usize> {
    min: [Vec<S>; D],
    /// Empty for points.
    max: [Vec<S>; D],
    /// Integer keys of the low ends on the first axis; empty if runs are not sorted.
    order: Vec<i32>,
}

/// Sort key of an object: run, integer key of the low end on the first axis, index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member {
    pub(super) run: u64,
    pub(super) order: u64,
}

impl Member {
    /// Returns the sort key of the object with this index.
    pub(super) fn new<S: Scalar, const D: usize>(
        run: u64,
        bounds: &Aabb<S, D>,
        object: usize,
    ) -> Self {
        let first = rank::unsigned(bounds.min[0].key_below());
        Self { run, order: u64::from(first) << 32 | object as u64 }
    }

    fn object(self) -> usize {
        self.order as u32 as usize
    }
}

impl<S: Scalar, const D: usize> Runs<S, D> {
    /// Creates empty runs, to which objects are appended in any order. If `points` is set, all
    /// objects must be points.
    pub(super) const fn unsorted(points: bool) -> Self {
        let none = const { [const { Vec::new() }; D] };
        let planes =
            Planes { min: none, max: const { [const { Vec::new() }; D] }, order: Vec::new() };
        Self { planes, keys: Vec::new(), points }
    }

    /// Reserves memory to [write](Self::write) `len` objects.
    pub(super) fn make_room(&mut self, len: usize) {
        let len = len + LANES;
        if len > self.keys.len() {
            self.keys.resize(2 * len, 0);
            let Planes { min, max, .. } = &mut self.planes;
            min.iter_mut().for_each(|plane| plane.resize(2 * len, S::ZERO));
            if !self.points {
                max.iter_mut().for_each(|plane| plane.resize(2 * len, S::ZERO));
            }
        }
    }

    /// Replaces the object at a place, for which there must be [room](Self::make_room).
    #[inline(always)]
    pub(super) fn write(&mut self, place: usize, key: u32, bounds: &Aabb<S, D>) {
        self.keys[place] = rank::signed(key);
        let Planes { min, max, .. } = &mut self.planes;
        for axis in 0..D {
            min[axis][place] = bounds.min[axis];
            if !self.points {
                max[axis][place] = bounds.max[axis];
            }
        }
    }

    /// Copies the objects into the runs of their `members`, each run in one piece, and sorts each
    /// run. If `points` is set, all objects must be points.
    pub(super) fn sorted(
        objects: &[(u32, Aabb<S, D>)],
        mut members: Vec<Member>,
        points: bool,
    ) -> Self {
        let len = members.len() + LANES;
        let plane = |len| alloc::vec![S::MAX; len];
        let mut planes = Planes {
            min: from_fn(|_| plane(len)),
            max: from_fn(|_| plane(if points { 0 } else { len })),
            order: alloc::vec![i32::MAX; members.len() + COUNTED],
        };
        let mut keys = alloc::vec![0; len];
        let lens = members.chunk_by(|a, b| a.run == b.run).map(<[Member]>::len);
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
        let mut jobs: Vec<RunTask<'_, S, D>> = Vec::with_capacity(ends.len());
        let mut rest = RunTask {
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
        Self { planes, keys, points }
    }
}

/// Task of [`Runs::sorted`]: one range of the objects, whole runs.
struct RunTask<'a, S, const D: usize> {
    members: &'a mut [Member],
    min: [&'a mut [S]; D],
    max: [&'a mut [S]; D],
    order: &'a mut [i32],
    keys: &'a mut [i32],
}

impl<'a, S: Scalar, const D: usize> RunTask<'a, S, D> {
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
        for run in self.members.chunk_by_mut(|a, b| a.run == b.run) {
            orders.clear();
            orders.extend(run.iter().map(|member| member.order));
            // The stable sort is faster: it merges runs that are sorted already, such as the rows
            // of a grid.
            orders.sort();
            let own = begin..begin + run.len();
            let object = |order: u64| &objects[Member { run: 0, order }.object()];
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
            begin += run.len();
        }
    }
}

/// Kernel: appends for each object of a run the others within a radius in the runs `around`; see
/// [`near`].
pub(super) struct WriteLists<'a, S, const D: usize> {
    pub(super) runs: &'a Runs<S, D>,
    pub(super) own: Range<usize>,
    pub(super) around: &'a mut [Range<usize>],
    pub(super) reach: &'a RadiusBounds<S>,
    pub(super) sorted: bool,
    pub(super) scratch: &'a mut Scratch<S, D>,
    pub(super) out: &'a mut ListBuffer,
}

impl<S: Scalar, const D: usize> Kernel for WriteLists<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { runs, own, around, reach, sorted, scratch, out } = self;
        let Planes { min, max, order } = &runs.planes;
        let mut boxes = Boxes {
            min: [&[][..]; D],
            max: [&[][..]; D],
            order,
            keys: &runs.keys,
            points: runs.points,
        };
        let mut axis = 0;
        while axis < D {
            boxes.min[axis] = &min[axis];
            boxes.max[axis] = &max[axis];
            axis += 1;
        }
        near(lanes, &boxes, own, around, reach, sorted, scratch, out);
    }
}
