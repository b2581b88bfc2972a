//! What overlaps a box, and may touch a line: page after page of the bins that it reaches into.

use core::hint::select_unpredictable;
use core::marker::PhantomData;

use broadphase_core::kernel::hits::{self, SPARE};
use broadphase_core::kernel::overlap::Spread;
use broadphase_core::kernel::query::Query;
use broadphase_core::kernel::sweep::{Along, Line};
use broadphase_core::kernel::within::{Gate, Open};
use broadphase_core::query::Piece;
use broadphase_core::{Aabb, Backend, Flow, Kernel, LANES, Lanes, Scalar, Slabs, instances};

use super::bins::ROOM;
use super::pages::{self, Link, NONE, Name, Page};
use crate::hash::cells::Cells;
use crate::hash::map::CellMap;

/// So many are found before they are visited.
const HITS: usize = 64;

/// Chains that are looked into: of each what leads to the next page.
struct Chains {
    heads: [u32; ROOM],
    len: usize,
    /// How many of them have been looked at in this round, and how many of these go on.
    at: usize,
    kept: usize,
    /// How many pages have been looked at in all.
    looked: usize,
}

impl<const D: usize, M: CellMap<D>> Cells<D, M> {
    /// Visits the objects, names and slabs, that may overlap a box and, if there is a piece of a
    /// path, may belong to that. Yields how many times eight were looked at, too.
    // One loop for all, with one place where they are visited: what is done there is compiled in.
    #[inline]
    pub(crate) fn overlapping<S: Scalar, R: Flow>(
        &self,
        backend: Backend,
        area: &Aabb<S, D>,
        piece: Option<&Piece<'_, S, D>>,
        keys: &[u32],
        mut visit: impl FnMut(Name, Slabs<D>) -> R,
    ) -> (R, usize) {
        let (pages, _) = self.bins.pages();
        let (slabs, span) = (&area.slabs(), self.span(area));
        let line = piece.map(Piece::line);
        let course = piece.filter(|_| span.is_near()).and_then(Piece::course);
        let mut reaching = self.bins.reaching(area, &span, course);
        let mut chains = Chains { heads: [NONE; ROOM], len: 0, at: 0, kept: 0, looked: 0 };
        let (mut hits, mut block) = ([0; HITS], 0);
        loop {
            if chains.len == 0 {
                chains.len = self.bins.go_on(&mut reaching, &mut chains.heads);
            }
            let in_bins = chains.len > 0;
            let filled = if in_bins {
                let ((pages, links), integer) = (self.bins.pages(), S::INTEGER);
                let (chains, hits) = (&mut chains, &mut hits);
                look_into(backend, LookInto { pages, links, slabs, line, integer, chains, hits })
            } else if block * LANES < self.large.len() {
                let (planes, len) = (self.large.planes(), self.large.len());
                let (block, hits) = (&mut block, &mut hits[..]);
                look_at_large(backend, Query { planes, len, query: slabs, block, hits })
            } else {
                return (R::CONTINUE, chains.looked + block);
            };
            for &hit in &hits[..filled] {
                let hit = hit as usize;
                let (name, slabs) = if in_bins {
                    let (page, lane) = (&pages[hit / LANES], hit % LANES);
                    (page.name(lane), page.get(lane))
                } else {
                    self.large_at(hit, keys)
                };
                let answer = visit(name, slabs);
                if answer.stops() {
                    return (answer, chains.looked + block);
                }
            }
        }
    }

    /// The name and slabs of an oversized object.
    // Apart, so that not every question gets ready for it.
    #[inline(never)]
    fn large_at(&self, position: usize, keys: &[u32]) -> (Name, Slabs<D>) {
        let slot = self.large_slots[position];
        (Name { slot, key: keys[slot as usize] }, self.large.get(position))
    }
}

instances! {
    /// Runs [`LookInto`] on a backend.
    fn look_into<D>(backend: Backend, kernel: LookInto<'_, D>) -> usize {
        backend.dispatch(kernel)
    }

    /// Runs [`Query`] on a backend: finds the positions of oversized objects that overlap a box.
    fn look_at_large<D>(backend: Backend, kernel: Query<'_, D>) -> usize {
        backend.dispatch(kernel)
    }
}

/// Goes on with the chains until they end or the buffer has no room; yields how many places it
/// wrote, of objects that overlap a box and may touch a line.
struct LookInto<'a, const D: usize> {
    pages: &'a [Page<D>],
    links: &'a [Link],
    slabs: &'a Slabs<D>,
    line: Option<&'a Line<D>>,
    /// Whether keys stand for integers rather than floats.
    integer: bool,
    chains: &'a mut Chains,
    hits: &'a mut [u32; HITS],
}

impl<const D: usize> Kernel for LookInto<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        match self.line {
            None => self.fill(lanes, |_| Open),
            Some(line) if self.integer => {
                let scalar = PhantomData::<i32>;
                self.fill(lanes, |page| Along { planes: page.planes(), line, scalar })
            }
            Some(line) => {
                // Keys of `f64` are those of `f32`.
                let scalar = PhantomData::<f32>;
                self.fill(lanes, |page| Along { planes: page.planes(), line, scalar })
            }
        }
    }
}

impl<'a, const D: usize> LookInto<'a, D> {
    #[inline(always)]
    fn fill<L: Lanes, G: Gate<L>>(self, lanes: L, gate: impl Fn(&'a Page<D>) -> G) -> usize {
        let Self { pages, links, slabs, chains, hits, .. } = self;
        let volume = Spread::new(lanes, slabs);
        // What spans all numbers overlaps even the padding of lanes without an object.
        let spans_all = slabs.overlaps(&Slabs::PADDING);
        let mut filled = 0;
        while chains.len > 0 {
            if chains.at == 0 {
                for &head in &chains.heads[..chains.len] {
                    pages[pages::number(head)].prefetch(lanes);
                }
            }
            while chains.at < chains.len {
                if filled + LANES + SPARE > HITS {
                    return filled;
                }
                let head = chains.heads[chains.at];
                let (index, more) = (pages::number(head), pages::has_more(head));
                let page = &pages[index];
                let mut open = gate(page).open(lanes, 0, 0);
                if spans_all {
                    open = open & links[index].objects();
                }
                let hit = volume.overlaps(lanes, &page.planes(), 0) & open;
                page.prefetch_names(lanes, hit);
                filled = hits::write_places(lanes, hit, index * LANES, hits, filled);
                // Nobody can guess which chains go on: so no branch depends on it.
                let link = links[select_unpredictable(more, index, 0)];
                chains.heads[chains.kept] = link.next;
                chains.kept += usize::from(more);
                chains.at += 1;
                chains.looked += 1;
            }
            (chains.len, chains.at, chains.kept) = (chains.kept, 0, 0);
        }
        filled
    }
}
