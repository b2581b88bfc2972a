//! Checks unusual configurations against the laws, side by side and with alternating backends. They
//! are compiled only with all features, since one run is enough.

use broadphase_hshg::{Hshg, Scalar, SpatialHash};
use laws::Together;

laws::spatial_index!(few spatial_hash_of_every_kind, hashes::<S, D>());
laws::spatial_index!(few hshg_of_every_kind, grids::<S, D>());

/// Returns a cell side far smaller than the objects of the laws.
fn fine<S: Scalar>() -> S {
    S::from_f64(if S::INTEGER { 1.0 } else { 0.0625 })
}

fn hashes<S: Scalar, const D: usize>() -> Together<S, D> {
    Together::of([
        // Cells far smaller than the objects: many levels of bins.
        Together::one(SpatialHash::new(fine())),
        // Cells far larger than the objects: almost all are in one cell.
        Together::one(SpatialHash::new(S::from_f64(1e6))),
    ])
    .on_backends_in_turn()
}

fn grids<S: Scalar, const D: usize>() -> Together<S, D> {
    let all = [
        // Cells far smaller than the objects: many levels.
        Hshg::with_smallest_cell(fine()),
        // Cells far larger than the objects: one level.
        Hshg::with_smallest_cell(S::from_f64(1e6)),
        Hshg::new(),
    ];
    Together::of(all.map(Together::one)).on_backends_in_turn()
}
