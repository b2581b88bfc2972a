//! What a grid may be told when it is made.

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Scalar, instances};

use super::data::Payload;
use super::storage::tiers::{LEVELS_SHARED, Tiers};
use super::update::deferred::Staging;
use super::{Core, Hshg};

/// How a grid is made; what is not said follows the objects.
///
/// ```
/// use broadphase_hshg::{Hshg, HshgConfig};
///
/// let config = HshgConfig::new().smallest_cell(256).levels(4).capacity(10_000);
/// let world: Hshg<i32, 2> = Hshg::with_config(config);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HshgConfig<S = f32> {
    smallest_cell: Option<S>,
    levels: u32,
    capacity: usize,
    manual: bool,
}

/// One size in so many may be below the one that counts as the smallest.
const IGNORED_ONE_IN: usize = 20;

impl<S: Scalar> HshgConfig<S> {
    /// Nothing said.
    #[must_use]
    pub const fn new() -> Self {
        Self { smallest_cell: None, levels: u32::MAX, capacity: 0, manual: false }
    }

    /// For such objects: the smallest cells are about as large as the smallest of them.
    ///
    /// One object in twenty may be smaller still, and does not count; nor do points and invalid
    /// bounds. A sample of the objects is enough. If there is nothing to go by, nothing is said.
    ///
    /// A grid that is not told looks at its objects itself, again and again; this is for those who
    /// want the same levels whatever comes.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, HshgConfig};
    ///
    /// let mut ships: Vec<_> = (0..100).map(|n| Aabb::of_ball([n as f32, 0.0], 2.0)).collect();
    /// let config = HshgConfig::recommend(&ships);
    /// assert_eq!(config, HshgConfig::new().smallest_cell(4.0));
    /// ships.extend([Aabb::point([0.0, 0.0]), Aabb::of_ball([1.0, 0.0], 0.001)]);
    /// assert_eq!(HshgConfig::recommend(&ships), config);
    /// ```
    #[must_use]
    pub fn recommend<const D: usize>(objects: &[Aabb<S, D>]) -> Self {
        let valid = objects.iter().filter(|bounds| bounds.checked().is_ok());
        let mut sizes: Vec<f64> = valid.map(largest_extent).filter(|&size| size > 0.0).collect();
        if sizes.is_empty() {
            return Self::new();
        }
        let rank = (sizes.len() - 1) / IGNORED_ONE_IN;
        let (_, &mut size, _) = sizes.select_nth_unstable_by(rank, f64::total_cmp);
        Self::new().smallest_cell(S::from_f64(size.min(S::MAX.to_f64())))
    }

    /// The side of the cells of level 0, best about the size of the smallest objects; it is
    /// rounded up to a power of two.
    ///
    /// # Panics
    /// If it is not positive and finite.
    #[must_use]
    pub fn smallest_cell(self, side: S) -> Self {
        assert!(
            side > S::ZERO && side.is_finite(),
            "the side of a cell must be positive and finite, not {side}"
        );
        Self { smallest_cell: Some(side), ..self }
    }

    /// At most so many levels: what is larger than a cell of the highest one is in it as well.
    ///
    /// No answer depends on it. A level without objects costs nothing, so there is no need to say
    /// it; it keeps a few objects of all sizes between enormous and absurd from having levels each
    /// of their own. All that are too large for the highest level are kept together and tested
    /// against each other along the first axis only: a few hundred are fine, and many thousands
    /// cost time. Three levels are stored as one, so up to four times too large is not yet too
    /// large if the count is not a multiple of three.
    ///
    /// # Panics
    /// If there are to be none.
    #[must_use]
    pub const fn levels(self, count: u32) -> Self {
        assert!(count > 0, "a grid has at least one level");
        Self { levels: count, ..self }
    }

    /// Room for so many objects, whose keys follow each other, taken when the grid is made.
    #[must_use]
    pub const fn capacity(self, objects: usize) -> Self {
        Self { capacity: objects, ..self }
    }

    /// Upkeep that costs more than what changed waits for
    /// [`optimize`](broadphase_core::SpatialIndex::optimize) or [`Hshg::optimize_within`]:
    /// choosing levels anew when the objects have become other ones, making crowded rows narrower and
    /// rows wider where a crowd has gone, letting all follow those that left a
    /// [skin](Hshg::set_skin) by key, giving up places that no row has. Without these calls answers
    /// stay right, but take ever longer.
    #[must_use]
    pub const fn manual_upkeep(self) -> Self {
        Self { manual: true, ..self }
    }

    pub(super) const fn is_manual(&self) -> bool {
        self.manual
    }

    /// The number of the highest level.
    pub(super) const fn highest_level(&self) -> u32 {
        self.levels - 1
    }

    /// The highest tier: that of what is too large for the highest level.
    fn highest_tier(&self) -> i32 {
        (self.highest_level() / LEVELS_SHARED as u32 + 1) as i32
    }

    /// The tiers that were asked for, or those for objects of such sizes.
    pub(super) fn tiers(&self, sizes: impl FnOnce() -> Vec<f64>) -> Tiers {
        match self.smallest_cell {
            Some(side) => Tiers::of_cell(side.to_f64(), self.highest_tier()),
            None => Tiers::of_sizes(&mut sizes(), self.highest_tier()),
        }
    }
}

impl<S: Scalar> Default for HshgConfig<S> {
    fn default() -> Self {
        Self::new()
    }
}

fn largest_extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let ends = bounds.min.iter().zip(&bounds.max);
    ends.map(|(min, max)| max.to_f64() - min.to_f64()).fold(0.0, f64::max)
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// No objects.
    ///
    /// # Panics
    /// If the memory for the capacity is not to be had.
    #[must_use]
    pub fn with_config(config: HshgConfig<S>) -> Self {
        Self::try_with_config(config).expect("memory for the capacity")
    }

    /// No objects, if the memory is to be had.
    ///
    /// # Errors
    /// If the memory for the capacity is not.
    ///
    /// ```
    /// use broadphase_hshg::{Hshg, HshgConfig, IndexError};
    ///
    /// let config = HshgConfig::new().capacity(usize::MAX);
    /// let none = Hshg::<f32, 3, u64>::try_with_config(config);
    /// assert_eq!(none.err(), Some(IndexError::OutOfMemory));
    /// ```
    pub fn try_with_config(config: HshgConfig<S>) -> Result<Self, IndexError> {
        let (core, data) = (empty(&config), Payload::new());
        let mut world = Self { core, data, staging: Staging::new() };
        world.reserve_all(config.capacity)?;
        Ok(world)
    }

    /// Makes room for so many more objects.
    pub(super) fn reserve_all(&mut self, additional: usize) -> Result<(), IndexError> {
        if additional == 0 {
            return Ok(());
        }
        // Gaps in rows, free places behind them, and a little more for each row.
        let slots = additional.saturating_add(additional / 6);
        reserve_all(&mut self.core, additional, slots)?;
        let Payload { placed, pending, .. } = &mut self.data;
        pending.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        placed.try_reserve_exact(slots).map_err(|_| IndexError::OutOfMemory)
    }
}

instances! {
    /// [`Core::empty`], compiled once.
    fn empty<S, D>(config: &HshgConfig<S>) -> Core<S, D> {
        Core::empty(*config)
    }

    /// Allocates room for more objects and for the places that they may need.
    fn reserve_all<S, D>(
        core: &mut Core<S, D>,
        additional: usize,
        slots: usize,
    ) -> Result<(), IndexError> {
        core.slots.try_reserve(additional)?;
        core.pending.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        core.store.try_reserve(slots).map_err(|_| IndexError::OutOfMemory)
    }
}
