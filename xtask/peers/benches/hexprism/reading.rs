//! Counts what queries of a batch read: a simulation of the two stages of its tests.

use bounds_hexprism::kernel::order::Order;
use bounds_hexprism::{Batched, LANES, Slabs};

/// A kind of volume whose keys have `K` axes.
pub(crate) trait Read: Batched {
    /// Adds the counts of one query on one block of volumes.
    fn read(volumes: &[Self], query: &Self, reading: &mut Reading);
}

impl<const K: usize, V: Batched<Slabs = Slabs<K>>> Read for V {
    fn read(volumes: &[Self], query: &Self, reading: &mut Reading) {
        let [upper, lower] = if query.tests_down_first() {
            [V::DownFirst::UPPER, V::DownFirst::LOWER]
        } else {
            [V::UpFirst::UPPER, V::UpFirst::LOWER]
        };
        let asked = query.slabs();
        let passes_first = |volume: &&V| {
            let volume = volume.slabs();
            (0..upper).all(|axis| asked.min[axis] <= volume.max[axis])
                && (0..lower).all(|axis| volume.min[axis] <= asked.max[axis])
        };
        let passed = volumes.iter().filter(passes_first).count();
        let accepted = volumes.iter().filter(|volume| volume.slabs().overlaps(&asked)).count();
        let planes = if passed == 0 { upper + lower } else { 2 * K };
        reading.tests += volumes.len();
        reading.rejected += volumes.len() - accepted;
        reading.rejected_first += volumes.len() - passed;
        reading.values += volumes.len() * planes;
    }
}

/// The counts of some queries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    tests: usize,
    rejected: usize,
    rejected_first: usize,
    /// The number of keys read, in whole blocks of eight.
    values: usize,
}

impl Reading {
    /// Counts what these queries read of a batch of these volumes.
    pub(crate) fn of<V: Read>(volumes: &[V], queries: &[V]) -> Self {
        let mut reading = Self::default();
        for query in queries {
            volumes.chunks(LANES).for_each(|block| V::read(block, query, &mut reading));
        }
        reading
    }

    /// Returns the number of keys read per test.
    pub(crate) fn values_per_test(&self) -> f64 {
        self.values as f64 / self.tests as f64
    }

    /// Returns the share of the rejected volumes that the first stage rejects.
    pub(crate) fn decided_first(&self) -> f64 {
        self.rejected_first as f64 / self.rejected as f64
    }
}
