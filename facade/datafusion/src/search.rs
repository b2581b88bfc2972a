//! Finds the pairs of one group of boxes.
//!
//! Up to 24 boxes are compared in a loop; more are inserted into a grid
//! ([`Hshg`](broadphase_hshg::Hshg)). Either way a pair of rows is passed to a visitor with the
//! bounds of both, so that the caller can skip pairs that another group reports.
//!
//! The search is compiled for `f32` and `f64` in two and three dimensions.

use arrow::array::{ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use broadphase_core::{Aabb, IndexObject, Number, Pair, PairSearch, SpatialIndex};
use broadphase_hshg::Hshg;
use datafusion_common::{DataFusionError, Result, exec_err};

use crate::boxes::Distance;

/// Up to this number of boxes are compared without a grid.
const MAX_BRUTE: usize = 24;

/// The boxes of a group: columns of one length.
pub(crate) struct Group<'a> {
    /// Minima, then maxima; all `Float32` or all `Float64`. Without nulls.
    pub(crate) corners: &'a [ArrayRef],
    /// For two tables, whether a row is of the second.
    pub(crate) side: Option<&'a BooleanArray>,
    /// The distance of the pairs; 0 for overlaps.
    pub(crate) within: Distance,
}

/// Receives a pair of rows with their bounds, minimum and maximum. Of two tables, the row of the
/// first comes first. Stops the search if it returns an error.
pub(crate) type Visit<'a, const D: usize> =
    dyn FnMut([u32; 2], [[[f64; D]; 2]; 2]) -> Result<()> + 'a;

/// Buffers of searches, kept between groups.
#[derive(Default)]
pub(crate) struct Search<const D: usize> {
    f32: Grids<f32, D>,
    f64: Grids<f64, D>,
}

impl<const D: usize> Search<D> {
    /// Visits each pair of the group once.
    ///
    /// # Errors
    /// If the visitor returns an error, memory is not available, or a row has no valid box.
    pub(crate) fn run(&mut self, group: &Group<'_>, visit: &mut Visit<'_, D>) -> Result<()> {
        let columns = group.corners;
        match columns.first().map(|column| column.data_type()) {
            Some(DataType::Float32) => {
                let values = columns.iter().map(|x| x.as_primitive::<Float32Type>().values());
                let columns: Vec<&[f32]> = values.map(|values| &values[..]).collect();
                self.f32.run(&columns, group, visit)
            }
            Some(DataType::Float64) => {
                let values = columns.iter().map(|x| x.as_primitive::<Float64Type>().values());
                let columns: Vec<&[f64]> = values.map(|values| &values[..]).collect();
                self.f64.run(&columns, group, visit)
            }
            other => exec_err!("coordinates are Float32 or Float64, not {other:?}"),
        }
    }
}

/// The boxes of each table, by row, and a grid for each.
struct Grids<S: Number, const D: usize> {
    boxes: [Vec<IndexObject<S, D>>; 2],
    grids: [Hshg<S, D>; 2],
    found: Vec<Pair>,
}

impl<S: Number, const D: usize> Default for Grids<S, D> {
    fn default() -> Self {
        let (boxes, grids) = ([Vec::new(), Vec::new()], [Hshg::new(), Hshg::new()]);
        Self { boxes, grids, found: Vec::new() }
    }
}

impl<S: Number, const D: usize> Grids<S, D> {
    fn run(&mut self, columns: &[&[S]], group: &Group<'_>, visit: &mut Visit<'_, D>) -> Result<()> {
        self.boxes.iter_mut().for_each(Vec::clear);
        let bounds = |row: usize| {
            let end = |end: usize| core::array::from_fn(|axis| columns[end * D + axis][row]);
            Aabb { min: end(0), max: end(1) }
        };
        for row in 0..columns[0].len() {
            let side = usize::from(group.side.is_some_and(|side| side.value(row)));
            self.boxes[side].push(IndexObject::new(row as u32, bounds(row)));
        }
        let [first, second] = &self.boxes;
        if group.side.is_some() && (first.is_empty() || second.is_empty()) {
            return Ok(());
        }
        let within = S::from_f64(group.within.get());
        let overlaps = within == S::ZERO;
        if overlaps && first.len() + second.len() <= MAX_BRUTE {
            return compare_all(group.side.is_some(), [first, second], visit);
        }
        for (grid, boxes) in self.grids.iter_mut().zip(&self.boxes) {
            grid.clear();
            grid.insert_many(boxes).map_err(|error| DataFusionError::External(error.into()))?;
        }
        let search =
            PairSearch { distance: (!overlaps).then_some(within), filter: None, sorted: false };
        let Self { grids: [first, second], found, .. } = self;
        if group.side.is_some() {
            first.find_pairs_between(second, &search, found);
        } else {
            first.find_pairs(&search, found);
        }
        found
            .iter()
            .try_for_each(|&pair| visit(pair, pair.map(|row| corners(&bounds(row as usize)))))
    }
}

/// Returns minimum and maximum; exact.
fn corners<S: Number, const D: usize>(bounds: &Aabb<S, D>) -> [[f64; D]; 2] {
    [bounds.min.map(S::to_f64), bounds.max.map(S::to_f64)]
}

/// Compares each box with each later box, or each box of the first table with each of the second.
fn compare_all<S: Number, const D: usize>(
    is_join: bool,
    [first, second]: [&[IndexObject<S, D>]; 2],
    visit: &mut Visit<'_, D>,
) -> Result<()> {
    for (at, a) in first.iter().enumerate() {
        for b in if is_join { second } else { &first[at + 1..] } {
            if a.bounds.overlaps(&b.bounds) {
                visit([a.key, b.key], [corners(&a.bounds), corners(&b.bounds)])?;
            }
        }
    }
    Ok(())
}
