//! `hexphase generate`: writes a generated scene as CSV. Reading the CSV yields bit-identical
//! boxes.

use core::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use broadphase_core::scenes::{Extents, Movers};
use clap::Args;

use crate::error::Error;
use crate::lines::Format;
use crate::output;
use crate::scene::{Dimensions, Number, Source, movers};

/// The arguments of `generate`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Generate {
    /// The scene: generator, number of objects, and optionally a seed other than the default
    #[arg(value_name = "NAME:COUNT[:SEED]")]
    pub(crate) scene: String,
    /// Print a JSON object on each line
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to a file other than the scene; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const HELP: &str = "\
Generators: discs, mixed, tail, clustered (two dimensions); discs3, mixed3,
tail3, clustered3, terdiman (three).

Examples:
  hexphase generate terdiman:10000 --output scene.csv
  hexphase generate tail:1000:7";

/// Runs `hexphase generate`.
pub(crate) fn run(arguments: &Generate) -> Result<(), Error> {
    let scene = movers(Source::generated(&arguments.scene)?)?;
    let format = Format::new(arguments.json);
    output::write(arguments.output.as_deref(), &mut |out| match &scene {
        Dimensions::Flat(movers) => write_table(movers, ["x", "y"], format, out),
        Dimensions::Solid(movers) => write_table(movers, ["x", "y", "z"], format, out),
    })
}

/// Writes the header and the rows.
///
/// `Display` of `f32` prints the fewest digits that parse to the same value. But a reader computes
/// the ends of a ball from the decimals. If these ends would differ from those of the scene, the
/// numbers of the ball are written with all their digits.
fn write_table<const D: usize>(
    movers: &Movers<D>,
    axes: [&str; D],
    format: Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    match &movers.extents {
        Extents::Radii(radii) => {
            let mut names = axes.to_vec();
            names.push("r");
            write_header(&names, format, out)?;
            let rows = movers.centers.iter().zip(radii).zip(movers.all_bounds());
            for ((center, radius), bounds) in rows {
                let mut texts = center.map(|x| x.to_string());
                let mut radius_text = radius.to_string();
                let is_same = (0..D).all(|axis| {
                    let ends = [bounds.min[axis], bounds.max[axis]];
                    ends_as_read(&texts[axis], &radius_text) == Some(ends)
                });
                if !is_same {
                    texts = center.map(all_digits);
                    radius_text = all_digits(*radius);
                }
                write_row(&names, texts.iter().chain([&radius_text]), format, out)?;
            }
        }
        Extents::Halves(_) => {
            let names = ["min_", "max_"].map(|end| axes.map(|axis| format!("{end}{axis}")));
            let names: Vec<&str> = names.as_flattened().iter().map(String::as_str).collect();
            write_header(&names, format, out)?;
            for bounds in movers.all_bounds() {
                write_row(&names, bounds.min.iter().chain(&bounds.max), format, out)?;
            }
        }
    }
    Ok(())
}

/// Writes the names of the columns as the CSV header. JSON has no header: the names are the fields
/// of each row.
fn write_header(names: &[&str], format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Csv => writeln!(out, "{}", names.join(",")),
        Format::Json => Ok(()),
    }
}

/// Writes a row.
fn write_row<T: Display>(
    names: &[&str],
    numbers: impl Iterator<Item = T>,
    format: Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut begin = if format == Format::Json { "{" } else { "" };
    for (name, number) in names.iter().zip(numbers) {
        match format {
            Format::Csv => write!(out, "{begin}{number}")?,
            Format::Json => write!(out, "{begin}\"{name}\":{number}")?,
        }
        begin = ",";
    }
    writeln!(out, "{}", if format == Format::Json { "}" } else { "" })
}

/// Returns the ends of the interval from `center - radius` to `center + radius`, as a reader
/// computes them from the written numbers; `None` if a reader rejects the numbers.
fn ends_as_read(center: &str, radius: &str) -> Option<[f32; 2]> {
    let [center, radius] = [center, radius].map(|text| f32::read(text).ok());
    let ends = f32::ends(&center?, &radius?).ok()?;
    Some(ends.map(|(end, _)| end))
}

/// Returns a number in decimal notation with all its digits.
fn all_digits(x: f32) -> String {
    // The lowest bit of an `f32` is worth 2^(exponent − 150), which has 150 − exponent decimals.
    let exponent = (x.to_bits() >> 23) & 0xff;
    let text = format!("{x:.*}", 150usize.saturating_sub(exponent.max(1) as usize));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use broadphase_core::scenes::SceneKind;

    use super::*;

    #[test]
    fn help_lists_every_generator() {
        let words: Vec<_> = HELP.split(|letter: char| !letter.is_alphanumeric()).collect();
        for kind in SceneKind::ALL {
            assert!(words.contains(&kind.name()), "{}", kind.name());
        }
    }

    #[test]
    fn all_digits_are_exact() {
        for (x, text) in [
            (0.1, "0.100000001490116119384765625"),
            (-1.5, "-1.5"),
            (16_777_216.0, "16777216"),
            (0.0, "0"),
            (100.0, "100"),
        ] {
            assert_eq!(all_digits(x), text);
        }
        let least = all_digits(f32::from_bits(1));
        assert_eq!((least.len(), least.parse()), (151, Ok(f32::from_bits(1))));
    }

    #[test]
    fn balls_are_read_as_generated() {
        for name in ["discs:3000", "mixed:3000", "tail:3000", "clustered:3000"] {
            let scene = movers(Source::generated(name).expect("a name")).expect("memory");
            let Dimensions::Flat(movers) = scene else { panic!("two dimensions") };
            let mut out = Vec::new();
            write_table(&movers, ["x", "y"], Format::Csv, &mut out)
                .expect("a list accepts all bytes");
            let text = String::from_utf8(out).expect("text");
            for (row, bounds) in text.lines().skip(1).zip(movers.all_bounds()) {
                let [x, y, r] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
                let ends = [x, y].map(|x| ends_as_read(x, r));
                let expected = [0, 1].map(|axis| Some([bounds.min[axis], bounds.max[axis]]));
                assert_eq!(ends, expected, "{row}");
            }
        }
    }
}
