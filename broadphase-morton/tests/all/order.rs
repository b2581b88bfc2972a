//! What changes by key is sorted in among what stays as it is: the order is as good as a new one.

use broadphase_morton::{Aabb, MortonCells, SpatialIndex};

/// How many squares there are on a side of the field.
const SIDE: u32 = 50;
const COUNT: u32 = SIDE * SIDE;

/// The square in a place of the field; none touches another.
fn square(place: u32) -> Aabb<f32, 2> {
    Aabb::around([place % SIDE, place / SIDE].map(|n| n as f32), [0.25; 2])
}

/// How many tests it takes to find that all are apart.
fn tests(world: &mut MortonCells<f32, 2>) -> u64 {
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    assert_eq!(pairs, [[0; 2]; 0], "all are apart");
    world.assert_well_formed();
    world.stats().tests
}

#[test]
fn who_changes_by_key_is_sorted_in() {
    let mut places: Vec<u32> = (0..COUNT).map(|n| n * 1007 % COUNT).collect();
    let mut world = MortonCells::new();
    let squares = (0..COUNT).zip(&places).map(|(key, &place)| (key, square(place), ()));
    world.extend(squares).expect("all are valid");
    let fresh = tests(&mut world);
    for tick in 0..100 {
        for swap in 0..10 {
            let [a, b] = [tick * 10 + swap, tick * 17 + swap * 101 + 3].map(|n| n % COUNT);
            places.swap(a as usize, b as usize);
            for key in [a, b] {
                let bounds = square(places[key as usize]);
                if (tick + swap) % 3 == 0 {
                    world.remove(key).expect("it was there");
                    world.insert(key, bounds, ()).expect("the key is free now");
                } else {
                    world.set_bounds(key, bounds).expect("it is there");
                }
            }
        }
        // The walk sorts all of them, and so do what rests and what is far away.
        let answer = match tick {
            30 => world.update(|_, _, bounds| bounds.max[0] += 0.125),
            50 => world.insert(COUNT, Aabb::around([1e4; 2], [0.25; 2]), ()),
            _ => Ok(()),
        };
        answer.expect("bounds are valid, and the key is free");
        if tick == 70 {
            world.shrink_to_fit();
        }
        let found = tests(&mut world);
        assert!(found <= fresh * 3 / 2, "{found} tests in tick {tick}, {fresh} at first");
    }
}
