//! Updated lists are those of a new search, and are seldom searched.

use hexphase_periodic::{Cell, Columns, Cutoff, NeighborList, NeighborSearch, VerletList};
use laws::examples::tried;
use proptest::prelude::*;

use crate::cases::{Case, cases};

/// Moves particles by steps of up to `step` on each axis, `seed` selects which.
fn walk(positions: &mut [[f64; 3]], step: f64, seed: &mut u64) {
    for x in positions.iter_mut().flatten() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *x += step * ((*seed >> 33) as f64 / f64::from(1u32 << 30) - 1.0);
    }
}

#[test]
fn updates_are_those_of_a_new_search() {
    let examples = (cases(), 0.0..0.5, 0.0..0.3, any::<u64>());
    tried(150, examples, |(case, skin, step, mut seed)| {
        let Case { mut positions, mut cell, cutoff, half } = case;
        let scale = cell.vectors.iter().flatten().fold(0.0, |scale: f64, x| scale.max(x.abs()));
        let scale = if scale == 0.0 { 1.0 } else { scale };
        let search = NeighborSearch { cutoff, half, columns: Columns::ALL };
        let mut verlet = VerletList::new(search.clone(), skin * scale).expect("a valid skin");
        let (mut list, mut expected) = (NeighborList::default(), NeighborList::default());
        for time in 0..8 {
            if time == 5 {
                cell.vectors[0][1] += 0.25 * scale;
            }
            let searched = verlet.update(&positions, &cell, &mut list).expect("a valid case");
            search.find(&positions, &cell, &mut expected).expect("a valid case");
            prop_assert!(list == expected, "{} pairs, expected {}", list.len(), expected.len());
            prop_assert!(searched || time != 0 && time != 5);
            walk(&mut positions, step * skin * scale, &mut seed);
        }
        Ok(())
    });
}

#[test]
fn two_particles_that_meet_at_half_of_the_skin_are_found() {
    // They come together by slightly less than the skin, to be exactly at the cutoff.
    for scale in [1.0, 1.0 / 3.0, 1e-6, 1e6, 1e30] {
        for far in [0.0, 1e3, 1e6] {
            let (cutoff, skin) = (scale, 0.3 * scale);
            let moved = skin / 2.0 * (1.0 - 2e-6);
            let (a, b) = (far * scale, far * scale + cutoff);
            let search = NeighborSearch::new(Cutoff::Uniform(b - a));
            let mut verlet = VerletList::new(search, skin).expect("a valid skin");
            let mut list = NeighborList::default();
            let mut update = |a: f64, b: f64| {
                verlet.update(&[[0.0, a, 0.0], [0.0, b, 0.0]], &Cell::OPEN, &mut list)
            };
            assert_eq!(update(a - moved, b + moved), Ok(true));
            assert_eq!(update(a, b), Ok(false));
            assert_eq!(list.second, [1, 0]);
        }
    }
}

#[test]
fn small_steps_seldom_search() {
    let mut positions: Vec<[f64; 3]> =
        (0..500).map(|i| [i % 8, i / 8 % 8, i / 64].map(f64::from)).collect();
    let cell = Cell::periodic([[8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]]);
    let search = NeighborSearch::new(Cutoff::Uniform(1.3));
    let mut verlet = VerletList::new(search, 0.4).expect("a valid skin");
    let (mut list, mut seed) = (NeighborList::default(), 1);
    let mut searches = 0;
    for _ in 0..100 {
        searches += usize::from(verlet.update(&positions, &cell, &mut list).expect("valid"));
        walk(&mut positions, 0.01, &mut seed);
    }
    // A particle moves by 0.2 in at least 20 / √3 steps, and by chance in far more.
    assert!((2..=8).contains(&searches), "{searches} searches");
    // Another number of particles, and nothing but the cell.
    assert_eq!(verlet.update(&positions[1..], &cell, &mut list), Ok(true));
    assert_eq!(verlet.update(&positions[1..], &cell, &mut list), Ok(false));
    let other = Cell { periodic: [true, true, false], ..cell };
    assert_eq!(verlet.update(&positions[1..], &other, &mut list), Ok(true));
}
