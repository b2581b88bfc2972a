//! Pictures for the programs of hexphase: SVG and PNG from one list of shapes.
//!
//! 1. A [`View`] maps the world to pixels.
//! 2. A [`Picture`] collects shapes in pixels: boxes, discs, polygons, lines, text, rasters, a
//!    legend, a scale bar.
//! 3. [`Picture::to_svg`] and [`Picture::to_png`] write them.
//!
//! SVG text is equal on every machine. Pixels are drawn by `tiny-skia` without SIMD. Letters come
//! from the crate `noto-sans-mono-bitmap` (Noto Sans Mono as bitmaps), so no fonts need to be
//! installed.

#![forbid(unsafe_code)]

mod color;
mod density;
mod label;
mod legend;
mod picture;
mod raster;
mod svg;
mod view;

extern crate alloc;

use core::fmt;

pub use color::Color;
pub use density::Density;
pub use label::{grouped, label};
pub use legend::Mark;
pub use picture::{Align, Paint, Picture, Raster, TextSize};
pub use view::View;

/// The reason a picture cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A picture without pixels, or with more pixels than memory can hold.
    Size([u32; 2]),
    /// The encoder failed.
    Encoding(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size([width, height]) => {
                write!(f, "a picture of {width} x {height} pixels cannot be drawn")
            }
            Self::Encoding(why) => write!(f, "the picture cannot be encoded: {why}"),
        }
    }
}

impl core::error::Error for Error {}
