//! The options that describe the files of a scene, the same for every command.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::{Input, Source};
use crate::error::Error;

/// Options for reading files, flattened into the arguments of each command with a scene.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input options")]
pub(crate) struct InputArgs {
    /// The format of the files [default: found from their content]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
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
    /// Maximum memory, such as 500M or 2G; the command fails if it needs more
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
}

/// The formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns separated by a character
    Csv,
    /// A geometry in well-known text or hexadecimal well-known binary on each line
    Wkt,
    /// A document, or a feature or geometry on each line
    Geojson,
}

impl InputArgs {
    /// Returns the input of a scene: all its files, with these options.
    pub(crate) fn input(&self, scene: &[OsString]) -> Result<Input, Error> {
        let sources = scene.iter().map(|file| Source::new(file)).collect::<Result<_, _>>()?;
        Ok(Input { sources, options: self.clone(), wraps: [false; 3] })
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

/// Parses a number of bytes with an optional suffix.
fn size(text: &str) -> Result<u64, &'static str> {
    const EXPECTED: &str = "a number of bytes is expected, such as 500M or 2G";
    let upper = text.to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let upper = upper.strip_suffix('I').unwrap_or(upper);
    let units = [("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let (digits, shift) = units
        .into_iter()
        .find_map(|(unit, shift)| Some((upper.strip_suffix(unit)?, shift)))
        .unwrap_or((upper, 0));
    let count: u64 = digits.trim().parse().map_err(|_| EXPECTED)?;
    count.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or(EXPECTED)
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

    #[test]
    fn sizes_are_parsed() {
        for (text, bytes) in
            [("1", 1), ("500M", 500 << 20), ("2g", 2 << 30), ("3GiB", 3 << 30), ("7kB", 7 << 10)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "G", "1.5G", "-1", "99999999T", "1X"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
