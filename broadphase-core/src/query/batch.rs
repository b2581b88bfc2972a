//! Batches of queries: run in spatial order, on several threads if available; results are in the
//! order of the input.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use bounds_hexprism::{Aabb, Scalar, instances};

use super::lists::{Lists, Neighbors};
use super::region::Region;
use super::target::Target;
use crate::{Pair, SpatialIndex, pairs, tasks};

/// Minimum number of queries to sort into spatial order.
const MIN_SORTED_QUERIES: usize = 64;

/// Runs `query` for every region; list `i` belongs to `regions[i]`.
///
/// 1. Sort the regions by the cells of a coarse grid, row by row, so that successive queries read
///    memory that is in the cache.
/// 2. Run the queries in that order, on several threads.
/// 3. Copy the lists into the order of the input.
///
/// With few regions, or an unknown spacing, the queries run in input order.
pub(crate) fn query_many<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    regions: &[Region<S, D>],
    out: &mut Lists,
) {
    let spacing = index.spacing().filter(|_| regions.len() >= MIN_SORTED_QUERIES);
    let Some(spacing) = spacing else {
        out.clear();
        run_queries(regions.len(), out, &|at, found| index.query(regions[at], found));
        return;
    };
    let order = in_spatial_order(regions, spacing);
    let mut lists = Lists::default();
    run_queries(order.len(), &mut lists, &|at, found| {
        let [_, region] = order[at];
        index.query(regions[region as usize], found);
    });
    out.arrange(&lists, &order);
}

instances! {
    /// Returns `[cell number, index of the region]` for all regions, sorted: regions close in space
    /// mostly follow each other.
    fn in_spatial_order<S, D>(regions: &[Region<S, D>], spacing: f64) -> Vec<Pair> {
        // The last axis has the highest bits: cells follow each other in strips along the first
        // axis, the layout of most structures. Cell numbers wrap around far from the origin, so
        // they suffice for any world.
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

/// Default implementation of [`SpatialIndex::neighbors`]: one query per object.
pub(crate) fn neighbors<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    radius: S,
    out: &mut Neighbors,
) {
    each(index, out, |key, bounds, found| {
        index.query_unordered(Region::around(bounds, radius), |other| {
            if other.key != key {
                found.push(other.key);
            }
        });
        found.sort_unstable();
    });
}

/// Default implementation of [`SpatialIndex::nearest_to_each`]: one search per object.
pub(crate) fn nearest_to_each<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    count: usize,
    out: &mut Neighbors,
) {
    each(index, out, |key, bounds, found| {
        if count == 0 {
            return;
        }
        let _ = index.nearest(Target::from(bounds), |other, _| {
            if other.key != key {
                found.push(other.key);
            }
            if found.len() == count { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    });
}

/// Runs one query per object, in storage order, and writes the lists to `out` by ascending key.
fn each<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    out: &mut Neighbors,
    query: impl Fn(u32, Aabb<S, D>, &mut Vec<u32>) + Sync,
) {
    let keys: Vec<u32> = index.order().collect();
    let mut lists = Lists::default();
    run_queries(keys.len(), &mut lists, &|at, found| {
        if let Some(own) = index.get(keys[at]) {
            query(keys[at], own.bounds, found);
        }
    });
    out.arrange(&keys, &lists);
}

/// Runs queries `0..count`, on several threads if there are enough, and appends their lists in
/// order.
fn run_queries(count: usize, lists: &mut Lists, query: &(dyn Fn(usize, &mut Vec<u32>) + Sync)) {
    let run = |range: Range<usize>, lists: &mut Lists| {
        let mut found = Vec::new();
        for at in range {
            found.clear();
            query(at, &mut found);
            lists.push(&found);
        }
    };
    let mut parts: Vec<(Range<usize>, Lists)> = tasks::parts(count, tasks::MIN_QUERIES_PER_THREAD);
    if parts.is_empty() {
        run(0..count, lists);
        return;
    }
    tasks::each(&mut parts, |(range, lists)| run(range.clone(), lists));
    for (_, part) in &parts {
        lists.append(part);
    }
}
