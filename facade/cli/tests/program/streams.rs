//! Standard output and standard error: their content, and closed pipes.

use std::io::{BufRead, BufReader, Read};

use crate::run::{Folder, run};

#[test]
fn the_summary_is_one_line() {
    let line = |line: &str| {
        let run = run(line);
        assert_eq!(run.status, 0);
        assert_eq!(run.lines().len(), 1, "{}", run.err);
        run.err
    };
    let brute = line("pairs terdiman:300 --algorithm brute --backend scalar");
    let front = "hexphase: 300 objects, 3 dimensions (f32), 12 pairs, algorithm brute, backend scalar, loaded in ";
    assert!(brute.starts_with(front), "{brute}");
    let hash = line("pairs discs:300 --algorithm hash --scalar f64");
    let front =
        "hexphase: 300 objects, 2 dimensions (f64), 45 pairs, algorithm hash with cells of ";
    assert!(hash.starts_with(front), "{hash}");
    let one = Folder::with_scene("x,y,r\n0,0,1\n1,1,1\n").run("pairs scene.csv");
    assert!(one.err.contains("hexphase: 2 objects, 2 dimensions (f32), 1 pair, "), "{}", one.err);
    let one = Folder::with_scene("x,y,r\n0,0,1\n").run("pairs scene.csv");
    assert!(one.err.contains("hexphase: 1 object, 2 dimensions (f32), 0 pairs, "), "{}", one.err);
    assert!(line("pairs discs:10").contains("algorithm auto (brute), backend "));
    assert!(line("pairs discs:9999").contains("algorithm auto (hshg), backend "));
}

#[test]
fn a_count_is_the_only_output() {
    assert_eq!(run("pairs terdiman:10000 --count").text(), "11811\n");
    assert_eq!(run("pairs discs:0 --count").text(), "0\n");
}

#[test]
fn a_closed_standard_output_is_no_error() {
    let folder = Folder::new();
    for (line, errors) in [("pairs mixed3:20000", 1), ("generate discs:100000", 0)] {
        let mut child = folder.start(&line.split(' ').collect::<Vec<_>>());
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        out.read_line(&mut first).unwrap();
        assert!(first.contains(','));
        drop(out);
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{err}");
        assert_eq!(err.lines().count(), errors, "{err}");
        assert!(!err.to_lowercase().contains("pipe"), "{err}");
    }
}

#[test]
fn a_closed_standard_error_is_ignored() {
    for (line, status) in [("pairs discs:1000", 0), ("pairs missing.csv", 2), ("pairs", 2)] {
        let folder = Folder::new();
        let mut child = folder.start(&line.split(' ').collect::<Vec<_>>());
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{line}");
    }
}
