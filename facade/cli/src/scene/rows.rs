//! Converts the rows of a table to boxes.

use core::array::from_fn;

use hexphase::Aabb;

use super::columns::{Columns, Form};
use super::number::Number;
use super::table::Table;
use super::{Objects, Roundings};
use crate::error::{Error, Shown};

/// Reads the objects of a table after its header.
pub(crate) struct Rows<'a, 's> {
    /// The table, positioned at its header row.
    pub(crate) table: Table<'a>,
    /// The columns to read.
    pub(crate) columns: Columns,
    /// The numbers rounded so far.
    pub(crate) roundings: &'s mut Roundings,
}

impl Rows<'_, '_> {
    /// Returns all objects in ascending order of their ids.
    pub(crate) fn read<S: Number, const D: usize>(mut self) -> Result<Objects<S, D>, Error> {
        let mut scratch = String::new();
        let mut bounds = Vec::new();
        let mut ids = Vec::new();
        while self.table.advance()? {
            let Ok(row) = u32::try_from(bounds.len()) else {
                return Err(self.table.error("more than 2^32 objects"));
            };
            if let Some(column) = self.columns.id {
                ids.push(RowId { id: self.id(column)?, row, line: self.table.line() });
            }
            bounds.push(match self.columns.form {
                Form::Corners => self.corners(&mut scratch)?,
                Form::Ball => self.ball(&mut scratch)?,
            });
        }
        match self.columns.id {
            Some(column) => self.sorted_by_id(column, &bounds, ids),
            None => Ok(Objects { bounds, ids: None }),
        }
    }

    /// Returns the box of a row that has corners.
    fn corners<S: Number, const D: usize>(
        &mut self,
        scratch: &mut String,
    ) -> Result<Aabb<S, D>, Error> {
        let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        for axis in 0..D {
            bounds.min[axis] = self.number(self.columns.first[axis], scratch)?;
            bounds.max[axis] = self.number(self.columns.second[axis], scratch)?;
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            if min > max {
                let message = format_args!("the minimum {min} is above the maximum {max}");
                return Err(self.table.error_in(self.columns.first[axis], message));
            }
        }
        Ok(bounds)
    }

    /// Returns the bounding box of a row that has a center and a radius.
    fn ball<S: Number, const D: usize>(
        &mut self,
        scratch: &mut String,
    ) -> Result<Aabb<S, D>, Error> {
        let mut center = [S::ZERO; D];
        for (x, column) in center.iter_mut().zip(self.columns.first) {
            *x = self.number(column, scratch)?;
        }
        let column = self.columns.second[0];
        let radius: S = self.number(column, scratch)?;
        if radius < S::ZERO {
            return Err(self
                .table
                .error_in(column, format_args!("the radius {radius} is negative")));
        }
        let ends: [_; D] =
            from_fn(|axis| (center[axis].difference(radius), center[axis].sum(radius)));
        if let Some(axis) = ends.iter().position(|(min, max)| min.is_none() || max.is_none()) {
            let (x, range) = (center[axis], S::NAME);
            let message =
                format_args!("{x} with radius {radius} reaches beyond the range of {range}");
            return Err(self.table.error_in(self.columns.first[axis], message));
        }
        Ok(Aabb {
            min: ends.map(|(min, _)| min.unwrap_or(S::MIN)),
            max: ends.map(|(_, max)| max.unwrap_or(S::MAX)),
        })
    }

    /// Returns a coordinate of the current row.
    fn number<S: Number>(&mut self, column: usize, scratch: &mut String) -> Result<S, Error> {
        let text = self.table.text(column)?;
        match S::read(text, scratch) {
            Ok(parsed) => {
                if parsed.rounded {
                    let location = || self.table.location(column).to_string();
                    self.roundings.record(location, &Shown(text), &parsed.value);
                }
                Ok(parsed.value)
            }
            Err(_) if text.is_empty() => {
                Err(self.table.error_in(column, "empty where a number is expected"))
            }
            Err(bad) => Err(self
                .table
                .error_in(column, format_args!("\"{}\" {}", Shown(text), bad.message::<S>()))),
        }
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
    /// If an id occurs duplicates; names the first row with an earlier id.
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
        Ok(Objects {
            bounds: ids.iter().map(|ids| bounds[ids.row as usize]).collect(),
            ids: Some(ids.iter().map(|ids| ids.id).collect()),
        })
    }
}

/// The id and row of an object.
struct RowId {
    id: u32,
    /// Row index, counted from 0 after the header.
    row: u32,
    /// Line number of the start of the row.
    line: u64,
}
