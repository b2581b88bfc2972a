//! Which tests hit, written down without asking how many they are.
//!
//! Nobody can guess how many of 32 tests hit, and a branch that is guessed wrong costs more than
//! writing some hits for nothing. So a few are written in any case, and only those that count are
//! kept; mostly that is all of them. With a step for each hit, whole sweeps took up to 1.25 times
//! as long. Where many hit, all eight of a comparison are packed in a register and stored, if the
//! backend can do that.

use core::array::from_fn;

use bounds_hexprism::{BackendKind, LANES, Lanes};
use simd_lanes::HitMask;

/// So many hits are written in any case where tests rarely hit. Two, four or six: slower, though
/// fewer instructions, since compilers then write them in pairs. Five: a tenth slower for balls in
/// space that hardly meet.
pub const FEW: usize = 3;

/// So many where hardly any test hits, as of one volume with eight that may be anywhere.
pub const ONE: usize = 1;

/// So many where they often do: a tenth faster than three if each object meets more than two.
pub const SEVERAL: usize = 7;

/// Room that is needed behind the hits that may come.
pub const SPARE: usize = LANES;

/// Writes what `hit` makes of each bit set in a word, lowest first, `ANYWAY` of them in any case;
/// yields how many hits there are then. `BITS`, a power of two, is how many of the word, from the
/// lowest on, may be set. There must be room for all of them and [`SPARE`] more.
///
/// # Panics
/// If there are fewer than `ANYWAY` places left where it goes on.
#[inline(always)]
pub fn write<const ANYWAY: usize, const BITS: usize, H>(
    mut word: u64,
    hits: &mut [H],
    mut filled: usize,
    hit: impl Fn(usize) -> H,
) -> usize {
    loop {
        let next: &mut [H; ANYWAY] = hits[filled..].first_chunk_mut().expect("room to spare");
        filled += ANYWAY.min(word.count_ones() as usize);
        for place in next {
            // Where no bit is left it does not matter which.
            *place = hit(word.trailing_zeros() as usize % BITS);
            word &= word.wrapping_sub(1);
        }
        if word == 0 {
            return filled;
        }
    }
}

/// How the pairs of eight with some others are made.
///
/// Its methods are to be `#[inline(always)]`, and are no closures: a closure in two places is a
/// function of its own, without the backend's instructions. Sweeps took five times as long.
pub trait MakePairs<L: Lanes> {
    /// That of a test: of lane `bit % LANES` with other `bit / LANES`.
    fn pair(&self, bit: usize) -> [u32; 2];

    /// Those of one of the others with which of the eight hit: the first numbers and the second
    /// ones, as [`Lanes::zip`] wants them.
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I);
}

/// Writes the pairs of eight with each of `N` others, up to eight, that are `valid` and not `apart`,
/// one of the others after the other; yields how many hits there are then. There must be room for
/// all of them and [`SPARE`] more.
///
/// Bits of `valid` are numbered as tests are: those of the first of the others are lowest. Where
/// tests `OFTEN` hit, all pairs of one of the others are made at once, on backends that pack lanes in
/// a few instructions: sweeps are a quarter faster. Tried in sweeps: keys instead of places, so that
/// nobody has to look them up; slower or equal, with copies of all that was picked, and only within
/// runs.
///
/// # Panics
/// If there is no room for what it writes in any case.
#[inline(always)]
pub fn write_pairs<const OFTEN: bool, const N: usize, L: Lanes>(
    lanes: L,
    apart: [L::M; N],
    valid: u64,
    hits: &mut [[u32; 2]],
    filled: usize,
    make: &impl MakePairs<L>,
) -> usize {
    if !(OFTEN && packs::<L>()) {
        let pair = |bit| make.pair(bit);
        let word = tests(lanes, &apart) & valid;
        return match (OFTEN, N > 4) {
            (false, false) => write::<FEW, 32, _>(word, hits, filled, pair),
            (false, true) => write::<FEW, 64, _>(word, hits, filled, pair),
            (true, false) => write::<SEVERAL, 32, _>(word, hits, filled, pair),
            (true, true) => write::<SEVERAL, 64, _>(word, hits, filled, pair),
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

/// As [`write_pairs`], but in words: for lane `l` and the other `k`, `word + (k << 16) + l * 0x10001`.
/// For backends that pack lanes in a few instructions.
///
/// # Panics
/// If there is no room for what it writes in any case.
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

/// Which of the tests of eight with some others hit: the bits of the first of these are lowest.
#[inline(always)]
fn tests<const N: usize, L: Lanes>(lanes: L, apart: &[L::M; N]) -> u64 {
    let low = u64::from(!bits_of_four_from(lanes, apart, 0));
    let high = if N > 4 { u64::from(!bits_of_four_from(lanes, apart, 4)) << 32 } else { 0 };
    (low | high) & (u64::MAX >> (u64::BITS as usize - N * LANES))
}

/// The bits of four masks from one of them on; the last once more where there are no more.
#[inline(always)]
fn bits_of_four_from<const N: usize, L: Lanes>(lanes: L, masks: &[L::M; N], from: usize) -> u32 {
    lanes.movemask_of_four(from_fn(|k| masks[(from + k).min(N - 1)]))
}

/// Writes the pairs of one place with those of eight from `first` on that hit; yields how many hits
/// there are then. There must be room for eight and [`SPARE`] more. For `OFTEN` see
/// [`write_pairs`].
///
/// # Panics
/// If there is no room for what it writes in any case.
#[inline(always)]
pub fn write_pairs_of<const OFTEN: bool, L: Lanes>(
    lanes: L,
    place: i32,
    hit: HitMask,
    first: usize,
    hits: &mut [[u32; 2]],
    filled: usize,
) -> usize {
    if !(OFTEN && packs::<L>()) {
        let pair = |lane| [place as u32, (first + lane) as u32];
        return write::<ONE, LANES, _>(hit.0.into(), hits, filled, pair);
    }
    let others = lanes.add(lanes.splat(first as i32), lanes.lane_indices_for_zip(hit));
    store_pairs(lanes, (lanes.splat(place), others), &mut hits[filled..]);
    filled + hit.count() as usize
}

/// Writes which of eight places from `first` on hit, in order; yields how many hits there are then.
/// There must be room for eight and [`SPARE`] more.
///
/// # Panics
/// If there is no room for what it writes in any case.
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
        return write::<FEW, LANES, _>(hit.0.into(), hits, filled, place);
    }
    let places = lanes.add(lanes.splat(first as i32), lanes.lane_indices(hit));
    let eight: &mut [u32; LANES] = hits[filled..].first_chunk_mut().expect("room to spare");
    for (place, number) in eight.iter_mut().zip(lanes.store(places)) {
        *place = number as u32;
    }
    filled + hit.count() as usize
}

/// Whether lanes are packed in a few instructions, and not one by one.
#[inline(always)]
pub(super) const fn packs<L: Lanes>() -> bool {
    matches!(L::KIND, BackendKind::Avx2)
}

/// Writes eight pairs of numbers, as [`Lanes::zip`] wants them.
#[inline(always)]
fn store_pairs<L: Lanes>(lanes: L, (ones, others): (L::I, L::I), hits: &mut [[u32; 2]]) {
    let eight: &mut [[u32; 2]; LANES] = hits.first_chunk_mut().expect("room to spare");
    *eight = lanes.zip(ones, others);
}
