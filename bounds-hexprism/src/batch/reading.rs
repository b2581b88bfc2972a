//! What a test reads and what its first stage decides: counted, not timed.

use core::ops::AddAssign;

use simd_lanes::LANES;

use super::{Batch, Batched, Store};
use crate::kernel::order::Order;
use crate::{SlabVec, Slabs};

/// What queries made a batch read, and what that decided.
///
/// ```
/// use bounds_hexprism::{Batch, HexPrism};
///
/// let batch = Batch::of((0..800).map(|x| HexPrism::<i32>::point([x, 0, 0]).expect("small")))?;
/// let reading = batch.reading(&[batch.get(400)]);
/// assert_eq!((reading.tests, reading.rejected), (800, 799));
/// assert!(reading.values_per_test() < 3.1);
/// # Ok::<(), bounds_hexprism::InvalidBounds>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// How many volumes were tested.
    pub tests: u64,
    /// How many of them were found apart.
    pub rejected: u64,
    /// How many of those the first stage found apart.
    pub rejected_first: u64,
    /// How many numbers were read, a whole block of eight at a time.
    pub values: u64,
}

impl Reading {
    /// How many numbers were read for each volume tested.
    #[must_use]
    pub fn values_per_test(&self) -> f64 {
        self.values as f64 / self.tests.max(1) as f64
    }

    /// The share of the rejected volumes that the first stage decided alone.
    #[must_use]
    pub fn decided_first(&self) -> f64 {
        self.rejected_first as f64 / self.rejected.max(1) as f64
    }

    /// What one query makes a scan in this order read.
    pub(super) fn of<O: Order, const K: usize>(volumes: &SlabVec<K>, query: &Slabs<K>) -> Self {
        let (upper, lower) = (O::UPPER.min(K), O::LOWER.min(K));
        let passes_first = |volume: &Slabs<K>| {
            (0..upper).all(|axis| query.min[axis] <= volume.max[axis])
                && (0..lower).all(|axis| volume.min[axis] <= query.max[axis])
        };
        let mut reading = Self::default();
        for start in (0..volumes.len()).step_by(LANES) {
            let end = volumes.len().min(start + LANES);
            let block = (start..end).map(|index| volumes.get(index));
            let passed = block.clone().filter(passes_first).count() as u64;
            let accepted = block.filter(|volume| volume.overlaps(query)).count() as u64;
            let planes = if passed == 0 { upper + lower } else { 2 * K };
            let lanes = (end - start) as u64;
            reading += Self {
                tests: lanes,
                rejected: lanes - accepted,
                rejected_first: lanes - passed,
                values: lanes * planes as u64,
            };
        }
        reading
    }
}

impl AddAssign for Reading {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.rejected += other.rejected;
        self.rejected_first += other.rejected_first;
        self.values += other.values;
    }
}

impl<V: Batched> Batch<V> {
    /// What these queries would make the batch read, in its test order; queries that
    /// are inverted or NaN read nothing. As slow as testing one by one.
    #[must_use]
    pub fn reading(&self, queries: &[V]) -> Reading {
        let mut reading = Reading::default();
        for query in queries.iter().filter_map(|query| query.askable()) {
            reading +=
                self.store.count_reads::<V::UpFirst, V::DownFirst>(&self.scan_query(&query, 0));
        }
        reading
    }
}
