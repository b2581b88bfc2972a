//! Maps from elsewhere, good ones and bad ones: answers are the same.

use alloc::collections::BTreeMap;
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use broadphase_hshg::{CellMap, Placement, Sparse, SpatialHash};
use laws::{backends, laws::every_step_agrees_with_the_model};

/// The worst of all hashers: every cell is looked for in the same place.
#[derive(Clone, Copy, Debug, Default)]
struct Nothing;

impl Hasher for Nothing {
    fn write(&mut self, _: &[u8]) {}

    fn finish(&self) -> u64 {
        u64::MAX
    }
}

fn obeys<M: CellMap<2>>(make: impl Fn() -> SpatialHash<f32, 2, u32, M>) {
    backends::on_each(|| every_step_agrees_with_the_model(|| backends::in_turn(make())));
}

#[test]
fn a_tree_obeys_the_law() {
    obeys(|| SpatialHash::with_map(3.0, BTreeMap::new()));
}

#[test]
fn a_map_of_the_standard_library_obeys_the_law() {
    obeys(|| SpatialHash::with_map(3.0, HashMap::new()).with_placement(Placement::FirstCell));
}

#[test]
fn the_worst_hasher_obeys_the_law() {
    obeys(|| SpatialHash::with_map(3.0, Sparse::<2, BuildHasherDefault<Nothing>>::default()));
}
