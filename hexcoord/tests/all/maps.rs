//! Tests of areas, maps and paths.

use alloc::collections::BTreeMap;

use hexcoord::{Area, Direction, Hex, HexMap, Offset, PathLimits, find_path, hex, reachable};
use proptest::prelude::*;

fn areas() -> impl Strategy<Value = Area> {
    let cell = || (-20..20, -20..20).prop_map(|(q, r)| hex(q, r));
    prop_oneof![
        (cell(), 0u32..9).prop_map(|(center, radius)| Area::hexagon(center, radius)),
        (cell(), 0u32..9, 0u32..9).prop_map(|(min, w, h)| Area::rhombus(min, w, h)),
        (cell(), 0u32..9, 0u32..9).prop_map(|(min, w, h)| Area::rectangle(min, w, h)),
        (cell(), 0u32..9, 0u32..9).prop_map(|(min, w, h)| Area::flat_rectangle(min, w, h)),
    ]
}

fn walls() -> impl Strategy<Value = Vec<Hex>> {
    prop::collection::vec((-5..6, -5..6).prop_map(|(q, r)| hex(q, r)), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn area_indices_are_contiguous(area in areas()) {
        prop_assert_eq!(area.cells().count(), area.len());
        for (index, cell) in area.cells().enumerate() {
            prop_assert_eq!(area.index(cell), Some(index));
        }
        let around = hex(0, 0).range(70);
        prop_assert_eq!(around.filter(|&cell| area.contains(cell)).count(), area.len());
        let ascending_rows = area.cells().is_sorted_by_key(|cell| (cell.r, cell.q));
        prop_assert!(ascending_rows || area.cells().is_sorted());
        prop_assert_eq!(area.is_empty(), area.cells().next().is_none());
    }

    #[test]
    fn rectangles_match_offset_coordinates(q in -20..20, r in -20..20, w in 0u32..9, h in 0u32..9) {
        let min = hex(q, r);
        let (pointy, flat) = (Area::rectangle(min, w, h), Area::flat_rectangle(min, w, h));
        let columns_and_rows = |area: Area, offset| {
            area.cells().map(|cell| (cell - min).to_offset(offset)).collect::<Vec<_>>()
        };
        let rows = (0..h as i32).flat_map(|row| (0..w as i32).map(move |column| [column, row]));
        prop_assert_eq!(columns_and_rows(pointy, Offset::OddR), rows.collect::<Vec<_>>());
        let columns = (0..w as i32).flat_map(|column| (0..h as i32).map(move |row| [column, row]));
        prop_assert_eq!(columns_and_rows(flat, Offset::OddQ), columns.collect::<Vec<_>>());
    }

    #[test]
    fn maps_store_one_value_per_cell(area in areas()) {
        let mut map = HexMap::new(area, |cell| cell.q * 1000 + cell.r);
        for (cell, &value) in map.iter() {
            prop_assert_eq!(value, cell.q * 1000 + cell.r);
        }
        for cell in area.cells() {
            map[cell] += 1;
            *map.get_mut(cell).expect("on the map") += 1;
            prop_assert_eq!(map.get(cell), Some(&map[cell]));
        }
        prop_assert!(map.iter().all(|(cell, &value)| value == cell.q * 1000 + cell.r + 2));
        prop_assert_eq!(map.get(hex(500, 500)), None);
    }

    #[test]
    fn paths_match_bellman_ford(walls in walls(), q in -5..6, r in -5..6, least in 0u32..3) {
        // Steps east cost more; walls and cells beyond the world's border are impassable.
        let cost = |from: Hex, to: Hex| {
            let open = to.length() <= 7 && !walls.contains(&to);
            open.then(|| if to == from + Direction::E { 5 } else { 2 + to.r.unsigned_abs() % 3 })
        };
        // Compute the expected costs with the Bellman-Ford algorithm: relax all steps until no cost
        // decreases.
        let start = hex(0, 0);
        let mut cheapest = BTreeMap::from([(start, 0u64)]);
        loop {
            let mut changed = false;
            for (cell, spent) in cheapest.clone() {
                for next in cell.neighbors() {
                    if let Some(step) = cost(cell, next) {
                        let total = spent + u64::from(step);
                        let known = cheapest.entry(next).or_insert(u64::MAX);
                        changed |= total < *known;
                        *known = total.min(*known);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let reached: BTreeMap<_, _> = reachable(start, 20, cost).into_iter().collect();
        let expected: BTreeMap<_, _> = cheapest.clone().into_iter().filter(|&(_, cost)| cost <= 20).collect();
        prop_assert_eq!(reached, expected);
        prop_assert!(reachable(start, 20, cost).is_sorted_by_key(|&(cell, cost)| (cost, cell)));

        let goal = hex(q, r);
        let limits = PathLimits { min_step_cost: least, budget: 1000 };
        let path = find_path(start, goal, limits, cost);
        prop_assert_eq!(path.as_ref().map(|path| path.cost), cheapest.get(&goal).copied());
        if let Some(path) = path {
            prop_assert_eq!((path.cells.first(), path.cells.last()), (Some(&start), Some(&goal)));
            let steps = path.cells.windows(2).map(|pair| cost(pair[0], pair[1]).expect("a passable step"));
            prop_assert_eq!(steps.map(u64::from).sum::<u64>(), path.cost);
            // If the budget is one less than the cost, no path is found.
            let limits = PathLimits { budget: path.cost.saturating_sub(1), ..limits };
            prop_assert!(path.cost == 0 || find_path(start, goal, limits, cost).is_none());
        }
    }
}

/// Found by the fuzz target `hexcoord`: cells at equal costs were in the order of the search.
#[test]
fn cells_reached_without_cost_are_in_order() {
    let free = |_, to: Hex| (to.length() <= 1).then_some(0);
    let reached = reachable(hex(0, 0), 0, free);
    assert!(reached.iter().copied().eq(hex(0, 0).range(1).map(|cell| (cell, 0))), "{reached:?}");
}

#[test]
#[should_panic(expected = "cell (3, 0) is outside the area of the map")]
fn indexing_outside_the_area_panics_with_the_cell() {
    let _ = HexMap::new(Area::hexagon(hex(0, 0), 2), |_| 0)[hex(3, 0)];
}
