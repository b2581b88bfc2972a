//! Nearest objects on a torus: shell by shell, each object at its nearest image.

use bounds_hexprism::{Flow, Scalar};

use super::Torus;
use crate::query::{Hits, Target, show};
use crate::{Entry, SpatialIndex};

/// Visits the objects within the limit of a target, ascending by squared distance, then by key.
pub(super) fn nearest<I: SpatialIndex<S, D>, S: Scalar, const D: usize, R: Flow>(
    torus: &Torus<I, S, D>,
    target: Target<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(target) = target.normalized() else { return R::CONTINUE };
    let Some(home) = torus.world.reduce(target.bounds()) else { return R::CONTINUE };
    let target = target.moved_to(home);
    let mut radius = torus.inner.spacing().unwrap_or(f64::INFINITY);
    let mut from = S::Real::ZERO;
    let mut left = torus.inner.len();
    let mut hits = Hits::new(left);
    while left > 0 {
        let ends = radius < target.limit() && hits.has_budget();
        let ring = if ends { target.nearer(radius) } else { None };
        // The last shell has no end.
        let (area, to) = ring.map_or_else(|| (target.reach(), None), |(area, to)| (area, Some(to)));
        hits.begin(usize::MAX);
        let _ = torus.candidates(&area, 0, |entry| {
            let square = torus.world.distance_squared(&target, &entry.bounds);
            let in_ring = |&square: &S::Real| from <= square && to.is_none_or(|to| square < to);
            hits.see(entry.key, 0, || square.filter(in_ring))
        });
        let flow = hits.in_order(|hit| show(&torus.inner, hit, &mut visit));
        if flow.stops() {
            return flow;
        }
        let Some(to) = to else { break };
        (from, left) = (to, left - hits.len());
        hits.spend(1 << D);
        radius *= 2.0;
    }
    R::CONTINUE
}
