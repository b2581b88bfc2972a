//! Pairs that overlap only across a seam, found by a sweep along each seam.
//!
//! On each axis that wraps:
//!
//! 1. Two box queries collect the objects that cross the seam (*upper*), and the objects that do not
//!    cross it and begin no farther beyond it than those reach (*lower*).
//! 2. Sort the lower objects along the next axis, as integer keys in one plane per axis and end.
//! 3. Move each upper object down by one side, and compare it with the lower objects, eight at a
//!    time. Hits are tested exactly.
//!
//! On the other axes that wrap, an object that crosses the seam is also compared at its image below.
//! A pair is reported on the first axis on which the stored boxes are apart. One of its objects then
//! crosses the seam of this axis: two objects that both do overlap there.
//!
//! Cost: O(n log n) for n objects near a seam, and the tests; with objects much larger than most,
//! each upper object is compared with more lower objects. Buffers are reused.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Backend, Kernel, LANES, Lanes, Scalar, SlabVec, Slabs, instances};

use super::Torus;
use super::images::{moved, rounding_margin};
use super::world::World;
use crate::SpatialIndex;
use crate::kernel::hits::SPARE;
use crate::kernel::sweep;
use crate::kernel::within::Open;
use crate::pairs::{self, Pair};
use crate::tasks;

/// Capacity of the buffer for hits.
const HITS: usize = 8 * LANES + SPARE;

/// Objects, with their boxes.
type Objects<S, const D: usize> = Vec<(u32, Aabb<S, D>)>;

/// Buffers for the objects near a seam, kept between calls.
#[derive(Clone, Debug)]
pub(super) struct SeamSweep<S, const D: usize> {
    upper: Objects<S, D>,
    lower: Objects<S, D>,
    /// The lower objects, by index, and their images on other axes.
    images: Objects<S, D>,
    /// The low ends of the images along the sweep axis, sorted, and their indices.
    order: Vec<(i32, u32)>,
    /// The images in this order, with the sweep axis as the first axis.
    planes: SlabVec<D>,
}

impl<S, const D: usize> Default for SeamSweep<S, D> {
    fn default() -> Self {
        Self {
            upper: Vec::new(),
            lower: Vec::new(),
            images: Vec::new(),
            order: Vec::new(),
            planes: SlabVec::new(),
        }
    }
}

impl<S, const D: usize> SeamSweep<S, D> {
    pub(super) fn memory_use(&self) -> usize {
        let objects = self.upper.capacity() + self.lower.capacity() + self.images.capacity();
        objects * size_of::<(u32, Aabb<S, D>)>()
            + self.order.capacity() * size_of::<(i32, u32)>()
            + self.planes.memory_use()
    }
}

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> Torus<I, S, D> {
    /// Replaces the contents of `out` with the pairs that overlap only across a seam, in canonical
    /// order, also those of static objects.
    pub(super) fn overlaps_across(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        let Self { inner, world, far, sweep, .. } = self;
        for (axis, &far) in far.iter().enumerate() {
            let Some(side) = world.side(axis).filter(|&side| side <= far) else { continue };
            let mut area = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
            area.min[axis] = side;
            sweep.upper.clear();
            let mut overhang = S::ZERO;
            inner.query_unordered(area, |entry| {
                let beyond = entry.bounds.max[axis].minus(side);
                overhang = if beyond > overhang { beyond } else { overhang };
                sweep.upper.push((entry.key, entry.bounds));
            });
            if sweep.upper.is_empty() {
                continue;
            }
            (area.min[axis], area.max[axis]) = (S::MIN, overhang.plus(rounding_margin(side)));
            sweep.lower.clear();
            inner.query_unordered(area, |entry| {
                if !world.crosses_on(axis, &entry.bounds) {
                    sweep.lower.push((entry.key, entry.bounds));
                }
            });
            sweep_seam(sweep, world, axis, inner.backend().unwrap_or_default(), out);
        }
        // The images of a pair may overlap on several sides.
        pairs::sort(out);
        out.dedup();
    }
}

instances! {
    /// Appends the pairs of an upper and a lower object that overlap across the seam of an axis and
    /// are apart as stored on this axis, but on no axis before it.
    fn sweep_seam<S, D>(
        buffers: &mut SeamSweep<S, D>,
        world: &World<S, D>,
        axis: usize,
        backend: Backend,
        out: &mut Vec<Pair>,
    ) {
        find(buffers, world, axis, backend, out);
    }
}

fn find<S: Scalar, const D: usize>(
    SeamSweep { upper, lower, images, order, planes }: &mut SeamSweep<S, D>,
    world: &World<S, D>,
    axis: usize,
    backend: Backend,
    out: &mut Vec<Pair>,
) {
    let along = (axis + 1) % D;
    // The sweep axis becomes the first axis.
    let slabs = |bounds: &Aabb<S, D>| {
        let mut slabs: Slabs<D> = bounds.slabs();
        slabs.min.swap(0, along);
        slabs.max.swap(0, along);
        slabs
    };
    images.clear();
    let mut longest = 0.0;
    for (index, (_, bounds)) in (0..).zip(&*lower) {
        each_image(world, axis, bounds, |image| {
            let length = image.max[along].to_f64() - image.min[along].to_f64();
            longest = if length > longest { length } else { longest };
            images.push((index, image));
        });
    }
    order.clear();
    order.extend((0..).zip(&*images).map(|(index, (_, image))| (slabs(image).min[0], index)));
    order.sort_unstable();
    planes.clear();
    order.iter().for_each(|&(_, index)| planes.push(slabs(&images[index as usize].1)));
    let (lower, images, order, planes) = (&*lower, &*images, &*order, &*planes);
    tasks::find(upper.iter(), out, |(key, bounds), out| {
        let mut below = *bounds;
        if let Some(side) = world.side(axis) {
            [below.min[axis], below.max[axis]] =
                moved([below.min[axis], below.max[axis]], side, false);
        }
        each_image(world, axis, &below, |image| {
            let earliest = S::from_f64(image.min[along].to_f64() - longest).next_below();
            let earliest = slabs(&Aabb::point([earliest; D])).min[0];
            // Planes have whole blocks of eight.
            let mut next = order.partition_point(|&(begin, _)| begin < earliest) / LANES * LANES;
            let volume = &slabs(&image);
            let mut hits = [0; HITS];
            while next < planes.len() {
                let (next, hits) = (&mut next, &mut hits);
                let filled = backend.dispatch(Scan { planes, volume, next, hits });
                for &hit in &hits[..filled] {
                    let (other, others) = lower[images[order[hit as usize].1 as usize].0 as usize];
                    if is_apart_first(axis, bounds, &others) && world.overlap(bounds, &others) {
                        out.push([*key.min(&other), *key.max(&other)]);
                    }
                }
            }
        });
    });
}

/// Calls `visit` with a box and its images below on the axes other than `axis` whose seam it
/// crosses, widened by more than all rounding errors.
fn each_image<S: Scalar, const D: usize>(
    world: &World<S, D>,
    axis: usize,
    bounds: &Aabb<S, D>,
    mut visit: impl FnMut(Aabb<S, D>),
) {
    let crosses = |other: usize| other != axis && world.crosses_on(other, bounds);
    for number in 0..1usize << D {
        if (0..D).any(|other| number >> other & 1 == 1 && !crosses(other)) {
            continue;
        }
        let mut image = *bounds;
        for other in (0..D).filter(|other| number >> other & 1 == 1) {
            if let Some(side) = world.side(other) {
                [image.min[other], image.max[other]] =
                    moved([image.min[other], image.max[other]], side, false);
            }
        }
        visit(image);
    }
}

/// Returns whether two boxes are apart on an axis, but on no axis before it.
fn is_apart_first<S: Scalar, const D: usize>(axis: usize, a: &Aabb<S, D>, b: &Aabb<S, D>) -> bool {
    let are_apart = |axis: usize| a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis];
    are_apart(axis) && !(0..axis).any(are_apart)
}

/// A kernel that finds the overlaps of `volume` with volumes sorted along the first axis. It scans
/// from `next` on, until the last volume or until the buffer is full. Returns the number of hits
/// written.
struct Scan<'a, const D: usize> {
    planes: &'a SlabVec<D>,
    volume: &'a Slabs<D>,
    next: &'a mut usize,
    hits: &'a mut [u32; HITS],
}

impl<const D: usize> Kernel for Scan<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { planes, volume, next, hits } = self;
        sweep::query(lanes, &planes.planes(), volume, Open, next, planes.len(), hits, 0)
    }
}
