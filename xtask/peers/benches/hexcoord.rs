//! Benchmarks bodies of cells, cells of polygons, and the conversion of points to hexagonal cells,
//! with hexx in the same run.
//!
//! All subjects convert the same points: as fixed-point (a, b), and as Cartesian coordinates for
//! hexx and for the fused conversion. Every subject must find the same cells: all points are at
//! least 0.01 cells away from borders, where rounding could change the cell.

#[path = "hexcoord/polygons.rs"]
mod polygons;

use core::hint::black_box;
use hexcoord::{Angle, Backend, Grid, Hex, HexBody, Layout, Orientation, Point, Pose, hex};
use hexx::{HexLayout, HexOrientation, Vec2};
use peers::cube::Random;
use peers::{Answer, Scene, Subject, Suite, Work, measuring};

/// Numbers of points that fit the first-level cache, the second-level cache, and no cache.
const POINTS: [(&str, usize); 3] =
    [("points:1024", 1_024), ("points:16384", 16_384), ("points:8388608", 1 << 23)];
/// Maximum number of points whose cells are compared with the expected cells. Further points are
/// only timed.
const MAX_CHECKED_POINTS: usize = 16_384;
/// Distance from the center of a cell to a corner, for Cartesian points.
const SIZE: f32 = 16.0;

fn main() {
    let mut suite = Suite::new("hexcoord");
    for (name, n) in POINTS {
        if n > MAX_CHECKED_POINTS && !measuring() {
            continue;
        }
        lookups(&mut suite, name, &Points::new(n));
    }
    bodies(&mut suite);
    polygons::polygons(&mut suite);
    suite.finish();
}

/// The points, each in two representations: fixed-point and Cartesian.
struct Points {
    fixed: Vec<Point>,
    a: Vec<i32>,
    b: Vec<i32>,
    xy: [Vec<f32>; 2],
}

impl Points {
    fn new(n: usize) -> Self {
        let grid = Grid::default();
        let mut random = Random(1);
        let inner = |point: &Point| {
            let middle = grid.center(grid.cell(*point));
            let (a, b) = (point.a - middle.a, point.b - middle.b);
            (2 * a + b).abs().max((a + 2 * b).abs()).max((a - b).abs()) < 506
        };
        let any = core::iter::repeat_with(|| {
            Point::new(random.between(-500_000, 500_000), random.between(-500_000, 500_000))
        });
        let fixed: Vec<Point> = any.filter(inner).take(n).collect();
        let layout = Layout::new(Orientation::Pointy, SIZE);
        let position = |p: &Point| layout.position(grid.to_cell_units(*p));
        Self {
            a: fixed.iter().map(|p| p.a).collect(),
            b: fixed.iter().map(|p| p.b).collect(),
            xy: [0, 1].map(|axis: usize| fixed.iter().map(|p| position(p)[axis]).collect()),
            fixed,
        }
    }
}

fn lookups(suite: &mut Suite, name: &str, points: &Points) {
    let n = points.fixed.len();
    // Hide the grid from the compiler. Otherwise it would replace the shift with a constant.
    let grid = black_box(Grid::default());
    let layout = black_box(Layout::new(Orientation::Pointy, SIZE));
    let expected: Vec<Hex> = points.fixed.iter().map(|&p| grid.cell(p)).collect();
    let scene = Scene { name, n, work: Work::Points(n as u64) };
    let mut lookup = suite.compare(scene, answer(&expected));
    let Points { fixed, a, b, xy } = points;
    let blank = || vec![Hex::ORIGIN; n];

    let mut single = |name: &str, run: &dyn Fn(&mut Vec<Hex>)| {
        let subject = Subject { name, backend: "scalar", threads: 1 };
        lookup.measure(subject, blank, |cells| run(cells), |cells| answer(cells));
    };
    single("single i32", &|cells| {
        for (&point, cell) in fixed.iter().zip(cells) {
            *cell = grid.cell(black_box(point));
        }
    });
    single("single bit set", &|cells| {
        for (&point, cell) in fixed.iter().zip(cells) {
            *cell = grid.cell_by_bit_set(black_box(point));
        }
    });
    single("single Cartesian", &|cells| {
        for ((&x, &y), cell) in xy[0].iter().zip(&xy[1]).zip(cells) {
            *cell = layout.cell([black_box(x), y]);
        }
    });
    for backend in Backend::available() {
        let mut batch = |name: &str, run: &dyn Fn(&mut Vec<Hex>)| {
            let subject = Subject { name, backend: &backend.to_string(), threads: 1 };
            lookup.measure(subject, blank, |cells| run(cells), |cells| answer(cells));
        };
        batch("batch i32", &|cells| grid.cells_on(backend, a, b, cells));
        batch("batch Cartesian", &|cells| layout.cells_on(backend, &xy[0], &xy[1], cells));
    }
    let theirs = HexLayout {
        orientation: HexOrientation::Pointy,
        origin: Vec2::ZERO,
        scale: Vec2::splat(SIZE),
    };
    lookup.peer(
        "hexx",
        || vec![hexx::Hex::ZERO; n],
        |cells| {
            for ((&x, &y), cell) in xy[0].iter().zip(&xy[1]).zip(cells) {
                *cell = theirs.world_pos_to_hex(Vec2::new(x, y));
            }
        },
        |cells| answer(&cells.iter().map(|cell| hex(cell.x, cell.y)).collect::<Vec<_>>()),
    );
}

fn answer(cells: &[Hex]) -> Answer {
    let number = |cell: &Hex| u64::from(cell.q as u32) << 32 | u64::from(cell.r as u32);
    Answer::new(0, cells.iter().map(number))
}

/// Number of poses tested per run.
const POSES: usize = 1_000;

/// Measures two small bodies whose bounds overlap but whose cells do not, false positives of a
/// broad phase, and points against a large body.
fn bodies(suite: &mut Suite) {
    let square =
        |n: i32| -> HexBody { (0..n * n).map(|i| hex(i % n - n / 2, i / n - n / 2)).collect() };
    let (small, large) = (square(4), square(32));
    let mut random = Random(2);
    let mut angle = || Angle(random.between(0, 65_535) as u16);
    let mut random = Random(7);
    let mut point =
        |most: i32| Point::new(random.between(-most, most), random.between(-most, most));
    let apart = core::iter::repeat_with(|| {
        [Pose::new(Point::ORIGIN, angle()), Pose::new(point(4_000), angle())]
    });
    let is_wanted = |&[p, q]: &[Pose; 2]| {
        small.rhombus(p).overlaps(&small.rhombus(q)) && !small.overlaps_any(p, &small, q)
    };
    let apart: Vec<[Pose; 2]> = apart.filter(is_wanted).take(POSES).collect();
    count(suite, "4x4-4x4:apart", "overlaps", || {
        let mut found = 0;
        for &[pose, other] in &apart {
            small.overlaps(black_box(pose), &small, other, |_, _| found += 1);
        }
        found
    });

    let points: Vec<Point> = (0..POSES).map(|_| point(9_000)).collect();
    // Use another pose for each point, because the rotation is part of the query.
    let pose = |n: u16| Pose::new(Point::new(77, -5), Angle(n * 65));
    let queries: Vec<_> = (0..).map(pose).zip(points).collect();
    count(suite, "point", "32x32", || {
        let inside = |&&(pose, point): &&_| large.cell_at(pose, black_box(point)).is_some();
        queries.iter().filter(inside).count()
    });
}

/// Measures tests of all poses.
fn count(suite: &mut Suite, name: &str, subject: &str, run: impl Fn() -> usize) {
    let answer = |&found: &usize| Answer::new(found as u64, []);
    let scene = Scene { name, n: POSES, work: Work::Tests(POSES as u64) };
    let subject = Subject { name: subject, backend: "scalar", threads: 1 };
    suite.compare(scene, answer(&run())).measure(subject, || 0, |found| *found = run(), answer);
}
