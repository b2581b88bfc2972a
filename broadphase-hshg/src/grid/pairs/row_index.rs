//! Interpolation indices of static rows: they give the position of an integer key in a sorted row
//! without a binary search.
//!
//! The indices are built when no static object has changed for [`MIN_UNCHANGED_SWEEPS`] sweeps and
//! an object has moved; they are dropped when a static object changes. They serve sweeps of moving
//! rows with static rows, and the refill of the static cache. Without indices, pairs take 60 %
//! longer among a million static objects (`discs:1000000+10000`). With only five static objects for
//! each mover, where the static cache is not used, they take 20 % longer.

use broadphase_core::Scalar;

use crate::grid::Hshg;
use crate::grid::pairs::row_pairs::RowPairs;
use crate::grid::pairs::sweep::PairGroup;
use crate::grid::storage::row::{Class, rows_up_to};

/// Indices and the static cache are built after this number of consecutive sweeps without a static
/// change. Without this delay, scenes with frequent static changes would rebuild them repeatedly.
pub(in crate::grid) const MIN_UNCHANGED_SWEEPS: u32 = 4;
/// The minimum mean number of slots per row for which indices are built: in shorter rows a binary
/// search takes no longer.
const MIN_SLOTS_PER_ROW: usize = 32;

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Drops the indices if a static object has changed; builds them if no static object has
    /// changed for [`MIN_UNCHANGED_SWEEPS`] sweeps and an object has moved.
    pub(in crate::grid) fn update_row_index(&mut self) {
        let is_idle = self.row_pairs.known(PairGroup::Moving).is_some();
        let RowPairs { row_index, unchanged_sweeps, static_changed, .. } = &mut self.row_pairs;
        if core::mem::take(static_changed) {
            row_index.clear();
            *unchanged_sweeps = 0;
            return;
        }
        if is_idle || *unchanged_sweeps == MIN_UNCHANGED_SWEEPS {
            return;
        }
        *unchanged_sweeps += 1;
        let rows = &self.rows[rows_up_to(&self.rows, Class::Sleeping)..];
        let slots = rows.iter().map(|row| row.len).sum();
        if *unchanged_sweeps < MIN_UNCHANGED_SWEEPS || slots < MIN_SLOTS_PER_ROW * rows.len() {
            return;
        }
        row_index.reserve(rows.len(), slots);
        for row in rows {
            let ends = [row.bounds.min[0], row.bounds.max[0]];
            row_index.push(self.backend, &self.store.min[0][row.slots()], ends, S::INTEGER);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Motion, Pair, Scalar, SpatialIndex, SpatialIndexExt};
    use laws::random::Random;

    use crate::grid::Hshg;

    /// Boxes with motion classes, by key.
    type Boxes<S, const D: usize> = Vec<Option<(Aabb<S, D>, Motion)>>;

    /// Returns all overlapping pairs, found by comparing each box with all others.
    fn expected<S: Scalar, const D: usize>(boxes: &Boxes<S, D>) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (a, one) in (0u32..).zip(boxes) {
            for (b, other) in (0u32..).zip(boxes).take(a as usize) {
                if let (Some((one, is)), Some((other, was))) = (one, other)
                    && one.overlaps(other)
                    && [is, was] != [&Motion::Static; 2]
                {
                    pairs.push([b, a]);
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Checks a few moving boxes among many static ones, with occasional static changes. The boxes
    /// differ on two axes.
    fn assert_indexed_sweep_is_exact<S: Scalar, const D: usize>(far: [S; 2]) {
        let mut random = Random::new(7);
        let mut draw = |below: u32| random.below(below);
        let number = |x: u32| S::from_f64(f64::from(x) - 1000.0);
        let mut any = |begin: u32, width: u32| {
            let at = begin + draw(width);
            let (y, size) = (draw(300), 1 + draw(9));
            let mut bounds = Aabb::new([number(0); D], [number(9); D]);
            bounds.min[..2].copy_from_slice(&[number(at), number(y)]);
            bounds.max[..2].copy_from_slice(&[number(at + size), number(y + size)]);
            bounds
        };
        let mut world: Hshg<S, D> = Hshg::new();
        let mut boxes: Boxes<S, D> = Vec::new();
        for key in 0..1100 {
            let motion = if key < 12 { Motion::Dynamic } else { Motion::Static };
            boxes.push(Some((if key % 5 == 4 { any(900, 1) } else { any(0, 2000) }, motion)));
        }
        // Some boxes reach to the largest or smallest number.
        for (key, corner) in [(3, far[0]), (700, far[0]), (4, far[1]), (701, far[1])] {
            let (bounds, _) = boxes[key].as_mut().expect("the key is known");
            let zero = [S::ZERO; D];
            let (min, max) =
                if corner < S::ZERO { ([corner; D], zero) } else { (zero, [corner; D]) };
            *bounds = Aabb::new(min, max);
        }
        for (key, entry) in (0..).zip(&boxes) {
            let (bounds, motion) = entry.expect("the key is known");
            world.insert(key, bounds).expect("the key is unused");
            world.set_motion(key, motion).expect("the key is known");
        }
        let (mut pairs, mut guided) = (Vec::new(), 0);
        for tick in 0..80u32 {
            for key in (0..12).filter(|key| ![3, 4].contains(key)) {
                let bounds = if key % 3 == 0 { any(900, 1) } else { any(0, 2000) };
                boxes[key as usize] = Some((bounds, Motion::Dynamic));
                world.set_bounds(key, bounds).expect("the key is known");
            }
            let key = 20 + tick * 12;
            match tick % 24 {
                3 => {
                    // New boxes are at the far end of the world, so that most of their rows come
                    // after the existing ones.
                    for key in key..key + 80 {
                        let bounds = any(1900, 100);
                        boxes[key as usize] = Some((bounds, Motion::Static));
                        world.set_bounds(key, bounds).expect("the key is known");
                    }
                }
                12 => {
                    boxes[key as usize] = None;
                    assert!(world.remove(key), "the key is known");
                }
                13 => {
                    let (bounds, _) = boxes[key as usize].expect("the key is known");
                    boxes[key as usize] = Some((bounds, Motion::Dynamic));
                    world.set_motion(key, Motion::Dynamic).expect("the key is known");
                }
                _ => {}
            }
            world.pairs(&mut pairs);
            assert_eq!(pairs, expected(&boxes), "tick {tick}");
            guided += usize::from(!world.row_pairs.row_index.is_empty());
            world.assert_well_formed();
        }
        assert!(guided >= 30, "the index was used in {guided} steps");
    }

    #[test]
    fn indexed_sweep_finds_all_pairs() {
        assert_indexed_sweep_is_exact::<f32, 2>([f32::MIN, f32::MAX]);
        assert_indexed_sweep_is_exact::<f64, 3>([f64::MIN, f64::MAX]);
        assert_indexed_sweep_is_exact::<i32, 3>([i32::MIN, i32::MAX]);
    }
}
