//! Tests of edges and corners against their geometry.

use alloc::collections::{BTreeMap, BTreeSet};

use hexcoord::{Corner, Diagonal, Direction, Edge, Hex, Layout, Orientation, hex};
use proptest::prelude::*;

/// Returns three times the position of a corner.
fn corner_position(cell: Hex, diagonal: Diagonal) -> Hex {
    cell * 3 + diagonal.to_hex()
}

/// Returns three times the position of a corner: the sum of the centers of its cells.
fn corner_of_cells(corner: Corner) -> Hex {
    let [first, second, third] = corner.cells();
    first + second + third
}

/// Returns six times the midpoint of an edge.
fn middle_of_cells(edge: Edge) -> Hex {
    let [first, second] = edge.cells();
    (first + second) * 3
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn edges_match_their_geometry(q in any::<i32>(), r in any::<i32>(), d in 0..6usize) {
        let (cell, direction) = (hex(q, r), Direction::ALL[d]);
        let edge = cell.edge(direction);
        let [first, second] = edge.cells();
        prop_assert_eq!(first + edge.direction(), second);
        prop_assert!([[cell, cell + direction], [cell + direction, cell]].contains(&[first, second]));
        prop_assert_eq!(second.edge(-edge.direction()), edge);
        prop_assert_eq!(first.edge(edge.direction()), edge);
        prop_assert_eq!(Edge::between(second, first), Some(edge));
        prop_assert_eq!(Edge::between(first, first), None);
        prop_assert_eq!(Edge::between(first, first + direction * 2), None);
        // The midpoint of the edge is half-way between both cells and both corners.
        let [from, to] = edge.corners();
        prop_assert_eq!(corner_of_cells(from) + corner_of_cells(to), middle_of_cells(edge));
        prop_assert!(from.edges().contains(&edge) && to.edges().contains(&edge));
        prop_assert!([from, to].iter().all(|corner| first.corners().contains(corner)));
        prop_assert!([from, to].iter().all(|corner| second.corners().contains(corner)));
    }

    #[test]
    fn corners_match_their_geometry(q in any::<i32>(), r in any::<i32>(), d in 0..6usize) {
        let (cell, diagonal) = (hex(q, r), Diagonal::ALL[d]);
        let corner = cell.corner(diagonal);
        prop_assert_eq!(corner_of_cells(corner), corner_position(cell, diagonal));
        prop_assert!(corner.cells().contains(&cell));
        prop_assert_eq!(corner.cells()[0].corner(corner.diagonal()), corner);
        for other in corner.cells() {
            let same = Diagonal::ALL.into_iter().filter(|&d| other.corner(d) == corner);
            prop_assert_eq!(same.count(), 1);
        }
        let [x, y, z] = corner.cells();
        let between = [(x, y), (x, z), (y, z)].map(|(a, b)| Edge::between(a, b));
        prop_assert!(between.into_iter().all(|edge| corner.edges().contains(&edge.expect("neighbors"))));
        prop_assert!(corner.edges().iter().all(|edge| edge.corners().contains(&corner)));
    }
}

#[test]
fn each_edge_and_corner_has_one_form() {
    // Coordinates do not wrap here, so the cells of an edge and the cells and edges of a corner are
    // in ascending order.
    let mut edges: BTreeMap<Hex, BTreeSet<Edge>> = BTreeMap::new();
    let mut corners: BTreeMap<Hex, BTreeSet<Corner>> = BTreeMap::new();
    for cell in hex(5, -7).range(6) {
        for (direction, edge) in Direction::ALL.into_iter().zip(cell.edges()) {
            edges.entry(cell * 2 + direction).or_default().insert(edge);
            assert!(edge.cells().is_sorted());
        }
        for (diagonal, corner) in Diagonal::ALL.into_iter().zip(cell.corners()) {
            corners.entry(corner_position(cell, diagonal)).or_default().insert(corner);
            assert!(corner.cells().is_sorted() && corner.edges().is_sorted());
        }
    }
    // Each position has one value, and different positions have different values.
    assert!(edges.values().all(|at| at.len() == 1) && corners.values().all(|at| at.len() == 1));
    let values: BTreeSet<_> = edges.values().flatten().collect();
    assert_eq!(values.len(), edges.len());
    let values: BTreeSet<_> = corners.values().flatten().collect();
    assert_eq!(values.len(), corners.len());
    // Euler's formula: corners − edges + cells = 1.
    assert_eq!(corners.len() + hex(5, -7).range(6).len(), edges.len() + 1);
}

#[test]
fn layouts_place_corners_and_edges_on_the_cells() {
    for orientation in [Orientation::Pointy, Orientation::Flat] {
        let layout = Layout::<f32>::try_new(orientation, [9.0, -4.0], [3.0, 5.0]).expect("valid");
        let close = |p: [f32; 2], q: [f32; 2]| (p[0] - q[0]).abs() + (p[1] - q[1]).abs() < 1e-3;
        for cell in hex(2, 3).range(4) {
            let positions = cell.corners().map(|corner| layout.corner(corner));
            assert!(positions.into_iter().zip(layout.corners(cell)).all(|(p, q)| close(p, q)));
            for direction in Direction::ALL {
                let edge = cell.edge(direction);
                let [from, to] = layout.edge(edge);
                assert_eq!([from, to], edge.corners().map(|corner| layout.corner(corner)));
                let middle = [0, 1].map(|axis: usize| (from[axis] + to[axis]) / 2.0);
                let [x, y] = edge.cells().map(|cell| layout.center(cell));
                assert!(close(middle, [0, 1].map(|axis: usize| (x[axis] + y[axis]) / 2.0)));
            }
        }
    }
}
