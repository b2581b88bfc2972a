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
}

impl<S: Scalar, const D: usize> Room<S, D> {
    pub(super) fn new() -> Self {
        Self {
            handles: [Handle::new(0, 0); LARGEST],
            boxes: [Aabb { min: [S::ZERO; D], max: [S::ZERO; D] }; LARGEST],
        }
    }
}

/// Hands the objects of a batch to `change`, from one vacant place to the next.
pub(super) fn change<S: Scalar, const D: usize>(
    batch: Batch<'_, S, D, Proxy>,
    Room { handles, boxes }: &mut Room<S, D>,
    change: &mut Change<'_, S, D>,
) {
    let len = batch.keys.len().min(LARGEST);
    let mut vacant = batch.vacancies();
    if len < LARGEST {
        vacant |= !0 << len;
    }
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
    let mut back = CopyBack { boxes, min, max, done: 0 };
    let mut begin = 0;
    while let live @ 1.. = !vacant >> begin {
        begin += live.trailing_zeros() as usize;
        let run = begin..begin + (!vacant >> begin).trailing_ones() as usize;
        let CopyBack { boxes, done, .. } = &mut back;
        *done = begin;
        let handles = &handles[run.clone()];
        let (proxies, bounds) = (&mut data[run.clone()], &mut boxes[run.clone()]);
        let mut shown = Shown { movers: Movers { handles, proxies, bounds, done: 0 }, done };
        change(&mut shown.movers);
        drop(shown);
        begin = run.end;
        if begin >= LARGEST {
            break;
        }
    }
}

/// Objects shown to the caller; adds those it has changed, also if it panics.
struct Shown<'a, 'b, S, const D: usize> {
    movers: Movers<'a, S, D>,
    done: &'b mut usize,
}

impl<S, const D: usize> Drop for Shown<'_, '_, S, D> {
    fn drop(&mut self) {
        *self.done += self.movers.done;
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
