//! Checks levels and cells.

use alloc::collections::{BTreeMap, BTreeSet};

use super::everywhere::everywhere;
use broadphase_core::Keys;
use broadphase_hshg::{Aabb, Hshg, Scalar, SpatialIndexExt};
use laws::examples::tried;
use laws::numbers::{Numbers, boxes};
use proptest::prelude::*;

/// Fills a grid and leaves a few objects pending.
fn filled<S: Numbers, const D: usize>(
    smallest_cell: Option<f64>,
    objects: &[Aabb<S, D>],
    waiting: usize,
) -> Hshg<S, D> {
    let mut world =
        smallest_cell.map_or_else(Hshg::new, |side| Hshg::with_smallest_cell(S::from_f64(side)));
    for (key, &bounds) in (0..).zip(objects) {
        if key as usize + waiting == objects.len() {
            world.optimize();
        }
        world.insert(key, bounds).expect("keys differ");
    }
    world
}

fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let ends = bounds.min.iter().zip(&bounds.max);
    ends.map(|(min, max)| max.to_f64() - min.to_f64()).fold(0.0, f64::max)
}

fn levels_match_cells<S: Numbers, const D: usize>() {
    let objects = prop::collection::vec(boxes::<S, D>(), 0..60);
    let smallest = prop::option::of(prop::sample::select(vec![1.0, 3.0, 64.0, 1e8]));
    tried(128, (objects, smallest, 0usize..5), |(objects, smallest, waiting)| {
        let mut world = filled(smallest, &objects, waiting);
        if waiting == 0 {
            world.optimize();
        }
        let mut drawn: BTreeMap<u32, Vec<Aabb<S, D>>> = BTreeMap::new();
        for (level, cell) in world.cells() {
            assert!(cell.checked().is_ok(), "{cell:?} can be drawn");
            drawn.entry(level).or_default().push(cell);
        }
        let levels = world.levels();
        assert!(levels.iter().map(|level| level.level).eq(drawn.keys().copied()), "ascending");
        assert_eq!(levels.iter().map(|level| level.objects).sum::<usize>(), objects.len());
        assert!(levels.iter().all(|level| level.cells == drawn[&level.level].len()));
        for bounds in &objects {
            // Objects may exceed cells cut by the end of the number range.
            let is_huge = extent(bounds) > S::MAX.to_f64() / 16.0;
            let is_there = levels.iter().any(|level| {
                // A coordinate that is below zero by a tiny amount counts as zero.
                let nothing = S::from_f64(level.cell * f64::from_bits(1));
                drawn[&level.level].iter().any(|cell| {
                    let fits = extent(bounds) <= extent(cell) * (1.0 + 1e-6);
                    cell.enlarged(nothing).contains_point(bounds.min) && (fits || is_huge)
                })
            });
            assert!(is_there, "{bounds:?} begins in a cell");
        }
        Ok(())
    });
}

fn levels_and_cells_match_the_definition<S: Numbers, const D: usize>() {
    let ends = prop::collection::vec((S::crowded(), 0u8..40), D);
    let tame = ends.prop_map(|ends| {
        let min = core::array::from_fn(|axis: usize| ends[axis].0);
        let max =
            core::array::from_fn(|axis: usize| min[axis].plus(S::from_f64(ends[axis].1.into())));
        Aabb::<S, D> { min, max }
    });
    let objects = prop::collection::vec(tame, 1..60);
    tried(64, (objects, 0u32..3), |(objects, log_side)| {
        let smallest = f64::from(1 << log_side);
        let world = filled(Some(smallest), &objects, 0);
        let mut expected: BTreeSet<(u32, Vec<i64>)> = BTreeSet::new();
        for bounds in &objects {
            let (mut level, mut side) = (0, smallest);
            // The extents of `f64` bounds are computed from their keys.
            let slabs = bounds.slabs();
            let along = |axis| S::key_extent(slabs.min[axis], slabs.max[axis]);
            let extent = (0..D).map(along).fold(0.0, f32::max);
            while f64::from(extent) > side {
                (level, side) = (level + 1, side * 2.0);
            }
            let cell = bounds.min.map(|min| (min.to_f64() / side).floor() as i64);
            expected.insert((level, cell.to_vec()));
        }
        let mut found = BTreeSet::new();
        for (level, cell) in world.cells() {
            let side = smallest * f64::from(1 << level);
            let number = cell.min.map(|min| (min.to_f64() / side) as i64);
            assert_eq!(cell.max, cell.min.map(|min| min.plus(S::from_f64(side))));
            assert!(found.insert((level, number.to_vec())), "each once");
        }
        assert_eq!(found, expected);
        Ok(())
    });
}

everywhere!(levels_match_cells levels_and_cells_match_the_definition);
