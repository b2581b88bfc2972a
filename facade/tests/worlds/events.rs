//! Lists of pairs and events: single properties. The laws compare all lists with a model.

use hexphase::{Aabb, BroadPhase, Filter, Motion, Options};

#[test]
fn swept_hits_do_not_depend_on_the_order_of_objects() {
    let options = Options::new().wrap([10.0]);
    let mut world: BroadPhase<f32, 1, u32> = BroadPhase::with_options(options);
    for user in 0..40u32 {
        let at = Aabb::of_ball([user as f32 * 0.37], 0.11);
        let filter = Filter::layers(1 << (user % 2));
        let object = world.insert_with(at, user, Motion::Dynamic, filter).unwrap();
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

#[test]
fn ended_pairs_have_user_data_set_after_the_step() {
    let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    let [a, b] = ["a", "b"].map(|user| world.insert(Aabb::point([0.0]), user).unwrap());
    world.step();
    *world.user_mut(a).unwrap() = "A";
    let users = |world: &BroadPhase<f32, 1, &'static str>| {
        [world.pairs(), world.began(), world.ended()].map(|list| list.map(|o| o.users).next())
    };
    assert_eq!(users(&world), [Some(["A", "b"]), Some(["A", "b"]), None]);
    world.remove(a);
    world.step();
    assert_eq!(users(&world), [None, None, Some(["A", "b"])]);
    *world.user_mut(b).unwrap() = "B";
    assert_eq!(users(&world), [None, None, Some(["A", "B"])]);
    world.remove(b);
    world.insert(Aabb::point([0.0]), "c").unwrap();
    assert_eq!(users(&world), [None, None, Some(["A", "B"])]);
    world.step();
    assert_eq!(users(&world), [None; 3]);
}
