//! Converts batches of the grid into lists of boxes for the caller, and back.
//!
//! The grid stores one array per axis and side; the caller's closure needs whole boxes. A batch has
//! up to 128 adjacent places of these arrays. A place is occupied by an object or vacant.
//!
//! 1. Compute the handles, and prefetch the user data, which are stored by slot. Transpose the
//!    bounds in all places of a batch into boxes.
//! 2. Find the runs of adjacent occupied places, and call the closure for the batch.
//! 3. Transpose back the boxes that the closure has processed, also if it panics.

use broadphase_core::{Aabb, Backend, DataAddress, Kernel, Lanes, Scalar};
use broadphase_hshg::Batch;

use super::{ChangeFn, ObjectBatch, Proxy};
use crate::Handle;

/// Maximum number of places in a batch.
const MAX_BATCH: usize = 128;

/// Buffers for the handles and boxes of a batch.
pub(super) struct BatchBuffers<S, const D: usize> {
    handles: [Handle; MAX_BATCH],
    boxes: [Aabb<S, D>; MAX_BATCH],
    runs: [[usize; 2]; MAX_BATCH / 2],
}

impl<S: Scalar, const D: usize> BatchBuffers<S, D> {
    pub(super) fn new() -> Self {
        Self {
            handles: [Handle::new(0, 0); MAX_BATCH],
            boxes: [Aabb { min: [S::ZERO; D], max: [S::ZERO; D] }; MAX_BATCH],
            runs: [[0; 2]; MAX_BATCH / 2],
        }
    }
}

/// Calls `change` with a batch as boxes, unless all places are vacant, and copies the processed
/// boxes back.
pub(super) fn change<S: Scalar, const D: usize>(
    (backend, users): (Backend, DataAddress),
    batch: Batch<'_, S, D, Proxy>,
    BatchBuffers { handles, boxes, runs }: &mut BatchBuffers<S, D>,
    change: &mut ChangeFn<'_, S, D>,
) {
    let len = batch.keys.len().min(MAX_BATCH);
    let vacancies = batch.vacancies();
    let Batch { keys, data, min, max, .. } = batch;
    let (from, to) = (planes(&min, len), planes(&max, len));
    backend.dispatch(CopyOut {
        users,
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
        let movers = ObjectBatch { handles, proxies: data, bounds, runs, done: 0 };
        let mut shown = ProgressGuard { movers, done };
        change(&mut shown.movers);
    }
}

/// Writes the runs of occupied places to `runs` as `[begin, end]`, and returns the part written.
/// Bit `i` of `vacancies` is set if place `i` is vacant.
fn find_runs(vacancies: u128, len: usize, runs: &mut [[usize; 2]; MAX_BATCH / 2]) -> &[[usize; 2]] {
    let (mut count, mut begin) = (0, 0);
    for (half, first) in [(vacancies as u64, 0), ((vacancies >> 64) as u64, 64)] {
        let mut rest = half;
        while rest != 0 {
            let end = first + rest.trailing_zeros() as usize;
            if end >= len {
                break;
            }
            // Runs are separated by at least one vacant place, so `runs` is large enough.
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

/// On drop, also if the caller's closure unwinds, copies the number of processed places to `done`.
struct ProgressGuard<'a, 'b, S, const D: usize> {
    movers: ObjectBatch<'a, S, D>,
    done: &'b mut usize,
}

impl<S, const D: usize> Drop for ProgressGuard<'_, '_, S, D> {
    fn drop(&mut self) {
        *self.done = self.movers.done;
    }
}

/// On drop, copies the boxes of the first `done` places back into the arrays of a batch.
struct CopyBack<'a, 'b, S: Scalar, const D: usize> {
    backend: Backend,
    boxes: &'b mut [Aabb<S, D>; MAX_BATCH],
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

/// Copies the arrays of a batch into handles and boxes. It is a kernel, so that the compiler can
/// transpose eight numbers at a time with the instructions of the backend.
struct CopyOut<'a, S, const D: usize> {
    users: DataAddress,
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
    fn run<L: Lanes>(self, lanes: L) {
        // Equal slice lengths let the compiler remove the bounds checks.
        let len = self.boxes.len();
        if self.users.size() > 0 {
            for &key in &self.keys[..len] {
                self.users.prefetch(lanes, key as usize);
            }
        }
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

/// Copies boxes into the arrays of a batch. It is a kernel for the reason given at [`CopyOut`].
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

/// Returns the first `len` elements of all arrays.
fn planes<'a, S, const D: usize>(planes: &'a [&mut [S]; D], len: usize) -> [&'a [S]; D] {
    planes.each_ref().map(|plane| &plane[..len])
}
