//! Images in worlds that wrap, compared with brute force, and distances of neighbors.

use core::array::from_fn;
use core::fmt::Debug;

use hexphase::{
    Aabb, BroadPhase, Error, Handle, Hit, InvalidBounds, Lists, Neighbor, Number, Options, Path,
    Plain, Scalar, Target,
};
use proptest::prelude::*;

/// The side of all worlds on axes that wrap.
const SIDE: i32 = 16;

/// A box as the low corner and the extents, in quarters; a long extent covers the axis.
type Seed = ([i16; 3], [u8; 3]);

fn seeds(range: core::ops::Range<i16>) -> impl Strategy<Value = Seed> {
    let extent = prop_oneof![4 => 0..9u8, 1 => 0..80u8];
    (prop::array::uniform3(range), prop::array::uniform3(extent))
}

fn bounds<S: Number, const D: usize>((at, extent): Seed) -> Aabb<S, D> {
    let end = |x: i32| S::from_f64(f64::from(x) * if S::INTEGER { 1.0 } else { 0.25 });
    let scale = if S::INTEGER { 4 } else { 1 };
    Aabb {
        min: from_fn(|axis| end(i32::from(at[axis]) / scale)),
        max: from_fn(|axis| end((i32::from(at[axis]) + i32::from(extent[axis])) / scale)),
    }
}

/// Returns a world that wraps on all axes but the last of three.
fn world<S: Number + Plain, const D: usize>(
    seeds: &[Seed],
) -> (BroadPhase<S, D>, [S; D], Vec<Handle>) {
    let side = |axis: usize| if axis < 2 { S::from_f64(SIDE.into()) } else { S::ZERO };
    let sides = from_fn(side);
    let mut world = BroadPhase::with_options(Options::new().wrap(sides));
    let insert = |&seed: &Seed| world.insert(bounds(seed), ()).expect("valid bounds");
    let objects = seeds.iter().map(insert).collect();
    (world, sides, objects)
}

fn gaps<S: Scalar, const D: usize>(a: &Aabb<S, D>, b: &Aabb<S, D>) -> [S::Gap; D] {
    from_fn(|axis| {
        let above = S::gap(a.max[axis], b.min[axis]);
        let below = S::gap(b.max[axis], a.min[axis]);
        if above > below { above } else { below }
    })
}

/// Returns by brute force the shift of the image nearest to a box, which must be near home.
fn nearest_shift<S: Number, const D: usize>(
    sides: [S; D],
    stored: &Aabb<S, D>,
    near: &Aabb<S, D>,
) -> [i32; D] {
    from_fn(|axis| {
        let images = if sides[axis] > S::ZERO { -4..=4 } else { 0..=0 };
        let gap = |shift: &i32| {
            let way = f64::from(*shift) * sides[axis].to_f64();
            let [min, max] = [stored.min[axis], stored.max[axis]].map(|end| end.to_f64() + way);
            (near.min[axis].to_f64() - max).max(min - near.max[axis].to_f64()).max(0.0)
        };
        let key = |shift: &i32| (gap(shift), shift.abs());
        images.min_by(|a, b| key(a).partial_cmp(&key(b)).expect("numbers")).expect("an image")
    })
}

/// Checks images of all results of queries, casts, searches and pairs.
fn check<S: Number + Plain + Debug, const D: usize>(seeds: &[Seed], views: &[Seed]) {
    let (mut world, sides, objects) = world::<S, D>(seeds);
    let stored = |object: Handle| world.get(object).expect("live object").bounds;
    let moved = |object: Handle, shift: [i32; D]| {
        stored(object)
            .translated(from_fn(|axis| S::from_f64(f64::from(shift[axis]) * sides[axis].to_f64())))
    };
    for &view in views {
        let view: Aabb<S, D> = bounds(view);
        for &object in &objects {
            let image = moved(object, nearest_shift(sides, &stored(object), &view));
            assert_eq!(world.image(object, view), Ok(image), "{object} at {view:?}");
            let is_found = world.query(view).to_vec().contains(&object);
            assert_eq!(image.overlaps(&view), is_found, "{object} in {view:?}");
        }
        for Neighbor { object, distance, .. } in world.nearest(view).to_vec() {
            let image = world.image(object, view).expect("an image");
            assert_eq!(S::length(gaps(&image, &view)), distance, "{object} near {view:?}");
        }
        let path =
            Path::sweep(view, from_fn::<_, D, _>(|axis| S::from_f64([37.0, -21.0, 3.0][axis])));
        for Hit { object, fraction } in world.cast(path).to_vec() {
            let image = world.image(object, path.at(fraction)).expect("an image");
            let at = path.at(fraction);
            let gaps = gaps(&image, &at).map(|gap| S::length([gap]).to_f64());
            let rounding = if S::INTEGER { 1.0 } else { 1e-4 };
            assert!(gaps.iter().all(|&gap| gap <= rounding), "{object} on {path:?}: {gaps:?}");
        }
    }
    world.step();
    for pair in world.pairs() {
        let [a, b] = pair.handles;
        let (one, other) = (world.get(a).unwrap().bounds, world.get(b).unwrap().bounds);
        assert!(world.image(b, one).unwrap().overlaps(&one), "{b} at {a}");
        assert!(world.image(a, other).unwrap().overlaps(&other), "{a} at {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn images_are_those_of_brute_force(
        objects in prop::collection::vec(seeds(-70..140), 1..12),
        views in prop::collection::vec(seeds(-70..140), 1..6),
    ) {
        check::<f32, 2>(&objects, &views);
        check::<f64, 3>(&objects, &views);
        check::<i32, 1>(&objects, &views);
    }
}

#[test]
fn images_at_the_ends_of_the_number_range() {
    let mut world = BroadPhase::<i32, 1>::with_options(Options::new().wrap([1 << 20]));
    let object = world.insert(Aabb::new([10], [20]), ()).unwrap();
    let far = i32::MAX;
    let why = InvalidBounds::OutOfRange { axis: 0 };
    assert_eq!(world.image(object, [far]), Err(Error::InvalidBounds { object: Some(object), why }));
    assert_eq!(world.image(object, [i32::MIN]), Ok(Aabb::new([i32::MIN + 10], [i32::MIN + 20])));
    let mut world = BroadPhase::<f32, 1>::with_options(Options::new().wrap([1.0]));
    let object = world.insert(Aabb::point([0.5]), ()).unwrap();
    let out_of_range = Err(Error::InvalidBounds { object: None, why });
    assert_eq!(world.image(object, [1e30]), out_of_range);
    assert_eq!(world.image(object, [-1e30]), out_of_range);
    assert!(world.image(object, [f32::NAN]).is_err());
    world.remove(object);
    assert_eq!(world.image(object, [0.0]), Err(Error::Stale { object }));
}

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
    let mut lists = Lists::default();
    world.nearest_many(&targets).write_to(&mut lists);
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
        check_distances::<f32, 2>(scale, [0.0; 2]);
        check_distances::<f32, 2>(scale, [(2f64.powi(power.min(123)) * 1.25) as f32, 0.0]);
    }
    for power in (-1070..=1020).step_by(55) {
        check_distances::<f64, 3>(2f64.powi(power), [0.0; 3]);
    }
    for power in 0..31 {
        check_distances::<i32, 3>(2f64.powi(power), [0; 3]);
        check_distances::<i32, 3>(2f64.powi(power), [0, 1 << power.clamp(4, 28), 0]);
    }
}
