//! Recorded ticks: reads a table with a row for each object in each tick, and returns them as a
//! trace, which can be replayed.
//!
//! 1. Read the header, which names the columns.
//! 2. For each tick, collect its rows: the ids and boxes of the objects.
//! 3. Update a world: insert new objects, set the bounds of known objects, and remove objects that
//!    the tick does not have. Record the state of the world in the trace.

use std::collections::HashMap;
use std::io::Read;

use csv::{Reader, ReaderBuilder, StringRecord};
use hexphase::tune::Trace;
use hexphase::{Aabb, BroadPhase, Handle, Options};

use crate::error::{Error, Location, Shown};
use crate::scene::{Input, Number};

/// The forms of tables, for messages.
const FORMS: &str =
    "recorded ticks have tick,id and min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r";

/// A table of recorded ticks whose header has been read.
pub(super) struct Recorded {
    /// The name of the file, for messages.
    name: String,
    reader: Reader<Box<dyn Read + Send>>,
    names: Vec<String>,
    tick: usize,
    id: usize,
    /// The columns of the minimum of a box, or of the center of a disc or ball.
    first: Vec<usize>,
    /// The columns of the maximum of a box, or the column of the radius.
    second: Vec<usize>,
}

impl Recorded {
    /// Opens a table and reads its header.
    pub(super) fn open(input: &Input) -> Result<Self, Error> {
        let name = input.to_string();
        let [source] = input.sources() else {
            return Err(Error::new(name, "recorded ticks are read from one file"));
        };
        let mut reader =
            ReaderBuilder::new().trim(csv::Trim::All).from_reader(source.open()?.reader);
        let header = reader.headers().map_err(|error| read_error(&name, &error))?;
        let names: Vec<String> =
            header.iter().map(|name| name.trim_start_matches('\u{feff}').into()).collect();
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let all =
            |wanted: &[&str]| wanted.iter().map(|name| find(name)).collect::<Option<Vec<_>>>();
        let forms = [
            (&["min_x", "min_y", "min_z"][..], &["max_x", "max_y", "max_z"][..]),
            (&["min_x", "min_y"], &["max_x", "max_y"]),
            (&["x", "y", "z"], &["r"]),
            (&["x", "y"], &["r"]),
        ];
        let columns = forms.iter().find_map(|(first, second)| all(first).zip(all(second)));
        let (Some((first, second)), Some(tick), Some(id)) = (columns, find("tick"), find("id"))
        else {
            let read = names.join(",");
            let message = format_args!("read {}; {FORMS}", Shown(&read));
            return Err(Error::new(name, message).at(Location::line(1)));
        };
        Ok(Self { name, reader, names, tick, id, first, second })
    }

    /// Returns the number of dimensions.
    pub(super) fn dimensions(&self) -> usize {
        self.first.len()
    }

    /// Reads all ticks.
    ///
    /// # Errors
    /// If a row is invalid, if ticks do not ascend, or if a tick has two rows with the same id.
    pub(super) fn read<S: Number, const D: usize>(mut self) -> Result<Trace<S, D>, Error> {
        let mut trace = Trace::default();
        // User data is not needed. It has the type of other commands, to share their compiled code.
        let mut world: BroadPhase<S, D, u32> = BroadPhase::with_options(Options::new());
        // The objects by id, each with the last tick in which it has a row.
        let mut objects: HashMap<String, (Handle, u64)> = HashMap::new();
        let mut current: Option<u64> = None;
        let mut row = StringRecord::new();
        loop {
            let tick = self.next_tick(&mut row, current)?;
            if let Some(now) = current
                && tick != current
            {
                for (_, (object, _)) in objects.extract_if(|_, (_, seen)| *seen != now) {
                    world.remove(object);
                }
                trace.record(&world);
            }
            let Some(tick) = tick else { return Ok(trace) };
            current = Some(tick);
            let bounds: Aabb<S, D> = self.bounds(&row)?;
            let id = &row[self.id];
            let failed = |why: hexphase::Error| Error::new(&self.name, why);
            match objects.get_mut(id) {
                Some((_, seen)) if *seen == tick => {
                    let message = format!("duplicate id {} in tick {tick}", Shown(id));
                    return Err(self.error(&row, self.id, message));
                }
                Some((object, seen)) => {
                    world.set_bounds(*object, bounds).map_err(failed)?;
                    *seen = tick;
                }
                None => {
                    let object = world.insert(bounds, 0).map_err(failed)?;
                    objects.insert(id.into(), (object, tick));
                }
            }
        }
    }

    /// Reads the next row and returns its tick; `None` at the end of the file.
    ///
    /// # Errors
    /// If the row is invalid, or its tick is before `current`.
    fn next_tick(
        &mut self,
        row: &mut StringRecord,
        current: Option<u64>,
    ) -> Result<Option<u64>, Error> {
        let more = self.reader.read_record(row);
        if !more.map_err(|error| read_error(&self.name, &error))? {
            return Ok(None);
        }
        let text = &row[self.tick];
        let Ok(tick) = text.parse() else {
            let message = format!("\"{}\" is not the number of a tick", Shown(text));
            return Err(self.error(row, self.tick, message));
        };
        if let Some(now) = current.filter(|&now| tick < now) {
            let message = format!("tick {tick} is after tick {now}; ticks must ascend");
            return Err(self.error(row, self.tick, message));
        }
        Ok(Some(tick))
    }

    /// Returns the box of a row.
    fn bounds<S: Number, const D: usize>(&self, row: &StringRecord) -> Result<Aabb<S, D>, Error> {
        let number = |column: usize| {
            let text = &row[column];
            S::read(text.as_bytes()).map_err(|why| {
                let message = format!("\"{}\" {}", Shown(text), why.message::<S>());
                self.error(row, column, message)
            })
        };
        let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        for axis in 0..D {
            let first = number(self.first[axis])?;
            let second = number(self.second[axis.min(self.second.len() - 1)])?;
            if self.second.len() == D {
                (bounds.min[axis], bounds.max[axis]) = (first.value, second.value);
                if first.value > second.value {
                    let (min, max) = (first.value, second.value);
                    let message = format!("the minimum {min} is above the maximum {max}");
                    return Err(self.error(row, self.first[axis], message));
                }
            } else {
                if second.number.is_negative() {
                    return Err(self.error(row, self.second[0], "the radius is negative".into()));
                }
                let ends = S::ends(&first, &second).map_err(|why| {
                    self.error(row, self.first[axis], format!("the disc {}", why.message::<S>()))
                })?;
                (bounds.min[axis], bounds.max[axis]) = (ends[0].0, ends[1].0);
            }
        }
        Ok(bounds)
    }

    fn error(&self, row: &StringRecord, column: usize, message: String) -> Error {
        let line = row.position().map_or(1, csv::Position::line);
        let column = Some(self.names[column].clone());
        Error::new(&self.name, message).at(Location { line, column })
    }
}

/// Converts an error of the CSV reader into an error with its line.
fn read_error(name: &str, error: &csv::Error) -> Error {
    let line = error.position().map(csv::Position::line);
    let error = match error.kind() {
        csv::ErrorKind::Io(error) => Error::system(name, error),
        csv::ErrorKind::Utf8 { .. } => Error::new(name, "is not UTF-8"),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            Error::new(name, format_args!("{len} fields, but the header has {expected_len}"))
        }
        _ => Error::new(name, error),
    };
    match line {
        Some(line) => error.at(Location::line(line)),
        None => error,
    }
}
