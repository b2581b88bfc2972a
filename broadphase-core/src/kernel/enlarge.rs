//! Moves the ends of volumes, for instance to enlarge them by a distance.

use bounds_hexprism::{Kernel, Keys, Lanes};

use super::sweep::flipped;

/// Kernel: copies a plane of float keys and adds a number to each coordinate, rounded to nearest. A
/// key without a finite number is copied unchanged.
///
/// Entries after the last whole block of eight are only copied: they must be padding.
///
/// ```
/// use broadphase_core::kernel::enlarge::MoveEnds;
/// use broadphase_core::{Backend, Keys};
///
/// let from = [1.5f32.key_below(), i32::MAX, 0, 0, 0, 0, 0, 0];
/// let mut to = [0; 8];
/// Backend::detect().dispatch(MoveEnds { from: &from, by: 2.0, to: &mut to });
/// assert_eq!((f32::from_key(to[0]), to[1]), (3.5, i32::MAX));
/// ```
#[derive(Debug)]
pub struct MoveEnds<'a> {
    pub from: &'a [i32],
    /// The number to add.
    pub by: f32,
    /// The keys of the moved coordinates; the slice must be as long as `from`.
    pub to: &'a mut [i32],
}

impl Kernel for MoveEnds<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { from, by, to } = self;
        let (least, greatest) = (lanes.splat(f32::MIN_KEY), lanes.splat(f32::MAX_KEY));
        let by = lanes.splat_f32(by);
        let ((from, padding), (to, rest)) = (from.as_chunks(), to.as_chunks_mut());
        rest.copy_from_slice(padding);
        for (from, to) in from.iter().zip(to) {
            let keys = lanes.load(from);
            let moved = lanes.add_f32(lanes.f32_from_bits(flipped(lanes, keys)), by);
            let moved = flipped(lanes, lanes.f32_to_bits(moved));
            let is_no_number = lanes.mask_or(lanes.gt(least, keys), lanes.gt(keys, greatest));
            *to = lanes.store(lanes.select(is_no_number, keys, moved));
        }
    }
}
