//! `hexphase fleet`: a game of ships in lockstep with rollback, played by several peers.

mod pictures;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hexphase::{Algorithm, Backend, BackendKind};
use hexphase_fleet::{Conditions, Machine, Plan, Scene, Settings, TICK, run as play};

use crate::error::Error;
use crate::output;
use crate::progress::Progress;

#[derive(Args, Debug)]
pub(crate) struct Fleet {
    /// Number of ships at the start
    #[arg(long, value_name = "COUNT", default_value = "10000",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    ships: u32,
    /// Approximate number of bullets in flight; a tenth of the ships by default
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    bullets: Option<u32>,
    /// Seconds of game time, at 100 ticks a second
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,
    /// Seed of all random numbers
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Distribution of the ships at the start
    #[arg(long, default_value = "sparse")]
    scene: Placement,
    /// Number of peers; each plays one player, on another structure, backend and number of threads
    #[arg(long, value_name = "COUNT", default_value = "2",
          value_parser = clap::value_parser!(u8).range(1..=8))]
    peers: u8,
    /// Maximum delay of an input, in milliseconds
    #[arg(long, value_name = "MS", default_value = "90",
          value_parser = clap::value_parser!(u32).range(0..=1000))]
    latency: u32,
    /// Percentage of packets that are lost and sent again
    #[arg(long, value_name = "PERCENT", default_value = "2",
          value_parser = clap::value_parser!(u32).range(0..=50))]
    loss: u32,
    /// Minimum number of ticks that each peer rewinds and simulates again at every tick
    #[arg(long, value_name = "TICKS", default_value = "9",
          value_parser = clap::value_parser!(u32).range(0..=100))]
    rollback: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Draw the game as PNG pictures into a folder
    #[arg(long, value_name = "FOLDER")]
    render: Option<PathBuf>,
    /// Number of pictures of --render
    #[arg(long, value_name = "COUNT", default_value = "50",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Placement {
    /// Ships far from each other, a few of them with 500 cells
    Sparse,
    /// Slow ships close together; about a fifth of them touch another ship
    Dense,
}

pub(crate) const HELP: &str = "\
Ships of up to 19 hexagonal cells, and a few of 500, move, turn, fire,
collide, lose cells and break apart. Each peer receives the inputs of the
others late, out of order, and sometimes twice; it rewinds to the earliest
late input and simulates again. The states of all peers are compared before
each tick whose inputs are complete, and at the end with a game that was never
rewound.

The program hexphase-wire (facade/wire) plays the game between two processes.

Exit status: 0 if all states were equal, 2 otherwise.

Examples:
  hexphase fleet --ships 1000 --seconds 1
  hexphase fleet --ships 200 --scene dense --seconds 1 --peers 3
  hexphase fleet --scene dense --render pictures --frames 50
  hexphase fleet --ships 100 --latency 200 --loss 10 --rollback 0 --json";

pub(crate) fn run(arguments: &Fleet) -> Result<(), Error> {
    let plan = plan(arguments);
    let mut bar = Progress::steps("playing", plan.ticks);
    let played = play(&plan, |tick| bar.set(tick));
    drop(bar);
    let report = played.map_err(|error| Error::new("fleet", error))?;
    if let Some(folder) = &arguments.render {
        pictures::write(&plan, folder, arguments.frames)?;
    }
    let text = if arguments.json { report.json(&plan) } else { report.table(&plan) };
    output::write(None, &mut |out| out.write_all(text.as_bytes()))
}

fn plan(arguments: &Fleet) -> Plan {
    let scene = match arguments.scene {
        Placement::Sparse => Scene::Sparse,
        Placement::Dense => Scene::Dense,
    };
    let ships = arguments.ships;
    let ms = TICK.as_millis() as u32;
    Plan {
        settings: Settings {
            ships,
            bullets: arguments.bullets.unwrap_or(ships / 10),
            seed: arguments.seed,
            scene,
            players: arguments.peers,
        },
        machines: (0..usize::from(arguments.peers)).map(machine).collect(),
        ticks: u64::from(arguments.seconds) * 1000 / u64::from(ms),
        conditions: Conditions {
            latency: arguments.latency.div_ceil(ms),
            loss: 10 * arguments.loss,
            twice: 20,
        },
        depth: arguments.rollback,
        lie: None,
    }
}

/// Returns the machine of a peer. Only the first peer has default settings.
fn machine(peer: usize) -> Machine {
    let algorithms = [Algorithm::Auto, Algorithm::Morton, Algorithm::Hash, Algorithm::Hshg];
    let backends = [BackendKind::Avx2, BackendKind::Scalar, BackendKind::Sse41, BackendKind::Wide];
    let backend = if peer == 0 { None } else { Backend::new(backends[peer % 4]).ok() };
    Machine {
        algorithm: algorithms[peer % 4],
        backend: backend.unwrap_or_else(Backend::detect),
        threads: 1 + peer % 3,
    }
}
