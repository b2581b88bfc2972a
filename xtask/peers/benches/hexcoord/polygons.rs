//! Benchmarks the cells of polygons: a star with a hole, with few or many edges.
//!
//! The cells are not compared with those of another library; the tests of hexcoord check them.
//! `copy` copies the cells from one buffer to another; its time is the lower limit set by memory
//! bandwidth.

use core::f64::consts::TAU;

use hexcoord::{Containment, Grid, Hex, Point, PolygonFill, Run};
use peers::{Scene, Subject, Suite, Work, measuring};

use super::{Random, answer};

pub(super) fn polygons(suite: &mut Suite) {
    let million = if measuring() { 1e6 } else { 1e4 };
    for (name, cells, points) in [
        ("polygon:1000000 cells, 1280 edges", million, 1_024),
        ("polygon:1000000 cells, 125000 edges", million, 100_000),
        ("polygon:100 cells, 40 edges", 100.0, 32),
    ] {
        let rings = star(cells, points);
        for (rule, subject) in [
            (Containment::Center, "center"),
            (Containment::Overlapping, "overlapping"),
            (Containment::Full, "full"),
        ] {
            compare(suite, &format!("{name}, {subject}"), &rings, rule);
        }
    }
}

fn compare(suite: &mut Suite, name: &str, rings: &[Vec<Point>], rule: Containment) {
    let grid = Grid::default();
    let mut fill = PolygonFill::new();
    let expected: Vec<Hex> = fill.runs(grid, rings, rule).flat_map(Run::cells).collect();
    let n = expected.len();
    let scene = Scene { name, n, work: Work::Points(n as u64) };
    let mut compared = suite.compare(scene, answer(&expected));
    let subject = |name| Subject { name, backend: "scalar", threads: 1 };
    compared.measure(
        subject("cells"),
        Vec::<Hex>::new,
        |cells| {
            cells.clear();
            for run in fill.runs(grid, rings, rule) {
                cells.extend(run.cells());
            }
        },
        |cells| answer(cells),
    );
    compared.measure(
        subject("runs"),
        Vec::<Run>::new,
        |runs| {
            runs.clear();
            runs.extend(fill.runs(grid, rings, rule));
        },
        |runs| answer(&runs.iter().flat_map(|run| run.cells()).collect::<Vec<_>>()),
    );
    compared.measure(
        subject("copy"),
        || vec![Hex::ORIGIN; n],
        |cells| cells.copy_from_slice(&expected),
        |cells| answer(cells),
    );
}

/// Returns a star-shaped ring of `points` points around about `cells` cells, and a ring around a
/// hole in its middle, with 25 % of the points.
fn star(cells: f64, points: usize) -> Vec<Vec<Point>> {
    let mut random = Random(3);
    // The Euclidean area of a cell is √3 · size².
    let radius = 512.0 * (cells * 3f64.sqrt() / (TAU / 2.0)).sqrt();
    let mut ring = |points: usize, radius: f64| -> Vec<Point> {
        let point = |i: usize| {
            let angle = TAU * i as f64 / points as f64;
            // Add noise to the radius, up to the distance between two consecutive points.
            let noise = TAU / points as f64 * f64::from(random.between(-100, 100)) / 100.0;
            let radius = radius * (1.0 + 0.3 * (7.0 * angle).sin() + noise);
            let [x, y] = [radius * angle.cos(), radius * angle.sin()];
            Point::from_cartesian([x as i32, y as i32])
        };
        (0..points).map(point).collect()
    };
    vec![ring(points, radius), ring(points / 4, radius / 4.0)]
}
