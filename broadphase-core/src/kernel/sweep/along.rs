//! Conservative test of eight volumes against a straight path: accepts all volumes that the path
//! touches, and few others, which leaves few exact tests.

use core::marker::PhantomData;

use bounds_hexprism::{Aabb, HitMask, Keys, LANES, Lanes, Scalar, SlabPlanes, array_of};

use crate::kernel::within::Gate;

/// Maximum error when products are added: 2^-18 times the sum of their absolute values.
const ROUNDING: f32 = 1.0 / (1 << 18) as f32;
/// Upper bound of the relative error of a conversion to `f32`: 2^-21.
const NARROWING: f64 = 1.0 / (1 << 21) as f64;
/// Components below 2^-100 of the longest component of a direction are treated as unknown.
const MIN_COMPONENT: f64 = 1.0 / (1u128 << 100) as f64;

/// Path of a moving box, with coordinates in `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Line<const K: usize> {
    min: [f32; K],
    max: [f32; K],
    /// Direction: 1 on the axis of the longest component, NaN where unknown.
    way: [f32; K],
    /// Maximum rounding error of the coordinates of the box, per axis.
    error: [f32; K],
    /// Constant part of the rounding error, independent of the size of its terms.
    least: f32,
}

impl<const K: usize> Line<K> {
    /// Creates the line of a box moving by `way`. If `way` is zero or not finite, the test accepts
    /// every volume.
    #[must_use]
    pub fn new<S: Scalar>(start: &Aabb<S, K>, way: &[f64; K]) -> Self {
        let longest = way.iter().fold(0.0, |longest: f64, way| longest.max(way.abs()));
        let is_valid = longest > 0.0 && longest < f64::INFINITY;
        // Coordinates of type `f32` are converted without error.
        let narrowing = if S::INTEGER || !S::EXACT_KEYS { NARROWING } else { 0.0 };
        let (min, max) = (
            array_of::<f64, K>(|axis| start.min[axis].to_f64()),
            array_of::<f64, K>(|axis| start.max[axis].to_f64()),
        );
        Self {
            min: array_of(|axis| min[axis] as f32),
            max: array_of(|axis| max[axis] as f32),
            way: way.map(|way| {
                let part = if is_valid { way / longest } else { 0.0 };
                if part != 0.0 && part.abs() < MIN_COMPONENT { f32::NAN } else { part as f32 }
            }),
            // Where fractions underflow, every volume that may be touched is accepted. Denormal
            // numbers are avoided: processors are slow with them.
            least: ((4.0 * longest * S::FRACTION_ERROR_NEAR_ZERO
                + f64::MIN_POSITIVE / longest.min(1.0))
                * 2.0
                + f64::from(f32::MIN_POSITIVE)) as f32,
            error: array_of(|axis| (min[axis].abs().max(max[axis].abs()) * narrowing) as f32),
        }
    }
}

/// Gate that accepts the volumes a path may touch. In the plane of each pair of axes, a box is
/// rejected if its center is farther from the path than the box reaches in that direction (a
/// separating axis). NaN rejects nothing.
#[derive(Debug)]
pub struct Along<'a, S, const K: usize> {
    pub planes: SlabPlanes<'a, K>,
    pub line: &'a Line<K>,
    /// The number type of the coordinates.
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
            let eight = "eight volumes from `at` on";
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

/// Returns the coordinate of a key, rounded to `f32`.
#[inline(always)]
fn number<S: Scalar>(key: i32) -> f32 {
    S::from_key(key).to_f64() as f32
}
