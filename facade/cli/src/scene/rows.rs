//! From the rows of a table to boxes.

use core::array::from_fn;

use hexphase::Aabb;

use super::columns::{Columns, Form};
use super::number::Number;
use super::table::Table;
use super::{Changes, Objects};
use crate::error::{Error, Shown};

/// Reads the objects of a table, whose header was read.
pub(crate) struct Rows<'a, 's> {
    /// The table, at its header.
    pub(crate) table: Table<'a>,
    /// What the columns mean.
    pub(crate) columns: Columns,
    /// Takes note of numbers that change.
    pub(crate) changes: &'s mut Changes,
}

impl Rows<'_, '_> {
    /// All objects, ascending by id.
    pub(crate) fn read<S: Number, const D: usize>(mut self) -> Result<Objects<S, D>, Error> {
        let mut scratch = String::new();
        let mut bounds = Vec::new();
        let mut named = Vec::new();
        while self.table.advance()? {
            let Ok(row) = u32::try_from(bounds.len()) else {
                return Err(self.table.error("more than 2^32 objects"));
            };
            if let Some(column) = self.columns.id {
                named.push(Named { id: self.id(column)?, row, line: self.table.line() });
            }
            bounds.push(match self.columns.form {
                Form::Corners => self.corners(&mut scratch)?,
                Form::Ball => self.ball(&mut scratch)?,
            });
        }
        match self.columns.id {
            Some(column) => self.sorted(column, &bounds, named),
            None => Ok(Objects { bounds, ids: None }),
        }
    }

    /// The box of a row that has its corners.
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
                let what = format_args!("the minimum {min} is above the maximum {max}");
                return Err(self.table.error_in(self.columns.first[axis], what));
            }
        }
        Ok(bounds)
    }

    /// The box of a row that has a centre and a radius.
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
            let what = format_args!("{x} with radius {radius} reaches beyond the range of {range}");
            return Err(self.table.error_in(self.columns.first[axis], what));
        }
        Ok(Aabb {
            min: ends.map(|(min, _)| min.unwrap_or(S::MIN)),
            max: ends.map(|(_, max)| max.unwrap_or(S::MAX)),
        })
    }

    /// A coordinate of the current row.
    fn number<S: Number>(&mut self, column: usize, scratch: &mut String) -> Result<S, Error> {
        let text = self.table.text(column)?;
        match S::read(text, scratch) {
            Ok(reading) => {
                if reading.changed {
                    let place = || self.table.place(column).to_string();
                    self.changes.note(place, &Shown(text), &reading.value);
                }
                Ok(reading.value)
            }
            Err(_) if text.is_empty() => {
                Err(self.table.error_in(column, "empty where a number is expected"))
            }
            Err(bad) => Err(self
                .table
                .error_in(column, format_args!("\"{}\" {}", Shown(text), bad.what::<S>()))),
        }
    }

    /// The id of the current row.
    fn id(&self, column: usize) -> Result<u32, Error> {
        let text = self.table.text(column)?;
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let refused =
            |what| self.table.error_in(column, format_args!("\"{}\" {what}", Shown(text)));
        if !digits {
            return Err(refused("is not an id: a whole number of decimal digits"));
        }
        text.parse().map_err(|_| refused("is beyond the range of ids, 0 to 4294967295"))
    }

    /// The objects in the order of their ids.
    fn sorted<S: Copy, const D: usize>(
        &self,
        column: usize,
        bounds: &[Aabb<S, D>],
        mut named: Vec<Named>,
    ) -> Result<Objects<S, D>, Error> {
        named.sort_unstable_by_key(|named| (named.id, named.row));
        let twice = named.windows(2).filter(|two| two[0].id == two[1].id);
        if let Some([a, b]) = twice.min_by_key(|two| two[1].row) {
            let what = format_args!("the id {} is on line {} already", b.id, a.line);
            return Err(self.table.error_on(b.line, column, what));
        }
        Ok(Objects {
            bounds: named.iter().map(|named| bounds[named.row as usize]).collect(),
            ids: Some(named.iter().map(|named| named.id).collect()),
        })
    }
}

/// An object that says its id.
struct Named {
    id: u32,
    /// Counted from 0 without the header.
    row: u32,
    /// Where it begins.
    line: u64,
}
