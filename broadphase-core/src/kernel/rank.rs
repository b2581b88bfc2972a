//! Sorts few keys: how many are smaller is the place of each, so no branch depends on them.

use bounds_hexprism::{Kernel, LANES, Lanes};

/// With more keys comparing all with all takes longer than sorting them.
const FEW: usize = 96;
/// So many blocks are counted at a time.
const GROUP: usize = 4;

/// Sorts keys, none of which may come twice.
#[inline(always)]
pub fn sort<L: Lanes>(lanes: L, keys: &mut [u32]) {
    let len = keys.len();
    if len > FEW {
        keys.sort_unstable();
        return;
    }
    // Lanes compare with a sign.
    let mut signed = [i32::MAX; FEW];
    for (signed, &key) in signed.iter_mut().zip(&*keys) {
        *signed = (key ^ 1 << 31) as i32;
    }
    let mut at = 0;
    while at < len {
        let group: &[i32; GROUP * LANES] = signed[at..].first_chunk().expect("whole groups");
        let mut blocks = [lanes.splat(0); GROUP];
        let mut ranks = blocks;
        for (number, block) in blocks.iter_mut().enumerate() {
            *block = lanes.load_at(group, number * LANES);
        }
        for &other in &signed[..len] {
            let other = lanes.splat(other);
            for (rank, &block) in ranks.iter_mut().zip(&blocks) {
                *rank = lanes.sub(*rank, lanes.mask_i32(lanes.gt(block, other)));
            }
        }
        for (number, &rank) in ranks.iter().enumerate() {
            let from = at + number * LANES;
            for (&rank, &key) in lanes.store(rank).iter().zip(&signed[from..len.max(from)]) {
                keys[rank as usize] = key as u32 ^ 1 << 31;
            }
        }
        at += GROUP * LANES;
    }
}

/// Sorts keys, none of which may come twice.
#[derive(Debug)]
pub struct Sort<'a>(pub &'a mut [u32]);

impl Kernel for Sort<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        sort(lanes, self.0);
    }
}
