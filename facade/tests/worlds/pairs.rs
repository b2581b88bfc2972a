//! Pairs of two worlds and pairs within a distance: filters, sides and visitors.

use core::ops::ControlFlow;

use hexphase::{Aabb, Algorithm, BroadPhase, Filter, Handle, Motion, Options};

type World<U> = BroadPhase<f32, 2, U>;

/// Returns a world of a structure with `count` points that coincide.
fn at_one_place(algorithm: Algorithm, count: u32) -> World<u32> {
    let mut world = World::with_options(Options::new().algorithm(algorithm));
    for user in 0..count {
        world.insert(Aabb::point([0.0; 2]), user).unwrap();
    }
    world
}

#[test]
fn two_worlds_form_pairs_by_the_filters_of_both() {
    let here = Aabb::of_ball([0.0; 2], 1.0);
    let (mut units, mut tiles): (World<&str>, World<u8>) = Default::default();
    let unit = Filter::layers(1).mask(2).owner(7);
    let units_inserted = [Motion::Dynamic, Motion::Static]
        .map(|motion| units.insert_with(here, "unit", motion, unit).unwrap());
    let filters = [
        Filter::layers(2),          // accepted
        Filter::layers(4),          // not in the mask of the units
        Filter::layers(2).mask(4),  // does not accept the layer of the units
        Filter::layers(2).owner(7), // has the owner of the units
        Filter::NONE,
    ];
    let tiles_inserted =
        filters.map(|filter| tiles.insert_with(here, 0, Motion::Static, filter).unwrap());
    // Static objects of two worlds form pairs, too.
    let expected = units_inserted.map(|unit| [unit, tiles_inserted[0]]);
    let mut found = Vec::new();
    units.pairs_with(&mut tiles).write_to(&mut found);
    assert_eq!(found, expected);
    units.pairs_with(&mut tiles).between(3, 6).write_to(&mut found);
    assert_eq!(found, expected);
    units.pairs_with(&mut tiles).between(1, 4).write_to(&mut found);
    assert!(found.is_empty());
    tiles.pairs_with(&mut units).write_to(&mut found);
    assert_eq!(found, expected.map(|[a, b]| [b, a]));
}

#[test]
fn static_objects_of_two_worlds_are_joined() {
    let others = Algorithm::ALL.iter().cycle().skip(1);
    let same = Algorithm::ALL.iter().map(|&one| [one, one]);
    let both = Algorithm::ALL.iter().zip(others).map(|(&one, &other)| [one, other]);
    for [ours, theirs] in same.chain(both) {
        for (sides, distance) in [(0.0, None), (0.0, Some(1.5)), (64.0, None), (64.0, Some(1.5))] {
            let fill = |algorithm: Algorithm, offset: f32| {
                let options = Options::new().algorithm(algorithm).wrap([sides; 2]);
                let mut world: World<()> = World::with_options(options);
                for n in 0..200u16 {
                    let at = [f32::from(n % 16) * 4.0 + offset, f32::from(n / 16) * 4.0];
                    let motion = [Motion::Static, Motion::Static, Motion::Dynamic][n as usize % 3];
                    world.insert_with(Aabb::of_ball(at, 1.0), (), motion, Filter::ALL).unwrap();
                }
                world
            };
            let joined = |motion: Option<Motion>| {
                let mut both = [fill(ours, 0.0), fill(theirs, 1.75)];
                for world in &mut both {
                    for object in world.handles().collect::<Vec<_>>() {
                        if let Some(motion) = motion {
                            world.set_motion(object, motion).unwrap();
                        }
                    }
                }
                let [one, other] = &mut both;
                let (query, mut found) = (one.pairs_with(other), Vec::new());
                match distance {
                    Some(distance) => query.within(distance).write_to(&mut found),
                    None => query.write_to(&mut found),
                }
                found
            };
            let expected = joined(Some(Motion::Dynamic));
            assert!(expected.len() >= 200, "{} pairs", expected.len());
            for motion in [None, Some(Motion::Static)] {
                assert_eq!(joined(motion), expected, "{ours} with {theirs}, {sides}, {distance:?}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "do not wrap at the same sides")]
fn worlds_with_other_sides_are_rejected() {
    let mut wrapping: World<()> = BroadPhase::with_options(Options::new().wrap([16.0; 2]));
    let _ = World::<()>::new().pairs_with(&mut wrapping);
}

#[test]
fn visitors_of_pairs_stop_early() {
    for &algorithm in Algorithm::ALL {
        let mut world = at_one_place(algorithm, 300);
        let mut other = at_one_place(algorithm, 3);
        for last in [1, 255, 256, 257, 900] {
            let mut seen = 0;
            let visit = |_: [Handle; 2], _: &u32, _: &u32| {
                seen += 1;
                if seen == last { ControlFlow::Break(last) } else { ControlFlow::Continue(()) }
            };
            let answer = world.pairs_with(&mut other).visit(visit);
            assert_eq!((answer, seen), (ControlFlow::Break(last), last), "{algorithm}");
        }
        let mut seen = 0;
        let answer = world.pairs_within(1.0).visit(|_, _, _| {
            seen += 1;
            if seen == 1000 { Err(seen) } else { Ok(()) }
        });
        assert_eq!((answer, seen), (Err(1000), 1000), "{algorithm}");
        let mut count = 0;
        world.pairs_within(1.0).visit(|_, _, _| count += 1);
        assert_eq!(count, 300 * 299 / 2);
    }
}
