//! Many questions at once: asked side by side in space, on several threads if there are, answered
//! in their own order.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use bounds_hexprism::{Aabb, Scalar};

use super::lists::{Lists, Neighbors};
use super::region::Region;
use super::target::Target;
use crate::{SpatialIndex, tasks};

/// Fewer questions are asked as they come.
const MANY: usize = 64;
/// Farther out, in strips, questions come in any order.
const FAR: f64 = ((1 << 20) - 1) as f64;

/// Answers many regions in their order.
pub(crate) fn query_many<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    regions: &[Region<S, D>],
    out: &mut Lists,
) {
    let spacing = index.spacing().filter(|_| regions.len() >= MANY);
    let Some(spacing) = spacing else {
        out.clear();
        answer(regions.len(), out, |question, found| index.query(regions[question], found));
        return;
    };
    let asked = in_space(regions, spacing);
    let mut answers = Lists::default();
    answer(asked.len(), &mut answers, |turn, found| {
        index.query(regions[asked[turn] as usize], found);
    });
    out.arrange(&answers, &asked);
}

/// Indices of regions, in an order in which those that are close in space follow each other.
fn in_space<S: Scalar, const D: usize>(regions: &[Region<S, D>], spacing: f64) -> Vec<u32> {
    // Strips across the first axis, as most structures have them.
    let strip = |x: S| (x.to_f64() / (8.0 * spacing)).clamp(-FAR, FAR) as i64 + FAR as i64;
    let order = |region: &Region<S, D>| {
        let at = region.reach().min.map(strip);
        at.iter().rev().fold(0, |order: u64, &strip| (order << 21) | strip as u64)
    };
    let mut asked: Vec<(u64, u32)> = regions.iter().map(order).zip(0..).collect();
    asked.sort_unstable();
    asked.into_iter().map(|(_, question)| question).collect()
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
    answer(keys.len(), &mut answers, |turn, found| {
        if let Some(own) = index.get(keys[turn]) {
            ask(keys[turn], own.bounds, found);
        }
    });
    out.arrange(keys.into_iter(), &answers);
}

/// Asks so many questions, by their turns, and appends the answers in that order.
fn answer(count: usize, answers: &mut Lists, ask: impl Fn(usize, &mut Vec<u32>) + Sync) {
    let some = |turns: Range<usize>, answers: &mut Lists| {
        let mut found = Vec::new();
        for turn in turns {
            found.clear();
            ask(turn, &mut found);
            answers.push(&found);
        }
    };
    let mut parts: Vec<(Range<usize>, Lists)> = tasks::parts(count, tasks::QUESTIONS);
    if parts.is_empty() {
        some(0..count, answers);
        return;
    }
    tasks::each(&mut parts, |(turns, answers)| some(turns.clone(), answers));
    for (_, part) in &parts {
        answers.append(part);
    }
}
