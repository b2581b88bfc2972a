//! Objects that enter and leave the surroundings of observers.

#[path = "../../examples/support/mod.rs"]
mod support;

use alloc::collections::BTreeSet;

use hexphase::{Aabb, Algorithm, BroadPhase, Filter, Handle, Interest, Object, Options};
use support::Random;

type World = BroadPhase<f32, 2>;
type Point = [f32; 2];

const SIDE: f32 = 64.0;
/// Three numbers that are sides of right triangles with small integers: distances are often equal
/// to these.
const RADII: [f32; 3] = [5.0, 10.0, 13.0];

/// Changes a world at random: an object is inserted, removed or moved. Coordinates are integers.
fn change(world: &mut World, random: &mut Random, most: usize) {
    let below = |random: &mut Random, end: usize| (random.bits() % end as u64) as usize;
    let point = |random: &mut Random| [0, 1].map(|_| below(random, SIDE as usize) as f32);
    let layer = |random: &mut Random| {
        let layers = 1 << below(random, 2);
        Filter::layers(layers).mask(layers)
    };
    let objects: Vec<Handle> = world.handles().collect();
    let pick = below(random, objects.len().max(1));
    match (objects.get(pick), below(random, 8)) {
        (Some(&object), 0) => _ = world.remove(object),
        (Some(&object), 1) => world.set_filter(object, layer(random)).expect("an object"),
        (Some(&object), 2..=4) => {
            let step = [0, 1].map(|_| below(random, 7) as f32 - 3.0);
            let at = world.get(object).expect("an object").bounds;
            world.set_bounds(object, at.translated(step)).expect("finite bounds");
        }
        (Some(&object), 5) => {
            world.set_bounds(object, Aabb::point(point(random))).expect("finite bounds");
        }
        _ if objects.len() < most => {
            let object = Object::new(Aabb::point(point(random)), ()).filter(layer(random));
            world.insert_object(object).expect("memory");
        }
        _ => {}
    }
}

/// Returns the squares of the distances of all pairs in equal layers.
fn distances(worlds: &[World; 2], wraps: bool) -> Vec<([Handle; 2], f32)> {
    let side = |world: &World| -> Vec<(Handle, Point, Filter)> {
        let objects = world.handles().map(|one| (one, world.get(one).expect("an object")));
        objects.map(|(one, object)| (one, object.bounds.min, object.filter)).collect()
    };
    let ([ours, theirs], mut all) = ([side(&worlds[0]), side(&worlds[1])], Vec::new());
    for (one, a, filter) in &ours {
        for (other, b, _) in theirs.iter().filter(|(_, _, other)| other == filter) {
            let gaps = [0, 1].map(|axis| {
                let gap = (a[axis] - b[axis]).abs();
                if wraps { (gap % SIDE).min(SIDE - gap % SIDE) } else { gap }
            });
            all.push(([*one, *other], gaps[0] * gaps[0] + gaps[1] * gaps[1]));
        }
    }
    all
}

#[test]
fn changes_are_those_of_brute_force() {
    let (mut random, mut ticks, mut counts) = (Random(3), 0, [0; 4]);
    for round in 0..40 {
        let wraps = round % 2 == 1;
        let options = |algorithm| {
            let options = Options::new().algorithm(algorithm);
            if wraps { options.wrap([SIDE; 2]) } else { options }
        };
        let [one, other] = [0, 1].map(|side| Algorithm::ALL[(round + side) % Algorithm::ALL.len()]);
        let mut worlds = [one, other].map(|algorithm| World::with_options(options(algorithm)));
        let enter = RADII[round % 3];
        let leave = if round % 5 == 0 { enter } else { RADII[2] + enter };
        let mut interest = Interest::new(enter, leave);
        let mut known = BTreeSet::new();
        for _ in 0..250 {
            ticks += 1;
            for _ in 0..4 {
                change(&mut worlds[0], &mut random, 6);
                change(&mut worlds[1], &mut random, 30);
            }
            let all = distances(&worlds, wraps);
            let within = |radius: f32| -> BTreeSet<[Handle; 2]> {
                all.iter().filter(|one| one.1 <= radius * radius).map(|one| one.0).collect()
            };
            let near = within(leave);
            let left: Vec<_> = known.difference(&near).copied().collect();
            let entered: Vec<_> = within(enter).difference(&known).copied().collect();
            known = known.intersection(&near).chain(&entered).copied().collect();

            let [observers, objects] = &mut worlds;
            interest.update(observers.pairs_with(objects));
            let pairs = |of: fn(&hexphase::InterestChange<'_>) -> Vec<Handle>| -> Vec<_> {
                let changes = interest.changes();
                changes
                    .flat_map(|one| of(&one).into_iter().map(move |object| [one.observer, object]))
                    .collect()
            };
            assert_eq!(pairs(|change| change.entered.to_vec()), entered);
            assert_eq!(pairs(|change| change.left.to_vec()), left);
            let observers: Vec<_> = interest.changes().map(|change| change.observer).collect();
            assert!(observers.is_sorted_by(|a, b| a < b), "{observers:?}");
            let seen = known.iter().filter(|pair| worlds[0].contains(pair[0]));
            let found = worlds[0].handles().flat_map(|one| interest.of(one).map(move |o| [one, o]));
            assert!(seen.copied().eq(found));

            let kept = near.iter().filter(|pair| known.contains(*pair)).count();
            let stale = left.iter().filter(|pair| !worlds[1].contains(pair[1])).count();
            for (count, by) in
                counts.iter_mut().zip([entered.len(), left.len(), near.len() - kept, stale])
            {
                *count += by;
            }
        }
    }
    assert_eq!(ticks, 10_000);
    // Entered, left, between the distances and unknown, removed while known.
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

#[test]
fn layers_and_one_world() {
    let mut world = World::new();
    let mut insert = |x: f32, layers| {
        let object = Object::new(Aabb::point([x, 0.0]), ()).filter(Filter::layers(layers));
        world.insert_object(object).expect("memory")
    };
    let [sheep, wolf, other] = [insert(0.0, 1), insert(3.0, 2), insert(3.0, 1)];
    let mut interest = Interest::new(2.0, 4.0);
    interest.update(world.pairs_within(9.0).between(1, 2));
    let entered: Vec<_> = interest.changes().map(|one| (one.observer, one.entered[0])).collect();
    assert_eq!(entered, [(wolf, other)]);
    world.set_bounds(wolf, Aabb::point([1.0, 0.0])).expect("finite bounds");
    interest.update(world.pairs_within(0.0).between(1, 2));
    assert!(interest.of(sheep).eq([wolf]) && interest.of(wolf).eq([other]));
    interest.update(world.pairs_within(0.0).between(0, 2));
    assert_eq!(interest.changes().map(|one| one.left.len()).sum::<usize>(), 2);
    for radius in [f32::NAN, -1.0] {
        let mut interest = Interest::new(9.0, radius);
        interest.update(world.pairs_within(9.0));
        assert_eq!(interest.changes().len(), 0);
    }
}

#[cfg(feature = "hshg")]
#[test]
fn steady_updates_of_grids_do_not_allocate() {
    let grid = || World::with_options(Options::new().algorithm(Algorithm::Hshg));
    let [mut observers, mut objects] = [grid(), grid()];
    for x in 0..400 {
        let at = Aabb::point([(x % 20) as f32, (x / 20) as f32]);
        objects.insert(at, ()).expect("memory");
        if x % 40 == 0 {
            observers.insert(at, ()).expect("memory");
        }
    }
    let mut interest = Interest::new(3.0, 4.0);
    let (mut tick, mut changes) = (0, 0);
    let mut update = || {
        let step = [0.0, if tick % 8 < 4 { 1.0 } else { -1.0 }];
        tick += 1;
        objects.update(|_, (), bounds| *bounds = bounds.translated(step)).expect("finite bounds");
        interest.update(observers.pairs_with(&mut objects));
        changes += interest.changes().len();
    };
    (0..32).for_each(|_| update());
    let allocated = allocation_counter::measure(|| (0..32).for_each(|_| update()));
    assert_eq!(allocated.count_total, 0);
    assert!(changes > 64, "{changes}");
}
