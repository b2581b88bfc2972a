//! A spatial join: finds the overlapping rectangles of two tables.
//!
//! The example reads two tables in CSV, each into a world, and prints every pair of overlapping
//! rows, one from each table. The number of pairs is checked against a nested loop. Give two files
//! to join your own tables, rows of `name,min_x,min_y,max_x,max_y` under a header: `cargo run
//! --example spatial_join -- parcels.csv floods.csv`.

use core::error::Error;
use std::{env, fs};

use hexphase::{Aabb, BroadPhase};

const PARCELS: &str = "name,min_x,min_y,max_x,max_y
mill,0,0,4,3
farm,5,0,9,4
church,4,5,6,8
school,8,6,12,9
";

const FLOODS: &str = "name,min_x,min_y,max_x,max_y
spring,3,2,5,5
autumn,6,3,10,7
";

/// A row: name and rectangle.
type Row<'a> = (&'a str, Aabb<f32, 2>);

/// Reads the rows of a table; a bad row is an error with its number.
fn read(text: &str) -> Result<Vec<Row<'_>>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let bad = |what: &str| format!("line {}: {what}: {line}", index + 1);
        let (name, numbers) = line.split_once(',').ok_or_else(|| bad("no columns"))?;
        let numbers: Result<Vec<f32>, _> =
            numbers.split(',').map(|text| text.trim().parse()).collect();
        let [a, b, c, d] = numbers.map_err(|why| bad(&why.to_string()))?[..] else {
            return Err(bad("a row has five columns").into());
        };
        rows.push((name, Aabb::new([a, b], [c, d])));
    }
    Ok(rows)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for path in env::args_os().skip(1) {
        files.push(fs::read_to_string(&path)?);
    }
    let texts = match &files[..] {
        [left, right] => [left.as_str(), right],
        _ => [PARCELS, FLOODS],
    };
    let tables = [read(texts[0])?, read(texts[1])?];

    let mut worlds: [BroadPhase<f32, 2, &str>; 2] = Default::default();
    for (world, rows) in worlds.iter_mut().zip(&tables) {
        for &(name, bounds) in rows {
            world.insert(bounds, name)?;
        }
    }
    let [left, right] = &mut worlds;
    let mut pairs = Vec::new();
    left.pairs_with(right).write_to(&mut pairs);
    for &[a, b] in &pairs {
        println!("{},{}", left[a], right[b]);
    }
    let expected: usize = tables[0]
        .iter()
        .map(|(_, left)| tables[1].iter().filter(|(_, right)| left.overlaps(right)).count())
        .sum();
    assert_eq!(pairs.len(), expected);
    Ok(())
}
