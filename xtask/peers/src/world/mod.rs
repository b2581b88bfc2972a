//! Worlds in which everything moves, ours and other libraries', that can be compared.
//!
//! All hold the same boxes at the same time: those of [`Boxes`], moved by [`Tick::advance`].
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

/// A structure full of moving objects, with one way to bring it up to date.
pub trait World<const D: usize> {
    /// The structure, with these objects in it.
    fn new(boxes: &Boxes<D>) -> Self
    where
        Self: Sized;

    /// Gives every object its next position.
    fn advance(&mut self);

    /// Writes every overlapping pair into `out`, in place of what it held; in any order, and the
    /// two of a pair too.
    fn collect(&mut self, out: &mut Vec<Pair>);
}

/// Every overlapping pair of a world.
pub fn answer<const D: usize>(world: &mut (impl World<D> + ?Sized)) -> Answer {
    let mut pairs = Vec::new();
    world.collect(&mut pairs);
    answer_of(&pairs)
}

/// The answer that is these pairs, whatever their order and that of the two in each.
#[must_use]
pub fn answer_of(pairs: &[Pair]) -> Answer {
    let mut pairs: Vec<Pair> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    Answer::of_pairs(&pairs)
}

/// Makes a world of these objects.
pub type Make<const D: usize> = fn(&Boxes<D>) -> Box<dyn World<D>>;

/// Every world in two dimensions.
///
/// This table makes the compiler generate the worlds' code in this library; benchmarks and the tests
/// in `tests/` link it. Otherwise each of them would compile the structures again, as this library's
/// own test program would.
#[cfg(not(test))]
pub static FLAT: [Make<2>; 6] = [
    make::<2, Grid<2>>,
    make::<2, Sorted<2>>,
    make::<2, Rstar<2>>,
    make::<2, Broccoli>,
    make::<2, Parry2>,
    make::<2, Parry2Kept>,
];

/// Every world in three dimensions; see [`FLAT`].
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
