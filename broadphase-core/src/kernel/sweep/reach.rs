//! Reach: the maximum distance between the low ends of overlapping volumes, on any axis.

use bounds_hexprism::{Keys, Lanes};

/// Maximum distance between the low ends of overlapping volumes: the largest extent on any axis.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    extent: f32,
    /// Set if the coordinates are integers, not floats.
    integer: bool,
}

impl Reach {
    /// Creates the reach of volumes from their maximum extent on any axis, which may be infinite.
    /// `integer` is set if coordinates are integers, not floats.
    #[must_use]
    pub fn new(extent: f64, integer: bool) -> Self {
        // The conversion rounds to nearest; the next number up is not below the extent.
        let extent = if extent < f64::from(f32::MAX) { extent as f32 } else { f32::INFINITY };
        Self { extent: extent.next_up(), integer }
    }

    /// Returns whether the extent is bounded.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.extent < f32::INFINITY
    }

    /// Returns a lower bound of the low ends of all volumes that overlap one beginning at `key`.
    #[inline(always)]
    #[must_use]
    pub fn earliest(self, key: i32) -> i32 {
        if self.integer {
            i64::from(key).saturating_sub(self.extent as i64).max(i32::MIN.into()) as i32
        } else {
            // The key may be that of a hole, which belongs to no float: clamp it. The difference is
            // rounded to nearest; the float below it is not above the exact difference.
            let begin = f32::from_key(key.clamp(f32::MIN_KEY, f32::MAX_KEY));
            (begin - self.extent).key_below() - 1
        }
    }

    /// Returns [`earliest`](Self::earliest) for eight keys: the smallest key, a valid lower bound,
    /// if coordinates are integers and the extent is about 2^31 or more.
    #[inline(always)]
    #[must_use]
    pub fn earliest_of<L: Lanes>(self, lanes: L, keys: L::I) -> L::I {
        if self.integer {
            // The difference may be below the smallest key, and the extent above half the range of
            // keys; then it is saturated at `i32::MAX`.
            let extent = self.extent as i32;
            let least = lanes.splat(i32::MIN);
            let underflows = lanes.gt(lanes.splat(i32::MIN.wrapping_add(extent)), keys);
            let near = lanes.select(underflows, least, lanes.sub(keys, lanes.splat(extent)));
            if extent == i32::MAX { least } else { near }
        } else {
            let begin = numbers(lanes, keys, false);
            let early = lanes.sub_f32(begin, lanes.splat_f32(self.extent));
            lanes.sub(flipped(lanes, lanes.f32_to_bits(early)), lanes.splat(1))
        }
    }
}

/// Returns the coordinates of keys, rounded to nearest `f32`; the map is monotone.
#[inline(always)]
pub(super) fn numbers<L: Lanes>(lanes: L, keys: L::I, integer: bool) -> L::F {
    if integer {
        lanes.to_f32(keys)
    } else {
        let (least, greatest) = (lanes.splat(f32::MIN_KEY), lanes.splat(f32::MAX_KEY));
        let keys = lanes.min(lanes.max(keys, least), greatest);
        lanes.f32_from_bits(flipped(lanes, keys))
    }
}

/// Maps bits of floats to keys, or keys to bits: its own inverse.
#[inline(always)]
pub(crate) fn flipped<L: Lanes>(lanes: L, bits: L::I) -> L::I {
    lanes.xor(bits, lanes.shr_logical(lanes.shr(bits, 31), 1))
}
