//! Checks pairs between two structures against the definition.

use broadphase_hshg::pairs::accepted;
use broadphase_hshg::{
    Aabb, BruteForce, Hshg, IndexError, Motion, PairSearch, SpatialIndex, SpatialIndexExt,
};
use laws::examples::tried;
use laws::numbers::{Numbers, boxes};
use proptest::prelude::*;

/// The bounds of the objects to insert. The key of an object is its index; every third object is
/// static.
type Objects<S, const D: usize> = Vec<Aabb<S, D>>;

fn fill<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    index: &mut impl SpatialIndex<S, D>,
) -> Result<(), IndexError> {
    for (key, &bounds) in (0..).zip(objects) {
        index.insert(key, bounds)?;
        if key % 3 == 0 {
            index.set_motion(key, Motion::Static)?;
        }
    }
    Ok(())
}

fn agree<S: Numbers, const D: usize>(
    ours: &Objects<S, D>,
    theirs: &Objects<S, D>,
) -> Result<(), IndexError> {
    let (mut a, mut b): (Hshg<S, D>, Hshg<S, D>) = Default::default();
    let (mut one, mut other): (BruteForce<S, D>, BruteForce<S, D>) = Default::default();
    fill(ours, &mut a)?;
    fill(theirs, &mut b)?;
    fill(ours, &mut one)?;
    fill(theirs, &mut other)?;
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        a.find_pairs_between(&mut b, &PairSearch::OVERLAPS, &mut found);
        one.pairs_with(&mut other, &mut wanted);
        assert_eq!(found, wanted);
        a.pairs_with(&mut b, &mut found);
        assert_eq!(found, wanted);
        for distance in [0.0, 0.5, 3.0, 40.0, f64::INFINITY].map(S::from_f64) {
            let search = PairSearch { distance: Some(distance), ..PairSearch::OVERLAPS };
            a.find_pairs_between(&mut b, &search, &mut found);
            one.pairs_with_within(&mut other, distance, &mut wanted);
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
    tried(256, (ours, theirs), |(ours, theirs)| {
        agree(&ours, &theirs).expect("all bounds are valid");
        agree(&theirs, &ours).expect("all bounds are valid");
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
fn filters_get_the_own_key_first() {
    let (mut a, mut b): (Hshg<i32, 2>, Hshg<i32, 2>) = Default::default();
    a.extend((0..3000).map(|key| (key, Aabb::of_ball([0, 0], 1)))).expect("keys differ");
    b.insert(7, Aabb::of_ball([0, 0], 1)).expect("the key is free");
    let filter = |found: &mut [[u32; 2]]| {
        assert!(found.iter().all(|&[_, theirs]| theirs == 7));
        accepted(found, |own, _| own % 2 == 0)
    };
    let even: Vec<_> = (0..3000).step_by(2).map(|own| [own, 7]).collect();
    let mut found = Vec::new();
    for sorted in [true, false] {
        let search = PairSearch { distance: None, filter: Some(&filter), sorted };
        a.find_pairs_between(&mut b, &search, &mut found);
        found.sort_unstable();
        assert_eq!(found, even);
    }
}
