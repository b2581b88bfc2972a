//! Morton codes: the interleaved coordinate bits of a cell.
//!
//! ```text
//! D = 2:  x = …x2 x1 x0   y = …y2 y1 y0   code = …y2 x2 y1 x1 y0 x0    32 bits an axis
//! D = 3:  …and z                          code = …z1 y1 x1 z0 y0 x0    21 bits an axis
//! ```

use core::ops::RangeInclusive;

use broadphase_core::spread_bits;

/// The Morton code of a cell in `D` dimensions, 1, 2 or 3.
///
/// Coordinates have 32 bits each in one and two dimensions, 21 in three. Codes compare in Morton
/// order. The *level* of a cell of side 2^n is n. Its codes are contiguous: they differ only in the
/// lowest `D` · n bits.
///
/// Source of the bit spreading with magic masks: Sean Eron Anderson, "Bit Twiddling Hacks".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code<const D: usize>(u64);

impl<const D: usize> Code<D> {
    const DIMENSIONS: () = assert!(1 <= D && D <= 3, "codes have one, two or three dimensions");

    /// Number of bits per coordinate.
    pub const BITS: u32 = if D == 3 { 21 } else { 32 };

    /// Returns the code of a cell. Coordinate bits from [`BITS`](Self::BITS) up are dropped.
    #[inline]
    #[must_use]
    pub fn encode(cell: [u32; D]) -> Self {
        const { Self::DIMENSIONS };
        let mut code = 0;
        for (axis, x) in cell.into_iter().enumerate() {
            code |= spread_bits::<D>(u64::from(x)) << axis;
        }
        Self(code)
    }

    /// Returns the cell of the code.
    #[inline]
    #[must_use]
    pub fn decode(self) -> [u32; D] {
        core::array::from_fn(|axis| compact::<D>(self.0 >> axis) as u32)
    }

    /// Returns the code as a number.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Creates the code with this number, without bits that no code has.
    ///
    /// ```
    /// use broadphase_morton::Code;
    ///
    /// let code = Code::encode([5, 9, 2]);
    /// assert_eq!(Code::from_bits(code.bits()), code);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        const { Self::DIMENSIONS };
        Self(bits & Self::low_bits(Self::BITS))
    }

    /// Returns the first code of the cell of side 2^`level` that contains this code: the whole
    /// world from level [`BITS`](Self::BITS) up.
    #[inline]
    #[must_use]
    pub const fn parent(self, level: u32) -> Self {
        Self(self.0 & !Self::low_bits(level))
    }

    /// Returns the range of codes in the cell that contains this code and has side 2^`level`.
    #[inline]
    #[must_use]
    pub const fn range(self, level: u32) -> RangeInclusive<Self> {
        let first = self.parent(level);
        RangeInclusive::new(first, Self(first.0 | Self::low_bits(level)))
    }

    /// Returns the first codes of the 2^`D` cells of half the side in the cell of side 2^`level`
    /// that contains this code, ascending; none if the level is 0.
    pub fn children(self, level: u32) -> impl Iterator<Item = Self> {
        let level = if level < Self::BITS { level } else { Self::BITS };
        let first = self.parent(level).0;
        let count = if level == 0 { 0 } else { 1 << D };
        (0..count).map(move |child: u64| Self(first | child << (D as u32 * (level - 1))))
    }

    /// Returns the smallest code, from this one on, whose cell is in the box from `min` to `max`,
    /// both included, if any.
    ///
    /// A search through sorted codes that leaves the box can continue at this code: BIGMIN of Tropf
    /// and Herzog, "Multidimensional range search in dynamically balanced trees", 1981.
    ///
    /// ```
    /// use broadphase_morton::Code;
    ///
    /// let outside = Code::encode([4, 0]);
    /// let next = outside.next_in_box([1, 1], [3, 6]);
    /// assert_eq!(next.map(Code::decode), Some([1, 4]));
    /// ```
    #[must_use]
    pub fn next_in_box(self, min: [u32; D], max: [u32; D]) -> Option<Self> {
        if (0..D).any(|axis| min[axis] > max[axis]) {
            return None;
        }
        let (mut low, mut high) = (Self::encode(min).0, Self::encode(max).0);
        let mut next = None;
        for bit in (0..D as u32 * Self::BITS).rev() {
            let mask = 1u64 << bit;
            // The lower bits of the same axis.
            let below = spread_bits::<D>(u64::MAX) << (bit % D as u32) & (mask - 1);
            match (self.0 & mask != 0, low & mask != 0, high & mask != 0) {
                (false, false, true) => {
                    next = Some(Self((low | mask) & !below));
                    high = (high & !mask) | below;
                }
                (true, false, true) => low = (low | mask) & !below,
                (false, true, _) => return Some(Self(low)),
                (true, _, false) => return next,
                _ => {}
            }
        }
        Some(self)
    }

    /// Returns the mask of the bits that vary within a cell of this level.
    const fn low_bits(level: u32) -> u64 {
        // Shift an all-ones mask right by 64 − `bits`, which is below 64.
        let level = if level < Self::BITS { level } else { Self::BITS };
        let bits = D as u32 * level;
        if bits == 0 { 0 } else { !0 >> (64 - bits) }
    }
}

/// Moves bit `D` · i to bit i; the inverse of [`spread_bits`].
#[inline(always)]
const fn compact<const D: usize>(x: u64) -> u64 {
    match D {
        1 => x & 0xffff_ffff,
        2 => {
            let x = x & 0x5555_5555_5555_5555;
            let x = (x | x >> 1) & 0x3333_3333_3333_3333;
            let x = (x | x >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
            let x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
            let x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
            (x | x >> 16) & 0xffff_ffff
        }
        _ => {
            let x = x & 0x1249_2492_4924_9249;
            let x = (x | x >> 2) & 0x10c3_0c30_c30c_30c3;
            let x = (x | x >> 4) & 0x100f_00f0_0f00_f00f;
            let x = (x | x >> 8) & 0x001f_0000_ff00_00ff;
            let x = (x | x >> 16) & 0x001f_0000_0000_ffff;
            (x | x >> 32) & 0x001f_ffff
        }
    }
}
