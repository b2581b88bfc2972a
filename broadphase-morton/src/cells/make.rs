//! Layers made from their slots: codes, their order, and the tree; on several threads if there
//! are, with the same result.

use alloc::vec::Vec;
use core::array::from_fn;

use broadphase_core::{Aabb, Backend, Kernel, LANES, Lanes, Scalar, tasks};

use super::crowds::crowds;
use super::frame::{Frame, Places, write_places};
use super::layer::Layer;
use super::sort::Sorter;
use super::tree::{enclose, write_nodes};

/// Neighbours whose slots are farther apart than this are far apart in memory.
const NEAR: u32 = 64;
/// So many objects are worth another thread.
const LEAST: usize = 16_384;
/// Objects in eight clusters: their bounds fill blocks.
const GROUP: usize = LANES * LANES;

/// What it takes to make a layer.
pub(super) struct Maker<'a, S, const D: usize> {
    /// The bounds of all objects, slot by slot.
    pub(super) bounds: &'a [Aabb<S, D>],
    /// How much larger volumes are to be, on every side.
    pub(super) margin: S,
    pub(super) sorter: &'a mut Sorter,
    pub(super) backend: Backend,
}

impl<S: Scalar, const D: usize> Maker<'_, S, D> {
    /// Puts the slots of a layer, whatever their order was, in order, and makes the tree; the codes
    /// of the first ones are `known`. Yields whether codes are of the frame that comes next.
    pub(super) fn make(self, layer: &mut Layer<D>, known: usize) -> bool {
        let Self { bounds: all, margin, sorter, backend } = self;
        let slots = &mut layer.slots;
        let frame = match layer.frame {
            Some(frame) => frame,
            None => Frame::around(slots.iter().map(|&slot| all[slot as usize])),
        };
        sorter.make_room(slots.len());
        encode(&frame, all, &slots[known..], &mut sorter.codes[known..], backend);
        sorter.sort(slots, known);
        let Sorter { codes, finer, .. } = sorter;
        for crowd in crowds(codes) {
            finer.sort(all, &mut slots[crowd], backend);
        }
        layer.scattered = gather(all, margin, layer, backend);
        write_nodes(backend, &mut layer.tree);
        let bounds = layer
            .tree
            .bounds()
            .map(|slabs| Aabb { min: slabs.min.map(S::of_key), max: slabs.max.map(S::of_key) });
        let is_kept = bounds.is_some_and(|bounds| frame.suits(&bounds));
        let next = |bounds| if is_kept { frame } else { Frame::with_margin(&bounds) };
        layer.frame = bounds.map(next);
        (layer.gone, layer.stale, layer.skinned) = (0, false, margin > S::ZERO);
        is_kept
    }
}

/// Writes the code of each object.
fn encode<S: Scalar, const D: usize>(
    frame: &Frame<D>,
    bounds: &[Aabb<S, D>],
    slots: &[u32],
    codes: &mut [u32],
    backend: Backend,
) {
    let stretches = tasks::even(slots.len(), LEAST);
    if stretches.is_empty() {
        return write_places(backend, Places { frame, bounds, slots, out: codes });
    }
    let mut left = codes;
    let mut parts = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let (out, rest) = core::mem::take(&mut left).split_at_mut(stretch.len());
        parts.push((&slots[stretch], out));
        left = rest;
    }
    tasks::each(&mut parts, |(slots, out)| {
        write_places(backend, Places { frame, bounds, slots, out });
    });
}

/// Makes the two lowest heights of the tree; yields how many neighbours are far apart where they
/// come from.
fn gather<S: Scalar, const D: usize>(
    bounds: &[Aabb<S, D>],
    margin: S,
    layer: &mut Layer<D>,
    backend: Backend,
) -> usize {
    let slots = &layer.slots[..];
    let [below, above] = layer.tree.resize(slots.len());
    let mut planes = [&mut below.min, &mut below.max, &mut above.min, &mut above.max]
        .map(|planes| planes.each_mut().map(Vec::as_mut_slice));
    let stretches = tasks::even(slots.len().div_ceil(GROUP), LEAST / GROUP);
    if stretches.is_empty() {
        return write_volumes(backend, Gather { bounds, margin, slots, before: 0, planes });
    }
    let (mut parts, mut begin) = (Vec::with_capacity(stretches.len()), 0);
    for stretch in stretches {
        let end = slots.len().min(stretch.end * GROUP);
        let lens =
            [end - begin, (end - begin).div_ceil(LANES)].map(|len| len.next_multiple_of(LANES));
        let own = from_fn(|kind| {
            planes[kind].each_mut().map(|plane| {
                let (own, rest) = core::mem::take(plane).split_at_mut(lens[kind / 2]);
                *plane = rest;
                own
            })
        });
        let before = begin.checked_sub(1).map_or(0, |last| slots[last]);
        let gather = Gather { bounds, margin, slots: &slots[begin..end], before, planes: own };
        parts.push((Some(gather), 0));
        begin = end;
    }
    tasks::each(&mut parts, |(gather, scattered)| {
        *scattered = gather.take().map_or(0, |gather| write_volumes(backend, gather));
    });
    parts.iter().map(|(_, scattered)| scattered).sum()
}

/// Runs [`Gather`] on a backend.
// Not inlined: it is called from several functions.
#[inline(never)]
fn write_volumes<S: Scalar, const D: usize>(backend: Backend, gather: Gather<'_, S, D>) -> usize {
    backend.dispatch(gather)
}

/// Writes the volumes of objects side by side, and those of clusters; yields how many neighbours
/// are far apart where they come from.
struct Gather<'a, S, const D: usize> {
    bounds: &'a [Aabb<S, D>],
    margin: S,
    slots: &'a [u32],
    /// The slot before the first one.
    before: u32,
    /// Low and high ends of objects, then of clusters.
    planes: [[&'a mut [i32]; D]; 4],
}

impl<S: Scalar, const D: usize> Kernel for Gather<'_, S, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { bounds, margin, slots, mut before, planes } = self;
        let [lows, highs, least, greatest] = planes;
        let (mut min, mut max) = ([[S::ZERO; LANES]; D], [[S::ZERO; LANES]; D]);
        let (blocks, rest) = slots.as_chunks::<LANES>();
        let mut scattered = 0;
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
                if margin > S::ZERO {
                    for (min, max) in min[axis].iter_mut().zip(&mut max[axis]) {
                        (*min, *max) = (min.minus(margin), max.plus(margin));
                    }
                }
                let keys = S::lane_keys(lanes, &mut min[axis], &mut max[axis]);
                lanes.store_at(keys.low, lows[axis], number * LANES);
                lanes.store_at(keys.high, highs[axis], number * LANES);
                axis += 1;
            }
        }
        for (place, &slot) in (blocks.len() * LANES..).zip(rest) {
            let bounds = &bounds[slot as usize];
            let mut axis = 0;
            while axis < D {
                lows[axis][place] = bounds.min[axis].minus(margin).canonical().key_below();
                highs[axis][place] = bounds.max[axis].plus(margin).canonical().key_above();
                axis += 1;
            }
        }
        let mut axis = 0;
        while axis < D {
            enclose([&*lows[axis], &*highs[axis]], [&mut *least[axis], &mut *greatest[axis]]);
            axis += 1;
        }
        scattered
    }
}
