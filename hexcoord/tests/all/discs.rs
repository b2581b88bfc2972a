//! Tests of the cells in discs against the geometry of centers and hexagons.

use alloc::vec::Vec;

use hexcoord::{Diagonal, Grid, Hex, Point, hex};
use proptest::prelude::*;

type Vector = [i128; 2];

fn dot([a, b]: Vector, [x, y]: Vector) -> i128 {
    a * x + b * y + (a + b) * (x + y)
}

fn difference([a, b]: Vector, [x, y]: Vector) -> Vector {
    [a - x, b - y]
}

fn center(grid: Grid, cell: Hex) -> Vector {
    [cell.q, cell.r].map(|x| i128::from(x) * i128::from(grid.cell_size()))
}

fn vector(point: Point) -> Vector {
    [point.a, point.b].map(i128::from)
}

/// Returns whether the closed hexagon of a cell is at most the radius away from a point, by the
/// distances to its six edges. Distances are computed in thirds of a unit.
fn is_touched(grid: Grid, cell: Hex, point: Point, radius: u32) -> bool {
    let point = vector(point).map(|x| 3 * x);
    let middle = center(grid, cell).map(|x| 3 * x);
    let [a, b] = difference(point, middle);
    let spread = [2 * a + b, a + 2 * b, a - b].map(i128::abs).into_iter().max().expect("three");
    if spread <= 3 * i128::from(grid.cell_size()) {
        return true;
    }
    let corners = Diagonal::ALL.map(|diagonal| {
        let offset = center(grid, diagonal.to_hex());
        [middle[0] + offset[0], middle[1] + offset[1]]
    });
    let limit = 9 * i128::from(radius) * i128::from(radius);
    (0..6).any(|n| {
        let (from, to) = (corners[n], corners[(n + 1) % 6]);
        let (edge, way) = (difference(to, from), difference(point, from));
        let (length, along) = (dot(edge, edge), dot(way, edge));
        if along < 0 || along > length {
            dot(way, way) <= limit // the other end is the start of the next edge
        } else {
            dot(way, way) * length - along * along <= limit * length
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn discs_match_definition(
        shift in 0u32..7,
        q in -9..9,
        r in -9..9,
        offset in (-64..64, -64..64),
        radius in prop_oneof![0u32..40, 0u32..700],
    ) {
        let grid = Grid::new(shift);
        let radius = radius.min(9 << shift);
        let point = grid.center(hex(q, r)) + Point::new(offset.0 >> (6 - shift), offset.1 >> (6 - shift));
        let around = || hex(q, r).range(14);

        let disc: Vec<_> = grid.disc(point, radius).collect();
        let inside = |&cell: &Hex| {
            let way = difference(center(grid, cell), vector(point));
            dot(way, way) <= i128::from(radius) * i128::from(radius)
        };
        prop_assert_eq!(&disc, &around().filter(inside).collect::<Vec<_>>());

        let cover: Vec<_> = grid.disc_cover(point, radius).collect();
        let touched = around().filter(|&cell| is_touched(grid, cell, point, radius));
        prop_assert_eq!(&cover, &touched.collect::<Vec<_>>());
        prop_assert!(cover.contains(&grid.cell(point)));
    }

    #[test]
    fn discs_wrap_at_the_ends_of_i32(shift in 24u32..30, a in any::<i32>(), b in any::<i32>(), radius in 0u32..1 << 30) {
        let (grid, point) = (Grid::new(shift), Point::new(a, b));
        for cell in grid.disc(point, radius) {
            prop_assert!((grid.center(cell) - point).length() <= u64::from(radius));
        }
        let count = grid.disc(point, radius).count() as f64;
        let cells = |radius: f64| {
            let radius = radius / f64::from(grid.cell_size());
            core::f64::consts::PI * radius * radius / 3f64.sqrt()
        };
        // The area of the cells in the disc is between the areas of two discs. Their radii differ
        // from the disc's radius by the distance from a center to a corner, 0.817 cell sizes.
        let margin = 0.817 * f64::from(grid.cell_size());
        prop_assert!(count <= cells(f64::from(radius) + margin));
        prop_assert!(f64::from(radius) < margin || count >= cells(f64::from(radius) - margin));
    }
}

#[test]
fn discs_have_cells_at_the_ends_of_i32_and_none_between_centers() {
    assert!(Grid::new(29).disc_cover(Point::new(i32::MAX, i32::MIN), 1 << 30).count() > 7);
    assert_eq!(Grid::new(9).disc(Point::new(256, 0), 100).next(), None);
}
