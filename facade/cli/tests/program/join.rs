//! Pairs of one scene (`hexphase pairs`) and of two (`hexphase join`), within a distance and in
//! scenes that wrap, compared with brute force.

use crate::oracle::{Scene, lines};
use crate::run::{Folder, run};

/// Returns a folder with two scenes.
fn folder(a: &Scene, b: &Scene, side: Option<i64>) -> Folder {
    Folder::new().with("a.csv", a.csv(side)).with("b.csv", b.csv(side))
}

/// Asserts the pairs of two scenes, or of one, that overlap or are within a distance. Returns the
/// number of overlaps across the seam.
#[track_caller]
fn check(a: &Scene, b: Option<&Scene>, side: Option<i64>) -> usize {
    let (command, other) = match b {
        Some(b) => ("join a.csv b.csv", b),
        None => ("pairs a.csv", a),
    };
    let pairs = |within: Option<f64>, side: Option<i64>| {
        let mut pairs = a.pairs(other, within, side);
        pairs.retain(|[a, other]| b.is_some() || a < other);
        pairs
    };
    let folder = folder(a, other, side);
    let wrap = side.map_or(String::new(), |side| format!(" --wrap {side},0"));
    let overlapping = pairs(None, side);
    let across = overlapping.len() - pairs(None, None).len();
    for scalar in ["f32", "f64", "i32"] {
        let line = format!("{command}{wrap} --scalar {scalar}");
        assert_eq!(folder.run(&line).text(), lines(&overlapping), "{line}");
        let count = folder.run(&format!("{line} --count"));
        assert_eq!(count.text(), format!("{}\n", overlapping.len()), "{line}");
    }
    for (within, scalars) in [(0, "f32"), (1, "i32"), (5, "f32 f64 i32"), (200, "f64")] {
        let pairs = pairs(Some(f64::from(within)), side);
        for scalar in scalars.split(' ') {
            let line = format!("{command}{wrap} --scalar {scalar} --within {within}");
            let run = folder.run(&line);
            assert_eq!(run.text(), lines(&pairs), "{line}");
            assert!(run.err.contains(&format!(", {} pair", pairs.len())), "{}", run.err);
        }
    }
    across
}

#[test]
fn pairs_are_those_of_brute_force() {
    let mut across = 0;
    for side in [None, Some(100)] {
        for seed in 0..3 {
            for (a, b) in [
                (Scene::boxes(seed, 150), Some(Scene::boxes(seed + 9, 300))),
                (Scene::discs(seed, 300), Some(Scene::discs(seed + 9, 150))),
                (Scene::boxes(seed, 200), Some(Scene::discs(seed + 9, 200))),
            ] {
                across += check(&a, b.as_ref(), side);
            }
        }
        for scene in [Scene::boxes(5, 400), Scene::discs(6, 400), Scene::boxes(7, 60)] {
            across += check(&scene, None, side);
        }
    }
    assert!(across > 20, "only {across} pairs are at the seam");
}

#[test]
fn discs_are_measured_within_a_distance() {
    let folder = Folder::new()
        .with("a.csv", "x,y,r\n0,0,1\n")
        .with("b.csv", "x,y,r\n1.5,1.5,1\n4,4,1\n0.3,2,1\n")
        .with("boxes.csv", "min_x,min_y,max_x,max_y\n1.5,1.5,2,2\n")
        .with("c.csv", "x,y,r\n0.1,0,0.1\n0.7,0,0.2\n")
        .with("d.csv", "x,y,r\n0.3,0,0.1\n1,0,0.1\n");
    for (line, pairs) in [
        // The boxes overlap, but the discs do not.
        ("a.csv b.csv", "0,0\n0,2\n"),
        ("a.csv b.csv --within 0", ""),
        ("a.csv b.csv --within 0.2", "0,0\n0,2\n"),
        // If one scene has discs and the other boxes, all objects are measured as boxes.
        ("a.csv boxes.csv --within 0.5", ""),
        ("a.csv boxes.csv --within 0.71", "0,0\n"),
        // Decimals that touch.
        ("c.csv d.csv --within 0", "0,0\n1,1\n"),
        ("c.csv d.csv --within 0 --scalar f64", "0,0\n1,1\n"),
    ] {
        assert_eq!(folder.run(&format!("join {line}")).text(), pairs, "{line}");
    }
}

#[test]
fn left_and_anti_list_objects_without_a_partner() {
    let (a, b) = (Scene::boxes(1, 200), Scene::boxes(2, 300));
    let folder = folder(&a, &b, None);
    let pairs = a.pairs(&b, None, None);
    let (mut left, mut anti, mut count) = (String::new(), String::new(), 0);
    for row in 0..200 {
        let own: Vec<_> = pairs.iter().copied().filter(|pair| pair[0] == row).collect();
        left += &lines(&own);
        if own.is_empty() {
            left += &format!("{row},\n");
            anti += &format!("{row}\n");
            count += 1;
        }
    }
    assert!(count > 0 && !pairs.is_empty());
    let (all, alone) = (format!("{}\n", pairs.len() + count), format!("{count}\n"));
    for (options, output) in
        [("--left", left), ("--anti", anti), ("--left --count", all), ("--anti --count", alone)]
    {
        let run = folder.run(&format!("join a.csv b.csv {options}"));
        assert_eq!(run.text(), output, "{options}");
        let summary = format!(", {count} objects without a partner, ");
        assert_eq!(run.err.contains(&summary), options.contains("anti"), "{}", run.err);
    }
    let nothing = Folder::new().with("b.csv", "x,y,r\n").with("a.csv", "x,y,r\n1,1,1\n");
    assert_eq!(nothing.run("join a.csv b.csv --left").text(), "0,\n");
    assert_eq!(nothing.run("join b.csv a.csv --left").text(), "");
}

#[test]
fn three_dimensions_are_joined() {
    let folder = Folder::new()
        .with("a.csv", "x,y,z,r\n0,0,0,1\n9,9,9,1\n")
        .with("b.csv", "min_x,min_y,min_z,max_x,max_y,max_z\n1,1,1,2,2,2\n12,13,10,14,14,14\n");
    assert_eq!(folder.run("join a.csv b.csv").text(), "0,0\n");
    assert_eq!(folder.run("join a.csv b.csv --within 3.7").text(), "0,0\n1,1\n");
    assert_eq!(folder.run("join a.csv b.csv --wrap 0,0,11").text(), "0,0\n");
}

#[test]
fn ids_are_sorted_and_kept() {
    let folder = Folder::new()
        .with("a.csv", "id,x,y,r\n7,0,0,1\n3,0,0,1\n")
        .with("b.csv", "id,x,y,r\n40,0,0,1\n5,0,0,1\n");
    assert_eq!(folder.run("join a.csv b.csv").text(), "3,5\n3,40\n7,5\n7,40\n");
    assert_eq!(folder.run("join a.csv - --anti --within 1").status, 2);
    let fed = folder.feed("join a.csv - --left", b"id,x,y,r\n1,9,9,1\n");
    assert_eq!(fed.text(), "3,\n7,\n");
}

#[test]
fn the_summary_has_both_scenes() {
    let run = run("join discs:100 mixed:200");
    let front = "hexphase: 100 objects and 200 objects, 2 dimensions (f32), ";
    assert!(run.err.starts_with(front) && run.lines().len() == 1, "{}", run.err);
}

#[test]
fn an_axis_that_wraps_accepts_a_minimum_above_the_maximum() {
    let folder =
        Folder::with_scene("min_x,min_y,max_x,max_y\n350,0,10,1\n5,0,6,1\n355,1,365,2\n9,9,9,9\n");
    assert_eq!(folder.run("pairs scene.csv --wrap 360,0").text(), "0,1\n0,2\n1,2\n");
    let minimum = "scene.csv: line 2, column min_x: the minimum 350 is above the maximum 10";
    let length = "--wrap: one length for each of 2 axes is expected, \
                  0 if the axis does not wrap; got 1";
    for (wrap, message) in [
        ("", minimum),
        (" --wrap 0,360", minimum),
        (
            " --wrap 100,0",
            "scene.csv: object 0: on axis x the minimum 350 is above the maximum 10 \
             by more than the length 100 of the axis",
        ),
        (" --wrap 360", length),
        (" --wrap 360,x", "--wrap: \"x\" is not a number"),
        (" --wrap 360,", "--wrap: \"\" is not a number"),
        (" --wrap 360,nan", "--wrap: \"nan\" is not a finite number"),
        (" --wrap 360,-5", "--wrap: the side of the world is negative, NaN or too large on axis 1"),
        (
            " --wrap 360,1e38",
            "--wrap: the side of the world is negative, NaN or too large on axis 1",
        ),
    ] {
        folder.run(&format!("pairs scene.csv{wrap}")).assert_error(message);
    }
}

/// Returns the header of a table and its rows from `first` to `end`, as a table.
fn part(table: &str, first: usize, end: usize) -> String {
    let rows = table.lines().skip(1 + first).take(end - first);
    table.lines().take(1).chain(rows).map(|line| format!("{line}\n")).collect()
}

#[test]
fn scenes_in_several_files_are_joined_as_one() {
    let (a, b) = (Scene::boxes(3, 200), Scene::discs(4, 300));
    let (first, second) = (a.csv(None), b.csv(None));
    let folder = folder(&a, &b, None)
        .with("a1.csv", part(&first, 0, 70))
        .with("a2.csv", part(&first, 70, 200))
        .with("b1.csv", part(&second, 0, 1))
        .with("b2.csv", part(&second, 1, 250))
        .with("b3.csv", part(&second, 250, 300));
    for options in ["", " --within 4", " --left", " --anti", " --count", " --wrap 500,0"] {
        let expected = folder.run(&format!("join a.csv b.csv{options}"));
        for files in [
            "a1.csv a2.csv --with b1.csv b2.csv b3.csv",
            "--with b1.csv b2.csv b3.csv --scalar f32 a1.csv a2.csv",
            "a.csv --with b1.csv b2.csv b3.csv",
            "a1.csv a2.csv --with b.csv",
        ] {
            let run = folder.run(&format!("join {files}{options}"));
            assert_eq!(run.text(), expected.text(), "{files}{options}");
        }
    }
}

#[test]
fn errors_are_one_line() {
    let folder = Folder::with_scene("x,y,r\n0,0,1\n")
        .with("a.csv", "id,x,y,r\n1,0,0,1\n2,5,5,1\n")
        .with("b.csv", "id,x,y,r\n3,0,0,1\n\n1,9,9,1\n")
        .with("d.csv", "id,x,y,r\n3,0,0,x\n")
        .with("e.csv", "id,x,y,z,r\n3,0,0,0,1\n");
    // An id may occur in both scenes.
    assert_eq!(folder.run("join a.csv b.csv").text(), "1,3\n");
    let duplicate = "b.csv: line 4, column id: duplicate id 1, first on line 2 of a.csv \
                     (--id - numbers the rows)";
    let solid = "e.csv: 3 dimensions, but a.csv has 2";
    let twice = "stdin: cannot be read twice: only one file can be -";
    for (line, message) in [
        ("join a.csv b.csv --with scene.csv", duplicate),
        ("join scene.csv --with a.csv b.csv", duplicate),
        (
            "join scene.csv --with a.csv scene.csv",
            "scene.csv: has no ids, but a.csv has ids (--id - ignores them)",
        ),
        ("join scene.csv --with a.csv d.csv", "d.csv: line 2, column r: \"x\" is not a number"),
        ("join scene.csv --with a.csv e.csv", solid),
        ("join a.csv e.csv --with scene.csv", solid),
        (
            "join scene.csv a.csv --with e.csv e.csv --id -",
            "e.csv: has 3 dimensions, but scene.csv has 2",
        ),
        ("join a.csv a.csv --with gone.csv b.csv --id -", "gone.csv: no such file or folder"),
        (
            "join scene.csv a.csv --with a.csv d.csv --output d.csv",
            "--output: d.csv is an input file and would be lost",
        ),
        ("join scene.csv discs3:9", "discs3:9: has 3 dimensions, but scene.csv has 2"),
        ("join - -", twice),
        ("join scene.csv - --with -", twice),
        ("pairs - -", twice),
        ("join scene.csv", "join: got 1 scene: A B, or A... --with B... are expected"),
        ("join a b c", "join: got 3 scenes: A B, or A... --with B... are expected"),
        ("join missing.csv gone.csv", "missing.csv: no such file or folder"),
        ("join scene.csv gone.csv", "gone.csv: no such file or folder"),
        (
            "join scene.csv scene.csv --output scene.csv",
            "--output: scene.csv is an input file and would be lost",
        ),
        ("join scene.csv scene.csv --within -1", "--within: the distance -1 is negative"),
        (
            "join scene.csv scene.csv --within 0.5 --scalar i32",
            "--within: \"0.5\" is not a whole number",
        ),
        (
            "join scene.csv scene.csv --left --anti",
            "the argument '--left' cannot be used with '--anti' (see hexphase --help)",
        ),
        (
            "pairs discs:9 --within 1 --algorithm hash",
            "the argument '--within <DISTANCE>' cannot be used with '--algorithm <ALGORITHM>' \
             (see hexphase --help)",
        ),
    ] {
        folder.run(line).assert_error(message);
    }
}
