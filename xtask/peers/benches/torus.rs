//! Measures what it costs that a world wraps: each kind of search, in a world that wraps and in the
//! same world without wrapping.
//!
//! The objects are points and balls at random in a cube. No object moves. The results of both
//! worlds are first compared with those of Morton-sorted cells. The goal is at most 1.5 times the
//! time of the world without wrapping, in part because there are more results.

use hexphase::{Aabb, Algorithm, Ball, Bounds, BroadPhase, Handle, NeighborLists, Options, Target};
use peers::cube::Random;
use peers::world::answer_of_handles;
use peers::{Answer, Scene, Subject, Suite, measuring};

/// Side of the cube.
const SIDE: f32 = 100.0;

type World<const D: usize, B> = BroadPhase<f32, D, (), B>;

fn main() {
    let mut suite = Suite::new("torus");
    let n = if measuring() { 100_000 } else { 1_000 };
    let mut random = Random(1);
    let mut at = || [0; 3].map(|_| random.number() * SIDE);
    let points: Vec<Aabb<f32, 3>> = (0..n).map(|_| Aabb::point(at())).collect();
    let targets: Vec<_> = (0..n / 10).map(|_| Target::point(at())).collect();
    for distance in [2.0, 5.0] {
        let search = |world: &mut World<3, _>, near: &mut NeighborLists| {
            world.neighbors(distance, near);
        };
        compare(&mut suite, &format!("neighbors {distance}"), &points, search, of_lists);
        let search = |world: &mut World<3, _>, found: &mut Vec<_>| {
            world.pairs_within(distance).write_to(found);
        };
        let name = format!("pairs_within {distance}");
        compare(&mut suite, &name, &points, search, of_found);
    }
    for count in [1, 8] {
        let search = |world: &mut World<3, _>, near: &mut NeighborLists| {
            world.nearest_to_each(count, near);
        };
        compare(&mut suite, &format!("nearest_to_each {count}"), &points, search, of_lists);
        let search = |world: &mut World<3, _>, found: &mut Vec<[u32; 2]>| {
            found.clear();
            for (number, &target) in (0..).zip(&targets) {
                let near = world.nearest(target).take(count).to_vec();
                found.extend(near.iter().map(|near| [number, near.object.index()]));
            }
        };
        let name = format!("nearest {count}");
        compare(&mut suite, &name, &points, search, |found| Answer::of_pairs(found));
    }
    let ball = |_| Ball::new(at(), 0.5 + 0.02 * at()[0]);
    let balls: Vec<Ball<f32, 3>> = (0..n).map(ball).collect();
    let boxes: Vec<Aabb<f32, 3>> = balls.iter().map(Bounds::aabb).collect();
    compare(&mut suite, "step, boxes", &boxes, step, of_found);
    compare(&mut suite, "step, own volumes", &balls, step, of_found);
    suite.finish();
}

/// Measures a search in both worlds. `search` writes its results to a buffer, and `answer` returns
/// their digest.
fn compare<const D: usize, B: Bounds<f32, D>, T: Default>(
    suite: &mut Suite,
    name: &str,
    volumes: &[B],
    search: impl Fn(&mut World<D, B>, &mut T),
    answer: impl Fn(&T) -> Answer,
) {
    for (subject, side) in [("open", 0.0), ("wrapped", SIDE)] {
        let make = |algorithm| {
            let options = Options::new().wrap([side; D]).algorithm(algorithm);
            let mut world: World<D, B> = BroadPhase::with_options(options);
            for &volume in volumes {
                world.insert(volume, ()).expect("the volumes are valid");
            }
            world.step();
            (world, T::default())
        };
        let (mut world, mut found) = make(Algorithm::Morton);
        search(&mut world, &mut found);
        let scene = Scene::objects(name, volumes.len());
        let mut comparison = suite.compare(scene, answer(&found));
        comparison.samples(10);
        comparison.measure(
            Subject::detected(subject),
            || make(Algorithm::Auto),
            |(world, found)| search(world, found),
            |(_, found)| answer(found),
        );
    }
}

/// Takes a step and writes its pairs.
fn step<const D: usize, B: Bounds<f32, D>>(world: &mut World<D, B>, found: &mut Vec<[Handle; 2]>) {
    world.step();
    found.clear();
    found.extend(world.pairs().map(|pair| pair.handles));
}

#[expect(clippy::ptr_arg, reason = "passed as a function of a measured state")]
fn of_found(found: &Vec<[Handle; 2]>) -> Answer {
    answer_of_handles(found.iter().copied())
}

fn of_lists(lists: &NeighborLists) -> Answer {
    let lists = lists.iter();
    answer_of_handles(lists.flat_map(|(own, others)| others.map(move |other| [own, other])))
}
