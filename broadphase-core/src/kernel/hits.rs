//! Which lanes hit, written down without asking how many they are.
//!
//! Nobody can guess how many of 32 tests hit, and a branch that is guessed wrong costs more than
//! writing some hits for nothing. So a few are written in any case, and only those that count are
//! kept; mostly that is all of them. With a step for each hit, whole sweeps took up to 1.25 times
//! as long.

/// So many hits are written in any case where tests rarely hit. Two, four or six: slower, though
/// fewer instructions, since compilers then write them in pairs. Five: a tenth slower for balls in
/// space that hardly meet.
pub const FEW: usize = 3;

/// So many where they often do: a tenth faster than three if each object meets more than two.
pub const SEVERAL: usize = 7;

/// Room that is needed behind the hits that may come.
pub const SPARE: usize = SEVERAL;

/// Writes what `hit` makes of each bit set in a word, lowest first, `ANYWAY` of them in any case;
/// yields how many hits there are then. There must be room for all of them and [`SPARE`] more.
///
/// # Panics
/// If there are fewer than `ANYWAY` places left where it goes on.
#[inline(always)]
pub fn write<const ANYWAY: usize, H>(
    mut word: u32,
    hits: &mut [H],
    mut filled: usize,
    hit: impl Fn(usize) -> H,
) -> usize {
    loop {
        let next: &mut [H; ANYWAY] = hits[filled..].first_chunk_mut().expect("room to spare");
        filled += ANYWAY.min(word.count_ones() as usize);
        for place in next {
            // Where no bit is left it does not matter which.
            *place = hit(word.trailing_zeros() as usize % 32);
            word &= word.wrapping_sub(1);
        }
        if word == 0 {
            return filled;
        }
    }
}
