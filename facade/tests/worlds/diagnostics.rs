//! Diagnostics of a world: counts, the choice of the structure with its reason, and debug lines.

use hexphase::{
    Aabb, Algorithm, BroadPhase, BruteForce, Filter, Hexagon, Line, LineKind, Motion, Options,
    Proxy, Reason,
};

type World = BroadPhase<i32, 2, u32>;

/// Returns boxes that touch in a row; one is static, one sleeps.
fn row(options: Options<i32>, count: u32) -> World {
    let mut world = World::with_options(options);
    for n in 0..count {
        let motion = [Motion::Static, Motion::Sleeping, Motion::Dynamic][n.min(2) as usize];
        let x = 4 * n as i32;
        world.insert_with(Aabb::new([x, 0], [x + 4, 4]), n, motion, Filter::ALL).unwrap();
    }
    world
}

fn lines(world: &World) -> Vec<Line<i32, 2>> {
    let mut lines = Vec::new();
    world.debug_lines(|line| lines.push(line));
    lines
}

#[cfg(any(feature = "hshg", feature = "hash"))]
fn cells(world: &World) -> usize {
    lines(world).iter().filter(|line| matches!(line.kind, LineKind::Cell { .. })).count() / 4
}

#[test]
fn stats_count_objects_and_pairs() {
    let mut world = row(Options::new(), 10);
    world.step();
    let third = world.handles().nth(2).unwrap();
    world.set_swept(third, true).unwrap();
    world.set_filter(third, Filter::NONE).unwrap();
    let last = world.handles().nth(9).unwrap();
    world.remove(last).unwrap();
    world.step();
    let stats = world.stats();
    assert_eq!((stats.objects, stats.slots), (9, 9), "free slots at the end do not count");
    assert_eq!((stats.dynamic, stats.statics, stats.sleeping, stats.swept), (7, 1, 1, 1));
    assert_eq!((stats.pairs, stats.began, stats.ended, stats.filters), (6, 0, 3, 2));
    assert!(stats.levels.is_empty(), "brute force has no levels");
    assert_eq!(stats.bytes(), stats.structure_bytes + stats.world_bytes);
    let text = stats.to_string();
    assert!(text.starts_with("9 objects: 7 dynamic, 1 static, 1 sleeping; 1 swept\n"), "{text}");
    assert!(text.ends_with("\nbrute, for few objects"), "{text}");
}

#[test]
fn stats_include_the_memory_of_the_world() {
    let few = row(Options::new(), 10).stats();
    let many = row(Options::new(), 10_000).stats();
    assert!(many.world_bytes > few.world_bytes + 10_000 * size_of::<u32>());
    assert!(many.structure_bytes > few.structure_bytes + 10_000 * size_of::<Aabb<i32>>());
}

#[test]
fn choices_have_reasons() {
    let mut world = row(Options::new(), 200);
    assert_eq!(world.choice().reason, Reason::New);
    world.step();
    assert_eq!(world.choice().reason, Reason::Few);
    let mut world = row(Options::new(), 300);
    world.step();
    assert_eq!(world.choice().reason, Reason::Many);
    let all: Vec<_> = world.handles().skip(100).collect();
    for object in all {
        world.remove(object);
    }
    world.step();
    assert_eq!(world.choice().reason, Reason::Few);
    for &algorithm in Algorithm::ALL.iter().filter(|&&algorithm| algorithm != Algorithm::Auto) {
        let mut world = row(Options::new().algorithm(algorithm), 3);
        world.step();
        let choice = world.choice();
        assert_eq!((choice.algorithm, choice.reason), (Some(algorithm), Reason::Asked));
    }
    let own = BruteForce::<i32, 2, Proxy>::new();
    let mut world = World::with_index(own, Options::new());
    world.step();
    assert_eq!(world.choice().reason, Reason::Own);
}

#[cfg(feature = "hshg")]
#[test]
fn stats_have_the_levels_of_the_grid() {
    for wrap in [[0, 0], [4096, 0]] {
        let options = Options::new().algorithm(Algorithm::Hshg).smallest_cell(4);
        let mut world = row(options.wrap(wrap), 100);
        world.insert(Aabb::new([0, 0], [500, 500]), 100).unwrap();
        world.step();
        let stats = world.stats();
        let found: Vec<_> = stats.levels.iter().map(|level| (level.cell, level.objects)).collect();
        assert_eq!(found, [(4.0, 100), (512.0, 1)]);
        let in_use: usize = stats.levels.iter().map(|level| level.cells).sum();
        assert_eq!(cells(&world), in_use);
        assert!(stats.to_string().contains("\nlevel 0: 100 objects in 100 cells of 4\n"));
    }
}

#[cfg(feature = "hash")]
#[test]
fn the_hash_has_one_level() {
    for wrap in [[0, 0], [4096, 0]] {
        let options = Options::new().algorithm(Algorithm::Hash).smallest_cell(8);
        let mut world = row(options.wrap(wrap), 100);
        world.insert(Aabb::new([0, 0], [5000, 5000]), 100).unwrap();
        world.step();
        let [level] = world.stats().levels[..] else { panic!("expected one level") };
        assert_eq!((level.cell, level.objects), (8.0, 100), "one object is oversized");
        assert_eq!(cells(&world), level.cells);
    }
}

#[test]
fn boxes_and_pairs_are_drawn_equally_by_all_structures() {
    let drawn = |algorithm| {
        let mut world = row(Options::new().algorithm(algorithm), 20);
        world.step();
        let last = world.handles().last().unwrap();
        world.remove(last);
        let mut lines = lines(&world);
        lines.retain(|line| !matches!(line.kind, LineKind::Cell { .. }));
        lines
    };
    let expected = drawn(Algorithm::Brute);
    assert_eq!(expected.len(), 19 * 4 + 18, "pairs of removed objects are not drawn");
    let kinds = [0, 4, 8].map(|line: usize| expected[line].kind);
    let motions = [Motion::Static, Motion::Sleeping, Motion::Dynamic];
    assert_eq!(kinds, motions.map(LineKind::Bounds));
    assert_eq!(expected[76], Line { ends: [[2, 2], [6, 2]], ..expected[76] });
    assert_eq!(expected[76].kind, LineKind::Pair);
    for &algorithm in Algorithm::ALL {
        assert_eq!(drawn(algorithm), expected, "{algorithm}");
    }
}

#[test]
fn pairs_are_drawn_across_the_seam() {
    let mut world = World::with_options(Options::new().wrap([64, 0]));
    world.insert(Aabb::new([60, 0], [64, 4]), 0).unwrap();
    world.insert(Aabb::new([0, 0], [4, 4]), 1).unwrap();
    world.step();
    assert_eq!(lines(&world).last().unwrap().ends, [[62, 2], [66, 2]]);
}

#[test]
fn volumes_are_drawn_as_boxes() {
    let mut world: BroadPhase<i32, 2, (), Hexagon<i32>> = BroadPhase::new();
    world.insert(Hexagon::of_points([[0, 0], [10, 0], [0, 10]]).unwrap(), ()).unwrap();
    let mut lines = Vec::new();
    world.debug_lines(|line| lines.push(line.ends));
    assert_eq!(
        lines,
        [[[0, 0], [10, 0]], [[0, 10], [10, 10]], [[0, 0], [0, 10]], [[10, 0], [10, 10]]]
    );
}
