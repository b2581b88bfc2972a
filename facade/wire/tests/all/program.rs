//! Tests of the program `hexphase-wire`: two processes play a game over the loopback interface.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};

/// Starts the program; the arguments are separated by spaces.
fn start(line: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_hexphase-wire"))
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// The exit status, standard output and standard error.
type Run = (Option<i32>, String, String);

fn run(output: Output, err: Vec<u8>) -> Run {
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(err))
}

/// Runs two processes; the second connects to the first. Returns the results in this order.
fn play(listening: &str, connecting: &str) -> [Run; 2] {
    let mut one = start(&format!("--listen 127.0.0.1:0 --ships 80 {listening}"));
    let mut errors = BufReader::new(one.stderr.take().expect("a pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let address = line.trim_end().strip_prefix("hexphase-wire: listening at ").expect("an address");
    let two = start(&format!("--connect {address} --ships 80 {connecting}"));
    let mut two = two.wait_with_output().expect("an exit status");
    let mut rest = Vec::new();
    errors.read_to_end(&mut rest).expect("standard error");
    let err = core::mem::take(&mut two.stderr);
    [run(one.wait_with_output().expect("an exit status"), rest), run(two, err)]
}

#[test]
fn two_processes_agree() {
    let hashes = play("--seconds 1", "--seconds 1").map(|(status, out, err)| {
        assert_eq!((status, err.as_str()), (Some(0), ""));
        let (_, rest) = out.split_once("\nhash").expect("a hash");
        rest.trim_start()[..16].to_owned()
    });
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn different_seeds_are_an_error_of_both() {
    let [one, two] = play("--seed 3", "--seed 4");
    assert!(one.0 == Some(2) && one.2.ends_with("seed 3 here and 4 there\n"), "{one:?}");
    assert!(two.0 == Some(2) && two.2.ends_with("seed 4 here and 3 there\n"), "{two:?}");
}
