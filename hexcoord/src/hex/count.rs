//! Numbers of cells.

/// Returns the number of cells within `n` steps, 3n(n + 1) + 1; `u64::MAX` for `n` above 2^30.
#[inline]
pub(crate) const fn range_count(n: u32) -> u64 {
    let n = n as u64;
    if n > 1 << 30 { u64::MAX } else { 3 * n * (n + 1) + 1 }
}

#[inline(always)]
pub(super) const fn saturating_usize(count: u64) -> usize {
    if count > usize::MAX as u64 { usize::MAX } else { count as usize }
}

/// Implements `Iterator` for a type with `next_cell` and `left`, the number of remaining cells.
macro_rules! counted_iterator {
    ($type:ty) => {
        impl Iterator for $type {
            type Item = Hex;

            #[inline]
            fn next(&mut self) -> Option<Hex> {
                self.left = self.left.checked_sub(1)?;
                Some(self.next_cell())
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = $crate::hex::count::saturating_usize(self.left);
                (left, Some(left))
            }
        }

        impl ExactSizeIterator for $type {}
        impl core::iter::FusedIterator for $type {}
    };
}
pub(super) use counted_iterator;
