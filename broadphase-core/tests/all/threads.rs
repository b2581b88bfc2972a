//! Results do not depend on the number of threads.

use broadphase_core::{
    Aabb, BruteForce, Lists, Neighbors, Pair, Region, SpatialIndexExt, pairs, tasks,
};
use laws::random::Random;
use laws::threads::with_threads;
use proptest::prelude::*;

fn random(seed: u32) -> impl FnMut(u32) -> u32 {
    let mut random = Random::new(seed.into());
    let mut half = move || u64::from(random.below(1 << 31));
    move |below| ((half() << 31 | half()) % u64::from(below)) as u32
}

/// Number of ways in which [`spread`] distributes pairs.
const KINDS: u32 = 14;

/// Returns many pairs, distributed in one of [`KINDS`] ways.
fn spread(kind: u32, len: usize, seed: u32) -> Vec<Pair> {
    let mut random = random(seed);
    let mut pairs: Vec<Pair> = (0..len as u32)
        .map(|n| match kind {
            // First keys: all equal; two values far apart; nearly equal.
            0 => [7, random(u32::MAX)],
            1 => [random(2) * 4_000_000_000, random(u32::MAX)],
            2 => [9 + random(2), 10 + random(5)],
            // Largest keys, and the full range.
            3 => [u32::MAX - random(500), u32::MAX],
            4 => [random(u32::MAX), random(u32::MAX)],
            // Ascending or descending first keys.
            5 => [n / 3, n],
            6 => [len as u32 - n, 1],
            // Close to sorted, as structures find them.
            7 => [random(300) + n / 100, n / 50 + 400],
            // Most pairs have one first key, the others random keys.
            8 => [if random(10) > 0 { 3 } else { random(100_000) }, random(u32::MAX)],
            // All equal.
            9 => [5, 6],
            // Few pairs of many objects; many pairs of few objects, with duplicates.
            10 => pairs::pair(random(500_000), random(500_000)),
            11 => pairs::pair(random(300), random(300)),
            // Smallest and largest keys only.
            12 => [random(2) * u32::MAX, random(2) * u32::MAX],
            // One first key, and second keys that differ in their highest and lowest bits.
            _ => [u32::MAX, random(2) << 31 | random(40)],
        })
        .collect();
    // One pair out of order, so that the input is never sorted.
    pairs.push([0, 0]);
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn sort_equals_array_order_with_threads(
        kind in 0..KINDS,
        len in prop_oneof![3 => 0..32_768usize, 9 => 32_768..90_000usize, 1 => Just(500_000)],
        seed in any::<u32>(),
        threads in prop_oneof![4 => 1..5usize, 1 => 5..33usize],
    ) {
        let mut sorted = spread(kind, len, seed);
        let expected = in_order(&sorted);
        let divided = with_threads(threads, || {
            pairs::sort(&mut sorted);
            !tasks::even(sorted.len(), 16_384).is_empty()
        });
        prop_assert!(sorted == expected, "{} pairs of kind {}, {} threads", len, kind, threads);
        prop_assert_eq!(divided, threads > 1 && len + 1 >= 32_768);
    }
}

/// Returns pairs in array order, by a comparison sort of numbers.
fn in_order(pairs: &[Pair]) -> Vec<Pair> {
    let number = |&[a, b]: &Pair| u64::from(a) << 32 | u64::from(b);
    let mut numbers: Vec<u64> = pairs.iter().map(number).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(|number| [(number >> 32) as u32, number as u32]).collect()
}

#[test]
fn pairs_of_every_length_are_sorted() {
    // Lengths around the limits of comparison sorts, and around powers of two.
    let borders = (8..17).flat_map(|bits| [(1usize << bits) - 2, (1 << bits) - 1, 1 << bits]);
    for len in (0..200usize).chain(borders) {
        for kind in 0..KINDS {
            let mut pairs = spread(kind, len, kind);
            let expected = in_order(&pairs);
            with_threads(1, || pairs::sort(&mut pairs));
            assert!(pairs == expected, "{len} pairs of kind {kind}");
            pairs.reverse();
            pairs::sort(&mut pairs);
            assert!(pairs == expected, "{len} reversed pairs of kind {kind}");
        }
    }
}

#[test]
fn pairs_of_several_lists_are_sorted_together() {
    for kind in 0..KINDS {
        for (len, lens) in [
            (0, [0, 0, 0]),
            (300, [7, 0, 100]),
            (90_000, [0, 0, 0]),
            (90_000, [0, 16_384, 1]),
            (150_000, [20_000, 1, 100_000]),
        ] {
            let pairs = spread(kind, len, 5);
            let expected = in_order(&pairs);
            for threads in (1..10).chain([16, 32]) {
                let mut rest = &pairs[..];
                let mut lists: Vec<Vec<Pair>> = Vec::new();
                for len in lens {
                    let (list, others) = rest.split_at(len);
                    lists.push(list.to_vec());
                    rest = others;
                }
                lists.push(rest.to_vec());
                let mut sorted = vec![[7, 9]; 1000];
                let mut lists: Vec<&mut Vec<Pair>> = lists.iter_mut().collect();
                with_threads(threads, || pairs::sort_lists(&mut lists, &mut sorted));
                assert!(sorted == expected, "{len} pairs of kind {kind} on {threads} threads");
                assert!(lists.iter().all(|list| list.is_empty()));
            }
        }
    }
}

fn world(count: u32) -> BruteForce<f32, 2> {
    let mut world = BruteForce::new();
    let mut random = random(3);
    for key in 0..count {
        let at = [random(1000) as f32 / 10.0, random(1000) as f32 / 10.0];
        world.insert(key * 3, Aabb::of_ball(at, 1.0)).expect("a free key");
    }
    world
}

#[test]
fn batch_results_do_not_depend_on_threads() {
    let world = world(700);
    let mut random = random(8);
    let mut place = || random(1000) as f32 / 10.0;
    let regions: Vec<Region<f32, 2>> =
        (0..900).map(|_| Region::ball([place(), place()], place() / 10.0)).collect();
    let run = |threads| {
        with_threads(threads, || {
            let mut lists = Lists::default();
            let (mut near, mut nearest) = (Neighbors::default(), Neighbors::default());
            // Existing contents are replaced.
            lists.push([1, 2, 3]);
            world.query_many(&regions, &mut lists);
            world.neighbors(2.0, &mut near);
            world.nearest_to_each(3, &mut nearest);
            assert_eq!(tasks::even(700, 128).is_empty(), threads == 1);
            (lists, near, nearest)
        })
    };
    let expected = run(1);
    assert_eq!((expected.0.len(), expected.1.keys().len()), (900, 700));
    for threads in 2..=4 {
        assert!(run(threads) == expected, "{threads} threads");
    }
    for (region, found) in regions.iter().zip(expected.0.iter()) {
        let mut alone = Vec::new();
        world.query(*region, &mut alone);
        assert_eq!(found, alone);
    }
}
