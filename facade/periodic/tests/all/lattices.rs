//! Lattices whose particles are exactly at the cutoff, of all sizes and far from the cell.

use hexphase_periodic::{Cell, Cutoff, NeighborList, NeighborSearch};

use crate::oracle::brute_force;

/// Returns a lattice of `side`³ points in a periodic cube, each moved by other whole cells.
fn lattice(side: i32, spacing: f64, moved: f64) -> (Vec<[f64; 3]>, Cell) {
    let length = f64::from(side) * spacing;
    let mut points = Vec::new();
    for x in 0..side {
        for y in 0..side {
            for z in 0..side {
                let cells = [(x + y) % 3 - 1, (y + z) % 2, (x - z) % 2];
                let [a, b, c] = cells.map(|cells| f64::from(cells) * moved * length);
                let [x, y, z] = [x, y, z].map(|x| f64::from(x) * spacing);
                points.push([x + a, y + b, z + c]);
            }
        }
    }
    let cell = [[length, 0.0, 0.0], [0.0, length, 0.0], [0.0, 0.0, length]];
    (points, Cell::periodic(cell))
}

#[test]
fn points_at_the_cutoff_are_neighbors() {
    for (side, spacing, moved) in
        [(4, 1.0, 0.0), (4, 1.0, 1e6), (3, 1e6, 0.0), (1, 1.0, 0.0), (2, 0.25, 1e6)]
    {
        let (points, cell) = lattice(side, spacing, moved);
        // The numbers of integer points within these distances of another one.
        for (cutoff, expected) in [(0.99, 0), (1.0, 6), (2.0, 32), (3.0, 122), (5.0, 514)] {
            let mut list = NeighborList::default();
            let search = NeighborSearch::new(Cutoff::Uniform(cutoff * spacing));
            search.find(&points, &cell, &mut list).expect("a valid search");
            assert!(list.offsets.iter().copied().eq((0..=points.len()).map(|i| i * expected)));
            let radii = Cutoff::Radii(vec![cutoff * spacing / 2.0; points.len()]);
            let mut of_radii = NeighborList::default();
            NeighborSearch::new(radii).find(&points, &cell, &mut of_radii).expect("valid");
            assert_eq!(of_radii, list);
        }
    }
}

#[test]
fn rounded_lattices_are_those_of_brute_force() {
    for (spacing, moved) in
        [(0.1, 0.0), (1e-6, 0.0), (1e6 / 3.0, 1.0), (0.7, 1e6), (0.3, 123_457.0)]
    {
        let (points, cell) = lattice(3, spacing, moved);
        for cutoff in [1.0, 2.0f64.sqrt(), 3.0f64.sqrt(), 2.0] {
            let cutoff = Cutoff::Uniform(cutoff * spacing);
            let expected = brute_force(&points, &cell, &cutoff, false);
            let mut list = NeighborList::default();
            NeighborSearch::new(cutoff).find(&points, &cell, &mut list).expect("valid");
            assert!(list == expected, "{} pairs, expected {}", list.len(), expected.len());
        }
    }
}

#[test]
fn particles_far_away_are_folded() {
    // Three clusters, at distances of up to 10^12 cutoffs, and the first one again on top of the
    // others but for a fold.
    let mut points: Vec<[f64; 3]> = Vec::new();
    for far in [0.0, 1e5, 1e12, 4.0 * 26_509.75] {
        let shape = (0..40).map(|i| [0.0, 0.4, 0.7].map(|x| far + x * f64::from(i)));
        points.extend(shape);
    }
    for cutoff in [0.9, 1.7] {
        let cutoff = Cutoff::Uniform(cutoff);
        let expected = brute_force(&points, &Cell::OPEN, &cutoff, false);
        assert!(expected.len() > 100);
        let mut list = NeighborList::default();
        NeighborSearch::new(cutoff).find(&points, &Cell::OPEN, &mut list).expect("valid");
        assert!(list == expected, "{} pairs, expected {}", list.len(), expected.len());
    }
}

/// The search folds a line of more than 53,000 cutoffs.
#[test]
fn a_long_line_is_folded_without_gaps() {
    let points: Vec<_> = (0..150_000).map(|x| [f64::from(x), 0.0, 0.0]).collect();
    let mut list = NeighborList::default();
    let search = NeighborSearch::new(Cutoff::Uniform(1.0));
    search.find(&points, &Cell::OPEN, &mut list).expect("a valid search");
    let ends = (0..150_000).map(|i| 2 * i + usize::from(i < 149_999));
    assert!(list.offsets[1..].iter().copied().eq(ends));
}

/// Pairs whose distances differ by rounding only, far from the center of the search in `f32`.
#[test]
fn all_pairs_at_the_cutoff_are_found() {
    let mut points = Vec::new();
    for pair in 0..5000 {
        let (angle, x) = (f64::from(pair), 10.0 * f64::from(pair) + 1.0 / 3.0);
        points.push([x, 0.0, 0.0]);
        points.push([x + angle.cos(), angle.sin(), 0.0]);
    }
    let mut list = NeighborList::default();
    let search = NeighborSearch::new(Cutoff::Uniform(1.0 + 1e-9));
    search.find(&points, &Cell::OPEN, &mut list).expect("a valid search");
    assert!(list.second.iter().copied().eq((0..10_000).map(|i| i ^ 1)));
}
