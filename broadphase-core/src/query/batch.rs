//! Many questions at once: asked side by side in space, on several threads if there are, answered
//! in their own order.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use bounds_hexprism::{Aabb, Scalar, instances};

use super::lists::{Lists, Neighbors};
use super::region::Region;
use super::target::Target;
use crate::{Pair, SpatialIndex, pairs, tasks};

/// Fewer questions are asked as they come.
const MANY: usize = 64;

/// Answers many regions in their order.
pub(crate) fn query_many<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    regions: &[Region<S, D>],
    out: &mut Lists,
) {
    let spacing = index.spacing().filter(|_| regions.len() >= MANY);
    let Some(spacing) = spacing else {
        out.clear();
        answer(regions.len(), out, &|question, found| index.query(regions[question], found));
        return;
    };
    let asked = in_space(regions, spacing);
    let mut answers = Lists::default();
    answer(asked.len(), &mut answers, &|turn, found| {
        let [_, question] = asked[turn];
        index.query(regions[question as usize], found);
    });
    out.arrange(&answers, &asked);
}

instances! {
    /// Regions in an order in which regions close in space mostly follow each other: a number
    /// for where each is, and its index.
    fn in_space<S, D>(regions: &[Region<S, D>], spacing: f64) -> Vec<Pair> {
        // Strips across the first axis, as most structures have them. Their numbers begin again far
        // out, wherever the world is.
        let bits = 30 / D as u32;
        let strip = |x: S| (x.to_f64() / (8.0 * spacing)) as i64 as u32 % (1 << bits);
        let order = |region: &Region<S, D>| {
            region.reach().min.into_iter().rev().fold(0, |order, x| (order << bits) | strip(x))
        };
        let mut asked: Vec<Pair> =
            regions.iter().zip(0..).map(|(region, question)| [order(region), question]).collect();
        pairs::sort(&mut asked);
        asked
    }
}

/// Finds for each object those within a radius.
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

/// Finds for each object so many others that are nearest.
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

/// Asks something of each object, in storage order.
fn each<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    out: &mut Neighbors,
    ask: impl Fn(u32, Aabb<S, D>, &mut Vec<u32>) + Sync,
) {
    let keys: Vec<u32> = index.order().collect();
    let mut answers = Lists::default();
    answer(keys.len(), &mut answers, &|turn, found| {
        if let Some(own) = index.get(keys[turn]) {
            ask(keys[turn], own.bounds, found);
        }
    });
    out.arrange(&keys, &answers);
}

/// Asks so many questions, by their turns, and appends the answers in that order.
fn answer(count: usize, answers: &mut Lists, ask: &(dyn Fn(usize, &mut Vec<u32>) + Sync)) {
    let some = |turns: Range<usize>, answers: &mut Lists| {
        let mut found = Vec::new();
        for turn in turns {
            found.clear();
            ask(turn, &mut found);
            answers.push(&found);
        }
    };
    let mut parts: Vec<(Range<usize>, Lists)> = tasks::parts(count, tasks::MIN_QUERIES_PER_THREAD);
    if parts.is_empty() {
        some(0..count, answers);
        return;
    }
    tasks::each(&mut parts, |(turns, answers)| some(turns.clone(), answers));
    for (_, part) in &parts {
        answers.append(part);
    }
}
