//! The header of a table: assigns columns to coordinates and ids.

use core::ops::Range;

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
    /// The columns of the maximum on each axis, or the column of the radius in all elements.
    pub(crate) second: [usize; 3],
    /// The column of ids, if there is one.
    pub(crate) id: Option<usize>,
    /// The names of columns that are ignored because their form is incomplete.
    pub(crate) ignored: Vec<&'static str>,
}

/// The two forms, for messages.
const FORMS: &str = "a scene has min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r";
/// The names of all columns that are read.
const NAMES: [&str; 11] =
    ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z", "x", "y", "z", "r", "id"];
/// The columns of [`Form::Corners`] in [`NAMES`] end before this index.
const CORNERS_END: usize = 6;
/// The columns of [`Form::Ball`] in [`NAMES`] end before this index.
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

    /// Selects the form and the columns. `found` has the column of each name in [`NAMES`].
    ///
    /// If there are columns of both forms, corners are read if they are complete and the ball is
    /// incomplete; columns of the ball are then ignored. Any other mixture is an error.
    fn choose(table: &Table<'_>, found: [Option<usize>; NAMES.len()]) -> Result<Self, Error> {
        let known = |name: &str| NAMES.iter().position(|known| *known == name);
        let column = |name: &str| known(name).and_then(|known| found[known]);
        let has = |name: &str| column(name).is_some();
        let present = |range: Range<usize>| {
            NAMES[range].iter().copied().filter(|name| has(name)).collect::<Vec<_>>()
        };
        let (corners, ball) = (present(0..CORNERS_END), present(CORNERS_END..BALL_END));
        let are_boxes = ["min_x", "min_y", "max_x", "max_y"].into_iter().all(has)
            && has("min_z") == has("max_z");
        let are_balls = ["x", "y", "r"].into_iter().all(has);
        let form = match (&corners[..], &ball[..]) {
            ([], []) => return Err(Self::unknown(table)?),
            ([_, ..], []) => Form::Corners,
            ([], [_, ..]) => Form::Ball,
            _ if are_boxes && !are_balls => Form::Corners,
            (_, [first, ..]) => {
                let message = format_args!("mixes two forms: read {}; {FORMS}", table.header());
                return Err(table.error_at(first, message));
            }
        };
        let need = |name: &str| {
            let message = || format!("missing: read {}; {FORMS}", table.header());
            column(name).ok_or_else(|| table.error_at(name, message()))
        };
        let (third, names) = match form {
            Form::Corners => (
                corners.iter().any(|name| name.ends_with('z')),
                [["min_x", "min_y", "min_z"], ["max_x", "max_y", "max_z"]],
            ),
            Form::Ball => (has("z"), [["x", "y", "z"], ["r"; 3]]),
        };
        let dimensions = if third { 3 } else { 2 };
        let mut indices = [[0; 3]; 2];
        for (axes, names) in indices.iter_mut().zip(names) {
            for (index, name) in axes.iter_mut().zip(names).take(dimensions) {
                *index = need(name)?;
            }
        }
        let [first, second] = indices;
        let ignored = if form == Form::Corners { ball } else { Vec::new() };
        Ok(Self { form, dimensions, first, second, id: column("id"), ignored })
    }

    /// Returns the error for a header without any column of the two forms.
    fn unknown(table: &Table<'_>) -> Result<Error, Error> {
        let (header, first) = (table.header(), table.text(0)?);
        let separator = [";", "\t", "|", " "].into_iter().find(|&it| first.contains(it));
        Ok(match separator.filter(|_| table.width() == 1) {
            Some(separator) => table.error(format_args!(
                "no known column: read one column \"{header}\"; \
                 columns are separated by \",\", not by \"{}\"",
                separator.escape_default()
            )),
            None => table.error(format_args!(
                "no known column: read {header}; the first line names the columns, and {FORMS}"
            )),
        })
    }
}
