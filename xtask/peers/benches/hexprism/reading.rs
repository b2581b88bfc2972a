//! Counts what queries of a batch read: a simulation of the two stages of its tests.

use bounds_hexprism::{Batched, LANES};

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
    pub(crate) fn of<V: Batched>(volumes: &[V], queries: &[V]) -> Self {
        let mut reading = Self::default();
        for query in queries {
            volumes.chunks(LANES).for_each(|block| reading.read(block, query));
        }
        reading
    }

    /// Adds the counts of one query on one block of volumes.
    fn read<V: Batched>(&mut self, volumes: &[V], query: &V) {
        let down_first = query.tests_down_first();
        let (upper, lower) = if down_first { (V::LOWER, V::UPPER) } else { (V::UPPER, V::LOWER) };
        let asked = query.slabs();
        let passes = |volume: &V, upper: usize, lower: usize| {
            let volume = volume.slabs();
            (0..upper).all(|axis| asked.min[axis] <= volume.max[axis])
                && (0..lower).all(|axis| volume.min[axis] <= asked.max[axis])
        };
        let passed = volumes.iter().filter(|volume| passes(volume, upper, lower)).count();
        let accepted = volumes.iter().filter(|volume| passes(volume, V::AXES, V::AXES)).count();
        let planes = if passed == 0 { upper + lower } else { 2 * V::AXES };
        self.tests += volumes.len();
        self.rejected += volumes.len() - accepted;
        self.rejected_first += volumes.len() - passed;
        self.values += volumes.len() * planes;
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
