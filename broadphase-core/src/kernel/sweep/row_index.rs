//! Interpolation index of a sorted run that does not change: maps a key to an index near its
//! position without a search.
//!
//! 1. Divide the interval of the run's keys on the first axis into equal steps of four volumes.
//! 2. Count the volumes before each step.
//! 3. Return for a key the number of volumes before its step: an index with only smaller keys
//!    before it, O(1). If the step has too many volumes, the caller searches.

use alloc::vec::Vec;

use bounds_hexprism::{Backend, Kernel, LANES, Lanes};

use super::reach::numbers;

/// Average number of volumes per step. Two or three are no faster.
const VOLUMES_PER_STEP: usize = 4;
/// Maximum number of volumes in a step; with more, a binary search is faster.
const MAX_VOLUMES_PER_STEP: u32 = 4 * LANES as u32;

/// Interpolation indices of many runs, stored back to back; valid while the runs do not change.
#[derive(Clone, Debug, Default)]
pub struct RowIndexes {
    /// For each run: for each of its steps, the number of volumes before it; then the number of
    /// all.
    starts: Vec<u32>,
    scales: Vec<Scale>,
}

impl RowIndexes {
    /// Removes all indices without freeing memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.scales.clear();
    }

    /// Returns the number of runs.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns whether there are no runs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Returns the number of bytes allocated.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.scales.capacity() * size_of::<Scale>()
    }

    /// Reserves memory for `runs` runs with `places` volumes in all.
    pub fn reserve(&mut self, runs: usize, places: usize) {
        self.starts.reserve(places / VOLUMES_PER_STEP + 2 * runs);
        self.scales.reserve(runs);
    }

    /// Appends the index of the next run. `order` has the run's keys on the first axis, ascending;
    /// `ends` is an interval around them: the tighter, the better. `integer` is set if coordinates
    /// are integers.
    pub fn push(&mut self, backend: Backend, order: &[i32], ends: [i32; 2], integer: bool) {
        let first = self.starts.len();
        self.starts.resize(first + order.len() / VOLUMES_PER_STEP + 2, 0);
        let starts = &mut self.starts[first..];
        let scale = backend.dispatch(Measure { order, ends, integer, starts });
        self.scales.push(Scale { first, ..scale });
    }

    /// Returns the index of a run.
    ///
    /// # Panics
    /// If there is no such run.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, run: usize) -> RowIndex<'_> {
        let scale = &self.scales[run];
        RowIndex { scale, starts: &self.starts[scale.first..][..scale.last as usize + 2] }
    }
}

#[derive(Clone, Copy, Debug)]
struct Scale {
    /// Position of the run in `starts`.
    first: usize,
    /// Set if the coordinates are integers, not floats.
    integer: bool,
    /// Coordinate at which the run's first step begins.
    from: f32,
    /// Number of steps per unit of the coordinate.
    density: f32,
    /// Index of the run's last step.
    last: i32,
}

impl Scale {
    /// Returns the steps of eight keys. Despite rounding, a larger key never has a smaller step.
    #[inline(always)]
    fn steps<L: Lanes>(&self, lanes: L, keys: L::I) -> L::I {
        let from = lanes.splat_f32(self.from);
        let far = lanes.sub_f32(numbers(lanes, keys, self.integer), from);
        let steps = lanes.mul_f32(far, lanes.splat_f32(self.density));
        let (zero, last) = (lanes.splat_f32(0.0), lanes.splat_f32(self.last as f32));
        // This also maps NaN to the first step: infinity times 0, if all keys are equal.
        let steps = lanes.select_f32(lanes.gt_f32(steps, zero), steps, zero);
        let steps = lanes.select_f32(lanes.gt_f32(steps, last), last, steps);
        lanes.min(lanes.truncate(steps), lanes.splat(self.last))
    }
}

/// Kernel: computes a run's scale, and the number of volumes before each step.
struct Measure<'a> {
    order: &'a [i32],
    ends: [i32; 2],
    integer: bool,
    /// Output, initially 0: the number of volumes before each step, then the number of all.
    starts: &'a mut [u32],
}

impl Kernel for Measure<'_> {
    type Output = Scale;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Scale {
        let Self { order, ends, integer, starts } = self;
        let [from, to] = ends;
        let ends = lanes.load(&[from, to, to, to, to, to, to, to]);
        let [from, to, ..] = lanes.store_f32(numbers(lanes, ends, integer));
        let last = starts.len() - 2;
        // The density is infinite or NaN if all volumes begin at one coordinate, and may be 0.
        let density = last as f32 / (to - from).max(0.0);
        let scale = Scale { first: 0, integer, from, density, last: last as i32 };
        for (block, keys) in (0..).step_by(LANES).zip(order.chunks(LANES)) {
            let mut eight = [i32::MAX; LANES];
            eight[..keys.len()].copy_from_slice(keys);
            let steps = lanes.store(scale.steps(lanes, lanes.load(&eight)));
            for (before, &step) in (block + 1..).zip(&steps[..keys.len()]) {
                starts[step as usize + 1] = before;
            }
        }
        let mut before = 0;
        for start in starts {
            before = before.max(*start);
            *start = before;
        }
        scale
    }
}

/// Interpolation index of one run.
#[derive(Clone, Copy, Debug)]
pub struct RowIndex<'a> {
    scale: &'a Scale,
    starts: &'a [u32],
}

impl RowIndex<'_> {
    /// Returns for a key an index of the run: all keys before the index are smaller, and at most 32
    /// from it on. Returns `None` if the step of the key has more volumes.
    #[inline(always)]
    #[must_use]
    pub fn place<L: Lanes>(&self, lanes: L, key: i32) -> Option<usize> {
        let [step, ..] = lanes.store(self.scale.steps(lanes, lanes.splat(key)));
        let [begin, end] = self.step(step);
        (end - begin <= MAX_VOLUMES_PER_STEP).then_some(begin as usize)
    }

    /// Returns [`place`](Self::place) for each of eight keys; `None` if a key has no index.
    #[inline(always)]
    #[must_use]
    pub fn places<L: Lanes>(&self, lanes: L, keys: L::I) -> Option<[usize; LANES]> {
        let steps = lanes.store(self.scale.steps(lanes, keys));
        let (mut places, mut most) = ([0; LANES], 0);
        for (place, &step) in places.iter_mut().zip(&steps) {
            let [begin, end] = self.step(step);
            *place = begin as usize;
            most = most.max(end - begin);
        }
        (most <= MAX_VOLUMES_PER_STEP).then_some(places)
    }

    /// Returns the number of volumes before a step, and that before the next step.
    #[inline(always)]
    fn step(&self, step: i32) -> [u32; 2] {
        *self.starts[step as usize..].first_chunk().expect("a count behind each step")
    }
}
