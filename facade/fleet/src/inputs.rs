//! Inputs: commands of players to their squads.

use hexphase::{Plain, plain};

/// Number of squads of a player.
pub(crate) const SQUADS: u8 = 16;
/// Maximum number of players.
pub(crate) const MAX_PLAYERS: usize = 8;

plain! {
    /// The input of a player in one tick: a new order for one squad, or none.
    ///
    /// ```
    /// use hexphase_fleet::Command;
    ///
    /// let full_ahead = Command { squad: 3, thrust: 3, turn: 0, fire: 1 };
    /// assert!(full_ahead.is_some() && !Command::NONE.is_some());
    /// ```
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
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.squad > 0
    }
}

/// The current orders of all squads: the last command to each squad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Orders {
    list: [Command; MAX_PLAYERS * SQUADS as usize],
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

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        Command::write_all(&self.list, out);
    }

    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut list = [Command::NONE; MAX_PLAYERS * SQUADS as usize];
        for order in &mut list {
            *order = Command::read(bytes)?;
        }
        Some(Self { list })
    }
}
