//! Help, the version, and invalid arguments.

use hexphase::{Backend, BackendKind, BackendUnavailable};

use crate::run::{Folder, run};

#[test]
fn help_has_examples_that_work() {
    for (line, command) in [
        ("--help", "pairs "),
        ("pairs --help", "pairs "),
        ("join --help", "join "),
        ("query -h", "query "),
        ("neighbors -h", "neighbors "),
        ("info -h", "info "),
        ("tune -h", "tune "),
        ("generate -h", "generate "),
        #[cfg(feature = "sim")]
        ("sim --help", "sim "),
        ("fleet -h", "fleet "),
    ] {
        let help = run(line);
        let (_, examples) = help.text().split_once("Examples:\n").expect("examples");
        let mut tried = 0;
        for example in examples.lines().map_while(|line| line.strip_prefix("  hexphase ")) {
            let words = example.split("   ").next().unwrap().trim();
            // The part after a pipe is another program or another example.
            let words = words.split(" | ").next().unwrap().replace("500000", "5000");
            let words = words.replace("--backend avx2", "--backend scalar");
            let words = words.replace("--runs 1000", "--runs 10");
            let words = words.replace("--frames 50", "--frames 2 --ships 100 --seconds 1");
            let words = words.split(" > ").next().unwrap().trim().to_string();
            let packed = crate::run::gzip("x,y,r\n");
            let folder = Folder::with_scene("x,y,r\n").with("scene.csv.gz", packed);
            let folder = ["a.csv", "a2.csv", "b.csv", "b2.csv"]
                .into_iter()
                .fold(folder, |folder, name| folder.with(name, "x,y,r\n"));
            let folder = folder.with("queries.csv", "point,1,1\n");
            let folder = folder.with("ticks.csv", "tick,id,x,y,r\n0,a,0,0,1\n");
            assert_eq!(folder.run(&words).status, 0, "{words}");
            tried += usize::from(words.starts_with(command));
        }
        assert!(tried > 1, "{line}: {tried} examples");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(run("--version").text(), concat!("hexphase ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_command_help_is_printed_and_the_run_fails() {
    let run = Folder::new().run_words(&[], b"");
    assert_eq!((run.status, &*run.out), (2, &b""[..]));
    assert!(run.err.contains("Usage: hexphase [OPTIONS] <COMMAND>"), "{}", run.err);
}

#[test]
fn errors_in_arguments_are_one_line() {
    for (line, message) in [
        ("pairs", "the following required arguments were not provided: <SCENE>..."),
        ("tune", "the following required arguments were not provided: <SCENE>..."),
        ("generate", "the following required arguments were not provided: <NAME:COUNT[:SEED]>"),
        ("find a.csv", "unrecognized subcommand 'find'"),
        #[cfg(not(feature = "sim"))]
        ("sim 7", "unrecognized subcommand 'sim'"),
        (
            "pairs a --delimiter ab",
            "invalid value 'ab' for '--delimiter <CHAR>': one ASCII character, tab or space is \
             expected",
        ),
        (
            "pairs a --memory much",
            "invalid value 'much' for '--memory <SIZE>': a number of bytes is expected, such as \
             500M or 2G",
        ),
        ("pairs a --cuont", "unexpected argument '--cuont' found"),
        (
            "pairs a --algorithm magic",
            "invalid value 'magic' for '--algorithm <ALGORITHM>' \
             [possible values: auto, brute, hash, hshg, morton]",
        ),
        (
            "pairs a --scalar f16",
            "invalid value 'f16' for '--scalar <TYPE>' [possible values: f32, f64, i32]",
        ),
    ] {
        run(line).assert_error(&format!("{message} (see hexphase --help)"));
    }
}

#[test]
fn help_lists_the_backends_that_are_compiled() {
    let missing = |kind| matches!(Backend::new(kind), Err(BackendUnavailable::NotCompiled(_)));
    let compiled = BackendKind::ALL.into_iter().filter(|&kind| !missing(kind));
    let names: String = compiled.map(|kind| format!(", {kind}")).collect();
    let list = format!("[possible values: auto{names}]");
    assert!(run("pairs --help").text().contains(&list), "{list}");
    run("pairs a --backend neon").assert_error(&format!(
        "invalid value 'neon' for '--backend <BACKEND>' {list} (see hexphase --help)"
    ));
}

#[test]
fn unavailable_backends_are_reported_with_the_reason() {
    for kind in BackendKind::ALL {
        let run = run(&format!("pairs discs:100 --backend {kind}"));
        match Backend::new(kind) {
            Ok(_) => assert!(run.err.contains(&format!("backend {kind}, ")), "{}", run.err),
            Err(why) => run.assert_error(&format!("--backend: {why}")),
        }
    }
}
