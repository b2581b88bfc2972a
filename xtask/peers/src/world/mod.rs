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
pub fn answer<const D: usize>(world: &mut impl World<D>) -> Answer {
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

#[cfg(test)]
mod tests {
    use super::{
        Boxes, Broccoli, Grid, Parry2, Parry2Kept, Parry3, Parry3Kept, Rstar, Sorted, World,
        answer, answer_of,
    };
    use broadphase_core::scenes::{Scene, SceneName};
    use broadphase_core::{BruteForce, SpatialIndex};

    /// After so many ticks, one of them with its pairs looked at, as brute force has it.
    fn agrees<const D: usize, W: World<D>>(start: &Boxes<D>) {
        let (mut world, mut boxes) = (W::new(start), start.clone());
        for _ in 0..3 {
            assert_eq!(answer(&mut world), brute(&boxes));
            (0..40).for_each(|_| world.advance());
            (0..40).for_each(|_| boxes.advance());
        }
    }

    fn brute<const D: usize>(boxes: &Boxes<D>) -> super::Answer {
        let mut brute = BruteForce::<f32, D>::new();
        brute.extend(boxes.objects()).expect("valid bounds");
        let mut pairs = Vec::new();
        brute.pairs(&mut pairs);
        answer_of(&pairs)
    }

    #[test]
    fn pairs_of_what_rests_are_found_each_time() {
        let name: SceneName = "terdiman:500".parse().expect("a scene");
        let Scene::Solid(movers) = name.generate() else { panic!("{name} is flat") };
        let mut world: Sorted<3> = Sorted::new(&movers.into());
        for _ in 0..4 {
            world.advance();
            answer(&mut world);
            assert!(world.cells.stats().tests > 0, "none are handed out");
        }
    }

    #[test]
    fn all_worlds_agree_with_brute_force_while_they_move() {
        for name in ["discs:800", "mixed:500", "tail:500", "clustered:500"] {
            let name: SceneName = name.parse().expect("a scene");
            let Scene::Flat(movers) = name.generate() else { panic!("{name} is solid") };
            let boxes = Boxes::from(movers);
            agrees::<2, Grid<2>>(&boxes);
            agrees::<2, Sorted<2>>(&boxes);
            agrees::<2, Rstar<2>>(&boxes);
            agrees::<2, Broccoli>(&boxes);
            agrees::<2, Parry2>(&boxes);
            agrees::<2, Parry2Kept>(&boxes);
        }
        for name in ["discs3:800", "mixed3:500", "terdiman:500"] {
            let name: SceneName = name.parse().expect("a scene");
            let Scene::Solid(movers) = name.generate() else { panic!("{name} is flat") };
            let boxes = Boxes::from(movers);
            agrees::<3, Grid<3>>(&boxes);
            agrees::<3, Sorted<3>>(&boxes);
            agrees::<3, Rstar<3>>(&boxes);
            agrees::<3, Parry3>(&boxes);
            agrees::<3, Parry3Kept>(&boxes);
        }
    }
}
