//! Pairs of two worlds and pairs within a distance: filters, sides, visitors, and events.

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
    assert_eq!(units.pairs_with(&mut tiles).to_vec(), expected);
    assert_eq!(tiles.pairs_with(&mut units).to_vec(), expected.map(|[a, b]| [b, a]));
    assert_eq!(units.pairs_with(&mut tiles).between(1, 4).count(), 0);
    assert_eq!(units.pairs_with(&mut tiles).between(3, 6).count(), 2);
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
                let query = one.pairs_with(other);
                match distance {
                    Some(distance) => query.within(distance).to_vec(),
                    None => query.to_vec(),
                }
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
        assert_eq!(world.pairs_within(1.0).count(), 300 * 299 / 2);
    }
}

#[test]
fn pair_queries_leave_pairs_and_events_as_they_are() {
    let mut world = at_one_place(Algorithm::Auto, 3);
    world.step();
    world.insert(Aabb::point([2.0, 0.0]), 3).unwrap();
    let (hash, mut other) = (world.state_hash(), at_one_place(Algorithm::Auto, 1));
    assert_eq!(world.pairs_within(2.0).count(), 6);
    assert_eq!(world.pairs_with(&mut other).within(2.0).count(), 4);
    assert_eq!(world.state_hash(), hash);
    assert_eq!((world.pairs().len(), world.began().len()), (3, 3));
    world.assert_well_formed();
    other.assert_well_formed();
}

/// Returns a world of a structure with 200 discs, whose neighbors are 6 apart, moved by `shift`.
fn discs(algorithm: Algorithm, shift: f32) -> World<u32> {
    let mut world = World::with_options(Options::new().algorithm(algorithm));
    for user in 0..200u32 {
        let at = [(user % 20) as f32 * 8.0 + shift, (user / 20) as f32 * 8.0];
        world.insert(Aabb::of_ball(at, 1.0), user).unwrap();
    }
    world
}

/// Returns the pairs within a distance in one world, and of two worlds.
fn near([world, other]: &mut [World<u32>; 2], distance: f32) -> [Vec<[Handle; 2]>; 2] {
    [world.pairs_within(distance).to_vec(), world.pairs_with(other).within(distance).to_vec()]
}

#[test]
fn searches_for_pairs_follow_every_change() {
    type Change<'a> = dyn Fn(&mut [World<u32>; 2]) + 'a;

    let mut bytes = Vec::new();
    discs(Algorithm::Brute, 0.0).snapshot_into(&mut bytes);
    let object = |worlds: &[World<u32>; 2], user: u32| {
        worlds[0].handles().find(|&object| worlds[0][object] == user).unwrap()
    };
    let wide = Aabb::of_ball([40.0; 2], 20.0);
    let changes: [&Change<'_>; 13] = [
        &|worlds| worlds[0].set_bounds(object(worlds, 7), wide).unwrap(),
        &|worlds| worlds[1].update(|_, _, bounds| *bounds = bounds.translated([7.0, 0.5])).unwrap(),
        &|worlds| _ = worlds[0].insert(wide, 900).unwrap(),
        &|worlds| assert!(worlds[0].remove(object(worlds, 7)).is_some()),
        &|worlds| worlds[0].set_filter(object(worlds, 900), Filter::NONE).unwrap(),
        &|worlds| worlds[0].set_filter(object(worlds, 900), Filter::ALL).unwrap(),
        &|worlds| worlds[0].restore(&bytes).unwrap(),
        &|worlds| assert!(worlds[0].remove(object(worlds, 50)).is_some()),
        &|worlds| worlds[0].clear(),
        &|worlds| worlds[0].restore(&bytes).unwrap(),
        // These change no pair.
        &|worlds| worlds[0].step(),
        &|worlds| _ = near(worlds, 3.0),
        &|worlds| {
            let mut saved = Vec::new();
            worlds[0].snapshot_into(&mut saved);
            worlds[0] = World::from_snapshot(&saved, Options::new()).unwrap();
        },
    ];
    for (algorithm, distance) in Algorithm::ALL.iter().flat_map(|&one| [(one, 0.0), (one, 6.5)]) {
        let mut both = [algorithm, Algorithm::Brute]
            .map(|algorithm| [discs(algorithm, 0.0), discs(algorithm, 1.5)]);
        for (number, change) in changes.iter().enumerate() {
            // The second search may keep its pairs, and the third may read them.
            let before = [(); 3].map(|()| near(&mut both[0], distance));
            assert!(before.iter().all(|found| *found == near(&mut both[1], distance)));
            both.iter_mut().for_each(change);
            let [found, expected] = both.each_mut().map(|worlds| near(worlds, distance));
            assert_eq!(found, expected, "{algorithm}: change {number}, within {distance}");
            assert_eq!(
                found != before[2],
                number < 10,
                "{algorithm}: change {number}, within {distance}"
            );
        }
    }
}

#[test]
fn visited_pairs_equal_the_iterated_ones() {
    fn check(world: &World<u32>) {
        for pairs in [world.pairs(), world.began(), world.ended()] {
            let (mut visited, mut first) = (Vec::new(), None);
            pairs.clone().visit(|handles, users| visited.push((handles, users.map(|&user| user))));
            let iterated: Vec<_> = pairs.clone().map(|pair| (pair.handles, pair.users)).collect();
            assert_eq!(visited, iterated);
            let _ = pairs.visit(|handles, _| {
                first = Some(handles);
                ControlFlow::Break(())
            });
            assert_eq!(first, iterated.first().map(|pair| pair.0));
        }
    }
    let mut world = at_one_place(Algorithm::Brute, 5);
    world.step();
    check(&world);
    let handles: Vec<_> = world.handles().collect();
    // Change the world: remove objects, reuse a slot, and set other user data and another filter.
    world.remove(handles[1]);
    world.insert(Aabb::point([0.0; 2]), 17).unwrap();
    world.remove(handles[4]);
    world.set_user(handles[2], 12).unwrap();
    world.set_filter(handles[3], Filter::NONE).unwrap();
    check(&world);
    world.step();
    assert!(world.ended().len() > 5 && world.began().len() > 1);
    check(&world);
}
