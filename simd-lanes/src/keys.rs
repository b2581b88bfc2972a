//! The order-preserving keys of numbers: `i32` that sort like the numbers.
//!
//! The bits of an `f32`, read as an `i32`, sort correctly for positive floats and in reverse for
//! negative ones. In negative floats, all bits but the sign are flipped: the `i32` then sorts like
//! the float and is its *key*. Kernels need only integer comparisons. An `f64` is rounded to `f32`
//! first, down for lower ends and up for upper ends; an `i32` is its own key.
//!
//! [`Keys`] is implemented for every [`Scalar`] but is not its supertrait: generic code must import
//! `Keys` to call its functions, which call those of [`NumberKeys`].

use crate::scalar::Scalar;
use crate::{HitMask, LANES, Lanes};

/// Eight intervals of numbers, converted to intervals of keys.
#[derive(Clone, Copy, Debug)]
pub struct LaneKeys<L: Lanes> {
    /// The keys of the lower ends, rounded down.
    pub low: L::I,
    /// The keys of the upper ends, rounded up.
    pub high: L::I,
    /// The lengths of the intervals; see [`Keys::key_extent`].
    pub extent: L::F,
    /// The lanes whose interval is inverted, and some lanes with a NaN or infinite end. The caller
    /// must also reject intervals with a key outside
    /// [`MIN_KEY`](Keys::MIN_KEY)`..=`[`MAX_KEY`](Keys::MAX_KEY).
    pub invalid: L::M,
}

/// The order-preserving keys of a number: `i32` that sort like the number. Implemented for every
/// [`Scalar`].
///
/// `f32` and `i32` have exact keys. An `f64` has two keys: the key of the nearest `f32` at or below
/// it, and the key of the nearest `f32` at or above it. An overlap test on keys accepts every
/// overlapping pair, and for `f64` a few pairs that do not overlap.
///
/// ```
/// use simd_lanes::Keys;
///
/// assert!((-1.5f32).key_below() < 0.25f32.key_below());
/// assert_eq!(0.25f32.key_below(), 0.25f32.key_above());
/// let between_floats = 1.0 + 1e-12f64;
/// assert!(between_floats.key_below() < between_floats.key_above());
/// assert_eq!(f32::from_key((-1.5f32).key_below()), -1.5);
/// ```
pub trait Keys: Scalar {
    /// Whether comparing keys gives the same result as comparing numbers.
    const EXACT_KEYS: bool;
    /// The key of the smallest finite number. The keys of −∞ and of NaN with sign bit are smaller.
    const MIN_KEY: i32;
    /// The key of the largest finite number. The keys of ∞ and of NaN without sign bit are larger.
    const MAX_KEY: i32;

    /// Returns the key of the largest number that has an exact key and is at most this number. The
    /// result is unspecified for NaN.
    fn key_below(self) -> i32;
    /// Returns the key of the smallest number that has an exact key and is at least this number.
    /// The result is unspecified for NaN.
    fn key_above(self) -> i32;
    /// Returns the number with this key, which must be the key of a number.
    fn from_key(key: i32) -> Self;
    /// Returns the difference of the numbers with these keys as `f32`; infinite on overflow.
    /// Requires `min <= max`.
    fn key_extent(min: i32, max: i32) -> f32;
    /// Moves the numbers of the lanes in `hits` to the front, in lane order. The remaining elements
    /// are unspecified.
    fn compress<L: Lanes>(_: L, numbers: &[Self; LANES], hits: HitMask) -> [Self; LANES];
    /// Returns the keys of eight intervals, and replaces −0 with 0 in the intervals themselves.
    fn lane_keys<L: Lanes>(
        lanes: L,
        min: &mut [Self; LANES],
        max: &mut [Self; LANES],
    ) -> LaneKeys<L>;
}

impl<S: Scalar> Keys for S {
    const EXACT_KEYS: bool = S::Keys::EXACT;
    const MIN_KEY: i32 = S::Keys::MIN;
    const MAX_KEY: i32 = S::Keys::MAX;

    #[inline(always)]
    fn key_below(self) -> i32 {
        S::Keys::below(self)
    }
    #[inline(always)]
    fn key_above(self) -> i32 {
        S::Keys::above(self)
    }
    #[inline(always)]
    fn from_key(key: i32) -> Self {
        S::Keys::number(key)
    }
    #[inline(always)]
    fn key_extent(min: i32, max: i32) -> f32 {
        S::Keys::extent(min, max)
    }
    #[inline(always)]
    fn compress<L: Lanes>(lanes: L, numbers: &[Self; LANES], hits: HitMask) -> [Self; LANES] {
        S::Keys::compress_numbers(lanes, numbers, hits)
    }
    #[inline(always)]
    fn lane_keys<L: Lanes>(
        lanes: L,
        min: &mut [Self; LANES],
        max: &mut [Self; LANES],
    ) -> LaneKeys<L> {
        S::Keys::of_intervals(lanes, min, max)
    }
}

/// The functions of [`Keys`] for one number type, without receivers.
pub trait NumberKeys: Sized {
    /// The number type.
    type Number: Scalar;

    const EXACT: bool;
    const MIN: i32;
    const MAX: i32;

    fn below(number: Self::Number) -> i32;
    fn above(number: Self::Number) -> i32;
    fn number(key: i32) -> Self::Number;
    fn extent(min: i32, max: i32) -> f32;
    #[inline(always)]
    fn compress_numbers<L: Lanes>(
        _: L,
        numbers: &[Self::Number; LANES],
        hits: HitMask,
    ) -> [Self::Number; LANES] {
        let (mut front, mut len) = ([Self::Number::ZERO; LANES], 0);
        for (lane, &number) in numbers.iter().enumerate() {
            // `len` is at most `lane`; the modulo removes the bounds check.
            front[len % LANES] = number;
            len += usize::from(hits.0 >> lane & 1);
        }
        front
    }
    #[inline(always)]
    fn of_intervals<L: Lanes>(
        lanes: L,
        min: &mut [Self::Number; LANES],
        max: &mut [Self::Number; LANES],
    ) -> LaneKeys<L> {
        let (mut low, mut high, mut invalid) = ([0; LANES], [0; LANES], [0; LANES]);
        let mut extent = [0.0; LANES];
        for lane in 0..LANES {
            (min[lane], max[lane]) = (min[lane].canonical(), max[lane].canonical());
            (low[lane], high[lane]) = (Self::below(min[lane]), Self::above(max[lane]));
            extent[lane] = Self::extent(low[lane], high[lane]);
            let good = (Self::Number::MIN <= min[lane]) & (min[lane] <= max[lane]);
            invalid[lane] = i32::from(!(good & (max[lane] <= Self::Number::MAX)));
        }
        LaneKeys {
            low: lanes.load(&low),
            high: lanes.load(&high),
            extent: lanes.load_f32(&extent),
            invalid: lanes.gt(lanes.load(&invalid), lanes.splat(0)),
        }
    }
}

/// Maps a float to its order-preserving key: if the float is negative, all bits but the sign are
/// flipped. −0 sorts just below 0, so callers replace −0 with 0 first.
#[inline(always)]
const fn key_of_f32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// Returns the float with this key: the bit flip of [`key_of_f32`] is its own inverse.
#[inline(always)]
const fn f32_of_key(key: i32) -> f32 {
    f32::from_bits((key ^ ((key >> 31) as u32 >> 1) as i32) as u32)
}

/// Computes [`key_of_f32`] in each lane.
#[inline(always)]
fn keys_of_f32<L: Lanes>(lanes: L, x: L::F) -> L::I {
    let bits = lanes.f32_to_bits(x);
    lanes.xor(bits, lanes.shr_logical(lanes.shr(bits, 31), 1))
}

impl NumberKeys for f32 {
    type Number = Self;

    const EXACT: bool = true;
    const MIN: i32 = key_of_f32(f32::MIN);
    const MAX: i32 = key_of_f32(f32::MAX);

    #[inline(always)]
    fn below(number: Self) -> i32 {
        key_of_f32(number)
    }
    #[inline(always)]
    fn above(number: Self) -> i32 {
        key_of_f32(number)
    }
    #[inline(always)]
    fn number(key: i32) -> Self {
        f32_of_key(key)
    }
    #[inline(always)]
    fn extent(min: i32, max: i32) -> f32 {
        f32_of_key(max) - f32_of_key(min)
    }
    #[inline(always)]
    fn compress_numbers<L: Lanes>(
        lanes: L,
        numbers: &[Self; LANES],
        hits: HitMask,
    ) -> [Self; LANES] {
        let (mut bits, mut front) = ([0; LANES], [0.0; LANES]);
        for (bits, number) in bits.iter_mut().zip(numbers) {
            *bits = number.to_bits() as i32;
        }
        let bits = lanes.store(lanes.compress(lanes.load(&bits), hits));
        for (number, bits) in front.iter_mut().zip(bits) {
            *number = f32::from_bits(bits as u32);
        }
        front
    }
    #[inline(always)]
    fn of_intervals<L: Lanes>(
        lanes: L,
        min: &mut [Self; LANES],
        max: &mut [Self; LANES],
    ) -> LaneKeys<L> {
        let zero = lanes.splat_f32(0.0);
        let (a, b) = (lanes.load_f32(min), lanes.load_f32(max));
        let (a, b) = (lanes.add_f32(a, zero), lanes.add_f32(b, zero));
        (*min, *max) = (lanes.store_f32(a), lanes.store_f32(b));
        let (low, high) = (keys_of_f32(lanes, a), keys_of_f32(lanes, b));
        // `invalid` may miss infinities and NaN, whose keys are outside MIN_KEY..=MAX_KEY.
        LaneKeys { low, high, extent: lanes.sub_f32(b, a), invalid: lanes.gt(low, high) }
    }
}

impl NumberKeys for f64 {
    type Number = Self;

    const EXACT: bool = false;
    const MIN: i32 = key_of_f32(f32::MIN);
    const MAX: i32 = key_of_f32(f32::MAX);

    #[inline(always)]
    fn below(number: Self) -> i32 {
        let nearest = number as f32;
        key_of_f32(if Self::from(nearest) > number { nearest.next_down() } else { nearest } + 0.0)
    }
    #[inline(always)]
    fn above(number: Self) -> i32 {
        let nearest = number as f32;
        key_of_f32(if Self::from(nearest) < number { nearest.next_up() } else { nearest } + 0.0)
    }
    #[inline(always)]
    fn number(key: i32) -> Self {
        Self::from(f32_of_key(key))
    }
    #[inline(always)]
    fn extent(min: i32, max: i32) -> f32 {
        f32_of_key(max) - f32_of_key(min)
    }
}

impl NumberKeys for i32 {
    type Number = Self;

    const EXACT: bool = true;
    const MIN: i32 = Self::MIN;
    const MAX: i32 = Self::MAX;

    #[inline(always)]
    fn below(number: Self) -> i32 {
        number
    }
    #[inline(always)]
    fn above(number: Self) -> i32 {
        number
    }
    #[inline(always)]
    fn number(key: i32) -> Self {
        key
    }
    #[inline(always)]
    fn extent(min: i32, max: i32) -> f32 {
        max.wrapping_sub(min) as u32 as f32
    }
    #[inline(always)]
    fn compress_numbers<L: Lanes>(
        lanes: L,
        numbers: &[Self; LANES],
        hits: HitMask,
    ) -> [Self; LANES] {
        lanes.store(lanes.compress(lanes.load(numbers), hits))
    }
}
