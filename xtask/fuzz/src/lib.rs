//! Fuzz targets: functions that get any bytes and panic if hexphase has a fault.
//!
//! | target | bytes | assertion |
//! |---|---|---|
//! | [`world`] | configuration and operations of the simulator | no difference from the oracle |
//! | [`structures`] | operations on all structures | results equal those of the model |
//! | [`snapshot`] | snapshots of worlds, and serialized hexagons | an error, or a valid value |
//! | [`scene_file`] | options and a file of the command line | an error of one line, or valid objects |
//! | [`packets`] | a datagram of the game, or commands | ignored, or read as it was written |
//! | [`hexcoord`] | polygons, walls and costs | the cells and paths of simple definitions |
//!
//! `cargo xtask fuzz` builds the programs in `fuzz_targets` and runs them. Each first writes seeds,
//! which the module of the target generates, into its corpus. The tests of this package play all
//! seeds without a fuzzer.

#![forbid(unsafe_code)]

extern crate alloc;

pub mod hexcoord;
pub mod packets;
pub mod scene_file;
pub mod snapshot;
pub mod structures;
pub mod world;

// Modules of `hexphase-cli` and `hexphase-wire`, which are programs or have no public packets. The
// modules refer to each other by these names.
#[allow(dead_code, reason = "the targets call a part of it")]
#[path = "../../../facade/cli/src/error.rs"]
mod error;
#[allow(dead_code, reason = "the targets call a part of it")]
#[path = "../../../facade/cli/src/json.rs"]
mod json;
#[allow(dead_code, reason = "the targets call a part of it")]
#[path = "../../../facade/cli/src/memory.rs"]
mod memory;
#[allow(dead_code, reason = "the targets call a part of it")]
#[path = "../../../facade/wire/src/packet.rs"]
mod packet;
#[allow(dead_code, reason = "the targets call a part of it")]
#[path = "../../../facade/cli/src/progress.rs"]
mod progress;
#[allow(dead_code, unused_imports, reason = "the targets call a part of it")]
#[path = "../../../facade/cli/src/scene/mod.rs"]
mod scene;
#[allow(unreachable_pub, reason = "the module belongs to a library")]
#[path = "../../../facade/wire/src/terms.rs"]
mod terms;

/// The memory limit of the command line: none.
#[cfg(target_os = "linux")]
mod limit {
    pub(crate) const fn bytes() -> Option<u64> {
        None
    }

    pub(crate) const fn set(_: u64) {}
}

use std::fs;
use std::path::Path;

/// A target: its name, its function, and the function that generates its seeds.
pub type Target = (&'static str, fn(&[u8]), fn() -> Vec<Vec<u8>>);

/// All targets.
pub const TARGETS: [Target; 6] = [
    ("hexcoord", hexcoord::run, hexcoord::seeds),
    ("packets", packets::run, packets::seeds),
    ("scene_file", scene_file::run, scene_file::seeds),
    ("snapshot", snapshot::run, snapshot::seeds),
    ("structures", structures::run, structures::seeds),
    ("world", world::run, world::seeds),
];

/// Writes the seeds of a target into its corpus, the folder from which cargo-fuzz reads inputs.
///
/// # Panics
/// If there is no such target, or if the files cannot be written.
pub fn write_seeds(target: &str) {
    let (name, _, seeds) = TARGETS.iter().find(|one| one.0 == target).expect("a known target");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    fs::create_dir_all(&corpus).expect("the folder of the corpus");
    for (number, seed) in seeds().into_iter().enumerate() {
        fs::write(corpus.join(format!("seed-{number:02}")), seed).expect("a file of the corpus");
    }
}
