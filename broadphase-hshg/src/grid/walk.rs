//! The walk over all objects in storage order, which keeps rows in order as it goes.

use broadphase_core::{Aabb, IndexError, Scalar, Slabs};

use super::row::enclose;
use super::store::Body;
use super::{Hshg, PENDING};

/// An object that went farther than this in its row waits with those that leave it.
const STEPS: usize = 32;

/// What a walk has to tell: the error of the smallest key.
#[derive(Default)]
struct Worst(Option<(u32, IndexError)>);

impl Worst {
    #[cold]
    fn note<S: Scalar, const D: usize>(&mut self, key: u32, bounds: Aabb<S, D>) {
        if let Err(why) = bounds.checked()
            && self.0.is_none_or(|(worst, _)| key < worst)
        {
            self.0 = Some((key, IndexError::InvalidBounds { key, why }));
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    pub(super) fn walk(
        &mut self,
        mut keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let mut worst = Worst::default();
        self.walk_pending(&mut keep, &mut worst);
        for index in 0..self.rows.len() {
            self.walk_row(index, &mut keep, &mut worst);
        }
        self.refresh();
        worst.0.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn walk_pending(
        &mut self,
        keep: &mut impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
        worst: &mut Worst,
    ) {
        let mut index = 0;
        while index < self.pending.len() {
            let body = &mut self.pending[index];
            let (key, old) = (body.key, body.bounds);
            let stays = keep(key, &mut body.data, &mut body.bounds);
            match body.bounds.checked() {
                Ok(bounds) => body.bounds = bounds,
                Err(_) => {
                    let bad = core::mem::replace(&mut body.bounds, old);
                    if stays {
                        worst.note(key, bad);
                    }
                }
            }
            if stays {
                index += 1;
            } else {
                self.drop_pending(index);
                self.slots.remove(key);
                self.len -= 1;
            }
        }
    }

    /// Takes an object from among the pending; the last one takes its place.
    pub(super) fn drop_pending(&mut self, index: usize) {
        self.pending.swap_remove(index);
        if let Some(moved) = self.pending.get(index) {
            self.slots.set(moved.key, PENDING | index);
        }
    }

    fn walk_row(
        &mut self,
        index: usize,
        keep: &mut impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
        worst: &mut Worst,
    ) {
        let row = self.rows[index];
        let Ok(tier) = self.tiers.binary_search_by_key(&row.id.tier, |tier| tier.number) else {
            return;
        };
        let tier = self.tiers[tier];
        let (mut all, mut last, mut holes) = (Slabs::PADDING, i32::MIN, row.holes);
        for place in row.places() {
            if row.holes > 0 && !self.is_live(place) {
                // Wherever its neighbours have gone, it stays between them.
                self.store.min[0][place] = last;
                continue;
            }
            let key = self.store.keys[place];
            let old = self.store.bounds(place);
            let mut bounds = old;
            if !keep(key, &mut self.store.data[place], &mut bounds) {
                self.slots.remove(key);
                self.len -= 1;
                self.store.set_hole(place, last);
                holes += 1;
                continue;
            }
            let (bounds, slabs) = bounds.checked_slabs().unwrap_or_else(|| {
                worst.note(key, bounds);
                (old, old.slabs())
            });
            let stays = tier.holds(&row, &bounds, &slabs);
            let mut at = place;
            while at > row.begin && self.store.min[0][at - 1] > slabs.min[0] && place - at < STEPS {
                at -= 1;
            }
            let in_order = at == row.begin || self.store.min[0][at - 1] <= slabs.min[0];
            if !stays || !in_order {
                let data = self.store.data[place];
                self.store.set_hole(place, last);
                holes += 1;
                self.slots.set(key, PENDING | self.pending.len());
                self.pending.push(Body { key, bounds, data });
                continue;
            }
            if at == place {
                self.store.set_bounds(place, &bounds, &slabs);
            } else {
                let body = Body { key, bounds, data: self.store.data[place] };
                self.shift_up(at, place);
                self.store.set(at, &body);
                self.slots.set(key, at);
            }
            last = self.store.min[0][place];
            enclose(&mut all, &slabs);
        }
        self.holes += holes - row.holes;
        let row = &mut self.rows[index];
        (row.holes, row.bounds) = (holes, all);
    }

    /// Moves what is in `at..to` one place up; what is in `to` is overwritten.
    pub(super) fn shift_up(&mut self, at: usize, to: usize) {
        for place in (at..to).rev() {
            let live = self.is_live(place);
            self.store.copy(place, place + 1);
            if live {
                self.slots.set(self.store.keys[place + 1], place + 1);
            }
        }
    }

    /// Moves what is behind `at`, up to `to`, one place down; what is in `at` is overwritten.
    pub(super) fn shift_down(&mut self, at: usize, to: usize) {
        for place in at + 1..=to {
            let live = self.is_live(place);
            self.store.copy(place, place - 1);
            if live {
                self.slots.set(self.store.keys[place - 1], place - 1);
            }
        }
    }
}
