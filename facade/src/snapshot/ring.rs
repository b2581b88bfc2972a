//! The snapshots of the last ticks.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::{Plain, SnapshotError};
use crate::BroadPhase;

/// Snapshots of the last so many ticks, to go back to: what rollback needs.
///
/// A tick that is saved takes the place of the one that is a whole ring older; memory is used
/// again.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, SnapshotRing};
///
/// let mut world: BroadPhase<f32, 1, u8> = BroadPhase::new();
/// let ship = world.insert(Aabb::point([0.0]), 7)?;
/// let mut ring = SnapshotRing::new(8);
/// for tick in 0..20 {
///     ring.save(tick, &world);
///     world.set_bounds(ship, Aabb::point([1.0 + tick as f32]))?;
///     world.step();
/// }
/// ring.restore(15, &mut world)?;
/// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([15.0]));
/// assert!(ring.restore(3, &mut world).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SnapshotRing {
    saved: Vec<Saved>,
}

#[derive(Clone, Debug, Default)]
struct Saved {
    tick: Option<u64>,
    hash: u64,
    bytes: Vec<u8>,
}

impl SnapshotRing {
    /// A ring for so many ticks.
    ///
    /// # Panics
    /// If it is for none.
    ///
    /// ```
    /// # use hexphase::SnapshotRing;
    /// let ring = SnapshotRing::new(8);
    /// assert_eq!(ring.get(0), None);
    /// ```
    #[must_use]
    pub fn new(ticks: usize) -> Self {
        assert!(ticks > 0, "a ring of snapshots has room for one at least");
        Self { saved: alloc::vec![Saved::default(); ticks] }
    }

    /// Keeps the world as it is, before this tick; hands back the hash of its state.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, SnapshotRing};
    /// # let mut world: BroadPhase<f32, 1, u8> = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(2);
    /// let hash = ring.save(0, &world);
    /// assert_eq!(hash, world.state_hash());
    /// ```
    pub fn save<S, const D: usize, U, B>(
        &mut self,
        tick: u64,
        world: &BroadPhase<S, D, U, B>,
    ) -> u64
    where
        S: Scalar + Plain,
        U: Plain + Send + Sync,
        B: Bounds<S, D> + Plain,
    {
        let saved = self.place(tick);
        saved.tick = Some(tick);
        saved.hash = world.snapshot_into(&mut saved.bytes);
        saved.hash
    }

    /// Takes the world back to what it was before this tick, and forgets later ticks: they will be
    /// others.
    ///
    /// # Errors
    /// If that is not in the ring, or is of another kind of world. Nothing has changed then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, SnapshotRing};
    /// # let mut world: BroadPhase<f32, 1, u8> = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(4);
    /// for tick in 0..3 {
    ///     ring.save(tick, &world);
    ///     world.insert(Aabb::point([0.0]), tick as u8)?;
    /// }
    /// ring.restore(1, &mut world)?;
    /// assert_eq!(world.len(), 1);
    /// assert!(ring.restore(2, &mut world).is_err()); // it will be another
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore<S, const D: usize, U, B>(
        &mut self,
        tick: u64,
        world: &mut BroadPhase<S, D, U, B>,
    ) -> Result<(), SnapshotError>
    where
        S: Scalar + Plain,
        U: Plain + Send + Sync,
        B: Bounds<S, D> + Plain,
    {
        world.restore(&self.find(tick).ok_or(SnapshotError::UnknownTick { tick })?.bytes)?;
        for saved in &mut self.saved {
            saved.tick = saved.tick.filter(|&saved| saved <= tick);
        }
        Ok(())
    }

    /// The hash of the state before a tick; `None` if it is not in the ring.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, SnapshotRing};
    /// # let mut world: BroadPhase<f32, 1, u8> = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(2);
    /// ring.save(5, &world);
    /// assert_eq!((ring.hash(5), ring.hash(3)), (Some(world.state_hash()), None));
    /// ```
    #[must_use]
    pub fn hash(&self, tick: u64) -> Option<u64> {
        Some(self.find(tick)?.hash)
    }

    /// The snapshot of a tick; `None` if it is not in the ring.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, SnapshotRing};
    /// # let mut world: BroadPhase<f32, 1, u8> = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(2);
    /// ring.save(5, &world);
    /// world.restore(ring.get(5).unwrap())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn get(&self, tick: u64) -> Option<&[u8]> {
        Some(&self.find(tick)?.bytes)
    }

    fn find(&self, tick: u64) -> Option<&Saved> {
        let saved = &self.saved[(tick % self.saved.len() as u64) as usize];
        (saved.tick == Some(tick)).then_some(saved)
    }

    fn place(&mut self, tick: u64) -> &mut Saved {
        let ticks = self.saved.len() as u64;
        &mut self.saved[(tick % ticks) as usize]
    }
}
