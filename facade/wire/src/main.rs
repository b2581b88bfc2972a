//! `hexphase-wire`: a game of ships between two processes over UDP.
//!
//! The exit status is 0 if the states of both processes were equal; otherwise 2, with one line on
//! standard error.

use core::fmt::Display;
use core::net::SocketAddr;
use core::time::Duration;
use std::io::{self, Write};
use std::net::{ToSocketAddrs, UdpSocket};
use std::process::ExitCode;

use clap::{Args, Parser};
use hexphase_fleet::{Scene, Settings, TICK};
use hexphase_wire::{WirePlan, connect, listen};

/// Play a game of ships between two processes over UDP, and compare their states
#[derive(Debug, Parser)]
#[command(name = "hexphase-wire", version, after_help = HELP, max_term_width = 80)]
struct Arguments {
    #[command(flatten)]
    side: Side,
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
    /// Distribution of the ships at the start: far from each other, or slow and close together
    #[arg(long, default_value = "sparse", value_parser = ["sparse", "dense"])]
    scene: String,
    /// Maximum number of ticks that this process simulates before the other's inputs arrive
    #[arg(long, value_name = "TICKS", default_value = "32",
          value_parser = clap::value_parser!(u8).range(1..=64))]
    window: u8,
    /// Input delay in ticks; a longer delay makes rollbacks shorter
    #[arg(long, value_name = "TICKS", default_value = "2",
          value_parser = clap::value_parser!(u8).range(0..=16))]
    delay: u8,
    /// Seconds to wait for the other process; during the game at most 5
    #[arg(long, value_name = "SECONDS", default_value = "30",
          value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: u32,
}

/// The side of this process.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct Side {
    /// Play player 0, and wait at this UDP address for another process; port 0 is any free port
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Play player 1 with the process that listens at this UDP address
    #[arg(long, value_name = "ADDR")]
    connect: Option<String>,
}

const HELP: &str = "\
Both processes need equal ships, bullets, seconds, seed and scene. The states
are compared every 10 ticks and at the end.

Exit status: 0 if all states were equal, 2 otherwise.

Examples:
  hexphase-wire --ships 2000 --seconds 60 --listen 127.0.0.1:7000
  hexphase-wire --ships 2000 --seconds 60 --connect 127.0.0.1:7000";

fn main() -> ExitCode {
    match play(&Arguments::parse()) {
        Ok(report) => {
            // A closed pipe is not an error.
            let _ = io::stdout().lock().write_all(report.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("hexphase-wire: {message}");
            ExitCode::from(2)
        }
    }
}

/// Plays the game, and returns the report.
fn play(arguments: &Arguments) -> Result<String, String> {
    let plan = plan(arguments);
    let Side { listen: own, connect: other } = &arguments.side;
    let address = own.as_deref().or(other.as_deref()).unwrap_or_default();
    let failed = |why: &dyn Display| format!("{address}: {why}");
    let resolved = resolve(address).map_err(|why| failed(&why))?;
    let played = if own.is_some() {
        let socket = UdpSocket::bind(resolved).map_err(|why| failed(&why))?;
        let bound = socket.local_addr().map_err(|why| failed(&why))?;
        eprintln!("hexphase-wire: listening at {bound}");
        listen(&plan, socket, |_| {})
    } else {
        connect(&plan, resolved, |_| {})
    };
    Ok(played.map_err(|why| failed(&why))?.table(&plan))
}

fn plan(arguments: &Arguments) -> WirePlan {
    let scene = if arguments.scene == "dense" { Scene::Dense } else { Scene::Sparse };
    let ships = arguments.ships;
    let bullets = arguments.bullets.unwrap_or(ships / 10);
    WirePlan {
        settings: Settings { ships, bullets, seed: arguments.seed, scene, players: 2 },
        ticks: u64::from(arguments.seconds) * 1000 / TICK.as_millis() as u64,
        window: arguments.window,
        delay: arguments.delay,
        timeout: Duration::from_secs(arguments.timeout.into()),
        ..WirePlan::default()
    }
}

/// Returns the first address of a name.
fn resolve(address: &str) -> io::Result<SocketAddr> {
    let none = || io::Error::new(io::ErrorKind::InvalidInput, "no address has this name");
    address.to_socket_addrs()?.next().ok_or_else(none)
}
