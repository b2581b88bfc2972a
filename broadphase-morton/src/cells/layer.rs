//! Objects along the curve, and the tree over them: made from what is there, thrown away as a whole.

use alloc::vec::Vec;

use broadphase_core::Scalar;
use broadphase_core::objects::Objects;

use super::code_grid::CodeGrid;
use super::tree::Tree;

/// The slot of a position whose object has vacant.
pub(super) const VACANT: u32 = u32::MAX;

/// Some of the objects of a structure, in their order.
#[derive(Clone, Debug)]
pub(super) struct Layer<const D: usize> {
    /// The slot of the object in each position, or `VACANT`.
    pub(super) slots: Vec<u32>,
    /// How many have vacant.
    pub(super) vacant: usize,
    pub(super) tree: Tree<D>,
    pub(super) grid: Option<CodeGrid<D>>,
    /// Whether bounds have changed since it was made.
    pub(super) stale: bool,
    /// Whether volumes are larger than the bounds in them.
    pub(super) has_margin: bool,
    /// How many neighbours were far apart in memory when it was made.
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
            has_margin: false,
            scattered: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.tree.clear();
        (self.vacant, self.stale, self.scattered, self.grid) = (0, false, 0, None);
    }

    /// How many objects it has.
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

    pub(super) fn assert_well_formed<S: Scalar, T: Copy>(&self, objects: &Objects<S, D, T>) {
        self.tree.assert_well_formed();
        assert_eq!(self.tree.len(), self.slots.len(), "a position in the tree for every slot");
        for (position, &slot) in self.slots.iter().enumerate() {
            if slot != VACANT && !self.stale {
                let slabs = self.tree.heights[0].view().get(position);
                let bounds = objects.bounds()[slot as usize].slabs();
                assert!(slabs.holds(&bounds), "slabs hold bounds");
                assert!(self.has_margin || slabs == bounds, "and are no larger");
            }
        }
    }
}
