//! Shared by the examples: a picture as SVG, and random numbers that are equal on every machine.

#![allow(dead_code, reason = "each example uses a part of it")]

use std::path::PathBuf;
use std::{env, fs, io};

/// A picture as SVG text, in world coordinates with y upwards.
pub(crate) struct Picture {
    size: [f32; 2],
    shapes: String,
}

impl Picture {
    /// Creates an empty picture of the area from the origin to `size`.
    pub(crate) fn new(size: [f32; 2]) -> Self {
        Self { size, shapes: String::new() }
    }

    /// Draws a filled circle.
    pub(crate) fn circle(&mut self, [x, y]: [f32; 2], radius: f32, color: &str) {
        let y = self.size[1] - y;
        self.shapes += &format!("<circle cx='{x}' cy='{y}' r='{radius}' fill='{color}'/>\n");
    }

    /// Draws a line.
    pub(crate) fn line(&mut self, [x, y]: [f32; 2], [u, v]: [f32; 2], color: &str) {
        let (y, v) = (self.size[1] - y, self.size[1] - v);
        let width = self.size[0] / 400.0;
        self.shapes += &format!(
            "<line x1='{x}' y1='{y}' x2='{u}' y2='{v}' stroke='{color}' stroke-width='{width}'/>\n"
        );
    }

    /// Draws a filled box.
    pub(crate) fn rectangle(&mut self, min: [f32; 2], max: [f32; 2], color: &str) {
        let corners = [min, [max[0], min[1]], max, [min[0], max[1]]];
        self.polygon(&corners, color);
    }

    /// Draws a filled polygon.
    pub(crate) fn polygon(&mut self, corners: &[[f32; 2]], color: &str) {
        let points = corners.iter().map(|[x, y]| format!("{x},{} ", self.size[1] - y));
        let points: String = points.collect();
        self.shapes += &format!("<polygon points='{points}' fill='{color}'/>\n");
    }

    /// Writes the picture to the path given as the first argument of the program; without one, to a
    /// file named after the example in the folder for temporary files. Prints the path.
    pub(crate) fn save(self, example: &str) -> io::Result<()> {
        let path = env::args_os().nth(1).map(PathBuf::from);
        let path = path.unwrap_or_else(|| env::temp_dir().join(format!("{example}.svg")));
        let [width, height] = self.size;
        let text = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='800' viewBox='0 0 {width} {height}'>\n\
             <rect width='100%' height='100%' fill='#10141c'/>\n{}</svg>\n",
            self.shapes
        );
        fs::write(&path, text)?;
        println!("picture: {}", path.display());
        Ok(())
    }
}

/// Random numbers: `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// Returns a number from `low` up to, but not including, `high`.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / (1u32 << 24) as f32)
    }

    /// Returns a point in the area from the origin to `size`.
    pub(crate) fn point(&mut self, size: [f32; 2]) -> [f32; 2] {
        size.map(|side| self.between(0.0, side))
    }
}
