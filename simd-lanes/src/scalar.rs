//! The number types of coordinates, `f32`, `f64` and `i32`, and their order-preserving keys.
//!
//! The bits of an `f32`, read as an `i32`, sort correctly for positive floats and in reverse for
//! negative ones. Flipping all bits but the sign of the negative ones gives an `i32` that sorts
//! like the float: its *key*. Kernels then need only integer comparisons. An `f64` is rounded to
//! `f32` first, down for lower ends and up for upper ends; an `i32` is its own key.

use core::fmt::{Debug, Display};

use crate::measure::Measure;
use crate::{HitMask, LANES, Lanes};

/// Eight intervals of numbers, converted to intervals of keys.
#[derive(Clone, Copy, Debug)]
pub struct LaneKeys<L: Lanes> {
    /// The keys of the lower ends, rounded down.
    pub low: L::I,
    /// The keys of the upper ends, rounded up.
    pub high: L::I,
    /// The lengths of the intervals; see [`Scalar::key_extent`].
    pub extent: L::F,
    /// The lanes whose interval is inverted, and some lanes with a NaN or infinite end. An
    /// interval with a key outside [`MIN_KEY`](Scalar::MIN_KEY)`..=`[`MAX_KEY`](Scalar::MAX_KEY) is
    /// invalid too, and the caller must check for this.
    pub invalid: L::M,
}

/// The type of a coordinate: `f32`, `f64` or `i32`. Sealed.
///
/// In addition to arithmetic, each number has an *order-preserving key*: an `i32` that sorts like
/// the number, so kernels compare integers for all three types. `f32` and `i32` have exact keys. An
/// `f64` has two keys, one for the nearest `f32` at or below the number and one for the nearest at
/// or above. An overlap test on keys accepts every overlapping pair, and a few pairs that do not
/// overlap.
///
/// ```
/// use simd_lanes::Scalar;
///
/// assert!((-1.5f32).key_below() < 0.25f32.key_below());
/// assert_eq!(0.25f32.key_below(), 0.25f32.key_above());
/// let between_floats = 1.0 + 1e-12f64;
/// assert!(between_floats.key_below() < between_floats.key_above());
/// assert_eq!(i32::MAX.plus(1), i32::MAX);
/// assert_eq!(f32::from_key((-1.5f32).key_below()), -1.5);
/// assert!(1f64.next_above() > 1.0);
/// ```
pub trait Scalar:
    Copy + PartialEq + PartialOrd + Default + Debug + Display + Send + Sync + Measure + 'static
{
    /// The name of the type: `"f32"`, `"f64"` or `"i32"`.
    const NAME: &'static str;
    /// Whether structures are compiled for this type, that is, whether the type is a [`Number`].
    #[doc(hidden)]
    const COMPILED: bool;
    /// The number 0.
    const ZERO: Self;
    /// The smallest finite number.
    const MIN: Self;
    /// The largest finite number.
    const MAX: Self;
    /// Whether comparing keys gives the same result as comparing numbers.
    const EXACT_KEYS: bool;
    /// Whether the type is an integer type.
    const INTEGER: bool;
    /// The key of the smallest finite number. The keys of −∞ and of NaN with the sign bit are
    /// below.
    const MIN_KEY: i32;
    /// The key of the largest finite number. The keys of ∞ and of NaN without sign bit are above.
    const MAX_KEY: i32;

    /// Returns whether this is neither NaN nor infinite; always `true` for integers.
    fn is_finite(self) -> bool;
    /// Returns the number, with −0 replaced by 0.
    #[must_use]
    fn canonical(self) -> Self;
    /// Returns the sum. Integers saturate, floats may become infinite.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Returns the difference. Integers saturate, floats may become infinite.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// Returns the midpoint of the two numbers, without overflow. Integers round towards zero.
    #[must_use]
    fn middle(self, other: Self) -> Self;
    /// Returns half of `other - self`, without overflow. Requires `self <= other`. Integers round
    /// up and saturate.
    #[must_use]
    fn half_way(self, other: Self) -> Self;
    /// Converts to the nearest `f64`; exact for all three types.
    fn to_f64(self) -> f64;
    /// Converts to the nearest number of this type, ties to even. An integer saturates,
    /// and is 0 for NaN; floats keep NaN.
    fn from_f64(x: f64) -> Self;

    /// Returns the key of the largest number that has a key and is not above this one. Unspecified
    /// for NaN.
    fn key_below(self) -> i32;
    /// Returns the key of the smallest number that has a key and is not below this one. Unspecified
    /// for NaN.
    fn key_above(self) -> i32;
    /// Returns the number with this key. The result is meaningful only for keys that were made from
    /// a number.
    fn from_key(key: i32) -> Self;
    /// Returns the difference of the numbers with these keys, rounded to `f32`; infinite if it
    /// overflows. Requires `min <= max`.
    fn key_extent(min: i32, max: i32) -> f32;
    /// Moves the numbers of the lanes in `hits` to the front, in lane order. The remaining elements
    /// are unspecified.
    #[inline(always)]
    fn compress<L: Lanes>(_: L, numbers: &[Self; LANES], hits: HitMask) -> [Self; LANES] {
        let (mut front, mut len) = ([Self::ZERO; LANES], 0);
        for (lane, &number) in numbers.iter().enumerate() {
            // `len` is at most `lane`; the modulo removes the bounds check.
            front[len % LANES] = number;
            len += usize::from(hits.0 >> lane & 1);
        }
        front
    }
    /// Returns the keys of eight intervals, and replaces −0 by 0 in the intervals themselves.
    #[inline(always)]
    fn lane_keys<L: Lanes>(
        lanes: L,
        min: &mut [Self; LANES],
        max: &mut [Self; LANES],
    ) -> LaneKeys<L> {
        let (mut low, mut high, mut invalid) = ([0; LANES], [0; LANES], [0; LANES]);
        let mut extent = [0.0; LANES];
        for lane in 0..LANES {
            (min[lane], max[lane]) = (min[lane].canonical(), max[lane].canonical());
            (low[lane], high[lane]) = (min[lane].key_below(), max[lane].key_above());
            extent[lane] = Self::key_extent(low[lane], high[lane]);
            let good = (Self::MIN <= min[lane]) & (min[lane] <= max[lane]);
            invalid[lane] = i32::from(!(good & (max[lane] <= Self::MAX)));
        }
        LaneKeys {
            low: lanes.load(&low),
            high: lanes.load(&high),
            extent: lanes.load_f32(&extent),
            invalid: lanes.gt(lanes.load(&invalid), lanes.splat(0)),
        }
    }
    /// Returns the largest number below this one. At the end of the range integers saturate and
    /// floats become infinite.
    #[must_use]
    fn next_below(self) -> Self;
    /// Returns the smallest number above this one. At the end of the range integers saturate and
    /// floats become infinite.
    #[must_use]
    fn next_above(self) -> Self;
}

/// A [`Scalar`] for which worlds and structures are compiled: `f32`, and `f64` and `i32` if the
/// feature of that name is enabled.
///
/// Each type makes the first build longer and leaves later builds unchanged. Cargo unifies
/// features: it is enough that one crate of a program enables them.
///
/// ```
/// fn sum<S: simd_lanes::Number>(a: S, b: S) -> S {
///     a.plus(b)
/// }
/// assert_eq!(sum(1.0f32, 2.0), 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a compiled number type",
    label = "needs a feature",
    note = "`f32` is always compiled; generic code needs the bound `Number`; for `f64` or `i32` enable the feature of that name: \
            `cargo add hexphase --features f64`"
)]
pub trait Number: Scalar {}

impl Number for f32 {}
#[cfg(feature = "f64")]
impl Number for f64 {}
#[cfg(feature = "i32")]
impl Number for i32 {}

/// Maps a float to its order-preserving key: all bits but the sign are flipped if it is negative.
/// −0 sorts just below 0, so callers replace it by 0 first.
#[inline(always)]
const fn key_of_f32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// Returns the float with this key. The flip of [`key_of_f32`] keeps the sign, so it is its own
/// inverse.
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

impl Scalar for f32 {
    const NAME: &'static str = "f32";
    const COMPILED: bool = true;
    const ZERO: Self = 0.0;
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const EXACT_KEYS: bool = true;
    const INTEGER: bool = false;
    const MIN_KEY: i32 = key_of_f32(f32::MIN);
    const MAX_KEY: i32 = key_of_f32(f32::MAX);

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        self + 0.0
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn middle(self, other: Self) -> Self {
        self.midpoint(other)
    }
    #[inline(always)]
    fn half_way(self, other: Self) -> Self {
        other * 0.5 - self * 0.5
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn key_below(self) -> i32 {
        key_of_f32(self)
    }
    #[inline(always)]
    fn key_above(self) -> i32 {
        key_of_f32(self)
    }
    #[inline(always)]
    fn from_key(key: i32) -> Self {
        f32_of_key(key)
    }
    #[inline(always)]
    fn key_extent(min: i32, max: i32) -> f32 {
        f32_of_key(max) - f32_of_key(min)
    }
    #[inline(always)]
    fn compress<L: Lanes>(lanes: L, numbers: &[Self; LANES], hits: HitMask) -> [Self; LANES] {
        let (mut bits, mut front) = ([0; LANES], [0.0; LANES]);
        for (bits, number) in bits.iter_mut().zip(numbers) {
            *bits = number.to_bits() as i32;
        }
        let bits = lanes.store(lanes.compress(lanes.load(&bits), hits));
        for (number, bits) in front.iter_mut().zip(bits) {
            *number = Self::from_bits(bits as u32);
        }
        front
    }
    #[inline(always)]
    fn lane_keys<L: Lanes>(
        lanes: L,
        min: &mut [Self; LANES],
        max: &mut [Self; LANES],
    ) -> LaneKeys<L> {
        let zero = lanes.splat_f32(0.0);
        let (a, b) = (lanes.load_f32(min), lanes.load_f32(max));
        let (a, b) = (lanes.add_f32(a, zero), lanes.add_f32(b, zero));
        (*min, *max) = (lanes.store_f32(a), lanes.store_f32(b));
        let (low, high) = (keys_of_f32(lanes, a), keys_of_f32(lanes, b));
        // `invalid` may miss infinities and NaN: their keys are outside MIN_KEY..=MAX_KEY, which
        // the caller checks.
        LaneKeys { low, high, extent: lanes.sub_f32(b, a), invalid: lanes.gt(low, high) }
    }
    #[inline(always)]
    fn next_below(self) -> Self {
        self.next_down()
    }
    #[inline(always)]
    fn next_above(self) -> Self {
        self.next_up()
    }
}

impl Scalar for f64 {
    const NAME: &'static str = "f64";
    const COMPILED: bool = cfg!(feature = "f64");
    const ZERO: Self = 0.0;
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const EXACT_KEYS: bool = false;
    const INTEGER: bool = false;
    const MIN_KEY: i32 = key_of_f32(f32::MIN);
    const MAX_KEY: i32 = key_of_f32(f32::MAX);

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        self + 0.0
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn middle(self, other: Self) -> Self {
        self.midpoint(other)
    }
    #[inline(always)]
    fn half_way(self, other: Self) -> Self {
        other * 0.5 - self * 0.5
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn key_below(self) -> i32 {
        let nearest = self as f32;
        key_of_f32(if Self::from(nearest) > self { nearest.next_down() } else { nearest } + 0.0)
    }
    #[inline(always)]
    fn key_above(self) -> i32 {
        let nearest = self as f32;
        key_of_f32(if Self::from(nearest) < self { nearest.next_up() } else { nearest } + 0.0)
    }
    #[inline(always)]
    fn from_key(key: i32) -> Self {
        Self::from(f32_of_key(key))
    }
    #[inline(always)]
    fn key_extent(min: i32, max: i32) -> f32 {
        f32_of_key(max) - f32_of_key(min)
    }
    #[inline(always)]
    fn next_below(self) -> Self {
        self.next_down()
    }
    #[inline(always)]
    fn next_above(self) -> Self {
        self.next_up()
    }
}

impl Scalar for i32 {
    const NAME: &'static str = "i32";
    const COMPILED: bool = cfg!(feature = "i32");
    const ZERO: Self = 0;
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const EXACT_KEYS: bool = true;
    const INTEGER: bool = true;
    const MIN_KEY: i32 = Self::MIN;
    const MAX_KEY: i32 = Self::MAX;

    #[inline(always)]
    fn is_finite(self) -> bool {
        true
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
    #[inline(always)]
    fn middle(self, other: Self) -> Self {
        self.midpoint(other)
    }
    #[inline(always)]
    fn half_way(self, other: Self) -> Self {
        let half = (i64::from(other) - i64::from(self) + 1) / 2;
        if half > i64::from(Self::MAX) { Self::MAX } else { half as Self }
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        // Adding and subtracting 1.5 · 2^52 rounds to an integer, ties to even. Numbers from 2^51
        // on are out of the range of `i32`, and the cast saturates.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        if x > -2_251_799_813_685_248.0 && x < 2_251_799_813_685_248.0 {
            (x + ROUND - ROUND) as Self
        } else {
            x as Self
        }
    }
    #[inline(always)]
    fn key_below(self) -> i32 {
        self
    }
    #[inline(always)]
    fn key_above(self) -> i32 {
        self
    }
    #[inline(always)]
    fn from_key(key: i32) -> Self {
        key
    }
    #[inline(always)]
    fn key_extent(min: i32, max: i32) -> f32 {
        max.wrapping_sub(min) as u32 as f32
    }
    #[inline(always)]
    fn compress<L: Lanes>(lanes: L, numbers: &[Self; LANES], hits: HitMask) -> [Self; LANES] {
        lanes.store(lanes.compress(lanes.load(numbers), hits))
    }
    #[inline(always)]
    fn next_below(self) -> Self {
        self.saturating_sub(1)
    }
    #[inline(always)]
    fn next_above(self) -> Self {
        self.saturating_add(1)
    }
}
