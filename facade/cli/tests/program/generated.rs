//! `hexphase generate`: reading the written CSV yields the generated boxes, in any order of rows.

use crate::run::{Folder, run};

const NAMES: [&str; 9] =
    ["terdiman", "discs", "mixed", "tail", "clustered", "discs3", "mixed3", "tail3", "clustered3"];

#[test]
fn scenes_are_written_as_balls_or_corners() {
    let header =
        |name: &str| run(&format!("generate {name}:2")).text().lines().next().map(String::from);
    assert_eq!(header("terdiman").unwrap(), "min_x,min_y,min_z,max_x,max_y,max_z");
    assert_eq!(header("tail").unwrap(), "x,y,r");
    assert_eq!(header("tail3").unwrap(), "x,y,z,r");
    assert_eq!(
        run("generate terdiman:2").text(),
        "min_x,min_y,min_z,max_x,max_y,max_z\n\
         -1977,-1731,-642,-1769,-1565,-484\n\
         1767,1475,1347,1977,1525,1599\n"
    );
    assert_eq!(run("generate discs:0").text(), "x,y,r\n");
}

#[test]
fn written_scenes_have_the_pairs_of_the_generated_scene() {
    for name in NAMES {
        for scene in [format!("{name}:3000"), format!("{name}:3000:7"), format!("{name}:0")] {
            let expected = run(&format!("pairs {scene}"));
            let table = run(&format!("generate {scene}"));
            assert_eq!(table.err, "", "{scene}");
            let read = Folder::new().feed("pairs -", table.text().as_bytes());
            assert_eq!(read.text(), expected.text(), "{scene}");
            assert_eq!(read.lines().len(), 1, "no number changes: {}", read.err);
        }
    }
}

#[test]
fn fractional_corners_are_read_exactly() {
    // The corners are computed in `f32`, so that they are not whole numbers.
    let table = run("generate mixed:500");
    let rows = table.text().lines().skip(1).map(|row| {
        let [x, y, r] = row.split(',').map(|x| x.parse::<f32>().unwrap()).collect::<Vec<_>>()[..]
        else {
            panic!("three numbers");
        };
        format!("{},{},{},{}\n", x - r, y - r, x + r, y + r)
    });
    let corners = format!("min_x,min_y,max_x,max_y\n{}", rows.collect::<String>());
    let read = Folder::with_scene(corners).run("pairs scene.csv");
    assert_eq!(read.text(), run("pairs mixed:500").text());
    assert_eq!(read.lines().len(), 1, "{}", read.err);
}

#[test]
fn another_seed_changes_the_scene_and_the_default_seed_does_not() {
    let [default, same, other] = ["tail:100", "tail:100:88172645463325252", "tail:100:1"]
        .map(|scene| run(&format!("generate {scene}")));
    assert_eq!(default, same);
    assert_ne!(default.text(), other.text());
    let [default, same] =
        ["terdiman:9", "terdiman:9:42"].map(|scene| run(&format!("generate {scene}")));
    assert_eq!(default, same);
}

#[test]
fn numbers_of_generated_scenes_are_rounded_only_to_integers() {
    let rounded = run("pairs discs:100 --scalar i32");
    let front =
        "hexphase: warning: discs:100: as i32, 400 numbers were rounded, first object 0, min: ";
    assert!(rounded.lines()[1].starts_with(front), "{}", rounded.err);
    for line in ["discs:100", "discs:100 --scalar f64", "terdiman:99 --scalar i32"] {
        assert_eq!(run(&format!("pairs {line}")).lines().len(), 1, "{line}");
    }
    let pairs = run("pairs terdiman:2000");
    assert!(pairs.text().len() > 1000);
    for scalar in ["f64", "i32"] {
        assert_eq!(run(&format!("pairs terdiman:2000 --scalar {scalar}")).text(), pairs.text());
    }
}

/// Returns the rows of a generated scene with a first column of ids, `step` times the number of the
/// row. They are shuffled by a stride that is coprime to their number.
fn shuffled(scene: &str, step: usize, stride: usize) -> String {
    let table = run(&format!("generate {scene}"));
    let rows: Vec<_> = table.text().lines().skip(1).collect();
    let order = (0..rows.len()).map(|row| (7 + row * stride) % rows.len());
    order.map(|row| format!("{},{}\n", row * step, rows[row])).collect()
}

#[test]
fn the_order_of_rows_is_irrelevant() {
    let expected = run("pairs mixed3:5003");
    assert!(expected.text().lines().count() > 1000);
    for stride in [1, 2, 1999, 5002] {
        let rows = shuffled("mixed3:5003", 1, stride);
        let folder = Folder::with_scene(format!("id,x,y,z,r\n{rows}"));
        for algorithm in ["brute", "hash", "hshg", "morton"] {
            let run = folder.run(&format!("pairs scene.csv --algorithm {algorithm}"));
            assert_eq!(run.text(), expected.text(), "every {stride}th row, {algorithm}");
        }
    }
}

#[test]
fn sparse_ids_keep_the_order_of_pairs() {
    const STEP: usize = 2_144_000;
    let pairs = run("pairs clustered:2003");
    let expected = pairs.text().lines().map(|line| {
        let (a, b) = line.split_once(',').unwrap();
        let [a, b] = [a, b].map(|row| STEP * row.parse::<usize>().unwrap());
        format!("{a},{b}\n")
    });
    let expected: String = expected.collect();
    let rows = shuffled("clustered:2003", STEP, 501);
    let folder = Folder::with_scene(format!("id,x,y,r\n{rows}"));
    assert_eq!(folder.run("pairs scene.csv").text(), expected);
}
