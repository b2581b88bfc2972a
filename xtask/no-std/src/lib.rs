//! A program without std that links every library.
//!
//! The check is the test. If a library linked std, there would be two panic handlers and the check
//! would fail with "found duplicate lang item `panic_impl`". The check also fails if a library
//! needs unwinding, or more of the allocator than `alloc` has.

#![no_std]

use core::panic::PanicInfo;

use bounds_hexprism as _;
use broadphase_core as _;
use broadphase_hshg as _;
use hexcoord as _;
use hexphase::{Aabb, BroadPhase};
use linked_list_allocator::LockedHeap;
use simd_lanes as _;

/// The heap; a real program would initialize it with a memory range.
#[global_allocator]
static HEAP: LockedHeap = LockedHeap::empty();

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Returns the number of pairs of a hundred boxes in a row.
pub extern "C" fn pairs() -> usize {
    let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    for x in 0u8..100 {
        if world.insert(Aabb::around([f32::from(x), 0.0], [0.5, 0.5]), ()).is_err() {
            return 0;
        }
    }
    world.step();
    world.pairs().len()
}
