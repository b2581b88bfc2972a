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

    /// Returns the two rows, the one with the smaller id first.
    ///
    /// # Errors
    /// If both ids are equal.
    #[inline]
    pub(crate) fn in_order(&self, [a, b]: [u32; 2]) -> Result<[u32; 2]> {
        let [i, j] = [a as usize, b as usize];
        let order = match self {
            Self::Int(ids) => ids[i].cmp(&ids[j]),
            Self::UInt(ids) => ids[i].cmp(&ids[j]),
            Self::Text(ids) => ids.value(i).cmp(ids.value(j)),
        };
        match order {
            std::cmp::Ordering::Less => Ok([a, b]),
            std::cmp::Ordering::Greater => Ok([b, a]),
            std::cmp::Ordering::Equal => exec_err!("two boxes have the id {}", self.text(i)),
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
