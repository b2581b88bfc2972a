//! The game: one deterministic tick.
//!
//! 1. Apply the commands of the players to their squads.
//! 2. Move all entities ([`motion`]); remove bullets at the end of their lives, launch new ones.
//! 3. Find the pairs of overlapping rhombi ([`broad`], the broad phase).
//! 4. Find the contacts among them ([`contact`], the narrow phase).
//! 5. Apply the contacts ([`damage`]).
//!
//! All numbers are integers. The state is the world, whose user data are the entities, and a few
//! other fields; [`save`] writes all of it.

mod broad;
mod clearance;
mod contact;
mod damage;
mod entity;
mod hulls;
mod motion;
mod near;
mod save;
mod setup;
mod space;

use core::time::Duration;
use std::time::Instant;

use hexphase::hex::{HexBody, Point, Pose};
use hexphase::{BroadPhase, Error, Handle, Options};

use broad::Broad;
use contact::{Contacts, SLOW_PERIOD};
use entity::Entity;
use hulls::Hulls;
use motion::Directions;
use near::NearPairs;
pub use save::Saved;
use setup::Guns;
use space::Space;

use crate::inputs::{Command, Orders};
use crate::random::Random;
use crate::settings::Settings;

/// A game of ships and bullets. See the [crate documentation](crate).
#[derive(Debug)]
pub struct Game {
    settings: Settings,
    space: Space,
    world: BroadPhase<i32, 2, Entity>,
    hulls: Hulls,
    orders: Orders,
    random: Random,
    /// Number of the next tick.
    tick: u64,
    /// Hash of all pairs of the broad phase since the start.
    digest: u64,
    /// Number of cells lost since the start.
    broken: u64,
    guns: Guns,
    directions: Box<Directions>,
    pub(crate) times: Times,
    /// Number of entity updates since the start, replayed ticks included.
    pub(crate) updates: u64,
    // Buffers that are used within one tick.
    expired: Vec<Handle>,
    firing: Vec<Handle>,
    contacts: Contacts,
    /// The broad phase; not a part of the state.
    broad: Broad,
    /// Results of the narrow phase that may be reused, one list for each of the four ticks in which
    /// slow pairs are tested. Not part of the state.
    near: [NearPairs; SLOW_PERIOD as usize],
    /// Ships that touch: in each of the four ticks in which slow pairs are tested, and those of fast
    /// pairs. Not a part of the state.
    touching: [Vec<Handle>; SLOW_PERIOD as usize + 1],
}

/// Time spent in each part of a game since it was created.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Motion: the loop over all entities.
    pub motion: Duration,
    /// Broad phase: the pairs of bounding rhombi, and changes of bounds in the world.
    pub broad: Duration,
    /// Narrow phase: hexagons, circles and cells.
    pub narrow: Duration,
    /// Effects: bounces, broken cells, new ships.
    pub effects: Duration,
    /// Saving and loading states.
    pub snapshots: Duration,
}

/// A ship, for pictures.
#[derive(Clone, Copy, Debug)]
pub struct ShipView<'a> {
    /// The cells.
    pub body: &'a HexBody,
    /// Position and rotation, in units of the grid of the body.
    pub pose: Pose,
    /// Number of the player, from 0.
    pub player: u8,
    /// Whether the ship has lost cells.
    pub damaged: bool,
}

impl Game {
    /// Starts a game with default options: the structure and the backend are chosen automatically.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        Self::with_options(settings, Options::new())
    }

    /// Starts a game. `options` selects structure and backend, which change no result. The world
    /// always wraps and has no events; these options are ignored.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn with_options(settings: Settings, options: Options<i32, 2>) -> Result<Self, Error> {
        let (_, side) = setup::side(&settings);
        let mut random = Random(!settings.seed);
        let mut game = Self {
            settings,
            space: Space { side },
            world: BroadPhase::with_options(options.wrap([side; 2]).events(false)),
            hulls: Hulls::default(),
            orders: Orders::new(|| setup::first_order(&settings, &mut random)),
            random,
            tick: 0,
            digest: 0,
            broken: 0,
            guns: Guns::new(&settings),
            directions: Box::new(Directions::new()),
            times: Times::default(),
            updates: 0,
            expired: Vec::new(),
            firing: Vec::new(),
            contacts: Contacts::default(),
            broad: Broad::default(),
            near: Default::default(),
            touching: Default::default(),
        };
        game.populate()?;
        Ok(game)
    }

    /// Simulates one tick with the command of each player. Players without a command do nothing.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn advance(&mut self, commands: &[Command]) -> Result<(), Error> {
        let players = usize::from(self.settings.player_count());
        for (player, &command) in commands.iter().enumerate().take(players) {
            self.orders.apply(player, command);
        }
        self.updates += self.world.len() as u64;
        let begin = Instant::now();
        self.move_all()?;
        let moved = Instant::now();
        self.find_pairs()?;
        let stepped = Instant::now();
        self.find_contacts();
        let found = Instant::now();
        self.apply_contacts()?;
        self.tick += 1;
        self.times.motion += moved - begin;
        self.times.broad += stepped - moved;
        self.times.narrow += found - stepped;
        self.times.effects += found.elapsed();
        Ok(())
    }

    /// For tests of the comparison: sets the highest bit of the squad of the first entity, which is
    /// otherwise 0 and has no effect on the game. Repeating it has no effect, so the bit is also
    /// set when the tick is simulated again.
    pub fn flip_bit(&mut self) {
        let first = self.world.handles().next();
        if let Some(entity) = first.and_then(|first| self.world.user_mut(first)) {
            entity.squad |= 0x80;
        }
    }

    /// Returns the number of the next tick.
    pub const fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns the settings.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of ships. Takes time linear in the number of entities.
    pub fn ships(&self) -> usize {
        self.world.objects().filter(|(_, object)| !object.user.is_bullet()).count()
    }

    /// Returns the number of bullets. Takes time linear in the number of entities.
    pub fn bullets(&self) -> usize {
        self.world.len() - self.ships()
    }

    /// Returns the number of cells that ships have lost since the start.
    pub const fn broken_cells(&self) -> u64 {
        self.broken
    }

    /// Returns the side of the world in units. Positions have coordinates from 0 to the side on
    /// both axes of the hexagonal plane, and wrap. 512 units are the size of a cell.
    pub const fn side(&self) -> i32 {
        self.space.side
    }

    /// Returns all ships, in a fixed order.
    ///
    /// ```
    /// use hexphase_fleet::{Game, Settings};
    ///
    /// let game = Game::new(Settings { ships: 20, bullets: 5, ..Settings::default() })?;
    /// let cells: usize = game.ship_views().map(|ship| ship.body.len()).sum();
    /// assert!(cells > 60);
    /// assert!(game.bullet_positions().all(|bullet| (0..game.side()).contains(&bullet.a)));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn ship_views(&self) -> impl Iterator<Item = ShipView<'_>> {
        self.world.objects().filter(|(_, object)| !object.user.is_bullet()).map(|(_, object)| {
            let Entity { position, angle, hull, player, .. } = object.user;
            let body = &self.hulls.get(hull).body;
            let damaged = !self.hulls.is_shape(hull);
            ShipView { body, pose: Pose::new(position, angle), player, damaged }
        })
    }

    /// Returns the positions of all bullets, in a fixed order.
    pub fn bullet_positions(&self) -> impl Iterator<Item = Point> {
        let bullets = self.world.objects().filter(|(_, object)| object.user.is_bullet());
        bullets.map(|(_, object)| object.user.position)
    }
}
