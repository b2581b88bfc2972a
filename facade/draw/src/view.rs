//! The map from world coordinates to pixels.

use crate::{Color, Picture, TextSize, label};

/// A view: a part of the world shown in a part of a picture, with one scale on both axes. In the
/// world y points up, in the picture down.
///
/// Only `+ − × ÷` of `f64` are used, so pixel positions are equal on every machine. Worlds of any
/// size are mapped without overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The point of the world in the middle of the view.
    center: [f64; 2],
    /// The pixel in the middle of the view.
    middle: [f64; 2],
    /// A length in the world, greater than 0, that takes `pixels` pixels.
    length: f64,
    /// The length of `length` in pixels.
    pixels: f64,
}

impl View {
    /// Shows the box from `min` to `max` as large as possible in the middle of the pixels from
    /// `top_left` to `bottom_right`. If the box is a point, all points are shown in the middle.
    ///
    /// `min` and `max` must be finite.
    pub fn fit(min: [f64; 2], max: [f64; 2], top_left: [f32; 2], bottom_right: [f32; 2]) -> Self {
        // Halve before adding: the sum or difference of two large numbers could overflow.
        let center = [0, 1].map(|axis| min[axis] / 2.0 + max[axis] / 2.0);
        let half = [0, 1].map(|axis| max[axis] / 2.0 - min[axis] / 2.0);
        let pixels = [0, 1]
            .map(|axis| (f64::from(bottom_right[axis]) - f64::from(top_left[axis])).max(0.0) / 2.0);
        let middle = [0, 1].map(|axis| f64::from(top_left[axis]) + pixels[axis]);
        // The scale is limited by the axis with the larger ratio of world length to pixels.
        let axis = usize::from(half[0] == 0.0 || half[1] / half[0] > pixels[1] / pixels[0]);
        // A box that is a point determines no scale: 0 pixels per length draws everything in the
        // middle.
        let (length, pixels) =
            if half[axis] > 0.0 { (half[axis], pixels[axis]) } else { (1.0, 0.0) };
        Self { center, middle, length, pixels }
    }

    /// Returns the pixel position of a point.
    pub fn point(&self, [x, y]: [f64; 2]) -> [f32; 2] {
        let right = (x - self.center[0]) / self.length * self.pixels;
        let up = (y - self.center[1]) / self.length * self.pixels;
        [(self.middle[0] + right) as f32, (self.middle[1] - up) as f32]
    }

    /// Returns the upper left and the lower right corner of a box in pixels.
    pub fn rectangle(&self, min: [f64; 2], max: [f64; 2]) -> [[f32; 2]; 2] {
        let [[left, bottom], [right, top]] = [self.point(min), self.point(max)];
        [[left, top], [right, bottom]]
    }

    /// Returns a length in pixels, given a length in the world.
    pub fn length(&self, length: f64) -> f32 {
        (length / self.length * self.pixels) as f32
    }

    /// Returns the longest world length of the form 1, 2 or 5 times a power of ten that takes at
    /// most this number of pixels, with its length in pixels. Returns `None` if no such length is
    /// longer than a pixel and a normal number, for example in a view of a single point.
    fn scale(&self, max_pixels: f32) -> Option<(f64, f32)> {
        let longest = self.length / self.pixels * f64::from(max_pixels);
        // Decimal digits are used because logarithms differ between machines.
        let text = format!("{longest:e}");
        let (digits, exponent) = text.split_once('e')?;
        let digits: f64 = digits.parse().ok()?;
        let step = [5, 2, 1].into_iter().find(|&step| digits >= f64::from(step)).unwrap_or(1);
        let length: f64 = format!("{step}e{exponent}").parse().ok()?;
        let pixels = self.length(length);
        (length.is_normal() && pixels > 1.0).then_some((length, pixels))
    }
}

impl Picture {
    /// Draws a scale bar, at most `max_pixels` long, followed by the world length it represents, in
    /// one line of text that ends at `top_right`. Returns the total width in pixels; 0 if there is
    /// no scale.
    ///
    /// ```
    /// use hexphase_draw::{Picture, TextSize, View};
    ///
    /// let view = View::fit([0.0, 0.0], [800.0, 800.0], [0.0, 0.0], [400.0, 400.0]);
    /// let mut picture = Picture::new([400, 420]);
    /// picture.scale_bar(&view, [390.0, 400.0], 120.0, TextSize::Small);
    /// assert!(picture.to_svg().contains(">200</text>"));
    /// ```
    pub fn scale_bar(
        &mut self,
        view: &View,
        top_right: [f32; 2],
        max_pixels: f32,
        size: TextSize,
    ) -> f32 {
        /// Half the height of the ticks at both ends of the bar.
        const TICK: f32 = 4.0;
        let Some((length, pixels)) = view.scale(max_pixels) else { return 0.0 };
        let text = label(length);
        let gap = size.letter_width();
        let right = top_right[0] - size.width(&text) - gap;
        let left = right - pixels;
        let y = top_right[1] + size.line_height() / 2.0;
        self.line([[left, y], [right, y]], Color::INK, 2.0);
        for x in [left, right] {
            self.line([[x, y - TICK], [x, y + TICK]], Color::INK, 2.0);
        }
        self.text([right + gap, top_right[1]], &text, size, crate::Align::Start, Color::INK);
        top_right[0] - left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_axis_fills_the_view() {
        for (max, expected) in [
            ([10.0, 1.0], [[0.0, 55.0], [100.0, 45.0]]),
            ([1.0, 10.0], [[45.0, 100.0], [55.0, 0.0]]),
            ([0.0, 10.0], [[50.0, 100.0], [50.0, 0.0]]),
            ([10.0, 0.0], [[0.0, 50.0], [100.0, 50.0]]),
            ([0.0, 0.0], [[50.0, 50.0], [50.0, 50.0]]),
        ] {
            let view = View::fit([0.0; 2], max, [0.0; 2], [100.0; 2]);
            assert_eq!([view.point([0.0; 2]), view.point(max)], expected, "{max:?}");
            assert_eq!(view.scale(30.0).is_none(), max == [0.0; 2]);
        }
    }

    #[test]
    fn extreme_worlds_fit() {
        for extent in [f64::MAX, 1e30, 1.0, 1e-30, f64::MIN_POSITIVE, 1e-320] {
            let view = View::fit([-extent; 2], [extent; 2], [0.0; 2], [100.0; 2]);
            let corners = [view.point([-extent; 2]), view.point([extent; 2])];
            assert_eq!(corners, [[0.0, 100.0], [100.0, 0.0]], "{extent:e}");
            assert_eq!(view.length(extent), 50.0);
            if let Some((length, pixels)) = view.scale(30.0) {
                assert!(length <= extent && pixels <= 30.0 && pixels > 10.0, "{extent:e}");
            }
        }
    }
}
