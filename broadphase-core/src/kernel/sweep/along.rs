//! Which volumes a straight way may touch: a quick look at eight of them, which saves most exact
//! tests.

use core::marker::PhantomData;

use bounds_hexprism::{Aabb, HitMask, LANES, Lanes, Scalar, SlabPlanes, array_of};

use crate::kernel::within::Gate;

/// What rounding may make of sums of products, here and where it is decided: 2^-18 of their parts.
const ROUNDING: f32 = 1.0 / (1 << 18) as f32;
/// By how much a number may change on its way to `f32`, generously: 2^-21 of it.
const NARROWING: f64 = 1.0 / (1 << 21) as f64;
/// Smaller parts of a way, 2^-100 of the longest, are not told from each other.
const LITTLE: f64 = 1.0 / (1u128 << 100) as f64;

/// The way of a box, in `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Line<const K: usize> {
    /// The box at its beginning.
    min: [f32; K],
    max: [f32; K],
    /// Where it goes: 1 on the axis where that is farthest, NaN where it is not known.
    way: [f32; K],
    /// What the box may be wrong by.
    error: [f32; K],
    /// What is not told apart however small it is.
    least: f32,
}

impl<const K: usize> Line<K> {
    /// The way of a box; one that is 0 or not finite touches everything.
    #[must_use]
    pub fn new<S: Scalar>(start: &Aabb<S, K>, way: &[f64; K]) -> Self {
        let longest = way.iter().fold(0.0, |longest: f64, way| longest.max(way.abs()));
        let is_known = longest > 0.0 && longest < f64::INFINITY;
        // Floats of 32 bits stay what they are.
        let narrowing = if S::INTEGER || !S::EXACT_KEYS { NARROWING } else { 0.0 };
        let (min, max) = (
            array_of::<f64, K>(|axis| start.min[axis].to_f64()),
            array_of::<f64, K>(|axis| start.max[axis].to_f64()),
        );
        Self {
            min: array_of(|axis| min[axis] as f32),
            max: array_of(|axis| max[axis] as f32),
            way: way.map(|way| {
                let part = if is_known { way / longest } else { 0.0 };
                if part != 0.0 && part.abs() < LITTLE { f32::NAN } else { part as f32 }
            }),
            // Where fractions are hardly numbers, whatever may be touched is. Numbers below normal
            // ones are kept out of it: they take processors long.
            least: ((4.0 * longest * S::LEAST_FRACTION + f64::MIN_POSITIVE / longest.min(1.0))
                * 2.0
                + f64::from(f32::MIN_POSITIVE)) as f32,
            error: array_of(|axis| (min[axis].abs().max(max[axis].abs()) * narrowing) as f32),
        }
    }
}

/// Lets those volumes through that a way may touch: seen along any axis, the way is a line in a
/// plane, and what separates it from a box is how far the corners are from it. What is no number
/// here separates nothing.
#[derive(Debug)]
pub struct Along<'a, S, const K: usize> {
    /// The volumes.
    pub planes: SlabPlanes<'a, K>,
    /// The way.
    pub line: &'a Line<K>,
    /// Whose keys they are.
    pub scalar: PhantomData<S>,
}

impl<S, const K: usize> Clone for Along<'_, S, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, const K: usize> Copy for Along<'_, S, K> {}

impl<L: Lanes, S: Scalar, const K: usize> Gate<L> for Along<'_, S, K> {
    #[inline(always)]
    fn open(self, lanes: L, _: usize, at: usize) -> HitMask {
        let Line { min, max, way, error, least } = self.line;
        let none = [0; LANES];
        let (mut lows, mut highs) = ([&none; K], [&none; K]);
        let mut axis = 0;
        while axis < K {
            let eight = "eight volumes from the place on";
            lows[axis] = self.planes.min[axis][at..].first_chunk().expect(eight);
            highs[axis] = self.planes.max[axis][at..].first_chunk().expect(eight);
            axis += 1;
        }
        let mut separate = [0; LANES];
        for (lane, separate) in separate.iter_mut().enumerate() {
            let (mut middle, mut half) = ([0.0; K], [0.0; K]);
            let mut axis = 0;
            while axis < K {
                let low = number::<S>(lows[axis][lane]) - max[axis];
                let high = number::<S>(highs[axis][lane]) - min[axis];
                middle[axis] = (low + high) * 0.5;
                half[axis] = (high - low) * 0.5 + error[axis];
                axis += 1;
            }
            let mut b = 1;
            while b < K {
                let mut a = 0;
                while a < b {
                    let off = (way[a] * middle[b] - way[b] * middle[a]).abs();
                    let (x, y) = (way[a].abs(), way[b].abs());
                    let reach = x * half[b] + y * half[a];
                    let all = x * middle[b].abs() + y * middle[a].abs() + reach;
                    let error = all * ROUNDING + least;
                    *separate |= i32::from(off > reach + error);
                    a += 1;
                }
                b += 1;
            }
        }
        !lanes.movemask(lanes.gt(lanes.load(&separate), lanes.splat(0)))
    }
}

/// The number of a key, about.
#[inline(always)]
fn number<S: Scalar>(key: i32) -> f32 {
    S::of_key(key).to_f64() as f32
}
