//! The grid's batches as lists of boxes.

use broadphase_core::{Aabb, Scalar};
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
    batch: Batch<'_, S, D, Proxy>,
    Room { handles, boxes, runs }: &mut Room<S, D>,
    change: &mut Change<'_, S, D>,
) {
    let len = batch.keys.len().min(LARGEST);
    let vacancies = batch.vacancies();
    let Batch { keys, data, min, max, .. } = batch;
    // One loop over all planes, their lengths known to be equal: compiles to shuffles.
    let (from, to) = (planes(&min, len), planes(&max, len));
    for (place, bounds) in boxes[..len].iter_mut().enumerate() {
        for axis in 0..D {
            bounds.min[axis] = from[axis][place];
            bounds.max[axis] = to[axis][place];
        }
    }
    for ((handle, &key), proxy) in handles.iter_mut().zip(keys).zip(&*data) {
        *handle = proxy.handle(key);
    }
    let runs = find_runs(vacancies, len, runs);
    let mut back = CopyBack { boxes, min, max, done: 0 };
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
    while begin < len {
        let rest = vacancies >> begin;
        let end = len.min(begin + rest.trailing_zeros() as usize);
        // Two runs have a vacant place between them, so there is always room.
        runs[count % runs.len()] = [begin, end];
        count += usize::from(end > begin);
        begin = end + (!(vacancies.checked_shr(end as u32).unwrap_or(0))).trailing_zeros() as usize;
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

/// Copies boxes back into the planes of a batch when it is dropped: those that count by then.
struct CopyBack<'a, 'b, S: Scalar, const D: usize> {
    boxes: &'b mut [Aabb<S, D>; LARGEST],
    min: [&'a mut [S]; D],
    max: [&'a mut [S]; D],
    done: usize,
}

impl<S: Scalar, const D: usize> Drop for CopyBack<'_, '_, S, D> {
    fn drop(&mut self) {
        let len = self.done;
        let min = self.min.each_mut().map(|plane| &mut plane[..len]);
        let max = self.max.each_mut().map(|plane| &mut plane[..len]);
        for (place, bounds) in self.boxes[..len].iter().enumerate() {
            for axis in 0..D {
                min[axis][place] = bounds.min[axis];
                max[axis][place] = bounds.max[axis];
            }
        }
    }
}

/// Returns the first places of all planes.
fn planes<'a, S, const D: usize>(planes: &'a [&mut [S]; D], len: usize) -> [&'a [S]; D] {
    planes.each_ref().map(|plane| &plane[..len])
}
