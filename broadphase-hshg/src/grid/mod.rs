//! The hierarchical grid: levels of sizes, rows of cells, objects in order along the first axis.

mod index;
mod level;
mod pairs;
mod refresh;
mod row;
mod store;
mod walk;

use alloc::vec::Vec;

use broadphase_core::slots::Slots;
use broadphase_core::{Backend, Scalar};

use level::{Tier, Tiers};
use refresh::Arrival;
use row::Row;
use store::{Body, Store};

/// Every overlapping pair of objects of any sizes, in an unbounded world.
#[derive(Clone, Debug)]
pub struct Hshg<S = f32, const D: usize = 2, T = ()> {
    store: Store<S, D, T>,
    /// Ascending by id.
    rows: Vec<Row<D>>,
    /// Ascending by number.
    tiers: Vec<Tier>,
    sizes: Tiers,
    smallest: Option<f64>,
    /// What was inserted or moved on since the last refresh.
    pending: Vec<Body<S, D, T>>,
    /// Where each key is: its place in the store, or `PENDING` and its place among the pending.
    slots: Slots,
    len: usize,
    /// Whether bounds were changed in place, so that rows may not enclose their objects.
    loose: bool,
    /// How many objects there were when sizes were looked at.
    tuned: usize,
    /// Places in the store that no row has.
    unused: usize,
    /// Objects that are still in their rows and should not be.
    holes: usize,
    arrivals: Vec<Arrival<D>>,
    joins: Vec<[u32; 2]>,
    backend: Backend,
}

/// Marks a slot as a place among the pending.
const PENDING: usize = 1 << 31;

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// No objects.
    #[must_use]
    pub fn new() -> Self {
        Self {
            store: Store::new(),
            rows: Vec::new(),
            tiers: Vec::new(),
            sizes: Tiers::of_cell(1.0),
            smallest: None,
            pending: Vec::new(),
            slots: Slots::default(),
            len: 0,
            loose: false,
            tuned: 0,
            unused: 0,
            holes: 0,
            arrivals: Vec::new(),
            joins: Vec::new(),
            backend: Backend::detect(),
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Whether a place of a row holds an object.
    #[inline(always)]
    fn is_live(&self, place: usize) -> bool {
        !self.store.may_be_hole(place) || self.slots.get(self.store.keys[place]) == Some(place)
    }
}

impl<S: Scalar, const D: usize, T: Copy> Default for Hshg<S, D, T> {
    fn default() -> Self {
        Self::new()
    }
}
