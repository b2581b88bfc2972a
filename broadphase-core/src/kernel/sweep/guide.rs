//! Where in a run to look for what begins at some number, without a search: for runs that rest.

use alloc::vec::Vec;

use bounds_hexprism::{Backend, Kernel, LANES, Lanes};

use super::reach::numbers;

/// How many places there are for each step, on average. Two or three: no faster.
const PLACES: usize = 4;
/// Where a step has more places than this, a search finds fewer.
const CROWDED: u32 = 4 * LANES as u32;

/// Guides for many runs, one after the other in memory.
///
/// A guide divides its run into steps of one length along the first axis, and knows how many places
/// are before each of them. It holds as long as its run stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Guides {
    /// For each step of each run how many of its places are before, then how many there are.
    starts: Vec<u32>,
    scales: Vec<Scale>,
}

impl Guides {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.scales.clear();
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// How many bytes they hold.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.scales.capacity() * size_of::<Scale>()
    }

    /// Makes room for the guides of so many runs, with so many places in all.
    pub fn reserve(&mut self, runs: usize, places: usize) {
        self.starts.reserve(places / PLACES + 2 * runs);
        self.scales.reserve(runs);
    }

    /// Makes the guide of the next run: of its keys on the first axis, ascending, and the interval
    /// in which its volumes are, on which it depends how good the guide is. `integer` says whether
    /// keys are those of integers, not of floats.
    pub fn push(&mut self, backend: Backend, order: &[i32], ends: [i32; 2], integer: bool) {
        let first = self.starts.len();
        self.starts.resize(first + order.len() / PLACES + 2, 0);
        let starts = &mut self.starts[first..];
        let scale = backend.dispatch(Measure { order, ends, integer, starts });
        self.scales.push(Scale { first, ..scale });
    }

    /// The guide of a run, counted from 0 on.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, run: usize) -> Guide<'_> {
        let scale = &self.scales[run];
        Guide { scale, starts: &self.starts[scale.first..][..scale.last as usize + 2] }
    }
}

/// How keys become steps.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// Where in the list of all guides this one is.
    first: usize,
    /// Whether keys are integers, not floats.
    integer: bool,
    /// Where the first step begins.
    from: f32,
    /// How many steps there are to 1.
    density: f32,
    /// The last step.
    last: i32,
}

impl Scale {
    /// The steps of eight keys: of a larger one it is never a smaller one, whatever is rounded.
    #[inline(always)]
    fn steps<L: Lanes>(&self, lanes: L, keys: L::I) -> L::I {
        let from = lanes.splat_f32(self.from);
        let far = lanes.sub_f32(numbers(lanes, keys, self.integer), from);
        let steps = lanes.mul_f32(far, lanes.splat_f32(self.density));
        let (zero, last) = (lanes.splat_f32(0.0), lanes.splat_f32(self.last as f32));
        // Infinity times 0, where nothing can be told apart, is below all as well.
        let steps = lanes.select_f32(lanes.gt_f32(steps, zero), steps, zero);
        let steps = lanes.select_f32(lanes.gt_f32(steps, last), last, steps);
        lanes.min(lanes.truncate(steps), lanes.splat(self.last))
    }
}

/// Makes a guide: finds how keys become steps, and how many places are before each.
struct Measure<'a> {
    order: &'a [i32],
    ends: [i32; 2],
    integer: bool,
    /// For each step, and behind the last; all 0.
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
        // Infinite or no number where all begin at one; 0 where they are too far apart.
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

/// The guide of one run.
#[derive(Clone, Copy, Debug)]
pub struct Guide<'a> {
    scale: &'a Scale,
    starts: &'a [u32],
}

impl Guide<'_> {
    /// For a key, a place of the run, counted from its first on, with nothing but smaller ones
    /// before it and no more than 32 smaller ones from there on; `None` where more are too close to
    /// each other to be told apart.
    #[inline(always)]
    #[must_use]
    pub fn place<L: Lanes>(&self, lanes: L, key: i32) -> Option<usize> {
        let [step, ..] = lanes.store(self.scale.steps(lanes, lanes.splat(key)));
        let [begin, end] = self.step(step);
        (end - begin <= CROWDED).then_some(begin as usize)
    }

    /// [`place`](Self::place) for each of eight keys, if there is one for all of them.
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
        (most <= CROWDED).then_some(places)
    }

    /// How many places are before a step, and before the next.
    #[inline(always)]
    fn step(&self, step: i32) -> [u32; 2] {
        *self.starts[step as usize..].first_chunk().expect("an end behind each step")
    }
}
