//! `hexphase neighbors`, compared with brute force.

use crate::oracle::Scene;
use crate::run::{Folder, run};

/// Returns the expected lines: for each object its neighbors within a radius, by id, or the nearest
/// ones, by distance.
fn expected(scene: &Scene, radius: f64, nearest: Option<usize>, side: Option<i64>) -> String {
    let mut text = String::new();
    for a in 0..scene.boxes.len() {
        let others = (0..scene.boxes.len()).filter(|b| *b != a);
        let mut near: Vec<_> = others.map(|b| (scene.distance(a, scene, b, side), b)).collect();
        near.retain(|(distance, _)| *distance <= radius);
        if let Some(count) = nearest {
            near.sort_by(|a, b| a.partial_cmp(b).unwrap());
            near.truncate(count);
        }
        for (distance, b) in near {
            text += &format!("{a},{b},{distance}\n");
        }
    }
    text
}

#[test]
fn neighbors_are_those_of_brute_force() {
    for scene in [Scene::boxes(3, 200), Scene::discs(4, 200), Scene::boxes(3, 400)] {
        for (side, wrap) in [(None, ""), (Some(100), " --wrap 100,0")] {
            let folder = Folder::with_scene(scene.csv(side));
            for (option, radius, nearest) in
                [("--radius 6", 6.0, None), ("--nearest 4", f64::INFINITY, Some(4))]
            {
                let line = format!("neighbors scene.csv {option} --scalar f64{wrap}");
                assert_eq!(folder.run(&line).text(), expected(&scene, radius, nearest, side));
            }
        }
    }
}

#[test]
fn distances_have_the_digits_of_the_type() {
    // In `f32`, the square of 1.4142135 is below 2.
    let folder = Folder::with_scene("x,y,r\n0,0,0\n1,1,0\n");
    for (scalar, distance) in
        [("f32", "1.4142137"), ("f64", "1.4142135623730951"), ("i32", "1.4142135623730951")]
    {
        for option in ["--radius 2", "--nearest 1"] {
            let run = folder.run(&format!("neighbors scene.csv {option} --scalar {scalar}"));
            assert_eq!(run.text(), format!("0,1,{distance}\n1,0,{distance}\n"));
        }
    }
    assert_eq!(folder.run("neighbors scene.csv --nearest 9").text().lines().count(), 2);
}

#[test]
fn the_nearest_discs_are_not_those_with_the_nearest_boxes() {
    // The box of object 1 overlaps the box of object 0, but disc 2 is nearer to disc 0 than disc 1
    // is.
    let folder = Folder::with_scene("x,y,r\n0,0,10\n18,18,10\n0,12,1\n");
    let run = folder.run("neighbors scene.csv --nearest 1");
    assert!(run.text().starts_with("0,2,1\n"), "{}", run.text());
}

#[test]
fn errors_are_one_line() {
    for (line, message) in [
        (
            "neighbors discs:9",
            "the following required arguments were not provided: --radius <DISTANCE> \
             (see hexphase --help)",
        ),
        (
            "neighbors discs:9 --radius 1 --nearest 1",
            "the argument '--radius <DISTANCE>' cannot be used with '--nearest <COUNT>' \
             (see hexphase --help)",
        ),
        ("neighbors discs:9 --radius -1", "--radius: the distance -1 is negative"),
        ("neighbors discs:9 --radius x", "--radius: \"x\" is not a number"),
        (
            "neighbors discs:9 --nearest 0",
            "invalid value '0' for '--nearest <COUNT>': 0 is not in 1..=4294967295 \
             (see hexphase --help)",
        ),
    ] {
        run(line).assert_error(message);
    }
}
