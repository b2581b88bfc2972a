//! Structures for the objects of scenes, and searches for pairs that overlap or are within a
//! distance, in one scene or between two. The objects of a scene are sorted by id; here each is
//! identified by its *row*, its index in this order, which is also its key in a structure.
//!
//! 1. Find all pairs and collect them: in the lists of boxes ([`hexphase::find_pairs`]), or with a
//!    structure for each scene if an axis wraps or another algorithm is set.
//! 2. Sort the pairs and write a line for each (`write.rs`).
//! 3. If there are more pairs than can be stored, drop the list. Instead, build the structures,
//!    query the partners of each object of the first scene, and write their lines piece by piece.
//!
//! If a distance is given and all objects are discs, balls or points, each pair whose boxes are
//! within the distance is tested again with the exact shapes.

mod index;
mod job;
mod metric;
mod write;

use std::sync::Mutex;

use broadphase_core::pairs;
use hexphase::{Pair, PairSearch, Region, SearchStats, SpatialIndexExt};

use crate::error::{Count, Error, Shown};
use crate::memory::{self, OutOfMemory};
use crate::scene::{Input, Number, Objects};
pub(crate) use index::{Index, Setup, algorithm_for, bytes, nearest};
use index::{find_pairs_between, find_pairs_of_boxes};
pub(crate) use job::{Job, Outcome};
use metric::Distance;
pub(crate) use metric::Metric;
pub(crate) use write::Kind;
use write::Writer;

/// Maximum number of pairs that are listed at once; more are written in pieces.
const MAX_PAIRS: usize = 1 << 23;
/// Minimum number of pairs for which memory must be available; otherwise there is no list.
const MIN_PAIRS: usize = 1 << 18;
/// Peak memory in bytes per pair, while pairs are found and sorted.
const BYTES_PER_PAIR: usize = 64;

/// Parses the distance of the option `--within` or `--radius`; `None` without the option.
pub(crate) fn read_distance<S: Number>(
    option: &str,
    text: Option<&str>,
) -> Result<Option<S>, Error> {
    let Some(text) = text else { return Ok(None) };
    let distance = read_number::<S>(option, text)?;
    if distance < S::ZERO {
        return Err(Error::new(option, format_args!("the distance {} is negative", Shown(text))));
    }
    Ok(Some(distance))
}

pub(crate) fn read_number<S: Number>(option: &str, text: &str) -> Result<S, Error> {
    parse_number(text).map_err(|message| Error::new(option, message))
}

/// Parses a number. The error is the message.
pub(crate) fn parse_number<S: Number>(text: &str) -> Result<S, String> {
    let fail = |why: &str| format!("\"{}\" {why}", Shown(text));
    match S::read(text.trim().as_bytes()) {
        Ok(number) if S::INTEGER && number.rounded => Err(fail("is not a whole number")),
        Ok(number) => Ok(number.value),
        Err(why) => Err(fail(&why.message::<S>())),
    }
}

/// A search for pairs in one scene or of two.
struct Search<S: Number, const D: usize> {
    ours: Index<S, D>,
    /// The second scene; `None` for pairs in one scene.
    theirs: Option<Index<S, D>>,
    setup: Setup<S, D>,
    /// Statistics of a search in lists.
    stats: Option<SearchStats>,
    distance: S,
    metric: Metric<S, D>,
    /// Set if discs or balls are tested after their boxes.
    tests_discs: bool,
}

impl<S: Number, const D: usize> Search<S, D> {
    /// Builds structures, if pairs are not found in lists. Without a distance, two objects are a
    /// pair if their boxes overlap. With a distance, they are a pair if they are at most this
    /// distance apart; if all objects are discs, balls or points, these are measured, otherwise
    /// boxes.
    fn new(
        ours: Objects<S, D>,
        theirs: Option<Objects<S, D>>,
        setup: Setup<S, D>,
        distance: Option<S>,
        input: &Input,
    ) -> Result<Self, Error> {
        let count = ours.bounds.len() + theirs.as_ref().map_or(0, |theirs| theirs.bounds.len());
        let bytes = bytes::<S, D>(count, setup.algorithm.name() == "hash");
        let are_discs = ours.are_discs && theirs.as_ref().is_none_or(|theirs| theirs.are_discs);
        let mut search = Self {
            ours: Index::new(ours.bounds),
            theirs: theirs.map(|theirs| Index::new(theirs.bounds)),
            setup,
            stats: None,
            distance: distance.unwrap_or(S::ZERO),
            metric: Metric::new(setup.sides, are_discs),
            tests_discs: are_discs && distance.is_some(),
        };
        memory::prepare(bytes)
            .and_then(|()| if setup.uses_lists() { Ok(()) } else { search.build() })
            .map_err(|OutOfMemory| Error::no_memory(input, Count::objects(count), bytes))?;
        Ok(search)
    }

    /// Builds the structures.
    fn build(&mut self) -> Result<(), OutOfMemory> {
        self.ours.build(self.setup)?;
        self.theirs.as_mut().map_or(Ok(()), |theirs| theirs.build(self.setup))
    }

    /// Returns the name of the algorithm, with a note if the search needed many tests.
    fn algorithm(&self) -> String {
        self.ours.name(self.setup, self.stats)
    }

    fn rows(&self) -> usize {
        self.ours.bounds.len()
    }

    /// Calls `visit` with the rows of all pairs, some at a time, in any order. In one scene, the
    /// smaller row comes first. Pairs are visited while they are found, so they need no memory.
    fn visit(&mut self, visit: &mut (dyn FnMut(&[Pair]) + Send)) {
        let Self { ours, theirs, setup, stats, distance, metric, tests_discs } = self;
        let (distance, tests_discs) = (*distance, *tests_discs);
        let limit = distance.to_f64();
        let Index { bounds: ours, structure, .. } = ours;
        let (theirs, other) = match theirs {
            Some(Index { bounds, structure, .. }) => (&*bounds, Some(structure)),
            None => (&*ours, None),
        };
        let accept = |a: u32, b: u32| {
            !tests_discs || metric.accepts(&ours[a as usize], &theirs[b as usize], limit)
        };
        let visit = Mutex::new(visit);
        let take = |found: &mut [Pair]| {
            let kept = pairs::accepted(found, accept);
            visit.lock().expect("the visitor has not panicked")(&found[..kept]);
            0
        };
        let within = (distance > S::ZERO).then_some(distance);
        let search = PairSearch { distance: within, filter: Some(&take), sorted: false };
        match other {
            _ if setup.uses_lists() => {
                let theirs = other.map(|_| &theirs[..]);
                *stats = find_pairs_of_boxes(setup.backend, ours, theirs, &search);
            }
            None => index::built(structure).find_pairs(&search, &mut Vec::new()),
            Some(other) => {
                find_pairs_between(index::built(structure), index::built(other), &search);
            }
        }
    }

    /// Counts the pairs, and marks the objects of the first scene that are in a pair.
    fn tally(&mut self) -> Found {
        let mut tally = Found { paired: vec![false; self.rows()], ..Found::default() };
        self.visit(&mut |found| {
            tally.pairs += found.len() as u64;
            found.iter().for_each(|pair| tally.paired[pair[0] as usize] = true);
        });
        tally
    }

    /// Finds all pairs. If `both`, each pair of one scene is listed in both directions. If they are
    /// more than can be stored, builds the structures.
    fn find(&mut self, both: bool) -> Result<Found, OutOfMemory> {
        let most = max_pairs();
        let (mut list, mut pairs) = (Some(Vec::new()), 0);
        self.visit(&mut |found| {
            pairs += (found.len() as u64) << u32::from(both);
            let lines = found.len() << u32::from(both);
            let fits = |list: &mut Vec<Pair>| {
                list.len() + lines <= most && list.try_reserve(lines).is_ok()
            };
            if !list.as_mut().is_some_and(fits) {
                list = None;
            }
            if let Some(list) = &mut list {
                list.extend_from_slice(found);
                if both {
                    list.extend(found.iter().map(|&[a, b]| [b, a]));
                }
            }
        });
        match &mut list {
            Some(list) => pairs::sort(list),
            None => self.build()?,
        }
        Ok(Found { pairs, list, paired: Vec::new() })
    }

    /// Writes the rows of the partners of an object of the first scene into `found`, ascending.
    fn partners(&self, row: u32, found: &mut Vec<u32>) {
        let bounds = &self.ours.bounds[row as usize];
        let other = self.theirs.as_ref().unwrap_or(&self.ours);
        other.structure().query(Region::around(*bounds, self.distance), found);
        let (alone, limit) = (self.theirs.is_none(), self.distance.to_f64());
        found.retain(|&partner| {
            let theirs = &other.bounds[partner as usize];
            !(alone && partner == row)
                && (!self.tests_discs || self.metric.accepts(bounds, theirs, limit))
        });
    }

    fn distance(&self, [a, b]: [u32; 2]) -> Distance<S> {
        let theirs = self.theirs.as_ref().unwrap_or(&self.ours);
        self.metric.distance(&self.ours.bounds[a as usize], &theirs.bounds[b as usize])
    }
}

/// Returns the maximum number of pairs that can be listed at once in the available memory.
fn max_pairs() -> usize {
    let halves = core::iter::successors(Some(MAX_PAIRS), |pairs| Some(pairs / 2));
    let mut sizes = halves.take_while(|&pairs| pairs >= MIN_PAIRS);
    sizes.find(|pairs| memory::is_available(pairs * BYTES_PER_PAIR)).unwrap_or(0)
}

#[derive(Debug, Default)]
struct Found {
    pairs: u64,
    /// The pairs in canonical order; `None` if they were counted, or are more than can be stored.
    list: Option<Vec<Pair>>,
    /// Set for each object of the first scene that is the first of a pair, if pairs were counted.
    paired: Vec<bool>,
}
