//! A game of ships in lockstep with rollback, simulated by peers that must agree to the bit.
//!
//! Ships consist of hexagonal cells, most of them of a few cells, and turn and move in a plane that
//! wraps. Players give orders to squads: thrust, rate of turn, fire. Ships that touch bounce. Fast
//! contacts and bullets break cells, and parts that are no longer connected become ships.
//!
//! Peers send each other only inputs, which may arrive late, out of order, or twice. A peer
//! simulates a tick without waiting for the inputs of others. When an input for a past tick
//! arrives, it loads the state before that tick and simulates again from there. So a second of game
//! time costs many simulated seconds, and the simulation must be at least ten times faster than
//! real time.
//!
//! ```text
//! Game    one deterministic tick; save, load            game/
//!  |        motion     one loop over the user data of the world: position, rotation
//!  |        broad      pairs of bounding rhombi: bounds in the world are larger, so one step of
//!  |                   the world finds the candidates of many ticks
//!  |        narrow     hexagon along c, circle, cells; pairs with a known answer are skipped
//!  |        effects    bounces, broken cells, new ships and bullets
//! Peer    inputs by tick, saved states, rollback         peer.rs
//! run     peers in one process, over a network that     run.rs, net.rs
//!         delays, loses and repeats; hashes compared
//! ```
//!
//! The package `facade/wire` plays the game between two processes over UDP.
//!
//! All numbers are integers: positions in units of 1/512 cell, velocities in sixteenths of a unit
//! per tick, angles in units of 2^-16 turns. A tick takes 10 ms of game time. [`Game::save`] writes
//! the state and returns a hash, which is equal for every structure, backend and number of threads,
//! with and without rollback.
//!
//! ```
//! use hexphase_fleet::{Command, Game, Saved, Settings};
//!
//! let settings = Settings { ships: 100, bullets: 20, ..Settings::default() };
//! let mut game = Game::new(settings)?;
//! let mut saved = Saved::default();
//! game.save(&mut saved);
//! let full_ahead = Command { squad: 1, thrust: 3, turn: 0, fire: 1 };
//! for tick in 0..20 {
//!     game.advance(&[if tick == 0 { full_ahead } else { Command::NONE }])?;
//! }
//! game.load(&saved)?; // 20 ticks back
//! assert_eq!(game.tick(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
extern crate alloc;

mod game;
mod inputs;
mod net;
mod peer;
mod random;
mod report;
mod run;
mod settings;

pub use game::{Game, Saved, ShipView, Times};
pub use inputs::{Command, Script};
pub use net::{Conditions, Packet};
pub use peer::Peer;
pub use report::TICK;
pub use run::{Difference, Machine, PeerReport, Plan, Report, run};
pub use settings::{Scene, Settings};
