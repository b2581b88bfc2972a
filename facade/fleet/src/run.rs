//! Runs several peers in one process and compares their states.
//!
//! Each peer plays one player. In each tick, for each peer: deliver the packets that have arrived,
//! apply late inputs, simulate a tick, and send its own input to all others. The hash of a
//! confirmed tick is compared as soon as two peers have it. At the end a game without rollback
//! plays the same inputs; its hash must be equal, too.

use alloc::collections::BTreeMap;
use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::time::Instant;

use hexphase::{Algorithm, Backend, Options};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::game::{Game, Saved, Times};
use crate::inputs::{MAX_PLAYERS, Script};
use crate::net::{Conditions, Network, Packet};
use crate::peer::Peer;
use crate::settings::Settings;

/// The machine that a peer stands for: settings that must not change any result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The structure.
    pub algorithm: Algorithm,
    /// The SIMD backend.
    pub backend: Backend,
    /// Number of threads.
    pub threads: usize,
}

impl Default for Machine {
    fn default() -> Self {
        Self { algorithm: Algorithm::Auto, backend: Backend::detect(), threads: 1 }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, backend, threads } = self;
        write!(f, "{algorithm}, {}, {threads} thread(s)", backend.kind())
    }
}

impl Machine {
    /// Creates the game of this machine, and its thread pool.
    ///
    /// # Errors
    /// If memory is exhausted, or threads cannot be started.
    pub fn start(
        &self,
        settings: Settings,
    ) -> Result<(Game, ThreadPool), Box<dyn Error + Send + Sync>> {
        let options = Options::new().algorithm(self.algorithm).backend(self.backend);
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).build()?;
        Ok((Game::with_options(settings, options)?, pool))
    }
}

/// A run: one peer per machine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Settings of the game. The number of players is set to the number of machines.
    pub settings: Settings,
    /// One machine per peer, from 1 to 8.
    pub machines: Vec<Machine>,
    /// Number of ticks.
    pub ticks: u64,
    /// The network.
    pub conditions: Conditions,
    /// Number of ticks that each peer simulates again in each tick, whether inputs are late or not.
    pub depth: u32,
    /// For tests: the peer with this index changes one bit of its game before this tick.
    pub lie: Option<(usize, u64)>,
}

/// The result of a run in which all peers agreed.
#[derive(Clone, Debug)]
pub struct Report {
    /// Hash of the last state, equal on every machine.
    pub hash: u64,
    /// Number of ticks whose hashes were equal on all peers.
    pub compared: u64,
    /// Number of lost packets.
    pub lost: u64,
    /// Numbers of ships, bullets and lost cells at the end.
    pub left: [u64; 3],
    /// Mean number of ships that touch another ship in a tick; see [`Game::touching_ships`].
    pub touching: f64,
    /// Results of each peer.
    pub peers: Vec<PeerReport>,
    /// Results of the game without rollback.
    pub straight: PeerReport,
}

/// The result of one peer.
#[derive(Clone, Debug)]
pub struct PeerReport {
    /// The machine.
    pub machine: Machine,
    /// Number of simulated ticks, repeated ticks included.
    pub simulated: u64,
    /// Number of ticks that were simulated again.
    pub replayed: u64,
    /// Number of updates of ships and bullets, repeated ticks included.
    pub updates: u64,
    /// Time that the peer spent on simulating, saving and loading.
    pub time: Duration,
    /// Time spent on loading states and simulating ticks again; a part of `time`.
    pub replay_time: Duration,
    /// Time spent in each part of the game.
    pub times: Times,
}

/// The difference between two peers whose states before a confirmed tick are not equal.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The first confirmed tick with different states.
    pub tick: u64,
    /// The two peers. If both numbers are equal, this peer differs from the game without rollback.
    pub peers: [usize; 2],
    /// Their machines.
    pub machines: [Machine; 2],
    /// Their hashes.
    pub hashes: [u64; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, peers, machines, hashes } = self;
        write!(f, "the states before tick {tick} differ: ")?;
        write!(f, "{:016x} on peer {} ({}), ", hashes[0], peers[0], machines[0])?;
        if peers[0] == peers[1] {
            write!(f, "{:016x} without rollback ({})", hashes[1], machines[1])
        } else {
            write!(f, "{:016x} on peer {} ({})", hashes[1], peers[1], machines[1])
        }
    }
}

impl Error for Difference {}

struct Runner {
    machine: Machine,
    pool: ThreadPool,
    peer: Peer,
    script: Script,
    time: Duration,
}

impl Runner {
    /// Runs a part of the game on the threads of the peer, and adds its duration to `time`.
    fn run<E: Send>(
        &mut self,
        part: impl FnOnce(&mut Peer) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let Self { pool, peer, time, .. } = self;
        let begin = Instant::now();
        let done = pool.install(|| part(peer));
        *time += begin.elapsed();
        done
    }
}

/// Runs a plan. `progress` is called once per tick with the lowest confirmed tick of all peers.
///
/// # Errors
/// [`Difference`] if the states of two peers differ. Other errors if memory is exhausted or threads
/// cannot be started.
pub fn run(
    plan: &Plan,
    mut progress: impl FnMut(u64),
) -> Result<Report, Box<dyn Error + Send + Sync>> {
    let count = plan.machines.len().clamp(1, MAX_PLAYERS);
    let settings = Settings { players: count as u8, ..plan.settings };
    // The window covers a packet that is lost once and sent again. If it is lost more often, the
    // peer waits.
    let window = u64::from(3 * plan.conditions.latency.max(1)).max(plan.depth.into()) + 1;
    let mut runners = Vec::new();
    for (player, &machine) in (0..).zip(&plan.machines[..count]) {
        let (game, pool) = machine.start(settings)?;
        let mut peer = Peer::new(game, window, plan.depth.into());
        if let Some((_, tick)) = plan.lie.filter(|lie| lie.0 == usize::from(player)) {
            peer.lie_before(tick);
        }
        let script = Script::new(&settings, player);
        runners.push(Runner { machine, pool, peer, script, time: Duration::ZERO });
    }
    let mut network = Network::new(plan.conditions, settings.seed);
    let mut referee = Referee::new(&plan.machines[..count]);
    for now in 0.. {
        while let Some((to, packet)) = network.receive(now) {
            runners[to].peer.receive(packet);
        }
        for (player, runner) in runners.iter_mut().enumerate() {
            let tick = runner.peer.game().tick();
            if tick < plan.ticks && !runner.peer.must_wait() {
                let packet =
                    Packet { player: player as u8, tick, command: runner.script.command() };
                runner.peer.receive(packet);
                runner.run(Peer::tick)?;
                for to in (0..count).filter(|&to| to != player) {
                    network.send(now, to, packet);
                }
            } else {
                runner.run(Peer::catch_up)?;
            }
            while let Some((tick, hash)) = runner.peer.confirmed_hash() {
                referee.compare(tick, hash, player)?;
            }
        }
        let lowest = runners.iter().map(|runner| runner.peer.confirmed()).min().unwrap_or(0);
        progress(lowest);
        if lowest == plan.ticks {
            break;
        }
    }
    for (player, runner) in runners.iter_mut().enumerate() {
        runner.run(Peer::catch_up)?;
        let Runner { pool, peer, .. } = runner;
        referee.compare(plan.ticks, pool.install(|| peer.hash()), player)?;
    }
    let (straight, hash, touching) = play_straight(plan, settings, count)?;
    if referee.agreed.1 != hash {
        let machines = [plan.machines[0], straight.machine];
        let hashes = [referee.agreed.1, hash];
        return Err(Box::new(Difference { tick: plan.ticks, peers: [0, 0], machines, hashes }));
    }
    let game = runners[0].peer.game();
    let left = [game.ships() as u64, game.bullets() as u64, game.broken_cells()];
    let report = |Runner { machine, peer, time, .. }: &Runner| {
        PeerReport::new(*machine, peer.game(), peer.replayed(), *time, peer.replay_time())
    };
    let peers = runners.iter().map(report).collect();
    let (compared, lost) = (referee.agreed.0, network.lost);
    Ok(Report { hash, compared, lost, left, touching, peers, straight })
}

/// Plays the inputs of all players in a game that saves nothing and never rolls back. Returns also
/// its hash and the mean number of ships that touch another ship in a tick.
fn play_straight(
    plan: &Plan,
    settings: Settings,
    count: usize,
) -> Result<(PeerReport, u64, f64), Box<dyn Error + Send + Sync>> {
    let machine = Machine { threads: 1, ..plan.machines[0] };
    let (mut game, pool) = machine.start(settings)?;
    let mut scripts: Vec<Script> =
        (0..count as u8).map(|player| Script::new(&settings, player)).collect();
    let (mut time, mut touching) = (Duration::ZERO, 0);
    pool.install(|| {
        for _ in 0..plan.ticks {
            let commands: Vec<_> = scripts.iter_mut().map(Script::command).collect();
            let begin = Instant::now();
            game.advance(&commands)?;
            game.forget(game.tick());
            time += begin.elapsed();
            touching += game.touching_ships();
        }
        Ok::<_, hexphase::Error>(())
    })?;
    let touching = touching as f64 / plan.ticks.max(1) as f64;
    let report = PeerReport::new(machine, &game, 0, time, Duration::ZERO);
    Ok((report, game.save(&mut Saved::default()), touching))
}

/// Compares the hashes of confirmed ticks between peers.
struct Referee<'a> {
    machines: &'a [Machine],
    /// By tick: the hash from the first peer that confirmed it, this peer, and the number of peers
    /// with the same hash. A tick is removed when all peers have reported it.
    open: BTreeMap<u64, (u64, usize, usize)>,
    /// The last tick whose hashes were equal on all peers, and its hash.
    agreed: (u64, u64),
}

impl<'a> Referee<'a> {
    const fn new(machines: &'a [Machine]) -> Self {
        Self { machines, open: BTreeMap::new(), agreed: (0, 0) }
    }

    fn compare(&mut self, tick: u64, hash: u64, peer: usize) -> Result<(), Difference> {
        let (expected, first, count) = self.open.entry(tick).or_insert((hash, peer, 0));
        if *expected != hash {
            let peers = [*first, peer];
            let machines = peers.map(|peer| self.machines[peer]);
            return Err(Difference { tick, peers, machines, hashes: [*expected, hash] });
        }
        *count += 1;
        if *count == self.machines.len() {
            self.open.remove(&tick);
            self.agreed = (tick, hash);
        }
        Ok(())
    }
}
