//! Connected components of a body.
//!
//! 1. Collect the runs of consecutive cells, row by row.
//! 2. Union the touching runs of adjacent rows (union-find; the root of a component is its first
//!    run).
//! 3. Retain the largest component and move the others into new bodies.

use alloc::vec::Vec;

use super::HexBody;
use crate::hex::{Hex, hex};

struct Run {
    r: i32,
    first: i32,
    last: i32,
    /// Parent in the union-find forest; the run's own index if it is a root.
    parent: usize,
}

impl HexBody {
    /// Retains the largest connected component, the first of several, and passes each other
    /// component to `f` as a new body. The cells' coordinates stay: the pose is valid for the new
    /// bodies, too.
    ///
    /// Components are passed in the order of their first cells. Takes time linear in the number of
    /// cells plus components × runs.
    ///
    /// ```
    /// use hexcoord::{HexBody, hex};
    ///
    /// let mut ship: HexBody = hex(0, 0).line_to(hex(6, 0)).collect();
    /// ship.remove(hex(4, 0));
    /// let mut wrecks = Vec::new();
    /// ship.split(|part| wrecks.push(part));
    /// assert_eq!((ship.len(), wrecks.len(), wrecks[0].len()), (4, 1, 2));
    /// ```
    pub fn split(&mut self, mut f: impl FnMut(Self)) {
        let runs = self.runs();
        let mut sizes = alloc::vec![0; runs.len()];
        for run in &runs {
            sizes[run.parent] += run.last.abs_diff(run.first) + 1;
        }
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let kept = sizes.iter().position(|&size| size == largest);
        let roots = (0..runs.len()).filter(|&index| runs[index].parent == index);
        for root in roots.filter(|&root| Some(root) != kept) {
            let mut part = Self::with_grid(self.grid);
            for run in runs.iter().filter(|run| run.parent == root) {
                for q in run.first..=run.last {
                    part.insert(hex(q, run.r));
                    self.remove(hex(q, run.r));
                }
            }
            f(part);
        }
    }

    /// Returns all runs, row by row, each with the first run of its component as parent.
    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let (mut above, mut row) = (0..0, 0..0);
        for Hex { q, r } in self.cells() {
            if let Some(run) = runs.last_mut() {
                if run.r == r && run.last + 1 == q {
                    run.last = q;
                    continue;
                }
                if run.r != r {
                    row.end = runs.len();
                    union_adjacent_rows(&mut runs, above, row.clone());
                    above = row;
                    row = runs.len()..runs.len();
                }
            }
            let parent = runs.len();
            runs.push(Run { r, first: q, last: q, parent });
        }
        row.end = runs.len();
        union_adjacent_rows(&mut runs, above, row);
        for index in 0..runs.len() {
            runs[index].parent = find_root(&mut runs, index);
        }
        runs
    }
}

/// Unions touching runs of two rows: the neighbors below a cell at q are at q − 1 and q.
fn union_adjacent_rows(
    runs: &mut [Run],
    above: core::ops::Range<usize>,
    below: core::ops::Range<usize>,
) {
    let (mut i, mut j) = (above.start, below.start);
    while i < above.end && j < below.end {
        if runs[i].r.wrapping_add(1) != runs[j].r {
            return;
        }
        if runs[j].first <= runs[i].last && runs[j].last >= runs[i].first - 1 {
            let (x, y) = (find_root(runs, i), find_root(runs, j));
            // The root of a component is its first run.
            runs[x.max(y)].parent = x.min(y);
        }
        if runs[i].last <= runs[j].last {
            i += 1;
        } else {
            j += 1;
        }
    }
}

/// Returns the root of a run, with path halving.
fn find_root(runs: &mut [Run], mut index: usize) -> usize {
    while runs[index].parent != index {
        let up = runs[runs[index].parent].parent;
        runs[index].parent = up;
        index = up;
    }
    index
}
