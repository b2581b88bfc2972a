//! Compares the octree algorithm of the article on Morton order with a test of every pair.

use broadphase_morton::{Aabb, Code, Octree};
use proptest::prelude::*;

fn boxes<const D: usize>() -> impl Strategy<Value = Vec<Aabb<i32, D>>> {
    let far = prop_oneof![
        8 => -40..40i32,
        1 => -1_100_000..1_100_000,
        1 => any::<i32>(),
        1 => Just(1 << 20),
        1 => Just(-(1 << 20)),
    ];
    let size = prop_oneof![6 => 0..9i32, 2 => 0..100, 1 => 0..3_000_000];
    let corner = prop::collection::vec(far, D);
    let sizes = prop::collection::vec(size, D);
    let one = (corner, sizes).prop_map(|(corner, sizes)| {
        let min: [i32; D] = corner.try_into().unwrap();
        Aabb { min, max: core::array::from_fn(|axis| min[axis].saturating_add(sizes[axis])) }
    });
    prop::collection::vec(one, 0..40)
}

fn laws<const D: usize>() {
    proptest!(ProptestConfig::with_cases(300), |(ours in boxes::<D>(), theirs in boxes::<D>())| {
        let (mut tree, mut other) = (Octree::<D>::new(), Octree::<D>::new());
        for (key, &bounds) in (0..).zip(&ours) {
            tree.add(1000 - key, bounds).unwrap();
        }
        for (key, &bounds) in (0..).zip(&theirs) {
            other.add(key, bounds).unwrap();
        }
        let mut pairs = vec![[1, 2]];
        let stats = tree.pairs(&mut pairs);
        prop_assert!(stats.most_cells <= 1 << D);
        prop_assert_eq!(stats.same_object, 0);
        let mut expected = vec![];
        for (a, one) in (0..).zip(&ours) {
            for (b, two) in (0..).zip(&ours[..a as usize]) {
                if one.overlaps(two) {
                    expected.push([1000 - a, 1000 - b]);
                }
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(&pairs, &expected);

        tree.pairs_with(&mut other, &mut pairs);
        let mut between = vec![];
        for (a, one) in (0..).zip(&ours) {
            for (b, two) in (0..).zip(&theirs) {
                if one.overlaps(two) {
                    between.push([1000 - a, b]);
                }
            }
        }
        between.sort_unstable();
        prop_assert_eq!(&pairs, &between);

        // The container link of each cell equals the result of a linear search for the smallest
        // container.
        for (place, cell) in tree.cells().iter().enumerate() {
            let contains = |at: &usize| tree.cells()[*at].last() >= cell.last();
            prop_assert_eq!(tree.container(place), (0..place).rev().find(contains));
        }
        // Binary search finds the cells that overlap a given cell.
        for cell in [Code::encode([0; D]), Code::encode([1 << 20; D])] {
            for level in [0, 3, 25] {
                let mut found = vec![];
                tree.overlapping(cell, level, |cell| found.push((cell.object, cell.start)));
                let range = cell.range(level);
                let overlaps = tree.cells().iter().filter(|other| {
                    other.start <= *range.end() && *range.start() <= other.last()
                });
                let mut expected: Vec<_> =
                    overlaps.map(|cell| (cell.object, cell.start)).collect();
                found.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
        // A merged tree has the pairs within both trees, and the pairs between the two trees.
        tree.merge(&other);
        tree.pairs(&mut pairs);
        let mut all = between.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect::<Vec<_>>();
        all.append(&mut expected);
        let mut own = vec![];
        other.pairs(&mut own);
        all.append(&mut own);
        all.sort_unstable();
        prop_assert_eq!(pairs, all);
    });
}

#[test]
fn pairs_and_containers_match_brute_force() {
    laws::<1>();
    laws::<2>();
    laws::<3>();
}

#[test]
fn without_identical_drops_pairs_of_identical_boxes() {
    let mut pairs = vec![];
    for (mut tree, expected) in
        [(Octree::<3>::new(), 3), (Octree::<3>::new().without_identical(), 2)]
    {
        tree.add(0, Aabb::new([0; 3], [3; 3])).unwrap();
        tree.add(1, Aabb::new([0; 3], [3; 3])).unwrap();
        tree.add(2, Aabb::new([1; 3], [1; 3])).unwrap();
        tree.pairs(&mut pairs);
        assert_eq!(pairs.len(), expected);
        tree.clear();
        tree.pairs(&mut pairs);
        assert!(pairs.is_empty());
    }
}

#[test]
fn invalid_bounds_leave_the_tree_unchanged() {
    let mut tree: Octree<2> = Octree::new();
    assert!(tree.add(4, Aabb::new([1, 0], [0, 0])).is_err());
    assert!(tree.cells().is_empty());
}
