//! In-place permutation of arrays.

/// This bit is set in `order[i]` when item `i` is final.
const DONE: u32 = 1 << 31;

/// Permutes an array in place: `items[i]` becomes the former `items[order[i]]`.
///
/// `order` must contain every index once and is unchanged on return. Takes O(n) time and no memory:
/// the upper bit of each index serves as a mark meanwhile.
///
/// # Panics
/// If the lengths differ, or an index is out of range.
///
/// ```
/// let mut names = ["a", "b", "c", "d"];
/// broadphase_core::apply_order(&mut [3, 0, 2, 1], &mut names);
/// assert_eq!(names, ["d", "a", "c", "b"]);
/// ```
pub fn apply_order<T>(order: &mut [u32], items: &mut [T]) {
    assert_eq!(order.len(), items.len(), "one index for each item");
    for begin in 0..order.len() {
        // Swap the items of one cycle to their final places.
        let mut place = begin;
        while order[place] & DONE == 0 {
            let from = order[place] as usize;
            order[place] |= DONE;
            if from != begin {
                items.swap(place, from);
            }
            place = from;
        }
    }
    order.iter_mut().for_each(|index| *index &= !DONE);
}
