//! `hexphase query`, compared with brute force.

use crate::oracle::{Random, Scene};
use crate::run::{Folder, run};

/// Returns the expected lines `query,id` for the objects that overlap a box enlarged by a radius.
fn overlapping(query: usize, scene: &Scene, bounds: [[i64; 2]; 2], radius: i64) -> String {
    let query_scene = Scene { boxes: vec![bounds], discs: None };
    let hits = (0..scene.boxes.len())
        .filter(|&row| query_scene.distance(0, scene, row, None) <= radius as f64);
    hits.map(|row| format!("{query},{row}\n")).collect()
}

#[test]
fn boxes_points_and_balls_are_those_of_brute_force() {
    let (scene, mut random) = (Scene::boxes(8, 500), Random(5));
    let (mut options, mut expected) = (String::new(), String::new());
    for query in 0..60 {
        let [x, y, size] = [100, 100, 12].map(|below| random.below(below));
        let bounds = [[x, y], [x + size, y + size]];
        let (bounds, radius) = match query % 3 {
            0 => {
                options += &format!(" --box {x},{y},{},{}", x + size, y + size);
                (bounds, 0)
            }
            1 => {
                options += &format!(" --point {x},{y}");
                ([[x, y]; 2], 0)
            }
            _ => {
                options += &format!(" --ball {x},{y},{size}");
                ([[x, y]; 2], size)
            }
        };
        expected += &overlapping(query, &scene, bounds, radius);
    }
    let folder = Folder::with_scene(scene.csv(None));
    for scalar in ["f32", "f64", "i32"] {
        let run = folder.run(&format!("query scene.csv --scalar {scalar}{options}"));
        assert_eq!(run.text(), expected, "{scalar}");
        assert!(run.err.contains(", 60 queries, "), "{}", run.err);
    }
    // The same queries in a file.
    let text = options.replace(" --", "\n").replace(' ', ",");
    let folder = folder.with("queries.csv", text.trim_start());
    assert_eq!(folder.run("query scene.csv --queries queries.csv").text(), expected);
}

#[test]
fn paths_are_sorted_by_their_fraction() {
    let folder = Folder::with_scene(
        "min_x,min_y,max_x,max_y\n4,-1,6,1\n2,0,3,1\n0,5,9,5\n-3,-1,-2,1\n4,0,5,5\n",
    );
    let run = folder.run("query scene.csv --segment 0,0,8,0 --ray 0,0,-1,0 --ray 0,0,2,0");
    let text = "0,1,0.25\n0,0,0.5\n0,4,0.5\n1,3,2\n2,1,1\n2,0,2\n2,4,2\n";
    assert_eq!(run.text(), text);
    let run = folder.run("query scene.csv --limit 1 --segment 0,0,8,0 --ray 0,0,0,1");
    assert_eq!(run.text(), "0,1,0.25\n1,2,5\n");
    let wrapped = folder.run("query scene.csv --wrap 10,0 --limit 1 --ray 9,0,1,0");
    assert_eq!(wrapped.text(), "0,1,3\n");
}

#[test]
fn the_nearest_are_those_of_brute_force() {
    let (scene, mut random) = (Scene::boxes(8, 300), Random(6));
    let folder = Folder::with_scene(scene.csv(None));
    let (mut options, mut expected) = (String::new(), String::new());
    for query in 0..20 {
        let [x, y] = [random.below(100), random.below(100)];
        options += &format!(" --point {x},{y}");
        let point = Scene { boxes: vec![[[x, y]; 2]], discs: None };
        let mut near: Vec<_> =
            (0..300).map(|row| (point.distance(0, &scene, row, None), row)).collect();
        near.sort_by(|a, b| a.partial_cmp(b).unwrap());
        for (distance, row) in &near[..3] {
            expected += &format!("{query},{row},{distance}\n");
        }
    }
    let run = folder.run(&format!("query scene.csv --nearest 3 --scalar f64{options}"));
    assert_eq!(run.text(), expected);
    let lines = options.replace(" --point ", "\nnearest,3,");
    let folder = folder.with("queries.csv", lines);
    let run = folder.run("query scene.csv --queries queries.csv --scalar f64");
    assert_eq!(run.text(), expected);
}

#[test]
fn options_come_before_the_file_and_keep_their_order() {
    let folder = Folder::with_scene("id,x,y,r\n7,0,0,1\n9,5,5,1\n")
        .with("queries.csv", "\u{feff}box, 4, 4, 9, 9\r\n\r\nNEAREST,1,6,0,7,0\r\nray,-5,5,1,0");
    let line = "query scene.csv --queries queries.csv --point 5,5 --box 0,0,1,1 --point 0,0";
    assert_eq!(folder.run(line).text(), "0,9\n1,7\n2,7\n3,9\n4,9,4\n5,9,9\n");
    let fed = folder.feed("query scene.csv --queries -", b"point,0,0\n");
    assert_eq!(fed.text(), "0,7\n");
    let solid = Folder::with_scene("x,y,z,r\n0,0,5,1\n");
    let line = "query scene.csv --point 0,0,5 --ball 0,0,0,4 --ray 0,0,0,0,0,2 --box 0,0,0,1,1,1";
    assert_eq!(solid.run(line).text(), "0,0\n1,0\n2,0,2\n");
}

#[test]
fn boxes_may_lie_across_the_seam() {
    let folder = Folder::with_scene("x,y,r\n1,0,1\n359,0,1\n180,0,1\n");
    let run = folder.run("query scene.csv --wrap 360,0 --box 358.5,0,0.5,0 --point 361,0");
    assert_eq!(run.text(), "0,0\n0,1\n1,0\n");
}

#[test]
fn errors_are_one_line() {
    let folder = Folder::with_scene("x,y,r\n0,0,1\n").with("bad.csv", "point,1,2\nbox,1,2,3\n");
    for (line, message) in [
        (
            "query scene.csv --box 0,0,1",
            "--box: \"0,0,1\": a box in 2 dimensions has 4 numbers, not 3",
        ),
        ("query scene.csv --point 0,x", "--point: \"x\" is not a number"),
        ("query scene.csv --ball 0,0,-1", "--ball: the radius -1 is negative"),
        ("query scene.csv --box 5,0,1,1", "--box: the minimum 5 is above the maximum 1"),
        ("query scene.csv --point 0.5,0 --scalar i32", "--point: \"0.5\" is not a whole number"),
        (
            "query scene.csv --queries bad.csv",
            "bad.csv: line 2: \"1,2,3\": a box in 2 dimensions has 4 numbers, not 3",
        ),
        (
            "query scene.csv --queries scene.csv",
            "scene.csv: line 1: \"x\" is not a query: \
             box, point, ball, segment, ray or nearest is expected",
        ),
        ("query scene.csv --queries gone.csv", "gone.csv: no such file or folder"),
        (
            "query scene.csv --queries bad.csv --output bad.csv",
            "--output: bad.csv is an input file and would be lost",
        ),
        ("query - --queries -", "stdin: cannot be read twice: only one file can be -"),
    ] {
        folder.run(line).assert_error(message);
    }
    run("query discs:9").assert_error(
        "query: no queries: add --box, --point, --ball, --segment, --ray or --queries",
    );
}
