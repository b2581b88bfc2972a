//! Saving and loading states.
//!
//! A state has two parts: the snapshot of the world, without bounds because they change no result,
//! and the other fields of the game. Hulls are not copied; see [`hulls`](super::hulls).

use std::time::Instant;

use hexphase::{Plain, SnapshotError};

use super::Game;
use crate::inputs::Orders;
use crate::random::{Random, mixed};

/// The state of a game before a tick, for [`Game::load`].
#[derive(Clone, Debug, Default)]
pub struct Saved {
    tick: u64,
    hash: u64,
    world: Vec<u8>,
    extra: Vec<u8>,
}

impl Saved {
    /// Returns the tick before which the state was saved.
    #[must_use]
    pub const fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns the hash of the state. The hash covers every field of the game and is equal for
    /// every machine, structure, backend and number of threads.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }
}

impl Game {
    /// Saves the state before the next tick into `saved`, whose memory is reused. Returns the hash
    /// of the state.
    ///
    /// ```
    /// use hexphase_fleet::{Command, Game, Saved, Settings};
    ///
    /// let mut game = Game::new(Settings { ships: 50, ..Settings::default() })?;
    /// let mut saved = Saved::default();
    /// let hash = game.save(&mut saved);
    /// game.advance(&[Command::NONE; 2])?;
    /// game.load(&saved)?;
    /// assert_eq!(game.save(&mut saved), hash);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&mut self, saved: &mut Saved) -> u64 {
        let begin = Instant::now();
        let world = self.world.snapshot_without_bounds(&mut saved.world);
        let extra = &mut saved.extra;
        extra.clear();
        let (hulls, hash) = self.hulls.state();
        [self.random.0, self.digest, self.broken, u64::from(hulls), hash].write(extra);
        self.orders.write(extra);
        let words = extra.chunks(8).map(|word| {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            u64::from_le_bytes(bytes)
        });
        saved.hash = words.fold(mixed(world, self.tick), mixed);
        saved.tick = self.tick;
        self.times.save += begin.elapsed();
        saved.hash
    }

    /// Restores a saved state of this game. States that were saved later can no longer be loaded.
    ///
    /// # Errors
    /// If the state belongs to another game. The game is unchanged then.
    pub fn load(&mut self, saved: &Saved) -> Result<(), SnapshotError> {
        let begin = Instant::now();
        let mut extra = &saved.extra[..];
        let numbers = <[u64; 5]>::read(&mut extra).ok_or(SnapshotError::Corrupt)?;
        let orders = Orders::read(&mut extra).ok_or(SnapshotError::Corrupt)?;
        let Self { world, broad, .. } = self;
        broad.begin_load();
        let restored =
            world.restore_with(&saved.world, |object, entity| broad.load(object, entity));
        broad.end_load();
        restored?;
        let [random, digest, broken, hulls, hash] = numbers;
        self.orders = orders;
        self.random = Random(random);
        (self.digest, self.broken, self.tick) = (digest, broken, saved.tick);
        self.hulls.rewind(saved.tick, (hulls as u32, hash));
        self.near.iter_mut().for_each(|near| near.rewind(hulls as u32));
        self.touching.iter_mut().for_each(Vec::clear);
        self.times.load += begin.elapsed();
        Ok(())
    }

    /// Frees memory that is needed only for loading states from before a tick.
    pub fn forget(&mut self, tick: u64) {
        self.hulls.forget(tick);
    }
}
