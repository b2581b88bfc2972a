//! Numbers that are rounded cause at most one warning.

use crate::run::{Folder, run};

/// Runs a command and returns its warning without the prefix; `None` without a warning.
#[track_caller]
fn warning(folder: &Folder, line: &str) -> Option<String> {
    let run = folder.run(line);
    assert_eq!(run.status, 0, "{}", run.err);
    let lines = run.lines();
    assert!(lines.len() <= 2, "{}", run.err);
    let text = lines.get(1)?.strip_prefix("hexphase: warning: ").expect("a warning");
    Some(text.to_owned())
}

#[track_caller]
fn assert_warning(text: &str, scalar: &str, expected: &str) {
    let warning = warning(&Folder::with_scene(text), &format!("pairs scene.csv --scalar {scalar}"));
    assert_eq!(warning.as_deref(), Some(expected), "{text:?}");
}

#[track_caller]
fn assert_no_warning(text: &str, scalar: &str) {
    let warning = warning(&Folder::with_scene(text), &format!("pairs scene.csv --scalar {scalar}"));
    assert_eq!(warning, None, "{text:?}");
}

#[test]
fn exact_numbers_cause_no_warning() {
    assert_no_warning("x,y,r\n0.1,-1e-3,1.0\n16777216,00012.5000,3e38\n", "f32");
    assert_no_warning("x,y,r\n123.4567891,16777217,0.30000000000000004\n", "f64");
    // The exact ends of the disc have more digits than the type can store, like those of nearly all
    // discs.
    assert_no_warning("x,y,r\n29629.563,123.45679,5.4321\n", "f32");
    assert_no_warning("x,y,r\n1.0,-2147483648,0\n2e3,+7,0e5\n", "i32");
    // Floats with more digits than needed, as `printf` writes them.
    assert_no_warning("x,y,r\n-55.7821999,52.5588989,0.400000006\n", "f32");
    // A number in a column that is not read.
    assert_no_warning("x,y,note,r\n0,0,123.4567891,1\n", "f32");
}

#[test]
fn the_warning_names_the_first_rounded_number() {
    let front = "scene.csv: as f32, ";
    let one = "1 number was rounded: line 3, column min_y: 123.4567891 became 123.45679";
    let boxes = "min_x,min_y,max_x,max_y\n0,0,1,1\n0,123.4567891,1,200\n";
    assert_warning(boxes, "f32", &format!("{front}{one}"));
    let three = "3 numbers were rounded, first line 2, column min_x: 16777217 became 16777216";
    let boxes = "max_y,min_y,max_x,min_x\n16777219,0,16777219,16777217\n1,0,1,0\n";
    assert_warning(boxes, "f32", &format!("{front}{three}"));
    assert_warning(
        "min_x,min_y,max_x,max_y\n1,9007199254740993,1,1e17\n",
        "f64",
        "scene.csv: as f64, 1 number was rounded: line 2, column min_y: 9007199254740993 became 9007199254740992",
    );
}

#[test]
fn the_warning_names_the_first_rounded_end_of_a_disc() {
    let front = "scene.csv: as f32, ";
    let two = "2 numbers were rounded, first line 3, column y: 123.4567891 - 1 became 122.45679";
    assert_warning("x,y,r\n0,0,1\n0,123.4567891,1\n", "f32", &format!("{front}{two}"));
    // The ends are exact, although a number was rounded.
    assert_no_warning("x,y,r\n16777217,0,1\n", "f32");
    assert_no_warning("x,y,r\n0.5,1.5,0.5\n", "i32");
    let lost = "2 numbers were rounded, first line 2, column x: 16777216 - 0.5 became 16777216";
    assert_warning("x,y,r\n16777216,0,0.5\n", "f32", &format!("{front}{lost}"));
    let lost = "4 numbers were rounded, first line 2, column x: 1 - 1e-50 became 1";
    assert_warning("x,y,r\n1,2,1e-50\n", "f64", &format!("scene.csv: as f64, {lost}"));
}

#[test]
fn integers_are_rounded_to_nearest_ties_to_even() {
    let folder =
        Folder::with_scene("x,y,r\n0.5,0,0\n-0.5,0,0\n1.5,0,0\n2.5,0,0\n2.51,0,0\n3,0,0\n");
    assert_eq!(folder.run("pairs scene.csv --scalar i32").text(), "0,1\n2,3\n4,5\n");
    let warning = warning(&folder, "pairs scene.csv --scalar i32").unwrap();
    let expected =
        "scene.csv: as i32, 10 numbers were rounded, first line 2, column x: 0.5 - 0 became 0";
    assert_eq!(warning, expected);
}

#[test]
fn generated_scenes_warn_when_boxes_are_rounded() {
    let folder = Folder::new();
    let first = warning(&folder, "pairs discs:100 --scalar i32").expect("discs are not whole");
    let front = "discs:100: as i32, 400 numbers were rounded, first object 0, min: ";
    assert!(first.starts_with(front), "{first}");
    for line in
        ["pairs discs:100", "pairs discs:100 --scalar f64", "pairs terdiman:99 --scalar i32"]
    {
        assert_eq!(warning(&folder, line), None, "{line}");
    }
}

#[test]
fn whole_scenes_have_the_same_pairs_in_all_scalars() {
    let pairs = run("pairs terdiman:2000");
    assert!(pairs.text().len() > 1000);
    for scalar in ["f64", "i32"] {
        assert_eq!(run(&format!("pairs terdiman:2000 --scalar {scalar}")).text(), pairs.text());
    }
}
