//! Longer default implementations of [`SpatialIndex`] methods.

use alloc::vec::Vec;

use bounds_hexprism::{Aabb, Scalar};

use crate::pairs::{self, Pair};
use crate::{FirstError, IndexError, Motion, Region, SpatialIndex};

/// Default implementation of [`SpatialIndex::pairs_where`].
pub(crate) fn pairs_where<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    accept: impl Fn(&I::Data, &I::Data) -> bool,
    out: &mut Vec<Pair>,
) {
    out.clear();
    index.pairs_unordered(|a, b| {
        if accept(a.data, b.data) {
            out.push([a.key, b.key]);
        }
    });
    pairs::sort(out);
}

/// Default implementation of [`SpatialIndex::query`].
pub(crate) fn query<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    region: Region<S, D>,
    out: &mut Vec<u32>,
) {
    out.clear();
    index.query_unordered(region, |entry| out.push(entry.key));
    out.sort_unstable();
}

/// Default implementation of [`SpatialIndex::update`].
pub(crate) fn update<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    mut change: impl FnMut(u32, &mut I::Data, &mut Aabb<S, D>),
) -> Result<(), IndexError> {
    index.retain(|key, data, bounds| {
        change(key, data, bounds);
        true
    })
}

/// Default implementation of [`SpatialIndex::extend`].
pub(crate) fn extend<S: Scalar, const D: usize, I: SpatialIndex<S, D>, B: Into<Aabb<S, D>>>(
    index: &mut I,
    mut objects: impl Iterator<Item = (u32, B, I::Data)>,
) -> Result<(), IndexError> {
    index.try_reserve(objects.size_hint().0)?;
    objects.try_for_each(|(key, bounds, data)| index.insert(key, bounds, data))
}

/// Default implementation of [`SpatialIndex::bounds_of`].
pub(crate) fn bounds_of<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &I,
    keys: &[u32],
    out: &mut [[[S; D]; 2]],
) {
    for (&key, out) in keys.iter().zip(out) {
        if let Some(entry) = index.get(key) {
            *out = [entry.bounds.min, entry.bounds.max];
        }
    }
}

/// Default implementation of [`SpatialIndex::set_bounds_many`]: validates all changes first.
pub(crate) fn set_bounds_many<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    changes: &[(u32, Aabb<S, D>)],
) -> Result<(), IndexError> {
    for &(key, bounds) in changes {
        if index.get(key).is_none() {
            return Err(IndexError::UnknownKey { key });
        }
        bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })?;
    }
    changes.iter().try_for_each(|&(key, bounds)| index.set_bounds(key, bounds))
}

/// Default implementation of [`SpatialIndex::insert_with`].
pub(crate) fn insert_with<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    key: u32,
    bounds: Aabb<S, D>,
    data: I::Data,
    motion: Motion,
) -> Result<(), IndexError> {
    index.insert(key, bounds, data)?;
    if motion != Motion::Dynamic
        && let Err(why) = index.set_motion(key, motion)
    {
        index.remove(key);
        return Err(why);
    }
    Ok(())
}

/// Inserts objects one by one; on error, removes the objects that it has inserted, the last one
/// first. It is intended for implementations of [`SpatialIndex::insert_many`].
///
/// # Errors
/// In the same cases as [`SpatialIndex::insert_many`].
pub fn insert_each<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    objects: &[(u32, Aabb<S, D>, I::Data, Motion)],
) -> Result<(), IndexError> {
    for (place, &(key, bounds, data, motion)) in objects.iter().enumerate() {
        if let Err(why) = index.insert_with(key, bounds, data, motion) {
            objects[..place].iter().rev().for_each(|object| _ = index.remove(object.0));
            return Err(why);
        }
    }
    Ok(())
}

/// Default implementation of [`SpatialIndex::remove_many`]: looks up all keys first.
pub(crate) fn remove_many<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    keys: &[u32],
) -> Result<(), IndexError> {
    if let Some(&key) = keys.iter().find(|&&key| index.get(key).is_none()) {
        return Err(IndexError::UnknownKey { key });
    }
    keys.iter().for_each(|&key| _ = index.remove(key));
    Ok(())
}

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
