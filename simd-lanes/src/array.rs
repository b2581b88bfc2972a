//! Arrays made element by element.

/// Returns an array of the elements that `element` returns for each index.
///
/// As [`core::array::from_fn`], but one loop: that function is compiled as six functions for each
/// closure, and its own `map` as ten, which were 15 % of all code before optimisation.
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
