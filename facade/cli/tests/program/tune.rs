//! `hexphase tune`: all structures are measured, and the report has a table, an explanation and
//! Rust code. The tests do not depend on measured times.

use crate::run::{Folder, run};

const SCENE: &str = "x,y,r\n0,0,1\n1,1,1\n9,9,1\n";

/// Asserts that a report has all its parts, and returns the rows of its table.
#[track_caller]
fn table(text: &str) -> Vec<&str> {
    assert!(text.contains("; all found the same pairs in every tick.\n"), "{text}");
    assert!(text.contains("\nlet options = Options::new()\n    .algorithm(Algorithm::"), "{text}");
    let table = text.lines().skip_while(|line| !line.contains("ms a tick")).skip(1);
    let table: Vec<&str> = table.take_while(|line| !line.is_empty()).collect();
    let fastest = table[0].split_whitespace().nth(4).unwrap();
    let code = format!("    .algorithm(algorithm::{fastest})\n");
    assert!(text.to_lowercase().contains(&code), "the code sets the fastest structure: {text}");
    table
}

#[test]
fn generated_scenes_move() {
    let run = run("tune tail:600 --rounds 1 --ticks 4");
    let table = table(run.text());
    for name in ["brute", "hash with cells of", "hshg", "morton"] {
        assert!(table.iter().any(|row| row.contains(name)), "{name}: {table:?}");
    }
    assert!(run.text().contains("\nAt most 600 objects at a time, 5 ticks; all of them move"));
    assert!(run.text().contains("BroadPhase<f32, 2, ()>"));
    let [line] = run.lines()[..] else { panic!("one line: {}", run.err) };
    let begin = "hexphase: 600 objects, 2 dimensions (f32), 5 ticks, 6 settings, 1 round, backend";
    assert!(line.starts_with(begin), "{line}");
}

/// Recorded ticks: object `a` moves, `b` exists in the first and the last tick, `c` from the second
/// tick on.
const RECORDED: &str = "\
tick,id,x,y,r
1,a,0,0,1
1,b,9,9,1
4,a,1,0,1
4,c,9,9,1
5,c,9,9,1
5,a,2,0,1
5,b,2,0,1
";

#[test]
fn recorded_ticks_are_replayed() {
    let folder = Folder::with_scene(RECORDED);
    for scalar in ["f32", "f64", "i32"] {
        let line = format!("tune scene.csv --recorded --rounds 1 --scalar {scalar}");
        let run = folder.run(&line);
        assert!(run.err.contains("hexphase: 3 objects, 2 dimensions"), "{}", run.err);
        assert!(run.err.contains(", 3 ticks, "), "{}", run.err);
        assert!(run.text().contains("\nAt most 3 objects at a time, 3 ticks; "), "{}", run.text());
        // There is one pair in three ticks.
        assert!(run.text().contains("; 0.11 pairs for each object.\n"), "{}", run.text());
    }
    let boxes = "tick,id,min_x,min_y,min_z,max_x,max_y,max_z\n0,7,0,0,0,1,1,1\n0,8,1,1,1,2,2,2\n";
    let run = Folder::new().feed("tune - --recorded --rounds 1", boxes.as_bytes());
    assert!(run.text().contains("BroadPhase<f32, 3, ()>"), "{}", run.text());
    assert!(run.text().contains("; 0.5 pairs for each object.\n"), "{}", run.text());
}

#[test]
fn recorded_ticks_must_be_complete_and_in_order() {
    for (text, message) in [
        (
            "tick,x,y,r\n",
            "line 1: read tick,x,y,r; recorded ticks have tick,id and \
          min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r",
        ),
        (
            "tick,id,x,y,r\n2,a,0,0,1\n1,a,0,0,1\n",
            "line 3, column tick: tick 1 is after tick 2; ticks must ascend",
        ),
        (
            "tick,id,x,y,r\n2,a,0,0,1\n2,a,0,0,1\n",
            "line 3, column id: duplicate id a, first on line 2",
        ),
        ("tick,id,x,y,r\n2,a,0,zero,1\n", "line 2, column y: \"zero\" is not a number"),
        ("tick,id,x,y,r\n-1,a,0,0,1\n", "line 2, column tick: \"-1\" is not the number of a tick"),
        ("tick,id,x,y,r\n1,a,0,0,-1\n", "line 2, column r: the radius -1 is negative"),
        ("tick,id,x,y,r\n1,a,0,0\n", "line 2, column r: missing: 4 fields, but the header has 5"),
        (
            "tick,id,min_x,min_y,max_x,max_y\n1,a,5,0,0,0\n",
            "line 2, column min_x: the minimum 5 is above the maximum 0",
        ),
    ] {
        let run = Folder::with_scene(text).run("tune scene.csv --recorded");
        run.assert_error(&format!("scene.csv: {message}"));
    }
    run("tune gone.csv --recorded").assert_error("gone.csv: no such file or folder");
}

#[test]
fn single_things_are_singular() {
    let run = Folder::with_scene("x,y,r\n0,0,1\n").run("tune scene.csv --rounds 1 --ticks 1");
    assert!(run.err.contains("hexphase: 1 object, "), "{}", run.err);
    assert!(run.err.contains(", 1 round, "), "{}", run.err);
    assert!(run.text().contains("\nAt most 1 object at a time, 2 ticks; "), "{}", run.text());
    assert!(run.text().contains("each replayed once on "), "{}", run.text());
    for text in [&run.err, run.text()] {
        for word in ["objects", "rounds", "times"] {
            assert!(!text.contains(&format!(" 1 {word}")), "{text}");
        }
    }
}

#[test]
fn reports_have_notes_and_the_requested_scalar() {
    let folder = Folder::with_scene(SCENE);
    let fixed = "The scene has one tick: ";
    let rest = "\nAt most 3 objects at a time, 4 ticks; nothing moves.\n";
    for (line, begin, part, warnings) in [
        ("scene.csv --rounds 2 --ticks 3", fixed, rest, 0),
        ("- --rounds 2 --ticks 3", fixed, "; 0.33 pairs for each object.\n", 0),
        ("terdiman:100 --rounds 1", fixed, "BroadPhase<f32, 3, ()>", 0),
        ("discs:50 --rounds 1 --ticks 2", "", "BroadPhase<f32, 2, ()>", 0),
        ("discs:50 --rounds 1 --ticks 2 --scalar f64", "", "BroadPhase<f64, 2, ()>", 0),
        ("discs:50 --rounds 1 --ticks 2 --scalar i32", "", "BroadPhase<i32, 2, ()>", 1),
        (
            "discs:600 --rounds 1 --ticks 1",
            "A size of cells with \"(chosen)\" is not a setting: ",
            " (chosen)",
            0,
        ),
        ("discs:0 --rounds 1", "", "", 0),
    ] {
        let run = folder.feed(&format!("tune {line}"), SCENE.as_bytes());
        table(run.text());
        assert!(run.text().starts_with(begin), "{line}: {}", run.text());
        assert!(run.text().contains(part), "{line}: {}", run.text());
        assert_eq!(run.lines().len(), 1 + warnings, "{line}: {}", run.err);
    }
    let run = folder.run("tune scene.csv --rounds 1 --output report.txt --backend scalar");
    assert_eq!(run.text(), "");
    assert!(run.err.contains(", backend scalar, "), "{}", run.err);
    table(&folder.read("report.txt"));
}

#[test]
fn errors_are_one_line() {
    Folder::new().run("tune no.csv").assert_error("no.csv: no such file or folder");
    for option in ["ticks", "rounds"] {
        run(&format!("tune discs:9 --{option} 0")).assert_error(&format!(
            "invalid value '0' for '--{option} <COUNT>': 0 is not in 1..=1000 (see hexphase --help)"
        ));
    }
}
