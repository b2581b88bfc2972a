//! `hexphase generate`: writes a generated scene as CSV. Reading the CSV yields bit-identical
//! boxes.

use std::io::{self, Write};

use broadphase_core::scenes::{Extents, Movers, Scene};

use crate::arguments::Generate;
use crate::error::Error;
use crate::output;
use crate::scene::{Source, movers};

/// Runs `hexphase generate`.
pub(crate) fn run(arguments: &Generate) -> Result<(), Error> {
    let scene = movers(Source::generated(&arguments.scene)?)?;
    output::write(arguments.output.as_deref(), |out| match &scene {
        Scene::Flat(movers) => write_table(movers, ["x", "y"], out),
        Scene::Solid(movers) => write_table(movers, ["x", "y", "z"], out),
    })
}

/// Writes the rows. `Display` of `f32` prints the fewest digits that parse to the same value.
fn write_table<const D: usize>(
    movers: &Movers<D>,
    axes: [&str; D],
    out: &mut dyn Write,
) -> io::Result<()> {
    match &movers.extents {
        Extents::Radii(radii) => {
            writeln!(out, "{},r", axes.join(","))?;
            for (center, radius) in movers.centers.iter().zip(radii) {
                for x in center {
                    write!(out, "{x},")?;
                }
                writeln!(out, "{radius}")?;
            }
        }
        Extents::Halves(_) => {
            writeln!(out, "min_{},max_{}", axes.join(",min_"), axes.join(",max_"))?;
            for bounds in movers.all_bounds() {
                for (index, x) in bounds.min.iter().chain(&bounds.max).enumerate() {
                    write!(out, "{}{x}", if index == 0 { "" } else { "," })?;
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}
