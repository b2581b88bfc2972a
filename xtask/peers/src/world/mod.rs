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
mod jump;
mod packed;
mod parry;
mod rstar;
mod sorted;

use broadphase_core::Pair;

use crate::Answer;

pub use boxes::{Boxes, Motion, Tick};
pub use broccoli::Broccoli;
pub use grid::Grid;
pub use jump::Jump;
pub use packed::{Packed2, Packed3};
pub use parry::{Parry2, Parry2Kept, Parry3, Parry3Kept};
pub use rstar::{Rstar, pairs_within};
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
/// This table makes the compiler generate the code of the worlds in this library; benchmarks and
/// the tests in `tests/` link it. Otherwise each of them would compile the structures again. Unit
/// tests would do so, too, so they leave the table out.
#[cfg(not(test))]
pub static FLAT: [Make<2>; 7] = [
    make::<2, Grid<2>>,
    make::<2, Sorted<2>>,
    make::<2, Rstar<2>>,
    make::<2, Broccoli>,
    make::<2, Parry2>,
    make::<2, Parry2Kept>,
    make::<2, Packed2>,
];

/// All worlds in three dimensions; see [`FLAT`].
#[cfg(not(test))]
pub static SOLID: [Make<3>; 6] = [
    make::<3, Grid<3>>,
    make::<3, Sorted<3>>,
    make::<3, Rstar<3>>,
    make::<3, Parry3>,
    make::<3, Parry3Kept>,
    make::<3, Packed3>,
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

#[cfg(not(test))]
fn make<const D: usize, W: World<D> + 'static>(boxes: &Boxes<D>) -> Box<dyn World<D>> {
    Box::new(W::new(boxes))
}
