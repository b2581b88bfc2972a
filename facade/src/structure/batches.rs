//! The grid's batches as lists of boxes.

use broadphase_core::{Aabb, Backend, Kernel, Lanes, Scalar};
use broadphase_hshg::Batch;

use super::{Change, Movers, Proxy};
use crate::Handle;

/// The largest number of places in a batch.
const LARGEST: usize = 128;

/// Room for the handles and boxes of a batch.
pub(super) struct Room<S, const D: usize> {
    handles: [Handle; LARGEST],
    boxes: [Aabb<S, D>; LARGEST],
    runs: [[usize; 2]; LARGEST / 2],
}

impl<S: Scalar, const D: usize> Room<S, D> {
    pub(super) fn new() -> Self {
        Self {
            handles: [Handle::new(0, 0); LARGEST],
            boxes: [Aabb { min: [S::ZERO; D], max: [S::ZERO; D] }; LARGEST],
            runs: [[0; 2]; LARGEST / 2],
        }
    }
}

/// Hands the objects of a batch to `change`.
pub(super) fn change<S: Scalar, const D: usize>(
    backend: Backend,
    batch: Batch<'_, S, D, Proxy>,
    Room { handles, boxes, runs }: &mut Room<S, D>,
    change: &mut Change<'_, S, D>,
) {
    let len = batch.keys.len().min(LARGEST);
    let vacancies = batch.vacancies();
    let Batch { keys, data, min, max, .. } = batch;
    let (from, to) = (planes(&min, len), planes(&max, len));
    backend.dispatch(CopyOut {
        keys,
        proxies: data,
        min: from,
        max: to,
        handles: &mut handles[..len],
        boxes: &mut boxes[..len],
    });
    let runs = find_runs(vacancies, len, runs);
    let mut back = CopyBack { backend, boxes, min, max, done: 0 };
    if !runs.is_empty() {
        let CopyBack { boxes, done, .. } = &mut back;
        let (handles, bounds) = (&handles[..len], &mut boxes[..len]);
        let movers = Movers { handles, proxies: data, bounds, runs, done: 0 };
        let mut shown = Shown { movers, done };
        change(&mut shown.movers);
    }
}

/// Finds the runs of places that are not vacant.
fn find_runs(vacancies: u128, len: usize, runs: &mut [[usize; 2]; LARGEST / 2]) -> &[[usize; 2]] {
    let (mut count, mut begin) = (0, 0);
    for (half, first) in [(vacancies as u64, 0), ((vacancies >> 64) as u64, 64)] {
        let mut rest = half;
        while rest != 0 {
            let end = first + rest.trailing_zeros() as usize;
            if end >= len {
                break;
            }
            // Runs have a vacant place between them, so there is always room.
            runs[count % runs.len()] = [begin, end];
            count += usize::from(end > begin);
            begin = end + 1;
            rest &= rest - 1;
        }
    }
    if begin < len {
        runs[count % runs.len()] = [begin, len];
        count += 1;
    }
    &runs[..count]
}

/// Places shown to the caller; passes on how many are done, also if it panics.
struct Shown<'a, 'b, S, const D: usize> {
    movers: Movers<'a, S, D>,
    done: &'b mut usize,
}

impl<S, const D: usize> Drop for Shown<'_, '_, S, D> {
    fn drop(&mut self) {
        *self.done = self.movers.done;
    }
}

/// Copies the boxes that are done back into the planes of a batch when it is dropped.
struct CopyBack<'a, 'b, S: Scalar, const D: usize> {
    backend: Backend,
    boxes: &'b mut [Aabb<S, D>; LARGEST],
    min: [&'a mut [S]; D],
    max: [&'a mut [S]; D],
    done: usize,
}

impl<S: Scalar, const D: usize> Drop for CopyBack<'_, '_, S, D> {
    fn drop(&mut self) {
        let len = self.done;
        self.backend.dispatch(CopyIn {
            boxes: &self.boxes[..len],
            min: self.min.each_mut().map(|plane| &mut plane[..len]),
            max: self.max.each_mut().map(|plane| &mut plane[..len]),
        });
    }
}

/// Copies planes into handles and boxes. A kernel only so that the compiler may shuffle eight numbers
/// at a time.
struct CopyOut<'a, S, const D: usize> {
    keys: &'a [u32],
    proxies: &'a [Proxy],
    min: [&'a [S]; D],
    max: [&'a [S]; D],
    handles: &'a mut [Handle],
    boxes: &'a mut [Aabb<S, D>],
}

impl<S: Scalar, const D: usize> Kernel for CopyOut<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        // The lengths of all planes are known to be equal, so the loops have no other exits.
        let len = self.boxes.len();
        let (min, max) = (self.min.map(|plane| &plane[..len]), self.max.map(|plane| &plane[..len]));
        for place in 0..len {
            for axis in 0..D {
                self.boxes[place].min[axis] = min[axis][place];
                self.boxes[place].max[axis] = max[axis][place];
            }
        }
        let (keys, proxies) = (&self.keys[..len], &self.proxies[..len]);
        let handles = &mut self.handles[..len];
        for place in 0..len {
            handles[place] = proxies[place].handle(keys[place]);
        }
    }
}

/// Copies boxes into planes; a kernel as [`CopyOut`].
struct CopyIn<'a, S, const D: usize> {
    boxes: &'a [Aabb<S, D>],
    min: [&'a mut [S]; D],
    max: [&'a mut [S]; D],
}

impl<S: Scalar, const D: usize> Kernel for CopyIn<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let len = self.boxes.len();
        let min = self.min.map(|plane| &mut plane[..len]);
        let max = self.max.map(|plane| &mut plane[..len]);
        for place in 0..len {
            for axis in 0..D {
                min[axis][place] = self.boxes[place].min[axis];
                max[axis][place] = self.boxes[place].max[axis];
            }
        }
    }
}

/// Returns the first places of all planes.
fn planes<'a, S, const D: usize>(planes: &'a [&mut [S]; D], len: usize) -> [&'a [S]; D] {
    planes.each_ref().map(|plane| &plane[..len])
}
