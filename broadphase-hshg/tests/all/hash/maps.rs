//! Checks that results do not depend on the map, with good and bad maps.

use alloc::collections::BTreeMap;
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use broadphase_hshg::{Sparse, SpatialHash};
use laws::Together;
use laws::laws::every_step_agrees_with_the_model;

/// The worst possible hasher: every cell has the same hash.
#[derive(Clone, Copy, Debug, Default)]
struct Nothing;

impl Hasher for Nothing {
    fn write(&mut self, _: &[u8]) {}

    fn finish(&self) -> u64 {
        u64::MAX
    }
}

/// Returns hashes with a `BTreeMap`, with a `HashMap`, and with the worst hasher.
fn all() -> Together<f32, 2> {
    type Hash<M> = SpatialHash<f32, 2, u32, M>;
    let tree: Hash<BTreeMap<_, _>> = SpatialHash::with_map(3.0, BTreeMap::new());
    let standard: Hash<HashMap<_, _>> = SpatialHash::with_map(3.0, HashMap::new());
    let worst: Hash<Sparse<2, BuildHasherDefault<Nothing>>> =
        SpatialHash::with_map(3.0, Sparse::default());
    Together::of([
        Together::on_each_backend(tree),
        Together::on_each_backend(standard),
        Together::on_each_backend(worst),
    ])
}

#[test]
fn every_map_obeys_the_laws() {
    every_step_agrees_with_the_model(all);
}
