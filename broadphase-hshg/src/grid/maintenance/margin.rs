//! Skin: slabs a little larger than the bounds in them, so that little changes most of the time.
//!
//! As long as every object stays inside its slabs, nothing has to be sorted and those who met at
//! the last sweep are all who can meet. When the first one leaves, all get slabs anew: from then
//! on they last equally long. How long that is one knows from the last time, and so that the next
//! walk is one in which all get slabs at once, not one that finds out that it should have been.
//! Those that are moved by key and leave get slabs one by one, until they are many.

use broadphase_core::{Aabb, Scalar, Slabs, instances, skin};

use crate::grid::data::MoveData;
use crate::grid::storage::row::{CLASSES, Row, STATIC, count_rows_of};
use crate::grid::storage::store::Body;
use crate::grid::{Core, Hshg};

/// The slabs of bounds with a margin.
#[inline(always)]
pub(in crate::grid) fn slabs<S: Scalar, const D: usize>(
    bounds: &Aabb<S, D>,
    margin: S,
) -> Slabs<D> {
    if margin == S::ZERO {
        return bounds.slabs();
    }
    let mut slabs = Slabs::PADDING;
    for axis in 0..D {
        slabs.min[axis] = bounds.min[axis].minus(margin).canonical().key_below();
        slabs.max[axis] = bounds.max[axis].plus(margin).canonical().key_above();
    }
    slabs
}

/// Where one in so many has left its slabs, others are about to.
const ESCAPE_RATIO: usize = 64;

/// How long slabs last.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct MarginAge {
    /// How many there have been since all got slabs.
    walks: u32,
    /// How many there were the last time until the first one left.
    lifetime: u32,
    /// How often one has left its slabs by key since all got theirs.
    escapes: usize,
}

impl MarginAge {
    /// Nothing is known.
    pub(in crate::grid) const UNKNOWN: Self = Self { walks: 0, lifetime: u32::MAX, escapes: 0 };

    /// Whether the next walk should give all of them slabs.
    #[inline]
    pub(in crate::grid) const fn is_due(self) -> bool {
        self.walks >= self.lifetime
    }

    /// All stayed in their slabs.
    #[inline]
    pub(in crate::grid) const fn record_walk(&mut self) {
        self.walks = self.walks.saturating_add(1);
    }

    /// All got slabs, as one of them had left its own. Or none had: then it was too early, which
    /// costs more than to be late.
    #[inline]
    pub(in crate::grid) const fn record_refresh(&mut self, left: bool) {
        self.lifetime =
            if left { self.walks } else { self.walks.saturating_mul(2).saturating_add(1) };
        self.restart();
    }

    /// All got slabs, whether it was time or not.
    #[inline]
    pub(in crate::grid) const fn restart(&mut self) {
        (self.walks, self.escapes) = (0, 0);
    }

    /// One got slabs by key, as it had left its own.
    #[inline]
    pub(in crate::grid) const fn record_escape(&mut self) {
        self.escapes = self.escapes.saturating_add(1);
    }
}

/// How much larger slabs are than the bounds in them, on every side, for each kind of object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::grid) struct Margins<S>([S; CLASSES as usize]);

impl<S: Scalar> Margins<S> {
    pub(in crate::grid) const NONE: Self = Self::all(S::ZERO);

    /// The same for all.
    pub(in crate::grid) const fn all(margin: S) -> Self {
        Self([margin; CLASSES as usize])
    }

    /// None for what is static, which is not expected to move.
    fn of_movers(margin: S) -> Self {
        let mut margins = Self::all(margin);
        margins.0[STATIC as usize] = S::ZERO;
        margins
    }

    /// That of a kind.
    #[inline(always)]
    pub(in crate::grid) fn of(&self, class: u8) -> S {
        self.0[usize::from(class)]
    }

    /// That which all have at least.
    pub(in crate::grid) fn min_margin(&self) -> S {
        self.of(STATIC)
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Lets objects move by half of `distance` before anything is sorted or swept again; 0, which
    /// is what a structure begins with, switches that off.
    ///
    /// No answer changes, only what it costs: as long as all are where they may be, finding pairs
    /// looks again at those who came near at the last sweep, and nothing else. A tick in which one
    /// is not takes two to three times as long as a tick without a skin. It pays where much rests,
    /// or sizes differ (where all are alike and all move, on some machines it is a small loss), and
    /// most objects move slowly: `distance` about eight to sixteen times what the fastest move
    /// between two calls of [`pairs`](crate::SpatialIndex::pairs), more where few of many do, and
    /// objects not much smaller than that. One object that is faster than the others makes all of
    /// them be sorted and swept again whenever it has gone half of `distance`; and so does anything
    /// static whenever a walk moves it at all, since it has no skin. Where objects are moved by
    /// key, those that leave are followed by all others once they are many; under manual upkeep,
    /// when [`optimize`](crate::SpatialIndex::optimize) is called. Takes 8 bytes more for an axis
    /// of an object, none where that is `f64`, and 8 for each pair that is near.
    ///
    /// # Panics
    /// If `distance` is negative, NaN or infinite.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 2> = Hshg::new();
    /// world.set_skin(2.0);
    /// world.insert(0, Aabb::of_ball([0.0, 0.0], 1.0), ())?;
    /// world.insert(1, Aabb::of_ball([3.0, 0.0], 1.0), ())?;
    /// let mut pairs = Vec::new();
    /// world.pairs(&mut pairs);
    /// assert!(pairs.is_empty()); // near, but apart
    /// world.update(|key, _, bounds| {
    ///     if key == 0 {
    ///         *bounds = bounds.translated([1.0, 0.0]);
    ///     }
    /// })?;
    /// world.pairs(&mut pairs);
    /// assert_eq!(pairs, [[0, 1]]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn set_skin(&mut self, distance: S) {
        let margins = Margins::of_movers(skin::margin(distance));
        set_margins(&mut self.core, margins, &mut self.data);
    }
}

instances! {
    /// [`Core::set_margins`], compiled once.
    fn set_margins<S, D>(core: &mut Core<S, D>, margins: Margins<S>, data: &mut dyn MoveData) {
        core.set_margins(margins, data);
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Gives all objects slabs with such margins.
    pub(in crate::grid) fn set_margins(&mut self, margins: Margins<S>, data: &mut dyn MoveData) {
        if margins != self.margins {
            self.unpack_all(data);
            self.margins = margins;
            self.margin_age = MarginAge::UNKNOWN;
            self.store.has_margins = margins != Margins::NONE;
        }
    }

    /// Gives all that are not static slabs where many have left theirs by key.
    pub(in crate::grid) fn refresh_margins(&mut self, data: &mut dyn MoveData) {
        if self.margin_age.escapes == 0 {
            return;
        }
        let rows = count_rows_of(&self.rows, STATIC);
        let objects: usize = self.rows[..rows].iter().map(Row::objects).sum();
        if self.margin_age.escapes <= objects / ESCAPE_RATIO {
            return;
        }
        self.invalidate_rows(rows);
        self.sort_rows(rows, data);
        self.margin_age.record_refresh(true);
    }

    /// The slabs of an object that waits for a row.
    pub(in crate::grid) fn slabs_of(&self, body: &Body<S, D>) -> Slabs<D> {
        slabs(&body.bounds, self.margins.of(body.class))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, SpatialIndex};

    use crate::grid::Hshg;

    type World = Hshg<f32, 2, f32>;

    /// A thousand discs, each with a velocity up to 0.5, in a skin that they leave after four
    /// ticks.
    fn world() -> World {
        let mut world = World::new();
        world.set_skin(4.0);
        for key in 0..1000u32 {
            let middle = [(key % 40) as f32 * 9.0, (key / 40) as f32 * 9.0];
            let velocity = 0.5 - (key % 11) as f32 * 0.1;
            world.insert(key, Aabb::of_ball(middle, 4.0), velocity).expect("a free key");
        }
        world
    }

    /// Of so many ticks those in which nobody has to be swept again.
    fn cached_ticks(world: &mut World, mut advance: impl FnMut(&mut World)) -> Vec<bool> {
        let mut pairs = Vec::new();
        world.pairs(&mut pairs);
        let mut tick = |_| {
            advance(world);
            world.refresh();
            let is_quiet = world.core.row_pairs.caches[0].known().is_some();
            world.pairs(&mut pairs);
            is_quiet
        };
        (0..20).map(&mut tick).collect()
    }

    const FOUR_OF_FIVE: [bool; 20] = {
        let (mut ticks, mut tick) = ([true; 20], 4);
        while tick < 20 {
            ticks[tick] = false;
            tick += 5;
        }
        ticks
    };

    #[test]
    fn margins_last_until_the_first_object_leaves() {
        let mut world = world();
        let mut dues = 0;
        let cached = cached_ticks(&mut world, |world| {
            dues += usize::from(!world.core.walks_within_margins());
            let walked = world.update(|_, velocity, bounds| {
                *bounds = bounds.translated([*velocity, 0.0]);
            });
            walked.expect("bounds stay valid");
        });
        assert_eq!(cached, FOUR_OF_FIVE);
        assert_eq!(dues, 3, "the first time nobody knew");
    }

    #[test]
    fn margins_last_as_long_when_objects_move_by_key() {
        let cached = cached_ticks(&mut world(), |world| {
            for key in 0..1000 {
                let object = world.get(key).expect("it is there");
                let bounds = object.bounds.translated([*object.data, 0.0]);
                world.set_bounds(key, bounds).expect("bounds stay valid");
            }
        });
        assert_eq!(cached, FOUR_OF_FIVE);
    }

    #[test]
    fn slower_objects_are_refreshed_less_often() {
        let mut world = world();
        let mut ticks = 0;
        let cached = cached_ticks(&mut world, |world| {
            ticks += 1;
            let share = if ticks > 7 { 0.5 } else { 1.0 };
            let walked = world.update(|_, velocity, bounds| {
                *bounds = bounds.translated([*velocity * share, 0.0]);
            });
            walked.expect("bounds stay valid");
        });
        let loud: Vec<usize> =
            (1..).zip(&cached).filter(|tick| !tick.1).map(|tick| tick.0).collect();
        assert_eq!(loud, [5, 10, 19], "far later if it was too early");
    }

    #[test]
    fn static_objects_have_no_margin() {
        let mut world = world();
        for key in 0..500 {
            world.set_motion(key, Motion::Static).expect("it is there");
        }
        world.optimize();
        for key in 0..1000 {
            let slot = world.core.slots.get(key).expect("it is there");
            let is_wider = world.core.store.slabs(slot) != world.core.store.bounds(slot).slabs();
            assert_eq!(is_wider, key >= 500, "object {key}");
        }
        world.assert_well_formed();
    }
}
