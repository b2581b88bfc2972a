//! The game between two processes over UDP, with GGRS.
//!
//! 1. The sides find each other and compare their terms: settings, number of ticks, hash of the
//!    first state (`greet`).
//! 2. A GGRS session exchanges the inputs (`session`). It requests from this program to save a
//!    state, to load a state, or to simulate a tick. A missing input is predicted to be no command,
//!    which is right for three of four ticks. A late input causes a rollback, as with
//!    [`Peer`](hexphase_fleet::Peer).
//! 3. Each saved state has a hash. In every tenth confirmed tick, GGRS sends the hash and compares
//!    it with that of the other side. A side that finds a difference informs the other side.
//! 4. When all inputs of the last tick are confirmed, the sides exchange the hash of the last
//!    state.
//!
//! **Window.** The window is the maximum number of ticks that a side may be ahead of the confirmed
//! inputs; then the side waits. An input arrives after the latency of one direction, less the input
//! delay. Each packet repeats all inputs that are not acknowledged, so a lost packet delays an
//! input by only one tick. At a latency of 100 to 120 ms and 10 ms per tick, 12 ticks are needed
//! for the latency, and 4 more for packets that are lost in a row (at 5 % loss, 4 in a row happen
//! about once in half an hour). The rest of the default window of 32 is for a machine that is busy,
//! and for latencies up to 200 ms.
//!
//! **Interval.** A difference arises at most 10 ticks before the next compared tick. Then this tick
//! must be confirmed, and the hash must arrive. So it is found after about 35 ticks at a latency of
//! 100 ms, and after 10 more if the packet is lost. GGRS keeps 32 hashes, so with an interval of 10
//! ticks a hash may be 320 ticks late.
//!
//! To keep the sides together, the side that is ahead plays 10 % slower.

#![forbid(unsafe_code)]

extern crate alloc;

mod error;
mod greet;
mod link;
mod packet;
mod report;
mod session;
mod terms;

use core::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use core::time::Duration;
use std::net::UdpSocket;

pub use error::{WireDifference, WireError};
pub use report::WireReport;
pub use terms::{Terms, TermsDiffer};

use hexphase_fleet::{Game, Machine, Saved, Settings, TICK};

use link::Link;

/// Number of ticks between two comparisons of hashes.
pub const COMPARE_EVERY: u32 = 10;

/// One side of a game between two processes.
#[derive(Clone, Debug)]
pub struct WirePlan {
    /// Settings of the game; equal on both sides. The number of players is 2.
    pub settings: Settings,
    /// Number of ticks; must be equal on both sides, at most 2^30.
    pub ticks: u64,
    /// Real time of a tick; should be about equal on both sides.
    pub tick: Duration,
    /// Structure, backend and threads of this side, which change no result.
    pub machine: Machine,
    /// Maximum number of ticks ahead of the confirmed inputs, from 1 to 64.
    pub window: u8,
    /// Input delay: number of ticks after which a command of this side takes effect.
    pub delay: u8,
    /// Maximum time to wait for the other side to connect or answer. During the game, the maximum
    /// time without data from the other side is the smaller of this timeout and 5 seconds.
    pub timeout: Duration,
    /// For tests: changes one bit of the game before this tick, whenever the tick is simulated.
    pub lie: Option<u64>,
}

impl Default for WirePlan {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            ticks: 500,
            tick: TICK,
            machine: Machine::default(),
            window: 32,
            delay: 2,
            timeout: Duration::from_secs(30),
            lie: None,
        }
    }
}

impl WirePlan {
    fn settings(&self) -> Settings {
        Settings { players: 2, ..self.settings }
    }

    /// Returns the terms of this side, given its game before the first tick.
    fn terms(&self, game: &mut Game) -> Terms {
        let first = game.save(&mut Saved::default());
        Terms { settings: self.settings(), ticks: self.ticks, first }
    }
}

/// Waits on a socket until a process [connects](connect), and plays as player 0. `progress` is
/// called with the number of confirmed ticks.
///
/// # Errors
/// [`WireError::NotCalled`], [`WireError::Terms`], [`WireError::Silent`], [`WireError::Differs`] if
/// the states differ, and errors of the system.
///
/// ```
/// use std::net::UdpSocket;
/// use hexphase_fleet::Settings;
/// use hexphase_wire::{WirePlan, connect, listen};
///
/// let settings = Settings { ships: 60, bullets: 20, ..Settings::default() };
/// let plan = WirePlan { settings, ticks: 30, ..WirePlan::default() };
/// let socket = UdpSocket::bind("127.0.0.1:0")?;
/// let address = socket.local_addr()?;
/// let reports = std::thread::scope(|scope| {
///     let one = scope.spawn(|| listen(&plan, socket, |_| {}).expect("a game"));
///     [connect(&plan, address, |_| {}).expect("a game"), one.join().expect("a thread")]
/// });
/// assert_eq!(reports[0].hash, reports[1].hash);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn listen(
    plan: &WirePlan,
    socket: UdpSocket,
    progress: impl FnMut(u64),
) -> Result<WireReport, WireError> {
    let (mut game, pool) = plan.machine.start(plan.settings())?;
    let mut link = Link::new(socket, None)?;
    let peer = greet::accept(&mut link, plan.terms(&mut game), plan.timeout)?;
    session::play(plan, 0, peer, link, game, pool, progress)
}

/// Connects to a process that [listens](listen) at an address, and plays as player 1. `progress` is
/// called with the number of confirmed ticks.
///
/// # Errors
/// [`WireError::NoAnswer`], [`WireError::Busy`], [`WireError::Terms`], [`WireError::Silent`],
/// [`WireError::Differs`] if the states differ, and errors of the system.
pub fn connect(
    plan: &WirePlan,
    to: SocketAddr,
    progress: impl FnMut(u64),
) -> Result<WireReport, WireError> {
    let (mut game, pool) = plan.machine.start(plan.settings())?;
    let any: SocketAddr = match to {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let mut link = Link::new(UdpSocket::bind(any)?, Some(to))?;
    greet::call(&mut link, to, plan.terms(&mut game), plan.timeout)?;
    session::play(plan, 1, to, link, game, pool, progress)
}
