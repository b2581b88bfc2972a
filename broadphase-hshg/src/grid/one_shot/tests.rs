//! Searches in lists are equal on each backend.

use alloc::vec::Vec;

use broadphase_core::scenes::{Scene, SceneName};

use super::*;

fn find_on_each_backend<S: Scalar, const D: usize>(boxes: &[Aabb<S, D>], distance: Option<S>) {
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
                    let widened = |bounds: Aabb<f32, 3>| {
                        Aabb::new(bounds.min.map(f64::from), bounds.max.map(f64::from))
                    };
                    let boxes: Vec<Aabb<f64, 3>> = scene.all_bounds().map(widened).collect();
                    find_on_each_backend(&boxes, distance.map(f64::from));
                }
            }
        }
    }
}
