//! Diagnostics of a world: counts, the choice of the structure with its reason, and debug lines.

#[cfg(feature = "hshg")]
use broadphase_core::scenes::SceneKind;
use broadphase_core::scenes::{Scene, SceneName};
use hexphase::{
    Aabb, Algorithm, Backend, BroadPhase, BruteForce, Filter, Hexagon, Line, LineKind, Motion,
    Object, Options, Reason,
};

type World = BroadPhase<i32, 2, u32>;

/// Returns boxes that touch in a row; one is static, one sleeps.
fn row(options: Options<i32>, count: u32) -> World {
    let mut world = World::with_options(options);
    for n in 0..count {
        let motion = [Motion::Static, Motion::Sleeping, Motion::Dynamic][n.min(2) as usize];
        let x = 4 * n as i32;
        world.insert_object(Object::new(Aabb::new([x, 0], [x + 4, 4]), n).motion(motion)).unwrap();
    }
    world
}

fn lines(world: &World) -> Vec<Line<i32, 2>> {
    let mut lines = Vec::new();
    world.debug_lines(|line| lines.push(line));
    lines
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
    let text = stats.to_string();
    assert!(text.starts_with("9 objects: 7 dynamic, 1 static, 1 sleeping; 1 swept\n"), "{text}");
    assert!(text.ends_with("\nbrute, for few objects"), "{text}");
}

#[test]
fn debug_output_is_short_and_shows_what_is_set() {
    let scalar = || Options::new().backend(Backend::SCALAR);
    let mut world = row(scalar(), 200);
    world.step();
    assert_eq!(
        format!("{world:?}"),
        "BroadPhase { len: 200, pairs: 199, structure: brute for few objects, backend: scalar, .. }"
    );
    let options = scalar().wrap([900, 0]).events(false).smallest_cell(16);
    assert_eq!(
        format!("{:?}", World::with_options(options)),
        "BroadPhase { len: 0, pairs: 0, structure: brute until the first step, backend: scalar, \
         sides: [900, 0], events: false, smallest_cell: 16, .. }"
    );
    let filters = [Filter::ALL, Filter::NONE, Filter::layers(5).mask(1 << 40).group(-3).owner(7)];
    assert_eq!(
        filters.map(|filter| format!("{filter:?}")),
        [
            "Filter { layers: ALL, mask: ALL }",
            "Filter { layers: NONE, mask: NONE }",
            "Filter { layers: 0x5, mask: 0x10000000000, group: -3, owner: 7 }",
        ]
    );
}

#[test]
fn stats_include_the_memory_of_the_world() {
    let few = row(Options::new(), 10).stats();
    let many = row(Options::new(), 10_000).stats();
    let beside = |stats: &hexphase::Stats<i32>| stats.bytes - stats.structure_bytes;
    assert!(beside(&many) > beside(&few) + 10_000 * size_of::<u32>());
    assert!(many.structure_bytes > few.structure_bytes + 10_000 * size_of::<Aabb<i32>>());
}

#[test]
fn choices_have_reasons() {
    let mut world = row(Options::new(), 200);
    assert_eq!(world.choice().reason, Reason::New);
    world.step();
    assert_eq!(world.choice().reason, Reason::Few);
    let mut world = row(Options::new(), 300);
    if cfg!(feature = "hshg") {
        assert_eq!(world.choice().reason, Reason::Many, "before the first step");
    }
    world.step();
    assert_eq!(world.choice().reason, Reason::Many);
    let all: Vec<_> = world.handles().skip(100).collect();
    for object in all {
        world.remove(object);
    }
    world.step();
    assert_eq!(world.choice().reason, Reason::Few);
    for &algorithm in Algorithm::ALL.iter().filter(|&&algorithm| algorithm != Algorithm::Auto) {
        for count in [3, 1000] {
            let mut world = row(Options::new().algorithm(algorithm), count);
            world.step();
            let choice = world.choice();
            assert_eq!((choice.algorithm, choice.reason), (Some(algorithm), Reason::Asked));
        }
    }
    let own = BruteForce::<i32, 2>::new();
    let mut world = World::with_index(own, Options::new());
    world.step();
    assert_eq!(world.choice().reason, Reason::Own);
}

/// Returns bars in a cube, along the three axes, 250 times as long as thick.
#[cfg(feature = "hshg")]
fn bars() -> Vec<Aabb<f32, 3>> {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 20) as f32
    };
    let bar = |index: usize| {
        let mut half = [4.0; 3];
        half[index % 3] = 1000.0;
        Aabb::around([random(), random(), random()], half)
    };
    (0..1000).map(bar).collect()
}

/// Returns a world of boxes, after a step.
fn stepped<const D: usize>(
    options: Options<f32, D>,
    boxes: impl IntoIterator<Item = Aabb<f32, D>>,
) -> BroadPhase<f32, D, ()>
where
    f32: hexphase::Number,
{
    let mut world = BroadPhase::with_options(options);
    for bounds in boxes {
        world.insert(bounds, ()).unwrap();
    }
    world.step();
    world
}

#[cfg(feature = "hshg")]
#[test]
fn far_more_tests_than_overlaps_are_a_reason() {
    for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let exchanged = bars().into_iter().map(|Aabb { min, max }| {
            Aabb::new(axes.map(|axis| min[axis]), axes.map(|axis| max[axis]))
        });
        let mut world = stepped(Options::new(), exchanged);
        // The third step finds nothing changed and tests nothing.
        for tested in [true, true, false] {
            let Reason::ManyTests { tests, hits } = world.choice().reason else {
                panic!("{axes:?}: {}, {:?}", world.choice().reason, world.stats().search);
            };
            assert!(tests > 32 * (1000 + hits) && hits >= world.pairs().len() as u64);
            assert_eq!(world.stats().search.is_some(), tested);
            world.step();
        }
        let text = world.stats().to_string();
        assert!(text.contains("hshg, for many objects, with ") && text.contains(" tests for each"));
        // With points instead of bars, the reason is `Many` again.
        world.update(|_, (), bounds| *bounds = Aabb::point(bounds.min)).unwrap();
        for _ in 0..4 {
            world.step();
        }
        assert_eq!(world.choice().reason, Reason::Many);
    }
    for name in SceneKind::ALL.map(|kind| SceneName::new(kind, 2000)) {
        let reason = match name.generate() {
            Scene::Flat(scene) => stepped(Options::new(), scene.all_bounds()).choice().reason,
            Scene::Solid(scene) => stepped(Options::new(), scene.all_bounds()).choice().reason,
        };
        assert_eq!(reason, Reason::Many, "{name}");
    }
}

#[test]
fn counts_depend_neither_on_the_backend_nor_on_threads() {
    let name: SceneName = "clustered3:20000".parse().unwrap();
    let Scene::Solid(scene) = name.generate() else { panic!("expected three dimensions") };
    let counts = |algorithm, backend, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let options = Options::new().algorithm(algorithm).backend(backend).events(false);
            let mut world = stepped(options, scene.all_bounds());
            let first = world.stats().search.unwrap();
            // In the second search the grid expects that tests often hit.
            world.update(|_, (), bounds| *bounds = bounds.translated([1.0; 3])).unwrap();
            world.step();
            [first, world.stats().search.unwrap()]
        })
    };
    let count = |algorithm: &&Algorithm| ["hshg", "morton"].contains(&algorithm.name());
    for &algorithm in Algorithm::ALL.iter().filter(count) {
        let expected = counts(algorithm, Backend::SCALAR, 1);
        for backend in Backend::available() {
            assert_eq!(counts(algorithm, backend, 3), expected, "{algorithm} on {backend}");
        }
    }
}

#[test]
#[cfg(all(feature = "hash", feature = "hshg"))]
fn stats_have_the_levels_of_grid_and_hash() {
    // The smallest bins of the hash have two cells a side.
    for (algorithm, side, cell, large) in
        [(Algorithm::Hshg, 4, 4.0, 500), (Algorithm::Hash, 8, 16.0, 5000)]
    {
        for wrap in [[0, 0], [4096, 0]] {
            let options = Options::new().algorithm(algorithm).smallest_cell(side).wrap(wrap);
            let mut world = row(options, 100);
            world.insert(Aabb::new([0, 0], [large, large]), 100).unwrap();
            world.step();
            let stats = world.stats();
            let [small, large] = &stats.levels[..] else { panic!("expected two levels") };
            assert_eq!((small.cell, small.objects, large.objects), (cell, 100, 1), "{algorithm}");
            assert!(algorithm != Algorithm::Hshg || (small.cells, large.cell) == (100, 512.0));
            let text = format!("\nlevel 0: 100 objects in {} cells of {cell}\n", small.cells);
            assert!(stats.to_string().contains(&text), "{text}");
            let is_cell = |line: &&Line<_, 2>| matches!(line.kind, LineKind::Cell { .. });
            let edges = lines(&world).iter().filter(is_cell).count();
            assert_eq!(edges / 4, small.cells + large.cells, "{algorithm}");
        }
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
