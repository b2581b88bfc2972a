//! The narrow phase: which of the pairs of the broad phase touch, cell by cell.
//!
//! 1. The [broad phase](super::broad) has found that two bounding rhombi overlap: the intervals
//!    along a and b.
//! 2. Test the hexagon: the interval along c.
//! 3. Test the circle around each ship.
//! 4. Test the cells. A fast contact needs all pairs of cells that overlap, because they break. A
//!    slow one needs only to know whether there is one: if the pair was measured and has not moved
//!    far, that is known ([`near`](super::near)); otherwise it is measured, and tested exactly if
//!    it is close to the change.
//!
//! Slow contacts are solved 25 times a second: each pair in every fourth tick, in turns by slots.
//!
//! A bullet is a segment: its way in this tick, relative to the ship. Of all ships that it hits in
//! one tick, the first on its way counts.

use hexphase::Handle;
use hexphase::hex::{Hex, Point, Pose};

use super::Game;
use super::entity::{Entity, SPEED_FRACTION};
use super::hulls::Hulls;
use super::space::{Space, square};
use crate::random::mixed;

/// Square of the relative speed from which cells break, in sixteenths of a unit per tick.
const BREAKING_SPEED_SQUARE: i64 = 400 * 400;

/// A slow contact is tested once in this many ticks; a power of two.
pub(super) const SLOW_PERIOD: u32 = 4;

/// Results of the narrow phase, in the order of the pairs of the broad phase.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    /// Ships that touch.
    pub(super) touching: Vec<[Handle; 2]>,
    /// Cells that break.
    pub(super) broken: Vec<(Handle, Hex)>,
    /// Hits of bullets: bullet, bits of the fraction of its way, ship, cell.
    pub(super) hits: Vec<(Handle, u64, Handle, Hex)>,
}

impl Game {
    /// Runs the narrow phase over the pairs of the last step.
    pub(super) fn find_contacts(&mut self) {
        let Self { world, broad, hulls, space, contacts, near, digest, .. } = self;
        let turn = self.tick as u32 % SLOW_PERIOD;
        let near = &mut near[turn as usize];
        near.begin();
        contacts.touching.clear();
        contacts.broken.clear();
        contacts.hits.clear();
        for &slots in broad.pairs() {
            *digest = mixed(*digest, slots);
            let places = [(slots >> 32) as usize, slots as u32 as usize];
            let [a, b] = places.map(|slot| &broad.rhombi[slot]);
            let [i, j] = places.map(|slot| broad.handles[slot]);
            if a.is_bullet() {
                contacts.test_bullet(hulls, *space, [j, i], &world[j], &world[i]);
            } else if b.is_bullet() {
                contacts.test_bullet(hulls, *space, [i, j], &world[i], &world[j]);
            } else {
                let velocity = relative_velocity(a.velocity, b.velocity);
                let is_fast = square(velocity) >= BREAKING_SPEED_SQUARE;
                let has_turn = (i.index() ^ j.index()) % SLOW_PERIOD == turn;
                if !is_fast && !has_turn {
                    continue;
                }
                let offset = space.offset(a.position, b.position);
                if are_apart(offset, i64::from(a.reach) + i64::from(b.reach)) {
                    continue;
                }
                let [a, b] = [&world[i], &world[j]];
                let poses = [Pose::new(Point::ORIGIN, a.angle), Pose::new(offset, b.angle)];
                if is_fast {
                    contacts.crash(hulls, poses, [i, j], [a, b]);
                } else if near.touch(slots, offset, [a, b], hulls, |first, second| {
                    first.overlaps_any(poses[0], second, poses[1])
                }) {
                    contacts.touching.push([i, j]);
                }
            }
        }
    }
}

impl Contacts {
    /// Tests two fast ships: all cells that overlap break.
    fn crash(
        &mut self,
        hulls: &Hulls,
        poses: [Pose; 2],
        handles: [Handle; 2],
        ships: [&Entity; 2],
    ) {
        let [first, second] = ships.map(|ship| &hulls.get(ship.hull).body);
        let before = self.broken.len();
        first.overlaps(poses[0], second, poses[1], |ours, theirs| {
            self.broken.push((handles[0], ours));
            self.broken.push((handles[1], theirs));
        });
        if self.broken.len() > before {
            self.touching.push(handles);
        }
    }

    #[inline]
    fn test_bullet(
        &mut self,
        hulls: &Hulls,
        space: Space,
        [ship_handle, bullet_handle]: [Handle; 2],
        ship: &Entity,
        bullet: &Entity,
    ) {
        let to = space.offset(ship.position, bullet.position);
        let [a, b] = bullet.velocity.map(|speed| i32::from(speed) >> SPEED_FRACTION);
        let from = to - Point::new(a, b);
        let body = &hulls.get(ship.hull).body;
        let pose = Pose::new(Point::ORIGIN, ship.angle);
        if let Some(hit) = body.first_on_segment(pose, from, to) {
            // Fractions are not negative, so their bits sort as the numbers.
            self.hits.push((bullet_handle, hit.fraction.to_bits(), ship_handle, hit.cell));
        }
    }
}

/// Returns whether two ships are apart at any rotation: by the interval along c, or by the circles
/// around them. `reach` is the sum of their extents along an axis, which is √(2/3) of the radius.
#[inline(always)]
fn are_apart(offset: Point, reach: i64) -> bool {
    let c = i64::from(offset.a) + i64::from(offset.b);
    c.abs() > reach || 4 * square(offset) > 3 * reach * reach
}

/// Returns the velocity of the second ship as seen from the first.
#[inline(always)]
pub(super) fn relative_velocity(a: [i16; 2], b: [i16; 2]) -> Point {
    let [x, y] = [0, 1].map(|axis| i32::from(b[axis]) - i32::from(a[axis]));
    Point::new(x, y)
}
