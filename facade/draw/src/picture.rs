//! A picture: a list of shapes in pixels.

use crate::Color;

/// The colors of a shape: of its area, its border, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// The color of the area.
    pub area: Option<Color>,
    /// The color of the border, and its width in pixels.
    pub border: Option<(Color, f32)>,
}

impl Paint {
    /// Returns the paint of an area without a border.
    pub const fn fill(color: Color) -> Self {
        Self { area: Some(color), border: None }
    }

    /// Returns the paint of a border of this width without an area.
    pub const fn border(color: Color, width: f32) -> Self {
        Self { area: None, border: Some((color, width)) }
    }

    /// Returns the paint with a border of this color and width.
    pub const fn and_border(self, color: Color, width: f32) -> Self {
        Self { border: Some((color, width)), ..self }
    }
}

/// The size of text. All letters have the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextSize {
    /// The size for pictures less than 600 pixels wide.
    Small,
    /// The size for wider pictures.
    Normal,
}

impl TextSize {
    /// Returns the size for a picture of this width.
    pub const fn for_width(pixels: u32) -> Self {
        if pixels < 600 { Self::Small } else { Self::Normal }
    }

    /// Returns the height of a line in pixels.
    pub const fn line_height(self) -> f32 {
        self.metrics()[0]
    }

    /// Returns the distance from the top of a line to the bottom of its letters, in pixels.
    pub(crate) const fn baseline(self) -> f32 {
        self.metrics()[1]
    }

    /// Returns the width of a letter in pixels.
    pub const fn letter_width(self) -> f32 {
        self.metrics()[2]
    }

    /// Returns the height of a line, the position of the baseline, and the width of a letter.
    const fn metrics(self) -> [f32; 3] {
        match self {
            Self::Small => [16.0, 12.0, 7.0],
            Self::Normal => [20.0, 15.0, 9.0],
        }
    }

    /// Returns the width of a text in pixels.
    pub fn width(self, text: &str) -> f32 {
        text.chars().count() as f32 * self.letter_width()
    }
}

/// The horizontal position of a text relative to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Align {
    /// The text begins at the point.
    Start,
    /// The middle of the text is at the point.
    Middle,
}

/// A shape, with coordinates in pixels; y points down.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Rectangle { min: [f32; 2], max: [f32; 2], paint: Paint },
    Disc { center: [f32; 2], radius: f32, paint: Paint },
    Polygon { corners: Vec<[f32; 2]>, paint: Paint },
    Line { ends: [[f32; 2]; 2], color: Color, width: f32 },
    Text { at: [f32; 2], text: String, size: TextSize, align: Align, color: Color },
    Raster(Raster),
}

/// Colored squares in rows, without gaps, for example a map of densities.
///
/// SVG and PNG draw adjacent squares of one color as one rectangle, without anti-aliasing.
///
/// ```
/// use hexphase_draw::{Color, Picture, Raster};
///
/// let (blue, none) = (Some(Color::BLUE), None);
/// let mut picture = Picture::new([40, 40]);
/// picture.raster(Raster { corner: [8, 8], side: 4, columns: 2, squares: vec![blue, none, blue] });
/// assert!(picture.to_svg().contains("m8 8h4v4h-4z"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// The upper left corner in pixels.
    pub corner: [u32; 2],
    /// The side of each square in pixels.
    pub side: u32,
    /// The number of squares in a row; must not be 0.
    pub columns: usize,
    /// The squares row by row from the top; `None` is not drawn.
    pub squares: Vec<Option<Color>>,
}

impl Raster {
    /// Returns the runs of adjacent squares of one color in each row: upper left corner, width and
    /// color.
    pub(crate) fn runs(&self) -> impl Iterator<Item = ([u32; 2], u32, Color)> + '_ {
        let rows = (0u32..).zip(self.squares.chunks(self.columns));
        rows.flat_map(move |(row, squares)| {
            let mut column = 0;
            squares.chunk_by(|a, b| a == b).filter_map(move |run| {
                let at = column;
                column += run.len() as u32;
                let corner = [self.corner[0] + at * self.side, self.corner[1] + row * self.side];
                Some((corner, run.len() as u32 * self.side, run[0]?))
            })
        })
    }
}

/// A picture: a list of shapes in pixels on a white background; later shapes cover earlier ones.
/// The point `[0, 0]` is the upper left corner, and y points down. Coordinates are limited to
/// ±16,000 pixels, and a coordinate that is not a number is moved outside of the picture.
///
/// ```
/// use hexphase_draw::{Align, Color, Paint, Picture, TextSize};
///
/// let mut picture = Picture::new([200, 100]);
/// picture.rectangle([10.0, 10.0], [90.0, 60.0], Paint::fill(Color::SKY));
/// picture.disc([120.0, 40.0], 25.0, Paint::border(Color::VERMILLION, 2.0));
/// picture.hexagon([170.0, 40.0], 20.0, 0.0, Paint::fill(Color::GREEN));
/// picture.line([[10.0, 70.0], [190.0, 70.0]], Color::INK, 1.0);
/// picture.text([100.0, 75.0], "shapes", TextSize::Normal, Align::Middle, Color::INK);
/// assert!(picture.to_svg().starts_with("<svg"));
/// assert_eq!(picture.to_png()?[1..4], *b"PNG");
/// # Ok::<(), hexphase_draw::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    size: [u32; 2],
    pub(crate) shapes: Vec<Shape>,
}

impl Picture {
    /// Creates an empty picture of this width and height in pixels.
    pub const fn new(size: [u32; 2]) -> Self {
        Self { size, shapes: Vec::new() }
    }

    /// Returns the width and height in pixels.
    pub const fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Draws a rectangle.
    pub fn rectangle(&mut self, min: [f32; 2], max: [f32; 2], paint: Paint) {
        let [min, max] = [near(min), near(max)];
        self.shapes.push(Shape::Rectangle { min, max, paint });
    }

    /// Draws a disc. A negative radius counts as 0.
    pub fn disc(&mut self, center: [f32; 2], radius: f32, paint: Paint) {
        let radius = limited(radius).max(0.0);
        self.shapes.push(Shape::Disc { center: near(center), radius, paint });
    }

    /// Draws a polygon. With fewer than three corners, nothing is drawn.
    pub fn polygon(&mut self, corners: &[[f32; 2]], paint: Paint) {
        if corners.len() >= 3 {
            let corners = corners.iter().copied().map(near).collect();
            self.shapes.push(Shape::Polygon { corners, paint });
        }
    }

    /// Draws a regular hexagon. `radius` is the distance from the center to a corner. `turn` is the
    /// angle in radians by which the hexagon is rotated clockwise; at 0, a corner points to the
    /// right.
    pub fn hexagon(&mut self, center: [f32; 2], radius: f32, turn: f32, paint: Paint) {
        // The corners at 0°, 60°, … are constants, so a `turn` of 0 is free of the rounding errors
        // of sine and cosine.
        const HALF_ROOT_3: f32 = 0.866_025_4;
        let (sin, cos) = turn.sin_cos();
        let unit = [
            [1.0, 0.0],
            [0.5, HALF_ROOT_3],
            [-0.5, HALF_ROOT_3],
            [-1.0, 0.0],
            [-0.5, -HALF_ROOT_3],
            [0.5, -HALF_ROOT_3],
        ];
        let corners = unit.map(|[x, y]| {
            let turned = [x * cos - y * sin, x * sin + y * cos];
            [center[0] + radius * turned[0], center[1] + radius * turned[1]]
        });
        self.polygon(&corners, paint);
    }

    /// Draws a line of this width in pixels.
    pub fn line(&mut self, ends: [[f32; 2]; 2], color: Color, width: f32) {
        self.shapes.push(Shape::Line { ends: ends.map(near), color, width });
    }

    /// Draws one line of text; `at` is on its upper edge. PNG files show letters outside of Latin-1
    /// as question marks.
    pub fn text(&mut self, at: [f32; 2], text: &str, size: TextSize, align: Align, color: Color) {
        let text = text.into();
        self.shapes.push(Shape::Text { at: near(at), text, size, align, color });
    }

    /// Draws the squares of a raster.
    ///
    /// # Panics
    /// If the raster has no columns.
    pub fn raster(&mut self, raster: Raster) {
        assert!(raster.columns > 0, "a raster needs columns");
        self.shapes.push(Shape::Raster(raster));
    }
}

/// Limits the coordinates of a point to a range in which no renderer overflows.
fn near(point: [f32; 2]) -> [f32; 2] {
    point.map(limited)
}

fn limited(x: f32) -> f32 {
    /// Larger than any picture, and small enough for rasterizers with fixed-point coordinates.
    const FAR: f32 = 16_000.0;
    if x.is_nan() { -FAR } else { x.clamp(-FAR, FAR) }
}
