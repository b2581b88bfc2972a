//! Visits of several structures. A visitor is called with the visits of the first structure; those
//! of the others must be equal, and end where the visitor stopped.
//!
//! Visitors are trait objects that return whether to stop, so that each method is compiled once for
//! all closures and all types that closures return.

use core::ops::ControlFlow;

use broadphase_core::{Region, Scalar};

use super::Together;
use crate::dyn_index::{DynIndex, Found, VisitRanked, describe};
use crate::visit_log::VisitLog;

/// Calls a search of a structure with a visitor; `R` is the type of fractions and distances.
type RankedSearch<'a, S, const D: usize, R> =
    &'a dyn Fn(&dyn DynIndex<S, D>, VisitRanked<'_, S, D, R>) -> ControlFlow<usize>;

impl<S: Scalar, const D: usize> Together<S, D> {
    pub(super) fn visit_pairs(
        &mut self,
        visit: &mut dyn FnMut(Found<'_, S, D>, Found<'_, S, D>) -> bool,
    ) {
        self.copy_data();
        let (first, others) = self.all.split_first_mut().expect("there is at least one structure");
        let mut log = VisitLog::new();
        let flow = first.pairs_unordered(&mut |a, b| log.record([a.key, b.key], visit(a, b)));
        log.assert_flow(flow, "the first");
        for (other, number) in others.iter_mut().zip(1..) {
            let (mut found, name) = (Vec::new(), describe(number, &**other));
            let visit_other = &mut |a: Found<'_, S, D>, b: Found<'_, S, D>| {
                assert!(a.key < b.key, "{name}: the smaller key comes first");
                for one in [a, b] {
                    let ours = first.get(one.key).map(|entry| (entry.bounds, *entry.data));
                    assert_eq!(ours, Some((one.bounds, *one.data)), "{name}: {}", one.key);
                }
                log.replay(&mut found, [a.key, b.key])
            };
            let flow = other.pairs_unordered(visit_other);
            log.assert_set(found, flow, &name);
        }
    }

    pub(super) fn visit_region(
        &self,
        region: Region<S, D>,
        visit: &mut dyn FnMut(Found<'_, S, D>) -> bool,
    ) {
        let (first, others) = self.first_and_others();
        let mut log = VisitLog::new();
        let flow = first.query_unordered(region, &mut |entry| log.record(entry.key, visit(entry)));
        log.assert_flow(flow, "the first");
        for (other, number) in others {
            let mut found = Vec::new();
            let flow = other.query_unordered(region, &mut |one| {
                self.check_entry(one.key, Some(one));
                log.replay(&mut found, one.key)
            });
            log.assert_set(found, flow, &describe(number, other));
        }
    }

    /// Visits the objects that a search finds, with their fractions or squared distances, in order.
    pub(super) fn visit_ranked(
        &self,
        search: RankedSearch<'_, S, D, S::Real>,
        visit: &mut dyn FnMut(Found<'_, S, D>, S::Real) -> bool,
    ) {
        let (first, others) = self.first_and_others();
        let mut log = VisitLog::new();
        let flow = search(first, &mut |one, at| log.record((one.key, at), visit(one, at)));
        log.assert_flow(flow, "the first");
        for (other, number) in others {
            let mut found = Vec::new();
            let flow = search(other, &mut |one, at| {
                self.check_entry(one.key, Some(one));
                log.replay(&mut found, (one.key, at))
            });
            log.assert_list(&found, flow, &describe(number, other));
        }
    }
}
