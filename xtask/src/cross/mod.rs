//! `cargo xtask verify --cross TARGET`: the tests on other CPUs, with packages of Debian.
//!
//! 1. If a package that the target needs is missing, skip the target. The row has the line that
//!    installs the packages.
//! 2. Build the tests for the target, in a target folder of its own, with the standard library:
//!    Debian has its sources, but no binaries for most CPUs.
//! 3. Run them: WebAssembly in Node, i686 on the x86-64 machine itself, other CPUs under QEMU.
//!    Programs are linked statically, so they need no libraries of the target.
//! 4. The row has the number of tests and the hash that the simulator has computed.

use std::path::Path;
use std::process::Command;

use clap::ValueEnum;

use crate::cargo::Cargo;
use crate::step::Step;
use crate::workspace::Workspace;

/// Golden hashes, snapshots and laws of worlds, the simulator, the game of ships, and the tests of
/// the libraries that compute with the instructions of the CPU.
const TESTS: &str = "test --locked -p hexphase -p hexphase-sim -p hexphase-fleet -p hexcoord \
                     -p bounds-hexprism -p simd-lanes --all-features --test all \
                     --test laws --test worlds";

/// Parts of the names of tests that are left out because they take too long: half a million
/// objects, a thousand ticks, and tests on 100,000 to 1,000,000 random bodies, polygons and boxes.
const SLOW: [&str; 8] = [
    "published_scenes_match_their_hashes_on_any_number",
    "a_thousand_steady_ticks_do_not_allocate",
    "distances_find_their_objects_again_at_all_magnitudes",
    "pairs_match_polygon_definition",
    "cell_at_matches_definition",
    "cells_match_clipped_edges",
    "coinciding_edges_match_the_parts_of_cells",
    "first_on_segment_matches_definition",
];

/// Parts of the names of tests that start threads, which WebAssembly does not have.
const THREADED: [&str; 5] = [
    "threads",
    "a_lie_is_found_at_its_tick",
    "memory_is_bounded",
    "panics_of_other_tasks_in_the_pool",
    "peers_agree_at_every_tick",
];

/// A tenth of the random examples, as a factor for laws and as a number for property tests.
const EXAMPLES: [(&str, &str); 2] = [("HEXPHASE_EXAMPLES", "0.1"), ("PROPTEST_CASES", "25")];

/// Optimization levels of s390x. At level 2, `nearest` in worlds that wrap returns another order if
/// squares of distances underflow: in programs of rustc 1.96 (LLVM 22) under QEMU 7.2, and on no
/// other target. It is unknown which of the two is wrong.
const S390X_LEVELS: &str = "--config profile.test.package.broadphase-core.opt-level=1 \
                            --config profile.test.package.hexphase.opt-level=1";

/// Files of the compiler for other CPUs, with their packages.
pub(crate) const COMPILER: [(&str, &str); 3] = [
    ("/usr/bin/cargo", "cargo-web"),
    ("/usr/bin/rustc", "rustc-web"),
    ("/usr/lib/rustlib/src/rust/library/Cargo.lock", "rust-web-src"),
];

/// A CPU, or several, on which the tests run.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Target {
    /// 64-bit ARM with NEON.
    Aarch64,
    /// 32-bit ARM.
    Armv7,
    /// 32-bit x86 with SSE2.
    I686,
    /// Big-endian.
    S390x,
    /// WebAssembly in Node, without and with simd128.
    Wasm32,
    /// CPUs before SSE4.1, with SSE4.2 and with AVX2; programs select the backend at run time.
    #[value(name = "x86-64-levels")]
    X86Levels,
}

impl Target {
    /// Returns one step for each CPU.
    pub(crate) fn steps(self, workspace: &Workspace) -> Vec<Step> {
        let machines = match self {
            Self::Aarch64 => vec![linux("aarch64", "aarch64-linux-gnu", "arm64", "qemu-aarch64")],
            Self::Armv7 => vec![linux("armv7", "arm-linux-gnueabihf", "armhf", "qemu-arm")],
            Self::I686 => vec![linux("i686", "i686-linux-gnu", "i386", "")],
            Self::S390x => vec![linux("s390x", "s390x-linux-gnu", "s390x", "qemu-s390x")],
            Self::Wasm32 => vec![
                wasm("wasm32", "-simd128", &workspace.root),
                wasm("wasm32 with simd128", "+simd128", &workspace.root),
            ],
            Self::X86Levels => {
                [("core2duo", "sse41,avx2"), ("Nehalem", "avx2"), ("Haswell", "")].map(level).into()
            }
        };
        machines.into_iter().map(Machine::step).collect()
    }
}

/// The parts of a call that depend on the CPU.
struct Machine {
    name: String,
    /// The call of cargo, without the runner.
    call: Cargo,
    triple: String,
    /// The command that runs a program; empty if it runs by itself.
    runner: String,
    /// Parts of the names of tests that are left out.
    left_out: Vec<&'static str>,
    /// Files that must exist, with their packages.
    needs: Vec<(String, String)>,
    /// The command that installs Node, if it is needed and missing or too old.
    node: Option<&'static str>,
}

impl Machine {
    fn step(self) -> Step {
        let Self { name, call, triple, runner, left_out, needs, node } = self;
        let is_missing = |(file, _): &&(String, String)| !Path::new(file).exists();
        let missing: Vec<&str> =
            needs.iter().filter(is_missing).map(|(_, package)| package.as_str()).collect();
        let packages = missing.join(" ");
        let install = format!("apt-get install -y --no-install-recommends {packages}");
        let install = (!missing.is_empty()).then_some(install);
        if let Some(install) = install.or(node.map(str::to_owned)) {
            return Step::skip(name, install);
        }
        let call = match runner.as_str() {
            "" => call,
            _ => call.argument("--config").argument(format!("target.{triple}.runner='{runner}'")),
        };
        let call = EXAMPLES.iter().fold(call, |call, (name, value)| call.variable(name, *value));
        let step = Step::tests(name, [call]);
        left_out.into_iter().fold(step, Step::skipping)
    }
}

/// Returns the call that tests a target in the folder `target/cross/FOLDER`.
fn tests(triple: &str, folder: &str, flags: &[&str]) -> Cargo {
    Cargo::new(TESTS)
        .with(&format!("--target {triple} --target-dir target/cross/{folder}"))
        .variable("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
}

/// Returns a CPU that runs Linux. Debian calls it `gnu` in names of compilers and `debian` in names
/// of packages with libraries.
fn linux(name: &str, gnu: &str, debian: &str, qemu: &str) -> Machine {
    let triple = match name {
        "armv7" => "armv7-unknown-linux-gnueabihf".to_owned(),
        _ => format!("{name}-unknown-linux-gnu"),
    };
    let linker = format!("-Clinker={gnu}-gcc");
    let flags = [linker.as_str(), "-Ctarget-feature=+crt-static"];
    let mut needs = vec![
        (format!("/usr/bin/{gnu}-gcc"), format!("gcc-{gnu}")),
        (format!("/usr/{gnu}/lib/libc.a"), format!("libc6-dev-{debian}-cross")),
    ];
    needs.extend(COMPILER.map(|(file, package)| (file.to_owned(), package.to_owned())));
    if !qemu.is_empty() {
        needs.push((format!("/usr/bin/{qemu}"), "qemu-user".to_owned()));
    }
    let mut call = tests(&triple, name, &flags).debian().with("-Zbuild-std=std");
    if name == "s390x" {
        call = call.with(S390X_LEVELS);
    }
    let (name, runner) = (name.to_owned(), qemu.to_owned());
    Machine { name, call, triple, runner, left_out: SLOW.into(), needs, node: None }
}

/// Returns WebAssembly with unwinding, which tests of panics need, as the instructions of 2021.
fn wasm(name: &str, simd: &str, root: &Path) -> Machine {
    let triple = "wasm32-wasip1".to_owned();
    let feature = format!("-Ctarget-feature={simd}");
    let flags = [
        feature.as_str(),
        "-Cpanic=unwind",
        "-Cllvm-args=-wasm-use-legacy-eh=true",
        "-Clinker=wasm-ld-22",
        "-Clink-self-contained=no",
        "-Clink-arg=/usr/lib/wasm32-wasi/crt1-command.o",
        "-Clink-arg=-zstack-size=8388608",
        // `wasi.mjs` defines them.
        "-Clink-arg=--allow-undefined",
        "-L/usr/lib/wasm32-wasi",
    ];
    let files = [("/usr/bin/wasm-ld-22", "lld-22"), ("/usr/lib/wasm32-wasi/libc.a", "wasi-libc")];
    let needs = files.into_iter().chain(COMPILER);
    let needs = needs.map(|(file, package)| (file.to_owned(), package.to_owned())).collect();
    let call = tests(&triple, &format!("wasm32{simd}"), &flags).debian();
    let call = call.with("-Zbuild-std=std,panic_unwind");
    let runner = format!("node --no-warnings {}", root.join("xtask/src/cross/wasi.mjs").display());
    let left_out = [&SLOW[..], &THREADED].concat();
    let node = (!has_node()).then_some("npm install --global node@24");
    Machine { name: name.to_owned(), call, triple, runner, left_out, needs, node }
}

/// Returns whether Node 24 or later is installed: Node 20 crashes when it collects garbage while
/// programs unwind.
pub(crate) fn has_node() -> bool {
    let output = Command::new("node").arg("--version").output().ok();
    let version = output.and_then(|output| String::from_utf8(output.stdout).ok());
    let major =
        version.and_then(|text| text.trim().strip_prefix('v')?.split('.').next()?.parse().ok());
    major.is_some_and(|major: u32| major >= 24)
}

/// Returns an x86-64 CPU, given the backends that it lacks. The program is compiled once for all.
fn level((cpu, lacks): (&str, &str)) -> Machine {
    Machine {
        name: format!("x86-64 {cpu}"),
        call: Cargo::new(TESTS).variable("HEXPHASE_ALLOW_MISSING", lacks),
        triple: "x86_64-unknown-linux-gnu".to_owned(),
        runner: format!("qemu-x86_64 -cpu {cpu}"),
        left_out: SLOW.into(),
        needs: vec![("/usr/bin/qemu-x86_64".to_owned(), "qemu-user".to_owned())],
        node: None,
    }
}
