//! `hexphase pairs` within a distance and in scenes that wrap, compared with brute force.

use crate::oracle::{Scene, lines};
use crate::run::{Folder, run};

/// Returns the expected pairs in one scene.
fn expected(scene: &Scene, within: Option<f64>, side: Option<i64>) -> String {
    let mut pairs = scene.pairs(scene, within, side);
    pairs.retain(|[a, b]| a < b);
    lines(&pairs)
}

#[test]
fn pairs_within_a_distance_are_those_of_brute_force() {
    for scene in [Scene::boxes(5, 400), Scene::discs(6, 400), Scene::boxes(7, 60)] {
        let folder = Folder::with_scene(scene.csv(None));
        for scalar in ["f32", "f64", "i32"] {
            for within in [0, 1, 5, 200] {
                let run =
                    folder.run(&format!("pairs scene.csv --within {within} --scalar {scalar}"));
                let pairs = expected(&scene, Some(f64::from(within)), None);
                assert_eq!(run.text(), pairs, "{within} {scalar}");
                let count = format!(", {} pair", pairs.lines().count());
                assert!(run.err.contains(&count), "{}", run.err);
            }
        }
    }
}

#[test]
fn pairs_across_the_seam_are_those_of_brute_force() {
    for scene in [Scene::boxes(5, 400), Scene::discs(6, 400)] {
        let folder = Folder::with_scene(scene.csv(Some(100)));
        let pairs = folder.run("pairs scene.csv --wrap 100,0");
        assert_eq!(pairs.text(), expected(&scene, None, Some(100)));
        for scalar in ["f32", "f64", "i32"] {
            let line = format!("pairs scene.csv --wrap 100,0 --within 5 --scalar {scalar}");
            assert_eq!(folder.run(&line).text(), expected(&scene, Some(5.0), Some(100)));
        }
        let count = folder.run("pairs scene.csv --wrap 100,0 --count");
        assert_eq!(
            count.text(),
            format!("{}\n", expected(&scene, None, Some(100)).lines().count())
        );
    }
}

#[test]
fn an_axis_that_wraps_accepts_a_minimum_above_the_maximum() {
    let folder =
        Folder::with_scene("min_x,min_y,max_x,max_y\n350,0,10,1\n5,0,6,1\n355,1,365,2\n9,9,9,9\n");
    assert_eq!(folder.run("pairs scene.csv --wrap 360,0").text(), "0,1\n0,2\n1,2\n");
    let minimum = "scene.csv: line 2, column min_x: the minimum 350 is above the maximum 10";
    folder.run("pairs scene.csv").assert_error(minimum);
    folder.run("pairs scene.csv --wrap 0,360").assert_error(minimum);
    folder.run("pairs scene.csv --wrap 100,0").assert_error(
        "scene.csv: object 0: on axis x the minimum 350 is above the maximum 10 \
         by more than the length 100 of the axis",
    );
}

#[test]
fn the_structure_cannot_be_selected() {
    run("pairs discs:9 --within 1 --algorithm hash").assert_error(
        "the argument '--within <DISTANCE>' cannot be used with '--algorithm <ALGORITHM>' \
         (see hexphase --help)",
    );
    run("pairs discs:9 --wrap -5,0")
        .assert_error("--wrap: the side of the world is negative, NaN or too large on axis 0");
}
