//! Counts the ships that touch another ship. The count is not a part of the state and has no effect
//! on the game.
//!
//! 1. When the narrow phase finds that two ships touch, it stores in the slots of both the tick at
//!    which this result ends: the next tick for a fast pair, which is tested in every tick, and the
//!    next test for a slow pair.
//! 2. A ship touches another in a tick if its slot has a later end.

use hexphase::Handle;

use super::Game;

/// The ships that touch.
#[derive(Debug, Default)]
pub(super) struct Touches {
    /// By slot: the tick before which the ship in this slot touches another; 0 if it does not.
    ends: Vec<u64>,
}

impl Touches {
    /// Records two ships that touch before the tick `end`.
    #[inline]
    pub(super) fn add(&mut self, ships: [Handle; 2], end: u64) {
        for ship in ships {
            let slot = ship.index() as usize;
            if slot >= self.ends.len() {
                self.ends.resize(slot + 1, 0);
            }
            self.ends[slot] = self.ends[slot].max(end);
        }
    }

    /// Records that the ship in a slot is removed.
    pub(super) fn remove(&mut self, ship: Handle) {
        if let Some(end) = self.ends.get_mut(ship.index() as usize) {
            *end = 0;
        }
    }

    /// Drops all records, because another state is loaded.
    pub(super) fn clear(&mut self) {
        self.ends.clear();
    }
}

impl Game {
    /// Returns the number of ships that touched another ship in the last simulated tick: a cell of
    /// one overlapped a cell of the other. Ships that are slow relative to each other are tested in
    /// every fourth tick, and the result counts until the next test. After a state is loaded, only
    /// the tests since then count. Takes time linear in the number of entities.
    ///
    /// ```
    /// use hexphase_fleet::{Command, Game, Scene, Settings};
    ///
    /// let settings = Settings { ships: 100, scene: Scene::Dense, ..Settings::default() };
    /// let mut game = Game::new(settings)?;
    /// for _ in 0..4 {
    ///     game.advance(&[Command::NONE; 2])?;
    /// }
    /// assert!((10..90).contains(&game.touching_ships()));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn touching_ships(&self) -> usize {
        let last = self.tick().saturating_sub(1);
        self.touches.ends.iter().filter(|&&end| end > last).count()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::super::contact::{SLOW_PERIOD, is_fast, relative_velocity};
    use crate::{Command, Game, Saved, Scene, Settings};

    /// Plays 40 ticks, in which each fifth ship is fast at the start, and keeps a map of the
    /// results that have not ended.
    #[test]
    fn ships_touch_until_their_results_end() {
        let settings =
            Settings { ships: 150, bullets: 0, scene: Scene::Dense, ..Settings::default() };
        let mut game = Game::new(settings).expect("memory");
        for (_, ship) in game.world.users_mut().step_by(5) {
            ship.velocity[0] += 500;
        }
        let mut ends = BTreeMap::new();
        let mut fast_pairs = 0;
        for tick in 0..40 {
            game.move_all().expect("memory");
            game.find_pairs().expect("memory");
            game.find_contacts();
            for &[i, j] in &game.contacts.touching {
                let velocity = relative_velocity(game.world[i].velocity, game.world[j].velocity);
                fast_pairs += u32::from(is_fast(velocity));
                let end = tick + if is_fast(velocity) { 1 } else { u64::from(SLOW_PERIOD) };
                for ship in [i, j] {
                    let known = ends.entry(ship).or_insert(end);
                    *known = end.max(*known);
                }
            }
            game.apply_contacts().expect("memory");
            game.tick += 1;
            ends.retain(|&ship, &mut end| game.world.contains(ship) && end > tick);
            assert_eq!(game.touching_ships(), ends.len(), "tick {tick}");
        }
        assert!(ends.len() > 20 && fast_pairs > 0, "{} ships, {fast_pairs} pairs", ends.len());
        let mut saved = Saved::default();
        game.save(&mut saved);
        game.load(&saved).expect("saved above");
        assert_eq!(game.touching_ships(), 0);
        game.advance(&[Command::NONE; 2]).expect("memory");
        assert!((1..ends.len()).contains(&game.touching_ships()));
    }
}
