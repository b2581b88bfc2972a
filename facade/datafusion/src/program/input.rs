//! Opens files and finds their columns.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr, cast, ident};
use datafusion::prelude::{CsvReadOptions, DataFrame, ParquetReadOptions, SessionContext};
use hexphase_datafusion::exec::Columns;

/// Types of coordinates.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Scalar {
    F32,
    F64,
}

/// A file and the way to read it.
#[derive(Debug)]
pub(crate) struct Input {
    path: PathBuf,
    id: Option<String>,
    scalar: Scalar,
}

/// The columns of a file, by their position.
#[derive(Debug, PartialEq)]
struct Roles {
    id: Option<usize>,
    /// Centers or minima.
    low: Vec<usize>,
    /// Maxima; none for points, discs and balls.
    high: Vec<usize>,
    radius: Option<usize>,
}

/// Returns a name without case, spaces and separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !" _-.".contains(*c)).flat_map(char::to_lowercase).collect()
}

/// Finds the columns of ids and boxes.
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
        return Ok(Roles { id, low, high: Vec::new(), radius });
    }
    plan_err!(
        "columns are min_x,min_y[,min_z],max_x,max_y[,max_z], or x,y[,z] with or without r; the \
         file has {}",
        names.join(", ")
    )
}

impl Input {
    pub(crate) fn new(path: &Path, id: Option<&str>, scalar: Scalar) -> Self {
        Self { path: path.into(), id: id.map(Into::into), scalar }
    }

    /// Opens the file; returns the table and its columns.
    pub(crate) async fn open(&self, session: &SessionContext) -> Result<(DataFrame, Columns)> {
        let Some(path) = self.path.to_str() else {
            return plan_err!("{} is not UTF-8", self.path.display());
        };
        if !self.path.is_file() {
            return plan_err!("{path} is not a file");
        }
        let parquet = plain(path).ends_with("parquet");
        let table = match parquet {
            true => session.read_parquet(path, ParquetReadOptions::default()).await?,
            false => session.read_csv(path, csv(path)).await?,
        };
        let schema = table.schema().as_arrow().clone();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let roles = roles(&names, self.id.as_deref())?;
        if roles.id.is_none() {
            // Row numbers need all rows in their order.
            let state = session.state_ref();
            let mut state = state.write();
            let options = state.config_mut().options_mut();
            options.optimizer.repartition_file_scans = false;
            options.optimizer.enable_round_robin_repartition = false;
        }
        let table = match parquet {
            true => table,
            // Text is converted to the type of coordinates, rounded once.
            false => {
                let schema = self.typed(&schema, &roles);
                session.read_csv(path, csv(path).schema(&schema)).await?
            }
        };
        Ok((table, self.columns(&names, &roles)))
    }

    fn coordinate(&self) -> DataType {
        match self.scalar {
            Scalar::F32 => DataType::Float32,
            Scalar::F64 => DataType::Float64,
        }
    }

    /// Sets the type of the columns of boxes. The ends of balls are computed in `f64`.
    fn typed(&self, schema: &Schema, roles: &Roles) -> Schema {
        let mut fields: Vec<Field> =
            schema.fields().iter().map(|field| (**field).clone()).collect();
        let one = if roles.radius.is_some() { DataType::Float64 } else { self.coordinate() };
        for &at in roles.low.iter().chain(&roles.high).chain(&roles.radius) {
            fields[at].set_data_type(one.clone());
        }
        Schema::new(fields)
    }

    fn columns(&self, names: &[String], roles: &Roles) -> Columns {
        let column = |at: usize| ident(names[at].clone());
        let rounded = |one: Expr| cast(one, self.coordinate());
        let end = |axis: usize, sign: f64| -> Expr {
            let wide = |at: usize| cast(column(at), DataType::Float64);
            match (roles.radius, roles.high.get(axis)) {
                (Some(radius), _) if sign < 0.0 => wide(roles.low[axis]) - wide(radius),
                (Some(radius), _) => wide(roles.low[axis]) + wide(radius),
                (None, Some(&high)) if sign > 0.0 => column(high),
                (None, _) => column(roles.low[axis]),
            }
        };
        let boxes = |sign: f64, axis: usize| rounded(end(axis, sign));
        let id = roles.id.map(column);
        match roles.low.len() {
            2 => of::<2>(id, &boxes),
            _ => of::<3>(id, &boxes),
        }
    }
}

/// Returns the columns in `D` dimensions; `boxes` returns a minimum (-1) or maximum (1) of an axis.
fn of<const D: usize>(id: Option<Expr>, boxes: &dyn Fn(f64, usize) -> Expr) -> Columns {
    let [min, max] = [-1.0, 1.0].map(|sign| core::array::from_fn(|axis| boxes(sign, axis)));
    match id {
        Some(id) => Columns::new::<D>(id, min, max),
        None => Columns::numbered::<D>(min, max),
    }
}

/// Files of text have any name.
fn csv(path: &str) -> CsvReadOptions<'_> {
    let extension = path.rfind('.').map_or("", |dot| &path[dot..]);
    CsvReadOptions::new().file_extension(extension)
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
        assert_eq!(balls, Roles { id: None, low: vec![0, 1, 2], high: vec![], radius: Some(3) });
        assert!(find("x,y", Some("name")).unwrap_err().contains("no column name"));
        assert!(find("a,b", None).unwrap_err().contains("the file has a, b"));
    }
}
