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
//!
//! ```
//! use hexphase_draw::{Color, Paint, Picture, TextSize, View};
//!
//! let boxes = [([0.0, 0.0], [4.0, 3.0]), ([3.0, 2.0], [9.0, 5.0])];
//! let view = View::fit([0.0, 0.0], [9.0, 5.0], [10.0, 10.0], [190.0, 110.0]);
//! let mut picture = Picture::new([200, 140]);
//! for (min, max) in boxes {
//!     let [min, max] = view.rectangle(min, max);
//!     picture.rectangle(min, max, Paint::fill(Color::BLUE.with_alpha(60)));
//! }
//! picture.scale_bar(&view, [190.0, 118.0], 60.0, TextSize::Small);
//! let svg = picture.to_svg();
//! assert_eq!(svg.matches("<rect").count(), 3, "the ground and two boxes");
//! ```

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
///
/// ```
/// use hexphase_draw::{Error, Picture};
///
/// let error = Picture::new([0, 5]).to_png().unwrap_err();
/// assert_eq!(error, Error::Size([0, 5]));
/// assert_eq!(error.to_string(), "a picture of 0 x 5 pixels cannot be drawn");
/// ```
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
