//! Variable-length integers: seven bits per byte, low bits first; the highest bit is set if more
//! bytes follow.

use alloc::vec::Vec;

use super::Plain;

/// Appends an integer.
pub(super) fn write_varint(mut number: u32, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads an integer; rejects encodings longer than necessary.
pub(super) fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..32).step_by(7) {
        let byte = u8::read(bytes)?;
        let bits = u32::from(byte & 127);
        number |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if byte < 128 {
            return (byte > 0 || shift == 0).then_some(number);
        }
    }
    None
}
