//! Snapshot drawings of results, for visual inspection.
//!
//! Cells are pointy and y points down: two columns per cell, and each row shifted by half a cell.

use alloc::collections::BTreeMap;

use hexcoord::{Angle, Direction, Grid, Hex, HexBody, Point, Pose, hex};
use insta::assert_snapshot;

/// Draws one character per cell, row by row.
fn draw(cells: impl IntoIterator<Item = (Hex, char)>) -> String {
    let signs: BTreeMap<[i32; 2], char> =
        cells.into_iter().map(|(cell, sign)| ([cell.r, 2 * cell.q + cell.r], sign)).collect();
    let column = |place: &[i32; 2]| place[1];
    let left = signs.keys().map(column).min().expect("cells");
    let mut lines = vec![];
    for (&[r, column], &sign) in &signs {
        let first = signs.keys().next().expect("cells")[0];
        lines.resize((r - first) as usize + 1, String::new());
        let line = lines.last_mut().expect("a line");
        while line.chars().count() < (column - left) as usize {
            line.push(' ');
        }
        line.push(sign);
    }
    lines.join("\n")
}

/// Draws all cells within `n` steps with the characters returned by `sign`.
fn disc(n: u32, sign: impl Fn(Hex) -> char) -> String {
    draw(hex(0, 0).range(n).map(|cell| (cell, sign(cell))))
}

/// Draws the index of each cell in a list as 0-9 a-z; a dot for other cells.
fn order(n: u32, cells: impl IntoIterator<Item = Hex>) -> String {
    let cells: Vec<_> = cells.into_iter().collect();
    disc(n, |cell| match cells.iter().position(|&other| other == cell) {
        Some(at) => char::from_digit(at as u32 % 36, 36).expect("a digit"),
        None => '.',
    })
}

#[test]
fn neighbors_are_drawn_in_their_directions() {
    let signs = ['E', 'e', 'w', 'W', 'n', 'N'];
    let neighbors = Direction::ALL.map(Direction::to_hex).into_iter().zip(signs);
    assert_snapshot!(draw(neighbors.chain([(hex(0, 0), '·')])));
}

#[test]
fn ring_order_goes_from_axis_a_towards_axis_b() {
    assert_snapshot!(order(4, hex(0, 0).ring(3)));
}

#[test]
fn lines_and_covers_are_drawn_in_order() {
    let (from, to) = (hex(-6, 1), hex(4, 2));
    assert_snapshot!("nearest", order(6, from.line_to(to)));
    assert_snapshot!("touched", order(6, from.cover_to(to)));
    assert_snapshot!("along_edges", order(4, hex(-2, -2).cover_to(hex(2, 2))));
}

#[test]
fn four_candidates_share_each_rhombus() {
    // For each point of a 32 × 32 unit rhombus, draw the candidate that contains it.
    let grid = Grid::new(5);
    let mut drawing = String::new();
    for b in (0..32).step_by(2) {
        drawing += &" ".repeat(b as usize / 2);
        for a in 0..32 {
            let cell = grid.cell(Point::new(a, b));
            drawing.push(char::from(b'0' + (2 * cell.q + cell.r) as u8));
        }
        drawing.push('\n');
    }
    assert_snapshot!(drawing);
}

#[test]
fn rotated_bodies_overlap_in_the_drawn_cells() {
    let ours: HexBody = hex(0, 0).range(2).collect();
    let theirs: HexBody = hex(0, 0).line_to(hex(4, -2)).chain([hex(2, 1), hex(2, 0)]).collect();
    let pose = Pose::new(Point::new(0, 0), Angle(0));
    let other_pose = Pose::new(Point::new(900, 400), Angle::from_degrees(37.0));
    let mut pairs = vec![];
    ours.overlaps(pose, &theirs, other_pose, |ours, theirs| pairs.push([ours, theirs]));
    pairs.sort_unstable();
    // Draws the world with 64 units per column and 128 per row. Capital letters are cells that
    // overlap a cell of the other body; stars are points in both bodies.
    let mut drawing = String::new();
    for row in -16..26 {
        let mut line = String::new();
        for column in -30..60 {
            let point = Point::from_cartesian([column * 64, row * 128]);
            let hit = |cell: Hex, side: usize| pairs.iter().any(|pair| pair[side] == cell);
            line.push(match (ours.cell_at(pose, point), theirs.cell_at(other_pose, point)) {
                (Some(_), Some(_)) => '*',
                (Some(cell), None) => {
                    if hit(cell, 0) {
                        'A'
                    } else {
                        'a'
                    }
                }
                (None, Some(cell)) => {
                    if hit(cell, 1) {
                        'B'
                    } else {
                        'b'
                    }
                }
                (None, None) => ' ',
            });
        }
        drawing += line.trim_end();
        drawing.push('\n');
    }
    let list: Vec<_> = pairs.iter().map(|[h, k]| format!("{h} {k}")).collect();
    assert_snapshot!(format!("{}\n{}", drawing, list.join("\n")));
}
