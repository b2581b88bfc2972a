//! Searches in lists are equal on each backend.

use alloc::vec::Vec;

use broadphase_core::scenes::{Scene, SceneName};

use super::*;

fn find_on_each_backend<const D: usize>(boxes: &[Aabb<f32, D>], distance: Option<f32>) {
    let search = PairSearch { distance, ..PairSearch::OVERLAPS };
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    find_in_list(Backend::SCALAR, boxes, &search, &mut expected);
    assert!(expected.len() > 100);
    for backend in Backend::available() {
        find_in_list(backend, boxes, &search, &mut found);
        assert!(found == expected, "{backend}, within {distance:?}");
    }
}

#[test]
fn backends_find_equal_pairs_in_lists() {
    for name in ["mixed:3000", "clustered3:2000"] {
        let name: SceneName = name.parse().expect("the scene exists");
        for distance in [None, Some(5.0)] {
            match name.generate() {
                Scene::Flat(scene) => {
                    find_on_each_backend(&scene.all_bounds().collect::<Vec<_>>(), distance);
                }
                Scene::Solid(scene) => {
                    find_on_each_backend(&scene.all_bounds().collect::<Vec<_>>(), distance);
                }
            }
        }
    }
}
