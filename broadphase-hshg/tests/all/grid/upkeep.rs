//! Tests of maintenance on demand and of incremental maintenance.

use super::everywhere::everywhere;
use broadphase_hshg::{Aabb, Hshg, HshgConfig, Motion, SpatialIndex};
use laws::examples::tried;
use laws::model::{Model, steps};
use laws::numbers::{Numbers, boxes};
use proptest::prelude::*;

/// Checks that any portion of maintenance between any two steps changes no result.
fn maintenance_portions_do_not_change_results<S: Numbers, const D: usize>() {
    let budgets = prop::collection::vec(0usize..20, 90);
    let world = (steps::<S, D>(), boxes::<S, D>(), budgets, any::<bool>(), 0u8..3);
    tried(64, world, |(steps, region, budgets, manual, skin)| {
        let config = HshgConfig::new();
        let config = if manual { config.manual_maintenance() } else { config };
        let mut index: Hshg<S, D, u32> = Hshg::with_config(config);
        index.set_skin(S::from_f64(f64::from(skin) * 2.0));
        let mut model = Model::default();
        for (step, &budget) in steps.iter().zip(&budgets) {
            model.take(&mut index, step);
            let left = index.optimize_within(budget);
            assert!(left <= index.len());
            index.assert_well_formed();
            if budget % 2 == 0 {
                model.compare(&mut index, &region, &mut Default::default());
            }
        }
        while index.optimize_within(3) > 0 {}
        model.compare(&mut index, &region, &mut Default::default());
        Ok(())
    });
}

everywhere!(maintenance_portions_do_not_change_results);

/// Returns a lattice of squares side by side.
fn field(config: HshgConfig, count: u32) -> Hshg {
    let mut world = Hshg::with_config(config);
    let square = |key: u32| Aabb::around([(key % 100) as f32, (key / 100) as f32], [0.4, 0.4]);
    world.extend((0..count).map(|key| (key, square(key), ()))).expect("keys differ");
    world.optimize();
    world
}

#[test]
fn a_maintenance_round_visits_all_and_frees_gaps() {
    let mut world = field(HshgConfig::new().manual_maintenance(), 20_000);
    let tidy = world.stats().gaps;
    for key in (0..20_000).filter(|key| key % 4 > 0) {
        world.remove(key).expect("the object exists");
    }
    let untidy = world.stats().gaps;
    let mut twin = world.clone();
    let longest_row = 500;
    let (mut left, mut calls) = (world.len(), 0);
    loop {
        let next = world.optimize_within(400);
        assert_eq!(twin.optimize_within(400), next, "every run gives the same result");
        world.assert_well_formed();
        calls += 1;
        if next == 0 {
            break;
        }
        assert!((400..400 + longest_row).contains(&(left - next)), "{} of 400", left - next);
        left = next;
    }
    assert!((6..=13).contains(&calls), "{calls} calls");
    let after = world.stats().gaps;
    assert!(after < untidy / 2 && after < tidy, "{tidy} gaps, then {untidy}, then {after}");
    assert_eq!(world.optimize_within(1), 0, "no maintenance is left");
}

#[test]
fn manual_upkeep_runs_only_on_demand() {
    let changes = |config: HshgConfig| {
        let mut world = field(config, 100);
        let mut pairs = Vec::new();
        let lowest = |world: &Hshg| world.stats().levels[0].cell;
        let before = lowest(&world);
        let large = |key: u32| Aabb::around([key as f32 * 16.0, 0.0], [20.0, 20.0]);
        world.extend((100..5000).map(|key| (key, large(key), ()))).expect("keys differ");
        world.pairs(&mut pairs);
        let waits = lowest(&world) == before;
        let mut asked = world.clone();
        asked.optimize();
        while world.optimize_within(100) > 0 {}
        assert!(lowest(&world) > before && lowest(&asked) > before, "levels match the sizes");
        let mut again = Vec::new();
        for mut world in [world, asked] {
            world.pairs(&mut again);
            assert_eq!(again, pairs);
        }
        waits
    };
    assert!(changes(HshgConfig::new().manual_maintenance()));
    assert!(!changes(HshgConfig::new()));
}

#[test]
fn a_maintenance_round_terminates() {
    for budget in [0, 1] {
        let mut world = field(HshgConfig::new().manual_maintenance(), 100);
        let before = world.stats().levels[0].cell;
        let large = |key: u32| Aabb::around([key as f32 * 16.0, 0.0], [20.0, 20.0]);
        world.extend((100..5000).map(|key| (key, large(key), ()))).expect("keys differ");
        world.set_motion(4999, Motion::Static).expect("the object exists");
        world.pairs(&mut Vec::new());
        // The last row becomes empty; some rows before it have lost most of their objects.
        world.remove(4999).expect("the object exists");
        for key in (100..4999).filter(|key| key % 4 > 0) {
            world.remove(key).expect("the object exists");
        }
        let left = (0..5000).find(|_| world.optimize_within(budget) == 0);
        assert!(left.is_some(), "there is an end, even with a budget of {budget}");
        assert!(world.stats().levels[0].cell > before, "levels match the sizes afterwards");
    }
}

#[test]
fn query_batches_sort_pending_objects_first() {
    let mut pairs = Vec::new();
    for (many, waits) in [(10, 500), (500, 0)] {
        let mut world = field(HshgConfig::new(), 500);
        for key in 0..500 {
            let bounds = Aabb::around([(key % 7) as f32 * 30.0, key as f32], [0.6, 0.6]);
            world.set_bounds(key, bounds).expect("the object exists");
        }
        assert_eq!(world.stats().waiting, 500);
        world.pairs_of(&(0..many).collect::<Vec<_>>(), |(), ()| true, &mut pairs);
        assert_eq!(world.stats().waiting, waits, "{many} are asked for");
    }
}
