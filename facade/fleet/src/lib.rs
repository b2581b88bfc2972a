//! A game of ships in lockstep with rollback.
#![forbid(unsafe_code)]

mod game;
mod inputs;
mod net;
mod peer;
mod random;
mod report;
mod run;
mod script;
mod settings;
#[cfg(feature = "wire")]
pub mod wire;

pub use game::{Game, Saved, Sprite, Times};
pub use inputs::{Command, MAX_PLAYERS, SQUADS};
pub use net::{Conditions, Packet};
pub use peer::Peer;
pub use report::TICK;
pub use run::{Difference, Machine, PeerReport, Plan, Report, run};
pub use script::Script;
pub use settings::{Scene, Settings};
