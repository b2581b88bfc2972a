//! Copies the objects of each bin, and the objects near it, into contiguous arrays ("groups"),
//! which the kernel tests.
//!
//! 1. List bins with a mover, each with the box around its movers.
//! 2. For each of these bins, copy its movers, and the other objects that overlap the box, except
//!    movers of bins on a lower level, or on the same level with an earlier page: the group of that
//!    bin has the pair.
//! 3. If a group has at least [`SWEEP_MIN_LEN`] objects, [`SWEEP_MIN_MOVERS`] % of them movers of
//!    the bin, sort it by low end on the first axis: the kernel stops at the first object that
//!    begins after the end of the tested one. Otherwise the movers of the bin come first, and each
//!    is tested against all later objects.
//!
//! A pair is reported if one of the two objects is a mover of the bin: once, and never for two
//! static objects.
//!
//! Cost: linear in the objects of groups. Without static objects, an object is in the groups of its
//! bin, of bins near it on its level and of bins of smaller objects.

use alloc::vec::Vec;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::{
    Aabb, Backend, HitMask, Kernel, Keys, LANES, Lanes, Scalar, SlabPlanes, Slabs, apply_order,
    instances,
};

use crate::hash::bins::Bins;
use crate::hash::bins::pages::{NONE, Page, number};
use crate::hash::bins::walk::HEADS_LEN;
use crate::span::Span;

/// Bins are listed until they have this many objects: their groups fit into the L1 cache.
const GATHER_LIMIT: usize = 512;
/// Minimum number of objects in a group that is sorted and swept along the first axis.
const SWEEP_MIN_LEN: usize = 256;
/// Minimum share of movers of the bin in a group that is swept, in per cent; with fewer, testing
/// each against all objects is cheaper.
const SWEEP_MIN_MOVERS: usize = 25;

/// A range of the gathered objects: those of one bin and near it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    pub(crate) begin: u32,
    /// The end of the *rows*: the objects that are tested against all later objects of the group.
    /// These are the movers of the bin; all objects in a swept group.
    pub(crate) rows: u32,
    pub(crate) end: u32,
    /// Whether the objects of the group are sorted along the first axis.
    pub(crate) swept: bool,
}

/// A bin with a mover, and the box around its movers.
#[derive(Clone, Copy, Debug)]
struct ActiveBin<const D: usize> {
    /// The number of the first page of the bin.
    first_page: usize,
    area: Slabs<D>,
    /// The low corner of the box, and the cells that the box touches.
    area_min: [f64; D],
    span: Span<D>,
}

/// Copies of the objects of a few bins and near them, one group per bin.
#[derive(Clone, Debug)]
pub(crate) struct Gathered<const D: usize> {
    active: Vec<ActiveBin<D>>,
    pub(crate) groups: Vec<Group>,
    /// The key bounds of the objects. At least eight unspecified entries follow, here and below.
    min: [Vec<i32>; D],
    max: [Vec<i32>; D],
    pub(crate) slots: Vec<i32>,
    /// For each object, 1 if it is a mover of the group's bin, otherwise 0.
    pub(crate) is_own_mover: Vec<i32>,
    len: usize,
    order: Vec<u32>,
}

instances! {
    /// Runs [`GatherGroups`] on a backend.
    fn gather_groups<D>(backend: Backend, kernel: GatherGroups<'_, D>) {
        backend.dispatch(kernel);
    }
}

impl<const D: usize> Gathered<D> {
    pub(crate) const fn new() -> Self {
        Self {
            active: Vec::new(),
            groups: Vec::new(),
            min: [const { Vec::new() }; D],
            max: [const { Vec::new() }; D],
            slots: Vec::new(),
            is_own_mover: Vec::new(),
            len: 0,
            order: Vec::new(),
        }
    }

    /// Returns the key bounds of the objects.
    #[inline(always)]
    pub(crate) fn planes(&self) -> SlabPlanes<'_, D> {
        let mut planes = SlabPlanes { min: [&[][..]; D], max: [&[][..]; D] };
        let mut axis = 0;
        while axis < D {
            (planes.min[axis], planes.max[axis]) = (&self.min[axis], &self.max[axis]);
            axis += 1;
        }
        planes
    }

    /// Returns the lists that have an entry for each object.
    fn lists(&mut self) -> impl Iterator<Item = &mut Vec<i32>> {
        let planes = self.min.iter_mut().chain(&mut self.max);
        planes.chain([&mut self.slots, &mut self.is_own_mover])
    }

    pub(crate) fn memory_use(&self) -> usize {
        let lists = self.min.iter().chain(&self.max).chain([&self.slots, &self.is_own_mover]);
        self.active.capacity() * size_of::<ActiveBin<D>>()
            + self.groups.capacity() * size_of::<Group>()
            + lists.map(|list| list.capacity() * size_of::<i32>()).sum::<usize>()
            + self.order.capacity() * size_of::<u32>()
    }

    /// Replaces the groups with those of bins whose first page is in `next_page..end`, up to
    /// [`GATHER_LIMIT`] objects. Advances `next_page`.
    pub(crate) fn gather<S: Scalar>(
        &mut self,
        bins: &Bins<D>,
        any_static: bool,
        next_page: &mut usize,
        end: usize,
        backend: Backend,
    ) {
        self.list_active::<S>(bins, next_page, end);
        self.groups.clear();
        self.len = 0;
        gather_groups(backend, GatherGroups { gathered: self, bins, any_static });
    }

    /// Lists the bins with a mover, in the order of their first pages.
    fn list_active<S: Scalar>(&mut self, bins: &Bins<D>, next_page: &mut usize, end: usize) {
        self.active.clear();
        let (pages, links) = bins.pages();
        let mut objects = 0;
        while *next_page < end && objects < GATHER_LIMIT {
            let first_page = *next_page;
            *next_page += 1;
            if !links[first_page].is_first {
                continue;
            }
            let mut area = Slabs::PADDING;
            let mut index = first_page;
            while let Some(link) = links.get(index) {
                for lane in link.movers() {
                    let slabs = pages[index].get(lane);
                    for axis in 0..D {
                        area.min[axis] = area.min[axis].min(slabs.min[axis]);
                        area.max[axis] = area.max[axis].max(slabs.max[axis]);
                    }
                    objects += 1;
                }
                index = number(link.next);
            }
            if area.min[0] <= area.max[0] {
                let bounds: Aabb<S, D> =
                    Aabb { min: area.min.map(S::from_key), max: area.max.map(S::from_key) };
                let (area_min, span) = (bounds.min.map(S::to_f64), bins.span(&bounds));
                self.active.push(ActiveBin { first_page, area, area_min, span });
            }
        }
    }

    /// Appends the objects of a page that are in these lanes.
    #[inline(always)]
    fn push<L: Lanes>(&mut self, lanes: L, page: &Page<D>, hits: HitMask, is_own_mover: bool) {
        if self.len + 2 * LANES > self.slots.len() {
            self.grow();
        }
        let (planes, len) = (page.planes(), self.len);
        let mut axis = 0;
        while axis < D {
            let (min, max) =
                (lanes.load_at(planes.min[axis], 0), lanes.load_at(planes.max[axis], 0));
            lanes.store_at(lanes.compress(min, hits), &mut self.min[axis], len);
            lanes.store_at(lanes.compress(max, hits), &mut self.max[axis], len);
            axis += 1;
        }
        let slots = lanes.load(&page.slots);
        lanes.store_at(lanes.compress(slots, hits), &mut self.slots, len);
        lanes.store_at(lanes.splat(is_own_mover.into()), &mut self.is_own_mover, len);
        self.len += hits.count() as usize;
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.slots.len()).max(2 * GATHER_LIMIT);
        self.lists().for_each(|list| list.resize(room, 0));
    }

    /// Adds a group of all objects from `begin` on. The first `movers` are movers of its bin.
    #[inline(always)]
    fn push_group(&mut self, begin: usize, movers: usize) {
        let count = self.len - begin;
        let swept = count >= SWEEP_MIN_LEN && movers * 100 >= count * SWEEP_MIN_MOVERS;
        if swept {
            self.sort(begin);
        }
        let rows = begin + if swept { count } else { movers };
        let [begin, rows, end] = [begin, rows, self.len].map(|at| at as u32);
        self.groups.push(Group { begin, rows, end, swept });
    }

    #[cold]
    fn sort(&mut self, begin: usize) {
        let mut order = core::mem::take(&mut self.order);
        let (lows, range) = (&self.min[0][begin..], begin..self.len);
        order.clear();
        order.extend(0..range.len() as u32);
        order.sort_unstable_by_key(|&index| lows[index as usize]);
        self.lists().for_each(|list| apply_order(&mut order, &mut list[range.clone()]));
        self.order = order;
    }
}

struct GatherGroups<'a, const D: usize> {
    gathered: &'a mut Gathered<D>,
    bins: &'a Bins<D>,
    /// Whether any object is static.
    any_static: bool,
}

impl<const D: usize> Kernel for GatherGroups<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { gathered, bins, any_static } = self;
        let (pages, links) = bins.pages();
        let mut active = 0;
        while active < gathered.active.len() {
            let ActiveBin { first_page, area, area_min, span } = gathered.active[active];
            active += 1;
            let own = links[first_page];
            let begin = gathered.len;
            let mut index = first_page;
            while let Some(link) = links.get(index) {
                gathered.push(lanes, &pages[index], link.movers(), true);
                index = number(link.next);
            }
            let movers = gathered.len - begin;
            let volume = Spread::new(lanes, &area);
            let levels = if any_static { u32::MAX } else { u32::MAX << own.level };
            let mut walk = bins.walk(area_min, &span, None, levels);
            let mut heads = [NONE; HEADS_LEN];
            loop {
                let len = bins.next_heads(&mut walk, &mut heads);
                for &head in &heads[..len] {
                    let mut index = number(head);
                    let other = (links[index].level, index);
                    let has_pair = other > (own.level, first_page);
                    while let Some(link) = links.get(index) {
                        let mut wanted = link.objects();
                        if !has_pair {
                            wanted = wanted & !link.movers();
                        }
                        let hits = volume.overlaps(lanes, &pages[index].planes(), 0) & wanted;
                        gathered.push(lanes, &pages[index], hits, false);
                        index = number(link.next);
                    }
                }
                if len == 0 {
                    break;
                }
            }
            gathered.push_group(begin, movers);
        }
    }
}
