//! Path finding: the cells reachable within a cost, and the cheapest path.
//!
//! Dijkstra's algorithm; [`find_path`] uses [A*] if a lower bound for the cost of a step is given.
//! Ties are broken by the order of cells. With n visited cells the cost is O(n log n).
//!
//! [A*]: https://www.redblobgames.com/pathfinding/a-star/introduction.html

use alloc::collections::BinaryHeap;
use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::hex::Hex;

/// The limits of a search by [`find_path`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathLimits {
    /// Lower bound for the cost of every step. Larger values save time; 0 gives Dijkstra's
    /// algorithm. If the value exceeds the cost of a step, the path may not be the cheapest.
    pub min_step_cost: u32,
    /// Maximum cost of the path. If the goal is unreachable, the search visits all cells within the
    /// budget: to limit it, return `None` from `cost` beyond some border.
    pub budget: u64,
}

/// A path of adjacent cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Path {
    /// Cells from start to goal, both included.
    pub cells: Vec<Hex>,
    /// Sum of the step costs.
    pub cost: u64,
}

/// Returns the cells that can be reached from `start` at a cost of at most `budget`, with their
/// costs, ordered by cost, then by cell.
///
/// `cost(from, to)` returns the cost of a step to a neighbor, or `None` if the step is impossible.
/// See [movement range].
///
/// ```
/// use hexcoord::{hex, reachable};
///
/// let wall = hex(1, 0);
/// let reached = reachable(hex(0, 0), 2, |_, to| (to != wall).then_some(1));
/// assert_eq!(reached.len(), 17); // of the 19 in range; not the wall and the cell behind it
/// ```
///
/// [movement range]: https://www.redblobgames.com/grids/hexagons/#range-obstacles
#[must_use]
pub fn reachable(
    start: Hex,
    budget: u64,
    cost: impl FnMut(Hex, Hex) -> Option<u32>,
) -> Vec<(Hex, u64)> {
    let mut reached = Vec::new();
    search(
        start,
        budget,
        cost,
        |_| 0,
        |cell, cost| {
            reached.push((cell, cost));
            false
        },
    );
    // A step without cost can lead to a lower cell with the cost of a cell that is already listed.
    reached.sort_unstable_by_key(|&(cell, cost)| (cost, cell));
    reached
}

/// Returns the cheapest path from `start` to `goal` that costs at most
/// [`limits.budget`](PathLimits::budget).
///
/// `cost(from, to)` returns the cost of a step to a neighbor, or `None` if it is impossible. The
/// plane is unbounded: limit the search by the budget, or by returning `None` from `cost`.
///
/// ```
/// use hexcoord::{PathLimits, find_path, hex};
///
/// let wall = hex(0, -2).line_to(hex(0, 2)).map(|cell| cell + hex(2, 0)).collect::<Vec<_>>();
/// let limits = PathLimits { min_step_cost: 1, budget: 100 };
/// let path =
///     find_path(hex(0, 0), hex(4, 0), limits, |_, to| (!wall.contains(&to)).then_some(1));
/// assert_eq!(path.expect("there is a way round").cost, 8);
/// ```
pub fn find_path(
    start: Hex,
    goal: Hex,
    limits: PathLimits,
    cost: impl FnMut(Hex, Hex) -> Option<u32>,
) -> Option<Path> {
    let PathLimits { min_step_cost, budget } = limits;
    let estimate = |cell: Hex| u64::from(cell.distance(goal)) * u64::from(min_step_cost);
    let mut found = None;
    let came_from = search(start, budget, cost, estimate, |cell, cost| {
        if cell == goal {
            found = Some(cost);
        }
        cell == goal
    });
    let cost = found?;
    let mut cells = alloc::vec![goal];
    let mut cell = goal;
    while cell != start {
        cell = came_from.get(&cell)?.1;
        cells.push(cell);
    }
    cells.reverse();
    Some(Path { cells, cost })
}

/// Visits cells in ascending order of cost plus estimate, and calls `settle` for each cell until it
/// returns true. Returns the cost and the predecessor of each visited cell.
fn search(
    start: Hex,
    budget: u64,
    mut cost: impl FnMut(Hex, Hex) -> Option<u32>,
    estimate: impl Fn(Hex) -> u64,
    mut settle: impl FnMut(Hex, u64) -> bool,
) -> BTreeMap<Hex, (u64, Hex)> {
    let mut best = BTreeMap::from([(start, (0, start))]);
    let mut open = BinaryHeap::from([Reverse((estimate(start), start, 0))]);
    while let Some(Reverse((_, cell, spent))) = open.pop() {
        if best.get(&cell).is_some_and(|&(cheapest, _)| cheapest < spent) {
            continue;
        }
        if settle(cell, spent) {
            break;
        }
        for next in cell.neighbors() {
            let Some(step) = cost(cell, next) else { continue };
            let total = spent + u64::from(step);
            let whole = total.saturating_add(estimate(next));
            if whole > budget {
                continue;
            }
            match best.entry(next) {
                Entry::Vacant(entry) => {
                    entry.insert((total, cell));
                }
                Entry::Occupied(mut entry) if total < entry.get().0 => {
                    entry.insert((total, cell));
                }
                Entry::Occupied(_) => continue,
            }
            open.push(Reverse((whole, next, total)));
        }
    }
    best
}
