//! Checks pairs between two structures against the definition.

use broadphase_hshg::{Aabb, BruteForce, Hshg, IndexError, Motion, Scalar, SpatialIndex};
use laws::examples::tried;
use laws::numbers::{Numbers, boxes};
use proptest::prelude::*;

/// The bounds of the objects to insert. The key of an object is its index; every third object is
/// static.
type Objects<S, const D: usize> = Vec<Aabb<S, D>>;

fn fill<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    index: &mut impl SpatialIndex<S, D, Data = u32>,
) -> Result<(), IndexError> {
    for (key, &bounds) in (0..).zip(objects) {
        index.insert(key, bounds, key * 2)?;
        if key % 3 == 0 {
            index.set_motion(key, Motion::Static)?;
        }
    }
    Ok(())
}

fn agree<S: Numbers, const D: usize>(
    ours: &Objects<S, D>,
    theirs: &Objects<S, D>,
    margin: f64,
) -> Result<(), IndexError> {
    let (mut a, mut b): (Hshg<S, D, u32>, Hshg<S, D, u32>) = Default::default();
    a.set_skin(S::from_f64(margin));
    let (mut one, mut other): (BruteForce<S, D, u32>, BruteForce<S, D, u32>) = Default::default();
    fill(ours, &mut a)?;
    fill(theirs, &mut b)?;
    fill(ours, &mut one)?;
    fill(theirs, &mut other)?;
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        found.clear();
        a.pairs_between(&mut b, |a, b| {
            assert_eq!([*a.data, *b.data], [a.key * 2, b.key * 2], "data matches the keys");
            found.push([a.key, b.key]);
        });
        found.sort_unstable();
        one.pairs_with(&mut other, |_, _| true, &mut wanted);
        assert_eq!(found, wanted);
        a.pairs_with(&mut b, |_, _| true, &mut found);
        assert_eq!(found, wanted);
        for distance in [0.0, 0.5, 3.0, 40.0, f64::INFINITY].map(S::from_f64) {
            found.clear();
            a.pairs_between_within_unordered(&mut b, distance, |a, b| found.push([a.key, b.key]));
            found.sort_unstable();
            one.pairs_with_within(&mut other, distance, |_, _| true, &mut wanted);
            assert_eq!(found, wanted, "within {distance}");
        }
        // The checks are repeated after some objects have moved out of order or out of their rows.
        for key in (0..ours.len() as u32).step_by(4) {
            let bounds = theirs.get(key as usize).copied().unwrap_or(ours[0]);
            a.set_bounds(key, bounds)?;
            one.set_bounds(key, bounds)?;
        }
    }
    Ok(())
}

fn both_ways_agree<S: Numbers, const D: usize>() {
    let ours = prop::collection::vec(boxes::<S, D>(), 0..60);
    let theirs = prop::collection::vec(boxes::<S, D>(), 0..20);
    tried(256, (ours, theirs, 0..2), |(ours, theirs, margin)| {
        agree(&ours, &theirs, f64::from(margin) * 3.0).expect("all bounds are valid");
        agree(&theirs, &ours, f64::from(margin) * 3.0).expect("all bounds are valid");
        Ok(())
    });
}

macro_rules! between {
    ($($name:ident: $S:ty, $D:literal;)*) => {$(
        #[test]
        fn $name() {
            both_ways_agree::<$S, $D>();
        }
    )*};
}

between! {
    f32_on_a_line: f32, 1;
    f32_in_the_plane: f32, 2;
    f32_in_space: f32, 3;
    f64_in_the_plane: f64, 2;
    f64_in_space: f64, 3;
    i32_on_a_line: i32, 1;
    i32_in_the_plane: i32, 2;
    i32_in_space: i32, 3;
}

#[test]
fn visitors_can_stop_early() {
    use core::ops::ControlFlow;
    let (mut a, mut b): (Hshg<i32, 2, u32>, Hshg<i32, 2, u32>) = Default::default();
    for key in 0..3000 {
        a.insert(key, Aabb::of_ball([i32::ZERO, 0], 1), key).expect("the key is free");
    }
    b.insert(7, Aabb::of_ball([0, 0], 1), 7).expect("the key is free");
    let mut left = 2000;
    let answer = a.pairs_between(&mut b, |a, b| {
        left -= 1;
        if left == 0 { ControlFlow::Break([a.key, b.key]) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(answer, ControlFlow::Break([_, 7])));
    assert_eq!(left, 0);
}
