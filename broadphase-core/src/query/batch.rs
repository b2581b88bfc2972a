//! Batches of queries, run in spatial order, possibly on several threads. Results are in the order
//! of the input.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use bounds_hexprism::{Aabb, Scalar, instances};

use super::lists::{Lists, Neighbors};
use super::region::Region;
use super::{Near, Search, nearest_to_each_in_tree, neighbors_in_strips};
use crate::{Entry, IndexObject, Pair, SpatialIndex, pairs, tasks};

/// Minimum number of queries that are sorted into spatial order.
const MIN_SORTED_QUERIES: usize = 64;

/// Runs `query` for every region; list `i` belongs to `regions[i]`.
pub(crate) fn query_many<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    regions: &[Region<S, D>],
    out: &mut Lists,
) {
    run_in_spatial_order(index.state().spacing, regions, out, &|at, found| {
        index.find_keys(&regions[at], found);
    });
}

/// Runs many searches, each around its region. List `i` of `out` has the keys and numbers of the
/// first `most` objects of search `i` that `accept` accepts.
pub(crate) fn search_many<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    places: &[Region<S, D>],
    search: &(dyn Fn(usize) -> Search<S, D> + Sync),
    most: usize,
    accept: &(dyn Fn(Entry<S, D>) -> bool + Sync),
    out: &mut Lists<(u32, S::Real)>,
) {
    run_in_spatial_order(index.state().spacing, places, out, &|at, found| {
        if most == 0 {
            return;
        }
        let _ = index.visit(&search(at), &mut |entry, number| {
            if accept(entry) {
                found.push((entry.key, number));
            }
            if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    });
}

/// Runs one query around each of the regions `places`. `query` gets the index of the region, and a
/// list to append its results to. List `i` of `out` belongs to `places[i]`.
///
/// 1. Sort the regions by the cells of a coarse grid: successive queries read cached memory.
/// 2. Run the queries in that order, on several threads.
/// 3. Copy the lists into the order of the input.
///
/// Few queries, or queries with an unknown spacing, run in input order.
fn run_in_spatial_order<S: Scalar, const D: usize, T: Copy + Send>(
    spacing: Option<f64>,
    places: &[Region<S, D>],
    out: &mut Lists<T>,
    query: &(dyn Fn(usize, &mut Vec<T>) + Sync),
) {
    let Some(spacing) = spacing.filter(|_| places.len() >= MIN_SORTED_QUERIES) else {
        out.clear();
        run_queries(places.len(), out, query);
        return;
    };
    let order = in_spatial_order(places, spacing);
    let mut lists = Lists::default();
    run_queries(order.len(), &mut lists, &|at, found| {
        let [_, place] = order[at];
        query(place as usize, found);
    });
    out.arrange(&lists, &order);
}

instances! {
    /// Returns `[cell number, index of the region]` for all regions, sorted by cell.
    fn in_spatial_order<S, D>(regions: &[Region<S, D>], spacing: f64) -> Vec<Pair> {
        // The last axis has the highest bits: cells follow each other along the first axis, the
        // layout of most structures. Far from the origin, cell numbers wrap around.
        let bits = 30 / D as u32;
        let strip = |x: S| (x.to_f64() / (8.0 * spacing)) as i64 as u32 % (1 << bits);
        let cell = |region: &Region<S, D>| {
            region.reach().min.into_iter().rev().fold(0, |cell, x| (cell << bits) | strip(x))
        };
        let mut sorted: Vec<Pair> =
            regions.iter().zip(0..).map(|(region, at)| [cell(region), at]).collect();
        pairs::sort(&mut sorted);
        sorted
    }
}

/// Implements [`SpatialIndex::find_neighbors`] on a copy of all objects.
pub fn find_neighbors<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    near: Near<S>,
    out: &mut Neighbors,
) {
    let mut objects = Vec::with_capacity(index.len());
    let all = Region::from(Aabb { min: [S::MIN; D], max: [S::MAX; D] });
    let _ = index.visit(&all.into(), &mut |entry, _| {
        objects.push((entry.key, entry.bounds));
        ControlFlow::Continue(())
    });
    let backend = index.state().backend.unwrap_or_default();
    match near {
        Near::Within(radius) => {
            if !neighbors_in_strips(index, backend, objects, radius, out) {
                find_neighbors_by_visits(index, near, out);
            }
        }
        Near::Nearest(count) => nearest_to_each_in_tree(index, backend, objects, count, out),
    }
}

/// Implements [`SpatialIndex::find_neighbors`] by one search per object.
pub fn find_neighbors_by_visits<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    near: Near<S>,
    out: &mut Neighbors,
) {
    let keys = index.keys();
    let mut lists = Lists::default();
    run_queries(keys.len(), &mut lists, &|at, found| {
        let key = keys[at];
        let Some(IndexObject { bounds, .. }) = index.get(key) else { return };
        let (search, most) = match near {
            Near::Within(radius) => (Region::around(bounds, radius).into(), usize::MAX),
            Near::Nearest(0) => return,
            Near::Nearest(count) => (Search::Nearest(bounds.into()), count),
        };
        let _ = index.visit(&search, &mut |other, _| {
            if other.key != key {
                found.push(other.key);
            }
            if found.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Near::Within(_) = near {
            found.sort_unstable();
        }
    });
    out.arrange_lists(&keys, &lists);
}

/// Runs queries `0..count`, possibly on several threads, and appends their lists in order.
fn run_queries<T: Copy + Send>(
    count: usize,
    lists: &mut Lists<T>,
    query: &(dyn Fn(usize, &mut Vec<T>) + Sync),
) {
    let run = |range: Range<usize>, lists: &mut Lists<T>| {
        let mut found = Vec::new();
        for at in range {
            found.clear();
            query(at, &mut found);
            lists.push(found.iter().copied());
        }
    };
    let mut parts: Vec<(Range<usize>, Lists<T>)> =
        tasks::parts(count, tasks::MIN_QUERIES_PER_THREAD);
    if parts.is_empty() {
        run(0..count, lists);
        return;
    }
    tasks::each(&mut parts, |(range, lists)| run(range.clone(), lists));
    for (_, part) in &parts {
        lists.append(part);
    }
}
