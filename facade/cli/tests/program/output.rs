//! Output files appear when they are complete, or not at all; standard output and standard error
//! have their content, and may be closed.

use std::fs;
use std::io::{BufRead, BufReader, Read};

use crate::run::{Folder, Run, run};

const PAIRS: &str = "pairs discs:2000 --output out.csv";

/// A line for each command with the option `--output`.
const WRITERS: [&str; 9] = [
    "pairs discs:2000",
    "join discs:500 discs:600",
    "query discs:2000 --ball 0,0,99999",
    "neighbors discs:200 --nearest 1",
    "info discs:200",
    "tune discs:200 --rounds 1 --ticks 1",
    "render discs:200",
    "generate discs:200",
    "completions bash",
];

/// Lines that write to standard output only.
const PRINTERS: [&str; 5] = [
    "pairs discs:2000 --count",
    "fleet --ships 40 --bullets 20 --seconds 1 --peers 1",
    "--version",
    "--help",
    "help pairs",
];

#[test]
fn a_file_has_the_content_of_standard_output() {
    for line in ["pairs discs:2000", "pairs discs:2000 --count", "generate tail3:100"] {
        let folder = Folder::new();
        let expected = folder.run(line).text().to_owned();
        let run = folder.run(&format!("{line} --output out.csv"));
        assert_eq!(run.text(), "");
        assert_eq!(folder.read("out.csv"), expected);
        assert_eq!(folder.names(), ["out.csv"], "no other file remains");
    }
}

#[test]
fn an_earlier_file_is_replaced_and_kept_on_errors() {
    let folder = Folder::with_scene("x,y,r\n0,0,1\n0,0\n").with("out.csv", "earlier");
    let run = folder.run("pairs scene.csv --output out.csv");
    assert_eq!((run.status, run.lines().len()), (2, 1));
    assert_eq!(folder.read("out.csv"), "earlier");
    assert_eq!(folder.names(), ["out.csv", "scene.csv"]);
    assert_eq!(folder.run(PAIRS).status, 0);
    assert_eq!(folder.read("out.csv"), folder.run("pairs discs:2000").text());
}

#[test]
fn paths_that_cannot_be_written_are_errors() {
    let folder = Folder::new().with("file", "");
    fs::create_dir(folder.path("folder")).unwrap();
    for command in ["pairs discs:100", "generate discs:100"] {
        for (output, message) in [
            ("missing/out.csv", "missing/out.csv: no such file or folder"),
            ("file/out.csv", "file/out.csv: a part of the path is not a folder"),
            ("folder", "folder: is a folder"),
            ("folder/", "folder/: is a folder"),
        ] {
            folder.run(&format!("{command} --output {output}")).assert_error(message);
        }
    }
    assert_eq!(folder.names(), ["file", "folder"]);
}

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
fn a_closed_standard_output_is_no_error() {
    let folder = Folder::new();
    for (line, errors) in [("pairs mixed3:20000", 1), ("generate discs:100000", 0)] {
        let mut child = folder.start(line);
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
fn standard_output_that_is_closed_at_once_is_no_error() {
    let folder = Folder::new();
    for line in WRITERS.into_iter().chain(PRINTERS) {
        let mut child = folder.start(line);
        drop(child.stdout.take());
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!(run.status, 0, "{line}: {}", run.err);
        assert!(!run.err.to_lowercase().contains("pipe"), "{line}: {}", run.err);
    }
}

#[test]
fn a_closed_standard_error_is_ignored() {
    for (line, status) in [("pairs discs:1000", 0), ("pairs missing.csv", 2), ("pairs", 2)] {
        let folder = Folder::new();
        let mut child = folder.start(line);
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{line}");
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn mode(folder: &Folder, name: &str) -> u32 {
        fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn permissions_are_the_default_or_those_of_the_replaced_file() {
        let folder = Folder::new().with("any", "");
        folder.run(PAIRS);
        assert_eq!(mode(&folder, "out.csv"), mode(&folder, "any"));
        fs::set_permissions(folder.path("out.csv"), PermissionsExt::from_mode(0o640)).unwrap();
        folder.run(PAIRS);
        assert_eq!(mode(&folder, "out.csv"), 0o640);
    }

    #[test]
    fn the_target_of_a_link_is_replaced() {
        let folder = Folder::new().with("real.csv", "earlier");
        symlink("real.csv", folder.path("out.csv")).unwrap();
        assert_eq!(folder.run(PAIRS).text(), "");
        assert!(folder.path("out.csv").is_symlink());
        assert_eq!(folder.read("real.csv"), folder.run("pairs discs:2000").text());
    }

    #[test]
    fn a_scene_is_not_replaced_under_any_name() {
        const SCENE: &str = "x,y,r\n0,0,1\n1,1,1\n";
        let folder = Folder::with_scene(SCENE);
        fs::create_dir(folder.path("sub")).unwrap();
        symlink("scene.csv", folder.path("link.csv")).unwrap();
        fs::hard_link(folder.path("scene.csv"), folder.path("hard.csv")).unwrap();
        for (line, output) in [
            ("pairs scene.csv", "scene.csv"),
            ("pairs scene.csv --count", "./scene.csv"),
            ("tune scene.csv --rounds 1", "sub/../scene.csv"),
            ("pairs scene.csv", "link.csv"),
            ("pairs link.csv", "scene.csv"),
            ("pairs scene.csv", "hard.csv"),
        ] {
            let message = format!("--output: {output} is an input file and would be lost");
            folder.run(&format!("{line} --output {output}")).assert_error(&message);
        }
        let mut command = folder.command(&["pairs", "-", "--output", "scene.csv"]);
        command.stdin(File::open(folder.path("scene.csv")).unwrap());
        let message = "--output: scene.csv is an input file and would be lost";
        Run::from(command.output().unwrap()).assert_error(message);
        assert_eq!(folder.read("scene.csv"), SCENE);
        assert!(folder.path("link.csv").is_symlink());
        assert_eq!(folder.names(), ["hard.csv", "link.csv", "scene.csv", "sub"]);
        // A device is written to, not replaced.
        assert_eq!(folder.run("pairs /dev/null --output /dev/null").lines().len(), 1);
    }

    #[test]
    fn pipes_are_written_to_directly() {
        let folder = Folder::new();
        let made = Command::new("mkfifo").arg(folder.path("out.csv")).status();
        assert!(made.expect("mkfifo").success());
        let mut child = folder.start(PAIRS);
        let pipe = File::options().read(true).write(true).open(folder.path("out.csv")).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(fs::metadata(folder.path("out.csv")).unwrap().file_type().is_fifo());
        let mut out = BufReader::new(pipe);
        for line in folder.run("pairs discs:2000").text().lines() {
            let mut piped = String::new();
            out.read_line(&mut piped).unwrap();
            assert_eq!(piped.trim_end(), line);
        }
        assert_eq!(folder.names(), ["out.csv"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let folder = Folder::new();
        for line in WRITERS.into_iter().chain(PRINTERS) {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let mut command = folder.command(&line.split(' ').collect::<Vec<_>>());
            let run = Run::from(command.stdout(full).output().unwrap());
            assert_eq!((run.status, &*run.err), (2, "hexphase: stdout: no space left\n"), "{line}");
        }
    }

    /// The shell limits the size of files to 0, and ignores the signal, so that writes fail.
    #[test]
    fn a_file_that_cannot_be_written_is_an_error_and_does_not_appear() {
        let game = format!("{} --render pictures --frames 1", PRINTERS[1]);
        let others = [("man pages", "pages/hexphase.1"), (&*game, "pictures/0000.png")];
        let writers = WRITERS.map(|line| (format!("{line} --output out.svg"), "out.svg"));
        let others = others.map(|(line, path)| (line.to_owned(), path));
        for (line, path) in writers.into_iter().chain(others) {
            let folder = Folder::new();
            let program = env!("CARGO_BIN_EXE_hexphase");
            let script = format!("trap '' XFSZ; ulimit -f 0; exec {program} {line}");
            let mut shell = Command::new("sh");
            let run = shell.args(["-c", &script]).current_dir(folder.path("")).output().unwrap();
            let message = "system error: File too large (os error 27)";
            Run::from(run).assert_error(&format!("{path}: {message}"));
            for name in folder.names() {
                let entries = fs::read_dir(folder.path(&name)).expect("a folder, not a file");
                assert_eq!(entries.count(), 0, "{line}");
            }
        }
    }
}
