//! Checks levels and cells: configuration, statistics and visits.

use alloc::collections::{BTreeMap, BTreeSet};

use super::everywhere::everywhere;
use broadphase_core::Keys;
use broadphase_hshg::{Aabb, Hshg, HshgConfig, IndexError, Scalar, SpatialIndex};
use laws::examples::tried;
use laws::numbers::{Numbers, boxes};
use proptest::prelude::*;

/// Fills a grid and leaves a few objects pending.
fn filled<S: Numbers, const D: usize>(
    config: HshgConfig<S>,
    objects: &[Aabb<S, D>],
    waiting: usize,
) -> Hshg<S, D, u32> {
    let mut world = Hshg::with_config(config);
    for (key, &bounds) in (0..).zip(objects) {
        if key as usize + waiting == objects.len() {
            world.optimize();
        }
        world.insert(key, bounds, key).expect("keys differ");
    }
    world
}

fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let ends = bounds.min.iter().zip(&bounds.max);
    ends.map(|(min, max)| max.to_f64() - min.to_f64()).fold(0.0, f64::max)
}

/// Returns grid settings, and the maximum number of levels that they set.
fn configs<S: Numbers>() -> BoxedStrategy<(HshgConfig<S>, u32)> {
    let cell = prop::option::of(prop::sample::select(vec![1.0, 3.0, 64.0, 1e8]));
    let levels = prop_oneof![Just(u32::MAX), 1u32..9];
    (cell, levels, any::<bool>())
        .prop_map(|(cell, levels, manual)| {
            let mut config = HshgConfig::new().levels(levels);
            if let Some(cell) = cell {
                config = config.smallest_cell(S::from_f64(cell));
            }
            (if manual { config.manual_maintenance() } else { config }, levels)
        })
        .boxed()
}

/// Checks that every object is counted once and begins in a visited cell, for any numbers.
fn stats_match_cells<S: Numbers, const D: usize>() {
    let objects = prop::collection::vec(boxes::<S, D>(), 0..60);
    tried(128, (objects, configs::<S>(), 0usize..5), |(objects, (config, levels), waiting)| {
        let mut world = filled(config, &objects, waiting);
        if waiting == 0 {
            world.optimize();
        }
        let stats = world.stats();
        assert_eq!((stats.objects, stats.bytes), (objects.len(), world.memory_use()));
        assert_eq!(stats.waiting, waiting.min(objects.len()));
        let mut drawn: BTreeMap<u32, Vec<Aabb<S, D>>> = BTreeMap::new();
        world.cells(|level, cell| {
            assert!(cell.checked().is_ok(), "{cell:?} can be drawn");
            drawn.entry(level).or_default().push(cell);
        });
        let told = stats.levels.iter();
        assert!(told.clone().map(|level| level.level).eq(drawn.keys().copied()), "ascending");
        assert_eq!(told.clone().map(|level| level.objects).sum::<usize>(), objects.len());
        for level in told {
            assert_eq!(level.cells, drawn[&level.level].len());
            assert!(level.most * level.cells >= level.objects && level.most <= level.objects);
            assert!(level.rows <= level.objects);
            assert!(level.rows > 0 || waiting > 0);
        }
        for bounds in &objects {
            // Objects may exceed cells of the highest level, and cells cut by the end of the number
            // range.
            let is_huge = extent(bounds) > S::MAX.to_f64() / 16.0;
            let is_there = stats.levels.iter().any(|level| {
                let is_top = level.level + 1 == levels;
                // A coordinate that is below zero by a tiny amount counts as zero.
                let nothing = S::from_f64(level.cell * f64::from_bits(1));
                drawn[&level.level].iter().any(|cell| {
                    let fits = extent(bounds) <= extent(cell) * (1.0 + 1e-6);
                    cell.enlarged(nothing).contains_point(bounds.min) && (fits || is_huge || is_top)
                })
            });
            assert!(is_there, "{bounds:?} begins in a cell");
        }
        Ok(())
    });
}

/// Checks levels and cells against the definition, for ordinary numbers.
fn levels_and_cells_match_the_definition<S: Numbers, const D: usize>() {
    let ends = prop::collection::vec((S::crowded(), 0u8..40), D);
    let tame = ends.prop_map(|ends| {
        let min = core::array::from_fn(|axis: usize| ends[axis].0);
        let max =
            core::array::from_fn(|axis: usize| min[axis].plus(S::from_f64(ends[axis].1.into())));
        Aabb::<S, D> { min, max }
    });
    let objects = prop::collection::vec(tame, 1..60);
    tried(64, (objects, 0u32..3, 1u32..9), |(objects, log_side, levels)| {
        let smallest = f64::from(1 << log_side);
        let config = HshgConfig::new().smallest_cell(S::from_f64(smallest)).levels(levels);
        let world = filled(config, &objects, 0);
        let mut expected: BTreeSet<(u32, Vec<i64>)> = BTreeSet::new();
        for bounds in &objects {
            let (mut level, mut side) = (0, smallest);
            // The extents of `f64` bounds are computed from their keys.
            let slabs = bounds.slabs();
            let along = |axis| S::key_extent(slabs.min[axis], slabs.max[axis]);
            let extent = (0..D).map(along).fold(0.0, f32::max);
            while f64::from(extent) > side && level + 1 < levels {
                (level, side) = (level + 1, side * 2.0);
            }
            let cell = bounds.min.map(|min| (min.to_f64() / side).floor() as i64);
            expected.insert((level, cell.to_vec()));
        }
        let mut found = BTreeSet::new();
        world.cells(|level, cell| {
            let side = smallest * f64::from(1 << level);
            let number = cell.min.map(|min| (min.to_f64() / side) as i64);
            assert_eq!(cell.max, cell.min.map(|min| min.plus(S::from_f64(side))));
            assert!(found.insert((level, number.to_vec())), "each once");
        });
        assert_eq!(found, expected);
        Ok(())
    });
}

everywhere!(stats_match_cells levels_and_cells_match_the_definition);

#[test]
fn recommended_cells_match_the_smallest_objects() {
    let recommended = |sizes: &[f64]| {
        let boxes: Vec<_> =
            sizes.iter().map(|&size| Aabb::new([5.0, 5.0], [5.0, 5.0 + size])).collect();
        HshgConfig::recommend(&boxes)
    };
    let mut sizes: Vec<f64> = (0..100).map(|n| 3.0 + f64::from(n)).collect();
    assert_eq!(recommended(&sizes[..1]), HshgConfig::new().smallest_cell(3.0));
    let of_all = recommended(&sizes);
    assert_eq!(of_all, HshgConfig::new().smallest_cell(7.0), "one in twenty may be smaller");
    sizes.extend([0.0; 500]);
    assert_eq!(recommended(&sizes), of_all, "points do not count");
    sizes.extend([f64::NAN, -1.0, f64::INFINITY]);
    assert_eq!(recommended(&sizes), of_all, "nor what is invalid");
    for nothing in [&[][..], &[0.0], &[f64::NAN]] {
        assert_eq!(recommended(nothing), HshgConfig::new());
    }
    let everything = Aabb { min: [f32::MIN; 2], max: [f32::MAX; 2] };
    let config = HshgConfig::recommend(&[everything]);
    assert_eq!(config, HshgConfig::new().smallest_cell(f32::MAX));
    assert_eq!(Hshg::<f32, 2>::with_config(config).len(), 0);
    let integers = [Aabb { min: [i32::MIN], max: [i32::MAX] }];
    assert_eq!(HshgConfig::recommend(&integers), HshgConfig::new().smallest_cell(i32::MAX));
}

#[test]
fn capacity_is_reserved_at_once_or_fails() {
    let config = HshgConfig::new().capacity(5000);
    let mut world = Hshg::<f32, 2, u64>::with_config(config);
    let held = world.memory_use();
    assert!(held > 5000 * 28, "{held} bytes");
    let taken = allocation_counter::measure(|| {
        for key in 0..5000 {
            world.insert(key, Aabb::point([0.0, 0.0]), 0).expect("keys differ");
        }
    });
    assert_eq!(taken.count_total, 0);
    assert_eq!(Hshg::<f32, 2>::new().memory_use(), 0);
    for count in [usize::MAX, usize::MAX / 100] {
        let refused = Hshg::<i32, 1>::try_with_config(HshgConfig::new().capacity(count));
        assert_eq!(refused.err(), Some(IndexError::OutOfMemory));
    }
}

#[test]
#[should_panic(expected = "at least one level")]
fn a_grid_without_levels_panics() {
    let _ = HshgConfig::<f32>::new().levels(0);
}
