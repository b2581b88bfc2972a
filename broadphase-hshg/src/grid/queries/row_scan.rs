//! Row scans: find, in the rows near a box, the objects that overlap the box (or its part for the
//! row) and, if there is a line, may touch it.
//!
//! 1. For each tier, compute the box of cells that can contain low corners of overlapping objects.
//! 2. In each of their rows, find the first object that can reach the box: guess its position by
//!    interpolation, and correct the guess: with SIMD within a window of 64 keys, and outside of it
//!    in steps of doubling length (galloping). Up to eight rows are searched together, which
//!    overlaps their cache misses.
//! 3. Compare blocks of eight objects, until one begins after the box on the first axis.

use core::marker::PhantomData;
use core::ops::ControlFlow;

use broadphase_core::kernel::sweep::{self, Along, Line};
use broadphase_core::kernel::within::{Gate, Open};
use broadphase_core::{Kernel, Keys, LANES, Lanes, Scalar, SlabPlanes, Slabs};

use crate::grid::Hshg;
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::{Row, classes, visit_block};
use crate::grid::storage::tiers::Tier;

/// The number of slots that are compared at once, around the guessed position of a key.
const WINDOW: usize = 8 * LANES;
/// The capacity of the buffer for the slots that a call of the kernel finds.
const HITS: usize = 64;
/// The number of row scans started together to overlap their cache misses.
const MAX_SCANS: usize = 8;

/// A scan of a row for the objects that overlap a box (`slabs`), none of which begins before
/// `min_begin` on the first axis.
#[derive(Clone, Copy, Debug)]
struct RowScan<const D: usize> {
    row: u32,
    min_begin: i32,
    slabs: Slabs<D>,
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Visits, in groups, the slots of objects that overlap a box and, if there is a line, may
    /// touch it. `part` returns the part of the box to scan in a row, or `None` to skip the row.
    #[inline]
    pub(crate) fn scan_rows(
        &self,
        slabs: &Slabs<D>,
        line: Option<&Line<D>>,
        mut part: impl FnMut(&Row<D>) -> Option<Slabs<D>>,
        visit: &mut impl FnMut(&mut [u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let none = RowScan { row: 0, min_begin: 0, slabs: Slabs::PADDING };
        let (mut scans, mut len) = ([none; MAX_SCANS], 0);
        let mut answer = ControlFlow::Continue(());
        self.visit_rows_near(slabs, |index, tier| {
            if answer.is_break() {
                return;
            }
            let row = &self.rows[index];
            if !(row.bounds_stale || row.bounds.overlaps(slabs)) {
                return;
            }
            let Some(slabs) = part(row) else { return };
            let min_begin = tier.reach.earliest(slabs.min[0]);
            scans[len] = RowScan { row: index as u32, min_begin, slabs };
            len += 1;
            if len == MAX_SCANS {
                answer = self.run_scans(&scans, line, visit);
                len = 0;
            }
        });
        if answer.is_break() || len == 0 {
            return answer;
        }
        self.run_scans(&scans[..len], line, visit)
    }

    /// Visits the rows that can have objects overlapping a box, each with its tier.
    #[inline]
    fn visit_rows_near(&self, slabs: &Slabs<D>, mut visit: impl FnMut(usize, &Tier)) {
        for tier in &self.tiers {
            let cells = tier.cells_near::<S, D>(slabs);
            for &class in classes(&self.rows) {
                visit_block(&self.rows, (class, tier.number), cells, |index| {
                    visit(index, tier);
                });
            }
        }
    }

    /// Runs row scans and visits the slots of the objects found, without holes.
    #[inline]
    fn run_scans(
        &self,
        scans: &[RowScan<D>],
        line: Option<&Line<D>>,
        visit: &mut impl FnMut(&mut [u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (planes, rows, axes) = (self.store.planes(), &*self.rows, self.store.axes);
        let (mut begins, mut at, mut hits) = ([usize::MAX; MAX_SCANS], 0, [0; HITS]);
        while at < scans.len() {
            let (begins, at, hits, integer) = (&mut begins, &mut at, &mut hits, S::INTEGER);
            let filled = self.backend.dispatch(RunScans {
                planes,
                axes,
                rows,
                scans,
                line,
                begins,
                at,
                hits,
                integer,
            });
            let mut live = 0;
            for index in 0..filled {
                let slot = hits[index];
                hits[live] = slot;
                live += usize::from(self.is_live(slot as usize));
            }
            visit(&mut hits[..live])?;
        }
        ControlFlow::Continue(())
    }
}

/// A kernel that runs `scans[at..]` until the end or a full buffer. Returns the number of slots
/// written.
struct RunScans<'a, const D: usize> {
    planes: SlabPlanes<'a, D>,
    axes: AxisOrder,
    rows: &'a [Row<D>],
    scans: &'a [RowScan<D>],
    line: Option<&'a Line<D>>,
    /// The slot at which each scan continues, or `usize::MAX` before its first search.
    begins: &'a mut [usize; MAX_SCANS],
    at: &'a mut usize,
    hits: &'a mut [u32; HITS],
    /// Whether keys stand for integer coordinates, not for `f32`, to which `f64` are rounded.
    integer: bool,
}

impl<const D: usize> Kernel for RunScans<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        match self.line {
            Some(line) if self.integer => self.scan_along::<i32, L>(lanes, line),
            Some(line) => self.scan_along::<f32, L>(lanes, line),
            None => self.fill(lanes, Open),
        }
    }
}

impl<const D: usize> RunScans<'_, D> {
    #[inline(always)]
    fn scan_along<S: Scalar, L: Lanes>(self, lanes: L, line: &Line<D>) -> usize {
        // The line has the caller's order of axes.
        let planes = self.axes.exchange_planes(self.planes.of_one_length());
        self.fill(lanes, Along { planes, line, scalar: PhantomData::<S> })
    }

    #[inline(always)]
    fn fill<L: Lanes, G: Gate<L>>(self, lanes: L, gate: G) -> usize {
        let Self { planes, rows, scans, begins, at, hits, integer, .. } = self;
        if begins[*at] == usize::MAX {
            for (begin, scan) in begins.iter_mut().zip(scans) {
                let row = &rows[scan.row as usize];
                let order = &planes.min[0][row.slots()];
                // Prefetch the planes that the search does not read.
                let guess = guess(row, scan.min_begin, integer);
                prefetch(lanes, &planes, row.begin + guess.saturating_sub(LANES / 2));
                *begin = row.begin + first_from(lanes, order, guess, scan.min_begin);
            }
        }
        let mut filled = 0;
        while let Some(RowScan { row, slabs, .. }) = scans.get(*at) {
            let end = rows[*row as usize].slots().end;
            filled = sweep::query(lanes, &planes, slabs, gate, &mut begins[*at], end, hits, filled);
            if begins[*at] < end {
                return filled;
            }
            *at += 1;
        }
        filled
    }
}

/// Prefetches all planes of a slot except the lower ends on the first axis.
#[inline(always)]
fn prefetch<L: Lanes, const D: usize>(lanes: L, planes: &SlabPlanes<'_, D>, slot: usize) {
    lanes.prefetch(planes.max[0], slot);
    let mut axis = 1;
    while axis < D {
        lanes.prefetch(planes.min[axis], slot);
        lanes.prefetch(planes.max[axis], slot);
        axis += 1;
    }
}

/// Guesses the position of a key in a row, assuming evenly spread objects.
#[inline(always)]
fn guess<const D: usize>(row: &Row<D>, key: i32, integer: bool) -> usize {
    let number = |key: i32| if integer { f64::from(key) } else { f64::from(f32::from_key(key)) };
    let (first, last) = (number(row.bounds.min[0]), number(row.bounds.max[0]));
    let part = (number(key) - first) / (last - first);
    ((part * row.len as f64) as usize).min(row.len)
}

/// Returns the position of the first key at or above `key`: compares a window around the guess,
/// then searches outwards in steps of doubling length.
#[inline(always)]
fn first_from<L: Lanes>(lanes: L, order: &[i32], guess: usize, key: i32) -> usize {
    let at = guess.saturating_sub(WINDOW / 2).min(order.len().saturating_sub(WINDOW));
    let Some(window) = order[at..].first_chunk() else {
        return order.partition_point(|&first| first < key);
    };
    let before = sweep::below(lanes, window, key);
    let (mut low, mut high) = (at + before, at + before);
    let mut stride = WINDOW;
    if before == 0 {
        while stride <= high && order[high - stride] >= key {
            high -= stride;
            stride *= 2;
        }
        low = high.saturating_sub(stride);
    } else if before == WINDOW {
        while low + stride < order.len() && order[low + stride] < key {
            low += stride + 1;
            stride *= 2;
        }
        high = order.len().min(low + stride);
    }
    low + order[low..high].partition_point(|&first| first < key)
}
