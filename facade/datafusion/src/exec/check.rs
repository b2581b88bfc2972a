//! Checks that all pairs arrive, each once.
//!
//! With [`Options::checked`](super::Options::checked), [`OverlapsExec`](super::overlaps_exec)
//! reports a [`Tally`] after the pairs of each cell: numbers and a hash of them. `CheckExec` runs
//! in the process that receives the pairs. It passes them on, and at the end compares:
//!
//! * no cell is reported twice: a part of the work that was done again is found;
//! * pairs and the sum of their hashes are those of the tallies;
//! * the boxes whose low corner is in the cells are as many as the rows of the tables, which are
//!   counted when the query is planned: a part of the work that is missing is found.

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::{filter_record_batch, is_null};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, exec_err};
use datafusion::physical_expr::Distribution;
use futures::{StreamExt, stream};

use super::operator::{Batches, Step, Task};
use super::overlaps_exec::pair_schema;
use crate::search::PairIds;

/// Returns the schema of pairs and tallies: a row has either two ids or a tally.
pub(crate) fn tally_schema(id: &DataType) -> Schema {
    let field = |name: &str, one: &DataType| Field::new(name, one.clone(), true);
    Schema::new(vec![field("a", id), field("b", id), field("tally", &DataType::Binary)])
}

/// Numbers of one cell, or their sums over cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Boxes whose low corner is in the cell.
    pub(crate) boxes: u64,
    pub(crate) pairs: u64,
    /// The sum of the hashes of the pairs, so that their order does not matter.
    pub(crate) hash: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, ids: [&PairIds<'_>; 2], pairs: impl Iterator<Item = [u32; 2]>) {
        for [a, b] in pairs {
            let first = ids[0].hash(a as usize);
            // The two ids have different parts, so (a, b) and (b, a) differ.
            let hash = mix(first.rotate_left(32) ^ ids[1].hash(b as usize).wrapping_mul(3));
            self.hash = self.hash.wrapping_add(hash);
            self.pairs += 1;
        }
    }

    pub(crate) fn to_bytes(self, cell: u32) -> Vec<u8> {
        let numbers = [u64::from(cell), self.boxes, self.pairs, self.hash];
        numbers.map(u64::to_le_bytes).as_flattened().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<(u64, Self)> {
        let (numbers, []) = bytes.as_chunks::<8>() else { return None };
        let numbers: &[[u8; 8]; 4] = numbers.try_into().ok()?;
        let [cell, boxes, pairs, hash] = numbers.map(u64::from_le_bytes);
        Some((cell, Self { boxes, pairs, hash }))
    }
}

/// Mixes the bits of a number (the finalizer of splitmix64).
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The operator: passes pairs on, and compares them with the tallies at the end.
#[derive(Clone, Debug)]
pub(crate) struct CheckPairs {
    pub(crate) cells: usize,
    /// The number of boxes in the tables.
    pub(crate) boxes: u64,
}

impl Step for CheckPairs {
    const NAME: &'static str = "CheckExec";

    fn display(&self) -> String {
        format!("cells={}, boxes={}", self.cells, self.boxes)
    }

    fn schema(&self, input: &Schema) -> Schema {
        pair_schema(input.field(0).data_type())
    }

    fn distribution(&self) -> Distribution {
        Distribution::SinglePartition
    }

    fn run(&self, Task { input, schema, .. }: Task) -> Batches {
        let check = Check::new(schema, self);
        let pairs = stream::try_unfold((input, check), |(mut input, mut check)| async move {
            match input.next().await {
                Some(batch) => Ok(Some((check.pass(&batch?)?, (input, check)))),
                None => check.finish().map(|()| None),
            }
        });
        pairs.boxed()
    }
}

struct Check {
    schema: SchemaRef,
    /// Whether a cell has been reported.
    reported: Vec<bool>,
    boxes: u64,
    arrived: Tally,
    found: Tally,
}

impl Check {
    fn new(schema: SchemaRef, &CheckPairs { cells, boxes }: &CheckPairs) -> Self {
        let [arrived, found] = [Tally::default(); 2];
        Self { schema, reported: vec![false; cells], boxes, arrived, found }
    }

    /// Reads the tallies of a batch, and returns its pairs.
    fn pass(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let tallies = batch.column(2).as_binary::<i32>();
        for bytes in tallies.iter().flatten() {
            let Some((cell, tally)) = Tally::from_bytes(bytes) else {
                return exec_err!("the tally of a cell is not valid");
            };
            match self.reported.get_mut(cell as usize) {
                Some(reported) if !*reported => *reported = true,
                Some(_) => return exec_err!("wrong result: cell {cell} was searched twice"),
                None => return exec_err!("wrong result: there is no cell {cell}"),
            }
            self.found.boxes += tally.boxes;
            self.found.pairs += tally.pairs;
            self.found.hash = self.found.hash.wrapping_add(tally.hash);
        }
        let pairs = filter_record_batch(batch, &is_null(tallies)?)?;
        let ids = [&PairIds::new(pairs.column(0))?, &PairIds::new(pairs.column(1))?];
        self.arrived.add(ids, (0..pairs.num_rows() as u32).map(|row| [row; 2]));
        let columns = pairs.columns()[..2].to_vec();
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    fn finish(&self) -> Result<()> {
        let Self { boxes, arrived, found, .. } = self;
        if found.boxes != *boxes {
            exec_err!("wrong result: {boxes} boxes were read, {} searched", found.boxes)
        } else if found.pairs != arrived.pairs {
            let [found, arrived] = [found.pairs, arrived.pairs];
            exec_err!("wrong result: {found} pairs were found, {arrived} arrived")
        } else if found.hash != arrived.hash {
            exec_err!("wrong result: other pairs arrived than were found")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, BinaryArray, Int64Array};

    use super::*;

    fn batch(pairs: &[[i64; 2]], tallies: &[Vec<u8>]) -> RecordBatch {
        let column = |end: usize| -> ArrayRef {
            let ids = pairs.iter().map(|pair| Some(pair[end]));
            Arc::new(Int64Array::from_iter(ids.chain(tallies.iter().map(|_| None))))
        };
        let none = pairs.iter().map(|_| None);
        let bytes = BinaryArray::from_iter(none.chain(tallies.iter().map(Some)));
        let columns = vec![column(0), column(1), Arc::new(bytes) as ArrayRef];
        RecordBatch::try_new(Arc::new(tally_schema(&DataType::Int64)), columns).unwrap()
    }

    fn tally(cell: u32, boxes: u64, pairs: &[[i64; 2]]) -> Vec<u8> {
        let ids: ArrayRef = Arc::new(Int64Array::from(pairs.as_flattened().to_vec()));
        let ids = PairIds::new(&ids).unwrap();
        let mut tally = Tally { boxes, ..Tally::default() };
        tally.add([&ids, &ids], (0..pairs.len() as u32).map(|pair| [2 * pair, 2 * pair + 1]));
        tally.to_bytes(cell)
    }

    fn outcome(batches: &[RecordBatch]) -> Result<usize> {
        let schema = Arc::new(pair_schema(&DataType::Int64));
        let mut check = Check::new(schema, &CheckPairs { cells: 4, boxes: 5 });
        let mut pairs = 0;
        for batch in batches {
            pairs += check.pass(batch)?.num_rows();
        }
        check.finish().map(|()| pairs)
    }

    #[test]
    fn pairs_that_are_missing_doubled_or_changed_are_an_error() {
        let (some, others) = ([[1, 2], [1, 7]], [[3, 4]]);
        let one = batch(&some, &[tally(0, 2, &some), tally(1, 0, &[])]);
        let two = [batch(&others, &[]), batch(&[], &[tally(3, 3, &others)])];
        let all = [one.clone(), two[0].clone(), two[1].clone()];
        assert_eq!(outcome(&all).unwrap(), 3);
        let any_order = [two[1].clone(), one.clone(), two[0].clone()];
        assert_eq!(outcome(&any_order).unwrap(), 3);
        let error = |batches: &[RecordBatch]| outcome(batches).unwrap_err().to_string();
        assert!(error(&all[..2]).contains("5 boxes were read, 2 searched"));
        assert!(error(&[one.clone(), one.clone()]).contains("cell 0 was searched twice"));
        assert!(error(&[one.clone(), two[1].clone()]).contains("3 pairs were found, 2 arrived"));
        for other in [[[4, 3]], [[3, 5]]] {
            let changed = [one.clone(), batch(&other, &[]), two[1].clone()];
            assert!(error(&changed).contains("other pairs arrived"));
        }
        let outside = batch(&[], &[tally(4, 0, &[])]);
        assert!(error(&[outside]).contains("there is no cell 4"));
        assert!(error(&[batch(&[], &[vec![0; 27]])]).contains("not valid"));
    }
}
