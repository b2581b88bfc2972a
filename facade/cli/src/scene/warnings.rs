//! Warnings about a scene. Each kind of warning is one line on standard error.

use core::fmt::Display;
use core::mem::take;

use super::{Input, Source};
use crate::error::OneLine;

#[derive(Debug, Default)]
pub(crate) struct Warnings {
    notes: Vec<(String, String)>,
    /// Geometries without points.
    pub(super) empty: Cases,
    /// Geometries that seem to cross the seam of longitudes.
    pub(super) seams: Cases,
    rounded: Cases,
}

/// The number of cases of one kind, and the first case.
#[derive(Debug, Default)]
pub(super) struct Cases {
    count: u64,
    first: Option<String>,
}

impl Cases {
    pub(super) fn add(&mut self, case: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(case);
    }

    fn append(&mut self, other: Self, file: Option<&Source>) {
        self.count += other.count;
        let first = other.first.map(|first| match file {
            Some(file) => format!("{file}, {first}"),
            None => first,
        });
        self.first = self.first.take().or(first);
    }
}

impl Warnings {
    pub(super) fn note(&mut self, file: &dyn Display, text: String) {
        self.notes.push((file.to_string(), text));
    }

    pub(crate) fn record_rounded<T: Display>(
        &mut self,
        location: impl FnOnce() -> String,
        from: impl FnOnce() -> T,
        to: &dyn Display,
    ) {
        self.rounded.add(|| format!("{}: {} became {to}", location(), from()));
    }

    /// Moves all warnings of `other` after those of `self`. Adds `file` to their locations, if set.
    pub(super) fn append(&mut self, other: &mut Self, file: Option<&Source>) {
        let Self { notes, empty, seams, rounded } = take(other);
        self.notes.extend(notes);
        self.empty.append(empty, file);
        self.seams.append(seams, file);
        self.rounded.append(rounded, file);
    }

    /// Returns one line for each kind of warning; an empty string without warnings.
    pub(crate) fn lines(&self, input: &Input, scalar: &str) -> String {
        let line = |file: &str, text: &str| {
            format!("hexphase: warning: {}: {}\n", OneLine(file), OneLine(text))
        };
        let mut lines: String = self.notes.iter().map(|(file, text)| line(file, text)).collect();
        for (Cases { count, first }, before, one, many, after) in [
            (
                &self.empty,
                "",
                "geometry is empty and is left out:",
                "geometries are empty and are left out,",
                "",
            ),
            (
                &self.seams,
                "",
                "geometry is shorter across longitude 180,",
                "geometries are shorter across longitude 180,",
                "; --wrap 360,0 joins both ends of the axis",
            ),
            (
                &self.rounded,
                &*format!("as {scalar}, "),
                "number was rounded:",
                "numbers were rounded,",
                "",
            ),
        ] {
            let Some(first) = first else { continue };
            let text = match count {
                1 => format!("{before}1 {one} {first}{after}"),
                _ => format!("{before}{count} {many} first {first}{after}"),
            };
            lines += &line(&input.to_string(), &text);
        }
        lines
    }
}
