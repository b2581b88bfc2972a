//! Encoding of the generations of objects.
//!
//! A block of 64 objects begins with its smallest generation, as a variable-length integer. Then
//! come the number of bytes of the largest difference from it, and all differences in this number
//! of bytes. Objects of equal generation take 1/32 byte each, and a slot that was reused often
//! enlarges only its block.

use alloc::vec::Vec;

use super::varint::{read_varint, write_varint};
use super::{Plain, byte_width, read_uint, take};

/// Number of objects per block.
const BLOCK: usize = 64;

/// Appends generations.
pub(super) fn write_generations(mut generations: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    let mut block = [0; BLOCK];
    loop {
        let mut len = 0;
        for (place, generation) in block.iter_mut().zip(&mut generations) {
            *place = generation;
            len += 1;
        }
        let block = &block[..len];
        let (Some(&least), Some(&largest)) = (block.iter().min(), block.iter().max()) else {
            return;
        };
        let wide = byte_width(largest - least);
        write_varint(least, out);
        out.push(wide as u8);
        if wide > 0 {
            for generation in block {
                out.extend_from_slice(&(generation - least).to_le_bytes()[..wide]);
            }
        }
    }
}

/// Reads the generations of `count` objects. Returns `None` if the bytes are invalid.
pub(super) fn read_generations(bytes: &mut &[u8], count: usize) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    while all.len() < count {
        let len = BLOCK.min(count - all.len());
        let least = read_varint(bytes)?;
        let wide = usize::from(u8::read(bytes)?);
        if wide > 4 {
            return None;
        }
        let mut differences = take(bytes, len * wide)?;
        for _ in 0..len {
            let (next, rest) = differences.split_at(wide);
            differences = rest;
            all.push(least.checked_add(read_uint(next))?);
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::{read_generations, write_generations};

    fn written(generations: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_generations(generations.iter().copied(), &mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn generations_are_read_as_written(
            generations in prop::collection::vec(prop_oneof![0u32..3, any::<u32>()], 0..200),
        ) {
            let bytes = written(&generations);
            let mut rest = &bytes[..];
            let read = read_generations(&mut rest, generations.len());
            prop_assert_eq!((read, rest.len()), (Some(generations.clone()), 0));
            for len in 0..bytes.len() {
                prop_assert_eq!(read_generations(&mut &bytes[..len], generations.len()), None);
            }
        }
    }

    #[test]
    fn equal_generations_take_two_bytes_per_block() {
        assert_eq!(written(&[7; 640]).len(), 20);
        let mut generations = [7; 640];
        generations[100] = 70_000;
        assert_eq!(written(&generations).len(), 20 + 64 * 3);
    }
}
