//! Snapshot drawings of results, for visual inspection.
//!
//! Cells are pointy and y points down: two columns per cell, and each row shifted by half a cell.

use alloc::collections::BTreeMap;

use hexcoord::{
    Angle, Area, Direction, Grid, Hex, HexBody, PathLimits, Point, Pose, Sight, find_path, hex,
    reachable,
};
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
fn rings_are_drawn_by_distance() {
    assert_snapshot!(disc(4, |cell| if cell.length() % 2 == 0 { '#' } else { '.' }));
}

#[test]
fn ring_order_goes_from_axis_a_towards_axis_b() {
    assert_snapshot!(order(4, hex(0, 0).ring(3)));
}

#[test]
fn spiral_order_goes_ring_by_ring_outwards() {
    assert_snapshot!(order(3, hex(0, 0).spiral(2)));
}

#[test]
fn range_order_is_ascending() {
    assert_snapshot!(order(3, hex(0, 0).range(2)));
}

#[test]
fn wedge_and_cone_include_their_borders() {
    let wedge: Vec<_> = hex(0, 0).wedge(Direction::E, 4).collect();
    let cone: Vec<_> = hex(0, 0).cone(Direction::W, 4).collect();
    assert_snapshot!(disc(4, |cell| match (wedge.contains(&cell), cone.contains(&cell)) {
        (true, true) => '*',
        (true, false) => 'w',
        (false, true) => 'c',
        (false, false) => '.',
    }));
}

#[test]
fn lines_and_covers_are_drawn_in_order() {
    let (from, to) = (hex(-6, 1), hex(4, 2));
    assert_snapshot!("nearest", order(6, from.line_to(to)));
    assert_snapshot!("touched", order(6, from.cover_to(to)));
    assert_snapshot!("along_edges", order(4, hex(-2, -2).cover_to(hex(2, 2))));
}

#[test]
fn field_of_view_ends_behind_walls() {
    let wall = |cell: Hex| {
        (cell.q == 2 && cell.r > -3 && cell.r < 2) || cell == hex(-2, -1) || cell == hex(-1, 3)
    };
    let [strict, permissive] = [Sight::Strict, Sight::Permissive]
        .map(|sight| hex(0, 0).field_of_view(6, sight, wall).collect::<Vec<_>>());
    assert_snapshot!(disc(6, |cell| {
        match (wall(cell), permissive.contains(&cell), strict.contains(&cell)) {
            (true, true, _) => '#',
            (true, false, _) => '%',
            _ if cell == hex(0, 0) => '@',
            (false, _, true) => '.',
            (false, true, false) => ':', // only with permissive sight
            (false, false, false) => ' ',
        }
    }));
}

#[test]
fn reachable_cells_are_drawn_with_their_costs() {
    let water = |cell: Hex| cell.q == 1 && cell.r != 1;
    let cost =
        |_: Hex, to: Hex| if to.length() > 5 { None } else { Some(if water(to) { 4 } else { 1 }) };
    let reached: BTreeMap<_, _> = reachable(hex(-1, 0), 7, cost).into_iter().collect();
    assert_snapshot!(disc(5, |cell| {
        reached.get(&cell).map_or('.', |&cost| char::from_digit(cost as u32, 10).expect("a digit"))
    }));
}

#[test]
fn path_leads_through_the_gap_in_a_wall() {
    let wall = |cell: Hex| cell.length() == 3 && cell != hex(-3, 0);
    let cost = |_: Hex, to: Hex| (to.length() <= 5 && !wall(to)).then_some(1);
    let limits = PathLimits { min_step_cost: 1, budget: 100 };
    let path = find_path(hex(0, 0), hex(5, -2), limits, cost).expect("through the gap");
    assert_snapshot!(disc(5, |cell| match path.cells.iter().position(|&c| c == cell) {
        Some(at) => char::from_digit(at as u32, 36).expect("a digit"),
        None if wall(cell) => '#',
        None => '.',
    }));
}

#[test]
fn area_indices_increase_row_by_row() {
    let numbers = |area: Area| {
        draw(
            area.cells()
                .enumerate()
                .map(|(n, cell)| (cell, char::from_digit(n as u32 % 36, 36).expect("a digit"))),
        )
    };
    assert_snapshot!("hexagon", numbers(Area::hexagon(hex(0, 0), 2)));
    assert_snapshot!("rhombus", numbers(Area::rhombus(hex(0, 0), 5, 4)));
    assert_snapshot!("rectangle", numbers(Area::rectangle(hex(0, 0), 6, 4)));
    assert_snapshot!("flat_rectangle", numbers(Area::flat_rectangle(hex(0, 0), 6, 4)));
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

/// Draws a body in its own coordinates.
fn draw_body(body: &HexBody, frame: u32, signs: impl Fn(Hex) -> char) -> String {
    disc(frame, |cell| if body.contains(cell) { signs(cell) } else { '.' })
}

#[test]
fn a_cut_splits_a_body() {
    let mut ship: HexBody = hex(0, 0).range(4).collect();
    assert_snapshot!("before_the_cut", draw_body(&ship, 5, |_| '#'));
    for cell in hex(-5, 3).line_to(hex(4, -1)) {
        ship.remove(cell);
    }
    let mut parts = vec![];
    ship.split(|part| parts.push(part));
    let drawing = disc(5, |cell| {
        if ship.contains(cell) {
            '#'
        } else {
            let part = parts.iter().position(|part| part.contains(cell));
            part.map_or('.', |n| char::from(b'a' + n as u8))
        }
    });
    assert_snapshot!("after_the_cut", drawing);
}

#[test]
fn rotated_bodies_overlap_in_the_drawn_cells() {
    let ours: HexBody = hex(0, 0).range(2).collect();
    let theirs: HexBody = hex(0, 0).line_to(hex(4, -2)).chain([hex(2, 1), hex(2, 0)]).collect();
    let pose = Pose::new(Point::new(0, 0), Angle(0));
    let other_pose = Pose::new(Point::new(900, 400), Angle::from_degrees(37.0));
    let mut pairs = vec![];
    ours.overlaps_into(pose, &theirs, other_pose, &mut pairs);
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
