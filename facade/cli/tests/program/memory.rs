//! Memory is bounded, however many pairs there are, and too little memory is an error of one line.

#![cfg(target_os = "linux")]

use core::time::Duration;
use std::fs;
use std::process::{Command, Output};
use std::thread;

use crate::run::Folder;

/// Returns a scene of discs that all overlap.
fn equal_discs(count: usize) -> String {
    "x,y,r\n".to_owned() + &"0,0,1\n".repeat(count)
}

/// Runs the program with a limit of its address space, in KiB.
fn limited(folder: &Folder, threads: u32, kib: usize, line: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_hexphase");
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {kib} && exec {program} {line}")])
        .env("RAYON_NUM_THREADS", threads.to_string())
        .current_dir(folder.path(""))
        .output()
        .expect("a shell")
}

#[track_caller]
fn assert_success(run: &Output) {
    let err = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{err}");
}

#[test]
fn counting_needs_no_memory_for_pairs() {
    let folder = Folder::with_scene(equal_discs(12_000));
    for options in ["", " --scalar f64", " --algorithm hash", " --algorithm morton"] {
        // A list of these pairs would have 576 MB.
        let run = limited(&folder, 2, 400_000, &format!("pairs scene.csv --count{options}"));
        assert_success(&run);
        assert_eq!(String::from_utf8(run.stdout).expect("text"), "71994000\n", "{options}");
    }
}

#[test]
fn lists_are_written_in_pieces() {
    let mut text = String::from("id,x,y,r\n");
    for id in 0..3000 {
        text += &format!("{},0,0,1\n", 7 * id);
    }
    let folder = Folder::with_scene(text);
    let run = limited(&folder, 2, 300_000, "pairs scene.csv --output pairs.csv");
    assert_success(&run);
    assert!(String::from_utf8_lossy(&run.stderr).contains(", 4498500 pairs, "));
    let pairs = folder.read("pairs.csv");
    let mut lines = pairs.lines();
    for a in 0..3000u32 {
        for b in a + 1..3000 {
            let Some((first, second)) = lines.next().and_then(|line| line.split_once(',')) else {
                panic!("the line of {a} and {b} is missing");
            };
            let found = [first, second].map(|id| id.parse::<u32>().expect("an id"));
            assert_eq!(found, [7 * a, 7 * b]);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn too_little_memory_is_one_line() {
    let mut scene = String::from("x,y,r\n");
    for x in 0..100_000 {
        scene += &format!("{x},0,0\n");
    }
    let folder = Folder::with_scene(scene);
    let mut failures = 0;
    for kib in [16_000, 24_000, 32_000, 40_000, 60_000, 80_000, 110_000, 150_000] {
        for line in [
            "pairs scene.csv",
            "pairs mixed3:30000",
            "pairs tail:50000 --algorithm hash",
            "tune scene.csv --rounds 1 --ticks 2",
        ] {
            // Use one thread: with more, the threads reserve address space at unpredictable times.
            let run = limited(&folder, 1, kib, line);
            let err = String::from_utf8_lossy(&run.stderr);
            match run.status.code() {
                Some(0) => {}
                Some(2) => {
                    assert_eq!((err.lines().count(), run.stdout.len()), (1, 0), "{err}");
                    assert!(err.contains(": not enough memory for "), "{err}");
                    failures += 1;
                }
                code => panic!("{line}: {kib} KiB: {code:?}, {err}"),
            }
        }
    }
    assert!(failures > 1, "{failures} failures");
}

#[test]
fn too_many_pairs_to_tune_are_one_line() {
    let folder = Folder::with_scene(equal_discs(4000));
    let run = limited(&folder, 2, 600_000, "tune scene.csv --rounds 1 --ticks 1");
    let err = String::from_utf8(run.stderr).expect("text");
    let message = "hexphase: scene.csv: not enough memory for 7998000 pairs in each tick\n";
    assert_eq!((run.status.code(), &*err), (Some(2), message));
}

#[test]
fn a_program_that_is_killed_leaves_no_file() {
    let folder = Folder::with_scene(equal_discs(12_000));
    let mut child = folder.start(&["pairs", "scene.csv", "--output", "pairs.csv"]);
    let files = format!("/proc/{}/fd", child.id());
    let is_writing = || {
        fs::read_dir(&files).expect("a process").flatten().any(|entry| {
            fs::read_link(entry.path()).is_ok_and(|file| {
                file.starts_with(folder.path("").canonicalize().expect("a folder"))
                    && !file.ends_with("scene.csv")
            })
        })
    };
    while !is_writing() {
        assert_eq!(child.try_wait().expect("a process"), None, "the program ended early");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(50));
    child.kill().expect("a process");
    child.wait().expect("a process");
    assert_eq!(folder.names(), ["scene.csv"]);
}
