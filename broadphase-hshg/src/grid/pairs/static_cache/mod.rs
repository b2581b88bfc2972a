//! What static objects are around those that move, remembered.
//!
//! Each dynamic object gets a *range*, a box somewhat larger than its slabs, and it is found out
//! once which static ones overlap it. As long as it stays in its range, that is all it can meet of
//! them; when it has left it, it gets another one, which reaches ahead the way it went. So most
//! ticks most objects look for nothing.
//!
//! ```text
//!   ┌─────────────┐ range        ranges   [ a ][ b ][ · ][ c ] …    a spot for each place of the
//!   │     ┌────┐  │                                                 rows of those that move
//!   │     │ a ─┼→ ├──┐           near     [ a, p, slabs of p ] …    a list, in any order
//!   │     └────┘  │ p│
//!   └──────────┬──┘  │
//!              └─────┘
//! ```
//!
//! A place is an index into the store, a *spot* one into the ranges. That something static is in a
//! box, or nothing is, is true whoever moves there. So a range is not of an object, but of a spot;
//! whoever comes to be there, by whatever change of rows, may use it if he is in it, and gets
//! another one if not. Nothing but a change of what is static makes it untrue.
//!
//! Those that are far larger than the smallest of what is static are swept with it as without all
//! this.

mod lookup;
#[cfg(test)]
mod tests;
mod worker;

use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::{ControlFlow, Range};

use broadphase_core::{LANES, Scalar, SlabVec, Slabs};

use crate::grid::Core;
use crate::grid::pairs::row_index::QUIET_SWEEPS;
use crate::grid::pairs::row_pairs::QUIET;
use crate::grid::pairs::sink::PairSink;
use crate::grid::pairs::static_cache::lookup::Outside;
use crate::grid::pairs::sweep::HITS;
use crate::grid::storage::row::{Row, RowId, STATIC, enclose, group, of_kinds};
use crate::grid::storage::store::is_like_hole;
use crate::grid::storage::tiers::Tier;
use worker::{Field, Scout};

/// It pays if so many times as many objects are static as move.
const FEW: usize = 8;
/// Ranges are larger than the slabs in them by this part of the limit of the lowest tier of those
/// that move, on every side.
const MARGIN: f64 = 0.125;
/// And by this part more where an object went since it got its last range.
// A quarter on every side and none ahead: an eighth slower where all are of one size, a twentieth
// where sizes are mixed. A quarter and a half: no faster there, a ninth slower here.
const AHEAD: f64 = 0.375;
/// Those that move are at most in so many tiers above the lowest one of what is static.
const HIGHER: i32 = 1;
/// More near those that move than one for so many objects are too many to remember.
const SPARSE: usize = 2;
/// More looks, and candidates seen in them, than so many for each object take longer than to sweep.
const EFFORT: usize = 4;
/// In how many sweeps it is not tried again after it has not paid, at first and at most.
const PATIENCE: [u32; 2] = [16, 1024];

/// What is known around those that move.
#[derive(Clone, Debug)]
pub(in crate::grid) struct Surroundings<const D: usize> {
    /// Where the spots of the first rows are, those of dynamic objects that are not too large.
    homes: Vec<Home<D>>,
    /// The same as it is now to become.
    next: Vec<Home<D>>,
    /// The range of each spot; of those that had none yet, nothing.
    ranges: SlabVec<D>,
    /// Where the object of each spot began when it got its range.
    begun: Vec<[i32; D]>,
    /// Of all spots, whether what is near them is to be forgotten: that of spots that were left
    /// since the last sweep, or that no row has any more.
    stale: Vec<bool>,
    /// What is static in ranges.
    near: Vec<Near<D>>,
    /// Those that have left their ranges since they were looked at last.
    leavers: Vec<Leaver<D>>,
    /// Of places of a row that are not in their ranges, each with its spot.
    outside: Vec<[u32; 2]>,
    /// The tiers in which something is static, and which rows that is in.
    tiers: Vec<(Tier, Range<usize>)>,
    /// Who finds out what is static in new ranges.
    scouts: Vec<Scout<D>>,
    /// By how much more than every third object has left its range in each sweep, three times.
    debt: isize,
    /// In how many sweeps it is not to be tried again.
    waits: u32,
    /// How many it will be the next time.
    patience: u32,
}

impl<const D: usize> Default for Surroundings<D> {
    fn default() -> Self {
        Self {
            homes: Vec::new(),
            next: Vec::new(),
            ranges: SlabVec::new(),
            begun: Vec::new(),
            stale: Vec::new(),
            near: Vec::new(),
            leavers: Vec::new(),
            outside: Vec::new(),
            tiers: Vec::new(),
            scouts: Vec::new(),
            debt: 0,
            waits: 0,
            patience: PATIENCE[0],
        }
    }
}

/// A row and its spots: one for each of its places, free ones included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Home<const D: usize> {
    id: RowId<D>,
    begin: usize,
    room: usize,
    /// The spot of its first place.
    spot: usize,
}

impl<const D: usize> Home<D> {
    /// Whether a row is where it was when it got its spots.
    fn is_of(&self, row: &Row<D>) -> bool {
        (self.id, self.begin, self.room) == (row.id, row.begin, row.room)
    }

    const fn spots(&self) -> Range<usize> {
        self.spot..self.spot + self.room
    }
}

/// Something static in the range of a spot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Near<const D: usize> {
    spot: u32,
    /// The place of the spot.
    mover: u32,
    /// The place of what is static, and its slabs.
    place: u32,
    slabs: Slabs<D>,
}

/// An object that has left its range, and gets another one.
#[derive(Clone, Copy, Debug)]
struct Leaver<const D: usize> {
    spot: u32,
    place: u32,
    range: Slabs<D>,
}

impl<const D: usize> Surroundings<D> {
    /// Of how many rows, the first ones, it is known what is around their objects.
    pub(in crate::grid) const fn rows(&self) -> usize {
        self.homes.len()
    }

    /// How much is known to be around those that move, for a part of the joins.
    pub(in crate::grid) const fn len(&self, part: usize) -> usize {
        if part == QUIET { 0 } else { self.near.len() }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        (self.homes.capacity() + self.next.capacity()) * size_of::<Home<D>>()
            + self.ranges.memory_use()
            + self.begun.capacity() * size_of::<[i32; D]>()
            + self.stale.capacity()
            + self.near.capacity() * size_of::<Near<D>>()
            + self.leavers.capacity() * size_of::<Leaver<D>>()
            + self.outside.capacity() * size_of::<[u32; 2]>()
            + self.tiers.capacity() * size_of::<(Tier, Range<usize>)>()
            + self.scouts.capacity() * size_of::<Scout<D>>()
            + self.scouts.iter().map(Scout::memory_use).sum::<usize>()
    }

    /// Forgets it all.
    fn forget(&mut self) {
        self.homes.clear();
        self.ranges.clear();
        self.begun.clear();
        self.stale.clear();
        self.near.clear();
    }

    /// Forgets it all, also that it did not pay.
    pub(in crate::grid) fn begin_anew(&mut self) {
        self.forget();
        (self.debt, self.waits, self.patience) = (0, 0, PATIENCE[0]);
    }

    /// Forgets it all, as it does not pay, and waits for longer each time.
    fn give_up(&mut self) {
        self.forget();
        (self.debt, self.waits) = (0, self.patience);
        self.patience = PATIENCE[1].min(2 * self.patience);
    }

    /// Makes spots for rows, ascending by id, if they are others than before.
    fn settle(&mut self, rows: &[Row<D>]) {
        let is_same = |(home, row): (&Home<D>, &Row<D>)| home.is_of(row);
        if self.homes.len() == rows.len() && self.homes.iter().zip(rows).all(is_same) {
            return;
        }
        let room: usize = rows.iter().map(|row| row.room).sum();
        if self.ranges.len() > 2 * room + LANES {
            self.forget();
        }
        self.next.clear();
        let mut used = self.stale.len();
        let mut homes = self.homes.iter().peekable();
        for row in rows {
            while homes.next_if(|home| home.id < row.id).is_some() {}
            let home = homes.next_if(|home| home.is_of(row)).copied();
            self.next.push(home.unwrap_or_else(|| {
                let spot = used;
                used += row.room;
                Home { id: row.id, begin: row.begin, room: row.room, spot }
            }));
        }
        core::mem::swap(&mut self.homes, &mut self.next);
        self.stale.clear();
        self.stale.resize(used, true);
        for home in &self.homes {
            self.stale[home.spots()].fill(false);
        }
        // What reads eight lanes from the last one on reads padding.
        (self.ranges.len()..used + LANES).for_each(|_| self.ranges.push(Slabs::PADDING));
        self.begun.resize(used, [0; D]);
    }

    /// Whether it pays to remember, with so many objects that move.
    fn pays(&mut self, movers: usize) -> bool {
        let (movers, leavers) = (movers as isize, self.leavers.len() as isize);
        let least = -8 * movers;
        self.debt = (self.debt + 3 * leavers - movers).max(least);
        if self.debt == least {
            self.patience = PATIENCE[0];
        }
        self.debt <= 6 * movers
    }

    /// Forgets what is near stale spots.
    fn drop_stale(&mut self) {
        let Self { near, stale, leavers, .. } = self;
        near.retain(|near| !stale[near.spot as usize]);
        for leaver in leavers {
            stale[leaver.spot as usize] = false;
        }
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Brings up to date what is static around those that move, where that pays.
    pub(in crate::grid) fn survey(&mut self) {
        if self.joins.quiet_sweeps < QUIET_SWEEPS {
            self.surroundings.forget();
            return;
        }
        if self.joins.meetings[0].known().is_some() {
            return;
        }
        let mut around = core::mem::take(&mut self.surroundings);
        if around.waits > 0 {
            around.waits -= 1;
        } else {
            self.survey_with(&mut around);
        }
        self.surroundings = around;
    }

    fn survey_with(&mut self, around: &mut Surroundings<D>) {
        let objects = |rows: &[Row<D>]| rows.iter().map(Row::objects).sum::<usize>();
        let statics = &self.rows[of_kinds(&self.rows, STATIC)..];
        let lowest = statics.iter().find(|row| row.objects() > 0);
        let most = lowest.map(|row| row.id.tier.saturating_add(HIGHER));
        let suits = |tier: &&Tier| Some(tier.number) <= most && tier.limit.is_finite();
        let highest = self.tiers.iter().rev().find(suits).map(|tier| tier.number);
        let movers = &self.rows[..of_kinds(&self.rows, 1)];
        let rows = &movers[..movers.partition_point(|row| Some(row.id.tier) <= highest)];
        let movers = objects(rows);
        if movers == 0 || FEW * movers > objects(statics) {
            around.forget();
            return;
        }
        around.settle(rows);
        self.find_leavers(around);
        around.drop_stale();
        if !(around.pays(movers) && self.look_anew(around)) {
            around.give_up();
        }
    }

    /// Finds those that are not in their ranges, and gives them others.
    fn find_leavers(&self, around: &mut Surroundings<D>) {
        let Surroundings { homes, ranges, begun, stale, leavers, outside, .. } = around;
        let rows = &self.rows[..homes.len()];
        let lowest = rows.iter().find(|row| row.objects() > 0).expect("something moves");
        let [margin, ahead] = self.margins_of_ranges(lowest.id.tier);
        leavers.clear();
        for (row, home) in rows.iter().zip(&*homes) {
            outside.clear();
            let planes = [self.store.planes(), ranges.planes()];
            let begins = [row.begin, home.spot];
            self.backend.dispatch(Outside { planes, begins, len: row.len, found: outside });
            for &[place, spot] in &*outside {
                let (min, max) = (&self.store.min, &self.store.max);
                let is_hole = is_like_hole::<S, _, D>(min, max, place as usize);
                if is_hole && !(S::INTEGER && D == 1) {
                    continue;
                }
                let slabs = self.store.slabs(place as usize);
                let begun = &mut begun[spot as usize];
                let is_first = ranges.get(spot as usize) == Slabs::PADDING;
                let way = if is_first { [0.0; D] } else { way(begun, &slabs.min, ahead) };
                *begun = slabs.min;
                let range = range_of(&slabs, margin, &way);
                ranges.set(spot as usize, range);
                stale[spot as usize] = true;
                leavers.push(Leaver { spot, place, range });
            }
        }
    }

    /// By how much ranges are larger than slabs, and how much more they may be where an object went,
    /// if the lowest tier of those that move is this one.
    fn margins_of_ranges(&self, tier: i32) -> [S; 2] {
        let tier = self.tiers.iter().find(|known| known.number == tier);
        let limit = tier.expect("the tier of a row is known").limit;
        [MARGIN, AHEAD].map(|part| {
            let margin = limit * part;
            let margin = S::from_f64(if S::INTEGER { margin.max(1.0) } else { margin });
            if margin.is_finite() { margin } else { S::ZERO }
        })
    }

    /// Finds what is static in the ranges of those that have left theirs; yields whether that is
    /// not too much to remember, and was not too hard.
    fn look_anew(&self, around: &mut Surroundings<D>) -> bool {
        let Surroundings { near, leavers, scouts, tiers, .. } = around;
        tiers.clear();
        for tier in &self.tiers {
            let rows = group(&self.rows, STATIC, tier.number);
            if !rows.is_empty() {
                tiers.push((*tier, rows));
            }
        }
        let field = Field {
            backend: self.backend,
            planes: self.store.planes(),
            rows: &self.rows,
            guides: &self.joins.guides,
            tiers,
            leavers,
            most: self.len / SPARSE,
            effort: EFFORT * self.len,
        };
        worker::send::<S, D>(scouts, &field, near)
    }

    /// Checks that what is remembered is what is static around those that move.
    pub(in crate::grid) fn assert_surroundings_are_true(&self) {
        let Surroundings { homes, ranges, near, .. } = &self.surroundings;
        // Who looks next forgets them.
        if self.joins.static_changed {
            return;
        }
        let mut known: Vec<_> = near.iter().map(|near| (near.spot, near.place)).collect();
        known.sort_unstable();
        let mut known = known.into_iter().peekable();
        let mut homes: Vec<_> = homes.iter().collect();
        homes.sort_unstable_by_key(|home| home.spot);
        for spot in homes.iter().flat_map(|home| home.spots()) {
            let range = ranges.get(spot);
            let mut all = Vec::new();
            let is_one = range != Slabs::PADDING;
            let part = |row: &Row<D>| (row.id.kind == STATIC && is_one).then_some(range);
            let _ = self.places_near(&range, None, part, &mut |places| {
                all.extend_from_slice(places);
                ControlFlow::Continue(())
            });
            all.sort_unstable();
            let of_spot = core::iter::from_fn(|| known.next_if(|near| near.0 as usize == spot));
            let found: Vec<_> = of_spot.map(|near| near.1).collect();
            // A hole may seem to overlap a range in which all numbers are.
            let live = |places: Vec<u32>| -> Vec<u32> {
                places.into_iter().filter(|&place| self.is_live(place as usize)).collect()
            };
            assert_eq!(live(found), live(all), "what is static near spot {spot}");
        }
        assert_eq!(known.next(), None, "nothing is near a spot that nobody has");
        for near in near {
            let home = homes.partition_point(|home| home.spots().end <= near.spot as usize);
            let offset = near.spot as usize - homes[home].spot;
            assert_eq!(homes[home].begin + offset, near.mover as usize, "spots are of places");
            assert_eq!(near.slabs, self.store.slabs(near.place as usize), "it has not moved");
        }
    }

    /// Visits those who meet something static of which it is known that it is around them: in a
    /// stretch of what is known.
    pub(in crate::grid) fn meet_around(
        &self,
        stretch: Range<usize>,
        mut notes: Option<&mut Vec<[u32; 2]>>,
        sink: &mut PairSink<'_, S, D>,
    ) -> ControlFlow<()> {
        let planes = self.store.planes().of_one_length();
        let mut hits = [[0; 2]; HITS];
        for some in self.surroundings.near[stretch].chunks(HITS) {
            let mut filled = 0;
            for &Near { mover, place, slabs, .. } in some {
                hits[filled] = [mover, place];
                // Nobody can guess it.
                filled += usize::from(planes.get(mover as usize).overlaps(&slabs));
            }
            self.hand_out(&mut hits[..filled], notes.as_deref_mut(), sink)?;
        }
        ControlFlow::Continue(())
    }
}

/// The way from where an object began to where it begins now, as far as `ahead` on the axis on which
/// it is longest.
fn way<S: Scalar, const D: usize>(begun: &[i32; D], begins: &[i32; D], ahead: S) -> [f64; D] {
    let number = |key: i32| S::of_key(key).to_f64();
    let way: [f64; D] = from_fn(|axis| number(begins[axis]) - number(begun[axis]));
    let longest = way.iter().fold(0.0, |longest: f64, way| longest.max(way.abs()));
    let part = ahead.to_f64() / longest;
    // Infinite, or no number, where it did not go any way.
    way.map(|way| if part.is_finite() { way * part } else { 0.0 })
}

/// The range of slabs: larger by a margin on every side, and more the way an object goes.
fn range_of<S: Scalar, const D: usize>(slabs: &Slabs<D>, margin: S, way: &[f64; D]) -> Slabs<D> {
    let mut range = *slabs;
    for axis in 0..D {
        let [min, max] = [slabs.min[axis], slabs.max[axis]].map(S::of_key);
        let [back, on] = [-way[axis], way[axis]].map(|way| S::from_f64(way.max(0.0)));
        range.min[axis] = min.minus(margin).minus(back).canonical().key_below();
        range.max[axis] = max.plus(margin).plus(on).canonical().key_above();
    }
    // Whatever is rounded.
    enclose(&mut range, slabs);
    range
}
