//! The scan of a polygon, row by row.
//!
//! Input: edges, sorted by their lower ends. Output: the runs of each row in ascending order; they
//! are disjoint and not adjacent. For each row:
//!
//! 1. If no edge is active, skip to the first row of the next edge. Activate the edges of the row.
//! 2. Compute the cells at which active edges cross the row, and sort these cells. Between the
//!    first and the second, the third and the fourth, and so on, centers are inside the polygon.
//! 3. Unless the rule is [`Containment::Center`], compute and sort the intervals of cells that
//!    edges touch (for [`Containment::Full`]: whose interior they enter). A cell outside all
//!    intervals is inside the polygon if its center is.
//! 4. Combine: [`Containment::Center`] takes the runs of step 2. [`Containment::Overlapping`] adds
//!    the intervals to them, [`Containment::Full`] removes the intervals from them.
//! 5. Remove the edges that end at the row.
//!
//! A row with k active edges costs O(k log k), independent of the number of cells.

use alloc::vec::Vec;

use super::contact::Contact;
use super::edge::Edge;
use super::row_line::{Crossing, Slope};
use super::{Containment, Run};

/// The q of the first and the last cell of a run or an interval.
type Interval = [i32; 2];

#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    shift: u32,
    containment: Containment,
    /// All edges, sorted by their lower ends.
    pub(super) edges: Vec<Edge>,
    /// Index of the next edge to activate.
    next: usize,
    row: i64,
    crossings: Vec<Crossing>,
    contacts: Vec<Contact>,
    /// The q of the cells at which the scan enters or leaves the polygon.
    changes: Vec<i32>,
    touched: Vec<Interval>,
    inside: Vec<Interval>,
    runs: Vec<Interval>,
    /// Index of the next run to return.
    cursor: usize,
}

impl Scan {
    pub(super) fn start(&mut self, shift: u32, containment: Containment) {
        (self.shift, self.containment) = (shift, containment);
        (self.next, self.cursor) = (0, 0);
        self.crossings.clear();
        self.contacts.clear();
        self.runs.clear();
        if containment == Containment::Center {
            self.edges.retain(|edge| {
                let [first, last] = Crossing::rows(edge, shift);
                first <= last
            });
        }
        self.edges.sort_unstable_by_key(|edge| edge.low.b);
    }

    #[inline]
    pub(super) fn next_run(&mut self) -> Option<Run> {
        loop {
            if let Some(&[first, last]) = self.runs.get(self.cursor) {
                self.cursor += 1;
                return Some(Run { r: self.row as i32, first, last });
            }
            if !self.next_row() {
                return None;
            }
        }
    }

    /// Computes the runs of the next row. Returns false after the last row.
    fn next_row(&mut self) -> bool {
        self.runs.clear();
        self.cursor = 0;
        if !self.activate() {
            return false;
        }
        self.find_changes();
        let inside = self.changes.chunks_exact(2).map(|pair| [pair[0], pair[1] - 1]);
        let inside = inside.filter(|[first, last]| first <= last);
        match self.containment {
            Containment::Center => inside.for_each(|run| push_run(&mut self.runs, run)),
            Containment::Overlapping => {
                self.touched.clear();
                self.touched.extend(inside);
                self.find_touched(false);
                self.touched.iter().for_each(|&run| push_run(&mut self.runs, run));
            }
            Containment::Full => {
                self.inside.clear();
                inside.for_each(|run| push_run(&mut self.inside, run));
                self.touched.clear();
                self.find_touched(true);
                subtract(&self.inside, &self.touched, &mut self.runs);
            }
        }
        true
    }

    /// Advances to the next row with edges and adds the edges that start there, if any remain.
    fn activate(&mut self) -> bool {
        let (shift, center) = (self.shift, self.containment == Containment::Center);
        let first_row = |edge: &Edge| {
            let rows = if center { Crossing::rows } else { Contact::rows };
            rows(edge, shift)[0]
        };
        self.row += 1;
        if self.crossings.is_empty() && self.contacts.is_empty() {
            let Some(edge) = self.edges.get(self.next) else { return false };
            self.row = first_row(edge);
        }
        while let Some(edge) = self.edges.get(self.next).filter(|edge| first_row(edge) <= self.row)
        {
            let slope = Slope::new(edge, shift);
            let [first, last] = Crossing::rows(edge, shift);
            if first <= last {
                self.crossings.push(Crossing::new(edge, slope, shift));
            }
            if !center {
                self.contacts.push(Contact::new(edge, slope, shift));
            }
            self.next += 1;
        }
        true
    }

    fn find_changes(&mut self) {
        self.changes.clear();
        let mut index = 0;
        while let Some(crossing) = self.crossings.get_mut(index) {
            self.changes.extend(crossing.next(self.row));
            if crossing.last > self.row {
                index += 1;
            } else {
                self.crossings.swap_remove(index);
            }
        }
        self.changes.sort_unstable();
    }

    /// Adds the touched cells to `touched`, sorted; with `interior`, cells whose interior is
    /// entered.
    fn find_touched(&mut self, interior: bool) {
        let mut index = 0;
        while let Some(contact) = self.contacts.get_mut(index) {
            self.touched.extend(contact.next(self.row, self.shift, interior));
            if contact.last > self.row {
                index += 1;
            } else {
                self.contacts.swap_remove(index);
            }
        }
        self.touched.sort_unstable_by_key(|&[first, _]| first);
    }
}

/// Appends an interval that does not start before the last run, or extends the last run if both
/// overlap or are adjacent.
#[inline]
fn push_run(runs: &mut Vec<Interval>, [first, last]: Interval) {
    match runs.last_mut() {
        Some(run) if i64::from(first) <= i64::from(run[1]) + 1 => run[1] = run[1].max(last),
        _ => runs.push([first, last]),
    }
}

/// Appends the parts of `runs`, which are disjoint, that are in no interval of `covered`. Both are
/// sorted.
fn subtract(runs: &[Interval], covered: &[Interval], parts: &mut Vec<Interval>) {
    let mut next = 0;
    for &[first, last] in runs {
        // Compute in `i64`, because the cell after the last can exceed `i32`.
        let mut first = i64::from(first);
        while let Some(&[from, to]) = covered.get(next).filter(|[from, _]| *from <= last) {
            if first < i64::from(from) {
                parts.push([first as i32, from - 1]);
            }
            first = first.max(i64::from(to) + 1);
            // An interval may reach into the next run.
            if to > last {
                break;
            }
            next += 1;
        }
        if first <= i64::from(last) {
            parts.push([first as i32, last]);
        }
    }
}
