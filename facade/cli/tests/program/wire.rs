//! `fleet --listen` and `--connect`: two processes over loopback.

use std::io::{BufRead, BufReader, Read};

use crate::run::{Folder, Run};

/// Runs two processes; the second connects to the first. Returns the results in this order.
fn play(listening: &str, connecting: &str) -> [Run; 2] {
    let folder = Folder::new();
    let words = format!("fleet --listen 127.0.0.1:0 --ships 80 {listening}");
    let mut one = folder.start(&words.split_whitespace().collect::<Vec<_>>());
    let mut errors = BufReader::new(one.stderr.take().expect("a pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let address = line.trim_end().strip_prefix("hexphase: listening at ").expect("an address");
    let two = folder.run(&format!("fleet --connect {address} --ships 80 {connecting}"));
    let mut rest = String::new();
    errors.read_to_string(&mut rest).expect("text");
    let output = one.wait_with_output().expect("an exit status");
    let status = output.status.code().expect("no signal");
    [Run { status, out: output.stdout, err: rest }, two]
}

#[test]
fn two_processes_agree() {
    let runs = play("--seconds 1 --json", "--seconds 1 --json");
    let hashes = runs.each_ref().map(|run| {
        assert_eq!((run.status, run.err.as_str()), (0, ""));
        let text = str::from_utf8(&run.out).expect("text");
        let (_, rest) = text.split_once("\"hash\":\"").expect("a hash");
        rest[..16].to_owned()
    });
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn a_flipped_bit_is_an_error_of_both() {
    for run in play("--seconds 9", "--seconds 9 --flip-bit 5") {
        assert_eq!((run.status, run.out.as_slice()), (2, &b""[..]));
        assert!(run.err.contains(": the states before tick 10 differ: "), "{}", run.err);
    }
}

#[test]
fn different_seeds_are_an_error_of_both() {
    let texts = play("--seed 3", "--seed 4").map(|run| (run.status, run.err));
    assert!(texts[0].0 == 2 && texts[0].1.ends_with("seed 3 here and 4 there\n"), "{texts:?}");
    assert!(texts[1].0 == 2 && texts[1].1.ends_with("seed 4 here and 3 there\n"), "{texts:?}");
}
