//! Moving scenes in our structures and in other libraries, for comparison.
//!
//! All worlds contain the same boxes in each tick: the boxes of [`Boxes`], moved by
//! [`Tick::advance`].
//!
//! ```
//! use peers::world::{Boxes, Indexed, Rstar, Run};
//!
//! let boxes = Boxes::flat("discs:1000");
//! let ours = Run::after(3, Indexed::grid(&boxes));
//! assert_eq!(ours.answer(), Run::after(3, Rstar::new(&boxes)).answer());
//! ```

mod boxes;
mod broccoli;
mod facade;
mod indexed;
mod packed;
mod parry;
mod rstar;
mod ticks;

use broadphase_core::Pair;

use crate::Answer;

pub use boxes::{Boxes, Jump, Motion, Tick};
pub use broccoli::Broccoli;
pub use facade::{Facade, answer_of_handles};
pub use indexed::Indexed;
pub use packed::{Packed2, Packed3};
pub use parry::{Parry2, Parry3};
pub use rstar::{Rstar, Tree, are_within, pairs_within, tree};
pub use ticks::{TICKS, Test};

/// A structure full of moving objects, with one way of updating it.
pub trait World<const D: usize> {
    /// Moves every object by one tick.
    fn advance(&mut self);

    /// Writes every overlapping pair into `out`, replacing its contents. The order of the pairs,
    /// and of the two keys of a pair, is unspecified.
    fn collect(&mut self, out: &mut Vec<Pair>);
}

/// A world, and the pairs of its last tick.
#[derive(Debug)]
pub struct Run<W> {
    /// The world.
    pub world: W,
    /// The pairs.
    pub pairs: Vec<Pair>,
}

impl<W> Run<W> {
    /// Runs a number of ticks; without ticks, only finds the pairs.
    pub fn after<const D: usize>(ticks: usize, world: W) -> Self
    where
        W: World<D>,
    {
        let mut run = Self { world, pairs: Vec::new() };
        run.world.collect(&mut run.pairs);
        (0..ticks).for_each(|_| run.tick());
        run
    }

    /// Moves every object and finds all pairs.
    pub fn tick<const D: usize>(&mut self)
    where
        W: World<D>,
    {
        self.world.advance();
        self.world.collect(&mut self.pairs);
    }

    /// Returns the answer for the pairs.
    pub fn answer(&self) -> Answer {
        answer_of(&self.pairs)
    }
}

/// Returns the answer for these pairs, in any order and with any order within each pair.
pub fn answer_of(pairs: &[Pair]) -> Answer {
    let mut pairs: Vec<Pair> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    Answer::of_pairs(&pairs)
}

/// Creates a world with these objects.
pub type Make<const D: usize> = fn(&Boxes<D>) -> Box<dyn World<D>>;

/// All worlds in two dimensions.
///
/// This table makes the compiler generate the code of the worlds in this library; benchmarks and
/// the tests in `tests/` link it. Otherwise each of them would compile the structures again. Unit
/// tests would do so, too, so they leave the table out.
#[cfg(not(test))]
pub static FLAT: [Make<2>; 7] = [
    |boxes| Box::new(Indexed::grid(boxes)),
    |boxes| Box::new(Indexed::sorted(boxes)),
    |boxes| Box::new(Rstar::new(boxes)),
    |boxes| Box::new(Broccoli::new(boxes)),
    |boxes| Box::new(Parry2::new(boxes)),
    |boxes| Box::new(Parry2::new(boxes).only_refitted()),
    |boxes| Box::new(Packed2::new(boxes)),
];

/// All worlds in three dimensions; see [`FLAT`].
#[cfg(not(test))]
pub static SOLID: [Make<3>; 6] = [
    |boxes| Box::new(Indexed::grid(boxes)),
    |boxes| Box::new(Indexed::sorted(boxes)),
    |boxes| Box::new(Rstar::new(boxes)),
    |boxes| Box::new(Parry3::new(boxes)),
    |boxes| Box::new(Parry3::new(boxes).only_refitted()),
    |boxes| Box::new(Packed3::new(boxes)),
];

/// A library that builds its structure for one search.
#[derive(Clone, Copy, Debug)]
pub struct Builder<const D: usize> {
    /// The name of the library.
    pub name: &'static str,
    /// Builds the structure and writes every overlapping pair, in any order.
    pub find_pairs: fn(&Boxes<D>, &mut Vec<Pair>),
    /// Whether the build runs on the threads of the current pool.
    pub parallel: bool,
}

impl<const D: usize> Builder<D> {
    /// Returns the answer for the pairs that the library finds.
    pub fn answer(&self, boxes: &Boxes<D>) -> Answer {
        let mut pairs = Vec::new();
        (self.find_pairs)(boxes, &mut pairs);
        answer_of(&pairs)
    }
}

/// The libraries that are built for one search in two dimensions. parry and rstar are left out:
/// building and joining one of their trees takes 2.5 to 8 times as long as with
/// `packed_spatial_index`.
#[cfg(not(test))]
pub static FLAT_BUILDERS: [Builder<2>; 3] = [
    Builder { name: "broccoli", find_pairs: Broccoli::find_pairs, parallel: false },
    Builder { name: "packed_spatial_index", find_pairs: Packed2::find_pairs, parallel: false },
    Builder { name: "packed_spatial_index", find_pairs: Packed2::par_find_pairs, parallel: true },
];

/// The libraries that are built for one search in three dimensions; see [`FLAT_BUILDERS`].
#[cfg(not(test))]
pub static SOLID_BUILDERS: [Builder<3>; 2] = [
    Builder { name: "packed_spatial_index", find_pairs: Packed3::find_pairs, parallel: false },
    Builder { name: "packed_spatial_index", find_pairs: Packed3::par_find_pairs, parallel: true },
];
