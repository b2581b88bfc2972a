//! Distances of all magnitudes.

use core::array::from_fn;
use core::fmt::Debug;

use hexphase::{Aabb, BroadPhase, Number, Options, Plain, Scalar, Target};

/// Checks that the distance of each result finds it again, and that no smaller distance does.
fn check_distances<S: Number + Plain + Debug, const D: usize>(scale: f64, sides: [S; D]) {
    let mut world = BroadPhase::<S, D>::with_options(Options::new().wrap(sides));
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 16) / 65536.0
    };
    for _ in 0..60 {
        let at: [S; D] = from_fn(|_| S::from_f64(random() * scale));
        world.insert(Aabb::point(at), ()).expect("valid bounds");
    }
    let mut targets = Vec::new();
    for _ in 0..20 {
        targets.push(Target::point(from_fn::<S, D, _>(|_| S::from_f64(random() * scale))));
    }
    let lists = world.nearest_many(&targets).to_lists();
    for (target, list) in targets.iter().zip(lists.iter()) {
        assert_eq!(world.nearest(*target).to_vec(), list);
        assert!(list.is_sorted_by_key(|near| near.distance), "{list:?}");
        for near in list {
            let distance = near.distance.to_f64();
            assert!(distance > 0.0 || near.distance_squared.to_f64() == 0.0);
            let limit = S::from_f64(if S::INTEGER { distance.ceil() } else { distance });
            let finds = |limit: S| {
                world
                    .nearest(*target)
                    .within(limit)
                    .to_vec()
                    .iter()
                    .any(|it| it.object == near.object)
            };
            assert!(finds(limit), "{near:?} within {limit}");
            assert!(limit == S::ZERO || !finds(limit.next_below()), "{near:?} below {limit}");
        }
    }
}

#[test]
fn distances_find_their_objects_again_at_all_magnitudes() {
    for power in (-147..=126).step_by(3) {
        let scale = 2f64.powi(power);
        check_distances::<f32, 1>(scale, [0.0]);
        check_distances::<f32, 3>(scale, [0.0; 3]);
        check_distances::<f32, 2>(scale, [(2f64.powi(power.min(123)) * 1.25) as f32, 0.0]);
    }
    for power in (-1070..=1020).step_by(55) {
        check_distances::<f64, 2>(2f64.powi(power), [0.0; 2]);
    }
    for power in 0..31 {
        check_distances::<i32, 2>(2f64.powi(power), [0; 2]);
        check_distances::<i32, 3>(2f64.powi(power), [0, 1 << power.clamp(4, 28), 0]);
    }
}
