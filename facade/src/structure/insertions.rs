//! Insertion of many objects into a structure, a block per virtual call.

use broadphase_core::{Aabb, IndexError, Motion, Scalar};

use super::{Proxy, Structure};

/// An object to insert into a structure: slot, bounds, proxy and motion class.
pub(crate) type Insertion<S, const D: usize> = (u32, Aabb<S, D>, Proxy, Motion);

/// Number of objects in a block: it stays in the level-1 cache.
const BLOCK: usize = 64;

/// A block of objects, which is inserted when it is full.
pub(crate) struct Insertions<S, const D: usize> {
    block: [Insertion<S, D>; BLOCK],
    len: usize,
}

impl<S: Scalar, const D: usize> Insertions<S, D> {
    pub(crate) fn new() -> Self {
        let bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        Self { block: [(0, bounds, Proxy::default(), Motion::Dynamic); BLOCK], len: 0 }
    }

    /// Adds an object to the block, which must not be full. Returns whether it is full now.
    #[inline]
    pub(crate) const fn push(&mut self, object: Insertion<S, D>) -> bool {
        self.block[self.len] = object;
        self.len += 1;
        self.len == BLOCK
    }

    /// Returns the objects in the block.
    pub(crate) fn objects(&self) -> &[Insertion<S, D>] {
        &self.block[..self.len]
    }

    /// Inserts the objects in the block into a structure and empties the block. On error the
    /// structure and the block are unchanged.
    pub(crate) fn flush(&mut self, structure: &mut dyn Structure<S, D>) -> Result<(), IndexError> {
        structure.insert_many(self.objects())?;
        self.len = 0;
        Ok(())
    }
}
