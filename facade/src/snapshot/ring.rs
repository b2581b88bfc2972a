//! A ring of the latest snapshots, for rollback.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::checksum::{checksum, combined};
use super::{Plain, SnapshotError};
use crate::BroadPhase;

/// Snapshots of the latest ticks, for rollback.
///
/// A ring for n ticks has n + 1 entries: after `save(t)` every tick from t − n to t can be
/// restored. Saving tick t replaces the snapshot in its entry, normally that of tick t − n − 1, and
/// reuses its memory. An entry can also hold bytes of the program: the state of a simulation
/// outside of its world ([`save_with`](Self::save_with)).
///
/// ```
/// use hexphase::{Aabb, BroadPhase, SnapshotRing};
///
/// let mut world: BroadPhase<f32, 2, u8> = BroadPhase::new();
/// let ship = world.insert(Aabb::point([0.0, 0.0]), 7)?;
/// let mut ring = SnapshotRing::new(8);
/// for tick in 0..20 {
///     ring.save(tick, &world);
///     world.set_bounds(ship, Aabb::point([1.0 + tick as f32, 0.0]))?;
///     world.step();
/// }
/// ring.restore(15, &mut world)?;
/// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([15.0, 0.0]));
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
    /// Snapshot of the world.
    world: Vec<u8>,
    /// Bytes of the program.
    extra: Vec<u8>,
}

impl SnapshotRing {
    /// Creates a ring for going back `ticks` ticks from the tick saved last, with entries for
    /// `ticks + 1` snapshots.
    ///
    /// ```
    /// use hexphase::SnapshotRing;
    ///
    /// let ring = SnapshotRing::new(8);
    /// assert_eq!(ring.hash(0), None);
    /// ```
    #[must_use]
    pub fn new(ticks: usize) -> Self {
        Self { saved: alloc::vec![Saved::default(); ticks.saturating_add(1)] }
    }

    /// Returns the oldest tick in the ring, `None` if empty; with all later ticks up to the
    /// [`latest`](Self::latest) if every tick was saved. Time linear in the number of entries.
    ///
    /// ```
    /// use hexphase::{BroadPhase, SnapshotRing};
    ///
    /// let world: BroadPhase<f32, 2> = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(8);
    /// assert_eq!((ring.oldest(), ring.latest()), (None, None));
    /// for tick in 0..=20 {
    ///     ring.save(tick, &world);
    /// }
    /// assert_eq!((ring.oldest(), ring.latest()), (Some(12), Some(20)));
    /// ```
    #[must_use]
    pub fn oldest(&self) -> Option<u64> {
        self.saved.iter().filter_map(|saved| saved.tick).min()
    }

    /// Returns the latest tick in the ring, `None` if empty. Time linear in the number of entries.
    ///
    /// ```
    /// use hexphase::{BroadPhase, SnapshotRing};
    ///
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(8);
    /// for tick in 0..5 {
    ///     ring.save(tick, &world);
    /// }
    /// ring.restore(3, &mut world)?;
    /// assert_eq!(ring.latest(), Some(3)); // `restore` removes later ticks
    /// # Ok::<(), hexphase::SnapshotError>(())
    /// ```
    #[must_use]
    pub fn latest(&self) -> Option<u64> {
        self.saved.iter().filter_map(|saved| saved.tick).max()
    }

    /// Saves the world as it is before a tick. Returns the hash of its state.
    ///
    /// ```
    /// use hexphase::{BroadPhase, SnapshotRing};
    ///
    /// let world: BroadPhase = BroadPhase::new();
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
        self.save_with(tick, world, |_| {})
    }

    /// Saves the world as it is before a tick, and bytes of the program, which the closure appends
    /// to an empty buffer. Returns a hash of the world and the bytes; without bytes, the
    /// [`state_hash`](BroadPhase::state_hash).
    ///
    /// Save all other state that the simulation reads: random number generators, timers, scores,
    /// bodies.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Plain, SnapshotRing, plain};
    ///
    /// plain! {
    ///     #[derive(Clone, Copy, Debug, PartialEq)]
    ///     struct Game {
    ///         random: u64,
    ///         scores: [u32; 2],
    ///     }
    /// }
    ///
    /// let mut world: BroadPhase<f32, 2, u8> = BroadPhase::new();
    /// let mut game = Game { random: 7, scores: [0, 0] };
    /// let mut ring = SnapshotRing::new(8);
    /// for tick in 0..5 {
    ///     ring.save_with(tick, &world, |out| game.write(out));
    ///     game.random = game.random.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ///     game.scores[0] += 1;
    ///     world.insert(Aabb::point([0.0, 0.0]), game.random as u8)?;
    ///     world.step();
    /// }
    /// let mut extra = ring.restore(2, &mut world)?;
    /// game = Game::read(&mut extra).expect("saved above");
    /// assert_eq!((game.scores, world.len()), ([2, 0], 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_with<S, const D: usize, U, B>(
        &mut self,
        tick: u64,
        world: &BroadPhase<S, D, U, B>,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> u64
    where
        S: Scalar + Plain,
        U: Plain + Send + Sync,
        B: Bounds<S, D> + Plain,
    {
        let saved = self.place(tick);
        // If the closure panics, the entry stays empty.
        saved.tick = None;
        saved.extra.clear();
        write(&mut saved.extra);
        saved.hash = world.snapshot_into(&mut saved.world);
        if !saved.extra.is_empty() {
            saved.hash = combined(saved.hash, checksum(&saved.extra));
        }
        saved.tick = Some(tick);
        saved.hash
    }

    /// Restores the state before a tick, and removes the snapshots of later ticks, which will be
    /// simulated again. Returns the bytes that [`save_with`](Self::save_with) stored, or none.
    ///
    /// # Errors
    /// If the ring has no snapshot of this tick, or it is of another kind of world. On error the
    /// world and the ring are unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, SnapshotRing};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(4);
    /// for tick in 0..3 {
    ///     ring.save(tick, &world);
    ///     world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// }
    /// ring.restore(1, &mut world)?;
    /// assert_eq!(world.len(), 1);
    /// assert!(ring.restore(2, &mut world).is_err()); // later ticks were removed
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore<S, const D: usize, U, B>(
        &mut self,
        tick: u64,
        world: &mut BroadPhase<S, D, U, B>,
    ) -> Result<&[u8], SnapshotError>
    where
        S: Scalar + Plain,
        U: Plain + Send + Sync,
        B: Bounds<S, D> + Plain,
    {
        world.restore(&self.find(tick).ok_or(SnapshotError::UnknownTick { tick })?.world)?;
        for saved in &mut self.saved {
            saved.tick = saved.tick.filter(|&saved| saved <= tick);
        }
        Ok(&self.place(tick).extra)
    }

    /// Returns the hash of the state before a tick, as `save` or `save_with` returned it, if in the
    /// ring.
    ///
    /// ```
    /// use hexphase::{BroadPhase, SnapshotRing};
    ///
    /// let world: BroadPhase = BroadPhase::new();
    /// let mut ring = SnapshotRing::new(2);
    /// ring.save(5, &world);
    /// assert_eq!((ring.hash(5), ring.hash(3)), (Some(world.state_hash()), None));
    /// ```
    #[must_use]
    pub fn hash(&self, tick: u64) -> Option<u64> {
        Some(self.find(tick)?.hash)
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
