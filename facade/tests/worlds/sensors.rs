//! Fixed sensors: sleeping objects, which form pairs with static ones.

use hexphase::{Aabb, Algorithm, BroadPhase, Filter, Motion, Options};

type World = BroadPhase<f32, 2, u32>;

fn users(overlaps: impl Iterator<Item = hexphase::Overlap<u32>>) -> Vec<[u32; 2]> {
    overlaps.map(|overlap| overlap.users).collect()
}

#[test]
fn sleeping_sensors_detect_static_objects() {
    for (&algorithm, side) in Algorithm::ALL.iter().flat_map(|one| [(one, 0.0), (one, 64.0)]) {
        let options = Options::new().algorithm(algorithm).wrap([side, 0.0]);
        let mut world: World = BroadPhase::with_options(options);
        let area = Aabb::around([64.0, 0.0], [2.0, 2.0]);
        let crates = Filter::layers(2).group(5);
        let objects = [
            (area, 0, Motion::Sleeping, Filter::layers(1).mask(2)),
            (area, 1, Motion::Static, crates),
            (area.translated([1.0, 0.0]), 2, Motion::Static, crates),
            (area, 3, Motion::Dynamic, Filter::layers(2).mask(1)),
            (area, 4, Motion::Static, Filter::layers(4)),
        ];
        let mut handles = Vec::new();
        world.insert_many(&objects, &mut handles).unwrap();
        world.step();
        let pairs = [[0, 1], [0, 2], [0, 3]];
        assert_eq!(users(world.began()), pairs, "{algorithm}");
        let mut bytes = Vec::new();
        world.snapshot_into(&mut bytes);
        world.remove(handles[1]);
        world.step();
        assert_eq!(users(world.ended()), [[0, 1]], "{algorithm}");
        world.restore(&bytes).unwrap();
        world.step();
        assert_eq!(users(world.pairs()), pairs, "{algorithm}");
        assert_eq!((world.began().len(), world.ended().len()), (0, 0), "{algorithm}");
        let mut visited = Vec::new();
        world.update_dynamic(|_, user, _| visited.push(*user)).unwrap();
        assert_eq!(visited, [3], "{algorithm}");
        world.set_motion(handles[0], Motion::Static).unwrap();
        world.step();
        assert_eq!(users(world.ended()), [[0, 1], [0, 2]], "{algorithm}");
    }
}

/// Returns the number of tests of two bounds in the last search for pairs.
#[cfg(feature = "hshg")]
fn tests(world: &World) -> u64 {
    world.stats().search.map_or(0, |stats| stats.tests)
}

#[cfg(feature = "hshg")]
#[test]
fn idle_sensors_are_not_searched_again_in_the_grid() {
    let world = |sensors: u32| {
        let mut world: World = BroadPhase::with_options(Options::new().algorithm(Algorithm::Hshg));
        let at = |n: u32| Aabb::of_ball([(n % 60) as f32 * 2.0, (n / 60) as f32 * 2.0], 1.5);
        for n in 0..3600 {
            world.insert_with(at(n), n, Motion::Static, Filter::ALL).unwrap();
        }
        for n in 0..sensors {
            world.insert_with(at(n * 5), n, Motion::Sleeping, Filter::ALL).unwrap();
        }
        let mover = world.insert(Aabb::point([300.0, 300.0]), 9).unwrap();
        (world, mover)
    };
    let ((mut with, one), (mut without, other)) = (world(600), world(0));
    with.step();
    without.step();
    let searched = tests(&with);
    assert!(searched > 5 * 600 && with.pairs().len() > 5 * 600, "{searched} tests");
    for tick in 0..20 {
        for (world, mover) in [(&mut with, one), (&mut without, other)] {
            world.set_bounds(mover, Aabb::point([300.0 + tick as f32, 300.0])).unwrap();
            world.step();
        }
        assert!(tests(&with) <= tests(&without) + 100, "{} tests in tick {tick}", tests(&with));
    }
    assert_eq!((with.began().len(), with.ended().len()), (0, 0));
}
