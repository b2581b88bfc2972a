//! Reduces a schedule with a difference to a short one.
//!
//! Input: a seed and a selection whose run has a difference. Output: a smaller selection whose run
//! also has a difference.
//!
//! 1. Drop the operations after the difference: they cannot affect it.
//! 2. Leave out operations: halves of the list first, then smaller and smaller parts, as long as a
//!    difference remains (delta debugging; Zeller, Hildebrandt: *Simplifying and isolating
//!    failure-inducing input*, 2002).
//! 3. Leave out objects in the same way; then operations once more, as fewer may now suffice.
//!
//! Each try runs the whole remaining schedule. The work of all tries together is limited. It is
//! counted in operations, not in time, so shrinking ends in seconds and its result depends only on
//! the seed.

use crate::ranges::Ranges;
use crate::run::{Run, Schedule, Selection};
use crate::simulation::Difference;

/// Work after which shrinking ends: number of operations, plus [`WORK_PER_TRY`] for each try.
const MAX_WORK: u64 = 20_000_000;
/// Work of a try, in operations, in addition to those it plays: the creation of two worlds.
const WORK_PER_TRY: u64 = 500;

/// The smallest selection found that still has a difference.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The selection.
    pub selection: Selection,
    /// The first difference of its run.
    pub difference: Difference,
    /// Number of schedules that were played.
    pub tries: usize,
}

/// Returns the operations or the objects of a selection.
type PartOf = fn(&mut Selection) -> &mut Option<Ranges>;

struct Search {
    seed: u64,
    best: Shrunk,
    work: u64,
}

impl Shrunk {
    /// Shrinks the selected part of the schedule of a seed. Returns `None` if it has no difference.
    #[must_use]
    pub fn new(seed: u64, selection: &Selection) -> Option<Self> {
        let difference = Run::new(seed, selection).difference?;
        let Schedule { config, ops, .. } = Schedule::new(seed, selection);
        let indices = ops.iter().map(|(index, _)| *index as u32);
        let is_chosen = |id: &u32| selection.objects.as_ref().is_none_or(|kept| kept.contains(*id));
        let mut operations: Vec<u32> =
            indices.filter(|&index| index as usize <= difference.operation).collect();
        let mut objects: Vec<u32> = (0..config.objects).filter(is_chosen).collect();
        let best = Self { selection: selection.clone(), difference, tries: 1 };
        let mut search = Search { seed, best, work: 0 };
        search.try_to_keep(&operations, operations_of);
        search.reduce(&mut operations, operations_of);
        search.reduce(&mut objects, |selection| &mut selection.objects);
        search.reduce(&mut operations, operations_of);
        Some(search.best)
    }
}

fn operations_of(selection: &mut Selection) -> &mut Option<Ranges> {
    &mut selection.operations
}

impl Search {
    /// Plays the best selection with only these items in the part that `part_of` returns, and keeps
    /// the selection as the best one if it has a difference.
    fn try_to_keep(&mut self, items: &[u32], part_of: PartOf) -> bool {
        if self.work > MAX_WORK {
            return false;
        }
        let mut selection = self.best.selection.clone();
        *part_of(&mut selection) = Some(Ranges::of(items));
        self.best.tries += 1;
        let run = Run::new(self.seed, &selection);
        self.work += run.totals.operations + WORK_PER_TRY;
        let Some(difference) = run.difference else { return false };
        self.best = Shrunk { selection, difference, tries: self.best.tries };
        true
    }

    /// Leaves out parts of `items` as long as a difference remains.
    fn reduce(&mut self, items: &mut Vec<u32>, part_of: PartOf) {
        let mut part = items.len();
        while part > 0 {
            let (mut from, mut reduced) = (0, false);
            while from < items.len() {
                let end = (from + part).min(items.len());
                let rest = [&items[..from], &items[end..]].concat();
                if self.try_to_keep(&rest, part_of) {
                    *items = rest;
                    reduced = true;
                } else {
                    from = end;
                }
            }
            // Repeats single items until none can be left out: each removal may make another one
            // possible.
            part = if part == 1 && reduced { 1 } else { part / 2 };
        }
    }
}
