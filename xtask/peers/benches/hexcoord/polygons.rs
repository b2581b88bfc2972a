//! Benchmarks the cells of polygons: a star with a hole, with few or many edges.
//!
//! The expected cells for [`Containment::Center`] are computed from the crossings of all edges with
//! every row. The other two rules add the cells that an edge touches, or remove the cells that an
//! edge enters. These are found by a separating axis test of each edge with all cells in its
//! bounds. `copy` copies the expected cells from one buffer to another; its time is the lower limit
//! set by memory bandwidth.

use core::f64::consts::TAU;

use hexcoord::{Containment, Grid, Hex, Point, PolygonFill, Run, hex};
use peers::{Answer, Scene, Subject, Suite, Work, measuring};

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
    let expected = expected_cells(grid, rings, rule);
    let n = expected.len();
    let scene = Scene { name, n, work: Work::Points(n as u64) };
    let mut comparison = suite.compare(scene, answer(&expected));
    let subject = |name| Subject { name, backend: "scalar", threads: 1 };
    comparison.ours(
        subject("cells"),
        || (PolygonFill::new(), Vec::<Hex>::new()),
        |(fill, cells)| {
            cells.clear();
            for run in fill.runs(grid, rings, rule) {
                cells.extend(run.cells());
            }
        },
        |(_, cells)| answer(cells),
    );
    comparison.ours(
        subject("copy"),
        || vec![Hex::ORIGIN; n],
        |cells| cells.copy_from_slice(&expected),
        |cells| answer(cells),
    );
    let runs = runs(&expected);
    let mut comparison = suite.compare(scene, Answer::new(0, runs.iter().copied()));
    comparison.ours(
        subject("runs"),
        || (PolygonFill::new(), Vec::<Run>::new()),
        |(fill, runs)| {
            runs.clear();
            runs.extend(fill.runs(grid, rings, rule));
        },
        |(_, runs)| {
            let numbers = runs.iter().flat_map(|run| [run.first, run.r, run.last, run.r]);
            Answer::new(0, numbers.map(|x| u64::from(x as u32)))
        },
    );
}

/// Returns the first and the last cell of each run, as numbers.
fn runs(cells: &[Hex]) -> Vec<u64> {
    let runs = cells.chunk_by(|cell, next| cell.r == next.r && cell.q + 1 == next.q);
    let ends = runs.flat_map(|run| [run[0], run[run.len() - 1]]);
    ends.flat_map(|cell| [cell.q, cell.r]).map(|x| u64::from(x as u32)).collect()
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

/// Returns the edges of all rings, each from its lower to its upper end.
fn edges(rings: &[Vec<Point>]) -> Vec<[Point; 2]> {
    let edges = rings
        .iter()
        .flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)).map(|(&p, &q)| [p, q]));
    edges.map(|[p, q]| if p.b <= q.b { [p, q] } else { [q, p] }).collect()
}

fn expected_cells(grid: Grid, rings: &[Vec<Point>], rule: Containment) -> Vec<Hex> {
    let edges = edges(rings);
    let size = i64::from(grid.cell_size());
    let mut crossings = vec![];
    let mut near = vec![];
    for &[low, high] in &edges {
        let [a, b, x, y] = [low.a, low.b, high.a, high.b].map(i64::from);
        for r in (b - 1).div_euclid(size) + 1..=(y - 1).div_euclid(size) {
            let numerator = a * (y - b) + (r * size - b) * (x - a);
            let q = -(-numerator).div_euclid((y - b) * size);
            crossings.push((r as i32, q as i32));
        }
        let rows = b.div_euclid(size) - 1..=y.div_euclid(size) + 2;
        for r in rows {
            for q in a.min(x).div_euclid(size) - 1..=a.max(x).div_euclid(size) + 2 {
                if overlaps([a - q * size, b - r * size], [x - q * size, y - r * size], size, rule)
                {
                    near.push((r as i32, q as i32));
                }
            }
        }
    }
    crossings.sort_unstable();
    let inside =
        crossings.chunks_exact(2).flat_map(|pair| (pair[0].1..pair[1].1).map(|q| (pair[0].0, q)));
    near.sort_unstable();
    let mut cells: Vec<(i32, i32)> = inside.collect();
    match rule {
        Containment::Center => {}
        Containment::Overlapping => {
            cells.extend(near);
            cells.sort_unstable();
            cells.dedup();
        }
        Containment::Full => cells.retain(|cell| near.binary_search(cell).is_err()),
    }
    cells.into_iter().map(|(r, q)| hex(q, r)).collect()
}

/// Returns whether an edge touches the cell at the origin or, for [`Containment::Full`], enters its
/// interior. Separating axis test: the axes are the normals of the cell's sides and of the edge.
fn overlaps([a, b]: [i64; 2], [x, y]: [i64; 2], size: i64, rule: Containment) -> bool {
    let largest = |[a, b]: [i64; 2]| [2 * a + b, a + 2 * b, a - b];
    let direction = largest([x - a, y - b]).map(i64::abs).into_iter().max().unwrap_or(0);
    let gap = |low: i64, high: i64| low.min(high).max(-low.max(high)) - size;
    let sides = largest([a, b]).into_iter().zip(largest([x, y])).map(|(p, q)| gap(p, q));
    let across = 3 * (a * y - b * x).abs() - size * direction;
    let touching = i64::from(rule != Containment::Full);
    sides.chain([across]).all(|gap| gap < touching)
}
