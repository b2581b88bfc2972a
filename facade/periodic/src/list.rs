//! The list of neighbors, and the pass that writes it.
//!
//! A candidate is accepted by the definition of the crate in `f64`. A first pass counts the
//! neighbors of each particle, and a second pass writes columns of the exact length. Both visit
//! particles in Morton order: in the order of the list, nearly each read of a position would wait
//! for memory. Columns are allocated as zeroed memory, which the operating system provides when it
//! is written, so pages are touched once.

use core::hint::black_box;
use core::ops::Range;

use broadphase_core::tasks;

use crate::cell::{Cell, dot};
use crate::cutoff::Squares;
use crate::{Columns, Error};

/// Minimum number of candidates per thread.
const MIN_CANDIDATES_PER_TASK: usize = 16_384;

/// Neighbors of all particles.
///
/// The neighbors of particle `i` are the entries `offsets[i]..offsets[i + 1]` of each requested
/// column, ordered by the second particle, then by the shift. Columns that were not requested are
/// empty.
///
/// ```
/// use hexphase_periodic::{Cell, Cutoff, NeighborList, NeighborSearch};
///
/// // One particle in a row of cells: its neighbors are its own images.
/// let cell = Cell { vectors: [[1.0, 0.0, 0.0]; 3], periodic: [true, false, false] };
/// let mut list = NeighborList::default();
/// NeighborSearch::new(Cutoff::Uniform(1.5)).find(&[[0.0; 3]], &cell, &mut list)?;
/// assert_eq!(list.offsets, [0, 2]);
/// assert_eq!((list.first, list.second), (vec![0, 0], vec![0, 0]));
/// assert_eq!(list.shifts, [[-1, 0, 0], [1, 0, 0]]);
/// assert_eq!(list.distances, [1.0, 1.0]);
/// assert_eq!(list.vectors, [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
/// # Ok::<(), hexphase_periodic::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeighborList {
    /// For each particle the index of its first pair, then the number of pairs.
    pub offsets: Vec<usize>,
    /// The first particle of each pair: `i` of ase.
    pub first: Vec<u32>,
    /// The second particle of each pair: `j` of ase.
    pub second: Vec<u32>,
    /// The cell shift of each pair: `S` of ase.
    pub shifts: Vec<[i32; 3]>,
    /// The distance of each pair, the root of the squared length of its vector: `d` of ase.
    pub distances: Vec<f64>,
    /// The vector of each pair, from the first particle to the image of the second: `D` of ase.
    pub vectors: Vec<[f64; 3]>,
}

impl NeighborList {
    /// Returns the number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Returns whether there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An image of a particle: its index, and a shift.
pub(crate) type Image = (u32, [i32; 3]);

/// Candidates of pairs in the order of the list, a superset of it.
pub(crate) trait Source: Sync {
    /// Returns for each particle a bound of the number of candidates of it and those before.
    fn ends(&self) -> &[usize];

    /// Appends the candidates of a particle to an empty list: images and their shifts.
    fn candidates(&self, particle: usize, out: &mut Vec<Image>);
}

/// The definition of pairs.
pub(crate) struct Definition<'a> {
    pub(crate) positions: &'a [[f64; 3]],
    pub(crate) cell: &'a Cell,
    pub(crate) squares: Squares<'a>,
}

impl Definition<'_> {
    /// Replaces a list by the candidates that the definition accepts. On an error, it is empty.
    pub(crate) fn write(
        &self,
        source: &impl Source,
        columns: Columns,
        out: &mut NeighborList,
    ) -> Result<(), Error> {
        let written = self.try_write(source, columns, out);
        if written.is_err() {
            *out = NeighborList::default();
        }
        written
    }

    fn try_write(
        &self,
        source: &impl Source,
        columns: Columns,
        out: &mut NeighborList,
    ) -> Result<(), Error> {
        let count = self.positions.len();
        resize(&mut out.offsets, true, count + 1)?;
        out.offsets.fill(0);
        let ends = source.ends();
        let lens = (0..count).map(|i| ends[i] - i.checked_sub(1).map_or(0, |before| ends[before]));
        let mut ranges = tasks::weighed(lens, MIN_CANDIDATES_PER_TASK);
        if ranges.is_empty() {
            ranges.push(0..count);
        }
        let mut orders: Vec<_> = ranges.into_iter().map(|range| (range, Vec::new())).collect();
        self.count(source, &mut orders, &mut out.offsets[1..]);
        let mut len = 0;
        for offset in &mut out.offsets {
            len += *offset;
            *offset = len;
        }
        let NeighborList { offsets, first, second, shifts, distances, vectors } = out;
        resize(first, columns.first, len)?;
        resize(second, columns.second, len)?;
        resize(shifts, columns.shifts, len)?;
        resize(distances, columns.distances, len)?;
        resize(vectors, columns.vectors, len)?;
        let slices = Slices { first, second, shifts, distances, vectors };
        self.fill(source, &orders, offsets, slices);
        Ok(())
    }

    /// Counts the neighbors of each particle, and writes the order in which the particles of each
    /// range are visited.
    fn count(
        &self,
        source: &impl Source,
        orders: &mut [(Range<usize>, Vec<u32>)],
        mut counts: &mut [usize],
    ) {
        let grid = MortonGrid::around(self.positions);
        let mut parts = Vec::with_capacity(orders.len());
        for (range, order) in orders {
            parts.push((range.clone(), order, split_off(&mut counts, range.len())));
        }
        tasks::each(&mut parts, |(range, order, counts)| {
            **order = grid.order(self.positions, range.clone());
            let mut candidates = Vec::new();
            for &particle in order.iter() {
                let count = &mut counts[particle as usize - range.start];
                self.visit(source, particle, &mut candidates, |_, _, is_neighbor, _, _| {
                    *count += usize::from(is_neighbor);
                });
            }
        });
    }

    /// Writes the columns.
    fn fill(
        &self,
        source: &impl Source,
        orders: &[(Range<usize>, Vec<u32>)],
        offsets: &[usize],
        mut columns: Slices<'_>,
    ) {
        let mut parts = Vec::with_capacity(orders.len());
        for (range, order) in orders {
            let begin = offsets[range.start];
            parts.push((order, begin, columns.split_off(offsets[range.end] - begin)));
        }
        tasks::each(&mut parts, |(order, begin, columns)| {
            let mut candidates = Vec::new();
            for &first in order.iter() {
                let mut at = offsets[first as usize] - *begin;
                let end = offsets[first as usize + 1] - *begin;
                self.visit(source, first, &mut candidates, |second, shift, is_in, square, vector| {
                    // A rejected candidate is overwritten.
                    if at < end {
                        columns.set(at, first, second, shift, square, vector);
                    }
                    at += usize::from(is_in);
                });
            }
        });
    }

    /// Visits the candidates of a particle: the second particle, the shift, whether they are
    /// neighbors, the square of the distance, and the vector. The list is a scratch buffer.
    #[inline(always)]
    fn visit(
        &self,
        source: &impl Source,
        first: u32,
        candidates: &mut Vec<Image>,
        mut visit: impl FnMut(u32, [i32; 3], bool, f64, [f64; 3]),
    ) {
        let position = self.positions[first as usize];
        candidates.clear();
        source.candidates(first as usize, candidates);
        for &(second, shift) in &*candidates {
            let to = self.positions[second as usize];
            let vector = self.cell.vector(position, to, shift);
            let square = dot(vector, vector);
            let is_neighbor = square <= self.squares.of(first as usize, second as usize);
            visit(second, shift, is_neighbor, square, vector);
        }
    }
}

/// A grid of 1024 cells on each axis, numbered in Morton order.
struct MortonGrid {
    min: [f64; 3],
    cells_per_length: f64,
}

impl MortonGrid {
    fn around(positions: &[[f64; 3]]) -> Self {
        let (mut min, mut side) = ([0.0; 3], f64::MIN_POSITIVE);
        for axis in 0..3 {
            let along = || positions.iter().map(|position| position[axis]);
            min[axis] = along().fold(f64::INFINITY, f64::min);
            side = side.max(along().fold(f64::NEG_INFINITY, f64::max) - min[axis]);
        }
        Self { min, cells_per_length: 1023.0 / side }
    }

    /// Returns particles of a range in Morton order: those visited soon after each other have
    /// common neighbors, whose positions are in the caches.
    fn order(&self, positions: &[[f64; 3]], range: Range<usize>) -> Vec<u32> {
        let number = |index: usize| {
            let spread = |axis: usize| {
                let cell = (positions[index][axis] - self.min[axis]) * self.cells_per_length;
                let mut bits = cell as u64 & 1023;
                bits = (bits | bits << 16) & 0x0300_00FF;
                bits = (bits | bits << 8) & 0x0300_F00F;
                bits = (bits | bits << 4) & 0x030C_30C3;
                (bits | bits << 2) & 0x0924_9249
            };
            (spread(0) | spread(1) << 1 | spread(2) << 2) << 32 | index as u64
        };
        let mut order: Vec<u64> = range.map(number).collect();
        order.sort_unstable();
        order.into_iter().map(|number| number as u32).collect()
    }
}

/// Parts of the columns of a list; a column that is not requested is empty.
#[derive(Default)]
struct Slices<'a> {
    first: &'a mut [u32],
    second: &'a mut [u32],
    shifts: &'a mut [[i32; 3]],
    distances: &'a mut [f64],
    vectors: &'a mut [[f64; 3]],
}

impl Slices<'_> {
    /// Removes the first entries, or all if there are fewer, and returns them.
    fn split_off(&mut self, len: usize) -> Self {
        Self {
            first: split_off(&mut self.first, len),
            second: split_off(&mut self.second, len),
            shifts: split_off(&mut self.shifts, len),
            distances: split_off(&mut self.distances, len),
            vectors: split_off(&mut self.vectors, len),
        }
    }

    #[inline(always)]
    fn set(
        &mut self,
        index: usize,
        first: u32,
        second: u32,
        shift: [i32; 3],
        square: f64,
        vector: [f64; 3],
    ) {
        set(self.first, index, || first);
        set(self.second, index, || second);
        set(self.shifts, index, || shift);
        set(self.distances, index, || square.sqrt());
        set(self.vectors, index, || vector);
    }
}

fn split_off<'a, T>(slice: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    slice.split_off_mut(..len.min(slice.len())).unwrap_or_default()
}

#[inline(always)]
fn set<T>(column: &mut [T], index: usize, value: impl FnOnce() -> T) {
    if let Some(entry) = column.get_mut(index) {
        *entry = value();
    }
}

/// Returns an empty vector with memory for this number of items.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>, Error> {
    let mut items = Vec::new();
    items.try_reserve_exact(len).map_err(|_| Error::Memory)?;
    Ok(items)
}

/// Changes the length of a column to this number, or to 0 if it is not requested. Entries have any
/// values.
fn resize<T: Clone + Default>(
    column: &mut Vec<T>,
    requested: bool,
    len: usize,
) -> Result<(), Error> {
    if !requested {
        column.clear();
    } else if len <= column.capacity() {
        column.resize(len, T::default());
    } else {
        *column = Vec::new();
        // Without this, failure to allocate zeroed memory would abort the program.
        drop(black_box(reserved::<T>(len)?));
        *column = vec![T::default(); len];
    }
    Ok(())
}
