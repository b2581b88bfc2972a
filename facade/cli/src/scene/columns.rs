//! What the header says: which column means what.

use super::table::Table;
use crate::error::Error;

/// How the numbers of a row make a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `min_x,min_y[,min_z],max_x,max_y[,max_z]`.
    Corners,
    /// `x,y[,z],r`.
    Ball,
}

/// The columns that matter.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// What the numbers mean.
    pub(crate) form: Form,
    /// How many dimensions the scene has: 2 or 3.
    pub(crate) dimensions: usize,
    /// The minimum, or the centre, on each axis.
    pub(crate) first: [usize; 3],
    /// The maximum on each axis, or the radius.
    pub(crate) second: [usize; 3],
    /// The column of ids.
    pub(crate) id: Option<usize>,
}

/// What a scene has, for messages.
const FORMS: &str = "a scene has min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r";
/// All names that mean something.
const NAMES: [&str; 11] =
    ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z", "x", "y", "z", "r", "id"];
/// How many of them, from the front, are of boxes given by corners.
const CORNERS: usize = 6;
/// Where those of balls end.
const BALLS: usize = 10;

impl Columns {
    /// Reads the header, the first line that is not blank.
    pub(crate) fn read(table: &mut Table<'_>) -> Result<Self, Error> {
        if !table.advance()? {
            return Err(table.empty());
        }
        let mut found = [None; NAMES.len()];
        for column in 0..table.width() {
            let name = table.text(column)?;
            let Some(known) = NAMES.iter().position(|known| *known == name) else { continue };
            if found[known].replace(column).is_some() {
                return Err(table.error_at(name, "there are two columns of that name"));
            }
        }
        Self::choose(table, found)
    }

    /// Decides between the forms.
    fn choose(table: &Table<'_>, found: [Option<usize>; NAMES.len()]) -> Result<Self, Error> {
        let first =
            |range: core::ops::Range<usize>| range.into_iter().find(|&n| found[n].is_some());
        let form = match (first(0..CORNERS), first(CORNERS..BALLS)) {
            (Some(_), None) => Form::Corners,
            (None, Some(_)) => Form::Ball,
            (None, None) => return Err(table.error(format_args!("no known column: {FORMS}"))),
            (Some(_), Some(ball)) => {
                let what = format_args!("mixes two forms: {FORMS}");
                return Err(table.error_at(NAMES[ball], what));
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
        let mut places = [[0; 3]; 2];
        for (places, names) in places.iter_mut().zip(names) {
            for (place, name) in places.iter_mut().zip(names).take(dimensions) {
                *place = need(name)?;
            }
        }
        let [first, second] = places;
        Ok(Self { form, dimensions, first, second, id: need("id").ok() })
    }
}
