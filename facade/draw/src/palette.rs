//! Palettes of animated pictures: at most 255 colors and a transparent one.
//!
//! 1. Take the colors of the first picture, the most frequent first, without colors that are close
//!    to one taken before. So areas keep their exact colors, and smooth edges have a few shades.
//! 2. Add a regular grid of colors, for pictures with colors that the first does not have.
//! 3. Each color becomes the nearest one of the palette.

use alloc::collections::BTreeMap;

use crate::Pixels;

/// Minimum distance between colors of the first picture, as the square of the Euclidean distance of
/// red, green and blue.
const MIN_SQUARE: i32 = 28 * 28;
/// Levels of red, green and blue in the grid.
const LEVELS: [u8; 4] = [0, 85, 170, 255];
/// Maximum number of colors of the first picture.
const MAX_COLORS: usize = 255 - LEVELS.len() * LEVELS.len() * LEVELS.len();

/// The colors of an animated picture by number. Number 0 is transparent.
pub(crate) struct Palette {
    /// Without the transparent color.
    colors: Vec<[u8; 3]>,
    /// The numbers of all colors that were looked up.
    numbers: BTreeMap<[u8; 3], u8>,
}

impl Palette {
    pub(crate) fn of(first: &Pixels) -> Self {
        let mut counts: BTreeMap<[u8; 3], u32> = BTreeMap::new();
        for &color in first.bytes().as_chunks().0 {
            *counts.entry(color).or_default() += 1;
        }
        let mut by_count: Vec<_> = counts.into_iter().collect();
        by_count.sort_by_key(|&(_, count)| core::cmp::Reverse(count));
        let mut colors: Vec<[u8; 3]> = Vec::new();
        for (color, _) in by_count {
            let far = colors.iter().all(|&other| square(color, other) >= MIN_SQUARE);
            if far && colors.len() < MAX_COLORS {
                colors.push(color);
            }
        }
        for red in LEVELS {
            for green in LEVELS {
                colors.extend(LEVELS.map(|blue| [red, green, blue]));
            }
        }
        Self { colors, numbers: BTreeMap::new() }
    }

    /// Returns the number of the nearest color, from 1.
    pub(crate) fn number(&mut self, color: [u8; 3]) -> u8 {
        let Self { colors, numbers } = self;
        *numbers.entry(color).or_insert_with(|| {
            let nearest = (1..).zip(&*colors).min_by_key(|&(_, &other)| square(color, other));
            nearest.map_or(0, |(number, _)| number)
        })
    }

    /// Returns the numbers of all pixels of a picture.
    pub(crate) fn numbers(&mut self, pixels: &Pixels) -> Vec<u8> {
        pixels.bytes().as_chunks().0.iter().map(|&color| self.number(color)).collect()
    }

    /// Returns red, green and blue of all colors; the transparent one is white.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [[255; 3]].iter().chain(&self.colors).flatten().copied().collect()
    }
}

/// Returns the square of the distance of two colors.
fn square(one: [u8; 3], other: [u8; 3]) -> i32 {
    one.into_iter().zip(other).map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum()
}
