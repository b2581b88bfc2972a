//! JSON output, completions, manual pages, and the width of help texts.

use serde_json::Value;

use crate::run::{Folder, Run, run};

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
fn help_of_all_commands_fits_into_80_columns_without_colors() {
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
        let run = run(&line);
        for text in run.text().lines() {
            assert!(text.chars().count() <= 80, "{line}: {text}");
            assert!(!text.contains('\u{1b}'), "{line}: {text}");
        }
    }
}
