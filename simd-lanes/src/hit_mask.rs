//! The set of lanes that hit, as a bit mask, and an iterator over them.

use core::ops::{BitAnd, Not};

/// A set of lanes, one bit per lane: bit `i` is set if lane `i` hit.
///
/// ```
/// use simd_lanes::HitMask;
///
/// let hits = HitMask(0b0010_0101);
/// assert_eq!(hits.into_iter().collect::<Vec<_>>(), [0, 2, 5]);
/// assert_eq!((hits & HitMask::first(5)).count(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HitMask(
    /// The bits; lane 0 is the lowest.
    pub u8,
);

impl HitMask {
    /// The mask without any lane.
    pub const NONE: Self = Self(0);
    /// The mask of all eight lanes.
    pub const ALL: Self = Self(0xff);

    /// Returns the mask of the first `lanes` lanes; of all lanes if `lanes` is 8 or more.
    #[inline(always)]
    #[must_use]
    pub const fn first(lanes: usize) -> Self {
        Self(if lanes >= 8 { 0xff } else { (1 << lanes) - 1 })
    }

    /// Returns the mask of the lanes from `lane` on; empty if `lane` is 8 or more.
    #[inline(always)]
    #[must_use]
    pub const fn from(lane: usize) -> Self {
        Self(!Self::first(lane).0)
    }

    /// Returns whether no lane hit.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of lanes that hit.
    #[inline(always)]
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }
}

impl BitAnd for HitMask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for HitMask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl IntoIterator for HitMask {
    type Item = usize;
    type IntoIter = HitLanes;

    #[inline(always)]
    fn into_iter(self) -> HitLanes {
        HitLanes(self.0)
    }
}

/// Iterator over the lanes of a [`HitMask`], ascending.
#[derive(Clone, Debug)]
pub struct HitLanes(u8);

impl Iterator for HitLanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}
