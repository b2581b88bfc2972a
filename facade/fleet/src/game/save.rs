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
    /// The tick before which the state was saved.
    pub tick: u64,
    /// Hash of every field of the game, equal for every machine, structure, backend and number of
    /// threads.
    pub hash: u64,
    world: Vec<u8>,
    extra: Vec<u8>,
}

impl Game {
    /// Saves the state before the next tick into `saved`, whose memory is reused. Returns the hash
    /// of the state.
    pub fn save(&mut self, saved: &mut Saved) -> u64 {
        let begin = Instant::now();
        // A new field of the game does not compile until it is saved, or excluded in the last lines.
        let Self {
            world,
            hulls,
            orders,
            random: Random(random),
            tick,
            digest,
            broken,
            times,
            // Settings, and tables derived from them.
            settings: _,
            space: _,
            guns: _,
            directions: _,
            // Statistics, buffers, and results that may be reused.
            updates: _,
            expired: _,
            firing: _,
            contacts: _,
            broad: _,
            near: _,
            touching: _,
        } = self;
        let world = world.snapshot_without_bounds(&mut saved.world);
        let extra = &mut saved.extra;
        extra.clear();
        let (hulls, hash) = hulls.state();
        [*random, *digest, *broken, u64::from(hulls), hash].write(extra);
        orders.write(extra);
        let words = extra.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word));
        saved.hash = words.fold(mixed(world, *tick), mixed);
        saved.tick = *tick;
        times.snapshots += begin.elapsed();
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
        self.times.snapshots += begin.elapsed();
        Ok(())
    }

    /// Frees memory that is needed only for loading states from before a tick.
    pub fn forget(&mut self, tick: u64) {
        self.hulls.forget(tick);
    }
}
