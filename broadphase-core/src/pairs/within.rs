//! Pairs of objects within a distance, by one query per object: the default of structures.

use alloc::vec::Vec;
use core::any::TypeId;
use core::ops::ControlFlow;

use bounds_hexprism::Scalar;

use super::{Pair, PairSearch, sort};
use crate::query::query_many;
use crate::{Lists, Motion, Region, Search, SpatialIndex, SpatialIndexExt, Torus, tasks};

/// Number of queries that run at once.
const QUERIES_PER_BATCH: usize = 4096;

/// Implements [`SpatialIndex::find_pairs`]: one query per object; a pair is found by its smaller
/// key.
pub fn find_by_queries<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &mut I,
    search: &PairSearch<'_, S>,
    out: &mut Vec<Pair>,
) {
    index.optimize();
    let index: &I = index;
    let distance = search.distance.unwrap_or(S::ZERO);
    let is_static = |key: u32| index.get(key).is_some_and(|object| object.motion == Motion::Static);
    out.clear();
    tasks::find(index.keys().into_iter(), out, |key, out| {
        let Some(own) = index.get(key) else { return };
        let (from, region) = (out.len(), Region::around(own.bounds, distance));
        let _ = index.visit(&Search::Region(region), &mut |other, _| {
            if key < other.key && !(own.motion == Motion::Static && is_static(other.key)) {
                out.push([key, other.key]);
            }
            ControlFlow::Continue(())
        });
        search.keep_accepted(out, from);
    });
    if search.sorted {
        sort(out);
    }
}

/// Replaces the contents of `out` with the pairs `[key in ours, key in theirs]` of objects at most
/// a distance apart: queries the structure with more objects for each object of the other. If only
/// one is a [`Torus`], it is queried. Motion classes are ignored.
pub fn find_between<S, const D: usize, I, O>(
    ours: &mut I,
    theirs: &mut O,
    search: &PairSearch<'_, S>,
    out: &mut Vec<Pair>,
) where
    S: Scalar,
    I: SpatialIndex<S, D> + ?Sized,
    O: SpatialIndex<S, D> + ?Sized,
{
    let torus = TypeId::of::<Torus<S, D>>();
    let [we_wrap, they_wrap] = [ours.type_id(), theirs.type_id()].map(|id| id == torus);
    let query_ours = if we_wrap == they_wrap { theirs.len() < ours.len() } else { we_wrap };
    out.clear();
    if query_ours {
        ours.optimize();
        query_each(theirs, ours, search, |theirs, own| [own, theirs], out);
    } else {
        theirs.optimize();
        query_each(ours, theirs, search, |own, theirs| [own, theirs], out);
    }
    if search.sorted {
        sort(out);
    }
}

/// Queries `many` around each object of `few`, and appends the results of `pair`.
fn query_each<S, const D: usize, I, O>(
    few: &I,
    many: &O,
    search: &PairSearch<'_, S>,
    pair: impl Fn(u32, u32) -> Pair,
    out: &mut Vec<Pair>,
) where
    S: Scalar,
    I: SpatialIndex<S, D> + ?Sized,
    O: SpatialIndex<S, D> + ?Sized,
{
    let distance = search.distance.unwrap_or(S::ZERO);
    let (mut regions, mut lists) = (Vec::new(), Lists::default());
    for keys in few.keys().chunks(QUERIES_PER_BATCH) {
        regions.clear();
        let objects = keys.iter().filter_map(|&key| few.get(key));
        regions.extend(objects.map(|object| Region::around(object.bounds, distance)));
        query_many(many, &regions, &mut lists);
        let from = out.len();
        for (&key, list) in keys.iter().zip(lists.iter()) {
            out.extend(list.iter().map(|&other| pair(key, other)));
        }
        search.keep_accepted(out, from);
    }
}
