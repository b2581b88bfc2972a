//! Queries on worker processes: the right answer, and a worker that is killed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

const PROGRAM: &str = env!("CARGO_BIN_EXE_hexphase-cluster");

/// The SHA-256 of the output of `hexphase pairs FILE` for the file of 60,000 boxes.
const EXPECTED: &str = "868f54a598f096fe2245b5b1688495fd72c94cde22d02807c3f9c9b9fbd8a0f5";

/// A query ends within this time, also if a worker ends.
const LIMIT: Duration = Duration::from_secs(120);

/// A worker process, killed when it is dropped.
struct Worker {
    process: Child,
    address: String,
}

impl Worker {
    fn start() -> Self {
        let mut command = Command::new(PROGRAM);
        let mut process = command.arg("worker").stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { process, address: address.trim().into() }
    }

    fn kill(&mut self) {
        self.process.kill().and_then(|()| self.process.wait()).unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill().and_then(|()| self.process.wait());
    }
}

/// Writes boxes of whole numbers: half of them crowded, and one over everything.
fn scene(name: &str, count: u64) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut state = 88_172_645_463_325_252u64;
    let mut below = |end: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % end
    };
    let mut text =
        String::from("id,min_x,min_y,max_x,max_y\n0,-9000000,-9000000,9000000,9000000\n");
    for id in 1..count {
        let side = if id % 2 == 0 { 40_000 } else { 1_000_000 };
        let [x, y, w, h] = [side, side, 400, 400].map(&mut below);
        text += &format!("{id},{x},{y},{},{}\n", x + w, y + h);
    }
    std::fs::write(&path, text).unwrap();
    path
}

fn start(file: &Path, workers: &[&Worker], option: Option<&str>) -> Child {
    let addresses: Vec<&str> = workers.iter().map(|worker| &*worker.address).collect();
    let mut command = Command::new(PROGRAM);
    command.arg("pairs").arg(file).args(option);
    if !addresses.is_empty() {
        command.args(["--workers", &addresses.join(",")]);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs a query on workers and returns the hash of its result.
fn hash_of(file: &Path, workers: &[&Worker]) -> String {
    hash(&end(start(file, workers, None)))
}

fn end(query: Child) -> Output {
    let (id, begun) = (query.id(), Instant::now());
    let waiting = thread::spawn(move || query.wait_with_output().unwrap());
    while !waiting.is_finished() {
        assert!(begun.elapsed() < LIMIT, "the query (process {id}) does not end");
        thread::sleep(Duration::from_millis(5));
    }
    waiting.join().unwrap()
}

fn hash(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    Sha256::digest(&output.stdout).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn any_number_of_workers_finds_the_pairs_of_one_process() {
    let file = scene("boxes.csv", 60_000);
    let workers = [Worker::start(), Worker::start(), Worker::start()];
    let workers: Vec<&Worker> = workers.iter().collect();
    for count in 0..=3 {
        assert_eq!(hash_of(&file, &workers[..count]), EXPECTED, "{count} workers");
    }
    let plan = end(start(&file, &workers[..2], Some("--plan")));
    let plan = String::from_utf8(plan.stdout).unwrap();
    // Both operators run in stages of the workers; the check runs in the client.
    for (operator, stage) in [("CheckExec", 0), ("OverlapsExec", 1), ("CellsExec", 2)] {
        let before = &plan[..plan.find(operator).expect(operator)];
        assert_eq!(before.matches("┌───── Stage").count(), stage, "{operator} in\n{plan}");
    }
}

#[test]
fn a_worker_that_is_killed_is_a_clear_error_or_the_right_answer() {
    // The engine is not optimised in debug builds, so that a query takes long enough.
    let file = scene("many.csv", if cfg!(debug_assertions) { 40_000 } else { 300_000 });
    let kept = Worker::start();
    let expected = hash_of(&file, &[&kept]);
    let begun = Instant::now();
    {
        let other = Worker::start();
        assert_eq!(hash_of(&file, &[&kept, &other]), expected);
    }
    let usual = begun.elapsed();
    let mut failed = 0;
    for part in 1..=9 {
        let mut other = Worker::start();
        let query = start(&file, &[&kept, &other], None);
        thread::sleep(usual * part / 10);
        other.kill();
        let output = end(query);
        if output.status.success() {
            assert_eq!(hash(&output), expected, "a wrong answer after {part}/10");
            println!("killed after {part}/10: the right answer");
        } else {
            let error = String::from_utf8(output.stderr).unwrap();
            println!("killed after {part}/10: {}", error.lines().last().unwrap_or(""));
            assert_eq!(output.status.code(), Some(2), "{error}");
            assert!(error.contains("there is no result: no answer from"), "{error}");
            assert!(error.contains(&other.address) && output.stdout.is_empty(), "{error}");
            failed += 1;
        }
        // The worker that is left serves the next query.
        if part % 3 == 0 {
            assert_eq!(hash_of(&file, &[&kept]), expected);
        }
    }
    assert!(failed > 0, "no worker was killed while it worked");
    let mut gone = Worker::start();
    gone.kill();
    let output = end(start(&file, &[&kept, &gone], None));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("cannot be reached"), "{error}");
    assert!(error.contains(&gone.address), "{error}");
}
