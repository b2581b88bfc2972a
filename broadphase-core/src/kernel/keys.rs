//! The keys of those who met, for the places they are in.

use alloc::vec::Vec;

use bounds_hexprism::{Kernel, Lanes};

use crate::pairs::Pair;

/// Appends the keys of pairs of places to a list, in the order of these.
///
/// # Panics
/// If there are not as many places as that.
pub(crate) struct AppendKeys<'a> {
    pub(crate) pairs: &'a mut Vec<Pair>,
    pub(crate) places: &'a [[u32; 2]],
    /// The keys of all places.
    pub(crate) keys: &'a [u32],
}

impl Kernel for AppendKeys<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { pairs, places, keys } = self;
        pairs.reserve(places.len());
        // Where lanes are read one by one, they are no faster.
        let (eights, rest) = if lanes.gathers() { places.as_chunks() } else { (&[][..], places) };
        let sign = lanes.splat(i32::MIN);
        for eight in eights {
            let (a, b) = lanes.unzip(eight);
            let (a, b) = (lanes.gather(keys, a), lanes.gather(keys, b));
            // Lanes compare numbers with a sign, and keys have none.
            let (a, b) = (lanes.xor(a, sign), lanes.xor(b, sign));
            let (least, most) = (lanes.min(a, b), lanes.max(a, b));
            pairs.extend_from_slice(&lanes.zip(lanes.xor(least, sign), lanes.xor(most, sign)));
        }
        // Of known length, so that nobody asks for room again; and nobody can guess which key is
        // smaller, so no branch depends on it.
        pairs.extend(rest.iter().map(|&[a, b]| {
            let (a, b) = (keys[a as usize], keys[b as usize]);
            [a.min(b), a.max(b)]
        }));
    }
}
