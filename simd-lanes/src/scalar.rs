//! The numbers coordinates are made of: `f32`, `f64` and `i32`.

use core::fmt::{Debug, Display};

use crate::measure::Measure;
use crate::{HitMask, LANES, Lanes};

/// Eight intervals of numbers as intervals of keys, and what is to be known about them.
#[derive(Clone, Copy, Debug)]
pub struct LaneKeys<L: Lanes> {
    /// The keys of the lower ends, rounded down.
    pub low: L::I,
    /// The keys of the upper ends, rounded up.
    pub high: L::I,
    /// How long the intervals of keys are, as [`Scalar::key_extent`] says.
    pub extent: L::F,
    /// Which of them are inverted, NaN or infinite; but for those of which one key is beyond the keys
    /// of all numbers, [`LEAST_KEY`](Scalar::LEAST_KEY) and [`GREATEST_KEY`](Scalar::GREATEST_KEY).
    pub invalid: L::M,
}

/// A coordinate: `f32`, `f64` or `i32`. Sealed.
///
/// Besides plain arithmetic it knows the *order-preserving key*: an `i32` that sorts as the
/// number does, so that kernels compare integers whatever the coordinates are. `f32` and `i32`
/// have exact keys; `f64` has one at or below and one at or above the number, so that a test on
/// keys accepts at least what the numbers would.
///
/// ```
/// use simd_lanes::Scalar;
///
/// assert!((-1.5f32).key_below() < 0.25f32.key_below());
/// assert_eq!(0.25f32.key_below(), 0.25f32.key_above());
/// let between_floats = 1.0 + 1e-12f64;
/// assert!(between_floats.key_below() < between_floats.key_above());
/// assert_eq!(i32::MAX.plus(1), i32::MAX);
/// assert_eq!(f32::of_key((-1.5f32).key_below()), -1.5);
/// assert!(1f64.next_above() > 1.0);
/// ```
pub trait Scalar:
    Copy + PartialEq + PartialOrd + Default + Debug + Display + Send + Sync + Measure + 'static
{
    /// `"f32"`, `"f64"` or `"i32"`.
    const NAME: &'static str;
    /// Whether it is a [`Number`].
    #[doc(hidden)]
    const COMPILED: bool;
    /// 0.
    const ZERO: Self;
    /// The smallest finite number.
    const MIN: Self;
    /// The largest finite number.
    const MAX: Self;
    /// Whether comparing keys decides what comparing numbers would.
    const EXACT_KEYS: bool;
    /// Whether it has no fractions.
    const INTEGER: bool;
    /// The key of the smallest finite number; keys of −∞ and of some NaN are below.
    const LEAST_KEY: i32;
    /// The key of the largest finite number; keys of ∞ and of the other NaN are above.
    const GREATEST_KEY: i32;

    /// Whether it is a number: not NaN, not infinite. Integers always are.
    fn is_finite(self) -> bool;
    /// The number with −0 turned into 0.
    #[must_use]
    fn canonical(self) -> Self;
    /// The sum; integers stop at the ends of their range, floats may become infinite.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// The difference; integers stop at the ends of their range, floats may become infinite.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// The number in the middle of the two, without overflow; integers round towards zero.
    #[must_use]
    fn middle(self, other: Self) -> Self;
    /// Half of `other - self` for `self <= other`, without overflow; integers round up and stop
    /// at the end of their range.
    #[must_use]
    fn half_way(self, other: Self) -> Self;
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
    /// The nearest number of this type, ties to even; the ends of the range beyond it, and 0 for
    /// NaN, if integer.
    fn from_f64(x: f64) -> Self;

    /// The key of the number, or of the nearest one below that has a key. Not for NaN.
    fn key_below(self) -> i32;
    /// The key of the number, or of the nearest one above that has a key. Not for NaN.
    fn key_above(self) -> i32;
    /// The number with this key. Only for keys that a number gave.
    fn of_key(key: i32) -> Self;
    /// How far it is from the number of one key to that of another, for `min <= max`, as the
    /// nearest `f32`; infinite where that is no number.
    fn key_extent(min: i32, max: i32) -> f32;
    /// The numbers that `hits` names, moved to the front in their order; the others are anything.
    #[inline(always)]
    fn compress<L: Lanes>(_: L, numbers: &[Self; LANES], hits: HitMask) -> [Self; LANES] {
        let (mut front, mut len) = ([Self::ZERO; LANES], 0);
        for (lane, &number) in numbers.iter().enumerate() {
            // Never more than there are lanes before this one.
            front[len % LANES] = number;
            len += usize::from(hits.0 >> lane & 1);
        }
        front
    }
    /// The keys of eight intervals; −0 in them becomes 0.
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
    /// The largest number below; integers and the smallest number stop at the end of the range,
    /// floats become infinite there.
    #[must_use]
    fn next_below(self) -> Self;
    /// The smallest number above, mirrored from [`next_below`](Self::next_below).
    #[must_use]
    fn next_above(self) -> Self;
}

/// A [`Scalar`] for which worlds and structures are compiled: `f32`, with feature `f64` also `f64`,
/// with feature `i32` also `i32`.
///
/// Each costs time at the first build, and nothing at later ones. Features are unified: it is enough
/// that one crate of a program enables them.
///
/// ```
/// fn sum<S: simd_lanes::Number>(a: S, b: S) -> S {
///     a.plus(b)
/// }
/// assert_eq!(sum(1.0f32, 2.0), 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number type that is compiled",
    label = "needs a feature",
    note = "`f32` is always compiled; generic code needs the bound `Number`; for `f64` or `i32` enable the feature of that name, as in \
            `cargo add hexphase --features f64`"
)]
pub trait Number: Scalar {}

impl Number for f32 {}
#[cfg(feature = "f64")]
impl Number for f64 {}
#[cfg(feature = "i32")]
impl Number for i32 {}

/// Maps floats to integers that sort alike: negative ones have all bits but the sign flipped.
/// −0 sorts just below 0, so callers make it 0 first.
#[inline(always)]
const fn key_of_f32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// The float with this key: the same flip undoes itself, as it leaves the sign alone.
#[inline(always)]
const fn f32_of_key(key: i32) -> f32 {
    f32::from_bits((key ^ ((key >> 31) as u32 >> 1) as i32) as u32)
}

/// [`key_of_f32`] in lanes.
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
    const LEAST_KEY: i32 = key_of_f32(f32::MIN);
    const GREATEST_KEY: i32 = key_of_f32(f32::MAX);

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
    fn of_key(key: i32) -> Self {
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
        // Keys of infinities and NaN are beyond those of all numbers.
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
    const LEAST_KEY: i32 = key_of_f32(f32::MIN);
    const GREATEST_KEY: i32 = key_of_f32(f32::MAX);

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
    fn of_key(key: i32) -> Self {
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
    const LEAST_KEY: i32 = Self::MIN;
    const GREATEST_KEY: i32 = Self::MAX;

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
        // Adding and taking away 1.5 · 2^52 rounds to an integer, ties to even; from 2^51 on
        // the number is far out of range anyway.
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
    fn of_key(key: i32) -> Self {
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
