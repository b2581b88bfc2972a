//! Sorts few keys: how many are smaller is the place of each, so no branch depends on them.

use alloc::vec::Vec;

use bounds_hexprism::{Kernel, LANES, Lanes};

/// With more keys comparing all with all takes longer than sorting them.
const FEW: usize = 96;
/// No more are placed at a time.
pub const GROUP: usize = 4 * LANES;

/// A key for lanes, which compare with a sign.
#[inline(always)]
pub const fn signed(key: u32) -> i32 {
    (key ^ 1 << 31) as i32
}

/// The key that became [`signed`].
#[inline(always)]
pub const fn unsigned(key: i32) -> u32 {
    key as u32 ^ 1 << 31
}

/// Appends the first `len` of these [`signed`] keys in order; none of them may come twice, and
/// there must be room for a [`GROUP`] behind them.
#[inline(always)]
pub fn sort_into<L: Lanes>(lanes: L, keys: &mut [i32], len: usize, out: &mut Vec<u32>) {
    let begin = out.len();
    if len > FEW {
        out.extend(keys[..len].iter().map(|&key| unsigned(key)));
        out[begin..].sort_unstable();
        return;
    }
    // What is behind the last has its place behind it too, so whole groups are sorted: how many
    // keys there are is a surprise each time, how many groups rarely.
    keys[len..][..GROUP].fill(i32::MAX);
    out.resize(begin + len + 1, 0);
    let places = &mut out[begin..];
    let mut at = 0;
    while at < len {
        at += if len - at <= LANES {
            place::<L, 1>(lanes, keys, at, len, places)
        } else if len - at <= 2 * LANES {
            place::<L, 2>(lanes, keys, at, len, places)
        } else {
            place::<L, { GROUP / LANES }>(lanes, keys, at, len, places)
        };
    }
    out.truncate(begin + len);
}

/// Puts so many blocks of keys, from a place on, where they belong; yields how many keys that are.
#[inline(always)]
fn place<L: Lanes, const BLOCKS: usize>(
    lanes: L,
    keys: &[i32],
    at: usize,
    len: usize,
    places: &mut [u32],
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
            places[rank as usize] = unsigned(key);
        }
    }
    BLOCKS * LANES
}

/// Sorts keys, none of which may come twice.
#[derive(Debug)]
pub struct Sort<'a>(pub &'a mut Vec<u32>);

impl Kernel for Sort<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let len = self.0.len();
        if len > FEW {
            self.0.sort_unstable();
            return;
        }
        let mut keys = [i32::MAX; FEW + GROUP];
        for (place, &key) in keys.iter_mut().zip(&*self.0) {
            *place = signed(key);
        }
        self.0.clear();
        sort_into(lanes, &mut keys, len, self.0);
    }
}
