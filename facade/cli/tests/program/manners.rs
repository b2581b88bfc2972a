//! JSON output, completions, manual pages, help, the version, and invalid arguments.

use hexphase::{Backend, BackendKind, BackendUnavailable};
use serde_json::Value;

use crate::run::{Folder, Run, gzip, run};

/// Parses each line of standard output as JSON.
fn objects(run: &Run) -> Vec<Value> {
    run.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn all_lines_are_objects_of_json() {
    let folder = Folder::with_scene("x,y,r\n0,0,1\n1,1,1\n9,9,1\n").with("b.csv", "x,y,r\n0,0,1\n");
    for (line, expected) in [
        ("pairs scene.csv", &[r#"{"a":0,"b":1}"#][..]),
        ("pairs scene.csv --within 20 --count", &[r#"{"count":3}"#]),
        ("pairs scene.csv --count", &[r#"{"count":1}"#]),
        ("join scene.csv b.csv", &[r#"{"a":0,"b":0}"#, r#"{"a":1,"b":0}"#]),
        (
            "join scene.csv b.csv --left",
            &[r#"{"a":0,"b":0}"#, r#"{"a":1,"b":0}"#, r#"{"a":2,"b":null}"#],
        ),
        ("join scene.csv b.csv --anti", &[r#"{"a":2}"#]),
        ("join scene.csv b.csv --anti --count", &[r#"{"count":1}"#]),
        (
            "query scene.csv --point 9,9 --ray 5,9,1,0 --nearest 1",
            &[r#"{"query":0,"id":2,"distance":0}"#, r#"{"query":1,"id":2,"fraction":3}"#],
        ),
        ("query scene.csv --point 9,9", &[r#"{"query":0,"id":2}"#]),
        ("neighbors b.csv --radius 1", &[]),
        (
            "neighbors scene.csv --radius 1 --scalar f64",
            &[r#"{"a":0,"b":1,"distance":0}"#, r#"{"a":1,"b":0,"distance":0}"#],
        ),
        ("generate discs:1", &[r#"{"x":22.2901706695556640625,"y":7.7478351593017578125,"r":7}"#]),
    ] {
        let run = folder.run(&format!("{line} --json"));
        assert_eq!(run.text().lines().collect::<Vec<_>>(), expected, "{line}");
        assert_eq!(objects(&run).len(), expected.len());
    }
    let trials = objects(&folder.run("tune scene.csv --rounds 1 --ticks 1 --json"));
    assert!(trials.len() > 3 && trials.iter().all(|trial| trial["agrees"] == true));
}

#[test]
fn completions_are_scripts_that_know_all_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = run(&format!("completions {shell}"));
        for word in ["neighbors", "completions", "within", "anti"] {
            assert!(run.text().contains(word), "{shell}: {word}");
        }
        assert_eq!(run.err, "");
    }
    let folder = Folder::new();
    assert_eq!(folder.run("completions bash --output hexphase.bash").text(), "");
    assert_eq!(folder.read("hexphase.bash"), run("completions bash").text());
    let unknown = run("completions csh");
    assert!(unknown.err.starts_with("hexphase: invalid value 'csh' for '<SHELL>'"));
}

#[test]
fn manual_pages_are_written_for_all_commands() {
    let folder = Folder::new().with("file", "");
    assert_eq!(folder.run("man pages/man1").text(), "");
    let mut names: Vec<_> = std::fs::read_dir(folder.path("pages/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.contains(&"hexphase.1".into()), "{names:?}");
    assert!(names.contains(&"hexphase-join.1".into()), "{names:?}");
    let page = folder.read("pages/man1/hexphase-join.1");
    assert!(page.contains(".TH hexphase-join 1") && page.contains("\\-\\-within"), "{page}");
    folder.run("man file").assert_error("file: system error: File exists (os error 17)");
}

#[test]
fn help_of_all_commands_fits_into_80_columns_and_its_examples_work() {
    let help = run("--help");
    let commands = help.text().lines().skip_while(|line| *line != "Commands:").skip(1);
    // Indented lines continue the description of a command.
    let first =
        commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = first.filter_map(|line| line.split_whitespace().next());
    let mut lines: Vec<_> = names.map(|name| format!("{name} --help")).collect();
    assert!(lines.len() >= 9, "{lines:?}");
    lines.retain(|line| line != "help --help");
    lines.push("--help".into());
    for line in lines {
        let help = run(&line);
        for text in help.text().lines() {
            assert!(text.chars().count() <= 80, "{line}: {text}");
            assert!(!text.contains('\u{1b}'), "{line}: {text}");
        }
        let (_, examples) = help.text().split_once("Examples:\n").expect("examples");
        let mut tried = 0;
        for example in examples.lines().map_while(|line| line.strip_prefix("  hexphase ")) {
            // The part after a pipe is another program or another example.
            let words = example.split("   ").next().unwrap().split(" | ").next().unwrap();
            let words = words.split(" > ").next().unwrap().trim().replace("500000", "5000");
            let words = words.replace("--backend avx2", "--backend scalar");
            let words = words.replace("--runs 1000", "--runs 10");
            let words = words.replace("--frames 50", "--frames 2 --ships 100 --seconds 1");
            let folder = ["scene.csv", "a.csv", "a2.csv", "b.csv", "b2.csv"]
                .into_iter()
                .fold(Folder::new(), |folder, name| folder.with(name, "x,y,r\n"))
                .with("scene.csv.gz", gzip("x,y,r\n"))
                .with("queries.csv", "point,1,1\n")
                .with("ticks.csv", "tick,id,x,y,r\n0,a,0,0,1\n");
            assert_eq!(folder.run(&words).status, 0, "{words}");
            tried += 1;
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
            "pairs a --delimiter .",
            "invalid value '.' for '--delimiter <CHAR>': this character cannot separate columns",
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
            Err(why) => run.assert_error(&format!(
                "invalid value '{kind}' for '--backend <BACKEND>': {why} (see hexphase --help)"
            )),
        }
    }
}
