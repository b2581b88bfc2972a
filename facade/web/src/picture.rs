//! Pictures of discs, as the pixels of an `ImageData`.

use hexphase::Ball;

use crate::discs::{Discs, SIDE};

/// The colors of a picture: red, green, blue and opacity, from the lowest byte to the highest.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// Between discs.
    pub background: u32,
    /// Discs that overlap no other.
    pub free: u32,
    /// Discs that overlap others.
    pub touching: u32,
    /// Discs that never move.
    pub resting: u32,
}

/// A square picture of the world.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    side: usize,
    pixels: Vec<u32>,
    touching: Vec<bool>,
}

impl Picture {
    /// Draws all discs, in a picture of `side` times `side` pixels.
    pub fn draw(&mut self, discs: &Discs, side: usize, colors: &Palette) {
        self.side = side;
        self.pixels.clear();
        self.pixels.resize(side * side, colors.background);
        self.touching.clear();
        self.touching.resize(discs.balls().len(), false);
        for &disc in discs.pairs().iter().flatten() {
            self.touching[disc as usize] = true;
        }
        for (disc, ball) in discs.balls().iter().enumerate() {
            let color = match () {
                () if discs.rests(disc) => colors.resting,
                () if self.touching[disc] => colors.touching,
                () => colors.free,
            };
            for image in images(ball, discs.settings().wraps) {
                self.disc(&image, color);
            }
        }
    }

    /// Returns the pixels, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[u32] {
        &self.pixels
    }

    fn disc(&mut self, ball: &Ball, color: u32) {
        let scale = self.side as f32 / SIDE;
        let [x, y] = ball.center.map(|at| at * scale);
        // A disc has one pixel at least.
        let radius = (ball.radius * scale).max(0.5);
        let last = self.side as f32 - 1.0;
        let (top, bottom) = ((y - radius).ceil().max(0.0), (y + radius).min(last));
        let mut row = top;
        while row <= bottom {
            let half = (radius * radius - (row - y) * (row - y)).max(0.25).sqrt();
            let (left, right) = ((x - half).ceil().max(0.0), (x + half).min(last));
            if left <= right {
                let start = row as usize * self.side;
                self.pixels[start + left as usize..=start + right as usize].fill(color);
            }
            row += 1.0;
        }
    }
}

/// Returns a disc and, if the world wraps, its images that reach into the world across its sides.
fn images(ball: &Ball, wraps: bool) -> impl Iterator<Item = Ball> {
    let offsets = ball.center.map(|at| match () {
        () if wraps && at < ball.radius => SIDE,
        () if wraps && at > SIDE - ball.radius => -SIDE,
        () => 0.0,
    });
    let (ball, [x, y]) = (*ball, offsets);
    let moved =
        move |dx: f32, dy: f32| Ball { center: [ball.center[0] + dx, ball.center[1] + dy], ..ball };
    let all =
        [(0.0, 0.0, true), (x, 0.0, x != 0.0), (0.0, y, y != 0.0), (x, y, x != 0.0 && y != 0.0)];
    all.into_iter().filter(|image| image.2).map(move |(dx, dy, _)| moved(dx, dy))
}
