//! Checks that objects changed by key are sorted well into the existing order: a join needs about
//! as many tests as after a full sort.

use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex, SpatialIndexExt};

const SIDE: u32 = 50;
const COUNT: u32 = SIDE * SIDE;

/// Returns the square at a place of the field; different squares do not touch.
fn square(place: u32) -> Aabb<f32, 2> {
    Aabb::around([place % SIDE, place / SIDE].map(|n| n as f32), [0.25; 2])
}

/// Finds pairs, asserts that there are none, and returns the number of tests.
fn tests(world: &mut MortonCells<f32, 2>) -> u64 {
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    assert_eq!(pairs, [[0; 2]; 0], "pairs of disjoint squares");
    world.assert_well_formed();
    world.state().search.map_or(0, |search| search.tests)
}

#[test]
fn objects_changed_by_key_are_sorted_in() {
    let mut places: Vec<u32> = (0..COUNT).map(|n| n * 1007 % COUNT).collect();
    let mut world = MortonCells::new();
    let squares = (0..COUNT).zip(&places).map(|(key, &place)| (key, square(place)));
    world.extend(squares).expect("invalid bounds");
    let fresh = tests(&mut world);
    for tick in 0..100 {
        for swap in 0..10 {
            let [a, b] = [tick * 10 + swap, tick * 17 + swap * 101 + 3].map(|n| n % COUNT);
            places.swap(a as usize, b as usize);
            for key in [a, b] {
                let bounds = square(places[key as usize]);
                if (tick + swap) % 3 == 0 {
                    assert!(world.remove(key), "unknown key");
                    world.insert(key, bounds).expect("key in use");
                } else {
                    world.set_bounds(key, bounds).expect("unknown key");
                }
            }
        }
        // In some ticks, a walk, a far outlier, or many objects that become static cause a new sort
        // of all objects.
        let answer = match tick {
            30 => world.update(|_, bounds| bounds.max[0] += 0.125),
            50 => world.insert(COUNT, Aabb::around([1e4; 2], [0.25; 2])),
            _ => Ok(()),
        };
        answer.expect("invalid bounds or key in use");
        match tick {
            60 => (0..400).for_each(|key| {
                world.set_motion(key, Motion::Static).expect("unknown key");
            }),
            70 => world.shrink_to_fit(),
            80 => (0..400)
                .for_each(|key| world.set_motion(key, Motion::Dynamic).expect("unknown key")),
            _ => {}
        }
        let found = tests(&mut world);
        // While there are static objects, the join of the two layers adds tests.
        let most = if (60..80).contains(&tick) { fresh * 5 / 2 } else { fresh * 3 / 2 };
        assert!(found <= most, "{found} tests in tick {tick}, {fresh} after the first sort");
    }
}
