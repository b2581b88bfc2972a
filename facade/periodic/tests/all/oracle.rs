//! The oracle: all pairs and all images, tested one by one by the definition.

use hexphase_periodic::{Cell, Cutoff, NeighborList};

/// Finds the list by testing, for each two particles, all shifts that may be within the cutoff, and
/// at least one more on each side.
pub(crate) fn brute_force(
    positions: &[[f64; 3]],
    cell: &Cell,
    cutoff: &Cutoff,
    half: bool,
) -> NeighborList {
    let mut list = NeighborList { offsets: vec![0], ..NeighborList::default() };
    let inverse = inverse(cell);
    for (i, p) in positions.iter().enumerate() {
        for (j, q) in positions.iter().enumerate() {
            let Some(r) = cutoff_of(cutoff, i, j) else { continue };
            let ranges = [0, 1, 2].map(|axis| {
                if !cell.periodic[axis] {
                    return 0..=0;
                }
                let g = [inverse[0][axis], inverse[1][axis], inverse[2][axis]];
                let apart = (q[0] - p[0]) * g[0] + (q[1] - p[1]) * g[1] + (q[2] - p[2]) * g[2];
                let reach = r * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]).sqrt();
                (-apart - reach - 1.5).floor() as i32..=(-apart + reach + 1.5).ceil() as i32
            });
            let [a, b, c] = ranges;
            for a in a {
                for b in b.clone() {
                    for c in c.clone() {
                        let d = vector(cell, *p, *q, [a, b, c]);
                        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                        let is_later = i < j || i == j && [a, b, c] > [0; 3];
                        let is_self = i == j && [a, b, c] == [0; 3];
                        if square <= r * r && !is_self && (is_later || !half) {
                            list.first.push(i as u32);
                            list.second.push(j as u32);
                            list.shifts.push([a, b, c]);
                            list.distances.push(square.sqrt());
                            list.vectors.push(d);
                        }
                    }
                }
            }
        }
        list.offsets.push(list.first.len());
    }
    list
}

/// Returns the vector of a pair.
pub(crate) fn vector(cell: &Cell, p: [f64; 3], q: [f64; 3], shift: [i32; 3]) -> [f64; 3] {
    let c = cell.vectors;
    let [s, t, u] = shift.map(f64::from);
    [0, 1, 2].map(|k| (q[k] - p[k]) + (s * c[0][k] + t * c[1][k] + u * c[2][k]))
}

fn cutoff_of(cutoff: &Cutoff, i: usize, j: usize) -> Option<f64> {
    match cutoff {
        Cutoff::Uniform(cutoff) => Some(*cutoff),
        Cutoff::Radii(radii) => Some(radii[i] + radii[j]),
        Cutoff::Species { species, table } => table[species[i] as usize][species[j] as usize],
    }
}

/// Returns the inverse of the cell vectors, where those of axes that are not periodic are replaced
/// by vectors perpendicular to the others.
fn inverse(cell: &Cell) -> [[f64; 3]; 3] {
    let mut c = cell.vectors;
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let periodic: Vec<usize> = (0..3).filter(|&axis| cell.periodic[axis]).collect();
    match periodic[..] {
        [] => return [[0.0; 3]; 3],
        [a] => {
            let mut other = [0.0; 3];
            let smallest = (0..3).min_by(|&x, &y| c[a][x].abs().total_cmp(&c[a][y].abs()));
            other[smallest.expect("three axes")] = 1.0;
            c[(a + 1) % 3] = cross(c[a], other);
            c[(a + 2) % 3] = cross(c[a], c[(a + 1) % 3]);
        }
        [a, b] => c[3 - a - b] = cross(c[a], c[b]),
        _ => {}
    }
    let rows = [cross(c[1], c[2]), cross(c[2], c[0]), cross(c[0], c[1])];
    let det = c[0][0] * rows[0][0] + c[0][1] * rows[0][1] + c[0][2] * rows[0][2];
    [0, 1, 2].map(|k| [rows[0][k] / det, rows[1][k] / det, rows[2][k] / det])
}
