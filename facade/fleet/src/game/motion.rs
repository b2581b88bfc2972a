//! Motion of ships and bullets.
//!
//! One loop over all entities, ascending by handle. Velocities are in sixteenths of a unit per tick.
//! Each tick adds another of sixteen fractions to the velocity before it is rounded down to whole
//! units. So an entity at a constant velocity moves by exactly this velocity, in units, in sixteen
//! ticks, and no fraction of a position is stored.

use hexphase::hex::{Angle, Point};
use hexphase::{Aabb, Error, Handle, Object};

use super::Game;
use super::entity::{Entity, SPEED_FRACTION};
use super::setup::{bullet_at, filter};

/// Acceleration at thrust 1: [`THRUST`] / 2^[`THRUST_FRACTION`] sixteenths of a unit per tick, in
/// each tick.
const THRUST: i32 = 16;
const THRUST_FRACTION: u32 = 3;
/// Each tick a ship loses 2^-`DRAG` of its velocity.
const DRAG: u32 = 7;
/// The sixteen fractions that are added to velocities, one per tick in this order.
const FRACTIONS: [i32; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];

/// Vectors of length [`THRUST`] in 256 directions.
#[derive(Debug)]
pub(super) struct Directions([[i8; 2]; 256]);

impl Directions {
    pub(super) fn new() -> Self {
        Self(core::array::from_fn(|n| {
            let to = Angle((n << 8) as u16).rotation().rotate(Point::new(THRUST, 0));
            [to.a as i8, to.b as i8]
        }))
    }
}

impl Game {
    /// Moves all entities. Removes bullets at the end of their lives, and launches bullets from the
    /// ships that fire in this tick.
    pub(super) fn move_all(&mut self) -> Result<(), Error> {
        let Self { world, broad, orders, directions, space, expired, firing, .. } = self;
        let (tick, space) = (self.tick as usize, *space);
        let fraction = FRACTIONS[tick % 16];
        let thrust_fraction = FRACTIONS[tick % 16] >> (4 - THRUST_FRACTION);
        let last = self.guns.period - 1;
        let turn = tick as u32 & last;
        expired.clear();
        firing.clear();
        broad.begin();
        for (handle, entity) in world.users_mut() {
            let [a, b] = entity.velocity.map(i32::from);
            let by = Point::new((a + fraction) >> SPEED_FRACTION, (b + fraction) >> SPEED_FRACTION);
            entity.position = space.home(entity.position + by);
            if entity.is_bullet() {
                if entity.life == 1 {
                    expired.push(handle);
                } else {
                    entity.life -= 1;
                    broad.place(handle, entity, by, space);
                }
                continue;
            }
            let order = orders.of(entity.player, entity.squad);
            entity.angle += Angle(entity.spin as u16);
            entity.spin += (i16::from(order.turn) - entity.spin).signum();
            let ahead = directions.0[usize::from(entity.angle.0 >> 8)];
            let faster = |axis: usize, speed: i32| {
                let gain = i32::from(ahead[axis]) * i32::from(order.thrust) + thrust_fraction;
                (speed - (speed >> DRAG) + (gain >> THRUST_FRACTION)) as i16
            };
            entity.velocity = [faster(0, a), faster(1, b)];
            broad.place(handle, entity, by, space);
            if handle.index() & last == turn && order.fire > 0 {
                firing.push(handle);
            }
        }
        let expired = core::mem::take(expired);
        for &bullet in &expired {
            self.remove(bullet);
        }
        self.expired = expired;
        self.fire()
    }

    /// Launches a bullet from each ship in `firing`.
    fn fire(&mut self) -> Result<(), Error> {
        let firing = core::mem::take(&mut self.firing);
        for &ship in &firing {
            let Entity { position, velocity, angle, player, .. } = self.world[ship];
            let bullet = bullet_at(position, angle, velocity, self.guns.life, player);
            let handle = self.launch(bullet)?;
            self.broad.place(handle, &bullet, Point::ORIGIN, self.space);
        }
        self.firing = firing;
        Ok(())
    }

    /// Adds an entity to the world.
    pub(super) fn launch(&mut self, entity: Entity) -> Result<Handle, Error> {
        let reach = i32::from(entity.reach);
        let Point { a, b } = entity.position;
        let bounds = Aabb { min: [a - reach, b - reach], max: [a + reach, b + reach] };
        self.world.insert_object(Object::new(bounds, entity).filter(filter(&entity)))
    }

    /// Removes an entity from the world.
    pub(super) fn remove(&mut self, object: Handle) {
        self.world.remove(object);
        self.broad.clear(object);
    }
}
