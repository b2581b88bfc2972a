//! Passes a chunk to the caller's closure as a batch of boxes, and takes the changed boxes back.
//!
//! The store and the kernels of the walk have one array per axis and side; the closure needs whole
//! boxes.
//!
//! 1. Read the bounds in all places of the chunk as boxes.
//! 2. Call the closure.
//! 3. Transpose the boxes to the arrays of the chunk, also if the closure panics.

use broadphase_core::{
    Aabb, Backend, DataAddress, Kernel, Keys, Lanes, Scalar, SlabPlanes, WalkBatch,
};

use crate::grid::update::chunk::{CHUNK, Chunk, Marks};

/// The caller's closure, which changes the objects of a batch.
pub(in crate::grid) type Change<'a, S, const D: usize> = dyn FnMut(&mut WalkBatch<'_, S, D>) + 'a;

/// A batch whose number of processed places and vacant places are written to a chunk on drop, also
/// if the caller's closure unwinds.
struct Progress<'a, 'b, S, const D: usize> {
    batch: WalkBatch<'a, S, D>,
    /// The number of places in the chunk.
    len: usize,
    processed: &'b mut usize,
    holes: &'b mut Marks,
}

impl<S, const D: usize> Drop for Progress<'_, '_, S, D> {
    fn drop(&mut self) {
        // The closure may have replaced the batch, so holes stay and no place is beyond the chunk.
        let places = u128::MAX.checked_shr((WalkBatch::<S, D>::MAX - self.len) as u32).unwrap_or(0);
        let holes = u128::from_le_bytes(*self.holes) | (self.batch.vacant() & places);
        *self.processed = self.batch.done().min(self.len);
        *self.holes = holes.to_le_bytes();
    }
}

impl<S: Scalar, const D: usize> Chunk<S, D> {
    /// Calls the closure for the objects of the chunk, which have these keys, and marks removed
    /// objects as holes.
    #[inline(always)]
    pub(super) fn change(&mut self, keys: &[u32], change: &mut Change<'_, S, D>) {
        let Self { boxes, processed, holes, .. } = self;
        let boxes = &mut boxes[..keys.len()];
        let batch = WalkBatch::new(keys, boxes, u128::from_le_bytes(*holes));
        let mut progress = Progress { batch, len: keys.len(), processed, holes };
        change(&mut progress.batch);
    }

    /// Sets the bounds in the first `len` places to the boxes.
    #[inline(always)]
    pub(super) fn take_boxes(&mut self, backend: Backend, len: usize) {
        let Self { min, max, boxes, .. } = self;
        backend.dispatch(FromBoxes { min, max, boxes: &boxes[..len] });
    }
}

/// Kernel: converts exact slabs to boxes. Prefetches the keys of these slots: rows are too short
/// for the hardware prefetcher. It is a kernel, so that the compiler can transpose eight numbers at
/// a time with the instructions of the backend.
pub(in crate::grid) struct ReadBoxes<'a, S, const D: usize> {
    /// The planes in the caller's order of axes.
    pub(in crate::grid) planes: SlabPlanes<'a, D>,
    pub(in crate::grid) keys: &'a [u32],
    pub(in crate::grid) begin: usize,
    pub(in crate::grid) boxes: &'a mut [Aabb<S, D>],
}

impl<S: Scalar, const D: usize> Kernel for ReadBoxes<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { planes, keys, begin, boxes } = self;
        // Equal slice lengths let the compiler remove the bounds checks.
        let len = boxes.len();
        // The keys are needed when the chunk is sorted.
        DataAddress::of(keys).prefetch_all(lanes, begin..begin + len);
        let min = planes.min.map(|plane| &plane[begin..][..len]);
        let max = planes.max.map(|plane| &plane[begin..][..len]);
        for place in 0..len {
            for axis in 0..D {
                boxes[place].min[axis] = S::from_key(min[axis][place]);
                boxes[place].max[axis] = S::from_key(max[axis][place]);
            }
        }
    }
}

/// Kernel: transposes boxes to the bounds of a chunk; see [`ReadBoxes`].
struct FromBoxes<'a, S, const D: usize> {
    min: &'a mut [[S; CHUNK]; D],
    max: &'a mut [[S; CHUNK]; D],
    boxes: &'a [Aabb<S, D>],
}

impl<S: Scalar, const D: usize> Kernel for FromBoxes<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let len = self.boxes.len();
        let (min, max) = (self.min.each_mut(), self.max.each_mut());
        let (min, max) = (min.map(|plane| &mut plane[..len]), max.map(|plane| &mut plane[..len]));
        for place in 0..len {
            for axis in 0..D {
                min[axis][place] = self.boxes[place].min[axis];
                max[axis][place] = self.boxes[place].max[axis];
            }
        }
    }
}
