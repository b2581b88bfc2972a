//! How far before a volume others may begin that overlap it, and keys as numbers.

use bounds_hexprism::{Lanes, Scalar};

/// How far before a volume others may begin that overlap it, on every axis: as far as the largest
/// of them extends on any.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    extent: f32,
    /// Whether keys are integers, not floats.
    integer: bool,
}

impl Reach {
    /// No volume is longer than `extent` on any axis; it may be infinite. `integer` says whether keys
    /// are those of integers, not of floats.
    #[must_use]
    pub fn new(extent: f64, integer: bool) -> Self {
        // Rounded to nearest: so the next one is not below it.
        let extent = if extent < f64::from(f32::MAX) { extent as f32 } else { f32::INFINITY };
        Self { extent: extent.next_up(), integer }
    }

    /// Whether it is known how far that is.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.extent < f32::INFINITY
    }

    /// The key before which no volume begins that overlaps one which begins at `key`.
    #[inline(always)]
    #[must_use]
    pub fn earliest(self, key: i32) -> i32 {
        if self.integer {
            i64::from(key).saturating_sub(self.extent as i64).max(i32::MIN.into()) as i32
        } else {
            // Holes and free places may have keys of no float. The difference is rounded to
            // nearest; the float below it is not above what is true.
            let begin = f32::of_key(key.clamp(f32::LEAST_KEY, f32::GREATEST_KEY));
            (begin - self.extent).key_below() - 1
        }
    }

    /// [`earliest`](Self::earliest) for eight keys; for integers that reach over more than half of
    /// all numbers the least key, which is safe as well.
    #[inline(always)]
    #[must_use]
    pub fn earliest_of<L: Lanes>(self, lanes: L, keys: L::I) -> L::I {
        if self.integer {
            // A difference may be below all keys, and an extent larger than that of half of them.
            let extent = self.extent as i32;
            let least = lanes.splat(i32::MIN);
            let is_far = lanes.gt(lanes.splat(i32::MIN.wrapping_add(extent)), keys);
            let near = lanes.select(is_far, least, lanes.sub(keys, lanes.splat(extent)));
            if extent == i32::MAX { least } else { near }
        } else {
            let begin = numbers(lanes, keys, false);
            let early = lanes.sub_f32(begin, lanes.splat_f32(self.extent));
            lanes.sub(flipped(lanes, lanes.f32_to_bits(early)), lanes.splat(1))
        }
    }
}

/// The numbers of keys, rounded to nearest: larger ones are never those of smaller keys.
#[inline(always)]
pub(super) fn numbers<L: Lanes>(lanes: L, keys: L::I, integer: bool) -> L::F {
    if integer {
        lanes.to_f32(keys)
    } else {
        let (least, greatest) = (lanes.splat(f32::LEAST_KEY), lanes.splat(f32::GREATEST_KEY));
        let keys = lanes.min(lanes.max(keys, least), greatest);
        lanes.f32_from_bits(flipped(lanes, keys))
    }
}

/// The keys of floats with such bits, or the bits of floats with such keys.
#[inline(always)]
fn flipped<L: Lanes>(lanes: L, bits: L::I) -> L::I {
    lanes.xor(bits, lanes.shr_logical(lanes.shr(bits, 31), 1))
}
