//! Opens files, finds their columns, and writes pairs as CSV or Parquet.

use std::fs::{self, File};
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

use datafusion::arrow::csv;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Result, plan_err};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::{Expr, cast, ident};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{CsvReadOptions, DataFrame, ParquetReadOptions, SessionContext};
use futures::TryStreamExt;
use hexphase_datafusion::exec::Columns;

/// The columns of a file, by their position.
#[derive(Debug, PartialEq)]
struct Roles {
    id: Option<usize>,
    /// Centers or minima.
    low: Vec<usize>,
    /// Maxima; the centers of points, discs and balls.
    high: Vec<usize>,
    radius: Option<usize>,
}

/// Returns a name without case, spaces and separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !" _-.".contains(*c)).flat_map(char::to_lowercase).collect()
}

fn roles(names: &[String], id: Option<&str>) -> Result<Roles> {
    let plain: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let find = |known: &[String]| plain.iter().position(|name| known.contains(name));
    let axis = |axis: &str, end: &str| find(&[format!("{end}{axis}"), format!("{axis}{end}")]);
    let id = match id {
        Some("-") => None,
        Some(id) => match names.iter().position(|name| name == id) {
            None => return plan_err!("there is no column {id}; columns are {}", names.join(", ")),
            found => found,
        },
        None => find(&["id".into()]),
    };
    let axes = |end: &str| -> Vec<usize> {
        ["x", "y", "z"].iter().map_while(|name| axis(name, end)).collect()
    };
    let (low, high) = (axes("min"), axes("max"));
    if low.len() >= 2 && low.len() == high.len() {
        return Ok(Roles { id, low, high, radius: None });
    }
    let low = axes("");
    if low.len() >= 2 {
        let radius = find(&["r".into(), "radius".into()]);
        return Ok(Roles { id, high: low.clone(), low, radius });
    }
    plan_err!(
        "columns are min_x,min_y[,min_z],max_x,max_y[,max_z], or x,y[,z] with or without r; the \
         file has {}",
        names.join(", ")
    )
}

/// Opens a file; returns the table and its columns, with coordinates of this type.
pub(crate) async fn open(
    session: &SessionContext,
    path: &Path,
    id: Option<&str>,
    scalar: &DataType,
) -> Result<(DataFrame, Columns)> {
    let Some(text) = path.to_str() else { return plan_err!("{} is not UTF-8", path.display()) };
    if !path.is_file() {
        return plan_err!("{text} is not a file");
    }
    let is_parquet = plain(text).ends_with("parquet");
    let mut table = match is_parquet {
        true => session.read_parquet(text, ParquetReadOptions::default()).await?,
        false => session.read_csv(text, csv_options(text)).await?,
    };
    let fields = table.schema().as_arrow().fields().iter();
    let mut fields: Vec<Field> = fields.map(|field| (**field).clone()).collect();
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let roles = roles(&names, id)?;
    if roles.id.is_none() {
        // Row numbers need all rows in their order.
        let state = session.state_ref();
        let mut state = state.write();
        let options = state.config_mut().options_mut();
        options.optimizer.repartition_file_scans = false;
        options.optimizer.enable_round_robin_repartition = false;
    }
    if !is_parquet {
        // Text is converted to the type of coordinates, rounded once; that of balls to `f64`, in
        // which their ends are computed.
        let one = if roles.radius.is_some() { &DataType::Float64 } else { scalar };
        for &at in roles.low.iter().chain(&roles.high).chain(&roles.radius) {
            fields[at].set_data_type(one.clone());
        }
        table = session.read_csv(text, csv_options(text).schema(&Schema::new(fields))).await?;
    }
    let columns = match roles.low.len() {
        2 => columns::<2>(&names, &roles, scalar),
        _ => columns::<3>(&names, &roles, scalar),
    };
    Ok((table, columns))
}

/// Returns the ids and the ends of boxes; the ends of balls are rounded once.
fn columns<const D: usize>(names: &[String], roles: &Roles, scalar: &DataType) -> Columns {
    let column = |at: usize| ident(names[at].clone());
    let wide = |at: usize| cast(column(at), DataType::Float64);
    let low = |axis: usize| match roles.radius {
        Some(radius) => wide(roles.low[axis]) - wide(radius),
        None => column(roles.low[axis]),
    };
    let high = |axis: usize| match roles.radius {
        Some(radius) => wide(roles.low[axis]) + wide(radius),
        None => column(roles.high[axis]),
    };
    let min: [Expr; D] = core::array::from_fn(|axis| cast(low(axis), scalar.clone()));
    let max = core::array::from_fn(|axis| cast(high(axis), scalar.clone()));
    match roles.id {
        Some(id) => Columns::new(column(id), min, max),
        None => Columns::numbered(min, max),
    }
}

/// Files of text have any name.
fn csv_options(path: &str) -> CsvReadOptions<'_> {
    let extension = path.rfind('.').map_or("", |dot| &path[dot..]);
    CsvReadOptions::new().file_extension(extension)
}

enum Writer {
    Csv(csv::Writer<Box<dyn Write + Send>>),
    Parquet(ArrowWriter<File>),
}

impl Writer {
    fn csv(out: impl Write + Send + 'static) -> Self {
        let out: Box<dyn Write + Send> = Box::new(BufWriter::new(out));
        Self::Csv(csv::WriterBuilder::new().with_header(false).build(out))
    }
}

/// Writes all pairs to a file, or as CSV to standard output; returns their number. The file is
/// written under another name and renamed when it is complete.
pub(crate) async fn write(found: DataFrame, path: Option<&Path>) -> Result<usize> {
    // Planning fails before a file is created.
    let pairs = found.execute_stream().await?;
    let Some(path) = path else { return write_all(pairs, Writer::csv(stdout()), true).await };
    let partial = path.with_added_extension("part");
    let file = File::create(&partial)?;
    let writer = if path.extension().is_some_and(|extension| extension == "parquet") {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        Writer::Parquet(ArrowWriter::try_new(file, pairs.schema(), Some(properties))?)
    } else {
        Writer::csv(file)
    };
    let written = write_all(pairs, writer, false).await;
    match written {
        Ok(_) => fs::rename(&partial, path)?,
        Err(_) => drop(fs::remove_file(&partial)),
    }
    written
}

/// Writes all batches. The reader of standard output may close it early.
async fn write_all(
    mut batches: SendableRecordBatchStream,
    mut writer: Writer,
    may_close: bool,
) -> Result<usize> {
    let mut count = 0;
    while let Some(batch) = batches.try_next().await? {
        count += batch.num_rows();
        let written: Result<()> = match &mut writer {
            Writer::Csv(writer) => writer.write(&batch).map_err(Into::into),
            Writer::Parquet(writer) => writer.write(&batch).map_err(Into::into),
        };
        match written {
            Err(error) if may_close && error.to_string().contains("Broken pipe") => {
                return Ok(count);
            }
            written => written?,
        }
    }
    let finished: Result<()> = match writer {
        Writer::Csv(writer) => writer.into_inner().flush().map_err(Into::into),
        Writer::Parquet(writer) => writer.close().map(drop).map_err(Into::into),
    };
    finished.map(|()| count).map_err(|error| error.context("the output cannot be completed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let find = |names: &str, id| {
            let names: Vec<String> = names.split(',').map(Into::into).collect();
            roles(&names, id).map_err(|error| error.to_string())
        };
        let boxes = find("max_x,ID,min_x,MaxY,ymin", None).unwrap();
        assert_eq!(boxes, Roles { id: Some(1), low: vec![2, 4], high: vec![0, 3], radius: None });
        let balls = find("x,y,z,radius,id", Some("-")).unwrap();
        let axes = || vec![0, 1, 2];
        assert_eq!(balls, Roles { id: None, low: axes(), high: axes(), radius: Some(3) });
        assert!(find("x,y", Some("name")).unwrap_err().contains("no column name"));
        assert!(find("a,b", None).unwrap_err().contains("the file has a, b"));
    }
}
