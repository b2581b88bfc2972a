//! Lists of random particles are those of brute force, in all columns.

use hexphase_periodic::{Columns, NeighborList, NeighborSearch};
use laws::examples::tried;
use proptest::prelude::*;

use crate::cases::{Case, cases};
use crate::oracle::brute_force;

#[test]
fn lists_are_those_of_brute_force() {
    tried(800, cases(), |Case { positions, cell, cutoff, half }| {
        let expected = brute_force(&positions, &cell, &cutoff, half);
        let search = NeighborSearch { cutoff, half, columns: Columns::ALL };
        let mut found = NeighborList::default();
        search.find(&positions, &cell, &mut found).expect("the case is valid");
        prop_assert!(found == expected, "{} pairs, expected {}", found.len(), expected.len());
        Ok(())
    });
}

#[test]
fn requested_columns_are_those_of_all_columns() {
    let columns = any::<[bool; 5]>().prop_map(|[first, second, shifts, distances, vectors]| {
        Columns { first, second, shifts, distances, vectors }
    });
    let examples = (cases(), cases(), columns);
    tried(200, examples, |(before, case, columns)| {
        let find = |case: &Case, columns, list: &mut NeighborList| {
            let Case { positions, cell, cutoff, half } = case;
            let search = NeighborSearch { cutoff: cutoff.clone(), half: *half, columns };
            search.find(positions, cell, list).expect("the case is valid");
        };
        let (mut list, mut expected) = (NeighborList::default(), NeighborList::default());
        find(&before, Columns::ALL, &mut list);
        find(&case, columns, &mut list);
        find(&case, Columns::ALL, &mut expected);
        prop_assert_eq!(list.len(), expected.second.len());
        let keep = |requested: bool, len: &mut dyn FnMut()| {
            if !requested {
                len();
            }
        };
        keep(columns.first, &mut || expected.first.clear());
        keep(columns.second, &mut || expected.second.clear());
        keep(columns.shifts, &mut || expected.shifts.clear());
        keep(columns.distances, &mut || expected.distances.clear());
        keep(columns.vectors, &mut || expected.vectors.clear());
        prop_assert!(list == expected);
        Ok(())
    });
}
