//! Effects of contacts: ships bounce, lose cells, and break apart.

use hexphase::hex::{Hex, HexBody, Pose};
use hexphase::{Error, Handle};

use super::Game;
use super::contact::relative_velocity;
use super::entity::Entity;
use super::hulls::centered;
use super::space::square;

/// Speed that each contact adds along the line between two ships, in sixteenths of a unit per tick.
const PUSH: i32 = 4;
/// Parts with fewer cells vanish.
const MIN_CELLS: usize = 2;
/// Limit of the speed on each axis after a contact, in sixteenths of a unit per tick.
const MAX_SPEED: i64 = 2000;

impl Game {
    /// Applies the contacts of this tick: hits, bounces, broken cells. Each list is in the order of
    /// the pairs, or sorted.
    pub(super) fn apply_contacts(&mut self) -> Result<(), Error> {
        let mut contacts = core::mem::take(&mut self.contacts);
        // The first hit of each bullet.
        contacts.hits.sort_unstable();
        contacts.hits.dedup_by_key(|hit| hit.0);
        for &(bullet, _, ship, cell) in &contacts.hits {
            self.world.remove(bullet);
            contacts.broken.push((ship, cell));
        }
        for &pair in &contacts.touching {
            self.bounce(pair);
        }
        contacts.broken.sort_unstable();
        contacts.broken.dedup();
        for cells in contacts.broken.chunk_by(|one, other| one.0 == other.0) {
            self.break_cells(cells[0].0, cells.iter().map(|&(_, cell)| cell))?;
        }
        self.contacts = contacts;
        Ok(())
    }

    /// Changes the velocities of two ships that touch: they lose three quarters of the speed at
    /// which they approach, in proportion to the other's mass, and are pushed apart.
    fn bounce(&mut self, handles: [Handle; 2]) {
        let [a, b] = handles.map(|ship| self.world[ship]);
        let between = self.space.offset(a.position, b.position);
        let speed = relative_velocity(&a, &b);
        // All lengths are in halves of squares: a b + (a' b + a b') / 2.
        let length = square(between).max(1);
        let along = (square(between + speed) - square(between) - square(speed)) / 2;
        let [first, second] = [a, b].map(|ship| i64::from(self.hulls.get(ship.hull).cells));
        let gain = if along < 0 { -3 * along / 2 } else { 0 };
        for (handle, ship, mass, sign) in
            [(handles[0], a, second, -1), (handles[1], b, first, 1)]
        {
            let changed = |axis: usize, way: i32| {
                let bounce = i64::from(way) * gain / length * mass / (first + second);
                let push = i64::from(PUSH * way.signum());
                let speed = i64::from(ship.velocity[axis]) + sign * (bounce + push);
                speed.clamp(-MAX_SPEED, MAX_SPEED) as i16
            };
            let velocity = [changed(0, between.a), changed(1, between.b)];
            if let Some(ship) = self.world.user_mut(handle) {
                ship.velocity = velocity;
            }
        }
    }

    /// Removes cells from a ship. Parts that are no longer connected become ships.
    fn break_cells(
        &mut self,
        handle: Handle,
        cells: impl Iterator<Item = Hex>,
    ) -> Result<(), Error> {
        let ship = self.world[handle];
        let mut body = self.hulls.get(ship.hull).body.clone();
        for cell in cells {
            self.broken += u64::from(body.remove(cell));
        }
        self.hulls.retire(self.tick, ship.hull);
        let mut parts: Vec<HexBody> = Vec::new();
        body.split(|part| parts.push(part));
        match self.part_of(ship, body) {
            Some(entity) => self.world.set_user(handle, entity)?,
            None => {
                self.world.remove(handle);
            }
        }
        for part in parts {
            if let Some(entity) = self.part_of(ship, part) {
                self.launch(entity)?;
            }
        }
        Ok(())
    }

    /// Returns a part of a ship as a ship: it moves as that part of the rotating ship did. `None`
    /// if it is too small.
    fn part_of(&mut self, ship: Entity, body: HexBody) -> Option<Entity> {
        if body.len() < MIN_CELLS {
            return None;
        }
        let (body, pose) = centered(body, Pose::new(ship.position, ship.angle))?;
        let arm = pose.position - ship.position;
        let swing = hexphase::hex::Angle(ship.spin as u16).rotation().rotate(arm) - arm;
        let speed = [swing.a, swing.b].map(|x| i64::from(x) << super::entity::SPEED_FRACTION);
        let velocity = [0, 1].map(|axis| {
            let speed = i64::from(ship.velocity[axis]) + speed[axis];
            speed.clamp(-MAX_SPEED, MAX_SPEED) as i16
        });
        let (hull, reach) = self.hulls.add(body);
        Some(Entity { position: self.space.home(pose.position), velocity, reach, hull, ..ship })
    }
}
