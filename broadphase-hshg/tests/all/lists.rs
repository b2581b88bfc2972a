//! Pairs and neighbors in lists are those of brute force, for all number types and dimensions.

use broadphase_hshg::{
    Aabb, BruteForce, Neighbors, Pair, PairSearch, SpatialIndex, SpatialIndexExt, find_neighbors,
    find_pairs, find_pairs_between,
};
use laws::examples::tried;
use laws::numbers::{Numbers, boxes, wrong_boxes};
use proptest::prelude::*;

type List<S, const D: usize> = Vec<Aabb<S, D>>;

fn brute<S: Numbers, const D: usize>(list: &[Aabb<S, D>]) -> BruteForce<S, D> {
    let mut index = BruteForce::new();
    index.extend((0..).zip(list.iter().copied())).expect("the bounds are valid");
    index
}

fn examples<S: Numbers, const D: usize>() -> impl Strategy<Value = (List<S, D>, List<S, D>, S)> {
    let list = || prop::collection::vec(boxes::<S, D>(), 0..70);
    let invalid: Vec<S> = [S::ZERO].iter().chain(S::FORBIDDEN).copied().collect();
    let distance =
        prop_oneof![4 => S::crowded(), 1 => S::hostile(), 1 => prop::sample::select(invalid)];
    (list(), list(), distance)
}

fn lists_agree_with_brute_force<S: Numbers, const D: usize>() {
    tried(120, examples::<S, D>(), |(ours, theirs, distance)| {
        let (mut index, mut other) = (brute(&ours), brute(&theirs));
        let (mut found, mut expected): (Vec<Pair>, Vec<Pair>) = (vec![[7, 7]], Vec::new());
        for distance in [None, Some(distance)] {
            let search = PairSearch { distance, ..PairSearch::OVERLAPS };
            find_pairs(&ours, &search, &mut found).expect("the boxes are valid");
            index.find_pairs(&search, &mut expected);
            prop_assert_eq!(&found, &expected, "within {:?}", distance);
            find_pairs_between(&ours, &theirs, &search, &mut found).expect("valid");
            index.pairs_with(&mut other, distance.unwrap_or(S::ZERO), &mut expected);
            prop_assert_eq!(&found, &expected, "between, within {:?}", distance);
        }
        let points: Vec<[S; D]> = ours.iter().map(|bounds| bounds.min).collect();
        let boxes: Vec<_> = points.iter().map(|&point| Aabb::point(point)).collect();
        let (mut near, mut lists) = (Neighbors::default(), Neighbors::default());
        find_neighbors(&points, distance, &mut near).expect("the points are valid");
        brute(&boxes).neighbors(distance, &mut lists);
        prop_assert_eq!(near, lists);
        Ok(())
    });
}

fn invalid_boxes_are_named<S: Numbers, const D: usize>() {
    let examples = (examples::<S, D>(), wrong_boxes::<S, D>(), any::<prop::sample::Index>());
    tried(40, examples, |((mut list, mut theirs, _), wrong, index)| {
        let index = index.index(list.len() + 1);
        list.insert(index, wrong);
        let mut found = vec![[7, 7]];
        let error = find_pairs(&list, &PairSearch::OVERLAPS, &mut found).unwrap_err();
        let why = wrong.checked().unwrap_err();
        prop_assert_eq!((error.list, error.index, error.why), (0, index, why));
        let error = find_pairs_between(&theirs, &list, &PairSearch::OVERLAPS, &mut found);
        let error = error.unwrap_err();
        prop_assert_eq!((error.list, error.index, error.why), (1, index, why));
        prop_assert_eq!(found, [[7, 7]]);
        theirs.truncate(3);
        let mut points: Vec<[S; D]> = theirs.iter().map(|bounds| bounds.min).collect();
        if let Some(&forbidden) = S::FORBIDDEN.first() {
            points.push([forbidden; D]);
            let error = find_neighbors(&points, S::ZERO, &mut Neighbors::default()).unwrap_err();
            prop_assert_eq!(error.index, points.len() - 1);
        }
        Ok(())
    });
}

macro_rules! for_all_types {
    ($($name:ident: $scalar:ty, $dimensions:literal;)+) => { $(
        #[test]
        fn $name() {
            lists_agree_with_brute_force::<$scalar, $dimensions>();
            invalid_boxes_are_named::<$scalar, $dimensions>();
        }
    )+ };
}

for_all_types! {
    lists_of_f32_in_1_dimension: f32, 1;
    lists_of_f32_in_2_dimensions: f32, 2;
    lists_of_f32_in_3_dimensions: f32, 3;
    lists_of_f64_in_1_dimension: f64, 1;
    lists_of_f64_in_2_dimensions: f64, 2;
    lists_of_f64_in_3_dimensions: f64, 3;
    lists_of_i32_in_1_dimension: i32, 1;
    lists_of_i32_in_2_dimensions: i32, 2;
    lists_of_i32_in_3_dimensions: i32, 3;
}

/// Integer keys of `f64` are coarse. Here two keys, divided by 2^40, have 30 points each, in
/// descending order.
#[test]
fn neighbors_with_equal_integer_keys_are_found_in_any_order() {
    let numbers: Vec<i32> = (-30..30).rev().collect();
    let points: Vec<[f64; 2]> =
        numbers.iter().map(|&number| [2f64.powi(40) + f64::from(number), 1.0]).collect();
    let mut near = Neighbors::default();
    find_neighbors(&points, 3.0, &mut near).expect("the points are valid");
    for (&number, found) in numbers.iter().zip(near.lists().iter()) {
        let others = found.iter().map(|&other| numbers[other as usize]);
        let is_near = |other: &i32| *other != number && (*other - number).abs() <= 3;
        assert!(others.eq(numbers.iter().copied().filter(is_near)), "{number}: {found:?}");
    }
}

/// Lists of up to 256 neighbors are sorted by another algorithm.
#[test]
fn lists_of_more_than_256_neighbors_are_sorted() {
    for count in [257, 258, 300] {
        // Multiples of 7 are in another order than positions.
        let points: Vec<[f32; 2]> = (0..count).map(|i| [((i * 7) % count) as f32, 1.0]).collect();
        let mut near = Neighbors::default();
        find_neighbors(&points, 1000.0, &mut near).expect("the points are valid");
        for (index, found) in (0..count).zip(near.lists().iter()) {
            assert!(found.iter().copied().eq((0..count).filter(|&other| other != index)));
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn threads_find_equal_pairs_in_large_lists() {
    let boxes = laws::threads::boxes::<f32, 2>("mixed:60000");
    let found = [1, 2, 3].map(|threads| {
        laws::threads::with_threads(threads, || {
            let (mut pairs, mut near) = (Vec::new(), Neighbors::default());
            find_pairs(&boxes, &PairSearch::OVERLAPS, &mut pairs).expect("the boxes are valid");
            let points: Vec<_> = boxes.iter().map(|bounds| bounds.min).collect();
            find_neighbors(&points, 20.0, &mut near).expect("the points are valid");
            (pairs, near)
        })
    });
    assert!(found[0].0.len() > 1000 && found[0].1.lists().items().len() > 1000);
    assert!(found[0] == found[1] && found[0] == found[2]);
}
