//! A peer: one player's copy of the game. It simulates without waiting for inputs, and again when
//! inputs arrive late.
//!
//! 1. Simulate each tick with the inputs that have arrived. A missing input counts as
//!    [`Command::NONE`].
//! 2. When an input other than `NONE` arrives for a past tick, load the state before the earliest
//!    such tick, and simulate again up to the present. For this the peer saves the state before
//!    each tick. If it simulates the last n ticks again in every tick anyway (`depth`), it does not
//!    save states that would be replaced before they could be loaded.
//! 3. A tick is confirmed when all inputs of all earlier ticks have arrived: the state before it
//!    cannot change any more. The hash of this state must be equal on all peers.
//! 4. A peer that is too far ahead of its confirmed tick waits.

use alloc::collections::VecDeque;
use core::error::Error;
use core::time::Duration;
use std::time::Instant;

use crate::game::{Game, Saved};
use crate::inputs::Command;
use crate::net::Packet;

/// A game with its inputs and its saved states.
///
/// ```
/// use hexphase_fleet::{Command, Game, Packet, Peer, Settings};
///
/// let settings = Settings { ships: 40, bullets: 10, ..Settings::default() };
/// let mut peers = [(); 2].map(|()| Peer::new(Game::new(settings).expect("memory"), 20, 0));
/// let turn = Command { squad: 2, thrust: 1, turn: 50, fire: 0 };
/// for tick in 0..10 {
///     for peer in &mut peers {
///         for player in 0..2 {
///             let command = if (player, tick) == (1, 4) { turn } else { Command::NONE };
///             // One packet has not arrived.
///             if tick != 4 || player == 0 {
///                 peer.receive(Packet { player, tick, command });
///             }
///         }
///         peer.tick()?;
///     }
/// }
/// let late = Packet { player: 1, tick: 4, command: turn };
/// for peer in &mut peers {
///     assert_eq!(peer.confirmed(), 4);
///     peer.receive(late);
///     peer.catch_up()?;
///     assert_eq!((peer.confirmed(), peer.replayed()), (10, 6));
/// }
/// assert_eq!(peers[0].hash(), peers[1].hash());
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug)]
pub struct Peer {
    game: Game,
    /// States before the latest ticks; the index is the tick modulo the length.
    saved: Vec<Saved>,
    inputs: Inputs,
    /// Earliest past tick with an input that has arrived since it was simulated.
    late: Option<u64>,
    /// Number of ticks that are simulated again in each tick, whether inputs are late or not.
    depth: u64,
    replayed: u64,
    replay_time: Duration,
    /// Tick whose hash is returned next.
    compared: u64,
    /// For tests: the tick before which one bit of the game is changed.
    lie: Option<u64>,
}

impl Peer {
    /// Creates a peer that can be `window` ticks ahead of its confirmed tick, and simulates at
    /// least the last `depth` ticks again in each tick. A `window` below 1 or `depth` is raised to
    /// them.
    pub fn new(game: Game, window: u64, depth: u64) -> Self {
        let window = window.max(depth).max(1);
        let players = usize::from(game.settings().player_count());
        let saved = vec![Saved::default(); window as usize + 1];
        let inputs = Inputs::new(game.tick(), players);
        let compared = game.tick();
        Self {
            game,
            saved,
            inputs,
            late: None,
            depth,
            replayed: 0,
            replay_time: Duration::ZERO,
            compared,
            lie: None,
        }
    }

    /// Returns the game in its current state. Recent ticks may lack inputs of other players.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// For tests of the comparison: changes one bit of the game before a tick, whenever that tick
    /// is simulated.
    pub const fn lie_before(&mut self, tick: u64) {
        self.lie = Some(tick);
    }

    /// Returns the number of ticks that were simulated again, each repetition counted.
    pub const fn replayed(&self) -> u64 {
        self.replayed
    }

    /// Returns the time spent on loading states and simulating ticks again.
    pub const fn replay_time(&self) -> Duration {
        self.replay_time
    }

    /// Returns the confirmed tick: the latest tick such that all inputs of earlier ticks have
    /// arrived.
    pub fn confirmed(&self) -> u64 {
        self.inputs.complete
    }

    /// Returns whether the peer is ahead of its confirmed tick by the window, and so must wait for
    /// inputs.
    pub fn must_wait(&self) -> bool {
        self.game.tick() >= self.confirmed() + self.saved.len() as u64 - 1
    }

    /// Stores an input. Inputs that are already stored, and inputs of unknown players, are ignored.
    pub fn receive(&mut self, packet: Packet) {
        let is_new = self.inputs.insert(packet);
        if is_new && packet.command.is_some() && packet.tick < self.game.tick() {
            self.late = Some(self.late.unwrap_or(packet.tick).min(packet.tick));
        }
    }

    /// Applies late inputs, then simulates a tick.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn tick(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.replay()?;
        self.simulate(self.game.tick())
    }

    /// Applies late inputs without simulating a new tick.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn catch_up(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        if self.late.is_some() { self.replay() } else { Ok(()) }
    }

    fn replay(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        let now = self.game.tick();
        let first = now.saturating_sub(self.depth).min(self.late.take().unwrap_or(now));
        if first < now {
            let begin = Instant::now();
            self.game.load(&self.saved[self.place(first)])?;
            for _ in first..now {
                self.simulate(now)?;
            }
            self.replayed += now - first;
            self.replay_time += begin.elapsed();
        }
        Ok(())
    }

    /// Simulates the next tick. `now` is the tick up to which the peer simulates again.
    fn simulate(&mut self, now: u64) -> Result<(), Box<dyn Error + Send + Sync>> {
        let tick = self.game.tick();
        if self.lie == Some(tick) {
            self.game.flip_bit();
        }
        // States after `now + 1 - depth` are not needed: the next tick loads this state or an
        // earlier one.
        if tick <= (now + 1).saturating_sub(self.depth) {
            let place = self.place(tick);
            self.game.save(&mut self.saved[place]);
        }
        self.game.advance(self.inputs.of(tick))?;
        Ok(())
    }

    /// Returns the next confirmed tick and the hash of the state before it; each tick once. Call
    /// this after [`tick`](Self::tick) until it returns `None`.
    pub fn confirmed_hash(&mut self) -> Option<(u64, u64)> {
        let tick = self.compared;
        let saved = self.game.tick().saturating_sub(self.depth.max(1));
        if self.late.is_some() || tick > self.confirmed() || tick > saved {
            return None;
        }
        let saved = &self.saved[self.place(tick)];
        debug_assert_eq!(saved.tick, tick);
        let hash = saved.hash;
        self.compared += 1;
        // The input for this tick itself may still be missing, so the state before it may be loaded
        // again.
        let needed = tick.min(self.game.tick().saturating_sub(self.depth));
        self.game.forget(needed);
        self.inputs.forget(needed);
        Some((tick, hash))
    }

    /// Returns the hash of the current state.
    pub fn hash(&mut self) -> u64 {
        self.game.save(&mut Saved::default())
    }

    fn place(&self, tick: u64) -> usize {
        (tick % self.saved.len() as u64) as usize
    }
}

/// Received inputs by tick and player.
#[derive(Debug)]
struct Inputs {
    players: usize,
    /// Tick of the first entry of the list.
    first: u64,
    /// By tick: the commands, and the inputs that have arrived, as one bit per player.
    ticks: VecDeque<(Vec<Command>, u32)>,
    /// The latest tick such that all inputs of earlier ticks have arrived.
    complete: u64,
}

impl Inputs {
    fn new(first: u64, players: usize) -> Self {
        Self { players, first, ticks: VecDeque::new(), complete: first }
    }

    /// Stores an input and returns whether it is new.
    fn insert(&mut self, packet: Packet) -> bool {
        let Packet { player, tick, command } = packet;
        let player = usize::from(player);
        if tick < self.complete || player >= self.players {
            return false;
        }
        let at = (tick - self.first) as usize;
        while self.ticks.len() <= at {
            self.ticks.push_back((vec![Command::NONE; self.players], 0));
        }
        let (commands, arrived) = &mut self.ticks[at];
        if *arrived >> player & 1 != 0 {
            return false;
        }
        *arrived |= 1 << player;
        commands[player] = command;
        let all = (1 << self.players) - 1;
        let done = (self.complete - self.first) as usize;
        self.complete +=
            self.ticks.iter().skip(done).take_while(|tick| tick.1 == all).count() as u64;
        true
    }

    fn of(&self, tick: u64) -> &[Command] {
        self.ticks.get((tick - self.first) as usize).map_or(&[], |tick| &tick.0)
    }

    /// Drops the inputs of confirmed ticks before a tick.
    fn forget(&mut self, tick: u64) {
        while self.first < tick.min(self.complete) {
            self.ticks.pop_front();
            self.first += 1;
        }
    }
}
