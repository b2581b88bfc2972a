//! A layer: slots in sorted order, and the tree over their bounds; always rebuilt as a whole.

use alloc::vec::Vec;

use broadphase_core::Scalar;
use broadphase_core::objects::Objects;

use super::code_grid::CodeGrid;
use super::tree::Tree;

/// Marks a position whose object was removed or changed.
pub(super) const VACANT: u32 = u32::MAX;

/// Objects in sorted order, and the tree over them.
#[derive(Clone, Debug)]
pub(super) struct Layer<const D: usize> {
    /// The slot of the object at each position, or `VACANT`.
    pub(super) slots: Vec<u32>,
    pub(super) vacant: usize,
    pub(super) tree: Tree<D>,
    pub(super) grid: Option<CodeGrid<D>>,
    /// Whether bounds of its objects have changed since it was built.
    pub(super) stale: bool,
    /// The number of objects stored far from their predecessor in the order at the last build.
    pub(super) scattered: usize,
}

impl<const D: usize> Layer<D> {
    pub(super) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            vacant: 0,
            tree: Tree::new(),
            grid: None,
            stale: false,
            scattered: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.tree.clear();
        (self.vacant, self.stale, self.scattered, self.grid) = (0, false, 0, None);
    }

    pub(super) const fn live(&self) -> usize {
        self.slots.len() - self.vacant
    }

    pub(super) fn memory_use(&self) -> usize {
        self.slots.capacity() * size_of::<u32>() + self.tree.memory_use()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.slots.shrink_to_fit();
        self.tree.shrink_to_fit();
    }

    pub(super) fn assert_well_formed<S: Scalar>(&self, objects: &Objects<S, D>) {
        self.tree.assert_well_formed();
        assert_eq!(self.tree.len(), self.slots.len(), "the tree and the slots differ in length");
        for (position, &slot) in self.slots.iter().enumerate() {
            if slot != VACANT && !self.stale {
                let slabs = self.tree.heights[0].view().get(position);
                let bounds = objects.bounds()[slot as usize].slabs();
                assert_eq!(slabs, bounds, "slot {slot} has other key bounds");
            }
        }
    }
}
