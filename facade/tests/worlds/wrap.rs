//! Worlds that wrap, with sides other than powers of two, and volumes tighter than boxes in them.

use core::array::from_fn;

use hexphase::{
    Aabb, Algorithm, Bounds, BroadPhase, Error, HexPrism, Hexagon, InvalidBounds, Options, Plain,
};
use proptest::prelude::*;

/// The pairs of a world, as slots.
fn pairs<S, const D: usize, B>(world: &mut BroadPhase<S, D, (), B>) -> Vec<[u32; 2]>
where
    S: hexphase::Scalar,
    B: Bounds<S, D>,
{
    world.step();
    world.pairs().map(|overlap| overlap.handles.map(|object| object.index())).collect()
}

/// Returns the pairs of objects. Every structure must find them, also in a restored world.
fn all_pairs(sides: [i32; 3], volumes: &[HexPrism<i32>]) -> Vec<[u32; 2]> {
    let mut all = Vec::new();
    for &algorithm in Algorithm::ALL {
        let options = Options::new().wrap(sides).algorithm(algorithm);
        let mut world: BroadPhase<i32, 3, (), HexPrism<i32>> = BroadPhase::with_options(options);
        volumes.iter().for_each(|&volume| _ = world.insert(volume, ()).unwrap());
        all.push(pairs(&mut world));
        world.assert_well_formed();
        let mut saved = Vec::new();
        world.snapshot_into(&mut saved);
        world = BroadPhase::from_snapshot(&saved, options).unwrap();
        all.push(pairs(&mut world));
    }
    assert!(all.iter().all(|pairs| *pairs == all[0]), "{all:?}");
    all.swap_remove(0)
}

/// Returns the pairs by definition: a volume overlaps another one moved by whole sides.
fn defined(sides: [i32; 3], volumes: &[HexPrism<i32>]) -> Vec<[u32; 2]> {
    let overlap = |a: &HexPrism<i32>, b: &HexPrism<i32>| {
        (0..19i32.pow(3)).any(|image| {
            let by = from_fn(|axis| sides[axis] * (image / 19i32.pow(axis as u32) % 19 - 9));
            a.overlaps(&b.translated(by).expect("the numbers are small"))
        })
    };
    let mut pairs = Vec::new();
    for (a, one) in (0..).zip(volumes) {
        let earlier = (0..a).zip(volumes).filter(|(_, other)| overlap(one, other));
        pairs.extend(earlier.map(|(b, _)| [b, a]));
    }
    pairs.sort_unstable();
    pairs
}

fn prism() -> impl Strategy<Value = HexPrism<i32>> {
    let spread = prop::collection::vec([-3i32..=3, -3i32..=3, -3i32..=3], 0..3);
    ([-12i32..24, -12i32..24, -12i32..24], spread).prop_map(|(corner, spread)| {
        let others = spread.into_iter().map(|by| from_fn(|axis| corner[axis] + by[axis]));
        HexPrism::of_points(others.chain([corner])).expect("small numbers")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn prisms_form_pairs_across_seams_as_defined(
        prisms in prop::collection::vec(prism(), 2..16),
        sides in [9i32..20, 9i32..20, 9i32..20],
    ) {
        let expected = defined(sides, &prisms);
        prop_assert_eq!(all_pairs(sides, &prisms), expected.clone());
        // Move each prism by a different number of whole sides.
        let moved = |(n, prism): (i32, &HexPrism<i32>)| {
            let by = from_fn(|axis| sides[axis] * ((n + axis as i32) % 3 - 1));
            prism.translated(by).expect("the numbers are small")
        };
        let moved: Vec<_> = (0..).zip(&prisms).map(moved).collect();
        prop_assert_eq!(all_pairs(sides, &moved), expected);
    }
}

/// A volume that cannot be moved.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Diagonal(i32);

impl Bounds<i32, 2> for Diagonal {
    fn aabb(&self) -> Aabb<i32, 2> {
        Aabb::new([self.0, 0], [self.0 + 4, 4])
    }
    fn overlaps(&self, _: &Self) -> bool {
        false
    }
    fn checked(self) -> Result<Self, InvalidBounds> {
        Ok(self)
    }
}

#[test]
fn boxes_decide_if_a_volume_cannot_be_moved_or_covers_an_axis() {
    let options = Options::new().wrap([10, 0]);
    let mut world: BroadPhase<i32, 2, (), Diagonal> = BroadPhase::with_options(options);
    for x in [1, 3, 13, 29] {
        world.insert(Diagonal(x), ()).unwrap();
    }
    // The first two volumes are tested without being moved. In all other pairs one volume would
    // have to be moved, across a seam or by whole sides.
    assert_eq!(pairs(&mut world), [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    let mut world: BroadPhase<i32, 2, (), Hexagon<i32>> = BroadPhase::with_options(options);
    world.insert(Hexagon::of_points([[0, 0], [20, 20]]).unwrap(), ()).unwrap();
    world.insert(Hexagon::of_points([[9, 1], [9, 1]]).unwrap(), ()).unwrap();
    assert_eq!(pairs(&mut world), [[0, 1]]);
}

#[test]
fn degrees_wrap_at_360() {
    let options = Options::new().wrap([360.0]);
    let mut world: BroadPhase<f32, 1, ()> = BroadPhase::with_options(options);
    let north = world.insert(Aabb::around([0.0], [15.0]), ()).unwrap();
    let east = world.insert(Aabb::point([90.0]), ()).unwrap();
    let turned = world.insert(Aabb::point([-3600.5]), ()).unwrap();
    assert_eq!(world.get(north).unwrap().bounds, Aabb::new([345.0], [375.0]));
    assert_eq!(world.get(turned).unwrap().bounds, Aabb::point([359.5]));
    assert_eq!(pairs(&mut world), [[0, 2]]);
    assert_eq!(world.query([721.0]).to_vec(), [north]);
    assert_eq!(world.shortest_vector(east, turned), Ok([-90.5]));
    assert_eq!(world.shortest_vector(turned, east), Ok([90.5]));
    world.set_bounds(turned, Aabb::point([270.0])).unwrap();
    assert_eq!(world.shortest_vector(turned, east), Ok([-180.0]), "crosses no seam");
    world.remove(north);
    let stale = Err(Error::Stale { object: north });
    assert_eq!(world.shortest_vector(north, east), stale);
    assert_eq!(world.shortest_vector(east, north), stale);
}

#[test]
#[should_panic(expected = "negative, NaN or too large on axis 1")]
fn sides_beyond_an_eighth_of_the_range_panic() {
    let _ = Options::<i32, 2>::new().wrap([360, (1 << 28) + 1]);
}

fn stored<S: hexphase::Number + Plain>(side: S, [min, max]: [S; 2]) -> [S; 2] {
    let mut world: BroadPhase<S, 1, ()> = BroadPhase::with_options(Options::new().wrap([side]));
    let object = world.insert(Aabb::new([min], [max]), ()).unwrap();
    let bounds = world.get(object).unwrap().bounds;
    [bounds.min[0], bounds.max[0]]
}

/// The expected numbers are exact results, computed with fractions and rounded once. They are the
/// same on every machine.
#[test]
fn stored_numbers_are_those_nearest_to_the_exact_ones() {
    for (side, given, expected) in [
        (360.0, [-7.3, 8.1], [352.7, 368.1]),
        (360.0, [1000000.25, 1000009.5], [280.25, 289.5]),
        (360.0, [-1e-06, 2.5], [0.0, 2.5]),
        (360.0, [-0.001, 0.7], [359.999, 360.7]),
        (360.0, [3.4e38, 3.4e38], [224.0, 224.0]),
        (0.1, [-12345.678, -12345.678], [0.02244959, 0.02244959]),
        (0.1, [7.07, 7.1], [0.07000007, 0.0999998]),
        (1e30, [-1.0, 5e29], [0.0, 5e29]),
        (1e30, [-3.1e30, -2.7e30], [8.9999994e29, 1.3e30]),
        (13.7, [-4000.3, -3991.9], [0.09989548, 8.500042]),
        (7.3333335, [100.1, 103.3], [4.766663, 7.9666677]),
        (1e-40, [3.33e-38, 3.33e-38], [1.8e-43, 1.8e-43]),
    ] {
        assert_eq!(stored::<f32>(side, given), expected, "{side}");
    }
    for (side, given, expected) in [
        (360.0, [-7.3, 8.1], [352.7, 368.1]),
        (360.0, [1000000000000.1, 1000000000009.3], [280.0999755859375, 289.300048828125]),
        (0.1, [-12345.678, -12345.61], [0.02200000000080174, 0.09000000000010325]),
        (7.333333333333333, [1e17, 1e17], [6.703841301667236, 6.703841301667236]),
        (1e300, [-1.7e308, -1.7e308], [1.5042729664518753e292, 1.5042729664518753e292]),
        (core::f64::consts::TAU, [-1e5, -99997.0], [3.1773490702944684, 6.1773490702944684]),
    ] {
        assert_eq!(stored::<f64>(side, given), expected, "{side}");
    }
    assert_eq!(stored(360, [i32::MIN, i32::MIN + 9]), [232, 241]);
    assert_eq!(stored(360, [i32::MAX, i32::MAX]), [127, 127]);
}
