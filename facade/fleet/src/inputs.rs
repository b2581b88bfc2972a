//! Inputs: commands of players to their squads, and players that send random ones.

use hexphase::plain;

use crate::random::Random;
use crate::settings::{Scene, Settings};

/// Number of squads of a player.
pub(crate) const SQUADS: u8 = 16;
/// Maximum number of players.
pub(crate) const MAX_PLAYERS: usize = 8;

plain! {
    /// The input of a player in one tick: a new order for one squad, or none.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Command {
        /// Number of the squad from 1 to 16; 0 if there is no command.
        pub squad: u8,
        /// Thrust from 0 to 3.
        pub thrust: u8,
        /// Rate of turn, in units of 2^-16 turns per tick.
        pub turn: i8,
        /// 1 if the ships fire, otherwise 0.
        pub fire: u8,
    }
}

impl Command {
    /// No command: all orders remain.
    pub const NONE: Self = Self { squad: 0, thrust: 0, turn: 0, fire: 0 };

    /// Returns whether there is a command.
    pub const fn is_some(self) -> bool {
        self.squad > 0
    }
}

plain! {
    /// The current orders of all squads: the last command to each squad.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Orders {
        list: [Command; MAX_PLAYERS * SQUADS as usize],
    }
}

impl Orders {
    /// Creates orders. `first` is called for each squad and returns its first order.
    pub(crate) fn new(mut first: impl FnMut() -> Command) -> Self {
        Self { list: core::array::from_fn(|_| first()) }
    }

    /// Applies a command of a player. Commands come from other machines, so commands to unknown
    /// squads are ignored, and values are limited to their ranges.
    pub(crate) fn apply(&mut self, player: usize, command: Command) {
        if command.is_some() && command.squad <= SQUADS {
            let at = player * usize::from(SQUADS) + usize::from(command.squad) - 1;
            let (thrust, fire) = (command.thrust.min(3), command.fire.min(1));
            self.list[at] = Command { thrust, fire, ..command };
        }
    }

    /// Returns the current order of a squad; squads are counted from 0.
    #[inline(always)]
    pub(crate) fn of(&self, player: u8, squad: u8) -> Command {
        let at = usize::from(player) * usize::from(SQUADS) + usize::from(squad);
        self.list[at % (MAX_PLAYERS * SQUADS as usize)]
    }
}

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
