//! Pictures as pixels, with anti-aliased edges.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};
use tiny_skia::{
    FillRule, Paint as SkiaPaint, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke,
    Transform,
};

use crate::picture::{Align, Paint, Picture, Raster, Shape, TextSize};
use crate::{Color, Error};

/// The pixels of a picture: red, green and blue of each, row by row from the top.
///
/// ```
/// use hexphase_draw::Picture;
///
/// let pixels = Picture::new([3, 2]).to_rgb()?;
/// assert_eq!(pixels.size(), [3, 2]);
/// assert_eq!(pixels.bytes(), [255; 3 * 2 * 3]);
/// assert_eq!(pixels.pixel([2, 1]), [255, 255, 255]);
/// # Ok::<(), hexphase_draw::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    size: [u32; 2],
    bytes: Vec<u8>,
}

impl Pixels {
    /// Returns the width and height.
    #[must_use]
    pub const fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Returns the bytes of all pixels: three per pixel, row by row from the top.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns red, green and blue of the pixel at `[x, y]`.
    ///
    /// # Panics
    /// If the pixel is outside of the picture.
    #[must_use]
    pub fn pixel(&self, [x, y]: [u32; 2]) -> [u8; 3] {
        assert!(x < self.size[0] && y < self.size[1], "no pixel [{x}, {y}] in {:?}", self.size);
        let at = (y as usize * self.size[0] as usize + x as usize) * 3;
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }
}

impl Picture {
    /// Returns the pixels of the picture.
    ///
    /// # Errors
    /// If the picture has no pixels, or more than memory can hold.
    pub fn to_rgb(&self) -> Result<Pixels, Error> {
        let size = self.size();
        let mut canvas = Pixmap::new(size[0], size[1]).ok_or(Error::Size(size))?;
        canvas.fill(tiny_skia::Color::WHITE);
        for shape in &self.shapes {
            draw(shape, &mut canvas);
        }
        // The background is opaque, so all pixels are, and no premultiplied color must be divided.
        let colors = canvas.pixels().iter();
        let bytes = colors.flat_map(|color| [color.red(), color.green(), color.blue()]).collect();
        Ok(Pixels { size, bytes })
    }
}

fn draw(shape: &Shape, canvas: &mut Pixmap) {
    let mut path = PathBuilder::new();
    let paint = match shape {
        Shape::Rectangle { min, max, paint } => {
            path.move_to(min[0], min[1]);
            path.line_to(max[0], min[1]);
            path.line_to(max[0], max[1]);
            path.line_to(min[0], max[1]);
            path.close();
            *paint
        }
        Shape::Disc { center, radius, paint } => {
            path.push_circle(center[0], center[1], *radius);
            *paint
        }
        Shape::Polygon { corners, paint } => {
            for (index, [x, y]) in corners.iter().enumerate() {
                if index == 0 { path.move_to(*x, *y) } else { path.line_to(*x, *y) }
            }
            path.close();
            *paint
        }
        Shape::Line { ends: [from, to], color, width } => {
            path.move_to(from[0], from[1]);
            path.line_to(to[0], to[1]);
            Paint::border(*color, *width)
        }
        Shape::Text { at, text, size, align, color } => {
            return draw_text(*at, text, *size, *align, *color, canvas);
        }
        Shape::Raster(raster) => return draw_raster(raster, canvas),
    };
    // The path is empty for shapes without an area, for example a disc with radius 0.
    let Some(path) = path.finish() else { return };
    let place = Transform::identity();
    if let Some(area) = paint.area {
        canvas.fill_path(&path, &solid(area), FillRule::Winding, place, None);
    }
    if let Some((border, width)) = paint.border {
        let stroke = Stroke { width, ..Stroke::default() };
        canvas.stroke_path(&path, &solid(border), &stroke, place, None);
    }
}

/// Returns the paint of `tiny-skia` for one color.
fn solid(color: Color) -> SkiaPaint<'static> {
    let [red, green, blue, alpha] = color.to_rgba();
    let mut paint = SkiaPaint::default();
    paint.set_color_rgba8(red, green, blue, alpha);
    paint
}

fn draw_raster(raster: &Raster, canvas: &mut Pixmap) {
    for ([x, y], width, color) in raster.runs() {
        let area = Rect::from_xywh(x as f32, y as f32, width as f32, raster.side as f32);
        let paint = SkiaPaint { anti_alias: false, ..solid(color) };
        if let Some(area) = area {
            canvas.fill_rect(area, &paint, Transform::identity(), None);
        }
    }
}

/// Draws the letters of a text at whole pixel positions.
fn draw_text(
    [x, y]: [f32; 2],
    text: &str,
    size: TextSize,
    align: Align,
    color: Color,
    canvas: &mut Pixmap,
) {
    let height = match size {
        TextSize::Small => RasterHeight::Size16,
        TextSize::Normal => RasterHeight::Size20,
    };
    let shift = match align {
        Align::Start => 0.0,
        Align::Middle => size.width(text) / 2.0,
        Align::End => size.width(text),
    };
    let (mut left, top) = ((x - shift).round() as i64, y.round() as i64);
    for letter in text.chars() {
        let glyph = get_raster(letter, FontWeight::Regular, height)
            .or_else(|| get_raster('?', FontWeight::Regular, height));
        let rows = glyph.iter().flat_map(|glyph| glyph.rows());
        for (row, coverages) in (top..).zip(rows) {
            for (column, &coverage) in (left..).zip(coverages) {
                blend([column, row], color, coverage, canvas);
            }
        }
        left += size.letter_width() as i64;
    }
}

/// Mixes a color into a pixel, in proportion to `coverage` (0 to 255) and opacity. Positions
/// outside of the picture are ignored.
fn blend(at: [i64; 2], color: Color, coverage: u8, canvas: &mut Pixmap) {
    let size = [canvas.width(), canvas.height()];
    let inside = |axis: usize| u32::try_from(at[axis]).ok().filter(|&x| x < size[axis]);
    let (Some(x), Some(y)) = (inside(0), inside(1)) else { return };
    let pixel = &mut canvas.pixels_mut()[y as usize * size[0] as usize + x as usize];
    let [red, green, blue, alpha] = color.to_rgba();
    let opacity = u32::from(coverage) * u32::from(alpha);
    let mix = |from: u8, to: u8| {
        let sum = u32::from(from) * (255 * 255 - opacity) + u32::from(to) * opacity;
        ((sum + 255 * 255 / 2) / (255 * 255)) as u8
    };
    let mixed = [mix(pixel.red(), red), mix(pixel.green(), green), mix(pixel.blue(), blue)];
    if let Some(mixed) = PremultipliedColorU8::from_rgba(mixed[0], mixed[1], mixed[2], 255) {
        *pixel = mixed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_the_documented_size() {
        for (size, height) in
            [(TextSize::Small, RasterHeight::Size16), (TextSize::Normal, RasterHeight::Size20)]
        {
            let glyph = get_raster('M', FontWeight::Regular, height).expect("a letter");
            let found = [glyph.width(), glyph.height()].map(|x| x as f32);
            assert_eq!(found, [size.letter_width(), size.line_height()]);
            // The lowest row of pixels of an M is just above the baseline.
            let lowest = glyph.rows().rposition(|row| row.iter().any(|&x| x > 0)).expect("ink");
            assert!((lowest as f32 + 1.0 - size.baseline()).abs() <= 1.0, "{lowest}");
        }
    }
}
