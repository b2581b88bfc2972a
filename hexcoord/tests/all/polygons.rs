//! Tests of the cells of polygons against definitions in exact arithmetic.
//!
//! `clip` tests all three rules for polygons over the whole range of coordinates: it tests the
//! center of each cell, and clips every edge with the hexagon. `parts` tests overlap and
//! containment for polygons whose edges coincide and cross: it tests all parts into which edges
//! divide a cell.

mod clip;
mod parts;

use crate::random::Random;
use hexcoord::{Containment, Grid, Hex, Point, PolygonFill, Run, hex};

const RULES: [Containment; 3] = [Containment::Center, Containment::Overlapping, Containment::Full];

type Ring = Vec<Point>;
type Wide = [i128; 2];

fn wide(point: Point) -> Wide {
    [i128::from(point.a), i128::from(point.b)]
}

fn edges(rings: &[Ring]) -> Vec<[Wide; 2]> {
    let edges = rings.iter().flat_map(|ring| {
        (0..ring.len()).map(|i| [wide(ring[i]), wide(ring[(i + 1) % ring.len()])])
    });
    edges.filter(|[from, to]| from != to).collect()
}

/// Returns all cells in the bounds of the rings, and at least one cell beyond them, ordered by r,
/// then by q.
fn cells_around(grid: Grid, rings: &[Ring]) -> Vec<Hex> {
    let points = || rings.iter().flatten();
    let range = |of: &dyn Fn(&Point) -> i32| {
        let low = points().map(of).min().unwrap_or(0) >> grid.shift();
        let high = points().map(of).max().unwrap_or(0) >> grid.shift();
        low.saturating_sub(1)..=high.saturating_add(2)
    };
    let (q, r) = (range(&|p| p.a), range(&|p| p.b));
    r.flat_map(|r| q.clone().map(move |q| hex(q, r))).collect()
}

fn center(grid: Grid, cell: Hex) -> Wide {
    [i128::from(cell.q) << grid.shift(), i128::from(cell.r) << grid.shift()]
}

/// Returns the cells of a polygon, and checks that runs are maximal and in order.
fn fill(fill: &mut PolygonFill, grid: Grid, rings: &[Ring], rule: Containment) -> Vec<Hex> {
    let runs: Vec<Run> = fill.runs(grid, rings, rule).collect();
    for pair in runs.windows(2) {
        let gap = i64::from(pair[1].first) - i64::from(pair[0].last);
        assert!(pair[0].r < pair[1].r || (pair[0].r == pair[1].r && gap > 1), "{pair:?}");
    }
    assert!(runs.iter().all(|run| run.first <= run.last));
    runs.into_iter().flat_map(Run::cells).collect()
}

/// Returns a polygon of up to three rings within `reach` of `middle`. Rings are stars or arbitrary;
/// coordinates are arbitrary or multiples of `step`.
fn polygon(random: &mut Random, middle: Point, reach: i64, step: i64) -> Vec<Ring> {
    let snapped = random.once_in(2);
    let mut near = |reach: i64| {
        let mut coordinate = |middle: i32| {
            let any = i64::from(middle) + random.between(-reach, reach);
            let any = if snapped { any.div_euclid(step) * step } else { any };
            any.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        };
        Point::new(coordinate(middle.a), coordinate(middle.b))
    };
    let mut rings: Vec<Ring> = vec![];
    for scale in [1, 2, 3] {
        let ring: Ring = (0..12 / scale).map(|_| near(reach / scale)).collect();
        rings.push(ring);
    }
    rings.truncate(random.between(1, 3) as usize);
    for ring in &mut rings {
        ring.truncate(random.between(2, 12) as usize);
        if !random.once_in(3) {
            // Sort by direction around `middle`: a star, concave in general.
            let from = wide(middle);
            let turned = |p: &Point| {
                let [a, b] = wide(*p);
                [a - from[0], b - from[1]]
            };
            let half = |[a, b]: Wide| b < 0 || (b == 0 && a < 0);
            ring.sort_by(|p, q| {
                let (p, q) = (turned(p), turned(q));
                half(p).cmp(&half(q)).then((q[0] * p[1]).cmp(&(p[0] * q[1])))
            });
        }
    }
    rings
}

/// Returns whether two edges have more than one point in common.
fn edges_coincide(edges: &[[Wide; 2]]) -> bool {
    let cross =
        |o: Wide, p: Wide, q: Wide| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    edges.iter().enumerate().any(|(i, &[a, b])| {
        edges[..i].iter().any(|&[c, d]| {
            let on_line = cross(a, b, c) == 0 && cross(a, b, d) == 0;
            let axis = usize::from(a[0] == b[0]);
            let low = a[axis].min(b[axis]).max(c[axis].min(d[axis]));
            on_line && low < a[axis].max(b[axis]).min(c[axis].max(d[axis]))
        })
    })
}

/// Compares the cells of a polygon with the definition, which gets each rule and the centers of
/// cells. Adds the numbers of cells to `found`.
fn compare(
    reused: &mut PolygonFill,
    grid: Grid,
    rings: &[Ring],
    found: &mut [usize; 3],
    is_expected: impl Fn(Containment, Wide) -> bool,
) {
    let around = cells_around(grid, rings);
    for (rule, found) in RULES.into_iter().zip(found) {
        let expected = around.iter().filter(|&&cell| is_expected(rule, center(grid, cell)));
        let expected: Vec<Hex> = expected.copied().collect();
        let cells = fill(reused, grid, rings, rule);
        assert_eq!(cells, expected, "{rule:?} {grid:?} {rings:?}");
        assert_eq!(cells, fill(&mut PolygonFill::new(), grid, rings, rule));
        *found += cells.len();
    }
}

#[test]
fn cells_match_clipped_edges() {
    let mut random = Random::new(1);
    let mut reused = PolygonFill::new();
    let (mut compared, mut found) = (0, [0; 3]);
    for _ in 0..4_000 {
        // Cells of every size, and polygons of up to 16 cells across anywhere in the range of
        // `i32`.
        let grid = Grid::new(random.between(0, 29) as u32);
        let size = i64::from(grid.cell_size());
        let reach = (size << random.between(0, 3)).min(1 << 31) / random.between(1, 3);
        let middle = match random.between(0, 2) {
            0 => Point::new(random.any(), random.any()),
            1 => Point::ORIGIN,
            _ => grid.center(grid.cell(Point::new(random.any() / 4, random.any() / 4))),
        };
        let rings = polygon(&mut random, middle, reach.max(1), (size / 2).max(1));
        let edges = edges(&rings);
        if edges_coincide(&edges) {
            continue;
        }
        compared += 1;
        compare(&mut reused, grid, &rings, &mut found, |rule, center| {
            let surrounded = clip::surrounded(&edges, center);
            let any = |meets: fn([Wide; 2], Wide, i128) -> bool| {
                edges.iter().any(|&edge| meets(edge, center, size.into()))
            };
            match rule {
                Containment::Center => surrounded,
                Containment::Overlapping => surrounded || any(clip::touches),
                Containment::Full => surrounded && !any(clip::enters),
            }
        });
    }
    assert!(compared > 2_000, "{compared}");
    assert!(found[0] > 20_000 && found[1] > found[0] && found[2] > 5_000, "{found:?}");
}

#[test]
fn coinciding_edges_match_the_parts_of_cells() {
    let mut random = Random::new(2);
    let mut reused = PolygonFill::new();
    let (mut coinciding, mut found) = (0, [0; 3]);
    for _ in 0..400 {
        let grid = Grid::new(random.between(0, 4) as u32);
        let size = i64::from(grid.cell_size());
        let reach = (4 * size).min(16);
        let mut rings = polygon(&mut random, Point::ORIGIN, reach, (size / 2).max(1));
        match random.between(0, 3) {
            // The second ring shares points with the first: coinciding edges and bridges.
            0 => {
                let first = rings[0].clone();
                rings.push(first.iter().copied().step_by(2).collect());
            }
            1 => {
                let back: Vec<Point> = rings[0].iter().rev().skip(1).step_by(2).copied().collect();
                rings[0].extend(back);
            }
            // Divide a ring into two parts, which share the dividing edge.
            2 => {
                let ring = rings.swap_remove(0);
                let middle = ring.len() / 2;
                rings = vec![ring[..=middle].to_vec(), ring[middle..].to_vec()];
                rings[1].push(ring[0]);
            }
            _ => {}
        }
        let edges = edges(&rings);
        coinciding += usize::from(edges_coincide(&edges));
        let divided = parts::Division::new(&edges);
        compare(&mut reused, grid, &rings, &mut found, |rule, center| match rule {
            Containment::Center => clip::surrounded(&edges, center),
            Containment::Overlapping => divided.touches(center, size.into()),
            Containment::Full => divided.contains(center, size.into()),
        });
    }
    assert!(coinciding > 150, "{coinciding}");
    assert!(found[0] > 2_000 && found[1] > found[0] && found[2] > 200, "{found:?}");
}

/// Returns a lattice of points with random offsets; many of the points are centers of cells.
fn lattice(random: &mut Random, grid: Grid, n: i64, spacing: i64) -> Vec<Vec<Point>> {
    let jitter = spacing / 5;
    let mut point = |i: i64, j: i64| {
        let any = [i, j].map(|k| (k * spacing + random.between(-jitter, jitter)) as i32);
        let any = Point::from(any);
        let near = grid.center(grid.cell(any));
        let is_near = |x: i32, k: i64| (i64::from(x) - k * spacing).abs() <= jitter;
        let on_center = !random.once_in(3) && is_near(near.a, i) && is_near(near.b, j);
        if on_center { near } else { any }
    };
    (0..=n).map(|j| (0..=n).map(|i| point(i, j)).collect()).collect()
}

#[test]
fn polygons_that_share_edges_partition_the_cells() {
    let mut random = Random::new(3);
    let mut reused = PolygonFill::new();
    for _ in 0..100 {
        let grid = Grid::new(random.between(0, 12) as u32);
        let n = random.between(2, 6);
        let spacing = (random.between(2, 40) << grid.shift()) / 4 + 5;
        let points = lattice(&mut random, grid, n, spacing);
        let last = n as usize;
        let mut parts: Vec<Hex> = vec![];
        for j in 0..last {
            for i in 0..last {
                let mut ring =
                    vec![points[j][i], points[j][i + 1], points[j + 1][i + 1], points[j + 1][i]];
                if random.once_in(2) {
                    ring.reverse();
                }
                let triangles = [vec![ring[0], ring[1], ring[2]], vec![ring[2], ring[3], ring[0]]];
                let pieces = if random.once_in(2) { vec![ring] } else { triangles.to_vec() };
                for piece in pieces {
                    parts.extend(fill(&mut reused, grid, &[piece], Containment::Center));
                }
            }
        }
        parts.sort_by_key(|cell| (cell.r, cell.q));
        let mut outline: Ring = points[0][..last].to_vec();
        outline.extend(points[..last].iter().map(|row| row[last]));
        outline.extend(points[last][1..].iter().rev());
        outline.extend(points[1..].iter().rev().map(|row| row[0]));
        assert_eq!(parts, fill(&mut reused, grid, &[outline], Containment::Center));
    }
}

#[test]
fn polygons_over_the_whole_range_have_the_right_number_of_cells() {
    let [low, high] = [i32::MIN, i32::MAX];
    let square = [[low, low], [high, low], [high, high], [low, high]].map(Point::from);
    let mut fill = PolygonFill::new();
    for shift in 18..=29 {
        let count = |fill: &mut PolygonFill, rule| {
            let runs = fill.runs(Grid::new(shift), &[square], rule);
            runs.map(|run| u64::from(run.last.abs_diff(run.first)) + 1).sum::<u64>()
        };
        // The lower sides are on centers; the upper sides are one unit before the next centers.
        let side = 1u64 << (32 - shift);
        assert_eq!(count(&mut fill, Containment::Center), side * side);
        assert_eq!(count(&mut fill, Containment::Overlapping), (side + 1) * (side + 1));
        assert_eq!(count(&mut fill, Containment::Full), (side - 1) * (side - 1));
    }
    // The first of 2^32 rows is computed without the others.
    let mut runs = fill.runs(Grid::new(0), &[square], Containment::Overlapping);
    assert_eq!(runs.next(), Some(Run { r: low, first: low, last: high }));
}

#[test]
fn a_fill_can_be_reused_after_an_unfinished_iteration() {
    let square = |low: i32, high: i32| [[low, low], [high, low], [high, high], [low, high]];
    let [unfinished, other] = [square(0, 90), square(20, 25)].map(|ring| [ring.map(Point::from)]);
    for rule in RULES {
        let mut fill = PolygonFill::new();
        assert!(fill.runs(Grid::new(0), &unfinished, rule).next().is_some());
        let expected: Vec<_> = PolygonFill::new().runs(Grid::new(0), &other, rule).collect();
        assert!(fill.runs(Grid::new(0), &other, rule).eq(expected), "{rule:?}");
    }
}

#[test]
fn rings_without_area_have_no_cells() {
    let mut filler = PolygonFill::new();
    let p = |a, b| Point::new(a, b);
    let flat: [&[Ring]; 6] = [
        &[],
        &[vec![]],
        &[vec![p(0, 0)]],
        &[vec![p(0, 0), p(900, 300)]],
        &[vec![p(0, 0), p(900, 300), p(300, 100), p(600, 200)]],
        &[vec![p(0, 0), p(900, 0), p(0, 900)], vec![p(0, 900), p(0, 0), p(900, 0), p(450, 450)]],
    ];
    for rings in flat {
        for rule in RULES {
            assert_eq!(fill(&mut filler, Grid::new(6), rings, rule), [], "{rule:?} {rings:?}");
        }
    }
}
