//! The codec of the operators: sends a plan to another process.
//!
//! An operator is a list of words of 8 bytes, little-endian; its input is encoded by the engine.
//!
//! ```text
//! kind        1 cells, 2 overlaps
//! version     of this format
//! dimensions  D, 2 or 3
//! option      cells: 0 one table, 1 first, 2 second, plus 3 if packed; overlaps: 1 with tallies
//! within      f64
//! scale       f64, of the cover
//! origin      D × f64
//! cells       their number, and the code of the first point of each
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use broadphase_morton::Code;
use datafusion::common::{Result, exec_err, not_impl_err, plan_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};

use super::cells_exec::{ListCells, schema, types};
use super::check::CheckPairs;
use super::cover::Cover;
use super::operator::{Operator, Step};
use super::options::BadRows;
use super::overlaps_exec::FindPairs;
use crate::boxes::{Distance, id_type};

const CELLS: u64 = 1;
const OVERLAPS: u64 = 2;
const VERSION: u64 = 3;

/// Encodes and decodes the operators of [`pairs`](super::pairs) and [`join`](super::join), so that
/// an engine can run a plan on several machines. Set it on the machine that plans and on each
/// machine that runs a part of the plan.
///
/// All options are encoded but two, which are an error: rows counted by
/// [`BadRows::Count`](super::BadRows::Count) and numbers of rows by
/// [`Columns::numbered`](super::Columns::numbered) belong to one process. The counter of
/// [`Options::progress`](super::Options::progress) counts the rows that its process reads. The
/// operator of [`Options::checked`](super::Options::checked) is not encoded: it runs in the process
/// that receives the pairs.
///
/// Bytes that are not valid are an error.
///
/// ```
/// # use std::sync::Arc;
/// # use datafusion::{error::Result, physical_plan::ExecutionPlan, prelude::SessionContext};
/// use datafusion_proto::bytes::{
///     physical_plan_from_bytes_with_extension_codec as decode,
///     physical_plan_to_bytes_with_extension_codec as encode,
/// };
/// use hexphase_datafusion::exec::OverlapsCodec;
///
/// type Plan = Arc<dyn ExecutionPlan>;
/// fn send(plan: Plan, receiver: &SessionContext) -> Result<Plan> {
///     let bytes = encode(plan, &OverlapsCodec)?;
///     decode(&bytes, &receiver.task_ctx(), &OverlapsCodec)
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct OverlapsCodec;

impl PhysicalExtensionCodec for OverlapsCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        _: &TaskContext,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let words: Vec<u64> = match bytes.as_chunks() {
            (words, []) => words.iter().map(|word| u64::from_le_bytes(*word)).collect(),
            _ => Vec::new(),
        };
        let [kind, version, dimensions, words @ ..] = &words[..] else {
            return exec_err!("the bytes of an operator are not complete");
        };
        if *version != VERSION {
            return exec_err!("an operator has format {version}, this program reads {VERSION}");
        }
        let [input] = inputs else {
            return exec_err!("an operator has one input, not {}", inputs.len());
        };
        match dimensions {
            2 => decode::<2>(*kind, words, Arc::clone(input)),
            3 => decode::<3>(*kind, words, Arc::clone(input)),
            other => exec_err!("an operator has {other} dimensions"),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        out: &mut Vec<u8>,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if step::<CheckPairs>(&node).is_some() {
            return plan_err!("a result is checked in the process that receives it");
        }
        let Some(words) = encode::<2>(&node)?.or(encode::<3>(&node)?) else {
            return not_impl_err!("{} is not an operator of hexphase-datafusion", node.name());
        };
        out.extend(words.into_iter().flat_map(u64::to_le_bytes));
        Ok(())
    }
}

/// Returns the options of an operator; `None` if it is another operator.
fn step<S: Step>(node: &Arc<dyn ExecutionPlan>) -> Option<&S> {
    node.downcast_ref::<Operator<S>>().map(|operator| &operator.step)
}

fn encode<const D: usize>(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Vec<u64>>> {
    let (kind, option, cover, within) = if let Some(cells) = step::<ListCells<D>>(node) {
        if cells.numbered {
            return plan_err!("rows are numbered in one process only; the boxes need ids");
        }
        if matches!(cells.bad_rows, BadRows::Count(_)) {
            return plan_err!("bad rows are counted in one process only; filter them first");
        }
        let side = cells.side.map_or(0, |second| 1 + u64::from(second));
        (CELLS, side + 3 * u64::from(cells.packed), &cells.cover, cells.within)
    } else if let Some(pairs) = step::<FindPairs<D>>(node) {
        (OVERLAPS, u64::from(pairs.tally), &pairs.cover, pairs.within)
    } else {
        return Ok(None);
    };
    let (origin, scale, codes) = cover.parts();
    let mut words = vec![kind, VERSION, D as u64, option, within.get().to_bits(), scale.to_bits()];
    words.extend(origin.map(f64::to_bits));
    words.push(codes.len() as u64);
    words.extend(codes.iter().map(|code| code.bits()));
    Ok(Some(words))
}

/// Returns an operator in `D` dimensions; `words` begin with the option.
fn decode<const D: usize>(
    kind: u64,
    words: &[u64],
    input: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let [option, within, scale, words @ ..] = words else {
        return exec_err!("the bytes of an operator are not complete");
    };
    let within = Distance::new("within", f64::from_bits(*within))?;
    let cover = words.split_first_chunk::<D>().and_then(|(origin, words)| {
        let (count, codes) = words.split_first()?;
        let starts: Vec<_> = codes.iter().map(|&code| Code::from_bits(code)).collect();
        let is_exact = starts.iter().map(|start| start.bits()).eq(codes.iter().copied());
        Cover::from_parts(origin.map(f64::from_bits), f64::from_bits(*scale), starts)
            .filter(|cover| is_exact && cover.len() as u64 == *count)
    });
    let Some(cover) = cover.map(Arc::new) else {
        return exec_err!("the cells of an operator are not valid");
    };
    match (kind, option) {
        (CELLS, 0..=5) => {
            check_columns::<D>(&input.schema(), 0)?;
            let step = ListCells {
                cover,
                within,
                bad_rows: BadRows::Refuse,
                side: [None, Some(false), Some(true)][*option as usize % 3],
                numbered: false,
                packed: *option >= 3,
                rows: Arc::default(),
            };
            Ok(Operator::plan(step, input))
        }
        (OVERLAPS, 0..=1) => {
            check_columns::<D>(&input.schema(), 1)?;
            Ok(Operator::plan(FindPairs { cover, within, tally: *option == 1 }, input))
        }
        _ => exec_err!("there is no operator of kind {kind} with option {option}"),
    }
}

/// Checks the columns of an input: boxes, whose ids are in column 0, or rows of cells, whose ids
/// are in column 1.
fn check_columns<const D: usize>(found: &Schema, id: usize) -> Result<()> {
    let fields = found.fields();
    let fits = types(found, id).is_some_and(|of_boxes| {
        let packed = matches!(fields[id].data_type(), DataType::List(_));
        let wanted = schema::<D>(of_boxes, fields.len() == 2 * D + 3, packed && id == 1);
        let type_of = |field: &Arc<Field>| field.data_type().clone();
        id_type("boxes", of_boxes[0]).is_ok_and(|one| one == *of_boxes[0])
            && matches!(of_boxes[1], DataType::Float32 | DataType::Float64)
            && wanted.fields()[1 - id..].iter().map(type_of).eq(fields.iter().map(type_of))
    });
    if fits { Ok(()) } else { exec_err!("the input of an operator has the columns {found}") }
}
