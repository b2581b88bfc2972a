//! Memory limits: a failing allocation is an error, not an abort.
//!
//! Lists of this program are allocated fallibly. The structures of the library are not; before they
//! are built, an equal amount of memory is allocated and freed as a test.

use core::hint::black_box;
use core::num::NonZero;
use std::{env, thread};

/// Memory in bytes that must remain available for buffers.
const BUFFERS: usize = 8 << 20;
/// Memory in bytes that must remain available for the stack and the buffers of each thread.
const THREAD: usize = 6 << 20;
/// Minimum number of objects for which the thread pool is started before memory is tested; smaller
/// worlds do not need it.
const MIN_OBJECTS: usize = 4096;

/// Returns an error unless `bytes` can be allocated for a world of `objects` objects. For large
/// worlds, the thread pool is started before this test, because its threads need memory, too.
pub(crate) fn prepare(bytes: usize, objects: usize) -> Result<(), hexphase::Error> {
    if is_available(bytes) && objects >= MIN_OBJECTS {
        // Starts the pool and allocates once on each thread, so that the memory that the allocator
        // reserves per thread is already taken when memory is tested below.
        rayon::broadcast(|_| black_box(Vec::<u8>::with_capacity(1)).len());
    }
    if is_available(bytes) { Ok(()) } else { Err(hexphase::Error::OutOfMemory) }
}

/// Returns whether this number of bytes can be allocated now, in addition to the memory of buffers
/// and threads.
pub(crate) fn is_available(bytes: usize) -> bool {
    // Do not query the thread pool for its number of threads: this would start the pool, which
    // small scenes do not need.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let set = env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
    let threads = set.filter(|&count| count > 0).unwrap_or(cores);
    let bytes = bytes.saturating_add(BUFFERS).saturating_add(threads.saturating_mul(THREAD));
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Collects items of a known number into a list.
///
/// # Errors
/// If allocation fails.
pub(crate) fn collect<T>(
    items: impl ExactSizeIterator<Item = T>,
) -> Result<Vec<T>, hexphase::Error> {
    let mut list = Vec::new();
    list.try_reserve_exact(items.len()).map_err(|_| hexphase::Error::OutOfMemory)?;
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
