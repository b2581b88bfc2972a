//! Reads the bounds of a chunk as boxes, and passes them to the caller's closure as a batch.

use broadphase_core::{Aabb, Kernel, Keys, Lanes, Scalar, SlabPlanes, WalkBatch};

use crate::grid::update::chunk::{Chunk, Marks};

/// The caller's closure, which changes the objects of a batch.
pub(super) type Change<'a, S, const D: usize> = dyn FnMut(&mut WalkBatch<'_, S, D>) + 'a;

/// Writes the number of processed positions and the vacant positions of a batch to a chunk on drop,
/// even if the caller's closure unwinds.
struct Progress<'a, 'b, S, const D: usize> {
    batch: WalkBatch<'a, S, D>,
    /// The number of positions in the chunk.
    len: usize,
    processed: &'b mut usize,
    holes: &'b mut Marks,
}

impl<S, const D: usize> Drop for Progress<'_, '_, S, D> {
    fn drop(&mut self) {
        // The closure may have replaced the batch: holes stay, and no position is beyond the chunk.
        let places = u128::MAX.checked_shr((WalkBatch::<S, D>::MAX - self.len) as u32).unwrap_or(0);
        let holes = u128::from_le_bytes(*self.holes) | (self.batch.vacant() & places);
        *self.processed = self.batch.done().min(self.len);
        *self.holes = holes.to_le_bytes();
    }
}

impl<S: Scalar, const D: usize> Chunk<S, D> {
    /// Calls the closure for the objects of the chunk with these keys; removed objects become
    /// holes.
    #[inline(always)]
    pub(super) fn change(&mut self, keys: &[u32], change: &mut Change<'_, S, D>) {
        let Self { boxes, processed, holes, .. } = self;
        let boxes = &mut boxes[..keys.len()];
        let batch = WalkBatch::new(keys, boxes, u128::from_le_bytes(*holes));
        let mut progress = Progress { batch, len: keys.len(), processed, holes };
        change(&mut progress.batch);
    }
}

/// Number of keys in a cache line of 64 bytes.
const KEYS_PER_LINE: usize = 16;

/// Kernel: converts exact slabs to boxes, eight numbers at a time, and prefetches the keys of these
/// slots, because rows are too short for the hardware prefetcher.
pub(super) struct ReadBoxes<'a, S, const D: usize> {
    /// The planes in the caller's order of axes.
    pub(crate) planes: SlabPlanes<'a, D>,
    pub(crate) keys: &'a [u32],
    pub(crate) begin: usize,
    pub(crate) boxes: &'a mut [Aabb<S, D>],
}

impl<S: Scalar, const D: usize> Kernel for ReadBoxes<'_, S, D> {
    type Output = ();
    const SSE41: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { planes, keys, begin, boxes } = self;
        let len = boxes.len();
        // The keys are needed when the chunk is sorted.
        for at in (begin..begin + len).step_by(KEYS_PER_LINE) {
            lanes.prefetch(keys, at);
        }
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
