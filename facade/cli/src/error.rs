//! What goes wrong, and where: always told in one line.

use core::fmt;
use std::io;

/// A place in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The line of the text, from 1.
    pub(crate) line: u64,
    /// The name of the column, or its number from 1 if it has no name.
    pub(crate) column: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        match &self.column {
            Some(column) => write!(f, ", column {}", Shown(column)),
            None => Ok(()),
        }
    }
}

/// Why a command cannot do its work.
#[derive(Debug)]
pub(crate) struct Error {
    /// What it is about: a file, `stdin`, a generator, an option.
    subject: String,
    /// Where in the subject.
    place: Option<Place>,
    /// What is wrong, in lower case.
    what: String,
}

impl Error {
    /// Something is wrong with a subject as a whole.
    pub(crate) fn new(subject: impl fmt::Display, what: impl fmt::Display) -> Self {
        Self { subject: subject.to_string(), place: None, what: what.to_string() }
    }

    /// The same at a place.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// The system refused.
    pub(crate) fn system(subject: impl fmt::Display, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::new(subject, "no such file or folder"),
            io::ErrorKind::IsADirectory => Self::new(subject, "is a folder"),
            io::ErrorKind::PermissionDenied => Self::new(subject, "permission denied"),
            io::ErrorKind::NotADirectory => Self::new(subject, "a part of the path is no folder"),
            io::ErrorKind::StorageFull => Self::new(subject, "no space left"),
            _ => Self::new(subject, format_args!("system error: {error}")),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", OneLine(&self.subject))?;
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", OneLine(&self.what))
    }
}

impl core::error::Error for Error {}

/// A text with what would break the line escaped.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            if letter.is_control() {
                write!(f, "{}", letter.escape_default())?;
            } else {
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }
}

/// The beginning of a text from somebody else's file, in one line.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Longer texts are cut here.
        const LONGEST: usize = 40;
        match self.0.char_indices().nth(LONGEST) {
            Some((end, _)) => write!(f, "{}...", OneLine(&self.0[..end])),
            None => write!(f, "{}", OneLine(self.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_whatever_it_quotes() {
        let place = Place { line: 7, column: Some("a\nb".into()) };
        let error = Error::new("two\r\nlines", "tab\there").at(place);
        assert_eq!(error.to_string(), r"two\r\nlines: line 7, column a\nb: tab\there");
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        assert_eq!(Shown(&"é".repeat(41)).to_string(), "é".repeat(40) + "...");
        assert_eq!(Shown(&"é".repeat(40)).to_string(), "é".repeat(40));
    }
}
