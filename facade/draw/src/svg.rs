//! Pictures as SVG text.
//!
//! 1. Adjacent shapes with the same paint form a group, so that the attributes of the paint are
//!    written once.
//! 2. Coordinates are rounded to hundredths of a pixel and written without trailing zeros.
//! 3. A raster becomes one path for each color, with a rectangle for each run of squares.
//!
//! Equal pictures yield equal text on every machine.

use alloc::collections::BTreeMap;
use core::fmt::{self, Display, Write};

use crate::Color;
use crate::picture::{Align, Paint, Picture, Raster, Shape, TextSize};

/// Monospaced fonts whose letters are at most 0.62 em wide, in order of preference.
const FONTS: &str = "Noto Sans Mono,DejaVu Sans Mono,Menlo,Consolas,monospace";

impl Picture {
    /// Returns the picture as SVG. Each shape is one element; a raster is one element per color.
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        // Writing into a string cannot fail.
        let _ = self.write_svg(&mut svg);
        svg
    }

    fn write_svg(&self, out: &mut String) -> fmt::Result {
        let [width, height] = self.size();
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
        )?;
        for group in self.shapes.chunk_by(|a, b| style(a).is_some() && style(a) == style(b)) {
            let style = style(&group[0]);
            if let Some(paint) = style {
                writeln!(out, "<g{}>", Attributes(paint))?;
            }
            for shape in group {
                write_shape(shape, out)?;
            }
            if style.is_some() {
                writeln!(out, "</g>")?;
            }
        }
        writeln!(out, "</svg>")
    }
}

/// Returns the paint by which adjacent shapes are grouped; `None` for shapes that form no group.
fn style(shape: &Shape) -> Option<Paint> {
    match *shape {
        Shape::Rectangle { paint, .. }
        | Shape::Disc { paint, .. }
        | Shape::Polygon { paint, .. } => Some(paint),
        Shape::Line { color, width, .. } => Some(Paint::border(color, width)),
        Shape::Text { .. } | Shape::Raster(_) => None,
    }
}

fn write_shape(shape: &Shape, out: &mut String) -> fmt::Result {
    match shape {
        Shape::Rectangle { min, max, .. } => {
            let [x, y] = min.map(Short);
            let [width, height] = [0, 1].map(|axis| Short(max[axis] - min[axis]));
            writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>")
        }
        Shape::Disc { center, radius, .. } => {
            let [x, y] = center.map(Short);
            writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>", Short(*radius))
        }
        Shape::Polygon { corners, .. } => {
            write!(out, "<path d=\"M")?;
            for (index, [x, y]) in corners.iter().enumerate() {
                let gap = if index == 0 { "" } else { " " };
                write!(out, "{gap}{} {}", Short(*x), Short(*y))?;
            }
            writeln!(out, "z\"/>")
        }
        Shape::Line { ends: [from, to], .. } => {
            let ([x, y], [u, v]) = (from.map(Short), to.map(Short));
            writeln!(out, "<path d=\"M{x} {y} {u} {v}\"/>")
        }
        Shape::Text { at, text, size, align, color } => {
            let font_size = match size {
                TextSize::Small => 11.5,
                TextSize::Normal => 14.5,
            };
            let anchor = match align {
                Align::Start => "",
                Align::Middle => " text-anchor=\"middle\"",
            };
            let [x, y] = [at[0], at[1] + size.baseline()].map(Short);
            writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{font_size}\"{anchor}{}>{}</text>",
                Attributes(Paint::fill(*color)),
                Escaped(text)
            )
        }
        Shape::Raster(raster) => write_raster(raster, out),
    }
}

fn write_raster(raster: &Raster, out: &mut String) -> fmt::Result {
    let mut paths: BTreeMap<[u8; 4], (String, [u32; 2])> = BTreeMap::new();
    for ([x, y], width, color) in raster.runs() {
        // Relative moves are shorter. After `z` the current point is the first corner of the closed
        // path, so the next move is relative to it.
        let (path, [from_x, from_y]) = paths.entry(color.to_rgba()).or_default();
        let [right, down] =
            [[x, *from_x], [y, *from_y]].map(|[to, from]| i64::from(to) - i64::from(from));
        (*from_x, *from_y) = (x, y);
        write!(path, "m{right} {down}h{width}v{side}h-{width}z", side = raster.side)?;
    }
    writeln!(out, "<g shape-rendering=\"crispEdges\">")?;
    for ([red, green, blue, alpha], (path, _)) in paths {
        let hex = u32::from_be_bytes([0, red, green, blue]);
        let paint = Paint::fill(Color::rgb(hex).with_alpha(alpha));
        writeln!(out, "<path{} d=\"{path}\"/>", Attributes(paint))?;
    }
    writeln!(out, "</g>")
}

/// The SVG attributes of a paint, each after a space.
struct Attributes(Paint);

impl Display for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Paint { area, border } = self.0;
        match area {
            Some(color) => write_color("fill", color, f)?,
            None => f.write_str(" fill=\"none\"")?,
        }
        if let Some((color, width)) = border {
            write_color("stroke", color, f)?;
            write!(f, " stroke-width=\"{}\"", Short(width))?;
        }
        Ok(())
    }
}

fn write_color(name: &str, color: Color, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let [red, green, blue, alpha] = color.to_rgba();
    write!(f, " {name}=\"#{red:02x}{green:02x}{blue:02x}\"")?;
    match alpha {
        255 => Ok(()),
        _ => write!(f, " {name}-opacity=\"{}\"", Short(f32::from(alpha) / 255.0)),
    }
}

/// A number, written with at most two decimals.
struct Short(f32);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (f64::from(self.0) * 100.0).round() as i64;
        let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
        let sign = if hundredths < 0 { "-" } else { "" };
        match (rest, rest % 10) {
            (0, _) => write!(f, "{sign}{whole}"),
            (_, 0) => write!(f, "{sign}{whole}.{}", rest / 10),
            _ => write!(f, "{sign}{whole}.{rest:02}"),
        }
    }
}

/// Text between tags. Control characters, which XML forbids, are replaced by question marks.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '&' => f.write_str("&amp;"),
            '\u{fffe}' | '\u{ffff}' => f.write_char('?'),
            _ if letter.is_control() => f.write_char('?'),
            _ => f.write_char(letter),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, -0.001, 12.0, 0.5, -0.25, 3.049, -16_000.0];
        let texts = numbers.map(|x| Short(x).to_string());
        assert_eq!(texts, ["0", "0", "12", "0.5", "-0.25", "3.05", "-16000"]);
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(Escaped("a<b & \"c\"\u{1}>").to_string(), "a&lt;b &amp; \"c\"?&gt;");
    }
}
