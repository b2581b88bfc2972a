//! The sort of distinct keys gives the same result as a comparison sort, on every backend.

use broadphase_core::Backend;
use broadphase_core::kernel::rank::Sort;

#[test]
fn any_number_of_keys_is_sorted_on_every_backend() {
    // The lengths cover all three ways of sorting: by rank, by comparison and by digits.
    for len in (0..200u32).chain([2047, 2048, 2049, 10_000]) {
        // Odd factors map distinct numbers to distinct numbers.
        let keys: Vec<u32> = (0..len).map(|n| (n + 3 * len).wrapping_mul(2_654_435_761)).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        for backend in Backend::available() {
            let mut sorted = keys.clone();
            backend.dispatch(Sort(&mut sorted));
            assert_eq!(sorted, expected, "{len} keys on {backend}");
        }
    }
}
