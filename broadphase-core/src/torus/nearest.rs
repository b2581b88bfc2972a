//! The nearest on a torus: ring by ring, each object at its nearest image.

use alloc::vec::Vec;
use core::cmp::Ordering;

use bounds_hexprism::{Flow, Scalar};

use super::Torus;
use crate::query::Target;
use crate::{Entry, SpatialIndex};

/// Ascending by number, then by key.
pub(super) fn sort<N: PartialOrd>(hits: &mut [(N, u32)]) {
    hits.sort_unstable_by(|a, b| {
        a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1))
    });
}

/// How much a search may see before it goes on in one step: one that looks at boxes should not see
/// much more than one that looks at everything.
pub(super) const fn budget(objects: usize) -> usize {
    objects.saturating_mul(4) + 64
}

/// Visits what is near, ascending by squared distance, then by key.
pub(super) fn nearest<I: SpatialIndex<S, D>, S: Scalar, const D: usize, R: Flow>(
    torus: &Torus<I, S, D>,
    target: Target<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(target) = target.askable() else { return R::CONTINUE };
    let Some(home) = torus.world.reduce(target.bounds()) else { return R::CONTINUE };
    let target = target.moved_to(home);
    let mut radius = torus.inner.spacing().unwrap_or(f64::INFINITY);
    let mut from = S::Real::ZERO;
    let mut left = torus.inner.len();
    let mut budget = budget(left);
    let mut hits: Vec<(S::Real, u32)> = Vec::new();
    while left > 0 {
        let ends = radius < target.limit() && budget > 0;
        let ring = if ends { target.nearer(radius) } else { None };
        // The last ring has no end.
        let (area, to) = ring.map_or_else(|| (target.reach(), None), |(area, to)| (area, Some(to)));
        hits.clear();
        let mut seen = 0;
        torus.candidates(&area, 0, |entry| {
            seen += 1;
            let square = torus.world.distance_squared(&target, &entry.bounds);
            let in_ring = |&square: &S::Real| from <= square && to.is_none_or(|to| square < to);
            hits.extend(square.filter(in_ring).map(|square| (square, entry.key)));
        });
        sort(&mut hits);
        for &(square, key) in &hits {
            if let Some(entry) = torus.inner.get(key) {
                let answer = visit(entry, square);
                if answer.stops() {
                    return answer;
                }
            }
        }
        let Some(to) = to else { break };
        (from, left) = (to, left - hits.len());
        budget = budget.saturating_sub(seen + (1 << D));
        radius *= 2.0;
    }
    R::CONTINUE
}
