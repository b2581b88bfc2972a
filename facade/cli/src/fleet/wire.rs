//! `hexphase fleet --listen` and `--connect`: a game between two processes over UDP.

use core::net::SocketAddr;
use core::time::Duration;
use std::io::{self, Write};
use std::net::{ToSocketAddrs, UdpSocket};

use clap::Args;
use hexphase_fleet::wire::{WirePlan, WireReport, connect, listen};

use super::{Fleet, plan, progress_bar};
use crate::error::Error;
use crate::print_stderr;

/// Options of one process without a meaning for two.
const ONE_PROCESS: [&str; 4] = ["peers", "latency", "loss", "rollback"];

/// The options of a game between two processes.
#[derive(Args, Debug)]
pub(crate) struct Wire {
    /// Play player 0, and wait at this UDP address for another process; port 0 is any free port
    #[arg(long, value_name = "ADDR", group = "side", conflicts_with_all = ONE_PROCESS)]
    listen: Option<String>,
    /// Play player 1 with the process that listens at this UDP address
    #[arg(long, value_name = "ADDR", group = "side", conflicts_with_all = ONE_PROCESS)]
    connect: Option<String>,
    /// Maximum number of ticks that this process simulates before the other's inputs arrive
    #[arg(long, value_name = "TICKS", default_value = "32", requires = "side",
          value_parser = clap::value_parser!(u8).range(1..=64))]
    window: u8,
    /// Number of ticks by which own inputs are delayed: rollbacks are shorter
    #[arg(long, value_name = "TICKS", default_value = "2", requires = "side",
          value_parser = clap::value_parser!(u8).range(0..=16))]
    delay: u8,
    /// Seconds to wait for the other process; during the game at most 5
    #[arg(long, value_name = "SECONDS", default_value = "30", requires = "side",
          value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: u32,
    /// Change one bit of the own state in this tick, to see both processes report it
    #[arg(long, value_name = "TICK", requires = "side")]
    flip_bit: Option<u64>,
}

/// Plays the game if one of the addresses was given.
pub(super) fn run(arguments: &Fleet) -> Option<Result<(), Error>> {
    let wire = &arguments.wire;
    match (&wire.listen, &wire.connect) {
        (Some(address), _) => Some(play(arguments, "--listen", address)),
        (_, Some(address)) => Some(play(arguments, "--connect", address)),
        _ => None,
    }
}

fn play(arguments: &Fleet, option: &str, address: &str) -> Result<(), Error> {
    let Wire { window, delay, timeout, flip_bit, .. } = arguments.wire;
    let one = plan(arguments);
    let plan = WirePlan {
        settings: one.settings,
        ticks: one.ticks,
        window,
        delay,
        timeout: Duration::from_secs(timeout.into()),
        lie: flip_bit,
        ..WirePlan::default()
    };
    let subject = format!("fleet {option} {address}");
    let resolved = resolve(address).map_err(|error| Error::system(&subject, &error))?;
    let bar = progress_bar(plan.ticks);
    let progress = |confirmed| bar.set_position(confirmed);
    let played = if option == "--listen" {
        let socket = UdpSocket::bind(resolved).map_err(|error| Error::system(&subject, &error))?;
        let bound = socket.local_addr().map_err(|error| Error::system(&subject, &error))?;
        print_stderr(&format!("hexphase: listening at {bound}\n"));
        listen(&plan, socket, progress)
    } else {
        connect(&plan, resolved, progress)
    };
    bar.finish_and_clear();
    let report: WireReport = played.map_err(|error| Error::new(&subject, error))?;
    let text = if arguments.json { report.json(&plan) } else { report.table(&plan) };
    let written = io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Error::system("stdout", &error))
}

/// Returns the first address of a name.
fn resolve(address: &str) -> io::Result<SocketAddr> {
    let none = || io::Error::new(io::ErrorKind::InvalidInput, "no address has this name");
    address.to_socket_addrs()?.next().ok_or_else(none)
}
