//! Replays traces on every structure: all find the same pairs, and a world can be created with the
//! best options.

use broadphase_core::scenes::{Movers, Scene, SceneName};
use hexphase::tune::{Budget, Report, Trace, tune};
use hexphase::{Aabb, Algorithm, Backend, BroadPhase, Filter, Motion, Object, Options, Scalar};

/// Returns the smallest budget. Tests do not depend on times.
fn once() -> Budget {
    Budget { rounds: 1, ..Budget::default() }
}

fn flat(name: &str) -> Movers<2> {
    let name: SceneName = name.parse().unwrap();
    let Scene::Flat(scene) = name.generate() else { panic!("expected two dimensions") };
    scene
}

#[track_caller]
fn assert_sound<S: Scalar, const D: usize>(report: &Report<S, D>) {
    assert!(report.trials.iter().all(|trial| trial.agrees), "{report:?}");
    assert!(report.trials.is_sorted_by_key(|trial| trial.tick));
    for &algorithm in Algorithm::ALL {
        let tried = report.trials.iter().any(|trial| trial.algorithm == algorithm);
        assert_eq!(tried, algorithm != Algorithm::Auto, "{algorithm}");
    }
}

#[test]
fn recorded_worlds_are_replayed() {
    let mut scene = flat("tail:800");
    let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    for (number, bounds) in (0..).zip(scene.all_bounds()) {
        let motion = if number % 4 == 0 { Motion::Static } else { Motion::Dynamic };
        let filter = Filter::layers(1 << (number % 3));
        world.insert_object(Object::new(bounds, number).motion(motion).filter(filter)).unwrap();
    }
    let mut trace = Trace::default();
    let mut pairs = 0;
    for tick in 0..5 {
        scene.tick();
        world
            .update_dynamic(|_, &mut number, bounds| *bounds = scene.bounds(number as usize))
            .unwrap();
        let leaves = world.handles().nth(7 * tick).unwrap();
        world.remove(leaves).unwrap();
        if tick % 2 == 0 {
            world.insert(scene.bounds(0), 0).unwrap();
        }
        world.step();
        trace.record(&world);
        pairs += world.pairs().len();
    }
    let report = tune(&trace, &once());
    assert_sound(&report);
    let profile = &report.profile;
    assert_eq!((profile.ticks, profile.objects), (5, 800));
    assert_eq!(profile.pairs, pairs as f64 / 5.0, "pairs of the recorded world");
    assert!(profile.moving > 0.7 && profile.moving < 0.76, "{}", profile.moving);
    assert_eq!((report.rounds, report.backend), (1, Backend::detect()));
}

#[test]
fn wrapping_worlds_are_replayed() {
    let sides = [64, 0, 32];
    let options = Options::new().wrap(sides).events(false);
    let mut world: BroadPhase<i32, 3, ()> = BroadPhase::with_options(options);
    for n in 0..300 {
        world.insert(Aabb::around([7 * n, n % 9, 5 * n], [2, 2, 2]), ()).unwrap();
    }
    let mut trace = Trace::default();
    let mut pairs = 0;
    for _ in 0..3 {
        world.update(|_, (), bounds| *bounds = bounds.translated([1, 0, -1])).unwrap();
        world.step();
        trace.record(&world);
        pairs += world.pairs().len();
    }
    let report = tune(&trace, &once());
    assert_sound(&report);
    assert_eq!(report.profile.pairs, pairs as f64 / 3.0);
    assert_eq!(report.profile.step, 1.0, "the shorter way around");
    let mut world: BroadPhase<i32, 3, ()> = BroadPhase::with_options(report.options());
    let object = world.insert(Aabb::around([70, 70, 40], [2, 2, 2]), ()).unwrap();
    let wrapped = world.get(object).map(|object| object.bounds);
    assert_eq!(wrapped, Some(Aabb::around([6, 70, 8], [2, 2, 2])));
    world.insert(Aabb::around([6, 70, 8], [2, 2, 2]), ()).unwrap();
    world.step();
    assert_eq!((world.pairs().len(), world.began().len()), (1, 0), "without events");
    assert_eq!(world.choice().algorithm, Some(report.trials[0].algorithm));
}

#[test]
fn empty_traces_can_be_replayed() {
    let report = tune(&Trace::<f64, 1>::default(), &once());
    assert_sound(&report);
    assert_eq!(report.profile.objects, 0);
    let mut trace = Trace::<f64, 1>::default();
    trace.push([]).unwrap();
    trace.push([Aabb::point([1.0])]).unwrap();
    trace.push([]).unwrap();
    assert_sound(&tune(&trace, &once()));
}

#[test]
fn budgets_are_kept() {
    let mut trace = Trace::default();
    trace.push((0..100).map(|x| Aabb::point([x]))).unwrap();
    let time = core::time::Duration::ZERO;
    for backend in Backend::available() {
        let report = tune(&trace, &Budget { rounds: 0, time, brute_up_to: 99, backend });
        assert_eq!((report.rounds, report.backend), (1, backend));
        let brute = report.trials.iter().any(|trial| trial.algorithm == Algorithm::Brute);
        assert_eq!(brute, Algorithm::ALL.len() == 2, "only if nothing else is compiled");
    }
    let time = core::time::Duration::MAX;
    assert_eq!(tune(&trace, &Budget { rounds: 3, time, ..once() }).rounds, 3);
}
