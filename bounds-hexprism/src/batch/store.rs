//! Storage and scans of a batch for `K` axes, independent of the volume type.
//!
//! The scans of this crate's volumes are compiled once, in this crate: [`order_pair_index`] maps
//! the two orders of a volume type to an index in a static table of compiled instances. A volume
//! type of another crate with other orders compiles its own scans.

use alloc::collections::TryReserveError;
use core::fmt::Debug;
use core::marker::PhantomData;

use simd_lanes::Backend;

use super::query::{HitBuffer, HitCounts};
use crate::kernel::order::{Down, Order, Sides, Up};
use crate::kernel::scan::{Asked, Cursor, Scan};
use crate::{SlabPlanes, SlabVec, Slabs};

/// [`Slabs`] with any number of axes. The trait is sealed.
pub trait SlabSet: Copy + Debug + PartialEq + sealed::Sealed + 'static {
    /// The collection type: a [`SlabVec`].
    type Vec: Store<Self>;
}

impl<const K: usize> SlabSet for Slabs<K> {
    type Vec = SlabVec<K>;
}

/// An instance of [`scan_with`].
type ScanFn<const K: usize> =
    fn(Backend, SlabPlanes<'_, K>, usize, &[Asked<Slabs<K>>], &mut Cursor, &mut HitBuffer) -> bool;

/// An instance of [`count_with`].
type CountFn<const K: usize> =
    fn(Backend, SlabPlanes<'_, K>, usize, &[Asked<Slabs<K>>], &mut [usize]);

/// Runs a scan on a backend and writes the hits to a buffer. Returns whether the scan is complete.
fn scan_with<const K: usize, First: Order, Second: Order>(
    backend: Backend,
    planes: SlabPlanes<'_, K>,
    len: usize,
    asked: &[Asked<Slabs<K>>],
    cursor: &mut Cursor,
    buffer: &mut HitBuffer,
) -> bool {
    let orders = PhantomData::<(First, Second)>;
    backend.dispatch(Scan { planes, len, asked, cursor, sink: buffer, orders })
}

/// Scans on a backend, and adds to each count the number of volumes that overlap the query.
fn count_with<const K: usize, First: Order, Second: Order>(
    backend: Backend,
    planes: SlabPlanes<'_, K>,
    len: usize,
    asked: &[Asked<Slabs<K>>],
    counts: &mut [usize],
) {
    let (cursor, sink) = (&mut Cursor::default(), &mut HitCounts(counts));
    let orders = PhantomData::<(First, Second)>;
    let done = backend.dispatch(Scan { planes, len, asked, cursor, sink, orders });
    assert!(done, "a counting scan is never interrupted");
}

/// Returns the index of a pair of orders in the static tables that `compiled_once!` defines: 0 or 1
/// if a volume type of this crate with `K` axes uses the pair, otherwise 2.
const fn order_pair_index<const K: usize, First: Order, Second: Order>() -> usize {
    match (K, First::UPPER, First::LOWER, Second::UPPER, Second::LOWER) {
        (1, 1, 1, 1, 1) | (2, 2, 2, 2, 2) | (3, 2, 2, 2, 2) | (4, 3, 0, 0, 3) => 0,
        (3, 3, 0, 0, 3) | (4, 4, 0, 0, 4) => 1,
        _ => 2,
    }
}

/// Defines statics with the instances of a function for 1 to 4 axes, indexed by
/// [`order_pair_index`].
macro_rules! compiled_once {
    ($module:ident: $type:ident = $function:ident) => {
        mod $module {
            use super::*;
            // Each instance has its own static, so the linker drops unused instances.
            pub(super) static ONE: [$type<1>; 2] = [$function::<1, Sides<1>, Sides<1>>; 2];
            pub(super) static TWO: [$type<2>; 2] = [$function::<2, Sides<2>, Sides<2>>; 2];
            pub(super) static THREE: [$type<3>; 2] =
                [$function::<3, Sides<2>, Sides<2>>, $function::<3, Up<3>, Down<3>>];
            pub(super) static FOUR: [$type<4>; 2] =
                [$function::<4, Up<3>, Down<3>>, $function::<4, Up<4>, Down<4>>];
        }
    };
}
compiled_once! { scans: ScanFn = scan_with }
compiled_once! { counts: CountFn = count_with }

/// The storage of a batch, implemented by [`SlabVec`] for any number of axes.
pub trait Store<T>: Clone + Debug {
    /// Creates an empty collection.
    fn new() -> Self;
    /// Returns the number of volumes.
    fn len(&self) -> usize;
    /// Returns the volume at `index`.
    fn get(&self, index: usize) -> T;
    /// Replaces the volume at `index`.
    fn set(&mut self, index: usize, slabs: T);
    /// Appends a volume.
    fn push(&mut self, slabs: T);
    /// Removes and returns the volume at `index`, and moves the last volume to `index`.
    fn swap_remove(&mut self, index: usize) -> T;
    /// Removes all volumes without freeing memory.
    fn clear(&mut self);
    /// Reserves capacity for `additional` more volumes.
    fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;

    /// Scans from the cursor on until the buffer is full. Returns whether the scan is complete.
    fn scan<First: Order, Second: Order>(
        &self,
        backend: Backend,
        asked: &[Asked<T>],
        cursor: &mut Cursor,
        buffer: &mut HitBuffer,
    ) -> bool;

    /// Scans all volumes, and adds to each count the number of volumes that overlap the query.
    fn count<First: Order, Second: Order>(
        &self,
        backend: Backend,
        asked: &[Asked<T>],
        counts: &mut [usize],
    );
}

impl<const K: usize> Store<Slabs<K>> for SlabVec<K> {
    fn new() -> Self {
        Self::new()
    }
    #[inline]
    fn len(&self) -> usize {
        self.len()
    }
    #[inline]
    fn get(&self, index: usize) -> Slabs<K> {
        self.get(index)
    }
    #[inline]
    fn set(&mut self, index: usize, slabs: Slabs<K>) {
        self.set(index, slabs);
    }
    #[inline]
    fn push(&mut self, slabs: Slabs<K>) {
        self.push(slabs);
    }
    fn swap_remove(&mut self, index: usize) -> Slabs<K> {
        self.swap_remove(index)
    }
    fn clear(&mut self) {
        self.clear();
    }
    fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.try_reserve(additional)
    }

    fn scan<First: Order, Second: Order>(
        &self,
        backend: Backend,
        asked: &[Asked<Slabs<K>>],
        cursor: &mut Cursor,
        buffer: &mut HitBuffer,
    ) -> bool {
        let (planes, len) = (self.planes(), self.len());
        if const { order_pair_index::<K, First, Second>() < 2 } {
            use scans::{FOUR, ONE, THREE, TWO};
            let compiled: [ScanFn<K>; 2] = simd_lanes::instance_of_type!(ONE, TWO, THREE, FOUR);
            let pair = order_pair_index::<K, First, Second>();
            compiled[pair](backend, planes, len, asked, cursor, buffer)
        } else {
            scan_with::<K, First, Second>(backend, planes, len, asked, cursor, buffer)
        }
    }

    fn count<First: Order, Second: Order>(
        &self,
        backend: Backend,
        asked: &[Asked<Slabs<K>>],
        counts: &mut [usize],
    ) {
        let (planes, len) = (self.planes(), self.len());
        if const { order_pair_index::<K, First, Second>() < 2 } {
            use counts::{FOUR, ONE, THREE, TWO};
            let compiled: [CountFn<K>; 2] = simd_lanes::instance_of_type!(ONE, TWO, THREE, FOUR);
            compiled[order_pair_index::<K, First, Second>()](backend, planes, len, asked, counts);
        } else {
            count_with::<K, First, Second>(backend, planes, len, asked, counts);
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl<const K: usize> Sealed for crate::Slabs<K> {}
}
