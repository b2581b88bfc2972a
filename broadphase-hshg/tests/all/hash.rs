//! Tests of the spatial hash beyond the laws: items of the article on spatial hashing, with the
//! numbers of COVERAGE.md; queries of objects over many cells; and cost, measured by counting. They
//! are compiled only with all features, since one run is enough.

use allocation_counter::measure;
use broadphase_core::scenes::{Scene, SceneName};
use broadphase_core::{BruteForce, IndexObject, Motion};
use broadphase_hshg::{Aabb, Path, Scalar, SpatialHash, SpatialIndex, SpatialIndexExt};
use laws::Together;

fn pairs<S: Scalar, const D: usize>(index: &mut impl SpatialIndex<S, D>) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    index.assert_well_formed();
    index.pairs(&mut pairs);
    pairs
}

fn query<S: Scalar, const D: usize>(
    index: &impl SpatialIndex<S, D>,
    region: impl Into<Aabb<S, D>>,
) -> Vec<u32> {
    let mut found = Vec::new();
    index.query(region.into(), &mut found);
    found
}

/// Finds all pairs. Returns them and the number of tests.
fn tests(world: &mut SpatialHash<f32, 2>) -> (Vec<[u32; 2]>, u64) {
    (pairs(world), world.state().search.map_or(0, |search| search.tests))
}

/// Random points and boxes.
struct Random(laws::random::Random);

impl Random {
    fn below(&mut self, limit: f32) -> f32 {
        self.0.unit() as f32 * limit
    }

    fn at<const D: usize>(&mut self) -> [f32; D] {
        core::array::from_fn(|_| self.below(400.0) - 200.0)
    }

    /// Returns a box a few cells large or, sometimes, very long on one axis.
    fn bounds<const D: usize>(&mut self) -> Aabb<f32, D> {
        let mut half = [self.below(2.0); D];
        if self.below(4.0) < 1.0 {
            half[self.below(D as f32) as usize] =
                [0.0, 3.0, 9.0, 17.0, 40.0, 90.0][self.below(6.0) as usize];
        }
        Aabb::around(self.at(), half)
    }
}

#[test]
fn points_and_boxes_of_any_size_are_in_one_bin() {
    // S5, S6: a point or box is in one bin, however many cells it touches; its pairs and queries
    // find it in all of them.
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1.0);
    let boxes = [
        Aabb::point([1.0, 1.0]),
        Aabb::new([3.0, 1.0], [5.0, 2.0]),
        Aabb::new([0.0, 0.0], [12.0, 8.0]),
        Aabb::new([-1e30, 0.0], [1e30, 1e30]),
    ];
    world.extend((0..).zip(boxes)).expect("the keys are free");
    let levels: Vec<_> = world.levels().iter().map(|level| (level.level, level.objects)).collect();
    // Bins of level 0 have 2 cells a side, those of level 3 have 16. The last level has 2^31.
    assert_eq!(levels, [(0, 1), (1, 1), (3, 1), (30, 1)]);
    assert_eq!(pairs(&mut world), [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    // Objects in different bins that share only a corner are found.
    world.insert(4, Aabb::new([12.0, 8.0], [13.0, 9.0])).expect("the key is free");
    assert_eq!(query(&world, Aabb::point([12.0, 8.0])), [2, 3, 4]);
}

#[test]
fn recommended_cells_are_good() {
    // S12, S13: the recommended cell side, and the tests with other sides.
    let mut random = Random(laws::random::Random::new(2000));
    let mut below = |limit: f32| random.below(limit);
    let mut object =
        |key| (key, Aabb::around([below(100.0), below(100.0)], [below(1.0), below(1.0)]));
    let all: Vec<_> = (0..2000).map(&mut object).collect();
    let rule = SpatialHash::<f32, 2>::recommend(all.iter().map(|object| object.1));
    assert!((1.9..2.1).contains(&rule), "twice the size of the average object: {rule}");
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(rule);
    world.extend(all.iter().copied()).expect("all bounds are valid");
    let (expected, good) = tests(&mut world);
    let region = Aabb::new([20.0; 2], [60.0; 2]);
    let inside = query(&world, region);
    let per_pair = good / expected.len() as u64;
    assert!(per_pair < 100, "{per_pair} tests for a pair");
    for side in [1e-3, 0.1, 7.0, 500.0, 1e8] {
        world.set_cell(side);
        assert_eq!(world.cell(), side);
        assert_eq!(query(&world, region), inside);
        let (found, tests) = tests(&mut world);
        assert_eq!(found, expected);
        // Small cells cost time, not tests: objects are in bins as large as they are.
        assert!(side < rule || tests > good, "{tests} tests with sides of {side}, {good}");
    }
}

#[test]
fn extreme_coordinates_have_cells() {
    let corners = [f32::MIN, -1.0, 0.0, f32::MIN_POSITIVE, 1.0, f32::MAX];
    for side in [f32::MIN_POSITIVE, 1.0, f32::MAX] {
        let hash = Together::one(SpatialHash::<f32, 2>::new(side));
        let mut both = Together::of([hash, Together::one(BruteForce::new())]);
        let mut key = 0;
        for (low, &min) in corners.iter().enumerate() {
            for &max in &corners[low..] {
                for bounds in [Aabb::new([min; 2], [max; 2]), Aabb::new([min; 2], [max, min])] {
                    both.insert(key, bounds).expect("the key is free");
                    key += 1;
                }
            }
        }
        pairs(&mut both);
        for key in (0..key).step_by(3) {
            both.set_motion(key, Motion::Static).expect("the object exists");
        }
        pairs(&mut both);
        let all = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
        assert_eq!(query(&both, all).len(), key as usize);
    }
}

/// Inserts, moves, reshapes and removes objects. Compares queries with boxes of all sizes and paths
/// of all lengths in hashes with different cells and in brute force.
fn agrees_with_brute_force<const D: usize>(objects: u32) {
    let mut random = Random(laws::random::Random::new(u64::from(objects)));
    let hashes = [2.0, 7.5].map(|side| Together::one(SpatialHash::<f32, D>::new(side)));
    let mut world = Together::of(hashes.into_iter().chain([Together::one(BruteForce::new())]));
    for key in 0..objects {
        world.insert(key, random.bounds()).expect("the key is free");
    }
    for round in 0..12 {
        world.assert_well_formed();
        for half in [0.0, 1.0, 10.0, 60.0, 1e9] {
            world.query(Aabb::around(random.at::<D>(), [half; D]), &mut Vec::new());
        }
        for reach in [0.1, 1.0, 3.0] {
            let (from, to) = (random.at::<D>(), random.at::<D>());
            let by = core::array::from_fn(|axis| (to[axis] - from[axis]) * reach);
            for thick in [0.0, 3.0] {
                world.cast(Path::sweep(Aabb::around(from, [thick; D]), by), |_, _| ());
            }
        }
        for _ in 0..objects / 3 {
            let key = random.below(objects as f32) as u32;
            let by = [random.below(6.0) - 3.0; D];
            match (world.get(key).map(|entry| entry.bounds), random.below(4.0) as u32) {
                (None, _) => world.insert(key, random.bounds()).expect("the key is free"),
                (Some(_), 0) => assert!(world.remove(key), "the object exists"),
                (Some(bounds), way) => {
                    let bounds = if way == 1 { random.bounds() } else { bounds.translated(by) };
                    world.set_bounds(key, bounds).expect("the object exists");
                }
            }
        }
        match round {
            3 => world.shrink_to_fit(),
            7 => world = world.clone(),
            9 => world.optimize(),
            10 => world.clear(),
            _ => {}
        }
    }
}

#[test]
fn objects_over_many_cells_are_found() {
    for objects in [20, 2000] {
        agrees_with_brute_force::<1>(objects);
        agrees_with_brute_force::<2>(objects);
        agrees_with_brute_force::<3>(objects);
    }
}

#[test]
fn one_query_returns_a_large_world() {
    // The world has more bins than the buffer holds, more objects in one bin than a page holds, and
    // distant objects.
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1.0);
    let mut keys = Vec::new();
    for key in 0..20_000 {
        let at = if key % 4 == 0 { [0.3, 0.6] } else { [(key % 400) as f32, (key / 400) as f32] };
        world.insert(key, Aabb::of_ball(at, 0.2)).expect("the key is free");
        keys.push(key);
    }
    let mut found = Vec::new();
    for reach in [1e3, 1e9, f32::MAX] {
        world.query(Aabb::around([0.0; 2], [reach; 2]), &mut found);
        assert!(found == keys, "{} of {} found", found.len(), keys.len());
    }
    // This point has the objects that were inserted there, and one object of the lattice.
    world.query(Aabb::point([0.3, 0.6]), &mut found);
    assert_eq!(found.len(), 5_000);
    let mut seen = 0;
    let _ = world.query_unordered(Aabb::around([0.0; 2], [1e9; 2]), |_| {
        seen += 1;
        if seen == 7_777 { Err(()) } else { Ok(()) }
    });
    assert_eq!(seen, 7_777);
}

#[test]
fn object_lengths_are_rounded_up() {
    // Both are about 1 long. The second is longer by less than a float can express.
    let [first, second] = [-53, -60].map(|power| f64::powi(2.0, power));
    let mut world: SpatialHash<f64, 1> = SpatialHash::new(4.0);
    world.insert(0, Aabb::new([first], [1.0])).expect("the key is free");
    world.insert(1, Aabb::new([-second], [1.0])).expect("the key is free");
    let mut found = Vec::new();
    world.query(Aabb::point([1.0]), &mut found);
    assert_eq!(found, [0, 1]);
}

/// Many objects leave one bin and return. If removal searched the bin, this would take minutes.
#[test]
fn crowded_bins_insert_and_remove_in_constant_time() {
    const COUNT: u32 = 100_000;
    let at = |n: u32| Aabb::point([n as f32 / 256.0, 0.0]);
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1e4);
    world.extend((0..COUNT).map(|n| (n, at(n)))).expect("the keys are free");
    assert_eq!(world.cells().len(), 1);
    for round in 0..10 {
        for n in 0..COUNT {
            let away = if round % 2 == 0 { 1e6 } else { 0.0 };
            world.set_bounds(n, at(n).translated([away, away])).expect("the object exists");
        }
    }
    for n in 0..COUNT {
        let key = n * 7 % COUNT;
        assert!(world.remove(key), "the object exists");
    }
    assert_eq!(world.cells(), []);
    world.assert_well_formed();
}

#[test]
fn bins_without_movers_are_skipped() {
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(2.0);
    let ball = |n: u32| Aabb::of_ball([(n % 100) as f32, (n / 100) as f32], 0.7);
    world.extend((0..10_000).map(|n| (n, ball(n)))).expect("the keys are free");
    let moving = tests(&mut world).1;
    for n in 0..10_000 {
        world.set_motion(n, Motion::Static).expect("the object exists");
    }
    assert_eq!(tests(&mut world), (Vec::new(), 0));
    // A mover is tested only against the objects around it.
    world.insert(10_000, Aabb::of_ball([50.0, 50.0], 0.7)).expect("the key is free");
    let (pairs, around) = tests(&mut world);
    assert_eq!(pairs.len(), 9);
    assert!(around > 0 && around < moving / 400, "{around} tests, {moving} if all move");
    // A static ground is not tested against other static objects.
    world.insert(10_001, Aabb::new([-1e6; 2], [1e6; 2])).expect("the key is free");
    world.set_motion(10_001, Motion::Static).expect("the object exists");
    let (pairs, with_ground) = tests(&mut world);
    assert_eq!(pairs.len(), 10);
    assert!(with_ground <= around + 8, "{with_ground} tests, {around} without the ground");
}

/// All objects are in one bin. If those at rest were tested against each other, there would be
/// about 80 million tests.
#[test]
fn a_crowded_bin_costs_movers_times_objects() {
    const COUNT: u32 = 12_500;
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1e4);
    let ball = |n: u32| Aabb::of_ball([(n % 100 + 1) as f32, (n / 100 + 1) as f32], 0.7);
    world.extend((0..COUNT).map(|n| (n, ball(n)))).expect("the keys are free");
    (1..COUNT).for_each(|n| world.set_motion(n, Motion::Static).expect("the object exists"));
    for movers in 1..=3 {
        assert_eq!(world.cells().len(), 1);
        let (pairs, tests) = tests(&mut world);
        assert!(tests <= u64::from(movers * COUNT), "{tests} tests");
        let mut expected = Vec::new();
        for n in 0..movers {
            let others = (n + 1..COUNT).filter(|&other| ball(n).overlaps(&ball(other)));
            expected.extend(others.map(|other| [n, other]));
        }
        assert_eq!(pairs, expected);
        world.set_motion(movers, Motion::Dynamic).expect("the object exists");
    }
}

/// A crowd in one bin is swept: far fewer tests than objects times objects.
#[test]
fn a_crowded_bin_of_movers_is_swept() {
    const COUNT: u32 = 10_000;
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1e4);
    let ball = |n: u32| Aabb::of_ball([(n % 100 + 1) as f32, (n / 100 + 1) as f32], 0.7);
    world.extend((0..COUNT).map(|n| (n, ball(n)))).expect("the keys are free");
    let (pairs, tests) = tests(&mut world);
    assert_eq!(pairs.len(), 4 * 99 * 99 + 2 * 99);
    assert!(tests < u64::from(COUNT * COUNT) / 20, "{tests} tests");
}

#[test]
fn steady_ticks_do_not_allocate() {
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(40.0);
    let name: SceneName = "discs:4000".parse().expect("the scene exists");
    let Scene::Flat(mut movers) = name.generate() else { panic!("the scene is two-dimensional") };
    world.extend((0..).zip(movers.all_bounds())).expect("the bounds are finite");
    let mut pairs = Vec::with_capacity(1 << 17);
    let mut tick = |world: &mut SpatialHash<f32, 2>| {
        movers.tick();
        world.update(|n, at| *at = movers.bounds(n as usize)).expect("the bounds are finite");
        world.pairs(&mut pairs);
    };
    (0..600).for_each(|_| tick(&mut world));
    let taken = measure(|| (0..300).for_each(|_| tick(&mut world)));
    assert_eq!(taken.count_total, 0, "{} bytes", taken.bytes_total);
    world.assert_well_formed();
}

#[test]
fn sparse_worlds_take_little_memory() {
    fn bytes_per_object<const D: usize>(spacing: f32) -> usize {
        const COUNT: u32 = 8000;
        let mut random = 1u32;
        let side = spacing * (COUNT as f32).powf(1.0 / D as f32);
        let balls = (0..COUNT).map(|key| {
            let center = core::array::from_fn(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (random >> 8) as f32 / (1 << 24) as f32 * side
            });
            IndexObject::new(key, Aabb::of_ball(center, 0.5))
        });
        let mut world: SpatialHash<f32, D> = SpatialHash::new(2.0);
        // Unlike `extend`, this reserves no memory for cells.
        world.insert_many(&balls.collect::<Vec<_>>()).expect("the keys are free");
        world.pairs(&mut Vec::new());
        world.assert_well_formed();
        let mut found = Vec::new();
        world.query(Aabb::new([0.0; D], [side; D]), &mut found);
        assert_eq!(found.len(), COUNT as usize);
        world.memory_use() / COUNT as usize
    }
    let all = [2.0, 4.0, 8.0, 16.0, 64.0, 256.0];
    let all = all.map(|spacing| [bytes_per_object::<2>(spacing), bytes_per_object::<3>(spacing)]);
    assert!(all.iter().all(|&[plane, space]| plane <= 250 && space <= 300), "{all:?}");
}
