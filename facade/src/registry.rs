//! The part of a world that depends neither on its number type nor on its user data: slots,
//! filters, and the pairs of the last two steps; compiled once.

use alloc::vec::Vec;

use broadphase_core::{Filter, Pair};

use crate::events::Comparison;
use crate::filters::Filters;
use crate::slots::{PairMember, RemovedObject, Slots};
use crate::{Error, Handle};

/// Objects, and the pairs of the last two steps.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    pub(crate) slots: Slots,
    pub(crate) filters: Filters,
    pub(crate) pairs: Vec<Pair>,
    /// Pairs of the step before the last; while a step runs, pairs of the last completed step.
    pub(crate) pairs_before: Vec<Pair>,
    pub(crate) began: Vec<Pair>,
    /// Pairs that ended in the last step: pairs of the step before that it did not find.
    pub(crate) ended: Vec<Pair>,
    /// The members of ended pairs that had been removed, or had got another filter, before the last
    /// step, ascending by pair and position.
    pub(crate) ended_past: Vec<PastMember>,
    pub(crate) comparison: Comparison,
    /// Whether steps compute which pairs began and ended.
    pub(crate) events: bool,
}

impl Registry {
    pub(crate) fn new(events: bool) -> Self {
        Self {
            slots: Slots::new(),
            filters: Filters::new(),
            pairs: Vec::new(),
            pairs_before: Vec::new(),
            began: Vec::new(),
            ended: Vec::new(),
            ended_past: Vec::new(),
            comparison: Comparison::default(),
            events,
        }
    }

    pub(crate) fn memory_use(&self) -> usize {
        let pairs = [&self.pairs, &self.pairs_before, &self.began, &self.ended];
        let pairs: usize = pairs.iter().map(|pairs| pairs.capacity()).sum();
        self.slots.memory_use()
            + self.filters.memory_use()
            + pairs * size_of::<Pair>()
            + self.ended_past.capacity() * size_of::<PastMember>()
            + self.comparison.memory_use()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.slots.shrink_to_fit();
        self.filters.shrink_to_fit();
        for pairs in [&mut self.pairs, &mut self.pairs_before, &mut self.began, &mut self.ended] {
            pairs.shrink_to_fit();
        }
        self.ended_past.shrink_to_fit();
        self.comparison = Comparison::default();
    }

    /// Checks that a handle is valid.
    ///
    /// # Errors
    /// If the object was removed.
    pub(crate) fn live(&self, object: Handle) -> Result<(), Error> {
        if self.slots.get(object).is_some() { Ok(()) } else { Err(Error::Stale { object }) }
    }

    /// Reserves memory for removing objects. Returns the largest possible number of kept objects
    /// after their removal.
    pub(crate) fn try_reserve_removals(&mut self, objects: usize) -> Result<usize, Error> {
        self.filters.try_reserve_free()?;
        self.slots.try_reserve_removals(objects)
    }

    /// Frees the slot of an object and releases its filter.
    pub(crate) fn remove(&mut self, object: Handle) -> Option<RemovedObject> {
        let removed = self.slots.remove(object, &self.filters)?;
        self.filters.release(removed.content.filter);
        Some(removed)
    }

    /// Replaces the filter of an object. Returns its index among the kept objects if it was added
    /// there.
    pub(crate) fn set_filter(
        &mut self,
        object: Handle,
        filter: Filter,
    ) -> Result<Option<usize>, Error> {
        let old = self.slots.get(object).ok_or(Error::Stale { object })?.filter;
        if self.filters.get(old) == filter {
            return Ok(None);
        }
        let number = self.filters.acquire(filter);
        let place = self.slots.keep_for_last_step(object, &self.filters);
        if let Some(content) = self.slots.get_mut(object) {
            content.filter = number;
        }
        self.filters.release(old);
        Ok(place)
    }

    /// Returns the filter of an object; `None` if it was removed.
    pub(crate) fn filter(&self, object: Handle) -> Option<Filter> {
        Some(self.filters.get(self.slots.get(object)?.filter))
    }

    /// Returns the two objects of a pair as they were at the last step.
    #[inline]
    pub(crate) fn pair_at_last_step(&self, [a, b]: Pair) -> [PairMember; 2] {
        [self.slots.at_last_step(a, &self.filters), self.slots.at_last_step(b, &self.filters)]
    }

    /// Returns the two objects of a pair as they are now.
    pub(crate) fn pair_now(&self, [a, b]: Pair) -> [PairMember; 2] {
        [self.slots.now(a, &self.filters), self.slots.now(b, &self.filters)]
    }

    /// Swaps the current pairs with those of the step before, if events are enabled.
    pub(crate) const fn exchange_pairs(&mut self) {
        if self.events {
            core::mem::swap(&mut self.pairs, &mut self.pairs_before);
        }
    }

    /// Computes events by comparison with the step before, and completes the step.
    pub(crate) fn complete_step(&mut self) {
        let Self { slots, pairs, pairs_before, began, ended, ended_past, comparison, .. } = self;
        if self.events {
            comparison.set_replaced(slots.replaced(), slots.list_len());
            comparison.compare(pairs_before, pairs, began, ended);
        }
        ended_past.clear();
        if slots.keeps_any() {
            for (pair, members) in ended.iter().enumerate() {
                for (which, &slot) in members.iter().enumerate() {
                    if let Some(member) = slots.kept(slot) {
                        let user = slots.past_index(slot);
                        ended_past.push(PastMember { pair, which, member, user });
                    }
                }
            }
        }
        slots.complete_step();
    }

    pub(crate) fn assert_well_formed(&self) {
        self.slots.assert_well_formed(&self.pairs);
        assert!(self.pairs.is_sorted_by(|a, b| a < b), "pairs are not sorted, or repeated");
    }
}

/// A member of an ended pair that had been removed, or had got another filter, when the pair ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PastMember {
    /// Index of the ended pair.
    pub(crate) pair: usize,
    /// Position in the pair: 0 or 1.
    pub(crate) which: usize,
    /// The object at the step before.
    pub(crate) member: PairMember,
    /// Index of the last user data of the object, if it was removed before the last step.
    pub(crate) user: Option<usize>,
}

/// On drop, undoes an incomplete step: drops the pairs found and, with events, restores those of
/// the last step. Disarmed with `mem::forget`.
pub(crate) struct UnwindGuard<'a>(pub(crate) &'a mut Registry);

impl Drop for UnwindGuard<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.pairs.clear();
        self.0.exchange_pairs();
    }
}
