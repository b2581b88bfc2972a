//! Memory limits: a failed allocation becomes an error message, not an abort. The limit is set for
//! the process, or by the option `--memory`, which on Linux sets it for the process.
//!
//! Lists of this program are allocated fallibly. The structures of the library abort if an
//! allocation fails. So before a structure is built, an equal amount of memory is allocated and
//! freed as a test. If an allocation of the structure still fails under a limit on Linux,
//! `limit.rs` reports it.

use alloc::collections::TryReserveError;
use core::num::NonZero;
use std::sync::OnceLock;
use std::{env, thread};

use hexphase::IndexError;
use rayon::ThreadPoolBuilder;

#[derive(Clone, Copy, Debug)]
pub(crate) struct OutOfMemory;

impl From<TryReserveError> for OutOfMemory {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

/// Bounds and keys of scenes are valid, so structures and worlds fail only if an allocation fails.
impl From<IndexError> for OutOfMemory {
    fn from(_: IndexError) -> Self {
        Self
    }
}

impl From<hexphase::Error> for OutOfMemory {
    fn from(_: hexphase::Error) -> Self {
        Self
    }
}

/// Memory in bytes that must remain available for buffers.
const BUFFERS: usize = 8 << 20;
/// Memory in bytes that must remain available for the stack and the buffers of each thread.
const THREAD: usize = 6 << 20;
/// Minimum number of bytes of the memory limit per thread. Under a low limit fewer threads are
/// started, unless `RAYON_NUM_THREADS` is set.
const LIMIT_PER_THREAD: u64 = 64 << 20;

/// The value of the option `--memory`, on systems on which no limit of the process is set.
#[cfg(not(target_os = "linux"))]
static LIMIT: OnceLock<u64> = OnceLock::new();

/// Limits the memory to this number of bytes, unless the process has a lower limit.
pub(crate) fn set_limit(bytes: u64) {
    #[cfg(target_os = "linux")]
    crate::limit::set(bytes);
    #[cfg(not(target_os = "linux"))]
    LIMIT.get_or_init(|| bytes);
}

fn limit() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return crate::limit::bytes();
    #[cfg(not(target_os = "linux"))]
    return LIMIT.get().copied();
}

/// Parses the value of `--memory`: a number of bytes, KiB (`K`), MiB (`M`), GiB (`G`) or TiB (`T`).
pub(crate) fn size(text: &str) -> Result<u64, &'static str> {
    const EXPECTED: &str = "a number of bytes is expected, such as 500M or 2G";
    let upper = text.to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let upper = upper.strip_suffix('I').unwrap_or(upper);
    let units = [("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let (digits, shift) = units
        .into_iter()
        .find_map(|(unit, shift)| Some((upper.strip_suffix(unit)?, shift)))
        .unwrap_or((upper, 0));
    let count: u64 = digits.trim().parse().map_err(|_| EXPECTED)?;
    count.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or(EXPECTED)
}

/// Returns the value of `RAYON_NUM_THREADS`; otherwise the number of cores, or fewer under a limit.
fn threads() -> usize {
    let set = env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
    set.filter(|&count| count > 0).unwrap_or_else(|| {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let most = limit().map_or(u64::MAX, |bytes| bytes / LIMIT_PER_THREAD);
        usize::try_from(most).map_or(cores, |most| most.clamp(1, cores))
    })
}

/// Starts the thread pool under a memory limit, unless it has been started. Without a limit, rayon
/// starts the pool at its first use, so that small scenes need no threads.
pub(crate) fn start_threads() -> Result<(), OutOfMemory> {
    static STARTED: OnceLock<bool> = OnceLock::new();
    let start = || {
        let threads = threads();
        let mut pool = ThreadPoolBuilder::new().num_threads(threads);
        if threads == 1 {
            pool = pool.use_current_thread();
        }
        pool.build_global().is_ok()
    };
    match limit().is_none() || *STARTED.get_or_init(start) {
        true => Ok(()),
        false => Err(OutOfMemory),
    }
}

/// Returns an error unless `bytes` can be allocated for a structure. Under a memory limit, the thread
/// pool is started first, because its threads need memory, too.
pub(crate) fn prepare(bytes: usize) -> Result<(), OutOfMemory> {
    if is_available(bytes) {
        start_threads()?;
    }
    if is_available(bytes) { Ok(()) } else { Err(OutOfMemory) }
}

/// Returns whether this number of bytes can be allocated now, besides buffers and threads.
pub(crate) fn is_available(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(with_buffers(bytes)).is_ok()
}

/// Returns this number of bytes plus the memory for buffers and threads.
pub(crate) fn with_buffers(bytes: usize) -> usize {
    // The thread pool is not queried for its number of threads, because this would start it.
    bytes.saturating_add(BUFFERS).saturating_add(threads().saturating_mul(THREAD))
}

pub(crate) fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
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

    #[test]
    fn sizes_are_parsed() {
        for (text, bytes) in
            [("1", 1), ("500M", 500 << 20), ("2g", 2 << 30), ("3GiB", 3 << 30), ("7kB", 7 << 10)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "G", "1.5G", "-1", "99999999T", "1X"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
