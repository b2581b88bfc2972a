//! Jumps: every object moves to a random place, so the storage order of the last tick is useless.

use broadphase_core::Aabb;

/// The parameters of one tick in which all objects jump.
///
/// The place of an object depends only on its key and the number of the tick, so that all
/// structures contain the same boxes, whatever their storage order.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    places: [f32; 2],
    tick: u32,
}

impl Jump {
    pub(super) const fn new(places: [f32; 2], tick: u32) -> Self {
        Self { places, tick }
    }

    /// Returns the new center of an object on one axis, uniform in the range of places.
    #[inline(always)]
    fn place(self, key: u32, axis: usize) -> f32 {
        // The finalizer of MurmurHash3, which compilers vectorize.
        let mut hash = key ^ self.tick.wrapping_mul(0x9E37_79B9) ^ (axis as u32) << 29;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
        hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
        hash ^= hash >> 16;
        let [low, high] = self.places;
        low + (hash >> 8) as f32 * ((high - low) / 16_777_216.0)
    }

    /// Moves one object to its place. The size does not change, except for rounding.
    #[inline(always)]
    pub fn advance<const D: usize>(self, key: u32, bounds: &mut Aabb<f32, D>) {
        for axis in 0..D {
            let center = self.place(key, axis);
            let half = (bounds.max[axis] - bounds.min[axis]) * 0.5;
            bounds.min[axis] = center - half;
            bounds.max[axis] = center + half;
        }
    }
}
