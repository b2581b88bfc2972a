//! One hash on every machine and any number of threads.

use hexphase_periodic::{Cell, Cutoff, NeighborList, NeighborSearch};
use laws::threads::with_threads;
use sha2::{Digest as _, Sha256};

const COUNT: usize = 4000;

/// Returns random positions, of which some are outside of the cell.
fn positions() -> Vec<[f64; 3]> {
    let mut state: u64 = 7;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    (0..COUNT)
        .map(|_| [(); 3].map(|()| f64::from(random()) / f64::from(1u32 << 28) - 1.0))
        .collect()
}

fn cutoffs() -> [Cutoff; 3] {
    let radii = (0..COUNT).map(|i| if i % 50 == 0 { 1.5 } else { 0.6 + i as f64 / 1e5 });
    let table = vec![vec![Some(1.25), Some(0.75)], vec![Some(0.75), None]];
    let species = (0..COUNT as u32).map(|i| i % 3 / 2).collect();
    [Cutoff::Uniform(1.5), Cutoff::Radii(radii.collect()), Cutoff::Species { species, table }]
}

fn hash(list: &NeighborList) -> String {
    let NeighborList { offsets, first, second, shifts, distances, vectors } = list;
    let mut hash = Sha256::new();
    offsets.iter().for_each(|&x| hash.update((x as u64).to_le_bytes()));
    first.iter().chain(second).for_each(|x| hash.update(x.to_le_bytes()));
    shifts.iter().flatten().for_each(|x| hash.update(x.to_le_bytes()));
    distances.iter().chain(vectors.iter().flatten()).for_each(|x| hash.update(x.to_le_bytes()));
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn lists_have_one_hash_on_any_number_of_threads() {
    let positions = positions();
    let vectors = [[14.0, 0.0, 0.0], [3.0, 13.0, 0.0], [-2.0, 4.5, 12.0]];
    let cell = Cell { vectors, periodic: [true, true, false] };
    let expected = ["d7b542e418d4a7ed", "f904d0636a5c9a1c", "c99666ada1f12cbe"];
    for threads in [1, 2, 5] {
        let hashes = cutoffs().map(|cutoff| {
            let mut list = NeighborList::default();
            let search = NeighborSearch::new(cutoff);
            with_threads(threads, || search.find(&positions, &cell, &mut list)).expect("valid");
            assert!(list.len() > 15_000, "enough for several threads");
            hash(&list)
        });
        assert_eq!(hashes, expected, "{threads} threads");
    }
}
