//! The options that describe the files of a scene. All commands with a scene have them.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::{Input, Source};
use crate::error::Error;

/// The options for reading files, which are flattened into the arguments of each command with a
/// scene.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input options")]
pub(crate) struct InputArgs {
    /// The format of the files [default: found from their content]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<FileFormat>,
    /// Character between columns, `tab` or `space` [default: found from the first line]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub(super) delimiter: Option<u8>,
    /// The first line is a row, not a header
    #[arg(long)]
    pub(super) no_header: bool,
    /// Names of the columns in order (`min_x,min_y,-,max_x,max_y`), or renamed columns
    /// (`min_x=LON1,max_x=LON2`)
    #[arg(long, value_name = "NAMES")]
    pub(super) columns: Option<String>,
    /// Numbers have a comma before their decimals
    #[arg(long)]
    pub(super) decimal_comma: bool,
    /// The column of ids, any text; in GeoJSON the name of a property [default: id]
    #[arg(long, value_name = "COLUMN")]
    pub(super) id: Option<String>,
}

/// The formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// Columns separated by a character
    Csv,
    /// A geometry in well-known text or hexadecimal well-known binary on each line
    Wkt,
    /// A document, or a feature or geometry on each line
    Geojson,
}

impl InputArgs {
    /// Returns the input of a scene: its files in order, with these options.
    pub(crate) fn input(&self, scene: &[OsString]) -> Result<Input, Error> {
        check_stdin(scene)?;
        let sources = scene.iter().map(|file| Source::new(file)).collect::<Result<_, _>>()?;
        Ok(Input { sources, options: self.clone(), sides: [0.0; 3] })
    }
}

/// Returns an error if several files are standard input.
pub(crate) fn check_stdin<'a>(files: impl IntoIterator<Item = &'a OsString>) -> Result<(), Error> {
    match files.into_iter().filter(|file| *file == "-").count() {
        0 | 1 => Ok(()),
        _ => Err(Error::new("stdin", "cannot be read twice: only one file can be -")),
    }
}

/// Parses a delimiter.
fn delimiter(text: &str) -> Result<u8, &'static str> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        b"space" => Ok(b' '),
        [b'"' | b'\n' | b'\r' | b'.' | b'+' | b'-' | b'0'..=b'9'] => {
            Err("this character cannot separate columns")
        }
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("one ASCII character, tab or space is expected"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_parsed() {
        for (text, byte) in [(",", b','), ("tab", b'\t'), ("\\t", b'\t'), ("space", b' ')] {
            assert_eq!(delimiter(text), Ok(byte), "{text}");
        }
        for text in ["", "\"", "\n", "ab", "é", "1", "-", "."] {
            assert!(delimiter(text).is_err(), "{text}");
        }
    }
}
