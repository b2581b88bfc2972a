//! The report of a run, as a table and as JSON.

use core::fmt::Write as _;
use core::time::Duration;

use crate::game::Game;
use crate::run::{Machine, PeerReport, Plan, Report};

/// Game time of a tick.
pub const TICK: Duration = Duration::from_millis(10);

impl PeerReport {
    /// Creates the report of a game, which has simulated some ticks again in `replay_time`.
    pub const fn new(
        machine: Machine,
        game: &Game,
        replayed: u64,
        time: Duration,
        replay_time: Duration,
    ) -> Self {
        let (updates, times) = (game.updates, game.times);
        let simulated = game.tick() + replayed;
        Self { machine, simulated, replayed, updates, time, replay_time, times }
    }

    /// Returns the nanoseconds per object update. An object update is one ship or bullet in one
    /// simulated tick, and each repetition of a tick counts. The time includes all work of the
    /// peer.
    pub fn ns_per_update(&self) -> f64 {
        self.time.as_secs_f64() * 1e9 / self.updates.max(1) as f64
    }

    /// Returns how many times faster than real time the peer simulates; repeated ticks count.
    pub fn speed(&self) -> f64 {
        let simulated = TICK.as_secs_f64() * self.simulated as f64;
        simulated / self.time.as_secs_f64().max(1e-9)
    }

    /// Returns the shares of the time of motion, broad phase, narrow phase, effects, and snapshots
    /// (saving and loading). The last share is that of rollback, which overlaps the others.
    pub fn shares(&self) -> [(&'static str, f64); 6] {
        let all = self.time.as_secs_f64().max(1e-9);
        let share = |part: Duration| part.as_secs_f64() / all;
        let times = self.times;
        [
            ("motion", share(times.motion)),
            ("broad", share(times.broad)),
            ("narrow", share(times.narrow)),
            ("effects", share(times.effects)),
            ("snapshots", share(times.snapshots)),
            ("rollback", share(self.replay_time)),
        ]
    }
}

impl Report {
    /// Returns the report as a table.
    pub fn table(&self, plan: &Plan) -> String {
        let mut out = String::new();
        let [ships, bullets, broken] = self.left;
        let settings = &plan.settings;
        let rows = self.peers.iter().map(|peer| (peer.machine.to_string(), peer));
        let straight = (format!("no rollback: {}", self.straight.machine), &self.straight);
        let rows: Vec<_> = rows.chain([straight]).collect();
        let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{} ships and {} bullets ({}, seed {}), {} ticks of {} ms",
            settings.ships,
            settings.bullets,
            settings.scene.name(),
            settings.seed,
            plan.ticks,
            TICK.as_millis()
        );
        let _ = writeln!(
            out,
            "at the end {ships} ships and {bullets} bullets; {broken} cells lost; {} packets lost\n\
             on average {:.0} ships touch another ship\n",
            self.lost, self.touching
        );
        let _ =
            write!(out, "{:width$} {:>9} {:>9} {:>9}", "peer", "ns/update", "speed", "replayed");
        for (name, _) in self.straight.shares() {
            let _ = write!(out, " {name:>9}");
        }
        out.push('\n');
        for (name, peer) in rows {
            let _ = write!(
                out,
                "{name:width$} {:>9.1} {:>8.1}x {:>9.1}",
                peer.ns_per_update(),
                peer.speed(),
                peer.replayed as f64 / plan.ticks.max(1) as f64,
            );
            for (_, share) in peer.shares() {
                let _ = write!(out, " {:>8.0}%", 100.0 * share);
            }
            out.push('\n');
        }
        let _ = writeln!(
            out,
            "\nns/update: time for one ship or bullet in one simulated tick, everything included\n\
             speed: simulated time, replayed ticks included, divided by the time spent\n\
             replayed: number of ticks that are simulated again, per tick\n\
             hash {:016x}, equal on all peers before each of {} ticks, and without rollback",
            self.hash, self.compared
        );
        out
    }

    /// Returns the report as a JSON object.
    pub fn json(&self, plan: &Plan) -> String {
        let [ships, bullets, broken] = self.left;
        let settings = &plan.settings;
        let peers: Vec<_> = self.peers.iter().map(peer_json).collect();
        format!(
            "{{\"scene\":\"{}\",\"ships\":{},\"bullets\":{},\"seed\":{},\"ticks\":{},\
             \"hash\":\"{:016x}\",\"compared\":{},\"packets_lost\":{},\
             \"ships_left\":{ships},\"bullets_left\":{bullets},\"cells_lost\":{broken},\
             \"ships_touching\":{:.1},\"peers\":[{}],\"no_rollback\":{}}}\n",
            settings.scene.name(),
            settings.ships,
            settings.bullets,
            settings.seed,
            plan.ticks,
            self.hash,
            self.compared,
            self.lost,
            self.touching,
            peers.join(","),
            peer_json(&self.straight)
        )
    }
}

fn peer_json(peer: &PeerReport) -> String {
    let machine = peer.machine;
    let mut out = format!(
        "{{\"algorithm\":\"{}\",\"backend\":\"{}\",\"threads\":{},\"simulated\":{},\
         \"replayed\":{},\"updates\":{},\"seconds\":{:.6},\"ns_per_update\":{:.3},\"speed\":{:.3}",
        machine.algorithm,
        machine.backend.kind(),
        machine.threads,
        peer.simulated,
        peer.replayed,
        peer.updates,
        peer.time.as_secs_f64(),
        peer.ns_per_update(),
        peer.speed()
    );
    for (name, share) in peer.shares() {
        let _ = write!(out, ",\"share_{name}\":{share:.4}");
    }
    out + "}"
}
