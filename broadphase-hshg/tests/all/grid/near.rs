//! Checks that searches within a distance, and of two grids, find the right pairs after every kind
//! of change, and how long grids keep their buffers.

use super::everywhere::everywhere;
use allocation_counter::measure;
use broadphase_hshg::pairs::accepted;
use broadphase_hshg::{Aabb, BruteForce, Hshg, Motion, PairSearch, SpatialIndex, SpatialIndexExt};
use laws::examples::tried;
use laws::numbers::{Numbers, boxes};
use proptest::prelude::*;

type Change<S, const D: usize> = (u8, u32, Aabb<S, D>);

/// Changes both structures. Unknown keys are inserted.
fn change<S: Numbers, const D: usize>(
    both: [&mut dyn SpatialIndex<S, D>; 2],
    &(kind, key, bounds): &Change<S, D>,
) {
    let step = |number: u32, place: &mut Aabb<S, D>| {
        if number % 5 == key % 5 {
            *place = bounds;
        }
    };
    for index in both {
        let changed = match kind {
            _ if index.get(key).is_none() => index.insert(key, bounds),
            0..=2 => index.set_bounds(key, bounds),
            3 => index.remove_many(&[key]),
            4 => index.set_motion(key, Motion::Static),
            5 => index.set_motion(key, Motion::Sleeping),
            6 => index.update(step),
            7 => index.update_dynamic(step),
            8 => index.retain(|number, _| number % 7 != key % 7),
            9..=11 => {
                match kind {
                    9 => index.optimize(),
                    10 => index.shrink_to_fit(),
                    _ => index.clear(),
                }
                Ok(())
            }
            12 => {
                let mut keys = index.keys();
                keys.sort_unstable();
                index.remove_many(&keys[..keys.len() / 2])
            }
            _ => Ok(()),
        };
        changed.expect("keys are known, bounds valid");
    }
}

/// Searches with both methods, one to three times, and compares all pairs with those of brute
/// force.
fn compare<S: Numbers, const D: usize>(
    [ours, theirs]: [&mut Hshg<S, D>; 2],
    [one, other]: [&mut BruteForce<S, D>; 2],
    (distance, times): (S, u8),
) {
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    for time in 0..times {
        let what = format!("within {distance}, time {time}");
        let sorted = PairSearch { distance: Some(distance), ..PairSearch::OVERLAPS };
        let filter = |found: &mut [[u32; 2]]| accepted(found, |a, b| (a + 2 * b) % 3 > 0);
        let filtered = PairSearch { filter: Some(&filter), sorted: false, ..sorted };
        one.pairs_within(distance, &mut wanted);
        ours.find_pairs(&sorted, &mut found);
        assert_eq!(found, wanted, "{what}");
        wanted.retain(|[a, b]| (a + 2 * b) % 3 > 0);
        ours.find_pairs(&filtered, &mut found);
        found.sort_unstable();
        assert_eq!(found, wanted, "filtered {what}");
        one.pairs_with(other, distance, &mut wanted);
        ours.find_pairs_between(theirs, &sorted, &mut found);
        assert_eq!(found, wanted, "of two {what}");
        wanted.retain(|[a, b]| (a + 2 * b) % 3 > 0);
        ours.find_pairs_between(theirs, &filtered, &mut found);
        found.sort_unstable();
        assert_eq!(found, wanted, "filtered, of two {what}");
    }
    ours.assert_well_formed();
}

fn near_pairs_are_right<S: Numbers, const D: usize>() {
    let one_change = || (0u8..20, 0u32..40, boxes::<S, D>());
    let distance = prop::sample::select(vec![0.0, 0.5, 1.5, 3.0, 40.0, f64::INFINITY]);
    let changes = prop::collection::vec((any::<bool>(), one_change()), 0..3);
    let round = (changes, distance, 1u8..4);
    let start = || prop::collection::vec(one_change(), 0..60);
    let examples = (start(), start(), prop::collection::vec(round, 1..8));
    tried(64, examples, |(ours, theirs, rounds)| {
        let (mut a, mut b): (Hshg<S, D>, Hshg<S, D>) = Default::default();
        let (mut one, mut other): (BruteForce<S, D>, BruteForce<S, D>) = Default::default();
        ours.iter().for_each(|what| change([&mut a, &mut one], what));
        theirs.iter().for_each(|what| change([&mut b, &mut other], what));
        for (changes, distance, times) in &rounds {
            let far = S::from_f64(*distance);
            compare([&mut a, &mut b], [&mut one, &mut other], (far, *times));
            let (mut copy, mut same) = (a.clone(), one.clone());
            for (is_ours, what) in changes {
                let both: [&mut dyn SpatialIndex<S, D>; 2] =
                    if *is_ours { [&mut a, &mut one] } else { [&mut b, &mut other] };
                change(both, what);
            }
            compare([&mut a, &mut b], [&mut one, &mut other], (far, *times));
            compare([&mut a, &mut copy], [&mut one, &mut same], (far, *times));
            compare([&mut copy, &mut b], [&mut same, &mut other], (far, *times));
        }
        Ok(())
    });
}

everywhere!(near_pairs_are_right);

#[test]
fn few_points_find_their_pairs_among_many() {
    let grid = |count: u32, way: u32| {
        let (mut grid, mut brute): (Hshg<f32, 2>, BruteForce<f32, 2>) = Default::default();
        for key in 0..count {
            let at = Aabb::point([key * way % 97, key * way % 89].map(|x| x as f32));
            grid.insert(key, at).expect("the key is free");
            brute.insert(key, at).expect("the key is free");
        }
        (grid, brute)
    };
    for count in [3, 20, 40] {
        let ((mut few, mut one), (mut many, mut other)) = (grid(count, 31), grid(1000, 17));
        for distance in [4.0, 30.0] {
            compare([&mut few, &mut many], [&mut one, &mut other], (distance, 2));
            compare([&mut many, &mut few], [&mut other, &mut one], (distance, 2));
        }
    }
}

/// Returns two grids of 1000 discs, each with a few others in reach.
fn two_grids() -> [Hshg<f32, 2>; 2] {
    [0.0, 4.0].map(|shift| {
        let mut grid = Hshg::new();
        for key in 0..1000u32 {
            let at = [(key % 40) as f32 * 9.0 + shift, (key / 40) as f32 * 9.0];
            grid.insert(key, Aabb::of_ball(at, 4.0)).expect("the key is free");
        }
        grid
    })
}

/// Counts the pairs within a distance, and those of both grids.
fn search([a, b]: &mut [Hshg<f32, 2>; 2], distance: f32, pairs: &mut Vec<[u32; 2]>) -> usize {
    let near = PairSearch { distance: Some(distance), sorted: false, ..PairSearch::OVERLAPS };
    a.find_pairs(&near, pairs);
    let count = pairs.len();
    a.find_pairs_between(b, &near, pairs);
    count + pairs.len()
}

#[test]
fn searches_within_a_distance_do_not_allocate_in_steady_ticks() {
    let mut grids = two_grids();
    let mut pairs = Vec::with_capacity(100_000);
    let mut tick = |number: u32| {
        for grid in &mut grids {
            let walked = grid.update(|key, bounds| {
                let way = if (key + number).is_multiple_of(2) { 0.5 } else { -0.5 };
                *bounds = bounds.translated([way, 0.0]);
            });
            walked.expect("bounds stay valid");
            grid.pairs_unordered(&mut pairs);
        }
        (0..3).map(|_| search(&mut grids, 3.0, &mut pairs)).sum::<usize>()
    };
    assert!((0..20).map(&mut tick).sum::<usize>() > 20_000);
    assert_eq!(measure(|| _ = (20..60).map(&mut tick).sum::<usize>()).count_total, 0);
}

#[test]
fn buffers_are_freed_when_unused() {
    let mut grids = two_grids();
    let mut pairs = Vec::new();
    for grid in &mut grids {
        for _ in 0..3 {
            grid.pairs_unordered(&mut pairs);
        }
    }
    let before = grids[0].memory_use();
    let found = search(&mut grids, 3.0, &mut pairs);
    let enlarged = grids[0].memory_use();
    assert!(enlarged > before + 16 * 1000, "enlarged rows are kept");
    assert_eq!(search(&mut grids, 3.0, &mut pairs), found);
    assert_eq!(grids[0].memory_use(), enlarged);
    for _ in 0..9 {
        grids[0].pairs_unordered(&mut pairs);
    }
    assert_eq!(grids[0].memory_use(), before, "unused memory is freed");
    search(&mut grids, 3.0, &mut pairs);
    grids[0].shrink_to_fit();
    assert!(grids[0].memory_use() <= before);
}
