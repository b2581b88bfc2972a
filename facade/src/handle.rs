//! Handles: names of objects.

use core::fmt;

/// A handle of an object in a [`BroadPhase`](crate::BroadPhase): its slot and generation. A world
/// never uses a handle twice. (A slot whose generations are used up, after 2³² − 1 removals at
/// least, is not used again.)
///
/// A handle is valid in the world that returned it, and in its copies and restored snapshots. A
/// handle of another world is not detected: it names whichever object has the same slot and
/// generation there. Programs with several worlds can wrap handles in one type per world.
///
/// Handles are ordered by slot. A new object gets the lowest free slot: handles ascend in the order
/// of insertion while no object is removed.
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// let old = world.insert(Aabb::point([0.0, 0.0]), ())?;
/// world.remove(old);
/// let new = world.insert(Aabb::point([0.0, 0.0]), ())?;
/// assert_eq!((new.index(), new.generation()), (old.index(), 1));
/// assert!(old != new && world.get(old).is_none());
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle {
    index: u32,
    generation: u32,
}

impl Handle {
    /// A handle that no world ever returns: a placeholder. It is the [`Default`] of handles, and is
    /// ordered after all other handles.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Handle};
    ///
    /// #[derive(Default)]
    /// struct Team {
    ///     ships: [Handle; 2],
    /// }
    ///
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    /// let mut team = Team::default();
    /// assert_eq!(team.ships, [Handle::DANGLING; 2]);
    /// assert!(!world.contains(team.ships[0]));
    /// team.ships[0] = world.insert(Aabb::of_ball([3.0, 4.0], 1.0), ())?;
    /// assert!(world.contains(team.ships[0]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub const DANGLING: Self = Self { index: u32::MAX, generation: u32::MAX };

    #[inline]
    pub(crate) const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }

    /// Returns the slot: a small number, reused after the object is removed.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns slot and generation as one number, for files and other languages, in the order of
    /// handles.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Handle};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let object = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// assert_eq!(Handle::from_bits(object.to_bits()), object);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.index as u64) << 32 | self.generation as u64
    }

    /// Returns the handle with this number. Every number is valid.
    ///
    /// ```
    /// use hexphase::Handle;
    ///
    /// let handle = Handle::from_bits(7 << 32 | 2);
    /// assert_eq!(handle.to_string(), "7v2");
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { index: (bits >> 32) as u32, generation: bits as u32 }
    }

    /// Returns the generation: larger than that of every earlier object in the slot; 0 while no
    /// object has been removed from the world.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}

impl Default for Handle {
    /// Returns [`Handle::DANGLING`].
    fn default() -> Self {
        Self::DANGLING
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({self})")
    }
}

impl fmt::Display for Handle {
    /// Writes the slot, and the generation unless 0: `7`, `7v2`, `dangling` for
    /// [`Handle::DANGLING`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::DANGLING {
            f.write_str("dangling")
        } else if self.generation == 0 {
            write!(f, "{}", self.index)
        } else {
            write!(f, "{}v{}", self.index, self.generation)
        }
    }
}
