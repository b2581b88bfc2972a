//! Settings of a game, which are equal on all peers.

use hexphase::plain;

use crate::inputs::MAX_PLAYERS;
use crate::random::Random;

plain! {
    /// The distribution of the ships at the start.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Scene {
        /// Ships are on average 32 cells apart. One ship in 2000 has 500 cells.
        #[default]
        Sparse,
        /// Ships are close together and move slowly. About a fifth of them touch another ship.
        Dense,
    }

    /// Settings of a game. All peers need equal settings.
    ///
    /// ```
    /// use hexphase_fleet::{Game, Settings};
    ///
    /// let game = Game::new(Settings { ships: 100, bullets: 10, ..Settings::default() })?;
    /// assert_eq!((game.ships(), game.bullets()), (100, 10));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Settings {
        /// Number of ships at the start.
        pub ships: u32,
        /// Number of bullets at the start; the rate of fire keeps the number about constant.
        pub bullets: u32,
        /// Seed of the random numbers.
        pub seed: u64,
        /// The distribution of the ships at the start.
        pub scene: Scene,
        /// Number of players, from 1 to 8. Ships are assigned to the players in turn.
        pub players: u8,
    }
}

impl Scene {
    /// Returns the name: `sparse` or `dense`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sparse => "sparse",
            Self::Dense => "dense",
        }
    }

    /// Returns a random order: thrust and rate of turn.
    pub(crate) fn order(self, random: &mut Random) -> (u8, i8) {
        match self {
            Self::Sparse => (random.below(3) as u8, random.around_zero(96) as i8),
            Self::Dense => (u8::from(random.below(4) == 0), random.around_zero(12) as i8),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { ships: 10_000, bullets: 1_000, seed: 1, scene: Scene::Sparse, players: 2 }
    }
}

impl Settings {
    /// Returns the number of players, limited to the range from 1 to 8.
    pub(crate) fn player_count(&self) -> u8 {
        self.players.clamp(1, MAX_PLAYERS as u8)
    }
}
