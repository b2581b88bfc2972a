//! Reuses results of the narrow phase: a pair of ships is measured once, and the result holds until
//! the ships have moved by their [`clearance`](super::clearance).
//!
//! The list of measured pairs is sorted in the order of the pairs of the broad phase, so both are
//! merged in each tick. The list is not part of the state. An entry is valid in any state in which
//! the two ships have these hulls and about these poses. So entries stay valid over rollbacks, and
//! reuse never changes a result.

use hexphase::hex::{Angle, HexBody, Point};

use super::clearance::{clearance, movement};
use super::entity::Entity;
use super::hulls::Hulls;

/// Clearances with an absolute value below this, in units, are used up after a few ticks.
const SMALL: i32 = 12;
/// Number of exact tests of a pair with such a clearance before it is measured again. Measuring it
/// earlier does not pay: it takes longer than an exact test.
const WAIT: u32 = 6;

/// A measured pair.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Slots of the ships, the lower slot in the upper bits.
    slots: u64,
    hulls: [u32; 2],
    /// Position of the second ship relative to the first when the pair was measured.
    offset: Point,
    angles: [Angle; 2],
    /// The clearance in units; 0 if it cannot be used.
    clearance: i32,
    /// Remaining number of exact tests before the pair is measured again.
    wait: u32,
}

/// The measured pairs of one group of slow pairs.
#[derive(Debug, Default)]
pub(super) struct NearPairs {
    /// The pairs of the last tick in which this group was tested, ascending by slots; each group is
    /// tested in every fourth tick. `place` is the index of the first pair that the present tick
    /// has not passed.
    before: Vec<Near>,
    place: usize,
    /// Pairs of this tick, ascending by slots.
    now: Vec<Near>,
}

impl NearPairs {
    /// Begins a tick: the pairs of the last tick become those of the previous one.
    pub(super) fn begin(&mut self) {
        core::mem::swap(&mut self.before, &mut self.now);
        self.now.clear();
        self.place = 0;
    }

    /// Drops the pairs with hulls from this number on, because these numbers will be reused for
    /// other hulls.
    pub(super) fn rewind(&mut self, hulls: u32) {
        self.now.retain(|pair| pair.hulls[0] < hulls && pair.hulls[1] < hulls);
    }

    /// Returns whether two ships touch. Must be called in ascending order of `slots`.
    #[inline]
    pub(super) fn touch(
        &mut self,
        slots: u64,
        offset: Point,
        [a, b]: [&Entity; 2],
        hulls: &Hulls,
        exact: impl FnOnce(&HexBody, &HexBody) -> bool,
    ) -> bool {
        while self.before.get(self.place).is_some_and(|pair| pair.slots < slots) {
            self.place += 1;
        }
        if let Some(pair) = self.before.get(self.place)
            && pair.slots == slots
            && pair.hulls == [a.hull, b.hull]
        {
            let turn = |was: Angle, now: Angle| (now.0.wrapping_sub(was.0) as i16).unsigned_abs();
            let turns = [turn(pair.angles[0], a.angle), turn(pair.angles[1], b.angle)];
            if movement(offset - pair.offset, turns, [a.reach, b.reach]) < pair.clearance.abs() {
                self.now.push(*pair);
                return pair.clearance < 0;
            }
            if pair.wait > 0 {
                self.now.push(Near { wait: pair.wait - 1, clearance: 0, ..*pair });
                let [first, second] = [a, b].map(|ship| hulls.get(ship.hull));
                return exact(&first.body, &second.body);
            }
        }
        let [first, second] = [a, b].map(|ship| hulls.get(ship.hull));
        if first.centers.is_empty() || second.centers.is_empty() {
            return exact(&first.body, &second.body);
        }
        let angles = [a.angle, b.angle];
        let clearance = clearance([first, second], offset, angles);
        let wait = if clearance.abs() < SMALL { WAIT } else { 0 };
        self.now.push(Near { slots, hulls: [a.hull, b.hull], offset, angles, clearance, wait });
        if clearance == 0 { exact(&first.body, &second.body) } else { clearance < 0 }
    }
}
