//! The header of a table: assigns columns to coordinates and ids.

use super::table::Table;
use crate::error::Error;

/// The form in which rows give boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `min_x,min_y[,min_z],max_x,max_y[,max_z]`.
    Corners,
    /// `x,y[,z],r`.
    Ball,
}

/// The indices of the columns that are read.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// The form of the rows.
    pub(crate) form: Form,
    /// The number of dimensions: 2 or 3.
    pub(crate) dimensions: usize,
    /// The columns of the minimum, or of the center, on each axis.
    pub(crate) first: [usize; 3],
    /// The columns of the maximum on each axis, or of the radius (in all elements).
    pub(crate) second: [usize; 3],
    /// The column of ids, if there is one.
    pub(crate) id: Option<usize>,
}

/// The two forms, for messages.
const FORMS: &str = "a scene has min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r";
/// The names of all columns that are read.
const NAMES: [&str; 11] =
    ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z", "x", "y", "z", "r", "id"];
/// The end of the columns of [`Form::Corners`] in [`NAMES`].
const CORNERS_END: usize = 6;
/// The end of the columns of [`Form::Ball`] in [`NAMES`].
const BALL_END: usize = 10;

impl Columns {
    /// Reads the header: the first line that is not blank.
    pub(crate) fn read(table: &mut Table<'_>) -> Result<Self, Error> {
        if !table.advance()? {
            return Err(table.empty());
        }
        let mut found = [None; NAMES.len()];
        for column in 0..table.width() {
            let name = table.text(column)?;
            let Some(known) = NAMES.iter().position(|known| *known == name) else { continue };
            if found[known].replace(column).is_some() {
                return Err(table.error_at(name, "duplicate column"));
            }
        }
        Self::choose(table, found)
    }

    /// Selects the form and the columns; `found` has the column of each name in [`NAMES`].
    fn choose(table: &Table<'_>, found: [Option<usize>; NAMES.len()]) -> Result<Self, Error> {
        let first =
            |range: core::ops::Range<usize>| range.into_iter().find(|&n| found[n].is_some());
        let form = match (first(0..CORNERS_END), first(CORNERS_END..BALL_END)) {
            (Some(_), None) => Form::Corners,
            (None, Some(_)) => Form::Ball,
            (None, None) => return Err(table.error(format_args!("no known column: {FORMS}"))),
            (Some(_), Some(ball)) => {
                let message = format_args!("mixes two forms: {FORMS}");
                return Err(table.error_at(NAMES[ball], message));
            }
        };
        let need = |name: &str| {
            let known = NAMES.iter().position(|known| *known == name).and_then(|n| found[n]);
            known.ok_or_else(|| table.error_at(name, format_args!("missing: {FORMS}")))
        };
        let [min_z, max_z, z] = ["min_z", "max_z", "z"].map(|name| need(name).is_ok());
        let dimensions = if min_z || max_z || z { 3 } else { 2 };
        let names = match form {
            Form::Corners => [["min_x", "min_y", "min_z"], ["max_x", "max_y", "max_z"]],
            Form::Ball => [["x", "y", "z"], ["r"; 3]],
        };
        let mut indices = [[0; 3]; 2];
        for (axes, names) in indices.iter_mut().zip(names) {
            for (index, name) in axes.iter_mut().zip(names).take(dimensions) {
                *index = need(name)?;
            }
        }
        let [first, second] = indices;
        Ok(Self { form, dimensions, first, second, id: need("id").ok() })
    }
}
