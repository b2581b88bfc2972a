//! Searches for pairs and lists of pairs: single properties. The laws compare all with a model.

use core::ops::ControlFlow;

use hexphase::{Aabb, Algorithm, BroadPhase, Filter, Handle, Object, Options};

type World = BroadPhase<f32, 2, u32>;

#[test]
#[should_panic(expected = "do not wrap at the same sides")]
fn worlds_with_other_sides_are_rejected() {
    let _ = World::new().pairs_with(&mut World::with_options(Options::new().wrap([16.0; 2])));
}

#[test]
fn visitors_of_pairs_stop_early() {
    for &algorithm in Algorithm::ALL {
        let [mut world, mut other] = [300, 3].map(|count| {
            let mut world = World::with_options(Options::new().algorithm(algorithm));
            (0..count).for_each(|user| _ = world.insert(Aabb::point([0.0; 2]), user).unwrap());
            world
        });
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

#[test]
fn swept_hits_do_not_depend_on_the_order_of_objects() {
    let options = Options::new().wrap([10.0]);
    let mut world: BroadPhase<f32, 1, u32> = BroadPhase::with_options(options);
    for user in 0..40u32 {
        let at = Aabb::of_ball([user as f32 * 0.37], 0.11);
        let filter = Filter::layers(1 << (user % 2));
        let object = world.insert_object(Object::new(at, user).filter(filter)).unwrap();
        world.set_swept(object, user % 3 != 0).unwrap();
    }
    world.step();
    world.update(|_, user, at| *at = at.translated([(*user % 7) as f32 * 0.3 - 0.7])).unwrap();
    world.step();
    let (mut hits, mut swapped) = (Vec::new(), Vec::new());
    world.swept_hits(world.pairs().between(1, 2), &mut hits);
    world.swept_hits(world.pairs().between(2, 1), &mut swapped);
    assert!(hits.len() > 20 && hits.iter().any(|hit| hit.fraction > 0.0));
    assert_eq!(hits, swapped);
}
