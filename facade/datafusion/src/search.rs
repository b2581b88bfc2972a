//! Finds the pairs of one group of boxes.
//!
//! Up to 24 boxes are compared in a loop; more are inserted into a grid
//! ([`Hshg`](broadphase_hshg::Hshg)). Either way a pair of rows is passed to a visitor with the
//! bounds of both, so that the caller can skip pairs that another group reports.
//!
//! The search is compiled for `f32` and `f64` in two and three dimensions. [`pair_columns`] makes
//! columns of ids of the pairs of rows.

use std::fmt::Debug;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StringArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Fields, Float32Type, Float64Type, Int64Type, UInt64Type,
};
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

/// Returns the low corner of the intersection of two boxes.
#[inline]
pub(crate) fn low_corner<const D: usize>([[a, _], [b, _]]: [[[f64; D]; 2]; 2]) -> [f64; D] {
    core::array::from_fn(|axis| if a[axis] > b[axis] { a[axis] } else { b[axis] })
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
        match group.corners[0].data_type() {
            DataType::Float32 => self.f32.run(&values::<Float32Type>(group), group, visit),
            DataType::Float64 => self.f64.run(&values::<Float64Type>(group), group, visit),
            other => exec_err!("coordinates are Float32 or Float64, not {other}"),
        }
    }
}

fn values<'a, T: ArrowPrimitiveType>(group: &Group<'a>) -> Vec<&'a [T::Native]> {
    group.corners.iter().map(|column| &column.as_primitive::<T>().values()[..]).collect()
}

/// The boxes of each table, by row, and a grid for each.
#[derive(Default)]
struct Grids<S: Number, const D: usize> {
    boxes: [Vec<IndexObject<S, D>>; 2],
    grids: [Hshg<S, D>; 2],
    found: Vec<Pair>,
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
        for &pair in &*found {
            visit(pair, pair.map(|row| corners(&bounds(row as usize))))?;
        }
        Ok(())
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

/// The ids of rows: integers or texts without nulls.
pub(crate) enum PairIds<'a> {
    Int(&'a [i64]),
    UInt(&'a [u64]),
    Text(&'a StringArray),
}

impl<'a> PairIds<'a> {
    pub(crate) fn new(ids: &'a ArrayRef) -> Result<Self> {
        if ids.null_count() > 0 {
            return exec_err!("the id of a box is null");
        }
        match ids.data_type() {
            DataType::Int64 => Ok(Self::Int(ids.as_primitive::<Int64Type>().values())),
            DataType::UInt64 => Ok(Self::UInt(ids.as_primitive::<UInt64Type>().values())),
            DataType::Utf8 => Ok(Self::Text(ids.as_string())),
            other => exec_err!("ids are Int64, UInt64 or Utf8, not {other}"),
        }
    }

    /// Puts the row with the smaller id first in each pair.
    ///
    /// # Errors
    /// If both ids of a pair are equal.
    pub(crate) fn sort_ends(&self, pairs: &mut [[u32; 2]]) -> Result<()> {
        match self {
            Self::Int(ids) => sort_ends(pairs, |row| ids[row]),
            Self::UInt(ids) => sort_ends(pairs, |row| ids[row]),
            Self::Text(ids) => sort_ends(pairs, |row| ids.value(row)),
        }
    }

    /// Returns the hash of the id of a row, equal on every machine.
    #[cfg(feature = "exec")]
    pub(crate) fn hash(&self, row: usize) -> u64 {
        use crate::exec::mix;
        match self {
            Self::Int(ids) => mix(ids[row] as u64),
            Self::UInt(ids) => mix(ids[row]),
            Self::Text(ids) => {
                let bytes = ids.value(row).bytes();
                bytes.fold(1, |hash, byte| mix(hash ^ u64::from(byte)).wrapping_add(1))
            }
        }
    }
}

fn sort_ends<T: Ord + Debug>(pairs: &mut [[u32; 2]], id: impl Fn(usize) -> T) -> Result<()> {
    let mut equal = None;
    for pair in pairs {
        let [a, b] = *pair;
        let [first, second] = [id(a as usize), id(b as usize)];
        if first == second {
            equal = Some(a as usize);
        }
        // Branch-free: the order is unpredictable.
        *pair = if first < second { [a, b] } else { [b, a] };
    }
    match equal {
        Some(row) => exec_err!("two boxes have the id {:?}", id(row)),
        None => Ok(()),
    }
}

pub(crate) fn pair_columns(ids: &ArrayRef, pairs: &[[u32; 2]]) -> Result<Vec<ArrayRef>> {
    let column = |end: usize| {
        let rows = UInt32Array::from_iter_values(pairs.iter().map(|pair| pair[end]));
        Ok(take(ids, &rows, None)?)
    };
    [0, 1].into_iter().map(column).collect()
}

pub(crate) fn pair_fields(id: &DataType) -> Fields {
    ["a", "b"].map(|name| Field::new(name, id.clone(), false)).to_vec().into()
}
