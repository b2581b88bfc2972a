//! Steps with a limit on the number of pairs.

use core::fmt;

use broadphase_core::Scalar;

use super::BroadPhase;
use crate::UserData;
use crate::engine::PairCounter;
use crate::registry::UnwindGuard;

/// The error of [`BroadPhase::step_up_to`]: too many pairs. Requires the feature `std`.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, TooManyPairs};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// for _ in 0..10 {
///     world.insert(Aabb::point([0.0, 0.0]), ())?;
/// }
/// let TooManyPairs { pairs, .. } = world.step_up_to(44).unwrap_err();
/// assert_eq!(pairs, 45);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TooManyPairs {
    /// The number of pairs.
    pub pairs: u64,
}

impl fmt::Display for TooManyPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pairs are more than allowed", self.pairs)
    }
}

impl core::error::Error for TooManyPairs {}

impl<S: Scalar, const D: usize, U: UserData> BroadPhase<S, D, U> {
    /// Takes a [`step`](Self::step) if there are at most `most` pairs; otherwise only counts the
    /// pairs and returns an error. `most` bounds the memory (about 50 bytes per pair at the peak).
    ///
    /// With `most` 0, pairs are never stored; [`overlapping`](Self::overlapping) lists them object
    /// by object. Requires the feature `std`.
    ///
    /// # Errors
    /// If there are more than `most` pairs; the error contains their number. The pairs and events
    /// of the last step are restored, or removed if [`events`](crate::Options::events) are
    /// disabled.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for _ in 0..3 {
    ///     world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// }
    /// assert_eq!(world.step_up_to(2).unwrap_err().pairs, 3);
    /// assert_eq!(world.pairs().len(), 0);
    /// world.step_up_to(3)?;
    /// assert_eq!(world.pairs().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_up_to(&mut self, most: usize) -> Result<(), TooManyPairs> {
        let counter = PairCounter::new(most);
        self.engine.find_pairs(&mut self.registry, Some(&|| counter.count()));
        if !counter.is_complete() {
            // Beyond the limit, the number of stored pairs depends on the threads: undo the step.
            drop(UnwindGuard(&mut self.registry));
            return Err(TooManyPairs { pairs: counter.total() });
        }
        self.complete_step();
        Ok(())
    }
}
