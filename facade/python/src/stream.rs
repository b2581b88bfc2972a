//! Pairs in canonical order, an array at a time, in memory that does not grow with their number.
//!
//! 1. Find all pairs, but give up if they are more than a few times the number of boxes. If they
//!    are not, return them in slices.
//! 2. Otherwise build a structure. For each array, give each thread the next rows in ascending
//!    order, an equal number. The thread queries the partners of each of its rows and appends the
//!    pairs to a buffer of its own; it stops early if the buffer is full.
//! 3. Return the pairs of the buffers in order, up to and including the first thread that stopped
//!    early. Continue with the first row that this thread did not process; the work of later
//!    threads is discarded.
//!
//! To discard little work, the number of rows in step 2 doubles while the buffers stay small, and
//! halves if a buffer was full. Step 1 is faster for few pairs, since it queries no structure.

use core::fmt;
use core::mem::{replace, take};
use core::ops::Range;
use std::sync::{Mutex, PoisonError};

use broadphase_core::tasks;
use hexphase::Pair;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::boxes::Coordinate;
use crate::lists::{Index, Search, pair_array};
use crate::run::{Cancel, Pool, run};

/// The number of pairs at which the buffers of all threads together are full.
const FULL: usize = 1 << 20;
/// Initial number of rows for each thread.
const INITIAL_ROWS: usize = 16;
/// The number of pairs that are listed at once, at least and for each box.
const LISTED: (usize, usize) = (1 << 22, 4);

/// An iterator over arrays of pairs.
#[pyclass(frozen)]
pub(crate) struct Stream {
    rest: Mutex<Rest>,
    pool: Pool,
}

/// The rest of the pairs.
enum Rest {
    Pairs(Box<dyn Source>),
    /// A call of `next` has it, or was interrupted.
    Taken,
    None,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

impl Stream {
    pub(crate) fn new<S: Coordinate, const D: usize>(search: Search<S, D>, pool: Pool) -> Self {
        let rest = Rest::Pairs(Box::new(Pieces { search, state: State::New }));
        Self { rest: Mutex::new(rest), pool }
    }
}

#[pymethods]
impl Stream {
    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let lock = || self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = replace(&mut *lock(), Rest::Taken);
        let mut source = match rest {
            Rest::Pairs(source) => source,
            Rest::Taken => {
                let message = "the stream is in use by another thread, or was interrupted";
                return Err(PyValueError::new_err(message));
            }
            Rest::None => {
                *lock() = Rest::None;
                return Ok(None);
            }
        };
        let (pairs, source) = run(py, &self.pool, move |cancel| (source.next(cancel), source))?;
        *lock() = if pairs.is_some() { Rest::Pairs(source) } else { Rest::None };
        pairs.map(|pairs| pair_array(py, pairs)).transpose()
    }
}

trait Source: Send {
    /// Returns the next pairs, at least one; `None` if there are no more.
    fn next(&mut self, cancel: &Cancel) -> Option<Vec<Pair>>;
}

struct Pieces<S: Coordinate, const D: usize> {
    search: Search<S, D>,
    state: State<S, D>,
}

enum State<S: Coordinate, const D: usize> {
    New,
    /// All pairs, and the number of pairs already returned.
    Listed(Vec<Pair>, usize),
    Rows(Rows<S, D>),
}

/// The progress through the rows.
struct Rows<S: Coordinate, const D: usize> {
    index: Index<S, D>,
    /// The first row that is not processed.
    next: usize,
    /// The number of rows for each thread.
    size: usize,
    pieces: Vec<Piece>,
}

/// A range of rows that are not yet processed, and the buffer of their pairs.
#[derive(Clone, Default)]
struct Piece {
    range: Range<usize>,
    pairs: Vec<Pair>,
    partners: Vec<u32>,
}

impl<S: Coordinate, const D: usize> Source for Pieces<S, D> {
    fn next(&mut self, cancel: &Cancel) -> Option<Vec<Pair>> {
        let Self { search, state } = self;
        if let State::New = state {
            *state = State::new(search, cancel);
        }
        match state {
            State::Listed(pairs, from) => {
                let begin = *from;
                *from = pairs.len().min(begin + FULL);
                (begin < *from).then(|| pairs[begin..*from].to_vec())
            }
            State::Rows(rows) => rows.next(search, cancel),
            State::New => None,
        }
    }
}

impl<S: Coordinate, const D: usize> State<S, D> {
    fn new(search: &Search<S, D>, cancel: &Cancel) -> Self {
        let most = LISTED.0.max(LISTED.1 * search.rows());
        // Searches that wrap collect the pairs of many rows before they can be counted.
        let listed = if search.wraps() { None } else { search.find(most, cancel) };
        if let Some(pairs) = listed {
            return Self::Listed(pairs, 0);
        }
        let pieces = vec![Piece::default(); tasks::threads()];
        Self::Rows(Rows { index: search.index(), next: 0, size: INITIAL_ROWS, pieces })
    }
}

impl<S: Coordinate, const D: usize> Rows<S, D> {
    fn next(&mut self, search: &Search<S, D>, cancel: &Cancel) -> Option<Vec<Pair>> {
        let mut pairs = Vec::new();
        while pairs.is_empty() {
            if self.next == search.rows() {
                return None;
            }
            pairs = self.next_round(search, cancel);
        }
        Some(pairs)
    }

    fn next_round(&mut self, search: &Search<S, D>, cancel: &Cancel) -> Vec<Pair> {
        let Self { index, next, size, pieces } = self;
        let full = FULL / pieces.len();
        for (begin, piece) in (*next..).step_by(*size).zip(&mut *pieces) {
            let [begin, end] = [begin, begin + *size].map(|row| row.min(search.rows()));
            piece.range = begin..end;
        }
        tasks::each(pieces, |Piece { range, pairs, partners }| {
            pairs.clear();
            while pairs.len() < full
                && let Some(row) = range.next()
            {
                cancel.check();
                search.partners(index, row as u32, partners);
                pairs.extend(partners.iter().map(|&other| [row as u32, other]));
            }
        });
        let begin = *next;
        let (mut found, mut most, mut stopped) = (Vec::new(), 0, false);
        for Piece { range, pairs, .. } in pieces {
            most = most.max(pairs.len());
            (*next, stopped) = (range.start, range.start < range.end);
            if found.is_empty() {
                found = take(pairs);
            } else {
                found.extend_from_slice(pairs);
            }
            if stopped {
                break;
            }
        }
        search.remove(index, begin..*next);
        if stopped {
            *size = (*size / 2).max(1);
        } else if most < full / 2 {
            *size *= 2;
        }
        found
    }
}
