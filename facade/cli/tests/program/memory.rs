//! Memory is bounded for any number of pairs, and a lack of memory is an error of one line.

#![cfg(target_os = "linux")]

use core::time::Duration;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;

use crate::run::{Folder, Run};

/// Returns a scene with this number of discs, which all overlap.
fn equal_discs(count: usize) -> String {
    "x,y,r\n".to_owned() + &"0,0,1\n".repeat(count)
}

/// Runs the program with a limit of its address space in KiB.
fn limited(folder: &Folder, threads: u32, kib: usize, line: &str) -> Run {
    let program = env!("CARGO_BIN_EXE_hexphase");
    let run = Command::new("sh")
        .args(["-c", &format!("ulimit -v {kib} && exec {program} {line}")])
        .env("RAYON_NUM_THREADS", threads.to_string())
        .current_dir(folder.path(""))
        .output();
    run.expect("a shell").into()
}

/// Asserts that a run failed with one line that begins with this message, and without output.
#[track_caller]
fn assert_failure(run: &Run, message: &str) {
    assert_eq!((run.status, run.out.len(), run.lines().len()), (2, 0, 1), "{}", run.err);
    assert!(run.err.starts_with(&format!("hexphase: {message}")), "{}", run.err);
}

/// Returns the lowest tested limit in KiB under which the program starts. Under a lower limit, it
/// fails before `main`, in the dynamic loader or the runtime.
fn least_limit(folder: &Folder) -> usize {
    let starts = |kib: &usize| limited(folder, 1, *kib, "--version").status == 0;
    (8000..64_000).step_by(1000).find(starts).expect("a limit under which it starts")
}

#[test]
fn counting_needs_no_memory_for_pairs() {
    let folder = Folder::with_scene(equal_discs(6000));
    for options in ["", " --scalar f64", " --algorithm hash", " --algorithm morton"] {
        // A list of these pairs would take 144 MB.
        let run = limited(&folder, 2, 140_000, &format!("pairs scene.csv --count{options}"));
        assert_eq!(run.text(), "17997000\n", "{options}");
    }
}

/// Runs the program under limits from too little to ample memory, with one and two threads. Each
/// run must either write the output of a run without a limit, or fail with an error of one line.
#[test]
fn under_every_limit_the_output_is_complete_or_the_error_is_one_line() {
    let scene: String = (0..100_000).map(|x| format!("{x},0,0\n")).collect();
    let folder = Folder::with_scene(format!("x,y,r\n{scene}"));
    let least = least_limit(&folder);
    for line in [
        "pairs clustered:30000 --count",
        "pairs clustered:30000 --count --algorithm hshg",
        "pairs clustered:30000 --count --algorithm hash",
        "pairs clustered:30000 --count --algorithm morton",
        "pairs clustered:30000",
        "pairs clustered:30000 --output pairs.csv",
        "pairs scene.csv",
        "pairs mixed3:30000",
        "tune scene.csv --rounds 1 --ticks 2",
    ] {
        let output = |out: &[u8]| {
            let file = folder.path("pairs.csv");
            let written = fs::read(&file).unwrap_or_default();
            let _ = fs::remove_file(file);
            [out.to_vec(), written]
        };
        let expected = output(&folder.run(line).out);
        let mut ends = [0, 0];
        for (kib, threads) in (0..6).flat_map(|step| [1, 2].map(|n| (least + 20_000 * step, n))) {
            let run = limited(&folder, threads, kib, line);
            let (err, output) = (&run.err, output(&run.out));
            assert_eq!(err.lines().count(), 1, "{line}: {threads} threads, {kib} KiB: {err}");
            match run.status {
                // The times of `tune` differ in each run.
                0 => assert!(output == expected || line.starts_with("tune"), "{line}: {kib}"),
                2 => {
                    assert!(output[1].is_empty() && expected[0].starts_with(&output[0]));
                    assert!(err.contains("not enough memory") && err.contains("; use a smaller"));
                }
                status => panic!("{line}: {threads} threads, {kib} KiB: {status}, {err}"),
            }
            ends[usize::from(run.status == 0)] += 1;
        }
        assert!(ends[0] > 0 && (ends[1] > 0 || line.starts_with("tune")), "{line}: {ends:?}");
    }
}

#[test]
fn too_many_objects_for_the_memory_are_an_error() {
    for command in ["pairs", "generate"] {
        let run = limited(&Folder::new(), 2, 2_000_000, &format!("{command} discs:100000000"));
        assert_failure(&run, "discs:100000000: not enough memory for 100000000 objects: about 100");
    }
}

/// Reads a line of 20 MiB. The allocation of the line buffer fails, so the process aborts.
#[test]
fn a_failed_allocation_of_any_kind_is_one_line() {
    let folder = Folder::with_scene("x,y,r\n".to_owned() + &"0".repeat(20 << 20) + ",0,1\n");
    let run = limited(&folder, 2, 30_000, "pairs scene.csv --count");
    assert_failure(&run, "not enough memory: memory allocation of ");
    let rest = " bytes failed; the limit is 30000 KiB (--memory, ulimit -v, -d); use a smaller scene or fewer ";
    assert!(run.err.contains(rest), "{}", run.err);
}

/// The option `--memory` limits the program, which under a limit runs as a child process. Pairs that
/// do not fit are written in pieces.
#[test]
fn under_the_memory_option_lists_are_written_in_pieces() {
    let id = |object: u32| format!("object {object:04}");
    let rows: String = (0..3000).map(|object| format!("{},0,0,1\n", id(object))).collect();
    let folder = Folder::with_scene(format!("id,x,y,r\n{rows}"));
    let run = |size: &str, line: &str| folder.run(&format!("{line} --memory {size}"));
    let written = run("150M", "pairs scene.csv --output pairs.csv");
    assert!(written.text().is_empty() && written.err.contains(", 4498500 pairs, "));
    let pairs = folder.read("pairs.csv");
    let mut lines = pairs.lines();
    for a in 0..3000 {
        for b in a + 1..3000 {
            assert_eq!(lines.next(), Some(&*format!("{},{}", id(a), id(b))));
        }
    }
    assert_eq!(lines.next(), None);
    for (size, line) in [("8M", "pairs scene.csv"), ("40M", "pairs discs:1000000")] {
        let failed = run(size, line);
        assert_eq!((failed.status, failed.out.len(), failed.lines().len()), (2, 0, 1));
        assert!(failed.err.contains("not enough memory"), "{}", failed.err);
    }
}

#[test]
fn errors_and_warnings_are_the_same_under_a_limit() {
    let folder = Folder::with_scene("x,y,r\n16777217,0,1\n");
    for line in ["pairs scene.csv --count", "pairs none.csv", "pairs a --ouput", "--version"] {
        let (free, run) = (folder.run(line), limited(&folder, 1, 1_000_000, line));
        assert_eq!((free.status, &free.out), (run.status, &run.out), "{line}");
        // The times differ in each run.
        let text = |run: &Run| run.err.split(", loaded in").next().map(str::to_owned);
        assert_eq!(text(&free), text(&run), "{line}");
    }
}

#[test]
fn too_many_pairs_to_tune_are_one_line() {
    let folder = Folder::with_scene(equal_discs(4000));
    let run = limited(&folder, 2, 600_000, "tune scene.csv --rounds 1 --ticks 1");
    assert_failure(&run, "scene.csv: not enough memory for 7998000 pairs: about ");
}

#[test]
fn a_program_that_is_killed_leaves_no_file() {
    for limit in ["", "ulimit -v 4000000 && "] {
        let folder = Folder::with_scene(equal_discs(7000));
        let program = env!("CARGO_BIN_EXE_hexphase");
        let line = format!("{limit}exec {program} pairs scene.csv --output pairs.csv");
        let mut child = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path(""))
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        // Under a limit, a child process of the program does the work.
        let children = format!("/proc/{0}/task/{0}/children", child.id());
        let worker = || {
            let children = fs::read_to_string(&children).expect("a process");
            children.trim().parse().unwrap_or(child.id())
        };
        let is_writing = |process: u32| {
            fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten().any(
                |entry| {
                    fs::read_link(entry.path()).is_ok_and(|file| {
                        file.starts_with(folder.path("").canonicalize().expect("a folder"))
                            && !file.ends_with("scene.csv")
                    })
                },
            )
        };
        while !is_writing(worker()) {
            thread::sleep(Duration::from_millis(5));
        }
        let worker = worker();
        assert_eq!(worker != child.id(), !limit.is_empty());
        thread::sleep(Duration::from_millis(50));
        child.kill().expect("a process");
        child.wait().expect("a process");
        while is_writing(worker) {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(folder.names(), ["scene.csv"]);
    }
}
