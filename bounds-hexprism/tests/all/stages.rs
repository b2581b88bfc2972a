//! Tests of the two stages of a broad phase.

use crate::numbers::prisms;
use bounds_hexprism::kernel::order::Order;
use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{
    Aabb, Backend, Batch, Batched, Elegant, HexPrism, HitMask, Kernel, LANES, Lanes, Pragmatic,
    SlabVec, SplitPrism,
};
use proptest::prelude::*;
use simd_lanes::backend_tests;

/// Kernel with the inner step of a sweep: tests the boxes, then the third axis and z of the hits.
struct TwoStages<'a> {
    boxes: &'a SlabVec<2>,
    rest: &'a SlabVec<2>,
    query: usize,
}

impl Kernel for TwoStages<'_> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Vec<usize> {
        let first = Spread::new(lanes, &self.boxes.get(self.query));
        let second = Spread::new(lanes, &self.rest.get(self.query));
        let mut found = Vec::new();
        for at in (0..self.boxes.len()).step_by(LANES) {
            let hits = first.overlaps(lanes, &self.boxes.planes(), at);
            let hits = hits & HitMask::first(self.boxes.len() - at);
            let hits = second.retain_overlapping(lanes, &self.rest.planes(), at, hits);
            found.extend(hits.into_iter().map(|lane| at + lane));
        }
        found
    }
}

/// Kernel that returns which boxes begin within a box, and whether any begins after it.
struct Begins<'a> {
    boxes: &'a SlabVec<2>,
    query: usize,
    at: usize,
}

impl Kernel for Begins<'_> {
    type Output = (HitMask, bool);

    fn run<L: Lanes>(self, lanes: L) -> (HitMask, bool) {
        let Self { boxes, query, at } = self;
        let near = Spread::new(lanes, &boxes.get(query));
        (near.begins_of(lanes, &boxes.planes(), at), near.ends_before(lanes, &boxes.planes(), at))
    }
}

backend_tests! {
    fn begins_of_and_ends_before_match_the_definition(backend) {
        let many = prop::collection::vec((0..20i32, 0..20i32, 0..9i32, 0..9i32), LANES..30);
        proptest!(|(many in many)| {
            let mut boxes = SlabVec::new();
            for &(x, y, width, height) in &many {
                boxes.push(Aabb::new([x, y], [x + width, y + height]).slabs());
            }
            for query in 0..many.len() {
                let near = boxes.get(query);
                for at in 0..=many.len() - LANES {
                    let (found, is_behind) = backend.dispatch(Begins { boxes: &boxes, query, at });
                    let eight = || (at..at + LANES).map(|place| boxes.get(place).min);
                    let is_within = |min: [i32; 2]| {
                        (0..2).all(|axis| near.min[axis] <= min[axis] && min[axis] <= near.max[axis])
                    };
                    let lanes = eight().enumerate().filter(|&(_, min)| is_within(min));
                    let expected: Vec<usize> = lanes.map(|(lane, _)| lane).collect();
                    prop_assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
                    prop_assert_eq!(is_behind, eight().any(|[x, _]| x > near.max[0]));
                }
            }
        });
    }

    fn two_stages_find_the_same_pairs_as_one(backend) {
        let many = prop::collection::vec(prisms::<i32, Elegant>(), 1..40);
        proptest!(|(many in many)| {
            let (mut boxes, mut rest) = (SlabVec::new(), SlabVec::new());
            for prism in &many {
                let (first, second) = prism.stages();
                boxes.push(first);
                rest.push(second);
            }
            for (query, prism) in many.iter().enumerate() {
                let found = backend.dispatch(TwoStages { boxes: &boxes, rest: &rest, query });
                let expected: Vec<_> =
                    (0..many.len()).filter(|&other| prism.overlaps(&many[other])).collect();
                prop_assert_eq!(found, expected);
                let mut pairs: Vec<[u32; 2]> =
                    (0..many.len() as u32).map(|other| [query as u32, other]).collect();
                pairs.retain(|&[a, b]| boxes.get(a as usize).overlaps(&boxes.get(b as usize)));
                rest.retain_overlapping(&mut pairs);
                prop_assert!(pairs.iter().all(|&[_, b]| prism.overlaps(&many[b as usize])));
                prop_assert_eq!(pairs.len(), backend.dispatch(TwoStages { boxes: &boxes, rest: &rest, query }).len());
            }
        });
    }
}

proptest! {
    /// Checks that the stages contain each slab once.
    #[test]
    fn stages_split_the_slabs(a in prisms::<f32, Pragmatic>()) {
        let (slabs, (first, second)) = (a.slabs(), a.stages());
        prop_assert_eq!([first.min, second.min].concat(), slabs.min);
        prop_assert_eq!([first.max, second.max].concat(), slabs.max);
        let (first, third) = a.hexagon.stages();
        prop_assert_eq!([&first.min[..], &third.min].concat(), a.hexagon.slabs().min);
        prop_assert_eq!([&first.max[..], &third.max].concat(), a.hexagon.slabs().max);
    }
}

#[test]
fn a_bird_above_a_terrain_is_rejected_by_four_values() {
    let hills = (0..800).map(|i| HexPrism::<i32>::of_cylinder([i % 40 * 5, i / 40 * 5, 0], 4, 3));
    let hills: Vec<_> = hills.map(|hill| hill.expect("small")).collect();
    let bird = HexPrism::of_cylinder([100, 50, 90], 20, 2).expect("small");
    let split = Batch::of(hills.iter().map(|&hill| SplitPrism::from(hill))).expect("finite");
    // The first stage compares the four upper ends of each hill with the lower ends of the bird.
    let (above, upper) = (bird.slabs().min, <SplitPrism<i32> as Batched>::UpFirst::UPPER);
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
