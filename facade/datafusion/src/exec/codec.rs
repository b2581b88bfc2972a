//! The codec of the operators: sends a plan to another process.
//!
//! Bytes are little-endian. Each operator is a byte of its kind, the version of the format, and its
//! options; its input is encoded by the engine.
//!
//! ```text
//! cover      dimensions u8, origin D × f64, scale f64, count u32, first codes count × u64
//! cells      1, version, cover, within f64, side u8 (0: one table, 1 first, 2 second; plus 3: packed)
//! overlaps   2, version, cover, within f64, tally u8
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use broadphase_morton::Code;
use datafusion::common::{Result, exec_err, not_impl_err, plan_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};

use super::cells_exec::{AnyCover, CellsConfig, CellsExec, schema, types};
use super::check::CheckExec;
use super::cover::Cover;
use super::options::BadRows;
use super::overlaps_exec::OverlapsExec;
use crate::boxes::{Distance, id_type};

const CELLS: u8 = 1;
const OVERLAPS: u8 = 2;
const VERSION: u8 = 2;

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
/// use datafusion::prelude::{SessionContext, col};
/// use datafusion_proto::bytes::{
///     physical_plan_from_bytes_with_extension_codec as decode,
///     physical_plan_to_bytes_with_extension_codec as encode,
/// };
/// use hexphase_datafusion::exec::{Columns, Options, OverlapsCodec, pairs};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let session = SessionContext::new();
/// let points = "SELECT value AS id, value AS x, 0 AS y FROM generate_series(1, 10)";
/// let columns = Columns::new(col("id"), [col("x"), col("y")], [col("x"), col("y")]);
/// let near = pairs(session.sql(points).await?, &columns, Options::new().within(1.0))?;
/// let plan = near.create_physical_plan().await?;
/// let bytes = encode(plan, &OverlapsCodec)?;
/// let plan = decode(&bytes, &session.task_ctx(), &OverlapsCodec)?;
/// let found = datafusion::physical_plan::collect(plan, session.task_ctx()).await?;
/// assert_eq!(found.iter().map(|batch| batch.num_rows()).sum::<usize>(), 9);
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// # }).unwrap();
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
        let mut reader = Reader(bytes);
        let kind = reader.byte()?;
        let version = reader.byte()?;
        if version != VERSION {
            return exec_err!("an operator has format {version}, this program reads {VERSION}");
        }
        let cover = Arc::new(reader.cover()?);
        let within = Distance::new("within", reader.f64()?)?;
        let last = reader.byte()?;
        let [input] = inputs else {
            return exec_err!("an operator has one input, not {}", inputs.len());
        };
        let input = Arc::clone(input);
        if !reader.0.is_empty() {
            return exec_err!("an operator has {} bytes too many", reader.0.len());
        }
        match (kind, last) {
            (CELLS, 0..=5) => {
                check_boxes(&input.schema(), cover.dimensions())?;
                let side = [None, Some(false), Some(true)][usize::from(last % 3)];
                let config = CellsConfig {
                    cover,
                    within,
                    bad_rows: BadRows::Refuse,
                    side,
                    numbered: false,
                    packed: last >= 3,
                    rows: Arc::default(),
                };
                Ok(Arc::new(CellsExec::new(input, config)))
            }
            (OVERLAPS, 0..=1) => {
                check_cells(&input.schema(), cover.dimensions())?;
                Ok(Arc::new(OverlapsExec::new(input, cover, within, last == 1)))
            }
            _ => exec_err!("there is no operator of kind {kind} with option {last}"),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        out: &mut Vec<u8>,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(exec) = node.downcast_ref::<CellsExec>() {
            let config = exec.config();
            if config.numbered {
                return plan_err!("rows are numbered in one process only; the boxes need ids");
            }
            if matches!(config.bad_rows, BadRows::Count(_)) {
                return plan_err!("bad rows are counted in one process only; filter them first");
            }
            out.extend([CELLS, VERSION]);
            write_cover(&config.cover, out);
            out.extend(config.within.get().to_le_bytes());
            let side = config.side.map_or(0, |second| 1 + u8::from(second));
            out.push(side + 3 * u8::from(config.packed));
            return Ok(());
        }
        if let Some(exec) = node.downcast_ref::<OverlapsExec>() {
            let (cover, within, tally) = exec.options();
            out.extend([OVERLAPS, VERSION]);
            write_cover(cover, out);
            out.extend(within.get().to_le_bytes());
            out.push(u8::from(tally));
            return Ok(());
        }
        if node.is::<CheckExec>() {
            return plan_err!("a result is checked in the process that receives it");
        }
        not_impl_err!("{} is not an operator of hexphase-datafusion", node.name())
    }
}

/// Checks the columns of boxes: id, minima and maxima.
fn check_boxes(found: &Schema, dimensions: usize) -> Result<()> {
    let fields = found.fields();
    let fits = fields.len() == 1 + 2 * dimensions
        && have_boxes(fields[0].data_type(), fields[1].data_type())
        && fields[1..].iter().all(|field| field.data_type() == fields[1].data_type());
    if fits { Ok(()) } else { exec_err!("the input of an operator has the columns {found}") }
}

/// Checks the columns of rows of cells, packed or not.
fn check_cells(found: &Schema, dimensions: usize) -> Result<()> {
    let fits = types(found).is_some_and(|[id, coordinate]| {
        let is_schema = |[join, packed]: [bool; 2]| {
            let wanted = schema(id, coordinate, dimensions, join, packed);
            let types = |field: &Arc<Field>| field.data_type().clone();
            wanted.fields().iter().map(types).eq(found.fields().iter().map(types))
        };
        let mut options = [false, true].into_iter().flat_map(|a| [[a, false], [a, true]]);
        have_boxes(id, coordinate) && options.any(is_schema)
    });
    if fits { Ok(()) } else { exec_err!("the input of an operator has the columns {found}") }
}

/// Returns whether boxes have ids and coordinates of these types.
fn have_boxes(id: &DataType, coordinate: &DataType) -> bool {
    id_type("boxes", id).is_ok_and(|one| one == *id)
        && matches!(coordinate, DataType::Float32 | DataType::Float64)
}

fn write_cover(cover: &AnyCover, out: &mut Vec<u8>) {
    fn write<const D: usize>(cover: &Cover<D>, out: &mut Vec<u8>) {
        let (origin, scale, starts) = cover.parts();
        out.push(D as u8);
        origin.iter().chain([&scale]).for_each(|x| out.extend(x.to_le_bytes()));
        out.extend((starts.len() as u32).to_le_bytes());
        starts.iter().for_each(|start| out.extend(start.bits().to_le_bytes()));
    }
    match cover {
        AnyCover::Flat(cover) => write(cover, out),
        AnyCover::Solid(cover) => write(cover, out),
    }
}

/// The bytes that have not been read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.0.split_first_chunk() {
            Some((first, rest)) => {
                self.0 = rest;
                Ok(*first)
            }
            None => exec_err!("the bytes of an operator end too early"),
        }
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take::<1>()?[0])
    }

    fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.take()?))
    }

    fn cover(&mut self) -> Result<AnyCover> {
        match self.byte()? {
            2 => Ok(AnyCover::Flat(self.cover_of()?)),
            3 => Ok(AnyCover::Solid(self.cover_of()?)),
            other => exec_err!("an operator has {other} dimensions"),
        }
    }

    fn cover_of<const D: usize>(&mut self) -> Result<Cover<D>> {
        let mut origin = [0.0; D];
        for x in &mut origin {
            *x = self.f64()?;
        }
        let scale = self.f64()?;
        let count = u32::from_le_bytes(self.take()?) as usize;
        let mut starts = Vec::with_capacity(count.min(self.0.len() / 8));
        for _ in 0..count {
            let bits = u64::from_le_bytes(self.take()?);
            let code = Code::<D>::from_bits(bits);
            if code.bits() != bits {
                return exec_err!("an operator has a cell out of range");
            }
            starts.push(code);
        }
        match Cover::from_parts(origin, scale, starts) {
            Some(cover) => Ok(cover),
            None => exec_err!("the cells of an operator are not valid"),
        }
    }
}
