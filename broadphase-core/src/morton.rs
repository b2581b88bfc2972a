//! Spreads the bits of coordinates for Morton codes.

/// Moves bit i to bit `D` · i: all 32 bits in one and two dimensions, the lowest 21 in three. Magic
/// masks: Sean Eron Anderson, "Bit Twiddling Hacks".
///
/// ```
/// assert_eq!(broadphase_core::spread_bits::<3>(0b1011), 0b001_000_001_001);
/// ```
#[inline(always)]
#[must_use]
pub const fn spread_bits<const D: usize>(x: u64) -> u64 {
    match D {
        1 => x & 0xffff_ffff,
        2 => {
            let x = x & 0xffff_ffff;
            let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
            let x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
            let x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
            let x = (x | x << 2) & 0x3333_3333_3333_3333;
            (x | x << 1) & 0x5555_5555_5555_5555
        }
        _ => {
            let x = x & 0x001f_ffff;
            let x = (x | x << 32) & 0x001f_0000_0000_ffff;
            let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
            let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
            let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
            (x | x << 2) & 0x1249_2492_4924_9249
        }
    }
}
