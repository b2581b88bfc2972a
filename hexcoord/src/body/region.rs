//! Which cells of one body can meet another body, and where they are on the other's lattice.

use super::HexBody;
use super::contact::Contact;
use crate::hex::{Hex, hex};

/// The cells of the scanned body that the other one can reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// From where to where along q, r and s.
    pub(super) ends: [[i64; 2]; 3],
}

/// How many bits of places in units of cells are fraction.
pub(super) const PLACE: u32 = 32;

impl Region {
    pub(super) fn new(contact: &Contact, body: &HexBody, other: &HexBody) -> Option<Self> {
        /// Places and reaches here are in units of 2^-16 cells.
        const F: u32 = 16;
        let [own, theirs] =
            [body, other].map(|body| body.extent().unwrap_or_default().map(|e| e.map(i64::from)));
        // A cell in the middle, and how far the others are from it, along q, r and s; two centres
        // of overlapping cells are 4/3 of the larger cell apart at most.
        let (q, r) = ((theirs[0][0] + theirs[0][1]) >> 1, (theirs[1][0] + theirs[1][1]) >> 1);
        let middle = [q, r, -q - r];
        let mut half = [0; 3];
        for axis in 0..3 {
            let [min, max] = theirs[axis];
            half[axis] = ((max - middle[axis]).max(middle[axis] - min) << F) + (4 << F) / 3 + 1;
        }
        let [c, u] = contact.turn;
        let [plus, minus, twice] = [c + u, c - u, 2 * u].map(|n| (n.abs() >> (60 - F)) + 1);
        // Each axis here is a sum of two axes there, in three ways.
        let reach = |a: i64, b: i64, c: i64| {
            let ways =
                [a * half[0] + b * half[1], c * half[0] + b * half[2], c * half[1] + a * half[2]];
            ways[0].min(ways[1]).min(ways[2]) >> F
        };
        let reaches =
            [reach(minus, twice, plus), reach(twice, plus, minus), reach(plus, minus, twice)];
        // Where the middle is, in cells of the scanned body.
        let [own_shift, their_shift] = [body.grid.shift(), other.grid.shift()];
        let way = contact.between(Hex::ORIGIN, hex(q as i32, r as i32));
        let [a, b] = contact.turned_back(0, way).map(|n| (n >> (60 + own_shift - F)) as i64);
        let at = [a, b, -a - b];
        let mut ends = [[0; 2]; 3];
        for axis in 0..3 {
            // |C + U √−3| is 1 but for 2^-29, so places are off by up to 4 units, and as little by
            // what is rounded here.
            let doubt = (1 << (F - 2)) + ((4 << F) >> own_shift);
            let reach = (reaches[axis] << (their_shift - own_shift)) + doubt;
            let [min, max] = own[axis];
            let low = min.max((at[axis] - reach) >> F);
            let high = max.min((at[axis] + reach) >> F);
            if low > high {
                return None;
            }
            ends[axis] = [low, high];
        }
        Some(Self { ends })
    }

    /// From where to where a row is to be scanned; inverted if not at all.
    #[inline(always)]
    pub(super) fn row(&self, r: i64) -> [i64; 2] {
        let [q, _, s] = self.ends;
        [q[0].max(-r - s[1]), q[1].min(-r - s[0])]
    }
}

/// Where the centres of the scanned cells are on the other lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// A cell of the scanned body and the cell of the other lattice near it.
    pub(super) from: [i64; 2],
    pub(super) near: [i64; 2],
    /// How far the first is beyond the second, in units of 2^-32 cells.
    pub(super) at: [i64; 2],
    /// What one step along q adds, and one along r.
    step_q: [i64; 2],
    step_r: [i64; 2],
}

impl Places {
    pub(super) fn new(contact: &Contact, shifts: [u32; 2], region: &Region) -> Self {
        let from = [region.ends[0][0], region.ends[1][0]];
        let first = hex(from[0] as i32, from[1] as i32);
        // A first guess, in whole cells, then the rest: short, and so without much error.
        let way = contact.between(first, Hex::ORIGIN);
        let near = contact.turned_back(1, way).map(|n| -(n >> (60 + shifts[1])) as i64);
        let way = contact.between(first, hex(near[0] as i32, near[1] as i32));
        let at = contact.turned_back(1, way).map(|n| (-n >> (60 - PLACE + shifts[1])) as i64);
        let [c, u] = contact.turn;
        let scaled = |n: i64| n >> (60 - PLACE + shifts[1] - shifts[0]);
        Self {
            from,
            near,
            at,
            step_q: [scaled(c + u), scaled(-2 * u)],
            step_r: [scaled(2 * u), scaled(c - u)],
        }
    }

    /// The place of a cell, in units of 2^-32 cells beyond `near`.
    #[inline(always)]
    pub(super) fn of(&self, q: i64, r: i64) -> [i64; 2] {
        let (x, y) = (q - self.from[0], r - self.from[1]);
        [
            self.at[0] + x * self.step_q[0] + y * self.step_r[0],
            self.at[1] + x * self.step_q[1] + y * self.step_r[1],
        ]
    }
}
