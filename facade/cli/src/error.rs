//! Errors with the location of the problem, always displayed on one line.

use core::fmt;
use std::io;

use crate::memory;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// The line number, counted from 1.
    pub(crate) line: u64,
    /// The name of the column, or its number, counted from 1, if it has no name.
    pub(crate) column: Option<String>,
}

impl Location {
    pub(crate) const fn line(line: u64) -> Self {
        Self { line, column: None }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        match &self.column {
            Some(column) => write!(f, ", column {}", Shown(column)),
            None => Ok(()),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Error {
    /// The subject of the message: a file, `stdin`, a generated scene, or an option.
    subject: String,
    location: Option<Location>,
    /// The problem, in lower case.
    message: String,
}

impl Error {
    pub(crate) fn new(subject: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self { subject: subject.to_string(), location: None, message: message.to_string() }
    }

    pub(crate) fn at(self, location: impl Into<Option<Location>>) -> Self {
        Self { location: location.into(), ..self }
    }

    /// Returns the error for a number of objects or pairs that do not fit into memory. `bytes` is an
    /// estimate for them, without buffers and threads.
    pub(crate) fn no_memory(subject: impl fmt::Display, count: Count, bytes: usize) -> Self {
        let megabytes = memory::with_buffers(bytes).div_ceil(1_000_000);
        let message = format_args!(
            "not enough memory for {count}: about {megabytes} MB are needed; {ADVICE}"
        );
        Self::new(subject, message)
    }

    pub(crate) fn system(subject: impl fmt::Display, error: &io::Error) -> Self {
        let known = match error.kind() {
            io::ErrorKind::NotFound => "no such file or folder",
            io::ErrorKind::IsADirectory => "is a folder",
            io::ErrorKind::PermissionDenied => "permission denied",
            io::ErrorKind::NotADirectory => "a part of the path is not a folder",
            io::ErrorKind::StorageFull => "no space left",
            _ => return Self::new(subject, format_args!("system error: {error}")),
        };
        Self::new(subject, known)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", OneLine(&self.subject))?;
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{}", OneLine(&self.message))
    }
}

impl core::error::Error for Error {}

/// Displays a text on one line: control characters are escaped.
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

/// Displays a count with its noun, given in the singular: `1 pair`, `2 pairs`.
pub(crate) struct Count(pub(crate) u64, pub(crate) &'static str);

impl Count {
    pub(crate) const fn objects(count: usize) -> Self {
        Self(count as u64, "object")
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, name) = self;
        match (count, name.strip_suffix('y')) {
            (1, _) => write!(f, "{count} {name}"),
            (_, Some(stem)) => write!(f, "{count} {stem}ies"),
            (_, None) => write!(f, "{count} {name}s"),
        }
    }
}

pub(crate) const ADVICE: &str =
    "use a smaller scene or fewer threads (RAYON_NUM_THREADS), or allow more memory";

/// The error message for an allocation that fails while objects are read.
pub(crate) const NO_MEMORY: &str = "not enough memory for all objects; use a smaller scene or fewer \
    threads (RAYON_NUM_THREADS), or allow more memory";

/// Displays a text from an input file on one line, truncated if it is long.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Maximum number of characters; longer texts are truncated.
        const MAX_LENGTH: usize = 40;
        match self.0.char_indices().nth(MAX_LENGTH) {
            Some((end, _)) => write!(f, "{}...", OneLine(&self.0[..end])),
            None => write!(f, "{}", OneLine(self.0)),
        }
    }
}
