//! Compares the overlap kernels with brute force on every backend, for every length modulo 8.

use bounds_hexprism::{SlabVec, Slabs};
use core::ops::ControlFlow;
use proptest::prelude::*;
use simd_lanes::backend_tests;

fn volumes() -> impl Strategy<Value = Slabs<3>> {
    let end = prop_oneof![-4..4, any::<i32>(), Just(i32::MIN), Just(i32::MAX)];
    prop::array::uniform3((end.clone(), end)).prop_map(|ends: [(i32, i32); 3]| Slabs {
        min: ends.map(|(a, b)| a.min(b)),
        max: ends.map(|(a, b)| a.max(b)),
    })
}

const EVERYTHING: Slabs<3> = Slabs { min: [i32::MIN; 3], max: [i32::MAX; 3] };

backend_tests! {
    fn queries_match_brute_force(backend) {
        let many = prop::collection::vec(volumes(), 0..40);
        proptest!(ProptestConfig::with_cases(500), |(many in many, query in volumes())| {
            let mut vec = SlabVec::new();
            many.iter().for_each(|&volume| vec.push(volume));
            let mut found = Vec::new();
            vec.query(backend, &query, |index| found.push(index));
            let expected: Vec<_> =
                (0..many.len()).filter(|&index| many[index].overlaps(&query)).collect();
            prop_assert_eq!(found, expected);
        });
    }

    fn a_query_for_everything_does_not_find_padding(backend) {
        // The last length is that of more hits than the buffer holds.
        for len in (0..=3 * 8).chain([1_003]) {
            let mut vec = SlabVec::new();
            (0..len).for_each(|_| vec.push(EVERYTHING));
            let mut found = Vec::new();
            vec.query(backend, &EVERYTHING, |index| found.push(index));
            assert_eq!(found, (0..len).collect::<Vec<_>>());
            let stopped = vec.query(backend, &EVERYTHING, |index| {
                if index == 300 { ControlFlow::Break(index) } else { ControlFlow::Continue(()) }
            });
            assert_eq!(stopped.break_value(), (len > 300).then_some(300));
        }
    }
}

#[test]
fn edits_preserve_volumes_and_padding() {
    let volume = |n: i32| Slabs { min: [n; 2], max: [n + 1; 2] };
    let mut vec = SlabVec::new();
    let mut model = Vec::new();
    for step in 0..400u32 {
        // A deterministic sequence of edits that grows and shrinks across block boundaries.
        match step.wrapping_mul(2_654_435_761) >> 29 {
            0..=3 => {
                vec.push(volume(step as i32));
                model.push(volume(step as i32));
            }
            4 | 5 if !model.is_empty() => {
                let index = step as usize % model.len();
                assert_eq!(vec.swap_remove(index), model.swap_remove(index));
            }
            6 if !model.is_empty() => {
                let index = step as usize % model.len();
                vec.set(index, volume(-1));
                model[index] = volume(-1);
            }
            _ => {}
        }
        assert_eq!(vec.len(), model.len());
        assert!((0..model.len()).all(|index| vec.get(index) == model[index]));
        let planes = vec.planes();
        for axis in 0..2 {
            assert_eq!(planes.min[axis].len(), model.len().next_multiple_of(8));
            assert!(planes.min[axis][model.len()..].iter().all(|&min| min == i32::MAX));
            assert!(planes.max[axis][model.len()..].iter().all(|&max| max == i32::MIN));
        }
    }
    assert!(model.len() > 16, "the edits cross block boundaries");
    vec.clear();
    assert!(vec.is_empty() && vec.planes().min[0].is_empty());
}
