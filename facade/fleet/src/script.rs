//! Scripted players: random commands that depend only on the seed.

use crate::inputs::{Command, SQUADS};
use crate::random::Random;
use crate::settings::{Scene, Settings};

/// A player that sends a command in about every fourth tick.
///
/// ```
/// use hexphase_fleet::{Script, Settings};
///
/// let mut script = Script::new(&Settings::default(), 0);
/// let sent = (0..1000).filter(|_| script.command().is_some()).count();
/// assert!((200..300).contains(&sent));
/// ```
#[derive(Clone, Debug)]
pub struct Script {
    random: Random,
    scene: Scene,
}

impl Script {
    /// Creates the script of a player.
    #[must_use]
    pub const fn new(settings: &Settings, player: u8) -> Self {
        let seed = settings.seed ^ (player as u64 + 1) << 40;
        Self { random: Random(seed), scene: settings.scene }
    }

    /// Returns the command of the next tick.
    pub fn command(&mut self) -> Command {
        let random = &mut self.random;
        if random.below(4) > 0 {
            return Command::NONE;
        }
        let (thrust, turn) = self.scene.order(random);
        Command {
            squad: 1 + random.below(SQUADS.into()) as u8,
            thrust,
            turn,
            fire: u8::from(random.below(4) > 0),
        }
    }
}
