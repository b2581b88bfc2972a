//! The narrow phase: tests the pairs of the broad phase and finds the touching ships, cell by cell.
//!
//! 1. The [broad phase](super::broad) has found that two bounding rhombi overlap: the intervals
//!    along a and b.
//! 2. Test the hexagon: the interval along c.
//! 3. Test the circle around each ship.
//! 4. Test the cells. If the ships are fast relative to each other, find all pairs of overlapping
//!    cells, because these cells break. If they are slow, it suffices to find whether there is such
//!    a pair. This result is reused from an earlier tick as long as the two ships have moved by
//!    less than their clearance ([`near`](super::near)). Otherwise the clearance is measured again,
//!    and if it is close to 0, the cells are tested exactly.
//!
//! Each slow pair is tested only in every fourth tick, 25 times a second. The slots of the two
//! ships determine in which of four ticks.
//!
//! A bullet is a segment: its path in this tick, relative to the ship. If it hits several ships in
//! one tick, only the first hit along the path counts.

use hexphase::Handle;
use hexphase::hex::{Hex, HexBody, Point, Pose};

use super::Game;
use super::entity::{Entity, SPEED_FRACTION};
use super::hulls::Hulls;
use super::space::{Space, square};
use crate::random::mixed;

/// Square of the relative speed from which cells break. Speeds are in sixteenths of a unit per
/// tick.
const BREAKING_SPEED_SQUARE: i64 = 400 * 400;

/// Number of ticks between two tests of a slow pair; a power of two.
pub(super) const SLOW_PERIOD: u32 = 4;

/// Results of the narrow phase, in the order of the pairs of the broad phase.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    /// Pairs of ships that touch.
    pub(super) touching: Vec<[Handle; 2]>,
    /// Cells that break, with their ships.
    pub(super) broken: Vec<(Handle, Hex)>,
    /// Hits of bullets: bullet, bits of the fraction of its path, ship, cell.
    pub(super) hits: Vec<(Handle, u64, Handle, Hex)>,
}

impl Game {
    /// Runs the narrow phase over the pairs that the broad phase has found in this tick.
    pub(super) fn find_contacts(&mut self) {
        let Self { world, broad, hulls, space, contacts, near, digest, touching, .. } = self;
        let turn = self.tick as u32 % SLOW_PERIOD;
        let near = &mut near[turn as usize];
        near.begin();
        let [slow @ .., fast] = touching;
        let slow = &mut slow[turn as usize];
        slow.clear();
        fast.clear();
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
                let is_fast = is_fast(velocity);
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
                let touch = if is_fast {
                    contacts.crash(hulls, poses, [i, j], [a, b])
                } else {
                    let exact = |first: &HexBody, second: &HexBody| {
                        first.overlaps_any(poses[0], second, poses[1])
                    };
                    near.touch(slots, offset, [a, b], hulls, exact)
                };
                if touch {
                    contacts.touching.push([i, j]);
                    if is_fast { &mut *fast } else { &mut *slow }.extend([i, j]);
                }
            }
        }
    }

    /// Returns the number of ships that touched another ship in the last simulated tick: a cell of
    /// one overlapped a cell of the other. Ships that are slow relative to each other are tested in
    /// every fourth tick, and the result counts until the next test. After a state is loaded, only
    /// the tests since then count. Takes time about linear in the number of these ships.
    pub fn touching_ships(&self) -> usize {
        let all = self.touching.iter().flatten().copied();
        let mut ships: Vec<Handle> = all.filter(|&ship| self.world.contains(ship)).collect();
        ships.sort_unstable();
        ships.dedup();
        ships.len()
    }
}

impl Contacts {
    /// Tests two ships that are fast relative to each other: all cells that overlap break. Returns
    /// whether there are such cells.
    fn crash(
        &mut self,
        hulls: &Hulls,
        poses: [Pose; 2],
        handles: [Handle; 2],
        ships: [&Entity; 2],
    ) -> bool {
        let [first, second] = ships.map(|ship| &hulls.get(ship.hull).body);
        let before = self.broken.len();
        first.overlaps(poses[0], second, poses[1], |ours, theirs| {
            self.broken.push((handles[0], ours));
            self.broken.push((handles[1], theirs));
        });
        self.broken.len() > before
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
            // Fractions are not negative, so their bits have the order of the numbers.
            self.hits.push((bullet_handle, hit.fraction.to_bits(), ship_handle, hit.cell));
        }
    }
}

/// Returns whether two ships are apart at any rotation: by the intervals along c, or by the circles
/// around them. `reach` is the sum of their extents along an axis, which is √(2/3) of the sum of
/// their radii.
#[inline(always)]
fn are_apart(offset: Point, reach: i64) -> bool {
    let c = i64::from(offset.a) + i64::from(offset.b);
    c.abs() > reach || 4 * square(offset) > 3 * reach * reach
}

/// Returns whether two ships with this relative velocity break cells.
#[inline(always)]
pub(super) fn is_fast(velocity: Point) -> bool {
    square(velocity) >= BREAKING_SPEED_SQUARE
}

/// Returns the velocity of the second ship relative to the first.
#[inline(always)]
pub(super) fn relative_velocity(a: [i16; 2], b: [i16; 2]) -> Point {
    let [x, y] = [0, 1].map(|axis| i32::from(b[axis]) - i32::from(a[axis]));
    Point::new(x, y)
}
