//! Volumes as intervals of order-preserving keys: one ([`Slabs`]), or many in planes ([`SlabVec`]).
//!
//! ```text
//!           lane 0 1 2 3 4 5 6 7   8 9 …
//! min[0]       [ a b c d e f g h ][ i · · · · · · · ]     · = padding:
//! max[0]       [ a b c d e f g h ][ i · · · · · · · ]     min i32::MAX, max i32::MIN
//! min[1]       [ a b c d e f g h ][ i · · · · · · · ]
//!   ⋮
//! ```

use alloc::collections::TryReserveError;

use simd_lanes::{Backend, Flow, LANES};

use crate::aligned_plane::Plane;
use crate::kernel::query::Query;

/// One volume: a closed interval of keys on each of `K` axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slabs<const K: usize> {
    /// The lower ends.
    pub min: [i32; K],
    /// The upper ends, included.
    pub max: [i32; K],
}

impl<const K: usize> Slabs<K> {
    /// The content of unused lanes: inverted intervals. A volume that spans all keys overlaps it,
    /// so kernels must mask it out.
    pub const PADDING: Self = Self { min: [i32::MAX; K], max: [i32::MIN; K] };

    /// Returns whether the intervals of all axes overlap; touching counts.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..K).fold(true, |all, axis| {
            all & (self.min[axis] <= other.max[axis]) & (other.min[axis] <= self.max[axis])
        })
    }
}

/// The input of kernels: borrowed planes, one slice of keys for each end of each axis.
///
/// All planes have equal lengths, a multiple of [`LANES`]; the rest is [`Slabs::PADDING`].
#[derive(Clone, Copy, Debug)]
pub struct SlabPlanes<'a, const K: usize> {
    /// The lower ends, one plane per axis.
    pub min: [&'a [i32]; K],
    /// The upper ends, one plane per axis.
    pub max: [&'a [i32]; K],
}

impl<const K: usize> SlabPlanes<'_, K> {
    /// Returns the planes cut to the length of the first: an index into all planes then needs one
    /// bounds check.
    ///
    /// # Panics
    /// If a plane is shorter than the first.
    #[inline(always)]
    #[must_use]
    pub fn of_one_length(&self) -> Self {
        let (len, mut planes) = (self.min[0].len(), *self);
        let mut axis = 0;
        while axis < K {
            planes.min[axis] = &self.min[axis][..len];
            planes.max[axis] = &self.max[axis][..len];
            axis += 1;
        }
        planes
    }

    /// Returns the volume at `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> Slabs<K> {
        let mut volume = Slabs::PADDING;
        let mut axis = 0;
        while axis < K {
            volume.min[axis] = self.min[axis][index];
            volume.max[axis] = self.max[axis][index];
            axis += 1;
        }
        volume
    }
}

/// A growable collection of volumes, stored as planes and edited in place.
///
/// ```
/// use bounds_hexprism::{Aabb, Backend, SlabVec};
///
/// let mut boxes: SlabVec<2> = SlabVec::new();
/// for x in 0..100 {
///     boxes.push(Aabb::around([x as f32, 0.0], [0.5, 0.5]).slabs());
/// }
/// let mut found = Vec::new();
/// let query = Aabb::new([9.0, 0.0], [10.0, 0.0]).slabs();
/// boxes.query(Backend::detect(), &query, |index| found.push(index));
/// assert_eq!(found, [9, 10]);
/// ```
#[derive(Clone, Debug)]
pub struct SlabVec<const K: usize> {
    min: [Plane; K],
    max: [Plane; K],
    len: usize,
}

impl<const K: usize> Default for SlabVec<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const K: usize> SlabVec<K> {
    /// Creates an empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self { min: [const { Plane::new() }; K], max: [const { Plane::new() }; K], len: 0 }
    }

    /// Returns the number of volumes.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the collection is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the planes, padded to whole blocks of [`LANES`].
    #[inline(always)]
    #[must_use]
    pub fn planes(&self) -> SlabPlanes<'_, K> {
        let mut planes = SlabPlanes { min: [&[][..]; K], max: [&[][..]; K] };
        let mut axis = 0;
        while axis < K {
            planes.min[axis] = self.min[axis].as_slice();
            planes.max[axis] = self.max[axis].as_slice();
            axis += 1;
        }
        planes
    }

    /// Returns the volume at `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> Slabs<K> {
        assert!(index < self.len, "index {index} is out of bounds");
        self.planes().get(index)
    }

    /// Replaces the volume at `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline(always)]
    pub fn set(&mut self, index: usize, volume: Slabs<K>) {
        assert!(index < self.len, "index {index} is out of bounds");
        self.write_lane(index, volume);
    }

    /// Appends a volume.
    #[inline(always)]
    pub fn push(&mut self, volume: Slabs<K>) {
        if self.len.is_multiple_of(LANES) {
            for axis in 0..K {
                self.min[axis].push_block(i32::MAX);
                self.max[axis].push_block(i32::MIN);
            }
        }
        self.len += 1;
        self.write_lane(self.len - 1, volume);
    }

    /// Removes and returns the volume at `index`, and moves the last volume to `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    pub fn swap_remove(&mut self, index: usize) -> Slabs<K> {
        let removed = self.get(index);
        let last = self.len - 1;
        self.write_lane(index, self.get(last));
        self.write_lane(last, Slabs::PADDING);
        self.len = last;
        let padded = last.next_multiple_of(LANES);
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.truncate(padded);
        }
        removed
    }

    /// Removes all volumes without freeing memory.
    pub fn clear(&mut self) {
        for plane in self.min.iter_mut().chain(&mut self.max) {
            plane.truncate(0);
        }
        self.len = 0;
    }

    /// Reserves capacity for `additional` more volumes.
    ///
    /// # Errors
    /// If allocation fails. On error the volumes are unchanged.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let blocks = self.len.saturating_add(additional).div_ceil(LANES);
        let padded = blocks.saturating_mul(LANES);
        self.min
            .iter_mut()
            .chain(&mut self.max)
            .try_for_each(|plane| plane.try_reserve(padded - plane.as_slice().len()))
    }

    /// Returns the allocated memory in bytes.
    #[must_use]
    pub fn memory_use(&self) -> usize {
        self.min.iter().chain(&self.max).map(Plane::memory_use).sum()
    }

    /// Frees unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.min.iter_mut().chain(&mut self.max).for_each(Plane::shrink_to_fit);
    }

    /// Calls `visit` with the index of every volume that overlaps `query`, ascending, until
    /// stopped.
    pub fn query<R: Flow>(
        &self,
        backend: Backend,
        query: &Slabs<K>,
        mut visit: impl FnMut(usize) -> R,
    ) -> R {
        let mut hits = [0; 256];
        let mut block = 0;
        while block * LANES < self.len {
            let (planes, len) = (self.planes(), self.len);
            let (block, hits) = (&mut block, &mut hits[..]);
            let filled = find(backend, Query { planes, len, query, block, hits });
            for &index in &hits[..filled] {
                let flow = visit(index as usize);
                if flow.stops() {
                    return flow;
                }
            }
        }
        R::CONTINUE
    }

    #[inline(always)]
    fn write_lane(&mut self, index: usize, volume: Slabs<K>) {
        for axis in 0..K {
            self.min[axis].as_mut_slice()[index] = volume.min[axis];
            self.max[axis].as_mut_slice()[index] = volume.max[axis];
        }
    }
}

type Find<const K: usize> = fn(Backend, Query<'_, K>) -> usize;

/// Runs [`Query`] on a backend. Instances for up to 4 axes are compiled once, in this crate.
// The macro `instances!` makes instances for 1 to 3 dimensions only; prisms have 4 axes.
#[inline]
fn find<const K: usize>(backend: Backend, query: Query<'_, K>) -> usize {
    fn instance<const K: usize>(backend: Backend, query: Query<'_, K>) -> usize {
        backend.dispatch(query)
    }
    // Each instance has its own static, so the linker drops unused instances.
    static ONE: Find<1> = instance;
    static TWO: Find<2> = instance;
    static THREE: Find<3> = instance;
    static FOUR: Find<4> = instance;
    if const { 1 <= K && K <= 4 } {
        let compiled: Find<K> = simd_lanes::instance_of_type!(ONE, TWO, THREE, FOUR);
        compiled(backend, query)
    } else {
        instance(backend, query)
    }
}
