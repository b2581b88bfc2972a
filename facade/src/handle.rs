//! How the world names its objects.

use core::fmt;

/// Names an object of a [`BroadPhase`](crate::BroadPhase), and no later one in its place: not
/// before that was used 2³² times.
///
/// Handles sort by slot. A new object gets the lowest free slot, so in a world where nothing was
/// removed they ascend in the order of insertion.
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<i32, 1> = BroadPhase::new();
/// let old = world.insert(Aabb::point([0]), ())?;
/// world.remove(old);
/// let new = world.insert(Aabb::point([0]), ())?;
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
    pub(crate) const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }

    /// The slot: small, and used again after the object is removed.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Both as one number, by which handles sort: for other languages and files.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Handle};
    /// # let mut world: BroadPhase<i32, 1> = BroadPhase::new();
    /// let object = world.insert(Aabb::point([0]), ())?;
    /// assert_eq!(Handle::from_bits(object.to_bits()), object);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.index as u64) << 32 | self.generation as u64
    }

    /// The handle of that number; any number is that of some handle.
    ///
    /// ```
    /// # use hexphase::Handle;
    /// let handle = Handle::from_bits(7 << 32 | 2);
    /// assert_eq!(handle.to_string(), "7v2");
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { index: (bits >> 32) as u32, generation: bits as u32 }
    }

    /// How often the slot had been used before.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({self})")
    }
}

impl fmt::Display for Handle {
    /// The slot, and the generation where it is not the first: `7`, `7v2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.generation == 0 {
            write!(f, "{}", self.index)
        } else {
            write!(f, "{}v{}", self.index, self.generation)
        }
    }
}
