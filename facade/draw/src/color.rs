//! Colors that can be distinguished with color-blindness, and their contrast.

/// A color with opacity, in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color {
    rgb: [u8; 3],
    alpha: u8,
}

impl Color {
    /// The background of pictures.
    pub const WHITE: Self = Self::rgb(0xff_ff_ff);
    /// The color of text and frames.
    pub const INK: Self = Self::rgb(0x22_22_22);
    /// The color of background objects and of notes.
    pub const GRAY: Self = Self::rgb(0x59_59_59);
    /// The orange of the palette of Okabe and Ito.
    pub const ORANGE: Self = Self::rgb(0xe6_9f_00);
    /// The light blue of the palette of Okabe and Ito.
    pub const SKY: Self = Self::rgb(0x56_b4_e9);
    /// The bluish green of the palette of Okabe and Ito.
    pub const GREEN: Self = Self::rgb(0x00_9e_73);
    /// The yellow of the palette of Okabe and Ito. For areas only: its contrast with white is low.
    pub const YELLOW: Self = Self::rgb(0xf0_e4_42);
    /// The blue of the palette of Okabe and Ito.
    pub const BLUE: Self = Self::rgb(0x00_72_b2);
    /// The red of the palette of Okabe and Ito.
    pub const VERMILLION: Self = Self::rgb(0xd5_5e_00);
    /// The reddish purple of the palette of Okabe and Ito.
    pub const PURPLE: Self = Self::rgb(0xcc_79_a7);
    /// Colors for classes: the palette of Okabe and Ito without black and yellow. The order makes
    /// successive colors differ as much as possible.
    pub const CLASSES: [Self; 6] =
        [Self::BLUE, Self::VERMILLION, Self::GREEN, Self::PURPLE, Self::SKY, Self::ORANGE];

    /// Returns the opaque color `0xRRGGBB`.
    pub const fn rgb(hex: u32) -> Self {
        let [_, red, green, blue] = hex.to_be_bytes();
        Self { rgb: [red, green, blue], alpha: 255 }
    }

    /// Sets the opacity: 0 is invisible, 255 is opaque.
    pub const fn with_alpha(self, alpha: u8) -> Self {
        Self { alpha, ..self }
    }

    /// Returns red, green, blue and opacity.
    pub const fn to_rgba(self) -> [u8; 4] {
        let [red, green, blue] = self.rgb;
        [red, green, blue, self.alpha]
    }

    /// Returns a color on a scale for numbers, from green (`at` = 0) over blue to dark purple (`at`
    /// = 1).
    ///
    /// The scale is the darker part of viridis, reversed: larger numbers are darker, and the palest
    /// color is visible on white. Equal steps of `at` look equal, also in shades of gray.
    pub fn on_scale(at: f64) -> Self {
        /// The viridis scale at 0.75, 0.625, 0.5, … 0.
        const ANCHORS: [u32; 7] =
            [0x5ec962, 0x28ae80, 0x21918c, 0x2c728e, 0x3b528b, 0x472d7b, 0x440154];
        Self::between(&ANCHORS.map(Self::rgb), at)
    }

    /// Returns the color at a position on a scale through several colors at equal distances. The
    /// position 0 is the first color, 1 the last; positions outside are limited to this range.
    ///
    /// # Panics
    /// If there are no colors.
    ///
    /// ```
    /// use hexphase_draw::Color;
    ///
    /// let gray = Color::between(&[Color::rgb(0), Color::WHITE], 0.5);
    /// assert_eq!(gray, Color::rgb(0x808080));
    /// ```
    pub fn between(anchors: &[Self], at: f64) -> Self {
        let last = anchors.len() - 1;
        let position = if at > 0.0 { at.min(1.0) * last as f64 } else { 0.0 };
        let index = (position as usize).min(last.saturating_sub(1));
        let fraction = position - index as f64;
        let [from, to] = [anchors[index], anchors[(index + 1).min(last)]].map(Self::to_rgba);
        let mix = |channel: usize| {
            let [a, b] = [from[channel], to[channel]].map(f64::from);
            (a + (b - a) * fraction + 0.5) as u8
        };
        Self { rgb: [mix(0), mix(1), mix(2)], alpha: mix(3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Color {
        /// Returns the relative luminance, from 0 to 1.
        fn luminance(self) -> f64 {
            let linear = self.rgb.map(|channel| {
                let x = f64::from(channel) / 255.0;
                if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
            });
            linear[0] * 0.2126 + linear[1] * 0.7152 + linear[2] * 0.0722
        }
    }

    /// Contrasts are those of WCAG 2, from 1 (equal colors) to 21 (black and white). WCAG 2
    /// requires at least 4.5 for text and 3 for lines.
    #[test]
    fn colors_have_contrast_with_white() {
        let contrast = |color: Color| 1.05 / (color.luminance() + 0.05);
        assert!((contrast(Color::rgb(0)) - 21.0).abs() < 1e-9);
        let (text, lines) = ([Color::INK, Color::GRAY], [Color::BLUE, Color::VERMILLION]);
        assert!(text.into_iter().all(|color| contrast(color) > 4.5));
        assert!(lines.into_iter().chain([Color::GREEN]).all(|color| contrast(color) > 3.0));
        assert!(Color::CLASSES.into_iter().all(|color| contrast(color) > 2.0));
        let steps: Vec<_> = (0..=20).map(|n| Color::on_scale(f64::from(n) / 20.0)).collect();
        assert_eq!([steps[0], Color::on_scale(2.0)], [0x5ec962, 0x440154].map(Color::rgb));
        assert!(contrast(steps[0]) > 2.0);
        assert!(steps.windows(2).all(|pair| pair[0].luminance() > pair[1].luminance()));
    }

    #[test]
    fn positions_are_limited() {
        let one = [Color::BLUE];
        assert_eq!(Color::between(&one, 0.7), Color::BLUE);
        let two = [Color::BLUE, Color::GREEN];
        assert_eq!([-1.0, f64::INFINITY].map(|at| Color::between(&two, at)), two);
        assert_eq!(Color::between(&two, f64::NAN).to_rgba()[3], 255);
    }
}
