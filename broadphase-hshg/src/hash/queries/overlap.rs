//! Finds the objects whose key bounds overlap a box and, for a cast, may touch a line.
//!
//! 1. Collect the heads of up to [`HEADS_LEN`] page chains, and prefetch their first pages
//!    together: the search is memory-bound.
//! 2. Test the box, and the line, against all eight objects of each page. Buffer the positions of
//!    hits.
//! 3. Replace each head with the next page of its chain, or drop it at the end. Repeat from 2 until
//!    all chains end; then continue the walk.

use core::hint::select_unpredictable;
use core::marker::PhantomData;

use broadphase_core::kernel::hits::{self, SPARE};
use broadphase_core::kernel::overlap::Spread;
use broadphase_core::kernel::sweep::{Along, Line};
use broadphase_core::kernel::within::{Gate, Open};
use broadphase_core::query::CastSegment;
use broadphase_core::{Aabb, Backend, Flow, Kernel, LANES, Lanes, Scalar, Slabs, instances};

use crate::hash::bins::Bins;
use crate::hash::bins::pages::{self, Link, NONE, ObjectId, Page};
use crate::hash::bins::walk::HEADS_LEN;

/// The capacity of the buffer of hits.
const HIT_BUFFER_LEN: usize = 64;

/// The page chains being tested: for each, the head of its next page.
struct Chains {
    heads: [u32; HEADS_LEN],
    len: usize,
    /// The number of chains whose page was tested in this round (`at`), and of those with more
    /// (`kept`).
    at: usize,
    kept: usize,
    /// The number of pages tested in total.
    pages_tested: usize,
}

impl<const D: usize> Bins<D> {
    /// Visits the ids and key bounds of objects that may overlap a box and, if there is a segment
    /// of a path, may touch it. Returns also the number of blocks tested.
    #[inline]
    pub(crate) fn overlapping<S: Scalar, R: Flow>(
        &self,
        backend: Backend,
        area: &Aabb<S, D>,
        segment: Option<&CastSegment<'_, S, D>>,
        mut visit: impl FnMut(ObjectId, Slabs<D>) -> R,
    ) -> (R, usize) {
        let (pages, links) = self.pages();
        let (slabs, span) = (&area.slabs(), self.span(area));
        let (line, integer) = (segment.map(CastSegment::line), S::INTEGER);
        let path_bounds =
            segment.filter(|_| span.is_away_from_ends()).and_then(CastSegment::path_bounds);
        let mut area_min = [0.0; D];
        for (to, from) in area_min.iter_mut().zip(area.min) {
            *to = from.to_f64();
        }
        let mut walk = self.walk(area_min, &span, path_bounds, u32::MAX);
        let mut chains =
            Chains { heads: [NONE; HEADS_LEN], len: 0, at: 0, kept: 0, pages_tested: 0 };
        let mut hits = [0; HIT_BUFFER_LEN];
        loop {
            if chains.len == 0 {
                chains.len = self.next_heads(&mut walk, &mut chains.heads);
            }
            if chains.len == 0 {
                return (R::CONTINUE, chains.pages_tested);
            }
            let query = ChainQuery {
                pages,
                links,
                slabs,
                line,
                integer,
                chains: &mut chains,
                hits: &mut hits,
            };
            let filled = query_chains(backend, query);
            for &hit in &hits[..filled] {
                let (page, lane) = (&pages[hit as usize / LANES], hit as usize % LANES);
                let answer = visit(page.id(lane), page.get(lane));
                if answer.stops() {
                    return (answer, chains.pages_tested);
                }
            }
        }
    }
}

instances! {
    /// Runs [`ChainQuery`] on a backend.
    fn query_chains<D>(backend: Backend, kernel: ChainQuery<'_, D>) -> usize {
        backend.dispatch(kernel)
    }
}

/// A kernel that tests the pages of chains until the chains end or the buffer is full. Writes the
/// positions of objects that overlap a box and, if there is a line, may touch it. Returns their
/// number.
struct ChainQuery<'a, const D: usize> {
    pages: &'a [Page<D>],
    links: &'a [Link],
    slabs: &'a Slabs<D>,
    line: Option<&'a Line<D>>,
    /// Whether integer keys stand for integer coordinates, not for floats.
    integer: bool,
    chains: &'a mut Chains,
    hits: &'a mut [u32; HIT_BUFFER_LEN],
}

impl<const D: usize> Kernel for ChainQuery<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        match self.line {
            None => self.run_gated(lanes, |_| Open),
            Some(line) if self.integer => {
                let scalar = PhantomData::<i32>;
                self.run_gated(lanes, |page| Along { planes: page.planes(), line, scalar })
            }
            Some(line) => {
                // `f64` coordinates are stored as keys of `f32`.
                let scalar = PhantomData::<f32>;
                self.run_gated(lanes, |page| Along { planes: page.planes(), line, scalar })
            }
        }
    }
}

impl<'a, const D: usize> ChainQuery<'a, D> {
    #[inline(always)]
    fn run_gated<L: Lanes, G: Gate<L>>(self, lanes: L, gate: impl Fn(&'a Page<D>) -> G) -> usize {
        let Self { pages, links, slabs, chains, hits, .. } = self;
        let volume = Spread::new(lanes, slabs);
        // A box over all numbers overlaps even padding.
        let spans_all = slabs.overlaps(&Slabs::PADDING);
        let mut filled = 0;
        while chains.len > 0 {
            if chains.at == 0 {
                for &head in &chains.heads[..chains.len] {
                    pages[pages::number(head)].prefetch(lanes);
                }
            }
            while chains.at < chains.len {
                if filled + LANES + SPARE > HIT_BUFFER_LEN {
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
                page.prefetch_ids(lanes, hit);
                filled = hits::write_places(lanes, hit, index * LANES, hits, filled);
                // Branch-free, because whether a chain continues is unpredictable.
                let link = links[select_unpredictable(more, index, 0)];
                chains.heads[chains.kept] = link.next;
                chains.kept += usize::from(more);
                chains.at += 1;
                chains.pages_tested += 1;
            }
            (chains.len, chains.at, chains.kept) = (chains.kept, 0, 0);
        }
        filled
    }
}
