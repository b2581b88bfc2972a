//! Checks queries of objects that extend over few or many cells, after any history of changes.

use broadphase_core::BruteForce;
use broadphase_hshg::{Aabb, Path, SpatialHash, SpatialIndex, SpatialIndexExt};

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

/// Checks that queries with boxes of all sizes and paths of all lengths find the same objects in
/// both structures.
fn assert_same<const D: usize>(
    world: &SpatialHash<f32, D>,
    brute: &BruteForce<f32, D>,
    random: &mut Random,
) {
    world.assert_well_formed();
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for half in [0.0, 1.0, 10.0, 60.0, 1e9] {
        let region = Aabb::around(random.at(), [half; D]);
        world.query(region, &mut found);
        brute.query(region, &mut expected);
        assert_eq!(found, expected, "{region:?}");
    }
    for reach in [0.1, 1.0, 3.0] {
        let (from, to) = (random.at::<D>(), random.at::<D>());
        let by = core::array::from_fn(|axis| (to[axis] - from[axis]) * reach);
        for thick in [0.0, 3.0] {
            let path = Path::sweep(Aabb::around(from, [thick; D]), by);
            let (mut touched, mut expected) = (Vec::new(), Vec::new());
            world.cast(path, |entry, fraction| touched.push((entry.key, fraction)));
            brute.cast(path, |entry, fraction| expected.push((entry.key, fraction)));
            assert_eq!(touched, expected, "{path:?}");
        }
    }
}

/// Inserts, moves, reshapes and removes objects, and changes the cell side. Compares queries with
/// brute force.
fn agrees_with_brute_force<const D: usize>(objects: u32) {
    let mut random = Random(laws::random::Random::new(u64::from(objects)));
    let mut world = SpatialHash::new(2.0);
    let mut brute = BruteForce::new();
    for key in 0..objects {
        let bounds = random.bounds();
        world.insert(key, bounds).expect("the key is free");
        brute.insert(key, bounds).expect("the key is free");
    }
    for round in 0..12 {
        assert_same::<D>(&world, &brute, &mut random);
        for _ in 0..objects / 3 {
            let key = random.below(objects as f32) as u32;
            let by = [random.below(6.0) - 3.0; D];
            match (world.get(key).map(|entry| entry.bounds), random.below(4.0) as u32) {
                (None, _) => {
                    let bounds = random.bounds();
                    world.insert(key, bounds).expect("the key is free");
                    brute.insert(key, bounds).expect("the key is free");
                }
                (Some(_), 0) => assert_eq!(world.remove(key), brute.remove(key)),
                (Some(bounds), way) => {
                    let bounds = if way == 1 { random.bounds() } else { bounds.translated(by) };
                    world.set_bounds(key, bounds).expect("the object exists");
                    brute.set_bounds(key, bounds).expect("the object exists");
                }
            }
        }
        match round {
            3 => world.shrink_to_fit(),
            5 => world.set_cell(7.5),
            7 => world = world.clone(),
            9 => world.optimize(),
            10 => {
                world.clear();
                brute.clear();
            }
            _ => {}
        }
    }
    assert_same::<D>(&world, &brute, &mut random);
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
