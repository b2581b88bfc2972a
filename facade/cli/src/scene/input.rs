//! The input of a scene: its files, and the options for reading them, which all commands with a
//! scene have.

use core::fmt;
use std::ffi::OsString;

use broadphase_core::scenes::SceneName;
use clap::{Args, ValueEnum};

use super::Source;
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

/// All files of a scene, with the options that describe them.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The files in the order of the command line; at least one.
    pub(crate) sources: Vec<Source>,
    pub(super) options: InputArgs,
    /// The length of each axis that wraps, on which boxes with `min > max` are accepted; 0 for
    /// other axes.
    pub(super) sides: [f64; 3],
}

impl Input {
    /// Returns the input for axes that wrap, given their lengths, 0 for other axes.
    pub(crate) fn with_wrap(self, sides: [f64; 3]) -> Self {
        Self { sides, ..self }
    }

    pub(crate) fn generated(&self) -> Option<SceneName> {
        match self.sources[..] {
            [Source::Generated(name)] => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.sources[..] {
            [first, _, ..] => write!(f, "{first} and {} more", self.sources.len() - 1),
            [first] => first.fmt(f),
            [] => f.write_str("no file"),
        }
    }
}

/// Returns an error if several files are standard input.
pub(crate) fn check_stdin<'a>(files: impl IntoIterator<Item = &'a OsString>) -> Result<(), Error> {
    match files.into_iter().filter(|file| *file == "-").count() {
        0 | 1 => Ok(()),
        _ => Err(Error::new("stdin", "cannot be read twice: only one file can be -")),
    }
}

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
