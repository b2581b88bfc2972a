//! Errors of a game between two processes.

use core::error::Error;
use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::io;

use crate::terms::TermsDiffer;

/// The reason that a game between two processes failed. Addresses are those of the other side.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireError {
    /// The socket failed.
    Socket(io::Error),
    /// No process has connected within this timeout.
    NotCalled(Duration),
    /// No answer has come from the address within this timeout.
    NoAnswer(SocketAddr, Duration),
    /// The other side already plays with a third process.
    Busy(SocketAddr),
    /// The two sides have different settings, or programs that simulate different games.
    Terms(SocketAddr, TermsDiffer),
    /// During the game nothing has arrived from the other side.
    Silent {
        /// The address.
        peer: SocketAddr,
        /// The timeout.
        timeout: Duration,
        /// Number of confirmed ticks: all inputs of earlier ticks have arrived.
        confirmed: u64,
    },
    /// The states of the two sides differ. Both sides report the same tick.
    Differs(WireDifference),
    /// The window or the input delay is not valid.
    Session(ggrs::GgrsError),
    /// Memory is exhausted, or threads cannot be started.
    Game(Box<dyn Error + Send + Sync>),
}

/// The difference between two processes whose states before a confirmed tick are not equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireDifference {
    /// The first compared tick with different states.
    pub tick: u64,
    /// Player of this side: 0 listens, 1 connects.
    pub player: u8,
    /// Hash of the state of this side.
    pub here: u64,
    /// Hash of the state of the other side.
    pub there: u64,
    /// The other side.
    pub peer: SocketAddr,
    /// Tick that this side had reached when it found the difference or was informed of it.
    pub found: u64,
}

impl fmt::Display for WireDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, player, here, there, peer, found } = self;
        write!(
            f,
            "the states before tick {tick} differ: {here:016x} here (player {player}), {there:016x} \
             at {peer} (player {}); found in tick {found}",
            1 - player
        )
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(error) => write!(f, "the socket fails: {error}"),
            Self::NotCalled(timeout) => {
                write!(f, "no process has connected for {} s", timeout.as_secs_f64())
            }
            Self::NoAnswer(peer, timeout) => {
                write!(f, "no answer from {peer} for {} s", timeout.as_secs_f64())
            }
            Self::Busy(peer) => write!(f, "{peer} plays with another process"),
            Self::Terms(peer, differ) => write!(f, "{peer} plays another game: {differ}"),
            Self::Silent { peer, timeout, confirmed } => write!(
                f,
                "nothing from {peer} for {} s, after {confirmed} confirmed ticks",
                timeout.as_secs_f64()
            ),
            Self::Differs(difference) => difference.fmt(f),
            Self::Session(error) => error.fmt(f),
            Self::Game(error) => error.fmt(f),
        }
    }
}

impl Error for WireError {}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        Self::Socket(error)
    }
}

impl From<ggrs::GgrsError> for WireError {
    fn from(error: ggrs::GgrsError) -> Self {
        Self::Session(error)
    }
}

impl From<Box<dyn Error + Send + Sync>> for WireError {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        Self::Game(error)
    }
}
