//! Checks that all pairs arrive, each once.
//!
//! With [`Options::checked`](super::Options::checked), [`OverlapsExec`](super::overlaps_exec)
//! reports a [`Tally`] after the pairs of each cell: numbers and a hash of them. [`CheckExec`] runs
//! in the process that receives the pairs. It passes them on, and at the end compares:
//!
//! * no cell is reported twice: a part of the work that was done again is found;
//! * pairs and the sum of their hashes are those of the tallies;
//! * the boxes whose low corner is in the cells are as many as the rows of the tables, which are
//!   counted when the query is planned: a part of the work that is missing is found.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::{filter_record_batch, is_null};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan,
    InputDistributionRequirements, Partitioning, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, stream};

use super::overlaps_exec::pair_schema;
use crate::pairs::PairIds;

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
    /// Adds pairs.
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
        let numbers = [self.boxes, self.pairs, self.hash].map(u64::to_le_bytes);
        [&cell.to_le_bytes()[..], numbers.as_flattened()].concat()
    }

    /// Reads the cell and its tally.
    fn from_bytes(bytes: &[u8]) -> Option<(u32, Self)> {
        let (cell, rest) = bytes.split_first_chunk()?;
        let (numbers, []) = rest.as_chunks::<8>() else { return None };
        let &[boxes, pairs, hash] = numbers else { return None };
        let [boxes, pairs, hash] = [boxes, pairs, hash].map(u64::from_le_bytes);
        Some((u32::from_le_bytes(*cell), Self { boxes, pairs, hash }))
    }
}

/// Mixes the bits of a number (the finalizer of splitmix64).
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Passes pairs on, and compares them with the tallies at the end.
#[derive(Debug)]
pub(crate) struct CheckExec {
    input: Arc<dyn ExecutionPlan>,
    cells: usize,
    boxes: u64,
    properties: Arc<PlanProperties>,
}

impl CheckExec {
    /// Creates the operator for a number of cells and of boxes in the tables.
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, cells: usize, boxes: u64) -> Self {
        let id = input.schema().field(0).data_type().clone();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::new(pair_schema(&id))),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self { input, cells, boxes, properties: Arc::new(properties) }
    }
}

impl DisplayAs for CheckExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckExec: cells={}, boxes={}", self.cells, self.boxes)
    }
}

impl ExecutionPlan for CheckExec {
    fn name(&self) -> &str {
        "CheckExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(children.swap_remove(0), self.cells, self.boxes)))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mode = ChildrenPropertiesMode::Recompute;
        self.replace_children(children, ReplaceChildrenOptions::new(mode))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if self.input.properties().output_partitioning().partition_count() != 1 {
            return internal_err!("a result is checked in one partition");
        }
        let input = self.input.execute(partition, context)?;
        let check = Check::new(self.schema(), self.cells, self.boxes);
        let pairs = stream::try_unfold((input, check), |(mut input, mut check)| async move {
            match input.next().await {
                Some(batch) => Ok(Some((check.pass(&batch?)?, (input, check)))),
                None => check.finish().map(|()| None),
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), pairs)))
    }
}

/// The sums of the pairs that have arrived and of the tallies.
struct Check {
    schema: SchemaRef,
    /// Whether a cell has been reported.
    reported: Vec<bool>,
    boxes: u64,
    arrived: Tally,
    found: Tally,
}

impl Check {
    fn new(schema: SchemaRef, cells: usize, boxes: u64) -> Self {
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
        let pairs = match tallies.null_count() == batch.num_rows() {
            true => batch.clone(),
            false => filter_record_batch(batch, &is_null(tallies)?)?,
        };
        let columns: [&ArrayRef; 2] = [pairs.column(0), pairs.column(1)];
        let ids = [PairIds::new(columns[0])?, PairIds::new(columns[1])?];
        let rows = (0..pairs.num_rows() as u32).map(|row| [row; 2]);
        self.arrived.add([&ids[0], &ids[1]], rows);
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns.map(Arc::clone).to_vec())?)
    }

    /// # Errors
    /// If pairs are missing, or are others than were found.
    fn finish(&self) -> Result<()> {
        let Self { boxes, arrived, found, .. } = self;
        if found.boxes != *boxes {
            return exec_err!("wrong result: {boxes} boxes were read, {} searched", found.boxes);
        }
        if found.pairs != arrived.pairs {
            let [found, arrived] = [found.pairs, arrived.pairs];
            return exec_err!("wrong result: {found} pairs were found, {arrived} arrived");
        }
        if found.hash != arrived.hash {
            return exec_err!("wrong result: other pairs arrived than were found");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{BinaryArray, Int64Array};

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
        let column = |end: usize| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(pairs.iter().map(|pair| pair[end])))
        };
        let [a, b] = [column(0), column(1)];
        let [a, b] = [PairIds::new(&a).unwrap(), PairIds::new(&b).unwrap()];
        let mut tally = Tally { boxes, ..Tally::default() };
        tally.add([&a, &b], (0..pairs.len() as u32).map(|row| [row; 2]));
        tally.to_bytes(cell)
    }

    fn outcome(batches: &[RecordBatch]) -> Result<usize> {
        let schema = Arc::new(pair_schema(&DataType::Int64));
        let mut check = Check::new(schema, 4, 5);
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
