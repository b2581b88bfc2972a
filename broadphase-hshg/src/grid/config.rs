//! Settings of a grid, and its constructors.

use alloc::vec::Vec;

use broadphase_core::{Aabb, IndexError, Scalar, instances};

use super::data::Payload;
use super::storage::tiers::{LEVELS_SHARED, Tiers};
use super::update::deferred::Staging;
use super::{Core, Hshg};

/// Grid settings. Unset values are derived from the objects.
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

/// [`HshgConfig::recommend`] ignores the smallest sizes: their share is 1 / 20, or 5 %.
const IGNORED_ONE_IN: usize = 20;

impl<S: Scalar> HshgConfig<S> {
    /// Returns settings in which every value is unset.
    #[must_use]
    pub const fn new() -> Self {
        Self { smallest_cell: None, levels: u32::MAX, capacity: 0, manual: false }
    }

    /// Returns settings with a smallest cell recommended for the given objects: about as large as
    /// the smallest object.
    ///
    /// Ignores the smallest 5 % of sizes, points and invalid bounds. A sample of the objects is
    /// enough. If no size is left, every value is unset.
    ///
    /// Without a smallest cell, a grid measures its objects repeatedly and adapts its levels. With
    /// these settings the levels are fixed.
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

    /// Sets the side of level-0 cells, rounded up to a power of two. The best side is about the
    /// size of the smallest objects.
    ///
    /// # Panics
    /// If `side` is not positive and finite.
    #[must_use]
    pub fn smallest_cell(self, side: S) -> Self {
        assert!(
            side > S::ZERO && side.is_finite(),
            "the side of a cell must be positive and finite, not {side}"
        );
        Self { smallest_cell: Some(side), ..self }
    }

    /// Sets the maximum number of levels. Objects larger than the cells of the highest level are
    /// also stored on the highest level.
    ///
    /// Results do not depend on the limit. Levels without objects cost nothing, so a limit is
    /// rarely needed. It saves time if a few huge objects have very different sizes. Objects too
    /// large for the highest level are tested against each other along the first axis only: a few
    /// hundred are fine, many thousands are slow. Three levels share rows, so the limit is rounded
    /// up to a multiple of three: an object is too large only if it is larger than the cells of the
    /// last of these levels, which are up to four times as large as those of level `count - 1`.
    ///
    /// # Panics
    /// If `count` is 0.
    #[must_use]
    pub const fn levels(self, count: u32) -> Self {
        assert!(count > 0, "a grid must have at least one level");
        Self { levels: count, ..self }
    }

    /// Sets the number of objects for which the constructor allocates memory. The estimated amount
    /// of memory suffices for consecutive keys.
    #[must_use]
    pub const fn capacity(self, objects: usize) -> Self {
        Self { capacity: objects, ..self }
    }

    /// Disables expensive automatic maintenance. Such maintenance then runs only in
    /// [`optimize`](broadphase_core::SpatialIndex::optimize) and [`Hshg::optimize_within`].
    ///
    /// Expensive maintenance is choosing levels, adjusting row heights, compacting storage, and
    /// renewing all margins after many objects left their [margin](Hshg::set_skin) in `set_bounds`.
    /// If neither function is called, results stay correct, but operations become slower over time.
    #[must_use]
    pub const fn manual_maintenance(self) -> Self {
        Self { manual: true, ..self }
    }

    pub(super) const fn is_manual(&self) -> bool {
        self.manual
    }

    /// Returns the number of the highest level.
    pub(super) const fn highest_level(&self) -> u32 {
        self.levels - 1
    }

    /// Returns the number of the highest tier: it has the objects too large for the highest level.
    fn highest_tier(&self) -> i32 {
        (self.highest_level() / LEVELS_SHARED as u32 + 1) as i32
    }

    /// Returns tiers for the configured smallest cell. If it is unset, returns tiers for the sample
    /// of object sizes that `sizes` returns.
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
    /// Creates an empty grid.
    ///
    /// # Panics
    /// If allocating the configured capacity fails.
    #[must_use]
    pub fn with_config(config: HshgConfig<S>) -> Self {
        const { broadphase_core::assert_compiled(D) };
        Self::try_with_config(config).expect("allocating the configured capacity failed")
    }

    /// Creates an empty grid, or returns an error if allocation fails.
    ///
    /// # Errors
    /// [`IndexError::OutOfMemory`] if allocating the configured capacity fails.
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

    /// Allocates room for `additional` further objects.
    pub(super) fn reserve_all(&mut self, additional: usize) -> Result<(), IndexError> {
        if additional == 0 {
            return Ok(());
        }
        // Allocate a sixth more slots than objects: for gaps in rows, and for the fence and the
        // free slots of each row.
        let slots = additional.saturating_add(additional / 6);
        reserve_all(&mut self.core, additional, slots)?;
        let Payload { placed, pending, .. } = &mut self.data;
        pending.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        placed.try_reserve_exact(slots).map_err(|_| IndexError::OutOfMemory)
    }
}

instances! {
    /// Implements [`Core::empty`].
    fn empty<S, D>(config: &HshgConfig<S>) -> Core<S, D> {
        Core::empty(*config)
    }

    /// Allocates room for `additional` further objects and `slots` further slots.
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
