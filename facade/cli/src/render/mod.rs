//! `hexphase render`: draws a scene as SVG or PNG.
//!
//! 1. Load the scene. If it is a generated scene, move its objects `--tick` times ([`load`]).
//! 2. Find the objects that overlap other objects, and the levels and cells of the grid
//!    (`found.rs`). From here on, boxes have two dimensions and coordinates in `f64`.
//! 3. Assign each object to a class with a color (`classes.rs`).
//! 4. Draw the boxes or discs, or if there are many, squares of a raster colored by the boxes that touch
//!    them (`plot.rs`), with a title, a legend and a scale (`drawing.rs`).

mod classes;
mod drawing;
mod found;
mod plot;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hexphase_draw::grouped;

use crate::arguments::{ScalarType, SceneArgs};
use crate::error::{Count, Error};
use crate::memory::{self, OutOfMemory};
use crate::scene::{Input, Number, Objects, Scene, Warnings, generate, with_dimensions};
use crate::{near, output, progress};
use drawing::{Request, draw};
use found::{Found, find};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Render {
    #[command(flatten)]
    scene: SceneArgs,
    /// Write to a file FILE.svg or FILE.png; without it, SVG is written to standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The property that selects the color of an object
    #[arg(long, value_name = "PROPERTY", default_value = "pairs", visible_alias = "colour-by")]
    color_by: ColorBy,
    /// Draw the cells of the grid that contain low corners of objects
    #[arg(long)]
    cells: bool,
    /// Number of times that the objects of a generated scene move before they are drawn
    #[arg(long, value_name = "COUNT", default_value = "0")]
    tick: u32,
    /// The width in pixels; the height follows from the scene
    #[arg(long, value_name = "PIXELS", default_value = "800")]
    #[arg(value_parser = clap::value_parser!(u32).range(300..=4000))]
    size: u32,
    /// The type of the coordinates
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorBy {
    /// Whether the object overlaps another
    Pairs,
    /// The longest side of the object
    Size,
    /// The level of the grid that contains the object
    Level,
}

const HELP: &str = "\
With up to one object per 64 pixels, objects are drawn as boxes, or as discs if
all are discs, balls or points; those smaller than two pixels are enlarged.
Discs overlap if the boxes around them do, as in pairs. More objects are drawn
as squares of four pixels, which are darker if more objects touch them. Scenes
in three dimensions are seen along z. With --cells, the cells of the grid (hshg)
that contain low corners of objects are drawn; this structure is used for more
than 256 objects.

Examples:
  hexphase render scene.csv --output scene.svg
  hexphase render discs:100000 --output discs.png --tick 10
  hexphase render tail:300 --color-by level --cells > tail.svg";

pub(crate) fn run<S: Number>(arguments: &Render) -> Result<String, Error> {
    let output = arguments.output.as_deref();
    let is_png = is_png(output)?;
    let input = arguments.scene.input(output)?;
    let mut warnings = Warnings::default();
    let scene = load::<S>(&input, arguments.tick, &mut warnings)?;
    let found = with_dimensions!(scene, objects => analyze(objects, &input, arguments))?;
    let mut title = input.to_string();
    if arguments.tick > 0 {
        title += &format!(", tick {}", arguments.tick);
    }
    let &Render { size: width, color_by, cells, .. } = arguments;
    let drawing = draw(&Request { title, width, color_by, cells, found: &found });
    let bytes = if is_png {
        drawing.picture.to_png().map_err(|error| Error::new(&input, error))?
    } else {
        drawing.picture.to_svg().into_bytes()
    };
    output::write(output, &mut |out| out.write_all(&bytes))?;
    let [width, height] = drawing.picture.size();
    Ok(format!(
        "hexphase: {}, {} dimensions ({}), {}, drawn as {}, {width} x {height} pixels\n{}",
        Count::objects(found.boxes.len()),
        found.dimensions,
        S::NAME,
        Count(found.pairs, "pair"),
        match (drawing.dense, found.are_discs) {
            (true, _) => "squares",
            (false, true) => "discs",
            (false, false) => "boxes",
        },
        warnings.lines(&input, S::NAME),
    ))
}

/// Returns whether the ending of the output file selects PNG. Standard output is SVG.
fn is_png(output: Option<&Path>) -> Result<bool, Error> {
    let Some(path) = output else { return Ok(false) };
    match &*path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase() {
        "svg" => Ok(false),
        "png" => Ok(true),
        _ => {
            let message = format!("{}: the ending must be .svg or .png", path.display());
            Err(Error::new("--output", message))
        }
    }
}

/// Loads a scene, and moves the objects of a generated scene `tick` times.
fn load<S: Number>(input: &Input, tick: u32, warnings: &mut Warnings) -> Result<Scene<S>, Error> {
    match input.generated() {
        _ if tick == 0 => Scene::load(input, warnings),
        Some(name) => generate(name, tick, warnings),
        None => Err(Error::new("--tick", "only the objects of generated scenes move")),
    }
}

fn analyze<S: Number, const D: usize>(
    objects: Objects<S, D>,
    input: &Input,
    arguments: &Render,
) -> Result<Found, Error> {
    let count = objects.bounds.len();
    let bytes = near::bytes::<S, D>(count, false).saturating_add(count * found::BYTES);
    let found = progress::with_spinner(|| {
        memory::prepare(bytes)?;
        find(objects, arguments.cells)
    });
    found.map_err(|OutOfMemory| Error::no_memory(input, Count::objects(count), bytes))
}

/// Returns a count with its digits in groups, followed by its noun, which is given in the singular.
fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}
