//! Small random scenes with whole numbers, searched by brute force.

use core::fmt::Write;

pub(crate) struct Scene {
    /// The boxes: minimum and maximum.
    pub(crate) boxes: Vec<[[i64; 2]; 2]>,
    /// Center and radius of each object, if the objects are discs.
    pub(crate) discs: Option<Vec<[i64; 3]>>,
}

/// A linear congruential generator of random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number from 0 to `below - 1`.
    pub(crate) fn below(&mut self, below: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % below
    }
}

impl Scene {
    /// Returns boxes whose minimum is in a square with a side of 100.
    pub(crate) fn boxes(seed: u64, count: usize) -> Self {
        let mut random = Random(seed);
        let mut one = || {
            let min = [random.below(100), random.below(100)];
            [min, [min[0] + random.below(7), min[1] + random.below(7)]]
        };
        Self { boxes: (0..count).map(|_| one()).collect(), discs: None }
    }

    /// Returns discs whose center is in a square with a side of 100.
    pub(crate) fn discs(seed: u64, count: usize) -> Self {
        let mut random = Random(seed);
        let mut one = || [random.below(100), random.below(100), random.below(5)];
        let discs: Vec<_> = (0..count).map(|_| one()).collect();
        let around = |[x, y, r]: [i64; 3]| [[x - r, y - r], [x + r, y + r]];
        Self { boxes: discs.iter().copied().map(around).collect(), discs: Some(discs) }
    }

    /// Returns the scene as CSV. With `side`, the ends of boxes on the first axis are reduced into
    /// `0..side`, so `min` is above `max` if a box lies across the seam.
    pub(crate) fn csv(&self, side: Option<i64>) -> String {
        let mut text = String::new();
        let home = |x: i64| side.map_or(x, |side| x.rem_euclid(side));
        if let Some(discs) = &self.discs {
            text.push_str("x,y,r\n");
            for [x, y, r] in discs {
                writeln!(text, "{x},{y},{r}").unwrap();
            }
        } else {
            text.push_str("min_x,min_y,max_x,max_y\n");
            for [min, max] in &self.boxes {
                writeln!(text, "{},{},{},{}", home(min[0]), min[1], home(max[0]), max[1]).unwrap();
            }
        }
        text
    }

    /// Returns the distance between two objects; 0 if they overlap. With `side`, the first axis
    /// wraps and has this length. If both scenes have discs, discs are measured, otherwise boxes.
    pub(crate) fn distance(&self, a: usize, other: &Self, b: usize, side: Option<i64>) -> f64 {
        if let (Some(ours), Some(theirs)) = (&self.discs, &other.discs) {
            let ([x, y, r], [u, v, s]) = (ours[a], theirs[b]);
            let gap = images(u, side).map(|u| (u - x).abs()).min().unwrap();
            return (length([gap, v - y]) - (r + s) as f64).max(0.0);
        }
        self.box_distance(a, other, b, side)
    }

    fn box_distance(&self, a: usize, other: &Self, b: usize, side: Option<i64>) -> f64 {
        let ([low, high], [min, max]) = (self.boxes[a], other.boxes[b]);
        let ends = images(min[0], side).zip(images(max[0], side));
        let gap = ends.map(|(min, max)| (min - high[0]).max(low[0] - max).max(0)).min().unwrap();
        length([gap, (min[1] - high[1]).max(low[1] - max[1]).max(0)])
    }

    /// Returns the pairs with objects of another scene whose boxes overlap, or with `within`, that
    /// are at most this distance apart.
    pub(crate) fn pairs(
        &self,
        other: &Self,
        within: Option<f64>,
        side: Option<i64>,
    ) -> Vec<[usize; 2]> {
        let mut pairs = Vec::new();
        for a in 0..self.boxes.len() {
            for b in 0..other.boxes.len() {
                let is_pair = match within {
                    Some(within) => self.distance(a, other, b, side) <= within,
                    None => self.box_distance(a, other, b, side) == 0.0,
                };
                if is_pair {
                    pairs.push([a, b]);
                }
            }
        }
        pairs
    }
}

/// Returns the images of a coordinate on an axis that may wrap.
fn images(x: i64, side: Option<i64>) -> impl Iterator<Item = i64> {
    let rounds = if side.is_some() { -2..=2 } else { 0..=0 };
    rounds.map(move |round| x + round * side.unwrap_or(0))
}

/// Returns the length of a vector: the smallest number whose square, as rounded, is not below that
/// of the vector.
fn length([x, y]: [i64; 2]) -> f64 {
    let square = (x * x + y * y) as f64;
    let root = square.sqrt();
    if root * root < square { root.next_up() } else { root }
}

pub(crate) fn lines(pairs: &[[usize; 2]]) -> String {
    pairs.iter().map(|[a, b]| format!("{a},{b}\n")).collect()
}
