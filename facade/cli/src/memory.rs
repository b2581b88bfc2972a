//! Memory limits: a failing allocation is an error, not an abort.
//!
//! Lists of this program are allocated fallibly. The structures of the library are not; before they
//! are built, an equal amount of memory is allocated and freed as a test.

use std::collections::TryReserveError;

/// Returns whether this number of bytes can be allocated now.
pub(crate) fn is_available(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Collects items of a known number into a list.
///
/// # Errors
/// If allocation fails.
pub(crate) fn collect<T>(
    items: impl ExactSizeIterator<Item = T>,
) -> Result<Vec<T>, TryReserveError> {
    let mut list = Vec::new();
    list.try_reserve_exact(items.len())?;
    list.extend(items);
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_large_sizes_are_not_available() {
        assert!(is_available(1000));
        assert!(!is_available(usize::MAX / 2));
        assert!(!is_available(usize::MAX));
    }
}
