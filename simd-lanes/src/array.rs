//! Building arrays element by element.

/// Returns an array whose element at each index is `element(index)`.
///
/// Builds faster than [`core::array::from_fn`] and `<[T; N]>::map`, for which the compiler
/// generates six and ten functions per closure (15 % of all code before optimization).
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn array_of<T: Copy + Default, const N: usize>(mut element: impl FnMut(usize) -> T) -> [T; N] {
    let mut array = [T::default(); N];
    let mut index = 0;
    while index < N {
        array[index] = element(index);
        index += 1;
    }
    array
}
