//! Finds pairs of objects that overlap or are within a distance, either in one scene or between
//! two scenes. The objects of a scene are sorted by id; here each is identified by its *row*, its
//! index in this order.
//!
//! 1. Build a structure for each scene: a world if an axis wraps, otherwise a bare grid. A grid
//!    lacks the additional data of a world, so building and searching it takes about half the time
//!    (110 instead of 196 ms, `discs:1000000`).
//! 2. Find all pairs with these structures and collect them. Sort the pairs and write a line for
//!    each (`write.rs`).
//! 3. If there are more pairs than can be stored, drop the list. Instead, query the partners of
//!    each object of the first scene, and write their lines piece by piece.
//!
//! If a distance is given and all objects are discs, balls or points, each pair whose boxes are
//! within the distance is tested again with the exact shapes.

mod alone;
mod metric;
mod nearest;
mod write;

use std::sync::Mutex;

use broadphase_core::pairs;
use hexphase::{
    Aabb, Algorithm, Backend, BroadPhase, Hshg, Options, Pair, PairSearch, Reason, Region,
    SearchStats, SpatialIndex, SpatialIndexExt,
};

use crate::error::{Error, NoMemory, Shown};
use crate::memory;
use crate::pairs::max_pairs;
use crate::scene::{Input, Number, Objects};
pub(crate) use alone::{Alone, Outcome};
use metric::Distance;
pub(crate) use metric::Metric;
pub(crate) use nearest::nearest;
pub(crate) use write::{Kind, write};

/// Peak memory in bytes per object, without its boxes, while a structure is built and searched.
const BYTES_PER_OBJECT: usize = 120;
/// If a search tests more pairs than this factor times the number of objects and hits, the summary
/// has a note.
const MAX_TESTS: u64 = 32;
/// Number of copies of each box at the peak of memory.
const COPIES: usize = 5;

/// Parses the distance of the option `--within` or `--radius`.
///
/// # Errors
/// If the text is not a number of the type, or negative.
pub(crate) fn read_distance<S: Number>(option: &str, text: &str) -> Result<S, Error> {
    let distance = read_number::<S>(option, text)?;
    if distance < S::ZERO {
        return Err(Error::new(option, format_args!("the distance {} is negative", Shown(text))));
    }
    Ok(distance)
}

/// Parses a number given by an option.
///
/// # Errors
/// If the text is not a number of the type, or if it has decimals and the type is an integer.
pub(crate) fn read_number<S: Number>(option: &str, text: &str) -> Result<S, Error> {
    parse_number(text).map_err(|message| Error::new(option, message))
}

/// Parses a number. The error is the message.
///
/// # Errors
/// If the text is not a number of the type, or if it has decimals and the type is an integer.
pub(crate) fn parse_number<S: Number>(text: &str) -> Result<S, String> {
    let fail = |why: &str| format!("\"{}\" {why}", Shown(text));
    match S::read(text.trim().as_bytes()) {
        Ok(number) if S::INTEGER && number.rounded => Err(fail("is not a whole number")),
        Ok(number) => Ok(number.value),
        Err(why) => Err(fail(&why.message::<S>())),
    }
}

/// Returns the message for a failed search.
pub(crate) fn error<S, const D: usize>(
    input: &Input,
    objects: usize,
    error: &hexphase::Error,
) -> Error {
    match error {
        hexphase::Error::OutOfMemory => {
            Error::new(input, NoMemory::for_objects(objects, bytes::<S, D>(objects)))
        }
        error => Error::new(input, error),
    }
}

/// Returns the peak memory in bytes for this number of objects, without pairs.
pub(crate) fn bytes<S, const D: usize>(objects: usize) -> usize {
    objects.saturating_mul(BYTES_PER_OBJECT + COPIES * size_of::<Aabb<S, D>>())
}

/// The objects of a scene in a structure. The key of an object, or the slot of its handle, is its
/// row.
#[derive(Debug)]
struct Side<S: Number, const D: usize> {
    /// The boxes, by row.
    bounds: Vec<Aabb<S, D>>,
    structure: Structure<S, D>,
}

/// The structure that is searched.
#[derive(Debug)]
enum Structure<S: Number, const D: usize> {
    /// A bare grid, used if no axis wraps.
    Grid(Box<Hshg<S, D>>),
    /// A world that wraps.
    World(Box<BroadPhase<S, D, u32>>),
}

impl<S: Number, const D: usize> Side<S, D> {
    fn new(
        bounds: Vec<Aabb<S, D>>,
        sides: [S; D],
        backend: Backend,
    ) -> Result<Self, hexphase::Error> {
        let structure = if sides == [S::ZERO; D] {
            let mut grid = Hshg::new();
            grid.set_backend(backend);
            let objects = (0..).zip(&bounds).map(|(row, &bounds)| (row, bounds));
            grid.extend(objects).map_err(|_| hexphase::Error::OutOfMemory)?;
            Structure::Grid(Box::new(grid))
        } else {
            Structure::World(Box::new(world(&bounds, sides, backend)?))
        };
        Ok(Self { bounds, structure })
    }

    /// Writes the rows of the objects within a distance of a box into `found`, ascending.
    fn query(&self, bounds: &Aabb<S, D>, distance: S, found: &mut Vec<u32>) {
        let region = Region::around(*bounds, distance);
        match &self.structure {
            Structure::Grid(grid) => grid.query(region, found),
            Structure::World(world) => {
                found.clear();
                world.query(region).visit(|object, _, _| found.push(object.index()));
                found.sort_unstable();
            }
        }
    }
}

/// Returns a world with these boxes; the user data of an object is its row.
///
/// # Errors
/// If allocation fails.
pub(crate) fn world<S: Number, const D: usize>(
    bounds: &[Aabb<S, D>],
    sides: [S; D],
    backend: Backend,
) -> Result<BroadPhase<S, D, u32>, hexphase::Error> {
    let options = Options::new().wrap(sides).backend(backend).events(false);
    let mut world = BroadPhase::with_options(options);
    world.try_reserve(bounds.len())?;
    for (row, bounds) in (0..).zip(bounds) {
        world.insert(*bounds, row)?;
    }
    world.optimize();
    Ok(world)
}

/// A search for pairs in one scene or of two scenes.
#[derive(Debug)]
pub(crate) struct Search<S: Number, const D: usize> {
    ours: Side<S, D>,
    /// The second scene; `None` for pairs in one scene.
    theirs: Option<Side<S, D>>,
    distance: S,
    metric: Metric<S, D>,
    /// Set if discs or balls are tested after their boxes.
    tests_discs: bool,
}

impl<S: Number, const D: usize> Search<S, D> {
    /// Builds the structures.
    ///
    /// Without a distance, two objects are a pair if their boxes overlap. With a distance, two
    /// objects are a pair if they are at most this distance apart; if all objects are discs, balls
    /// or points, these are measured, otherwise boxes.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn new(
        ours: Objects<S, D>,
        theirs: Option<Objects<S, D>>,
        distance: Option<S>,
        sides: [S; D],
        backend: Backend,
    ) -> Result<Self, hexphase::Error> {
        let count = ours.bounds.len() + theirs.as_ref().map_or(0, |theirs| theirs.bounds.len());
        memory::prepare(bytes::<S, D>(count))?;
        let are_discs = ours.are_discs && theirs.as_ref().is_none_or(|theirs| theirs.are_discs);
        Ok(Self {
            ours: Side::new(ours.bounds, sides, backend)?,
            theirs: theirs.map(|theirs| Side::new(theirs.bounds, sides, backend)).transpose()?,
            distance: distance.unwrap_or(S::ZERO),
            metric: Metric::new(sides, are_discs),
            tests_discs: are_discs && distance.is_some(),
        })
    }

    /// Returns the name of the structure of the first scene, with a note if the search needed many
    /// tests.
    pub(crate) fn algorithm(&self) -> String {
        match &self.ours.structure {
            Structure::Grid(grid) => {
                let many = grid.state().search.filter(|stats| {
                    stats.tests > MAX_TESTS * (self.ours.bounds.len() as u64 + stats.hits)
                });
                let name = Algorithm::Hshg;
                many.map_or_else(
                    || name.to_string(),
                    |SearchStats { tests, hits }| {
                        format!("{name}, {}", Reason::ManyTests { tests, hits })
                    },
                )
            }
            Structure::World(world) => world.choice().to_string(),
        }
    }

    /// Returns the number of objects in the first scene.
    pub(crate) fn rows(&self) -> usize {
        self.ours.bounds.len()
    }

    /// Calls `visit` with the rows of all pairs, some at a time, in any order. In one scene, the
    /// smaller row comes first. The pairs of grids are visited while they are found, so they need
    /// no memory.
    fn visit(&mut self, visit: &mut (dyn FnMut(&[Pair]) + Send)) {
        let Self { ours, theirs, distance, metric, tests_discs } = self;
        let (distance, tests_discs) = (*distance, *tests_discs);
        let limit = distance.to_f64();
        let Side { bounds: ours, structure } = ours;
        let (theirs, other) = match theirs {
            Some(Side { bounds, structure }) => (&*bounds, Some(structure)),
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
        match (structure, other) {
            (Structure::Grid(grid), None) => grid.find_pairs(&search, &mut Vec::new()),
            (Structure::Grid(grid), Some(Structure::Grid(other))) => {
                grid.find_pairs_between(other, &search, &mut Vec::new());
            }
            (Structure::World(world), None) => {
                world.pairs_within(distance).visit(|_, &a, &b| _ = take(&mut [[a, b]]));
            }
            (Structure::World(world), Some(Structure::World(other))) => {
                let query = world.pairs_with(other).within(distance);
                query.visit(|_, &a, &b| _ = take(&mut [[a, b]]));
            }
            // Both scenes have the same sides, so they have the same kind of structure.
            _ => {}
        }
    }

    /// Counts the pairs, and marks the objects of the first scene that are in a pair.
    pub(crate) fn tally(&mut self) -> Tally {
        let mut tally = Tally { pairs: 0, paired: vec![false; self.rows()] };
        let alone = self.theirs.is_none();
        self.visit(&mut |found| {
            tally.pairs += found.len() as u64;
            for &[a, b] in found {
                tally.paired[a as usize] = true;
                if alone {
                    tally.paired[b as usize] = true;
                }
            }
        });
        tally
    }

    /// Finds all pairs. If `both`, each pair of one scene is listed in both directions.
    pub(crate) fn find(&mut self, both: bool) -> Found {
        let most = max_pairs().unwrap_or(0);
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
        if let Some(list) = &mut list {
            pairs::sort(list);
        }
        Found { pairs, list }
    }

    /// Writes the rows of the objects that form a pair with the object `row` of the first scene
    /// into `found`, ascending.
    fn partners(&self, row: u32, found: &mut Vec<u32>) {
        let bounds = &self.ours.bounds[row as usize];
        let side = self.theirs.as_ref().unwrap_or(&self.ours);
        side.query(bounds, self.distance, found);
        let (alone, limit) = (self.theirs.is_none(), self.distance.to_f64());
        found.retain(|&other| {
            let theirs = &side.bounds[other as usize];
            !(alone && other == row)
                && (!self.tests_discs || self.metric.accepts(bounds, theirs, limit))
        });
    }

    /// Returns the distance between an object of the first scene and an object of the other scene.
    fn distance(&self, [a, b]: [u32; 2]) -> Distance<S> {
        let theirs = self.theirs.as_ref().unwrap_or(&self.ours);
        self.metric.distance(&self.ours.bounds[a as usize], &theirs.bounds[b as usize])
    }
}

/// The result of [`Search::tally`].
#[derive(Debug)]
pub(crate) struct Tally {
    /// The number of pairs.
    pub(crate) pairs: u64,
    /// Set for each object of the first scene that is in a pair.
    pub(crate) paired: Vec<bool>,
}

/// The result of [`Search::find`].
#[derive(Debug)]
pub(crate) struct Found {
    /// The number of pairs.
    pub(crate) pairs: u64,
    /// The pairs in canonical order; `None` if there are more than can be stored.
    list: Option<Vec<Pair>>,
}
