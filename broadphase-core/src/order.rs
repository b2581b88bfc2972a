//! The caller's own arrays, brought into another order in place.

/// Marks a place during [`apply_order`] whose item goes to a place of `old`.
const WANTED: u32 = 1 << 31;
/// Marks a place that holds its final item.
const DONE: u32 = 1 << 30;
/// What is left for the index.
const INDEX: u32 = DONE - 1;

/// Brings the caller's own items, indexed by the keys that objects had before
/// [`renumber`](crate::SpatialIndex::renumber), into the order of the keys they have now.
///
/// Afterwards `items[new]` is what `items[old[new]]` was. Items of keys without an object end
/// behind them, in no particular order. Takes time in proportion to `old`, whatever the order, and
/// no memory: the upper bits of `old` serve as marks meanwhile. At the end `old` is as it was,
/// ready for the next array.
///
/// # Panics
/// If an index is not below `items.len()`, is 2^30 or more, or comes twice. Neither `old` nor
/// `items` has changed then. (That one comes twice goes unnoticed if it is not below `old.len()`:
/// then one of the two gets another item.)
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
    mark_wanted(old);
    // Paths first: they begin at an item that nobody wants, and end behind `old`.
    for begin in 0..old.len() {
        if old[begin] & (WANTED | DONE) == 0 {
            follow(old, items, begin);
        }
    }
    // The rest goes round in circles.
    for begin in 0..old.len() {
        if old[begin] & DONE == 0 {
            follow(old, items, begin);
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

/// Marks the places whose items other places want; every one only once.
fn mark_wanted(old: &mut [u32]) {
    for place in 0..old.len() {
        let from = (old[place] & INDEX) as usize;
        let Some(wanted) = old.get_mut(from) else { continue };
        if *wanted & WANTED != 0 {
            for index in old {
                *index &= INDEX;
            }
            panic!("index {from} comes twice");
        }
        *wanted |= WANTED;
    }
}

/// Swaps items along a path, or round a circle, to where they belong.
fn follow<T>(old: &mut [u32], items: &mut [T], begin: usize) {
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
