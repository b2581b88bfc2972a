//! Objects along the curve, and the tree over them: made from what is there, thrown away as a whole.

use alloc::vec::Vec;

use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, Backend, Kernel, LANES, Lanes, Scalar};

use super::frame::{Frame, Places};
use super::sort::Sorter;
use super::tree::{Enclose, Planes, Tree};

/// The slot of a place whose object has gone.
pub(super) const GONE: u32 = u32::MAX;
/// So many objects with one code are told apart by a finer grid.
const CROWD: usize = 64;
/// Grids within grids: each is thousands of times finer, so no numbers need more.
const DEPTH: u32 = 200;
/// Neighbours whose slots are farther apart than this are far apart in memory.
const NEAR: u32 = 64;

/// Some of the objects of a structure, in their order.
#[derive(Clone, Debug)]
pub(super) struct Layer<const D: usize> {
    /// The slot of the object in each place, or `GONE`.
    pub(super) slots: Vec<u32>,
    /// How many have gone.
    pub(super) gone: usize,
    pub(super) tree: Tree<D>,
    frame: Option<Frame<D>>,
    /// Whether bounds have changed since it was made.
    pub(super) stale: bool,
    /// How many neighbours were far apart in memory when it was made.
    pub(super) scattered: usize,
}

impl<const D: usize> Layer<D> {
    pub(super) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            gone: 0,
            tree: Tree::new(),
            frame: None,
            stale: false,
            scattered: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.tree.clear();
        (self.gone, self.stale, self.scattered, self.frame) = (0, false, 0, None);
    }

    /// How many objects it has.
    pub(super) const fn live(&self) -> usize {
        self.slots.len() - self.gone
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
        assert_eq!(self.tree.len(), self.slots.len(), "a place in the tree for every slot");
        for (place, &slot) in self.slots.iter().enumerate() {
            if slot != GONE && !self.stale {
                let slabs = self.tree.heights[0].view().get(place);
                assert_eq!(slabs, objects.bounds()[slot as usize].slabs(), "slabs are the bounds");
            }
        }
    }

    /// Puts its slots, whatever their order was, in order, and makes the tree.
    pub(super) fn make<S: Scalar, T: Copy>(
        &mut self,
        objects: &Objects<S, D, T>,
        sorter: &mut Sorter,
        backend: Backend,
    ) {
        let all = objects.bounds();
        let slots = &mut self.slots;
        let (len, slot_bounds) = (slots.len(), |slot: &u32| all[*slot as usize]);
        let frame = match self.frame {
            Some(frame) => frame,
            None => Frame::around(slots.iter().map(slot_bounds)),
        };
        sorter.codes.reserve_exact(len.saturating_sub(sorter.codes.len()));
        sorter.codes.resize(len, 0);
        let out = &mut sorter.codes;
        backend.dispatch(Places { frame: &frame, bounds: all, slots, out });
        sorter.sort(slots);
        let mut begin = 0;
        for run in sorter.codes.chunk_by(|a, b| a == b) {
            if run.len() > CROWD {
                part(all, &mut slots[begin..][..run.len()], backend, DEPTH);
            }
            begin += run.len();
        }
        let (slots, planes) = (&self.slots, self.tree.resize(len));
        self.scattered = backend.dispatch(Gather { bounds: all, slots, planes });
        backend.dispatch(Enclose(&mut self.tree));
        self.frame = self.tree.bounds().map(|slabs| {
            let bounds = Aabb { min: slabs.min.map(S::of_key), max: slabs.max.map(S::of_key) };
            if frame.suits(&bounds) { frame } else { Frame::with_margin(&bounds) }
        });
        (self.gone, self.stale) = (0, false);
    }
}

/// Writes the volumes of objects side by side; yields how many neighbours are far apart where they
/// come from.
struct Gather<'a, S, const D: usize> {
    bounds: &'a [Aabb<S, D>],
    slots: &'a [u32],
    planes: &'a mut Planes<D>,
}

impl<S: Scalar, const D: usize> Kernel for Gather<'_, S, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { bounds, slots, planes } = self;
        let (mut min, mut max) = ([[S::ZERO; LANES]; D], [[S::ZERO; LANES]; D]);
        let (blocks, rest) = slots.as_chunks::<LANES>();
        let (mut before, mut scattered) = (0, 0);
        for (number, block) in blocks.iter().enumerate() {
            for (lane, &slot) in block.iter().enumerate() {
                let bounds = &bounds[slot as usize];
                let mut axis = 0;
                while axis < D {
                    min[axis][lane] = bounds.min[axis];
                    max[axis][lane] = bounds.max[axis];
                    axis += 1;
                }
                scattered += usize::from(slot.abs_diff(before) > NEAR);
                before = slot;
            }
            let mut axis = 0;
            while axis < D {
                let keys = S::lane_keys(lanes, &mut min[axis], &mut max[axis]);
                lanes.store_at(keys.low, &mut planes.min[axis], number * LANES);
                lanes.store_at(keys.high, &mut planes.max[axis], number * LANES);
                axis += 1;
            }
        }
        for (place, &slot) in (blocks.len() * LANES..).zip(rest) {
            let slabs = bounds[slot as usize].slabs();
            let mut axis = 0;
            while axis < D {
                planes.min[axis][place] = slabs.min[axis];
                planes.max[axis][place] = slabs.max[axis];
                axis += 1;
            }
        }
        scattered
    }
}

/// Puts objects that have one code in order by a grid of their own.
#[cold]
fn part<S: Scalar, const D: usize>(
    all: &[Aabb<S, D>],
    slots: &mut [u32],
    backend: Backend,
    depth: u32,
) {
    let frame = Frame::around(slots.iter().map(|&slot| all[slot as usize]));
    if depth == 0 || frame.is_point() {
        return;
    }
    let mut codes = alloc::vec![0; slots.len()];
    backend.dispatch(Places { frame: &frame, bounds: all, slots, out: &mut codes });
    let mut both: Vec<_> = codes.into_iter().zip(slots.iter().copied()).collect();
    both.sort_unstable();
    for (slot, &(_, sorted)) in slots.iter_mut().zip(&both) {
        *slot = sorted;
    }
    let mut begin = 0;
    for run in both.chunk_by(|a, b| a.0 == b.0) {
        if run.len() > CROWD {
            part(all, &mut slots[begin..][..run.len()], backend, depth - 1);
        }
        begin += run.len();
    }
}
