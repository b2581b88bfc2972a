//! Moving scenes in our structures and in other libraries, for comparison.
//!
//! All worlds contain the same boxes in each tick: the boxes of [`Boxes`], moved by
//! [`Tick::advance`].
//!
//! ```
//! use broadphase_core::scenes::{Scene, SceneName};
//! use peers::world::{Boxes, Grid, Rstar, World, answer};
//!
//! let name: SceneName = "discs:1000".parse()?;
//! let Scene::Flat(movers) = name.generate() else { unreachable!("discs are flat") };
//! let boxes = Boxes::from(movers);
//! let (mut ours, mut theirs) = (Grid::new(&boxes), Rstar::new(&boxes));
//! for _tick in 0..3 {
//!     ours.advance();
//!     theirs.advance();
//! }
//! assert_eq!(answer(&mut ours), answer(&mut theirs));
//! # Ok::<(), broadphase_core::scenes::UnknownScene>(())
//! ```

mod boxes;
mod broccoli;
mod grid;
mod parry;
mod rstar;
mod sorted;

use broadphase_core::Pair;

use crate::Answer;

pub use boxes::{Boxes, Motion, Tick};
pub use broccoli::Broccoli;
pub use grid::Grid;
pub use parry::{Parry2, Parry2Kept, Parry3, Parry3Kept};
pub use rstar::Rstar;
pub use sorted::Sorted;

/// A structure full of moving objects, with one way of updating it.
pub trait World<const D: usize> {
    /// Creates the structure with these objects.
    fn new(boxes: &Boxes<D>) -> Self
    where
        Self: Sized;

    /// Moves every object by one tick.
    fn advance(&mut self);

    /// Writes every overlapping pair into `out`, replacing its contents. The order of the pairs,
    /// and of the two keys of a pair, is unspecified.
    fn collect(&mut self, out: &mut Vec<Pair>);
}

/// Returns the answer for every overlapping pair of a world.
pub fn answer<const D: usize>(world: &mut (impl World<D> + ?Sized)) -> Answer {
    let mut pairs = Vec::new();
    world.collect(&mut pairs);
    answer_of(&pairs)
}

/// Returns the answer for these pairs, in any order and with any order within each pair.
#[must_use]
pub fn answer_of(pairs: &[Pair]) -> Answer {
    let mut pairs: Vec<Pair> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    Answer::of_pairs(&pairs)
}

/// Creates a world with these objects.
pub type Make<const D: usize> = fn(&Boxes<D>) -> Box<dyn World<D>>;

/// All worlds in two dimensions.
///
/// Because of this table, the compiler generates the code of the worlds in this library, and
/// benchmarks and the tests in `tests/` link it. Otherwise each of them would compile the
/// structures again, as unit tests of this library would.
#[cfg(not(test))]
pub static FLAT: [Make<2>; 6] = [
    make::<2, Grid<2>>,
    make::<2, Sorted<2>>,
    make::<2, Rstar<2>>,
    make::<2, Broccoli>,
    make::<2, Parry2>,
    make::<2, Parry2Kept>,
];

/// All worlds in three dimensions; see [`FLAT`].
#[cfg(not(test))]
pub static SOLID: [Make<3>; 5] = [
    make::<3, Grid<3>>,
    make::<3, Sorted<3>>,
    make::<3, Rstar<3>>,
    make::<3, Parry3>,
    make::<3, Parry3Kept>,
];

#[cfg(not(test))]
fn make<const D: usize, W: World<D> + 'static>(boxes: &Boxes<D>) -> Box<dyn World<D>> {
    Box::new(W::new(boxes))
}
