//! `hexphase generate`: writes a generated scene as CSV. Reading the CSV yields bit-identical
//! boxes.

use std::io::{self, Write};
use std::path::PathBuf;

use broadphase_core::scenes::{Extents, Movers};
use clap::Args;

use crate::error::Error;
use crate::json::Object;
use crate::lines::Format;
use crate::output;
use crate::scene::{Dimensions, Number, Source, movers};

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
    let names: Vec<String> = match &movers.extents {
        Extents::Radii(_) => axes.into_iter().chain(["r"]).map(String::from).collect(),
        Extents::Halves(_) => {
            ["min_", "max_"].map(|end| axes.map(|axis| format!("{end}{axis}"))).concat()
        }
    };
    // JSON has no header: the names are the fields of each row.
    if format == Format::Csv {
        writeln!(out, "{}", names.join(","))?;
    }
    for (object, bounds) in movers.all_bounds().enumerate() {
        let numbers: Vec<f32> = match &movers.extents {
            Extents::Radii(radii) => {
                movers.centers[object].into_iter().chain([radii[object]]).collect()
            }
            Extents::Halves(_) => [bounds.min, bounds.max].concat(),
        };
        let mut texts: Vec<String> = numbers.iter().map(f32::to_string).collect();
        if let Extents::Radii(_) = &movers.extents {
            let is_same = (0..D).all(|axis| {
                let ends = [bounds.min[axis], bounds.max[axis]];
                ends_as_read(&texts[axis], &texts[D]) == Some(ends)
            });
            if !is_same {
                texts = numbers.into_iter().map(all_digits).collect();
            }
        }
        match format {
            Format::Csv => writeln!(out, "{}", texts.join(","))?,
            Format::Json => {
                let fields = names.iter().zip(texts);
                let row = fields.fold(Object::new(), |row, (name, text)| row.field(name, text));
                writeln!(out, "{}", row.line())?;
            }
        }
    }
    Ok(())
}

/// Returns the ends of a ball as a reader computes them; `None` if it rejects the numbers.
fn ends_as_read(center: &str, radius: &str) -> Option<[f32; 2]> {
    let [center, radius] = [center, radius].map(|text| f32::read(text).ok());
    let ends = f32::ends(&center?, &radius?).ok()?;
    Some(ends.map(|(end, _)| end))
}

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
