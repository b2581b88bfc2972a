//! Statistics of queries: numbers read, and volumes rejected by the first stage.

use core::ops::AddAssign;

use simd_lanes::LANES;

use super::{Batch, Batched, Store};
use crate::kernel::order::Order;
use crate::{SlabVec, Slabs};

/// Statistics of queries of a batch: numbers read, and volumes rejected.
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
    /// Number of volume tests.
    pub tests: u64,
    /// Number of tests without overlap.
    pub rejected: u64,
    /// Number of tests that the first stage rejected.
    pub rejected_first: u64,
    /// Number of keys read, in whole blocks of eight.
    pub values: u64,
}

impl Reading {
    /// Returns the number of keys read per test.
    #[must_use]
    pub fn values_per_test(&self) -> f64 {
        self.values as f64 / self.tests.max(1) as f64
    }

    /// Returns the number of volumes rejected by the first stage, divided by all rejected volumes.
    #[must_use]
    pub fn decided_first(&self) -> f64 {
        self.rejected_first as f64 / self.rejected.max(1) as f64
    }

    /// Returns the statistics of one query with the given order.
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
    /// Returns the statistics of `queries` in the present test order of the batch. Inverted and NaN
    /// queries are skipped. The function simulates one test per volume and query, so it is slow.
    #[must_use]
    pub fn reading(&self, queries: &[V]) -> Reading {
        let mut reading = Reading::default();
        for query in queries.iter().filter_map(|query| query.normalized()) {
            reading +=
                self.store.count_reads::<V::UpFirst, V::DownFirst>(&self.scan_query(&query, 0));
        }
        reading
    }
}
