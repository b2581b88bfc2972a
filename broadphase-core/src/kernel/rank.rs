//! Branch-free sort of a few distinct keys (rank sort): the position of a key is the number of
//! smaller keys. O(n²) comparisons, eight at a time.

use alloc::vec::Vec;

use bounds_hexprism::{Kernel, LANES, Lanes};

use crate::sort::sort_keys;

/// Maximum number of keys for the rank sort; with more, other sorts are faster.
const MAX_RANKED: usize = 96;
/// Number of keys whose positions are computed together.
pub const GROUP: usize = 4 * LANES;

/// Maps a key to a signed number in the same order, because lanes compare signed numbers.
#[inline(always)]
pub const fn signed(key: u32) -> i32 {
    (key ^ 1 << 31) as i32
}

/// Inverts [`signed`].
#[inline(always)]
pub const fn unsigned(key: i32) -> u32 {
    key as u32 ^ 1 << 31
}

/// Sorts the distinct [`signed`] keys `keys[..len]` and appends them, converted back, to `out`.
/// `keys` must be at least [`GROUP`] longer than `len`.
#[inline(always)]
pub fn sort_into<L: Lanes>(lanes: L, keys: &mut [i32], len: usize, out: &mut Vec<u32>) {
    let begin = out.len();
    if len > MAX_RANKED {
        out.extend(keys[..len].iter().map(|&key| unsigned(key)));
        out[begin..].sort_unstable();
        return;
    }
    // Pad with the largest number and sort whole groups: the number of groups is mostly
    // predictable.
    keys[len..][..GROUP].fill(i32::MAX);
    out.resize(begin + len + 1, 0);
    let sorted = &mut out[begin..];
    let mut at = 0;
    while at < len {
        at += if len - at <= LANES {
            write_ranked::<L, 1>(lanes, keys, at, len, sorted)
        } else if len - at <= 2 * LANES {
            write_ranked::<L, 2>(lanes, keys, at, len, sorted)
        } else {
            write_ranked::<L, { GROUP / LANES }>(lanes, keys, at, len, sorted)
        };
    }
    out.truncate(begin + len);
}

/// Writes the keys of `BLOCKS` blocks, from index `at` on, to their positions in `sorted`,
/// converted back. Returns their number, including padding.
#[inline(always)]
fn write_ranked<L: Lanes, const BLOCKS: usize>(
    lanes: L,
    keys: &[i32],
    at: usize,
    len: usize,
    sorted: &mut [u32],
) -> usize {
    let mut blocks = [lanes.splat(0); BLOCKS];
    let mut ranks = blocks;
    for (number, block) in blocks.iter_mut().enumerate() {
        *block = lanes.load_at(keys, at + number * LANES);
    }
    let (others, _) = keys[..len.next_multiple_of(LANES)].as_chunks::<LANES>();
    for others in others {
        for &other in others {
            let other = lanes.splat(other);
            for (rank, &block) in ranks.iter_mut().zip(&blocks) {
                *rank = lanes.sub(*rank, lanes.mask_to_i32(lanes.gt(block, other)));
            }
        }
    }
    for (&rank, &block) in ranks.iter().zip(&blocks) {
        for (rank, key) in lanes.store(rank).into_iter().zip(lanes.store(block)) {
            sorted[rank as usize] = unsigned(key);
        }
    }
    BLOCKS * LANES
}

/// Kernel: sorts distinct keys. The tail of the vector is scratch memory for many keys: its
/// capacity may double.
#[derive(Debug)]
pub struct Sort<'a>(pub &'a mut Vec<u32>);

impl Kernel for Sort<'_> {
    type Output = ();
    const SSE41: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let len = self.0.len();
        if len > MAX_RANKED {
            sort_keys(self.0);
            return;
        }
        let mut keys = [i32::MAX; MAX_RANKED + GROUP];
        for (place, &key) in keys.iter_mut().zip(&*self.0) {
            *place = signed(key);
        }
        self.0.clear();
        sort_into(lanes, &mut keys, len, self.0);
    }
}
