//! With a column of ids, pairs consist of ids, and the order of rows is irrelevant.

use crate::run::Folder;

/// Shuffles the rows deterministically, by a stride that is coprime to their number.
fn shuffled(rows: &[String], stride: usize) -> Vec<&String> {
    (0..rows.len()).map(|row| &rows[(7 + row * stride) % rows.len()]).collect()
}

#[test]
fn the_order_of_rows_is_irrelevant() {
    let table = Folder::new().run("generate mixed3:5003");
    let rows: Vec<_> =
        table.text().lines().skip(1).enumerate().map(|(id, row)| format!("{row},{id}\n")).collect();
    let expected = Folder::new().run("pairs mixed3:5003");
    assert!(expected.text().lines().count() > 1000);
    for stride in [1, 2, 1999, 5002] {
        let rows: String = shuffled(&rows, stride).into_iter().map(String::as_str).collect();
        let folder = Folder::with_scene(format!("x,y,z,r,id\n{rows}"));
        for algorithm in ["brute", "hash", "hshg", "morton"] {
            let run = folder.run(&format!("pairs scene.csv --algorithm {algorithm}"));
            assert_eq!(run.text(), expected.text(), "every {stride}th row, {algorithm}");
        }
    }
}

#[test]
fn sparse_ids_keep_the_order_of_pairs() {
    let table = Folder::new().run("generate clustered:2003");
    let id = |row: usize| row as u32 * 2_144_000;
    let rows: Vec<_> = table
        .text()
        .lines()
        .skip(1)
        .enumerate()
        .map(|(row, text)| format!("{},{text}\n", id(row)))
        .collect();
    let expected: String = Folder::new()
        .run("pairs clustered:2003")
        .text()
        .lines()
        .map(|line| {
            let (a, b) = line.split_once(',').unwrap();
            let [a, b] = [a, b].map(|row| id(row.parse().unwrap()));
            format!("{a},{b}\n")
        })
        .collect();
    let rows: String = shuffled(&rows, 501).into_iter().map(String::as_str).collect();
    let folder = Folder::with_scene(format!("id,x,y,r\n{rows}"));
    assert_eq!(folder.run("pairs scene.csv").text(), expected);
}
