//! What changes by key is sorted in among what stays as it is: the order is as good as a new one.

use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex};

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
        // A walk sorts all of them, and so do many who come to rest, and what is far away.
        let answer = match tick {
            30 => world.update(|_, _, bounds| bounds.max[0] += 0.125),
            50 => world.insert(COUNT, Aabb::around([1e4; 2], [0.25; 2]), ()),
            _ => Ok(()),
        };
        answer.expect("bounds are valid, and the key is free");
        match tick {
            60 => (0..400).for_each(|key| world.set_motion(key, Motion::Static).expect("there")),
            70 => world.shrink_to_fit(),
            80 => (0..400).for_each(|key| world.set_motion(key, Motion::Dynamic).expect("there")),
            _ => {}
        }
        let found = tests(&mut world);
        // What rests has an order of its own, and is tested against that of the others.
        let most = if (60..80).contains(&tick) { fresh * 5 / 2 } else { fresh * 3 / 2 };
        assert!(found <= most, "{found} tests in tick {tick}, {fresh} at first");
    }
}

#[test]
fn who_moves_within_a_skin_is_sorted_too() {
    // Every other row of squares slides forth and back, past the rest.
    let at = |key: u32, tick: u32| {
        let (row, shift) = (key / SIDE, (tick % 400).min(400 - tick % 400) as f32 * 0.1);
        Aabb::around([(key % SIDE) as f32 + (row % 2) as f32 * shift, row as f32], [0.25; 2])
    };
    let mut world = MortonCells::new();
    world.set_skin(0.4);
    world.extend((0..COUNT).map(|key| (key, at(key, 0), ()))).expect("all are valid");
    let fresh = tests(&mut world);
    for tick in 1..800 {
        let moved = world.update(|key, _, bounds| *bounds = at(key, tick));
        moved.expect("all are valid");
        world.remove(tick).expect("it was there");
        world.insert(tick, at(tick, tick), ()).expect("the key is free now");
        if tick % 400 < 4 || tick % 50 == 0 {
            let found = tests(&mut world);
            assert!(found <= fresh * 3 / 2, "{found} tests in tick {tick}, {fresh} at first");
        } else {
            world.optimize();
        }
    }
}
