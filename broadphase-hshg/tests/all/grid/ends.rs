//! Checks that objects leave their rows when they move or grow to the ends of the number range.

use super::everywhere::everywhere;
use broadphase_hshg::{Aabb, Hshg, Motion, SpatialIndex, SpatialIndexExt};
use laws::model::{Model, Step};
use laws::numbers::Numbers;

/// Inserts many objects of one size and a far larger one, all at the origin, and changes the large
/// one in a walk.
fn becomes<S: Numbers, const D: usize>(size: f64, larger: f64, end: Aabb<S, D>) {
    let mut world: Hshg<S, D> = Hshg::new();
    let mut model = Model::default();
    for key in 0..20 {
        let size = if key == 7 { larger } else { size };
        let bounds = Aabb { min: [S::ZERO; D], max: [S::from_f64(size); D] };
        model.take(&mut world, &Step::Put(key, bounds));
    }
    model.compare(&mut world, &end);
    world
        .update(|key, bounds| *bounds = if key == 7 { end } else { *bounds })
        .expect("all bounds are valid");
    model.objects.get_mut(&7).expect("the object exists").bounds = end;
    model.compare(&mut world, &end);
}

everywhere!(to_the_ends);

fn to_the_ends<S: Numbers, const D: usize>() {
    let everything = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
    // Covers all positions relative to the limits between levels.
    for exponent in 0..6 {
        let size = f64::from(1u32 << exponent);
        for larger in [2f64.powi(126), 2f64.powi(27), 16.0 * size, size] {
            becomes(size, larger, everything);
            becomes(size, larger, Aabb { min: [S::MIN; D], max: [S::MIN; D] });
            becomes(size, larger, Aabb { min: [S::MAX; D], max: [S::MAX; D] });
            let one = S::from_f64(size);
            becomes(size, larger, Aabb { min: [S::MAX.minus(one); D], max: [S::MAX; D] });
            becomes(size, larger, Aabb { min: [S::MIN; D], max: [S::MIN.plus(one); D] });
            // Positions so far from the origin, on every side, that the spacing of coordinates is
            // coarse.
            let out = S::from_f64(size * 2f64.powi(33));
            becomes(size, larger, Aabb { min: [out; D], max: [out; D] });
            let out = S::ZERO.minus(out);
            becomes(size, larger, Aabb { min: [out; D], max: [out; D] });
        }
    }
}

/// Checks that an object may have the smallest number as its upper end, as holes do.
#[test]
fn objects_at_the_smallest_number_can_be_removed() {
    fn of<const D: usize>() {
        let mut world: Hshg<i32, D> = Hshg::new();
        let (mut wall, mut end) =
            (Aabb { min: [0; D], max: [10; D] }, Aabb { min: [5; D], max: [6; D] });
        (wall.min[0], wall.max[0]) = (i32::MIN, i32::MIN);
        (end.min[0], end.max[0]) = (i32::MIN, i32::MIN + 3);
        world.insert(0, wall).expect("the key is free");
        world.set_motion(0, Motion::Static).expect("the object exists");
        world.insert(1, end).expect("the key is free");
        let mut pairs = Vec::new();
        world.pairs(&mut pairs);
        assert_eq!(pairs, [[0, 1]]);
        world.retain(|key, _| key != 0).expect("bounds stay");
        world.assert_well_formed();
        world.pairs(&mut pairs);
        assert_eq!((pairs.len(), world.len()), (0, 1));
    }
    of::<1>();
    of::<2>();
    of::<3>();
}

#[test]
fn objects_at_the_largest_float_are_paired() {
    for giants in 1..4 {
        let mut world: Hshg<f32, 2> = Hshg::new();
        for key in 0..giants {
            let begin = [-f32::MIN_POSITIVE; 2];
            world
                .insert(key, Aabb { min: begin, max: [f32::MAX; 2] })
                .expect("the bounds are valid");
        }
        world.insert(9, Aabb::point([f32::MAX, 1.0])).expect("the bounds are valid");
        let mut pairs = Vec::new();
        world.pairs(&mut pairs);
        let met = pairs.iter().filter(|pair| pair[1] == 9).count();
        assert_eq!(met, giants as usize, "{pairs:?}");
    }
}
