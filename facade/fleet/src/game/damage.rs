//! Effects of contacts: ships bounce, lose cells, and break apart.

use hexphase::hex::{Hex, HexBody, Pose};
use hexphase::{Error, Handle};

use super::Game;
use super::contact::relative_velocity;
use super::entity::Entity;
use super::hulls::centered;
use super::space::{dot, square};

/// Minimum speed at which touching ships move apart after a bounce, in sixteenths of a unit per
/// tick.
const PARTING_SPEED: i64 = 48;
/// Minimum number of cells of a ship; parts with fewer cells vanish.
const MIN_CELLS: usize = 2;
/// Maximum speed on each axis after a bounce, in sixteenths of a unit per tick.
const MAX_SPEED: i64 = 2000;

impl Game {
    /// Applies the contacts of this tick: hits, bounces and broken cells. The result does not
    /// depend on the structure, because each list is sorted or in the order of the pairs.
    pub(super) fn apply_contacts(&mut self) -> Result<(), Error> {
        let mut contacts = core::mem::take(&mut self.contacts);
        // Keep the first hit of each bullet.
        contacts.hits.sort_unstable();
        contacts.hits.dedup_by_key(|hit| hit.0);
        for &(bullet, _, ship, cell) in &contacts.hits {
            self.remove(bullet);
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

    /// Changes the velocities of two ships that touch, each in proportion to the mass of the other.
    /// Along the line between their centers they move apart with a quarter of the speed at which
    /// they approached, but at least with [`PARTING_SPEED`]. Friction takes a quarter of their
    /// spin.
    fn bounce(&mut self, handles: [Handle; 2]) {
        let [a, b] = handles.map(|ship| self.world[ship]);
        let between = self.space.offset(a.position, b.position);
        let length = (square(between) as u64).isqrt().max(1) as i64;
        let speed = dot(relative_velocity(a.velocity, b.velocity), between) / length;
        let gain = PARTING_SPEED.max(-speed / 4) - speed;
        let masses = [a, b].map(|ship| i64::from(self.hulls.get(ship.hull).cells));
        let shares = [-gain * masses[1], gain * masses[0]];
        for (handle, share) in handles.into_iter().zip(shares) {
            let share = if gain > 0 { share } else { 0 };
            let Some(ship) = self.world.user_mut(handle) else { continue };
            for (speed, way) in ship.velocity.iter_mut().zip([between.a, between.b]) {
                let change = i64::from(way) * share / (length * (masses[0] + masses[1]));
                *speed = (i64::from(*speed) + change).clamp(-MAX_SPEED, MAX_SPEED) as i16;
            }
            ship.spin -= ship.spin / 4;
        }
    }

    /// Removes cells from a ship. Each part that is no longer connected to the others becomes a
    /// ship.
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
            Some(entity) => {
                if let Some(ship) = self.world.user_mut(handle) {
                    *ship = entity;
                }
            }
            None => self.remove(handle),
        }
        for part in parts {
            if let Some(entity) = self.part_of(ship, part) {
                self.launch(entity)?;
            }
        }
        Ok(())
    }

    /// Returns a part of a ship as a new ship, with the velocity that this part had in the rotating
    /// ship. Returns `None` if the part is too small.
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
