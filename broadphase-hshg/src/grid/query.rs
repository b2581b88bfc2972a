//! What a region overlaps: the rows near it, and in each the stretch of objects that may reach it.

use core::marker::PhantomData;

use broadphase_core::kernel::sweep::{self, Along, Line};
use broadphase_core::kernel::within::Open;
use broadphase_core::{Entry, Flow, Kernel, LANES, Lanes, Region, Scalar, SlabPlanes, Slabs};

use super::Hshg;
use super::level::{Tier, exponent, power};
use super::row::{Row, in_block};

/// So many places around the one that is guessed are looked at at once.
const WINDOW: usize = 8 * LANES;

/// So many rows tell how dense all are.
const SAMPLES: usize = 4;

/// So many places are found before they are looked at.
const HITS: usize = 64;

/// What a region asks of every row.
struct Question<'a, S, const D: usize> {
    region: &'a Region<S, D>,
    /// What overlaps it overlaps these.
    slabs: Slabs<D>,
    /// Whether nothing else has to be asked.
    decided: bool,
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits the objects that overlap a region.
    pub(super) fn query_region<R: Flow>(
        &self,
        region: &Region<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let slabs = region.reach().slabs();
        let decided = self.store.is_exact() && region.is_box();
        let question = Question { region, slabs, decided };
        let mut answer = R::CONTINUE;
        self.rows_near(&question.slabs, |row, tier| {
            let early = tier.reach.earliest(slabs.min[0]);
            if !answer.stops() && (row.loose || row.bounds.overlaps(&question.slabs)) {
                answer = self.query_row(row, early, &question, visit);
            }
        });
        for body in &self.pending {
            if answer.stops() {
                break;
            }
            if region.overlaps(&body.bounds) {
                answer = visit(Entry { key: body.key, bounds: body.bounds, data: &body.data });
            }
        }
        answer
    }

    /// Visits the rows in which objects may be that overlap a box, each with its tier.
    #[inline]
    pub(super) fn rows_near(&self, slabs: &Slabs<D>, mut visit: impl FnMut(&Row<D>, &Tier)) {
        let kinds = self.rows.last().map_or(0, |row| row.id.kind + 1);
        for tier in &self.tiers {
            let cells = tier.cells_near::<S, D>(slabs);
            for kind in 0..kinds {
                in_block(&self.rows, [i32::from(kind), tier.number], cells, |index| {
                    visit(&self.rows[index], tier);
                });
            }
        }
    }

    /// How far it is from one object to the next, about, in some rows.
    pub(super) fn typical_spacing(&self) -> Option<f64> {
        let (mut space, mut objects) = (0.0, 0.0);
        for sample in 0..SAMPLES {
            let row = self.rows.get(self.rows.len() * (2 * sample + 1) / (2 * SAMPLES))?;
            let tier = self.tiers.iter().find(|tier| tier.number == row.id.tier)?;
            let ends = [row.bounds.min[0], row.bounds.max[0]].map(|key| S::of_key(key).to_f64());
            if row.objects() > 0 && ends[1] > ends[0] {
                let section = (1..D).fold(1.0, |section, _| section * tier.side);
                space += (ends[1] - ends[0]) * section;
                objects += row.objects() as f64;
            }
        }
        let tier = self.tiers.first()?;
        let spacing = power(exponent(space / objects) / D as i32);
        Some(if spacing < tier.side { spacing } else { tier.side })
    }

    /// Visits the objects of a row that overlap a region.
    #[inline]
    fn query_row<R: Flow>(
        &self,
        row: &Row<D>,
        early: i32,
        question: &Question<'_, S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        self.stretch(row, early, &question.slabs, None, &mut |place| {
            let entry = self.store.entry(place);
            if question.decided || question.region.overlaps(&entry.bounds) {
                visit(entry)
            } else {
                R::CONTINUE
            }
        })
    }

    /// Visits the places of a row whose objects overlap a box and, if there is a line, may touch
    /// that, in order; none of them begins before `early`.
    #[inline]
    pub(super) fn stretch<R: Flow>(
        &self,
        row: &Row<D>,
        early: i32,
        slabs: &Slabs<D>,
        line: Option<&Line<D>>,
        visit: &mut impl FnMut(usize) -> R,
    ) -> R {
        let planes = self.store.planes();
        let end = row.begin + row.len;
        let (mut next, mut search) = (row.begin, Some((row, early)));
        let mut hits = [0; HITS];
        while next < end {
            let (next, hits, search) = (&mut next, &mut hits, search.take());
            let scalar = PhantomData::<S>;
            let stretch = Stretch { planes, slabs, line, search, next, end, hits, scalar };
            let filled = self.backend.dispatch(stretch);
            for &mut place in &mut hits[..filled] {
                if self.is_live(place as usize) {
                    let answer = visit(place as usize);
                    if answer.stops() {
                        return answer;
                    }
                }
            }
        }
        R::CONTINUE
    }
}

/// Finds where a stretch begins, if that is asked for, and goes on from `next` with its places that
/// overlap a box, and may touch a line, until it ends or the buffer is full; yields how many there
/// are.
struct Stretch<'a, S, const D: usize> {
    planes: SlabPlanes<'a, D>,
    slabs: &'a Slabs<D>,
    line: Option<&'a Line<D>>,
    /// The row, and what no place begins before.
    search: Option<(&'a Row<D>, i32)>,
    next: &'a mut usize,
    end: usize,
    hits: &'a mut [u32; HITS],
    scalar: PhantomData<S>,
}

impl<S: Scalar, const D: usize> Kernel for Stretch<'_, S, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { planes, slabs, line, search, next, end, hits, scalar } = self;
        if let Some((row, early)) = search {
            *next = first_from::<L, S, D>(lanes, planes.min[0], row, early);
        }
        match line {
            Some(line) => {
                let gate = Along { planes: planes.of_one_length(), line, scalar };
                sweep::query(lanes, &planes, slabs, gate, next, end, hits)
            }
            None => sweep::query(lanes, &planes, slabs, Open, next, end, hits),
        }
    }
}

/// The first place of a row that does not begin before a key: searched for from where it would be
/// if the objects were evenly spread.
#[inline(always)]
fn first_from<L: Lanes, S: Scalar, const D: usize>(
    lanes: L,
    begins: &[i32],
    row: &Row<D>,
    early: i32,
) -> usize {
    let order = &begins[row.places()];
    if order.len() <= WINDOW {
        return row.begin + order.partition_point(|&first| first < early);
    }
    let number = |key: i32| S::of_key(key).to_f64();
    let (first, last) = (number(row.bounds.min[0]), number(row.bounds.max[0]));
    let part = (number(early) - first) / (last - first);
    // What is no number becomes 0.
    let guess = (part * order.len() as f64) as usize;
    let at = guess.saturating_sub(WINDOW / 2).min(order.len() - WINDOW);
    let window = order[at..].first_chunk().expect("the row is longer");
    let before = sweep::below(lanes, window, early);
    let (mut low, mut high) = (at + before, at + before);
    let mut stride = WINDOW;
    if before == 0 {
        while stride <= high && order[high - stride] >= early {
            high -= stride;
            stride *= 2;
        }
        low = high.saturating_sub(stride);
    } else if before == WINDOW {
        while low + stride < order.len() && order[low + stride] < early {
            low += stride + 1;
            stride *= 2;
        }
        high = order.len().min(low + stride);
    }
    row.begin + low + order[low..high].partition_point(|&first| first < early)
}
