//! Pairs of objects within a distance, in one scene or of two scenes. Objects are identified by
//! their rows: their indices in the scene, ascending by id.
//!
//! 1. Build a structure for each scene. Without wrapping axes it is a grid without the data of a
//!    world, which is loaded and searched in about half of the time
//!    (110 in place of 196 ms, `discs:1000000`).
//! 2. Sweep the grids and collect the pairs. Sort them, and write a line for each (`write.rs`).
//! 3. If there are more pairs than may be stored, forget them: query the partners of each object of
//!    the first scene, and write their lines piece by piece.
//!
//! Discs and balls are tested in addition to their boxes if a distance is given.

mod alone;
mod metric;
mod write;

use core::ops::ControlFlow;

use broadphase_core::pairs;
use hexphase::{
    Aabb, Algorithm, Backend, BroadPhase, Hshg, Options, Reason, Region, SearchStats, SpatialIndex,
};

use crate::error::{Error, NoMemory, Shown};
use crate::memory;
use crate::scene::{Input, Number, Objects};
pub(crate) use alone::{Alone, Outcome};
pub(crate) use metric::Metric;
pub(crate) use write::{Kind, write};

/// The maximum number of pairs to store at once.
const MAX_PAIRS: usize = 1 << 23;
/// Memory of a listed pair in bytes, with the memory to sort the list and to extend it.
const BYTES_PER_PAIR: usize = 4 * size_of::<[u32; 2]>();
/// Peak memory for each object in bytes, without boxes, while a structure is built and searched.
const BYTES_PER_OBJECT: usize = 120;
/// A search makes many tests if their number exceeds that of objects and hits by this factor.
const MAX_TESTS: u64 = 32;
/// The number of copies of each box that are stored at the peak of memory.
const COPIES: usize = 5;

/// Returns the distance that the option `--within` or `--radius` sets.
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

/// Returns the value of an option that has a number.
///
/// # Errors
/// If the text is not a number of the type, or if it has decimals and the type is an integer.
pub(crate) fn read_number<S: Number>(option: &str, text: &str) -> Result<S, Error> {
    parse_number(text).map_err(|message| Error::new(option, message))
}

/// Parses a number.
///
/// # Errors
/// In the same cases as [`read_number`]; returns the message.
pub(crate) fn parse_number<S: Number>(text: &str) -> Result<S, String> {
    let fail = |why: &str| format!("\"{}\" {why}", Shown(text));
    match S::read(text.trim().as_bytes(), &mut String::new()) {
        Ok(number) if S::INTEGER && number.rounded => Err(fail("is not a whole number")),
        Ok(number) => Ok(number.value),
        Err(why) => Err(fail(&why.message::<S>())),
    }
}

/// Returns the error for a search that failed.
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

/// Returns the peak memory in bytes for a number of objects, without pairs.
pub(crate) fn bytes<S, const D: usize>(objects: usize) -> usize {
    objects.saturating_mul(BYTES_PER_OBJECT + COPIES * size_of::<Aabb<S, D>>())
}

/// The objects of a scene in a structure; the key, or the slot of the handle, is the row.
#[derive(Debug)]
struct Side<S: Number, const D: usize> {
    /// Boxes as they were read.
    bounds: Vec<Aabb<S, D>>,
    structure: Structure<S, D>,
}

/// A structure.
#[derive(Debug)]
enum Structure<S: Number, const D: usize> {
    /// The structure if no axis wraps.
    Grid(Box<Hshg<S, D, ()>>),
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
            let objects = (0..).zip(&bounds).map(|(row, &bounds)| (row, bounds, ()));
            grid.extend(objects).map_err(|_| hexphase::Error::OutOfMemory)?;
            Structure::Grid(Box::new(grid))
        } else {
            Structure::World(Box::new(world(&bounds, sides, backend)?))
        };
        Ok(Self { bounds, structure })
    }

    /// Calls `visit` with the rows of the objects within a distance of a box, ascending.
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

/// Returns a world with boxes; the user data of an object is its row.
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

/// A search for pairs.
#[derive(Debug)]
pub(crate) struct Search<S: Number, const D: usize> {
    ours: Side<S, D>,
    /// The second scene; `None` for pairs in one scene.
    theirs: Option<Side<S, D>>,
    distance: S,
    metric: Metric<D>,
    /// Whether discs or balls are tested in addition to their boxes.
    tests_discs: bool,
}

impl<S: Number, const D: usize> Search<S, D> {
    /// Builds the structures.
    ///
    /// Without a distance, pairs are overlapping boxes. With a distance they are boxes, or discs
    /// and balls if both scenes have them, at most this distance apart.
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

    /// Returns the name of the structure of the first scene.
    pub(crate) fn algorithm(&self) -> String {
        match &self.ours.structure {
            Structure::Grid(grid) => {
                let many = grid.search_stats().filter(|stats| {
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

    /// Calls `visit` with the rows of each pair until `visit` breaks, in any order. In one scene,
    /// the smaller row is the first.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut([u32; 2]) -> ControlFlow<()>) {
        let Self { ours, theirs, distance, metric, tests_discs } = self;
        let (distance, tests_discs) = (*distance, *tests_discs);
        let limit = distance.to_f64();
        let Side { bounds: ours, structure } = ours;
        let (theirs, other) = match theirs {
            Some(Side { bounds, structure }) => (&*bounds, Some(structure)),
            None => (&*ours, None),
        };
        let bounds = [&ours[..], &theirs[..]];
        let mut found = |pair: [u32; 2]| {
            if tests_discs {
                let [a, b] = [0, 1].map(|side| &bounds[side][pair[side] as usize]);
                if !metric.rounds_are_within(a, b, limit) {
                    return ControlFlow::Continue(());
                }
            }
            visit(pair)
        };
        match (structure, other) {
            (Structure::Grid(grid), None) if distance == S::ZERO => {
                let _ = grid.pairs_unordered(|a, b| found([a.key, b.key]));
            }
            (Structure::Grid(grid), None) => {
                let _ = grid.pairs_within_unordered(distance, |a, b| found([a.key, b.key]));
            }
            (Structure::Grid(grid), Some(Structure::Grid(other))) => {
                let _ = grid
                    .pairs_between_within_unordered(other, distance, |a, b| found([a.key, b.key]));
            }
            (Structure::World(world), None) => {
                let _ = world.pairs_within(distance).visit(|_, &a, &b| found([a, b]));
            }
            (Structure::World(world), Some(Structure::World(other))) => {
                let query = world.pairs_with(other).within(distance);
                let _ = query.visit(|_, &a, &b| found([a, b]));
            }
            // Both scenes have the same sides, so they have the same kind of structure.
            _ => {}
        }
    }

    /// Counts the pairs, and finds the objects of the first scene that are in one.
    pub(crate) fn tally(&mut self) -> Tally {
        let mut tally = Tally { pairs: 0, paired: vec![false; self.rows()] };
        let alone = self.theirs.is_none();
        self.visit(&mut |[a, b]| {
            tally.pairs += 1;
            tally.paired[a as usize] = true;
            if alone {
                tally.paired[b as usize] = true;
            }
            ControlFlow::Continue(())
        });
        tally
    }

    /// Finds all pairs. With `both`, each pair of one scene is listed in both directions.
    pub(crate) fn find(&mut self, both: bool) -> Found {
        // Leaves memory for the search, which fails without it.
        let other = self.theirs.as_ref().map_or(0, |theirs| theirs.bounds.len());
        let searched = bytes::<S, D>(self.rows() + other);
        let fits = |pairs: usize| memory::is_available(searched + pairs * BYTES_PER_PAIR);
        let most = (0..4).map(|step| MAX_PAIRS >> (2 * step)).find(|&pairs| fits(pairs));
        let most = most.unwrap_or(0);
        let (mut list, mut pairs) = (Some(Vec::new()), 0);
        self.visit(&mut |[a, b]| {
            pairs += 1 + u64::from(both);
            if let Some(listed) = &mut list {
                if listed.len() < most && listed.try_reserve(2).is_ok() {
                    listed.push([a, b]);
                    if both {
                        listed.push([b, a]);
                    }
                } else {
                    list = None;
                }
            }
            ControlFlow::Continue(())
        });
        // Sorting needs as much memory again; then it allocates no more of it.
        let reserve = |list: &mut Vec<[u32; 2]>| {
            list.try_reserve_exact(list.len()).is_ok() && memory::is_available(0)
        };
        if list.as_mut().is_some_and(reserve) {
            list.iter_mut().for_each(pairs::sort);
        } else {
            list = None;
        }
        Found { pairs, list }
    }

    /// Writes the rows of the objects that form a pair with an object of the first scene into
    /// `found`, ascending.
    fn partners(&self, row: u32, found: &mut Vec<u32>) {
        let bounds = &self.ours.bounds[row as usize];
        let side = self.theirs.as_ref().unwrap_or(&self.ours);
        side.query(bounds, self.distance, found);
        let (alone, limit) = (self.theirs.is_none(), self.distance.to_f64());
        found.retain(|&other| {
            let theirs = &side.bounds[other as usize];
            !(alone && other == row)
                && (!self.tests_discs || self.metric.rounds_are_within(bounds, theirs, limit))
        });
    }

    /// Returns the distance of an object of the first scene and an object of the other.
    fn distance(&self, [a, b]: [u32; 2]) -> f64 {
        let theirs = self.theirs.as_ref().unwrap_or(&self.ours);
        self.metric.distance(&self.ours.bounds[a as usize], &theirs.bounds[b as usize])
    }
}

/// The result of [`Search::tally`].
#[derive(Debug)]
pub(crate) struct Tally {
    /// The number of pairs.
    pub(crate) pairs: u64,
    /// Whether each object of the first scene is in a pair.
    pub(crate) paired: Vec<bool>,
}

/// The result of [`Search::find`].
#[derive(Debug)]
pub(crate) struct Found {
    /// The number of pairs.
    pub(crate) pairs: u64,
    /// The pairs in canonical order; `None` if there are more than may be stored.
    list: Option<Vec<[u32; 2]>>,
}
