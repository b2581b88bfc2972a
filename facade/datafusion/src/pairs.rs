//! Ids of pairs: their order, and columns of pairs.

use arrow::array::{Array, ArrayRef, AsArray, StringArray, StructArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Fields, Int64Type, UInt64Type};
use datafusion_common::{Result, exec_err};

/// The ids of rows: integers or texts without nulls.
pub(crate) enum PairIds<'a> {
    Int(&'a [i64]),
    UInt(&'a [u64]),
    Text(&'a StringArray),
}

impl<'a> PairIds<'a> {
    /// # Errors
    /// If an id is null.
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
        let equal = match self {
            Self::Int(ids) => sort_ends(pairs, |row| ids[row]),
            Self::UInt(ids) => sort_ends(pairs, |row| ids[row]),
            Self::Text(ids) => sort_ends(pairs, |row| ids.value(row)),
        };
        match equal {
            Some(row) => exec_err!("two boxes have the id {}", self.text(row)),
            None => Ok(()),
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

    fn text(&self, row: usize) -> String {
        match self {
            Self::Int(ids) => ids[row].to_string(),
            Self::UInt(ids) => ids[row].to_string(),
            Self::Text(ids) => format!("{:?}", ids.value(row)),
        }
    }
}

/// Puts the row with the smaller id first in each pair. Returns a row of a pair with equal ids.
fn sort_ends<T: Ord>(pairs: &mut [[u32; 2]], id: impl Fn(usize) -> T) -> Option<usize> {
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
    equal
}

/// Returns the ids of pairs of rows.
pub(crate) fn pair_columns(ids: &ArrayRef, pairs: &[[u32; 2]]) -> Result<Vec<ArrayRef>> {
    let column = |end: usize| {
        let rows = UInt32Array::from_iter_values(pairs.iter().map(|pair| pair[end]));
        take(ids, &rows, None)
    };
    Ok(vec![column(0)?, column(1)?])
}

/// Returns the ids of pairs of rows as structs with these fields.
pub(crate) fn pair_struct(
    fields: Fields,
    ids: &ArrayRef,
    pairs: &[[u32; 2]],
) -> Result<StructArray> {
    let columns = pair_columns(ids, pairs)?;
    Ok(StructArray::try_new_with_length(fields, columns, None, pairs.len())?)
}
