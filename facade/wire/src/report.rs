//! The report of one side, as a table.

use core::fmt::Write as _;
use core::net::SocketAddr;
use core::time::Duration;

use hexphase_fleet::{PeerReport, TICK};

use crate::{COMPARE_EVERY, WirePlan};

/// The report of one side after a game in which the states of both sides were equal.
#[derive(Clone, Debug)]
pub struct WireReport {
    /// Hash of the last state, equal on both sides.
    pub hash: u64,
    /// Player of this side: 0 listens, 1 connects.
    pub player: u8,
    /// Address of the other side.
    pub peer: SocketAddr,
    /// Numbers of ships, bullets and lost cells at the end.
    pub left: [u64; 3],
    /// Number of rollbacks.
    pub rollbacks: u64,
    /// Maximum number of ticks that a rollback repeated.
    pub deepest: u64,
    /// Time in which this side waited for inputs.
    pub waited: Duration,
    /// Real time of the game, including the synchronization before it.
    pub elapsed: Duration,
    /// Number of datagrams sent and received.
    pub packets: [u64; 2],
    /// Work of this side until the last tick was confirmed.
    pub work: PeerReport,
}

impl WireReport {
    /// Returns the report as a table.
    pub fn table(&self, plan: &WirePlan) -> String {
        let settings = &plan.settings;
        let [ships, bullets, broken] = self.left;
        let mut out = String::new();
        let mean = self.work.replayed as f64 / self.rollbacks.max(1) as f64;
        let role = ["listening", "connected"][usize::from(self.player % 2)];
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{} ships and {} bullets ({}, seed {}), {} ticks of {} ms with {}\n\
             at the end {ships} ships and {bullets} bullets; {broken} cells lost\n\n",
            settings.ships,
            settings.bullets,
            settings.scene.name(),
            settings.seed,
            plan.ticks,
            TICK.as_millis(),
            self.peer
        );
        let rows = [
            ("player", format!("{} ({role}; {})", self.player, self.work.machine)),
            ("confirmed ticks", format!("{} in {:.1} s", plan.ticks, self.elapsed.as_secs_f64())),
            (
                "rollbacks",
                format!("{} of {mean:.1} ticks, the longest {}", self.rollbacks, self.deepest),
            ),
            ("packets", format!("{} sent, {} received", self.packets[0], self.packets[1])),
            ("waited", format!("{:.2} s for inputs", self.waited.as_secs_f64())),
            (
                "simulation",
                format!(
                    "{:.1} ns per object update, {:.1}x real time",
                    self.work.ns_per_update(),
                    self.work.speed()
                ),
            ),
            (
                "hash",
                format!(
                    "{:016x}, equal on both sides; compared every {COMPARE_EVERY} ticks and at the \
                     end",
                    self.hash
                ),
            ),
        ];
        for (name, value) in rows {
            let _ = writeln!(out, "{name:16} {value}");
        }
        out
    }
}
