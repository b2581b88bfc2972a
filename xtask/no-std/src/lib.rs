//! A program without std that calls real functions of every library.
//!
//! The check is the test. If a library linked std, there would be two panic handlers and the check
//! would fail with "found duplicate lang item `panic_impl`". The check also fails if a library
//! needs unwinding, or more of the allocator than `alloc` has.

#![no_std]
extern crate alloc;

use alloc::vec::Vec;
use core::panic::PanicInfo;

use bounds_hexprism::{Aabb, Backend, SlabVec};
use broadphase_core::scenes::{Scene, SceneKind, SceneName};
use broadphase_core::{BruteForce, SpatialIndex, SpatialIndexExt};
use broadphase_hshg::SpatialHash;
use hexcoord::{Angle, Grid, Hex, HexBody, Point, Pose, hex};
use hexphase::BroadPhase;
use linked_list_allocator::LockedHeap;
use simd_lanes::{Kernel, Lanes};

/// The heap; a real program would initialize it with a memory range.
#[global_allocator]
static HEAP: LockedHeap = LockedHeap::empty();

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Calls functions of every library.
pub extern "C" fn answers() -> usize {
    lanes()
        + bounds()
        + cells()
        + pairs(&mut BruteForce::<f32, 2>::new())
        + pairs(&mut SpatialHash::<f32, 2>::new(14.0))
        + world()
}

fn lanes() -> usize {
    struct CountNegative([i32; 8]);

    impl Kernel for CountNegative {
        type Output = usize;

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> usize {
            lanes.movemask(lanes.gt(lanes.splat(0), lanes.load(&self.0))).count() as usize
        }
    }

    Backend::detect().dispatch(CountNegative([1, -1, 2, -2, 3, -3, 4, -4]))
}

fn bounds() -> usize {
    let mut boxes = SlabVec::new();
    for x in 0u8..100 {
        boxes.push(Aabb::around([f32::from(x), 0.0], [0.5, 0.5]).slabs());
    }
    let query = Aabb::new([9.0, 0.0], [10.0, 0.0]).slabs();
    let mut found = Vec::new();
    boxes.query(Backend::detect(), &query, |index| found.push(index));
    found.len()
}

fn cells() -> usize {
    let (a, b) = ([700, -5000, 80], [-90, 12, 3]);
    let mut cells = [Hex::ORIGIN; 3];
    Grid::default().cells(&a, &b, &mut cells);
    let body: HexBody = hex(0, 0).range(3).chain(cells).collect();
    let turned = Pose::new(Point::new(900, 0), Angle(5000));
    let mut found = 0;
    body.overlaps(Pose::default(), &body, turned, |_, _| found += 1);
    found + Point::new(3.0f32, 4.0).length() as usize
}

fn pairs(world: &mut dyn SpatialIndex<f32, 2>) -> usize {
    let Scene::Flat(discs) = SceneName::new(SceneKind::Discs, 1000).generate() else { return 0 };
    if world.extend((0..).zip(discs.all_bounds())).is_err() {
        return 0;
    }
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    pairs.len()
}

fn world() -> usize {
    let mut world: BroadPhase<f32, 2, ()> = BroadPhase::new();
    for x in 0u8..100 {
        if world.insert(Aabb::around([f32::from(x), 0.0], [0.5, 0.5]), ()).is_err() {
            return 0;
        }
    }
    world.step();
    world.pairs().len()
}
