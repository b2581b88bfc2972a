//! Writes the hits of up to 64 tests to a buffer, with few unpredictable branches.
//!
//! The number of hits is unpredictable, and a misprediction costs more than a few wasted stores:
//! with one branch per hit, sweeps took up to 25 % longer. So a fixed number of entries is always
//! written, and the length is advanced by the real count; the loop runs again only if there are
//! more hits. Where tests often hit and the backend can pack lanes in a register (AVX2), all hits
//! among eight comparisons are packed and stored at once.

use core::array::from_fn;

use bounds_hexprism::{BackendKind, LANES, Lanes};
use simd_lanes::HitMask;

/// Number of entries always written where tests rarely hit. Compilers pair the stores of 2, 4 or 6
/// entries, which is slower; with 5 entries, balls in three dimensions take 10 % longer.
pub const WRITES_IF_RARE: usize = 3;

/// Number of entries always written where tests hardly ever hit, such as tests of volumes that were
/// not selected by position.
pub const WRITES_IF_VERY_RARE: usize = 1;

/// Number of entries always written where tests often hit: 10 % faster than 3 in crowds.
pub const WRITES_IF_OFTEN: usize = 7;

/// Number of entries that a hit buffer must have beyond the maximum number of hits.
pub const SPARE: usize = LANES;

/// Writes `hit(bit)` to `hits[filled..]` for each bit set in `word`, lowest first, in groups of
/// `WRITES` entries; returns the new number of filled entries. Only the lowest `BITS` bits of
/// `word` (a power of two) may be set. There must be room for all hits and [`SPARE`] more.
///
/// # Panics
/// If a group begins with fewer than `WRITES` entries left in `hits`.
#[inline(always)]
pub fn write<const WRITES: usize, const BITS: usize, H>(
    mut word: u64,
    hits: &mut [H],
    mut filled: usize,
    hit: impl Fn(usize) -> H,
) -> usize {
    loop {
        let group: &mut [H; WRITES] = hits[filled..].first_chunk_mut().expect("room to spare");
        filled += WRITES.min(word.count_ones() as usize);
        for place in group {
            // Entries after the last bit are past the returned length and may have any value.
            *place = hit(word.trailing_zeros() as usize % BITS);
            word &= word.wrapping_sub(1);
        }
        if word == 0 {
            return filled;
        }
    }
}

/// Converts tests of eight volumes, one per lane, against up to eight *others* into pairs.
///
/// Must be implemented by `#[inline(always)]` methods. A closure used twice becomes a function
/// without the backend's instructions, which made sweeps five times as slow.
pub trait MakePairs<L: Lanes> {
    /// Returns the pair of lane `bit % LANES` and the other at index `bit / LANES`.
    fn pair(&self, bit: usize) -> [u32; 2];

    /// Returns the pairs of the lanes set in `hit` with the other at index `which`, as first and
    /// second elements in the layout of [`Lanes::zip`].
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I);
}

/// Runs an expression with a flag, which is a constant where the backend packs lanes. Other
/// backends gain less and read it at run time: their kernels are half as long.
#[doc(hidden)]
#[macro_export]
macro_rules! specialize {
    ($flag:ident, $L:ty, $run:expr) => {
        if !$crate::kernel::hits::packs::<$L>() {
            $run
        } else if $flag {
            let $flag = true;
            $run
        } else {
            let $flag = false;
            $run
        }
    };
}

/// Writes the pairs of eight volumes with up to eight others (`N`), ordered by other, whose test is
/// `valid` and not `apart`. Returns the new number of filled entries. There must be room for all
/// tests and [`SPARE`] more.
///
/// The lowest eight bits of `valid` belong to the first other, and so on. `often` is set where
/// tests often hit: backends that pack lanes then write all pairs of one of the others at once, 25
/// % faster. For these backends `often` must be a constant, because a branch inside the loop is
/// slower: see [`specialize!`](crate::specialize!). Rejected: writing keys instead of indices,
/// which needs a copy of each candidate's key and is not faster.
///
/// # Panics
/// If there is no room for the entries that are always written.
#[inline(always)]
pub fn write_pairs<const N: usize, L: Lanes>(
    lanes: L,
    often: bool,
    apart: [L::M; N],
    valid: u64,
    hits: &mut [[u32; 2]],
    filled: usize,
    make: &impl MakePairs<L>,
) -> usize {
    if !(often && packs::<L>()) {
        let pair = |bit| make.pair(bit);
        let word = tests(lanes, &apart) & valid;
        return match (often, N > 4) {
            (false, false) => write::<WRITES_IF_RARE, 32, _>(word, hits, filled, pair),
            (false, true) => write::<WRITES_IF_RARE, 64, _>(word, hits, filled, pair),
            (true, false) => write::<WRITES_IF_OFTEN, 32, _>(word, hits, filled, pair),
            (true, true) => write::<WRITES_IF_OFTEN, 64, _>(word, hits, filled, pair),
        };
    }
    let room = &mut hits[filled..][..N * LANES + SPARE];
    let mut len = 0;
    for (which, apart) in apart.into_iter().enumerate() {
        let hit = !lanes.movemask(apart) & HitMask((valid >> (which * LANES)) as u8);
        store_pairs(lanes, make.pairs(lanes, hit, which), &mut room[len..]);
        len += hit.count() as usize;
    }
    filled + len
}

/// Writes each test that is not `apart` as a word `word + (k << 16) + l * 0x10001` for lane `l` and
/// the other at index `k`, ordered by other; returns the new number of filled words. For backends
/// that pack lanes.
///
/// # Panics
/// If there is no room for the entries that are always written.
#[inline(always)]
pub fn write_words<const N: usize, L: Lanes>(
    lanes: L,
    apart: [L::M; N],
    word: i32,
    words: &mut [i32],
    filled: usize,
) -> usize {
    let room = &mut words[filled..][..N * LANES + SPARE];
    let mut word = lanes.splat(word);
    let mut len = 0;
    for apart in apart {
        let hit = !lanes.movemask(apart);
        lanes.store_at(lanes.add(lanes.lane_indices_twice(hit), word), room, len);
        len += hit.count() as usize;
        word = lanes.add(word, lanes.splat(1 << 16));
    }
    filled + len
}

/// Returns a bit for each test, set if the volumes are not `apart`: bit `k * LANES + l` is lane `l`
/// against the other at index `k`. Bits after the last test are 0.
#[inline(always)]
fn tests<const N: usize, L: Lanes>(lanes: L, apart: &[L::M; N]) -> u64 {
    let low = u64::from(!bits_of_four_from(lanes, apart, 0));
    let high = if N > 4 { u64::from(!bits_of_four_from(lanes, apart, 4)) << 32 } else { 0 };
    (low | high) & (u64::MAX >> (u64::BITS as usize - N * LANES))
}

/// Returns the bits of four masks, from index `from` on. Past the end, the last mask is repeated.
#[inline(always)]
fn bits_of_four_from<const N: usize, L: Lanes>(lanes: L, masks: &[L::M; N], from: usize) -> u32 {
    lanes.movemask_of_four(from_fn(|k| masks[(from + k).min(N - 1)]))
}

/// Writes the pairs of index `place` with each of the eight indices from `first` on whose bit in
/// `hit` is set; returns the new number of filled entries. There must be room for eight and
/// [`SPARE`] more. `often` is as in [`write_pairs`].
///
/// # Panics
/// If there is no room for the entries that are always written.
#[inline(always)]
pub fn write_pairs_of<L: Lanes>(
    lanes: L,
    often: bool,
    place: i32,
    hit: HitMask,
    first: usize,
    hits: &mut [[u32; 2]],
    filled: usize,
) -> usize {
    if !(often && packs::<L>()) {
        let pair = |lane| [place as u32, (first + lane) as u32];
        return write::<WRITES_IF_VERY_RARE, LANES, _>(hit.0.into(), hits, filled, pair);
    }
    let others = lanes.add(lanes.splat(first as i32), lanes.lane_indices_for_zip(hit));
    store_pairs(lanes, (lanes.splat(place), others), &mut hits[filled..]);
    filled + hit.count() as usize
}

/// Writes the indices from `first` on whose bit in `hit` is set, ascending; returns the new number
/// of filled entries. There must be room for eight and [`SPARE`] more.
///
/// # Panics
/// If there is no room for the entries that are always written.
#[inline(always)]
pub fn write_places<L: Lanes>(
    lanes: L,
    hit: HitMask,
    first: usize,
    hits: &mut [u32],
    filled: usize,
) -> usize {
    if !packs::<L>() {
        let place = |lane| (first + lane) as u32;
        return write::<WRITES_IF_RARE, LANES, _>(hit.0.into(), hits, filled, place);
    }
    let places = lanes.add(lanes.splat(first as i32), lanes.lane_indices(hit));
    let eight: &mut [u32; LANES] = hits[filled..].first_chunk_mut().expect("room to spare");
    for (place, number) in eight.iter_mut().zip(lanes.store(places)) {
        *place = number as u32;
    }
    filled + hit.count() as usize
}

/// Returns whether the backend packs lanes in a few instructions, not one by one.
#[inline(always)]
pub const fn packs<L: Lanes>() -> bool {
    matches!(L::KIND, BackendKind::Avx2)
}

/// Writes eight pairs to `hits`, from first and second elements in the layout of [`Lanes::zip`].
#[inline(always)]
fn store_pairs<L: Lanes>(lanes: L, (ones, others): (L::I, L::I), hits: &mut [[u32; 2]]) {
    let eight: &mut [[u32; 2]; LANES] = hits.first_chunk_mut().expect("room to spare");
    *eight = lanes.zip(ones, others);
}
