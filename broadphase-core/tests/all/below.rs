//! `below` counts the keys below a key, with equal results on every backend.

use broadphase_core::kernel::sweep::below;
use broadphase_core::{Backend, Kernel, Lanes};

struct Below<'a>(&'a [i32; 64], i32);

impl Kernel for Below<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        below(lanes, self.0, self.1)
    }
}

#[test]
fn any_number_of_keys_below_is_counted_on_every_backend() {
    for count in 0..=64 {
        // Ascending keys, three of each number; the first and the last key are the ends of the
        // range of `i32`.
        let mut keys: [i32; 64] = core::array::from_fn(|place| place as i32 / 3 - count / 2);
        (keys[0], keys[63]) = (i32::MIN, i32::MAX);
        for key in [i32::MIN, -count, -1, 0, 1, count, i32::MAX] {
            let expected = keys.iter().filter(|&&other| other < key).count();
            for backend in Backend::available() {
                let found = backend.dispatch(Below(&keys, key));
                assert_eq!(found, expected, "below {key} in {keys:?} on {backend}");
            }
        }
    }
}
