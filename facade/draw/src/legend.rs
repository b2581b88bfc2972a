//! Legends: marks with their explanations, in one or several lines.

use crate::{Align, Color, Paint, Picture, TextSize};

/// The mark in front of a text of a legend.
///
/// ```
/// use hexphase_draw::{Color, Mark, Paint, Picture, TextSize};
///
/// let mut picture = Picture::new([400, 60]);
/// let entries = [
///     (Mark::Area(Paint::fill(Color::BLUE)), "ships"),
///     (Mark::Disc(Paint::fill(Color::ORANGE)), "bullets"),
///     (Mark::Line(Color::GRAY, 1.0), "cells"),
///     (Mark::Scale(vec![Color::SKY, Color::BLUE]), "1 to 9 objects"),
/// ];
/// let height = picture.legend([0.0, 0.0], 300.0, TextSize::Small, &entries);
/// assert_eq!(height, 32.0, "two lines");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A square.
    Area(Paint),
    /// A disc.
    Disc(Paint),
    /// A hexagon.
    Hexagon(Paint),
    /// A line of this color and width.
    Line(Color, f32),
    /// Several colors side by side.
    Scale(Vec<Color>),
    /// No mark: the text is a note.
    None,
}

impl Mark {
    /// Returns the width of the mark, in widths of a letter.
    fn letters(&self) -> f32 {
        match self {
            Self::Scale(colors) => 1.5 * colors.len() as f32,
            Self::None => 0.0,
            _ => 2.0,
        }
    }

    /// Returns the width of the mark with the gap between mark and text, in widths of a letter.
    fn letters_with_gap(&self) -> f32 {
        self.letters() + if *self == Self::None { 0.0 } else { 1.0 }
    }

    fn draw(&self, left: f32, top: f32, size: TextSize, picture: &mut Picture) {
        let (height, letter) = (size.line_height(), size.letter_width());
        let (width, middle) = (self.letters() * letter, top + height / 2.0);
        let (upper, lower) = (top + height * 0.2, top + height * 0.8);
        let center = [left + width / 2.0, middle];
        let radius = height * 0.3;
        match self {
            Self::Area(paint) => picture.rectangle([left, upper], [left + width, lower], *paint),
            Self::Disc(paint) => picture.disc(center, radius, *paint),
            Self::Hexagon(paint) => picture.hexagon(center, radius * 1.15, 0.0, *paint),
            Self::Line(color, thickness) => {
                picture.line([[left, middle], [left + width, middle]], *color, *thickness);
            }
            Self::Scale(colors) => {
                let step = width / colors.len() as f32;
                for (index, &color) in colors.iter().enumerate() {
                    let x = left + step * index as f32;
                    picture.rectangle([x, upper], [x + step, lower], Paint::fill(color));
                }
            }
            Self::None => {}
        }
    }
}

impl Picture {
    /// Draws marks with their texts. A new line begins where the next entry exceeds the width in
    /// pixels. Returns the height of all lines in pixels.
    pub fn legend<T: AsRef<str>>(
        &mut self,
        corner: [f32; 2],
        width: f32,
        size: TextSize,
        entries: &[(Mark, T)],
    ) -> f32 {
        let (places, height) = places(width, size, entries);
        for ((mark, text), [x, y]) in entries.iter().zip(places) {
            let (left, top) = (corner[0] + x, corner[1] + y);
            mark.draw(left, top, size, self);
            let text_left = left + mark.letters_with_gap() * size.letter_width();
            self.text([text_left, top], text.as_ref(), size, Align::Start, Color::INK);
        }
        height
    }
}

/// Returns the upper left corner of each entry and the height of all lines, in pixels.
fn places<T: AsRef<str>>(
    width: f32,
    size: TextSize,
    entries: &[(Mark, T)],
) -> (Vec<[f32; 2]>, f32) {
    /// The gap between two entries, in widths of a letter.
    const GAP: f32 = 2.0;
    let (mut left, mut top) = (0.0, 0.0);
    let mut places = Vec::new();
    for (mark, text) in entries {
        let needed = mark.letters_with_gap() * size.letter_width() + size.width(text.as_ref());
        if left > 0.0 && left + needed > width {
            (left, top) = (0.0, top + size.line_height());
        }
        places.push([left, top]);
        left += needed + GAP * size.letter_width();
    }
    (places, if entries.is_empty() { 0.0 } else { top + size.line_height() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_fit_into_the_width_and_do_not_overlap() {
        let size = TextSize::Normal;
        let mark = Mark::Line(Color::GRAY, 1.0);
        let texts = ["a", "some words", "", "longer than all others", "b"];
        let entries = texts.map(|text| (mark.clone(), text));
        for width in [10.0, 150.0, 260.0, 500.0, 2000.0] {
            let (places, height) = places(width, size, &entries);
            let ends = places.iter().zip(texts).map(|([x, _], text)| x + 27.0 + size.width(text));
            for (pair, end) in places.windows(2).zip(ends) {
                let [[x, y], [next_x, next_y]] = [pair[0], pair[1]];
                assert!(end <= width || x == 0.0, "{width}");
                assert!(next_y > y && next_x == 0.0 || next_y == y && next_x > end, "{width}");
            }
            assert_eq!(height, places[4][1] + 20.0);
        }
        assert_eq!(places::<&str>(100.0, size, &[]), (Vec::new(), 0.0));
    }
}
