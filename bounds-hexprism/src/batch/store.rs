//! The bridge from a volume's type to its number of axes: storage and traversal for `K` slabs.

use alloc::collections::TryReserveError;
use core::fmt::Debug;
use core::marker::PhantomData;

use simd_lanes::Backend;

use super::reading::Reading;
use crate::kernel::order::Order;
use crate::kernel::scan::{Asked, Cursor, Scan, Sink};
use crate::{SlabVec, Slabs};

/// [`Slabs`] of some number of axes. Sealed.
pub trait SlabSet: Copy + Debug + PartialEq + sealed::Sealed + 'static {
    /// The planes they are stored in: a [`SlabVec`].
    type Vec: Store<Self>;
}

impl<const K: usize> SlabSet for Slabs<K> {
    type Vec = SlabVec<K>;
}

/// What a batch asks of its storage: a [`SlabVec`] of any number of axes.
pub trait Store<T>: Clone + Debug {
    /// No volumes.
    fn new() -> Self;
    /// How many volumes there are.
    fn len(&self) -> usize;
    /// The volume at `index`.
    fn get(&self, index: usize) -> T;
    /// Puts another volume at `index`.
    fn set(&mut self, index: usize, slabs: T);
    /// Appends a volume.
    fn push(&mut self, slabs: T);
    /// Removes the volume at `index` and puts the last one in its place.
    fn swap_remove(&mut self, index: usize) -> T;
    /// Removes all volumes, keeping the memory.
    fn clear(&mut self);
    /// Makes room for so many more volumes.
    fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;

    /// Scans on from the cursor until all is scanned, which it tells, or the sink is full.
    fn scan<First: Order, Second: Order>(
        &self,
        backend: Backend,
        asked: &[Asked<T>],
        cursor: &mut Cursor,
        sink: &mut impl Sink,
    ) -> bool;

    /// What one question makes a scan read.
    fn read<First: Order, Second: Order>(&self, asked: &Asked<T>) -> Reading;
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
        sink: &mut impl Sink,
    ) -> bool {
        backend.dispatch(Scan {
            planes: self.planes(),
            len: self.len(),
            asked,
            cursor,
            sink,
            orders: PhantomData::<(First, Second)>,
        })
    }

    fn read<First: Order, Second: Order>(&self, asked: &Asked<Slabs<K>>) -> Reading {
        if asked.second {
            Reading::of::<Second, K>(self, &asked.slabs)
        } else {
            Reading::of::<First, K>(self, &asked.slabs)
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl<const K: usize> Sealed for crate::Slabs<K> {}
}
