//! Warnings about a scene. Each kind of warning is one line on standard error.

use core::fmt::Display;

use super::{Input, Source};
use crate::error::OneLine;

/// The warnings about a scene: notes about files, and the numbers of empty geometries, of
/// geometries that seem to cross a seam, and of rounded coordinates, each with its first case.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    /// The file and the text of each note.
    notes: Vec<(String, String)>,
    empty: u64,
    first_empty: Option<String>,
    /// The number of geometries that seem to cross the seam of longitudes.
    seams: u64,
    first_seam: Option<String>,
    rounded: u64,
    first_rounded: Option<Rounding>,
}

#[derive(Debug)]
struct Rounding {
    location: String,
    from: String,
    to: String,
}

impl Warnings {
    /// Records a note about a file.
    pub(super) fn note(&mut self, file: &dyn Display, text: String) {
        self.notes.push((file.to_string(), text));
    }

    /// Records a number that was rounded.
    pub(crate) fn record(
        &mut self,
        location: impl FnOnce() -> String,
        from: impl FnOnce() -> String,
        to: &dyn Display,
    ) {
        self.rounded += 1;
        self.first_rounded.get_or_insert_with(|| Rounding {
            location: location(),
            from: from(),
            to: to.to_string(),
        });
    }

    /// Records a geometry without points.
    pub(super) fn record_empty(&mut self, location: impl FnOnce() -> String) {
        self.empty += 1;
        self.first_empty.get_or_insert_with(location);
    }

    /// Records a geometry that seems to cross the seam of longitudes.
    pub(super) fn record_seam(&mut self, location: impl FnOnce() -> String) {
        self.seams += 1;
        self.first_seam.get_or_insert_with(location);
    }

    /// Moves all warnings of `other` after those of `self`. If `file` is set, its name is added to
    /// their locations.
    pub(super) fn append(&mut self, other: &mut Self, file: Option<&Source>) {
        let Self { notes, empty, first_empty, seams, first_seam, rounded, first_rounded } =
            core::mem::take(other);
        let in_file = |location: String| match file {
            Some(file) => format!("{file}, {location}"),
            None => location,
        };
        self.notes.extend(notes);
        self.empty += empty;
        self.seams += seams;
        self.rounded += rounded;
        if self.first_empty.is_none() {
            self.first_empty = first_empty.map(in_file);
        }
        if self.first_seam.is_none() {
            self.first_seam = first_seam.map(in_file);
        }
        if self.first_rounded.is_none() {
            self.first_rounded =
                first_rounded.map(|first| Rounding { location: in_file(first.location), ..first });
        }
    }

    /// Returns one line for each kind of warning; an empty string without warnings.
    pub(crate) fn lines(&self, input: &Input, scalar: &str) -> String {
        let mut lines = String::new();
        let mut push = |file: &str, text: &str| {
            lines += &format!("hexphase: warning: {}: {}\n", OneLine(file), OneLine(text));
        };
        for (file, text) in &self.notes {
            push(file, text);
        }
        let input = input.to_string();
        if let Some(location) = &self.first_empty {
            push(
                &input,
                &match self.empty {
                    1 => format!("1 geometry is empty and is left out: {location}"),
                    count => {
                        format!("{count} geometries are empty and are left out, first {location}")
                    }
                },
            );
        }
        if let Some(location) = &self.first_seam {
            let (geometries, first) = match self.seams {
                1 => ("1 geometry is".into(), ""),
                count => (format!("{count} geometries are"), "first "),
            };
            push(
                &input,
                &format!(
                    "{geometries} shorter across longitude 180, {first}{location}; \
                     --wrap 360,0 joins both ends of the axis"
                ),
            );
        }
        if let Some(Rounding { location, from, to }) = &self.first_rounded {
            let rounded = match self.rounded {
                1 => format!("1 number was rounded: {location}: {from} became {to}"),
                count => {
                    format!("{count} numbers were rounded, first {location}: {from} became {to}")
                }
            };
            push(&input, &format!("as {scalar}, {rounded}"));
        }
        lines
    }
}
