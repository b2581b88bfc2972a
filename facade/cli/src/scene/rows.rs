//! Converts the rows of a table to boxes.

use hexphase::Aabb;

use super::columns::{Columns, Form};
use super::number::{Number, Parsed, Scratch};
use super::table::Table;
use super::{Ids, Objects, Warnings};
use crate::error::{ADVICE, Error, Shown};
use crate::memory;

/// Reads the objects of a table after its header.
pub(crate) struct Rows<'a, 's> {
    /// The table, positioned at its header row.
    pub(crate) table: Table<'a>,
    /// The columns to read.
    pub(crate) columns: Columns,
    /// Set for each axis that wraps.
    pub(crate) wraps: [bool; 3],
    /// Records numbers that were rounded.
    pub(crate) warnings: &'s mut Warnings,
}

impl Rows<'_, '_> {
    /// Returns all objects in ascending order of their ids.
    pub(crate) fn read<S: Number, const D: usize>(mut self) -> Result<Objects<S, D>, Error> {
        let mut scratch = Scratch::default();
        let mut bounds = Vec::new();
        let mut ids = Vec::new();
        while self.table.advance()? {
            let Ok(row) = u32::try_from(bounds.len()) else {
                return Err(self.table.error("more than 2^32 objects"));
            };
            if let Some(column) = self.columns.id {
                ids.try_reserve(1).map_err(|_| self.out_of_memory())?;
                ids.push(RowId { id: self.id(column)?, row, line: self.table.line() });
            }
            bounds.try_reserve(1).map_err(|_| self.out_of_memory())?;
            bounds.push(match self.columns.form {
                Form::Corners => self.corners(&mut scratch)?,
                Form::Ball => self.ball(&mut scratch)?,
            });
        }
        match self.columns.id {
            Some(column) => self.sorted_by_id(column, &bounds, ids),
            None => Ok(Objects { bounds, ids: Ids::Rows, discs: None }),
        }
    }

    /// Returns the error for an allocation that failed at the current row.
    fn out_of_memory(&self) -> Error {
        self.table.error(format_args!("not enough memory for all objects; {ADVICE}"))
    }

    /// Returns the box of a row that has corners.
    fn corners<S: Number, const D: usize>(
        &mut self,
        scratch: &mut Scratch,
    ) -> Result<Aabb<S, D>, Error> {
        let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        for axis in 0..D {
            bounds.min[axis] = self.corner(self.columns.first[axis], scratch)?;
            bounds.max[axis] = self.corner(self.columns.second[axis], scratch)?;
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            if min > max && !self.wraps[axis] {
                let message = format_args!("the minimum {min} is above the maximum {max}");
                return Err(self.table.error_in(self.columns.first[axis], message));
            }
        }
        Ok(bounds)
    }

    /// Returns a corner's coordinate, and records whether it was rounded.
    fn corner<S: Number>(&mut self, column: usize, scratch: &mut Scratch) -> Result<S, Error> {
        let number = number::<S>(&self.table, column, scratch)?;
        if number.rounded {
            let location = || self.table.location(column).to_string();
            self.warnings.record(location, &Shown(number.text), &number.value);
        }
        Ok(number.value)
    }

    /// Returns the bounding box of a row that has a center and a radius. The ends of the box are
    /// computed exactly from the written numbers and rounded once, so equal sums give equal ends in
    /// every scalar type.
    fn ball<S: Number, const D: usize>(
        &mut self,
        scratch: &mut Scratch,
    ) -> Result<Aabb<S, D>, Error> {
        let column = self.columns.second[0];
        let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        let radius = number::<S>(&self.table, column, scratch)?;
        if radius.is_negative() {
            let message = format_args!("the radius {} is negative", Shown(radius.text));
            return Err(self.table.error_in(column, message));
        }
        for (axis, &column) in self.columns.first[..D].iter().enumerate() {
            let center = number::<S>(&self.table, column, scratch)?;
            let texts = [center.text, radius.text].map(Shown);
            let ends = S::ends(center, radius, scratch).map_err(|_| {
                let [center, radius] = &texts;
                let range = S::NAME;
                let message = format_args!(
                    "{center} with radius {radius} reaches beyond the range of {range}"
                );
                self.table.error_in(column, message)
            })?;
            for ((end, rounded), sign) in ends.into_iter().zip(["-", "+"]) {
                if rounded {
                    let location = || self.table.location(column).to_string();
                    let [center, radius] = &texts;
                    let from = format_args!("{center} {sign} {radius}");
                    self.warnings.record(location, &from, &end);
                }
            }
            let [(min, _), (max, _)] = ends;
            (bounds.min[axis], bounds.max[axis]) = (min, max);
        }
        Ok(bounds)
    }

    /// Returns the id of the current row.
    fn id(&self, column: usize) -> Result<u32, Error> {
        let text = self.table.text(column)?;
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let invalid =
            |message| self.table.error_in(column, format_args!("\"{}\" {message}", Shown(text)));
        if !digits {
            return Err(invalid("is not an id: a whole number of decimal digits"));
        }
        text.parse().map_err(|_| invalid("is beyond the range of ids, 0 to 4294967295"))
    }

    /// Sorts the objects by id.
    ///
    /// # Errors
    /// If an id occurs twice. The error names the first row that repeats the id of an earlier row.
    fn sorted_by_id<S: Copy, const D: usize>(
        &self,
        column: usize,
        bounds: &[Aabb<S, D>],
        mut ids: Vec<RowId>,
    ) -> Result<Objects<S, D>, Error> {
        ids.sort_unstable_by_key(|ids| (ids.id, ids.row));
        let duplicates = ids.windows(2).filter(|two| two[0].id == two[1].id);
        if let Some([a, b]) = duplicates.min_by_key(|two| two[1].row) {
            let message = format_args!("duplicate id {}, first on line {}", b.id, a.line);
            return Err(self.table.error_on(b.line, column, message));
        }
        let bounds = memory::collect(ids.iter().map(|ids| bounds[ids.row as usize]));
        let ids = memory::collect(ids.iter().map(|ids| ids.id.into()));
        let (Ok(bounds), Ok(ids)) = (bounds, ids) else { return Err(self.out_of_memory()) };
        Ok(Objects { bounds, ids: Ids::Numbers(ids), discs: None })
    }
}

/// Returns a coordinate of the current row.
fn number<'t, S: Number>(
    table: &'t Table<'_>,
    column: usize,
    scratch: &mut Scratch,
) -> Result<Parsed<'t, S>, Error> {
    let text = table.text(column)?;
    S::read(text, &mut scratch.digits).map_err(|bad| {
        if text.is_empty() {
            return table.error_in(column, "empty where a number is expected");
        }
        table.error_in(column, format_args!("\"{}\" {}", Shown(text), bad.message::<S>()))
    })
}

/// The id and row of an object.
struct RowId {
    id: u32,
    /// Row index, counted from 0 after the header.
    row: u32,
    /// Line number of the start of the row.
    line: u64,
}
