//! Longer default implementations of methods of structures.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use bounds_hexprism::Scalar;

use crate::{IndexError, IndexObject, Region, Search, SpatialIndex, SpatialIndexExt};

/// The number of objects that are inserted by one call.
const OBJECTS_PER_CALL: usize = 64;

/// Default implementation of [`SpatialIndex::find_keys`].
pub(crate) fn find_keys<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    region: &Region<S, D>,
    out: &mut Vec<u32>,
) {
    out.clear();
    let _ = index.visit(&Search::Region(*region), &mut |entry, _| {
        out.push(entry.key);
        ControlFlow::Continue(())
    });
    out.sort_unstable();
}

/// Default implementation of [`SpatialIndex::bounds_of`].
pub(crate) fn bounds_of<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    keys: &[u32],
    out: &mut [[[S; D]; 2]],
) {
    for (&key, out) in keys.iter().zip(out) {
        if let Some(object) = index.get(key) {
            *out = [object.bounds.min, object.bounds.max];
        }
    }
}

/// Inserts objects in blocks, up to the first that fails, with its error.
pub(crate) fn extend<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &mut I,
    mut objects: impl Iterator<Item = IndexObject<S, D>>,
) -> Result<(), IndexError> {
    index.try_reserve(objects.size_hint().0)?;
    let mut block = Vec::new();
    block.try_reserve_exact(OBJECTS_PER_CALL).map_err(|_| IndexError::OutOfMemory)?;
    loop {
        block.clear();
        block.extend(objects.by_ref().take(OBJECTS_PER_CALL));
        if block.is_empty() {
            return Ok(());
        }
        if let Err(why) = index.insert_many(&block) {
            return block.iter().try_for_each(|&object| index.insert_many(&[object])).and(Err(why));
        }
    }
}

/// Inserts objects one by one with `insert`; on error, removes those inserted before. If there are
/// more than the 64 of a block of [`extend`](crate::SpatialIndexExt::extend), calls `reserve` with
/// their number first. For implementations of [`SpatialIndex::insert_many`].
///
/// # Errors
/// The error of `reserve`, or of the first insertion that fails.
pub fn insert_each<S: Scalar, const D: usize, I>(
    index: &mut I,
    objects: &[IndexObject<S, D>],
    reserve: impl FnOnce(&mut I, usize) -> Result<(), IndexError>,
    mut insert: impl FnMut(&mut I, &IndexObject<S, D>) -> Result<(), IndexError>,
    mut remove: impl FnMut(&mut I, u32),
) -> Result<(), IndexError> {
    if objects.len() > OBJECTS_PER_CALL {
        reserve(index, objects.len())?;
    }
    for (place, object) in objects.iter().enumerate() {
        if let Err(why) = insert(index, object) {
            objects[..place].iter().rev().for_each(|object| remove(index, object.key));
            return Err(why);
        }
    }
    Ok(())
}

/// Removes objects one by one with `remove`, after finding all keys. For implementations of
/// [`SpatialIndex::remove_many`]. Keys may be repeated: `remove` gets unknown keys, too.
///
/// # Errors
/// [`IndexError::UnknownKey`] for the first unknown key.
pub fn remove_each<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    keys: &[u32],
    mut remove: impl FnMut(&mut I, u32),
) -> Result<(), IndexError> {
    if let Some(&key) = keys.iter().find(|&&key| index.get(key).is_none()) {
        return Err(IndexError::UnknownKey { key });
    }
    keys.iter().for_each(|&key| remove(index, key));
    Ok(())
}
