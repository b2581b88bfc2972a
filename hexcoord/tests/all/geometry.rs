//! Definitions of cells in exact arithmetic, to compare results with.

use hexcoord::{Hex, HexBody, Pose, hex};

/// Returns the spread (max − min) of an offset (a, b, c).
pub(crate) fn spread(a: i64, b: i64) -> i64 {
    let all = [a, b, -a - b];
    all.iter().max().expect("three") - all.iter().min().expect("three")
}

/// Returns all cells whose closed hexagon contains the point `(a, b) / n`, in ascending order except
/// where coordinates wrap.
pub(crate) fn cells_at(a: i64, b: i64, n: i64) -> Vec<Hex> {
    let (q, r) = (a.div_euclid(n), b.div_euclid(n));
    let around = (-1..3).flat_map(|i| (-1..3).map(move |j| (q + i, r + j)));
    let holding = around.filter(|&(q, r)| spread(a - q * n, b - r * n) <= n);
    holding.map(|(q, r)| hex(q as i32, r as i32)).collect()
}

/// Returns the greatest cell that contains the point `(a, b) / n`.
pub(crate) fn greatest_cell_at(a: i64, b: i64, n: i64) -> Hex {
    *cells_at(a, b, n).last().expect("hexagons cover the plane")
}

/// Coordinates a and b of a corner.
pub(crate) type Corner = [i128; 2];

/// Returns the six corners of a cell of a body in thirds of 2^-30 units, relative to the body's
/// position.
pub(crate) fn corners(body: &HexBody, pose: Pose, cell: Hex) -> [Corner; 6] {
    let [re, im] = pose.angle.rotation().constants().map(i128::from);
    let size = i128::from(body.grid().cell_size());
    [[2, -1], [1, 1], [-1, 2], [-2, 1], [-1, -1], [1, -2]].map(|[x, y]: Corner| {
        let (a, b) = (size * (3 * i128::from(cell.q) + x), size * (3 * i128::from(cell.r) + y));
        [(re - im) * a - 2 * im * b, 2 * im * a + (re + im) * b]
    })
}

/// Returns the orientation of a triangle: positive if it turns from axis a towards axis b.
pub(crate) fn orientation(a: Corner, b: Corner, c: Corner) -> i128 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

pub(crate) fn is_inside(corners: &[Corner; 6], point: Corner) -> bool {
    (0..6).all(|i| orientation(corners[i], corners[(i + 1) % 6], point) >= 0)
}

pub(crate) fn segments_cross([a, b]: [Corner; 2], [c, d]: [Corner; 2]) -> bool {
    let within = |a: Corner, b: Corner, p: Corner| {
        (0..2).all(|i| a[i].min(b[i]) <= p[i] && p[i] <= a[i].max(b[i]))
    };
    let (w, x) = (orientation(a, b, c).signum(), orientation(a, b, d).signum());
    let (y, z) = (orientation(c, d, a).signum(), orientation(c, d, b).signum());
    (w * x < 0 && y * z < 0)
        || (w == 0 && within(a, b, c))
        || (x == 0 && within(a, b, d))
        || (y == 0 && within(c, d, a))
        || (z == 0 && within(c, d, b))
}
