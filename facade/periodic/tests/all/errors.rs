//! Each error, found with the list unchanged.

use hexphase_periodic::{Cell, Cutoff, Error, NeighborList, NeighborSearch, VerletList};

const CUBE: Cell = Cell::periodic([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);

/// Asserts that a search of three particles is refused, and leaves a list unchanged.
fn refused(positions: &[[f64; 3]], cell: Cell, cutoff: Cutoff, expected: Error) {
    let mut list = NeighborList { second: vec![7], ..NeighborList::default() };
    let before = list.clone();
    let search = NeighborSearch::new(cutoff);
    assert_eq!(search.find(positions, &cell, &mut list), Err(expected), "{expected}");
    assert_eq!(list, before);
    let mut verlet = VerletList::new(search, 0.5).expect("a valid skin");
    assert_eq!(verlet.update(positions, &cell, &mut list), Err(expected));
    assert_eq!(list, before);
}

#[test]
fn invalid_positions_cells_and_cutoffs_are_named() {
    let points = [[0.5; 3], [0.0; 3], [0.25; 3]];
    let (inf, huge, one) = (f64::INFINITY, 1e151, Cutoff::Uniform(1.0));
    for wrong in [f64::NAN, inf, -inf, huge] {
        let error = Error::Position { index: 2, axis: 1 };
        refused(&[[0.0; 3], [0.0; 3], [0.0, wrong, wrong]], CUBE, one.clone(), error);
        let mut cell = CUBE;
        cell.vectors[1][2] = wrong;
        refused(&points, cell, one.clone(), Error::Cell { row: 1, column: 2 });
        let open = Cell { periodic: [false; 3], ..cell };
        refused(&points, open, one.clone(), Error::Cell { row: 1, column: 2 });
    }
    for wrong in [f64::NAN, inf, huge, -1.0] {
        refused(&points, CUBE, Cutoff::Uniform(wrong), Error::Cutoff);
        refused(&points, CUBE, Cutoff::Radii(vec![1.0, wrong, 1.0]), Error::Radius { index: 1 });
        let table = vec![vec![Some(1.0), Some(wrong)], vec![Some(wrong), None]];
        let species = Cutoff::Species { species: vec![0, 1, 0], table };
        refused(&points, CUBE, species, Error::Table { row: 0, column: 1 });
        let search = NeighborSearch::new(one.clone());
        assert_eq!(VerletList::new(search, wrong).unwrap_err(), Error::Skin);
    }
}

#[test]
fn lengths_and_tables_are_checked() {
    let points = [[0.5; 3], [0.0; 3], [0.25; 3]];
    let length = Error::Length { found: 2, expected: 3 };
    refused(&points, CUBE, Cutoff::Radii(vec![1.0; 2]), length);
    let species = |species: &[u32], table| Cutoff::Species { species: species.to_vec(), table };
    let table = vec![vec![Some(1.0); 2]; 2];
    refused(&points, CUBE, species(&[0, 1], table.clone()), length);
    refused(&points, CUBE, species(&[0, 1, 2], table.clone()), Error::Species { index: 2 });
    let mut short = table.clone();
    short[1].pop();
    refused(&points, CUBE, species(&[0; 3], short), Error::TableRow { row: 1 });
    let mut uneven = table;
    uneven[1][0] = None;
    refused(&points, CUBE, species(&[0; 3], uneven), Error::Table { row: 0, column: 1 });
}

#[test]
fn singular_cells_and_too_many_images_are_refused() {
    let points = [[0.5; 3], [0.0; 3], [0.25; 3]];
    let one = || Cutoff::Uniform(1.0);
    let flat = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    refused(&points, Cell::periodic(flat), one(), Error::SingularCell);
    // Two of these vectors are independent.
    let search = NeighborSearch::new(one());
    let slab = Cell { vectors: flat, periodic: [true, true, false] };
    assert_eq!(search.find(&points, &slab, &mut NeighborList::default()), Ok(()));
    let mut zero = CUBE;
    zero.vectors[2] = [0.0; 3];
    refused(&points, zero, one(), Error::SingularCell);
    let parallel = [[1.0, 2.0, 0.0], [0.0; 3], [2.0, 4.0, 0.0]];
    let cell = Cell { vectors: parallel, periodic: [true, false, true] };
    refused(&points, cell, one(), Error::SingularCell);
    refused(&[[0.0; 3], [0.0; 3], [0.0, 0.0, -1e9]], CUBE, one(), Error::Shift { index: 2 });
    refused(&points, CUBE, Cutoff::Uniform(600.0), Error::TooManyImages);
    refused(&points, CUBE, Cutoff::Uniform(1e150), Error::TooManyImages);
}

#[test]
fn messages_name_the_number() {
    let errors = [
        Error::Position { index: 3, axis: 1 },
        Error::Cell { row: 0, column: 2 },
        Error::Radius { index: 4 },
        Error::Table { row: 1, column: 5 },
        Error::Length { found: 1, expected: 2 },
    ];
    let texts = [
        "position 3: coordinate 1 is not finite, or above 2^500",
        "cell: row 0, column 2 is not finite, or above 2^500",
        "radius 4 is negative, not finite, or above 2^500",
        "table of cutoffs: row 1, column 5 is negative, not finite, above 2^500, or not symmetric",
        "1 radii or species for 2 positions",
    ];
    assert_eq!(errors.map(|error| error.to_string()), texts);
}
