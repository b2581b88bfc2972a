//! Longer default implementations of [`SpatialIndex`] methods.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Scalar};

use crate::{FirstError, IndexError, Motion, SpatialIndex};

/// Default implementation of [`SpatialIndex::update_dynamic`]: collects the keys of all dynamic
/// objects, then changes the objects one by one.
pub(crate) fn update_dynamic<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    mut change: impl FnMut(u32, &mut I::Data, &mut Aabb<S, D>),
) -> Result<(), IndexError> {
    let dynamic = |&key: &u32| index.motion(key) == Some(Motion::Dynamic);
    let keys: Vec<u32> = index.order().filter(dynamic).collect();
    if keys.len() == index.len() {
        return index.update(change);
    }
    let mut first_error = FirstError::default();
    for key in keys {
        let Some(mut bounds) = index.get(key).map(|entry| entry.bounds) else { continue };
        let old = bounds;
        if let Some(data) = index.data_mut(key) {
            change(key, data, &mut bounds);
        }
        if bounds != old
            && let Err(error) = index.set_bounds(key, bounds)
        {
            first_error.record(key, error);
        }
    }
    first_error.result()
}

/// Default implementation of [`SpatialIndex::renumber`]: copies all objects, clears the structure
/// and reinserts them in storage order. If the keys are already 0, 1, 2, …, only `old` is written.
pub(crate) fn renumber<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    old: &mut Vec<u32>,
) {
    old.clear();
    old.extend(index.order());
    if (0..).zip(&*old).all(|(new, &old)| new == old) {
        return;
    }
    let mut objects = Vec::with_capacity(old.len());
    for &key in &*old {
        let entry = index.get(key).expect("the key is stored");
        objects.push((entry.bounds, *entry.data, index.motion(key).unwrap_or_default()));
    }
    index.clear();
    for (key, (bounds, data, motion)) in (0..).zip(objects) {
        index.insert(key, bounds, data).expect("allocation to reinsert an object");
        if motion != Motion::Dynamic {
            index.set_motion(key, motion).expect("allocation to reinsert an object");
        }
    }
}
