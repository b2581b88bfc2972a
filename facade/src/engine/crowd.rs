//! Search for pairs that skips the overlaps within a crowd: many overlapping objects whose filters
//! refuse each other, such as the shots of one owner.
//!
//! 1. `filters.rs` chooses a *refusing set*: filters that refuse themselves and each other, chosen
//!    by descending number of objects. An object with another filter is a *searcher*. Every
//!    accepted pair has a searcher.
//! 2. If the estimated cost is lower, a step runs one query for each searcher instead of the search
//!    for all pairs. Overlaps of two objects of the refusing set are neither found nor tested. A
//!    pair of two searchers is found by both queries; the query of the higher slot drops it.
//! 3. The number of refused overlaps is estimated from a sample, taken after the first search and
//!    every sixteenth search after it: a query for each of up to 64 random objects of the refusing
//!    set.
//!
//! Both searches find the same pairs, and the sample is equal on every machine and for any number
//! of threads.
//!
//! Cost: O(searchers × candidates of a query + slots), instead of O(overlaps). If more than a
//! quarter of the objects are searchers, no sample is taken and the search for all pairs runs. It
//! also runs if several groups of equal size refuse only themselves: then all groups but one are
//! searchers.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Motion, Pair, Region, Scalar, Search, SpatialIndex, pairs, tasks};

use crate::filters::{Agreement, Filters};
use crate::slots::Slots;

/// Minimum number of objects per searcher.
const MIN_OBJECTS_PER_SEARCHER: usize = 4;
/// Minimum number of searchers per thread.
const MIN_SEARCHERS_PER_TASK: usize = 16;
/// Number of searches from one sample to the next.
const SAMPLE_PERIOD: u32 = 16;
/// Maximum number of random slots of a sample; slots without an object of the set are skipped.
const SAMPLE_MAX_OBJECTS: usize = 64;
/// A sample takes at most one random slot per this number of objects in the world.
const MIN_OBJECTS_PER_LOOK: usize = 16;
/// A sample ends after this number of refused overlaps.
const SAMPLE_MAX_HITS: u64 = 16_384;
/// Cost of a query without candidates (300 ns), divided by that of a refused overlap (1.6 ns) and
/// rounded up.
const QUERY_COST: u64 = 200;

/// Numbers of refused overlaps (an estimate) and accepted overlaps in earlier searches, and buffers
/// of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    /// Number of successive searches in which at most a quarter of the objects were searchers.
    searches: u32,
    /// State of the random number generator.
    random: u64,
    /// Estimated number of overlaps within the refusing set.
    refused: u64,
    /// Number of pairs that the last search for pairs found.
    pub(super) accepted: u64,
    /// Slots of the searchers.
    slots: Vec<u32>,
    /// Pairs that each task has found.
    found: Vec<Vec<Pair>>,
}

impl Crowd {
    pub(super) fn memory_use(&self) -> usize {
        let pairs: usize = self.found.iter().map(Vec::capacity).sum();
        self.slots.capacity() * size_of::<u32>()
            + self.found.capacity() * size_of::<Vec<Pair>>()
            + pairs * size_of::<Pair>()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        (self.slots, self.found) = (Vec::new(), Vec::new());
    }

    /// Returns whether [`find_pairs`](Self::find_pairs) is estimated to be faster than the search
    /// for all pairs. First chooses the refusing set again if many filters have changed.
    pub(super) fn pays(&mut self, slots: &Slots, filters: &mut Filters) -> bool {
        if filters.agreement() == Agreement::Some {
            filters.update_refusing_set(slots.len());
            if has_few_searchers(slots, filters) {
                let queries = QUERY_COST * filters.searchers() as u64;
                return self.refused > queries + self.accepted + slots.len() as u64;
            }
        }
        (self.searches, self.refused) = (0, 0);
        false
    }

    /// Replaces the contents of `out` with the pairs that filters accept and `keep` keeps, in
    /// canonical order. `keep` is called once per pair.
    pub(super) fn find_pairs<S: Scalar, const D: usize>(
        &mut self,
        structure: &mut dyn SpatialIndex<S, D>,
        slots: &Slots,
        filters: &Filters,
        keep: &(dyn Fn() -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        // Without this call, each query would also test all pending objects.
        structure.optimize();
        let structure = &*structure;
        let searches = |slot: &u32| {
            slots.content(*slot).is_some_and(|object| !filters.is_refusing(object.filter))
        };
        self.slots.clear();
        self.slots.extend((0..slots.capacity() as u32).filter(searches));
        out.clear();
        let find = |slot: u32, out: &mut Vec<Pair>| {
            let Some(own) = structure.get(slot) else { return };
            let filter = slots.filter_number(slot);
            let search = Search::Region(Region::from(own.bounds));
            let _ = structure.visit(&search, &mut |other, _| {
                let other_filter = slots.filter_number(other.key);
                let from_other = other.key <= slot && !filters.is_refusing(other_filter);
                if !from_other
                    && filters.accept(filter, other_filter)
                    && !are_static(slots, own.motion, other.key)
                    && keep()
                {
                    out.push(pairs::pair(slot, other.key));
                }
                ControlFlow::Continue(())
            });
        };
        let ranges = tasks::even(self.slots.len(), MIN_SEARCHERS_PER_TASK);
        if ranges.is_empty() {
            self.slots.iter().for_each(|&slot| find(slot, out));
        } else {
            let Self { slots, found, .. } = self;
            found.resize_with(found.len().max(ranges.len()), Vec::new);
            let mut parts: Vec<_> = ranges.into_iter().zip(found).collect();
            tasks::each(&mut parts, |(range, found)| {
                found.clear();
                slots[range.clone()].iter().for_each(|&slot| find(slot, found));
            });
            parts.iter().for_each(|(_, found)| out.extend_from_slice(found));
        }
        pairs::sort(out);
    }

    /// Stores the number of pairs that a search has found, and takes a sample if due. The structure
    /// must be as it was at the search.
    pub(super) fn end_search<S: Scalar, const D: usize>(
        &mut self,
        structure: &dyn SpatialIndex<S, D>,
        slots: &Slots,
        filters: &Filters,
        accepted: usize,
    ) {
        self.accepted = accepted as u64;
        if filters.agreement() == Agreement::Some && has_few_searchers(slots, filters) {
            if self.searches.is_multiple_of(SAMPLE_PERIOD) {
                // Lower the estimated number of refused overlaps by at most half: the sample may
                // have missed most of the crowd.
                self.refused = self.sample(structure, slots, filters).max(self.refused / 2);
            }
            self.searches = self.searches.wrapping_add(1);
        }
    }

    /// Estimates the number of overlaps within the refusing set.
    fn sample<S: Scalar, const D: usize>(
        &mut self,
        structure: &dyn SpatialIndex<S, D>,
        slots: &Slots,
        filters: &Filters,
    ) -> u64 {
        let (mut objects, mut hits) = (0, 0);
        for _ in 0..SAMPLE_MAX_OBJECTS.min(slots.len() / MIN_OBJECTS_PER_LOOK) {
            self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let slot = (((self.random >> 32) * slots.capacity() as u64) >> 32) as u32;
            let refuses = |slot| filters.is_refusing(slots.filter_number(slot));
            let Some(own) = structure.get(slot).filter(|_| refuses(slot)) else { continue };
            let search = Search::Region(Region::from(own.bounds));
            let _ = structure.visit(&search, &mut |other, _| {
                let refused = refuses(other.key) && other.key != slot;
                hits += u64::from(refused && !are_static(slots, own.motion, other.key));
                if hits < SAMPLE_MAX_HITS {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            objects += 1;
            if hits >= SAMPLE_MAX_HITS {
                break;
            }
        }
        // Each overlap is found from both of its objects.
        let all = (slots.len() - filters.searchers()) as u64;
        (hits * all).checked_div(2 * objects).unwrap_or(0)
    }
}

/// Returns whether searchers are few enough for one query each to be faster.
fn has_few_searchers(slots: &Slots, filters: &Filters) -> bool {
    MIN_OBJECTS_PER_SEARCHER * filters.searchers() <= slots.len()
}

/// Returns whether an object of motion class `motion` and the object in `slot` are both static.
fn are_static(slots: &Slots, motion: Motion, slot: u32) -> bool {
    motion == Motion::Static && slots.motion(slot) == Some(motion)
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, BruteForce, Filter, Motion, tasks};

    use super::super::{Choice, Core, Engine};
    use super::SAMPLE_PERIOD;
    use crate::registry::Registry;
    use crate::{Algorithm, Options};

    /// Returns an engine with a row of 600 separate objects. Every tenth object is large, and its
    /// owner differs from that of the others.
    fn world(algorithm: Algorithm, distance: f32) -> (Core<f32, 2>, Registry) {
        let brute = Box::new(BruteForce::<f32, 2>::new());
        let options = Options::new().algorithm(algorithm);
        let mut core = Core::new(brute, options, Choice::INITIAL);
        let mut registry = Registry::new(false);
        for number in 0..600 {
            let (owner, size) = if number % 10 == 0 { (2, 300.0) } else { (1, 1.0) };
            let at = number as f32 * distance;
            let bounds = Aabb::new([at, 0.0], [at + size, size]);
            let motion = if number % 7 == 0 { Motion::Static } else { Motion::Dynamic };
            let filter = Filter::ALL.owner(owner);
            core.insert(&mut registry, bounds, motion, filter).expect("valid bounds");
        }
        (core, registry)
    }

    #[test]
    fn every_structure_passes_over_a_crowd_and_finds_equal_pairs() {
        for &algorithm in Algorithm::ALL {
            let (mut core, mut registry) = world(algorithm, 0.001);
            let pays = |core: &mut Core<f32, 2>, registry: &mut Registry| {
                core.crowd.pays(&registry.slots, &mut registry.filters)
            };
            assert!(!pays(&mut core, &mut registry), "{algorithm}: nothing is known yet");
            core.find_pairs(&mut registry);
            let first: Vec<_> = registry.pairs.clone();
            assert!(first.len() > 1000, "{algorithm}: {} pairs", first.len());
            let mut in_parallel = false;
            for round in 0..2 * SAMPLE_PERIOD as usize {
                assert!(pays(&mut core, &mut registry), "{algorithm}");
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + round % 2).build();
                in_parallel |= pool.expect("threads").install(|| {
                    core.find_pairs(&mut registry);
                    tasks::threads() > 1
                });
                assert_eq!(registry.pairs, first, "{algorithm}");
                assert_eq!(core.crowd.found.is_empty(), !in_parallel, "{algorithm}");
            }
        }
    }

    #[test]
    fn objects_that_refuse_each_other_far_apart_are_no_crowd() {
        for &algorithm in Algorithm::ALL {
            let (mut core, mut registry) = world(algorithm, 2.0);
            for _ in 0..2 * SAMPLE_PERIOD {
                core.find_pairs(&mut registry);
                assert!(!core.crowd.pays(&registry.slots, &mut registry.filters), "{algorithm}");
            }
        }
    }
}
