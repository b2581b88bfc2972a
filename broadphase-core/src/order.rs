//! In-place permutation of the caller's arrays, to follow new keys.

/// This bit is set in `old[i]` while some entry of `old` has the value `i`: item `i` must move to
/// the index of that entry.
const SOURCE: u32 = 1 << 31;
/// This bit is set in `old[i]` when item `i` is final.
const DONE: u32 = 1 << 30;
/// Mask of the bits of an entry of `old` that hold an index.
const INDEX: u32 = DONE - 1;

/// Permutes `items`, an array indexed by the keys before
/// [`renumber`](crate::SpatialIndex::renumber), into the order of the new keys.
///
/// Afterwards `items[new]` is the former `items[old[new]]`. Items of keys without an object are
/// moved to the end, in no particular order. Takes O(`old.len()`) time for any order and allocates
/// nothing: the two upper bits of `old` serve as marks meanwhile. On return `old` has its former
/// values, ready for the next array.
///
/// # Panics
/// If an index is not below `items.len()`, is 2^30 or more, or is repeated. `old` and `items` are
/// unchanged then. (A repeated index that is not below `old.len()` is not detected: one of the two
/// entries gets another item.)
///
/// ```
/// use broadphase_core::{Aabb, BruteForce, SpatialIndex, apply_order};
///
/// let mut world: BruteForce<f32, 1> = BruteForce::new();
/// let mut names = ["a", "b", "c", "d"].map(String::from);
/// for key in [3, 0, 2] {
///     world.insert(key, Aabb::point([key as f32]), ())?;
/// }
/// let mut old = Vec::new();
/// world.renumber(&mut old);
/// assert_eq!(old, [3, 0, 2]);
/// apply_order(&mut old, &mut names);
/// assert_eq!(names, ["d", "a", "c", "b"]);
/// # Ok::<(), broadphase_core::IndexError>(())
/// ```
pub fn apply_order<T>(old: &mut [u32], items: &mut [T]) {
    assert_in_range(old, items.len());
    mark_sources(old);
    // Move the items of open chains first: each begins at an index that is not a source, and ends
    // past `old`.
    for begin in 0..old.len() {
        if old[begin] & (SOURCE | DONE) == 0 {
            swap_along(old, items, begin);
        }
    }
    // The items not yet moved form closed cycles.
    for begin in 0..old.len() {
        if old[begin] & DONE == 0 {
            swap_along(old, items, begin);
        }
    }
    for index in old {
        *index &= INDEX;
    }
}

fn assert_in_range(old: &[u32], items: usize) {
    for &index in old {
        assert!((index as usize) < items, "there is no item {index}");
        assert!(index <= INDEX, "index {index} is 2^30 or more");
    }
}

/// Marks each index below `old.len()` that is a value in `old`. Restores `old` and panics if an
/// index is repeated.
fn mark_sources(old: &mut [u32]) {
    for place in 0..old.len() {
        let from = (old[place] & INDEX) as usize;
        let Some(source) = old.get_mut(from) else { continue };
        if *source & SOURCE != 0 {
            for index in old {
                *index &= INDEX;
            }
            panic!("index {from} is repeated");
        }
        *source |= SOURCE;
    }
}

/// Swaps the items of the chain or cycle that begins at `begin` to their final indices.
fn swap_along<T>(old: &mut [u32], items: &mut [T], begin: usize) {
    let mut place = begin;
    while let Some(index) = old.get_mut(place) {
        let from = (*index & INDEX) as usize;
        *index |= DONE;
        if from == begin {
            return;
        }
        items.swap(place, from);
        place = from;
    }
}
