//! Scripted players: random commands that depend only on the seed.

use crate::inputs::{Command, SQUADS};
use crate::random::Random;

/// A player that sends a command in about every fourth tick.
#[derive(Clone, Debug)]
pub struct Script {
    random: Random,
}

impl Script {
    /// Creates the script of a player.
    #[must_use]
    pub fn new(seed: u64, player: u8) -> Self {
        Self { random: Random(seed ^ (u64::from(player) + 1) << 40) }
    }

    /// Returns the command of the next tick.
    pub fn command(&mut self) -> Command {
        let random = &mut self.random;
        if random.below(4) > 0 {
            return Command::NONE;
        }
        Command {
            squad: 1 + random.below(SQUADS.into()) as u8,
            thrust: random.below(3) as u8,
            turn: random.around_zero(96) as i8,
            fire: u8::from(random.below(4) > 0),
        }
    }
}
