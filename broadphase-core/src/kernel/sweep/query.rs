//! Volumes of a run that overlap one volume, and the lower bound in a block of keys.

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes, Slabs};

use crate::kernel::hits;
use crate::kernel::within::Gate;

/// Scans the indices from `next` to `end`, and writes those whose volumes overlap `volume` and pass
/// `gate`, ascending, from `hits[filled]` on, until `hits` has no room for eight and the spare
/// entries. Returns the new number of filled entries. `next` is moved to the index at which to
/// continue, or to `end`.
#[expect(clippy::too_many_arguments, reason = "a loop has state")]
#[inline(always)]
pub fn query<L: Lanes, G: Gate<L>, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    volume: &Slabs<K>,
    gate: G,
    next: &mut usize,
    end: usize,
    hits: &mut [u32],
    mut filled: usize,
) -> usize {
    let planes = planes.of_one_length();
    let spread = Spread::new(lanes, volume);
    while *next < end && filled + LANES + hits::SPARE <= hits.len() {
        if planes.min[0][*next] > volume.max[0] {
            *next = end;
            break;
        }
        let valid = HitMask::first(end - *next);
        let open = gate.open(lanes, 0, *next);
        let hit = spread.overlaps(lanes, &planes, *next) & valid & open;
        filled = hits::write_places(lanes, hit, *next, hits, filled);
        *next = end.min(*next + LANES);
    }
    filled
}

/// Returns how many of 64 sorted keys are below `key`.
#[inline(always)]
pub fn below<L: Lanes>(lanes: L, keys: &[i32; 8 * LANES], key: i32) -> usize {
    let key = lanes.splat(key);
    let mut below = [lanes.gt(key, key); 8];
    for (below, eight) in below.iter_mut().zip(keys.as_chunks().0) {
        *below = lanes.gt(key, lanes.load(eight));
    }
    let [a, b, c, d, e, f, g, h] = below;
    let halves = [lanes.movemask_of_four([a, b, c, d]), lanes.movemask_of_four([e, f, g, h])];
    (halves[0].count_ones() + halves[1].count_ones()) as usize
}
