//! `hexphase join`, compared with brute force.

use crate::oracle::{Scene, lines};
use crate::run::{Folder, run};

/// Returns a folder with two scenes.
fn folder(a: &Scene, b: &Scene, side: Option<i64>) -> Folder {
    Folder::new().with("a.csv", a.csv(side)).with("b.csv", b.csv(side))
}

#[test]
fn pairs_are_those_of_brute_force() {
    for seed in 0..3 {
        let scenes = [
            (Scene::boxes(seed, 150), Scene::boxes(seed + 9, 400)),
            (Scene::discs(seed, 400), Scene::discs(seed + 9, 150)),
            (Scene::boxes(seed, 300), Scene::discs(seed + 9, 300)),
        ];
        for (a, b) in scenes {
            let folder = folder(&a, &b, None);
            for scalar in ["f32", "f64", "i32"] {
                let join = format!("join a.csv b.csv --scalar {scalar}");
                let pairs = a.pairs(&b, None, None);
                assert_eq!(folder.run(&join).text(), lines(&pairs));
                let count = folder.run(&format!("{join} --count"));
                assert_eq!(count.text(), format!("{}\n", pairs.len()));
                let near = folder.run(&format!("{join} --within 5"));
                assert_eq!(near.text(), lines(&a.pairs(&b, Some(5.0), None)));
            }
        }
    }
}

#[test]
fn discs_are_measured_within_a_distance() {
    let folder = Folder::new()
        .with("a.csv", "x,y,r\n0,0,1\n")
        .with("b.csv", "x,y,r\n1.5,1.5,1\n4,4,1\n0.3,2,1\n")
        .with("boxes.csv", "min_x,min_y,max_x,max_y\n1.5,1.5,2,2\n");
    // The boxes overlap, but the discs do not.
    assert_eq!(folder.run("join a.csv b.csv").text(), "0,0\n0,2\n");
    assert_eq!(folder.run("join a.csv b.csv --within 0").text(), "");
    assert_eq!(folder.run("join a.csv b.csv --within 0.2").text(), "0,0\n0,2\n");
    // If one scene has discs and the other boxes, all objects are measured as boxes.
    assert_eq!(folder.run("join a.csv boxes.csv --within 0.5").text(), "");
    assert_eq!(folder.run("join a.csv boxes.csv --within 0.71").text(), "0,0\n");
}

#[test]
fn decimals_that_touch_are_within_distance_0() {
    let folder = Folder::new()
        .with("a.csv", "x,y,r\n0.1,0,0.1\n0.7,0,0.2\n")
        .with("b.csv", "x,y,r\n0.3,0,0.1\n1,0,0.1\n");
    for scalar in ["f32", "f64"] {
        let line = format!("join a.csv b.csv --within 0 --scalar {scalar}");
        assert_eq!(folder.run(&line).text(), "0,0\n1,1\n");
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
    assert_eq!(folder.run("join a.csv b.csv --left").text(), left);
    let run = folder.run("join a.csv b.csv --anti");
    assert_eq!(run.text(), anti);
    assert!(run.err.contains(&format!(", {count} objects without a partner, ")), "{}", run.err);
    let counts = ["--left --count", "--anti --count"].map(|options| {
        let run = folder.run(&format!("join a.csv b.csv {options}"));
        run.text().trim().parse::<usize>().unwrap()
    });
    assert_eq!(counts, [pairs.len() + count, count]);
    let nothing = Folder::new().with("b.csv", "x,y,r\n").with("a.csv", "x,y,r\n1,1,1\n");
    assert_eq!(nothing.run("join a.csv b.csv --left").text(), "0,\n");
    assert_eq!(nothing.run("join b.csv a.csv --left").text(), "");
}

#[test]
fn boxes_across_the_seam_have_pairs_on_both_sides() {
    for seed in 0..3 {
        let scenes = [
            (Scene::boxes(seed, 300), Scene::boxes(seed + 9, 300)),
            (Scene::discs(seed, 300), Scene::discs(seed + 9, 300)),
        ];
        for (a, b) in scenes {
            let folder = folder(&a, &b, Some(100));
            for scalar in ["f32", "f64", "i32"] {
                let join = format!("join a.csv b.csv --wrap 100,0 --scalar {scalar}");
                let pairs = a.pairs(&b, None, Some(100));
                assert!(pairs.len() > a.pairs(&b, None, None).len(), "some are at the seam");
                assert_eq!(folder.run(&join).text(), lines(&pairs), "{join}");
                let near = folder.run(&format!("{join} --within 4"));
                assert_eq!(near.text(), lines(&a.pairs(&b, Some(4.0), Some(100))));
            }
        }
    }
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
    let one = folder.run("join a.csv - --anti --within 1");
    assert_eq!(one.status, 2);
    let fed = folder.feed("join a.csv - --left", b"id,x,y,r\n1,9,9,1\n");
    assert_eq!(fed.text(), "3,\n7,\n");
}

#[test]
fn the_summary_has_both_scenes() {
    let run = run("join discs:100 mixed:200");
    let front = "hexphase: 100 objects and 200 objects, 2 dimensions (f32), ";
    assert!(run.err.starts_with(front) && run.lines().len() == 1, "{}", run.err);
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
fn errors_in_several_files_name_the_file() {
    let folder = Folder::new()
        .with("a.csv", "id,x,y,r\n1,0,0,1\n2,5,5,1\n")
        .with("b.csv", "id,x,y,r\n3,0,0,1\n\n1,9,9,1\n")
        .with("c.csv", "x,y,r\n0,0,1\n")
        .with("d.csv", "id,x,y,r\n3,0,0,x\n")
        .with("e.csv", "id,x,y,z,r\n3,0,0,0,1\n");
    // An id may occur in both scenes.
    assert_eq!(folder.run("join a.csv b.csv").text(), "1,3\n");
    let duplicate = "b.csv: line 4, column id: duplicate id 1, first on line 2 of a.csv \
                     (--id - numbers the rows)";
    let solid = "e.csv: 3 dimensions, but a.csv has 2";
    for (line, message) in [
        ("a.csv b.csv --with c.csv", duplicate),
        ("c.csv --with a.csv b.csv", duplicate),
        ("c.csv --with a.csv c.csv", "c.csv: has no ids, but a.csv has ids (--id - ignores them)"),
        ("c.csv --with a.csv d.csv", "d.csv: line 2, column r: \"x\" is not a number"),
        ("c.csv --with a.csv e.csv", solid),
        ("a.csv e.csv --with c.csv", solid),
        ("c.csv c.csv --with e.csv e.csv --id -", "e.csv: has 3 dimensions, but c.csv has 2"),
        ("a.csv c.csv --with gone.csv b.csv --id -", "gone.csv: no such file or folder"),
        (
            "c.csv a.csv --with a.csv d.csv --output d.csv",
            "--output: d.csv is an input file and would be lost",
        ),
    ] {
        folder.run(&format!("join {line}")).assert_error(message);
    }
}

#[test]
fn errors_are_one_line() {
    let folder = Folder::with_scene("x,y,r\n0,0,1\n");
    for (line, message) in [
        ("join scene.csv discs3:9", "discs3:9: has 3 dimensions, but scene.csv has 2"),
        ("join - -", "stdin: cannot be read twice: only one file can be -"),
        ("join scene.csv - --with -", "stdin: cannot be read twice: only one file can be -"),
        ("pairs - -", "stdin: cannot be read twice: only one file can be -"),
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
            "join scene.csv scene.csv --wrap 360",
            "--wrap: one length for each of 2 axes is expected, \
             0 if the axis does not wrap; got 1",
        ),
        (
            "join scene.csv scene.csv --left --anti",
            "the argument '--left' cannot be used with '--anti' (see hexphase --help)",
        ),
    ] {
        folder.run(line).assert_error(message);
    }
}
