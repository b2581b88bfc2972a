//! Compares batches of all volume types and backends with brute force.

use core::ops::ControlFlow;

use crate::numbers::{boxes, everything, hexagons, prisms};
use bounds_hexprism::{
    Aabb, Backend, Batch, Batched, Elegant, HexPrism, Hexagon, LANES, Pragmatic, Scalar,
    SplitPrism, Turned,
};
use proptest::prelude::*;
use simd_lanes::backend_tests;

fn check_queries_against_brute_force<V: Batched + PartialEq>(
    backend: Backend,
    volumes: impl Strategy<Value = V> + Clone,
) {
    let many = prop::collection::vec(volumes.clone(), 0..40);
    let queries = prop::collection::vec(volumes, 0..6);
    proptest!(ProptestConfig::with_cases(80), |(many in many, queries in queries)| {
        let mut batch = Batch::of(many.iter().copied()).expect("volumes");
        let mut others = Batch::of(queries.iter().copied()).expect("volumes");
        batch.set_backend(backend);
        others.set_backend(backend);
        prop_assert!(many.iter().enumerate().all(|(i, volume)| batch.get(i) == *volume));
        let hits = |query: &V| -> Vec<usize> {
            (0..many.len()).filter(|&index| many[index].overlaps(query)).collect()
        };
        let all_hits: Vec<_> = queries.iter().map(hits).collect();
        let overlapping = |i: usize, j: usize| many[i].overlaps(&many[j]);
        let pairs: Vec<_> = (0..many.len())
            .flat_map(|i| (i + 1..many.len()).map(move |j| (i, j)))
            .filter(|&(i, j)| overlapping(i, j))
            .collect();
        for (query, hits) in queries.iter().zip(&all_hits) {
            prop_assert_eq!(batch.count(query), hits.len());
            let mut found = vec![];
            batch.query_masks(query, |first, mask| {
                assert!(first % LANES == 0 && !mask.is_empty());
                found.extend(mask.into_iter().map(|lane| first + lane));
            });
            prop_assert_eq!(&found, hits);
            let first = batch.query(query, ControlFlow::Break);
            prop_assert_eq!(first.break_value(), hits.first().copied());
        }
        let mut found = vec![vec![]; queries.len()];
        batch.query_many(&queries, |query, index| found[query].push(index));
        prop_assert_eq!(&found, &all_hits);
        let mut found = vec![vec![]; queries.len()];
        others.pairs_with(&batch, |query, index| found[query].push(index));
        prop_assert_eq!(&found, &all_hits);
        prop_assert_eq!(sorted_pairs(&batch), pairs);
    });
}

fn sorted_pairs<V: Batched>(batch: &Batch<V>) -> Vec<(usize, usize)> {
    let mut pairs = vec![];
    batch.pairs(|a, b| pairs.push((a, b)));
    pairs.sort_unstable();
    pairs
}

fn check_padding_is_never_found<V: Batched>(backend: Backend, everything: V) {
    for len in 0..=3 * LANES {
        let mut batch = Batch::of((0..len).map(|_| everything)).expect("finite");
        batch.set_backend(backend);
        assert_eq!(batch.count(&everything), len);
        assert_eq!(sorted_pairs(&batch).len(), len * len.saturating_sub(1) / 2);
    }
}

fn full<S: Scalar, const D: usize>() -> Aabb<S, D> {
    Aabb::new([S::MIN; D], [S::MAX; D])
}

backend_tests! {
    fn box_batches_match_brute_force(backend) {
        check_queries_against_brute_force(backend, boxes::<i32, 1>().boxed());
        check_queries_against_brute_force(backend, boxes::<f32, 2>().boxed());
        check_queries_against_brute_force(backend, boxes::<f64, 3>().boxed());
    }

    fn hexagon_batches_match_brute_force(backend) {
        check_queries_against_brute_force(backend, hexagons::<i32, Pragmatic>().boxed());
        check_queries_against_brute_force(backend, hexagons::<f32, Elegant>().boxed());
        check_queries_against_brute_force(backend, hexagons::<f64, Turned>().boxed());
    }

    fn prism_batches_match_brute_force(backend) {
        check_queries_against_brute_force(backend, prisms::<i32, Turned>().boxed());
        check_queries_against_brute_force(backend, prisms::<f32, Pragmatic>().boxed());
        check_queries_against_brute_force(backend, prisms::<f64, Elegant>().boxed());
        let split = prisms::<f64, Elegant>().prop_map(SplitPrism::from);
        check_queries_against_brute_force(backend, split.boxed());
    }

    fn a_query_for_everything_does_not_find_padding(backend) {
        check_padding_is_never_found(backend, full::<i32, 1>());
        check_padding_is_never_found(backend, full::<f32, 2>());
        check_padding_is_never_found(backend, full::<f64, 3>());
        check_padding_is_never_found(backend, everything::<i32, Pragmatic>().hexagon);
        check_padding_is_never_found(backend, everything::<f32, Elegant>());
        check_padding_is_never_found(backend, everything::<f64, Turned>());
        check_padding_is_never_found(backend, SplitPrism::from(everything::<i32, Elegant>()));
    }

    /// Compares the order of results with that of the scalar backend, with more tiles, queries and
    /// hits than are processed at once.
    fn large_batches_report_in_the_same_order_on_every_backend(backend) {
        let volume = |i: usize| {
            let (x, y) = (i * 7919 % 307, i * 104_729 % 311);
            HexPrism::<i32>::of_cylinder([x as i32, y as i32, i as i32 % 5], 2, 1).expect("small")
        };
        let results = |backend: Backend| {
            let mut batch = Batch::of((0..5_003).map(volume)).expect("volumes");
            batch.set_backend(backend);
            let queries: Vec<_> = (0..600).map(volume).collect();
            let (mut hits, mut pairs, mut between) = (vec![], vec![], vec![]);
            batch.query_many(&queries, |query, index| hits.push((query, index)));
            batch.pairs(|a, b| pairs.push((a, b)));
            Batch::of(queries).expect("volumes").pairs_with(&batch, |a, b| between.push((a, b)));
            (hits, pairs, between, batch.count(&everything()))
        };
        let (hits, pairs, between, all) = results(backend);
        let reference = results(Backend::SCALAR);
        assert!(reference == (hits.clone(), pairs.clone(), between.clone(), all));
        assert_eq!(all, 5_003);
        let sorted = |mut list: Vec<(usize, usize)>| {
            list.sort_unstable();
            list
        };
        let volumes: Vec<_> = (0..5_003).map(volume).collect();
        let overlapping = |&(a, b): &(usize, usize)| volumes[a].overlaps(&volumes[b]);
        let all_from = |first: fn(usize) -> usize, to: usize| -> Vec<_> {
            (0..to).flat_map(|a| (first(a)..5_003).map(move |b| (a, b))).filter(overlapping).collect()
        };
        assert_eq!(sorted(hits), all_from(|_| 0, 600));
        assert_eq!(sorted(between), all_from(|_| 0, 600));
        assert_eq!(sorted(pairs), all_from(|a| a + 1, 5_003));
    }

    fn visitors_stop_the_scan(backend) {
        let mut batch = Batch::of((0..3_000).map(|_| full::<i32, 2>())).expect("volumes");
        batch.set_backend(backend);
        let stop = |number: usize| {
            let mut left = number;
            move |a: usize, b: usize| {
                left -= 1;
                if left == 0 { Err((a, b)) } else { Ok(()) }
            }
        };
        // Every query scans a tile of 2048 volumes before the next tile.
        assert_eq!(batch.pairs(stop(2_048)), Err((1, 2)));
        assert_eq!(batch.query_many(&[full(), full()], stop(2_050)), Err((1, 1)));
        assert_eq!(batch.pairs_with(&batch, stop(2_049)), Err((1, 0)));
    }
}

fn check_edits_against_a_vector<V: Batched + PartialEq>(volumes: impl Strategy<Value = V> + Clone) {
    let edit = (0u8..7, any::<prop::sample::Index>(), volumes);
    proptest!(ProptestConfig::with_cases(100), |(edits in prop::collection::vec(edit, 0..120))| {
        let (mut batch, mut model) = (Batch::new(), vec![]);
        for (edit, index, volume) in edits {
            match edit {
                0..=3 => {
                    batch.push(volume).expect("a volume");
                    model.push(volume);
                }
                4 | 5 if !model.is_empty() => {
                    let index = index.index(model.len());
                    prop_assert_eq!(batch.swap_remove(index), model.swap_remove(index));
                }
                6 if !model.is_empty() => {
                    let index = index.index(model.len());
                    batch.set(index, volume).expect("a volume");
                    model[index] = volume;
                }
                _ => {}
            }
            prop_assert_eq!((batch.len(), batch.is_empty()), (model.len(), model.is_empty()));
            prop_assert!((0..model.len()).all(|i| batch.get(i) == model[i]));
            let expected = model.iter().filter(|other| other.overlaps(&volume)).count();
            prop_assert_eq!(batch.count(&volume), expected);
            prop_assert_eq!(batch.clone().count(&volume), expected);
        }
    });
}

#[test]
fn batches_can_be_edited() {
    check_edits_against_a_vector(prisms::<f32, Elegant>().boxed());
    check_edits_against_a_vector(prisms::<f64, Pragmatic>().boxed());
    check_edits_against_a_vector(boxes::<i32, 2>().boxed());
}

#[test]
fn invalid_volumes_are_rejected_and_overlap_nothing() {
    fn counts<V: Batched>(batch: &Batch<V>, queries: &[V]) -> Vec<usize> {
        let mut counts = vec![0; queries.len()];
        batch.query_many(queries, |query, _| counts[query] += 1);
        counts
    }
    let good = HexPrism::<f64>::of_points([[1.0, 2.0, 3.0]]).expect("finite");
    let mut bad = good;
    bad.z.max_z = f64::NAN;
    let mut batch = Batch::of([good; 3]).expect("finite");
    assert!(batch.push(bad).is_err() && batch.set(1, bad).is_err());
    assert!(Batch::of([good, bad]).is_err());
    assert_eq!((batch.len(), batch.get(1)), (3, good));
    assert_eq!(batch.count(&bad), 0);
    assert_eq!(counts(&batch, &[bad, good, bad]), [0, 3, 0]);
    assert_eq!(batch.query(&bad, Err), Ok(()));
    assert_eq!(batch.query_masks(&bad, |first, hits| Err((first, hits))), Ok(()));
    let flat = Aabb::new([1.0f32], [-1.0]);
    let around = Batch::of([Aabb::new([-2.0], [2.0])]).expect("finite");
    assert_eq!((around.count(&flat), counts(&around, &[flat])), (0, vec![0]));
    // A query may be infinite, a stored volume may not.
    let mut sky = good;
    sky.z.max_z = f64::INFINITY;
    assert!(batch.push(sky).is_err());
    assert_eq!((batch.count(&sky), counts(&batch, &[sky, bad])), (3, vec![3, 0]));
    let end = f32::INFINITY;
    let flat = Batch::of([Aabb::new([1.0], [2.0])]).expect("finite");
    assert_eq!(flat.count(&Aabb::new([-end], [end])), 1);
    assert_eq!(flat.count(&Aabb::new([3.0], [end])), 0);
}

#[test]
fn minus_zero_touches_zero() {
    let zero = Aabb::new([-0.0f32, -0.0], [-0.0, -0.0]);
    let batch = Batch::of([zero, Aabb::new([0.0, 0.0], [1.0, 1.0])]).expect("finite");
    assert_eq!(batch.count(&zero), 2);
}

#[test]
fn f64_volumes_with_overlapping_keys_are_tested_exactly() {
    // The gap is too small for the precision of `f32`.
    let gap = |x: f64| Aabb::new([x], [x + 1e-9]);
    let batch = Batch::of([gap(1.0), gap(1.0 + 2e-9)]).expect("finite");
    assert_eq!(batch.count(&gap(1.0)), 1);
    assert!(gap(1.0).slabs().overlaps(&gap(1.0 + 2e-9).slabs()));
}

#[test]
fn a_much_smaller_triangle_is_tested_first() {
    // The shape equals its up triangle; its down triangle is twice as large.
    let up = Hexagon::<i32>::of_points([[0, 0], [9, 0], [0, 9]]).expect("small");
    assert!(!up.tests_down_first());
    let down = Hexagon::<i32>::of_points([[9, 9], [9, 0], [0, 9]]).expect("small");
    assert!(down.tests_down_first());
    // The triangles have nearly the same size. Then the up triangle is tested first.
    let blunt = Hexagon::<i32>::of_points([[9, 9], [9, 0], [0, 9], [4, 0]]).expect("small");
    assert!(!blunt.tests_down_first());
    let prism = HexPrism { hexagon: down, z: [0, 1].into() };
    assert!(prism.tests_down_first());
}

#[test]
fn a_bird_above_a_terrain_is_rejected_by_four_values() {
    let hills = (0..800).map(|i| HexPrism::<i32>::of_cylinder([i % 40 * 5, i / 40 * 5, 0], 4, 3));
    let hills: Vec<_> = hills.map(|hill| hill.expect("small")).collect();
    let bird = HexPrism::of_cylinder([100, 50, 90], 20, 2).expect("small");
    let split = Batch::of(hills.iter().map(|&hill| SplitPrism::from(hill))).expect("finite");
    // The first stage compares the four upper ends of each hill with the lower ends of the bird.
    let (above, upper) = (bird.slabs().min, <SplitPrism<i32> as Batched>::UPPER);
    let is_below = |hill: &HexPrism<i32>, upper: usize| {
        (0..upper).any(|axis| hill.slabs().max[axis] < above[axis])
    };
    assert!(upper == 4 && hills.iter().all(|hill| is_below(hill, upper)));
    assert!(!hills.iter().all(|hill| is_below(hill, 3)), "a prism is rejected by z only later");
    // On every backend, the bird overlaps no hill.
    for backend in Backend::available() {
        let mut split = split.clone();
        split.set_backend(backend);
        assert_eq!(split.count(&bird.into()), 0);
    }
    assert!(!SplitPrism::from(bird).tests_down_first());
}
