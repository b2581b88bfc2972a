//! Recommends a cell side from the sizes of the objects.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Scalar, instances};

use crate::cell::FAR;

/// The number of largest objects that are ignored among at least `IGNORE_MIN_LEN`. They may be in
/// very large bins, which is cheap for a few.
const IGNORED_OBJECTS: usize = 16;
const IGNORE_MIN_LEN: usize = 256;

/// Returns twice the average extent of objects with valid bounds; for points, the side of a cube
/// with one point on average.
pub(crate) fn recommend<S: Scalar, const D: usize>(
    bounds: impl IntoIterator<Item = Aabb<S, D>>,
) -> S {
    let all: Vec<Aabb<S, D>> =
        bounds.into_iter().filter(|bounds| bounds.checked().is_ok()).collect();
    recommend_for(&all)
}

instances! {
    /// Returns the recommended side. Requires valid bounds.
    fn recommend_for<S, D>(all: &[Aabb<S, D>]) -> S {
        if all.is_empty() {
            return S::from_f64(1.0);
        }
        let mut side = 2.0 * average_extent(all);
        if side <= 0.0 {
            side = side_for_points(all);
        }
        // Above the lower limit most objects are within the range of cell numbers; the others share
        // the outermost cells. The upper limit is the largest coordinate. Integer sides are at
        // least 1.
        let side = side.clamp(distance_of_most(all) / FAR, S::MAX.to_f64());
        let rounded = S::from_f64(side);
        let usable = rounded > S::ZERO && (1.0 / rounded.to_f64()).is_finite();
        if usable { rounded } else { S::from_f64(1.0) }
    }
}

fn average_extent<S: Scalar, const D: usize>(all: &[Aabb<S, D>]) -> f64 {
    let extent = |bounds: &Aabb<S, D>, axis: usize| {
        // Halved first, because the difference may overflow.
        bounds.max[axis].to_f64() / 2.0 - bounds.min[axis].to_f64() / 2.0
    };
    let size = |bounds| (0..D).map(|axis| extent(bounds, axis) / D as f64).sum::<f64>();
    let mut sizes: Vec<f64> = all.iter().map(size).collect();
    let mut count = sizes.len();
    if count >= IGNORE_MIN_LEN {
        count -= IGNORED_OBJECTS;
        sizes.select_nth_unstable_by(count, f64::total_cmp);
        sizes.truncate(count);
    }
    // Sorted, because the rounding of the sum depends on the order.
    sizes.sort_unstable_by(f64::total_cmp);
    let average = sizes.iter().map(|size| size / count as f64).sum::<f64>();
    (2.0 * average).min(f64::MAX / 4.0)
}

/// Returns the largest absolute coordinate, ignoring the objects farthest from the origin: 16 if
/// there are at least [`IGNORE_MIN_LEN`], otherwise half.
fn distance_of_most<S: Scalar, const D: usize>(all: &[Aabb<S, D>]) -> f64 {
    let distance = |bounds: &Aabb<S, D>| {
        let ends = bounds.min.iter().chain(&bounds.max);
        ends.fold(0.0, |most: f64, x| most.max(x.to_f64().abs()))
    };
    let mut distances: Vec<f64> = all.iter().map(distance).collect();
    let rank = if all.len() < IGNORE_MIN_LEN {
        (all.len() - 1) / 2
    } else {
        all.len() - 1 - IGNORED_OBJECTS
    };
    *distances.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// Returns a cell side for points: halves the extent of their box until it has about as many cells
/// as points. With at least [`IGNORE_MIN_LEN`] points, 16 points at each end of each axis are
/// ignored.
fn side_for_points<S: Scalar, const D: usize>(all: &[Aabb<S, D>]) -> f64 {
    let ignored = if all.len() < IGNORE_MIN_LEN { 0 } else { IGNORED_OBJECTS };
    let mut side: f64 = 0.0;
    for axis in 0..D {
        let mut along: Vec<f64> = all.iter().map(|point| point.min[axis].to_f64()).collect();
        let low = *along.select_nth_unstable_by(ignored, f64::total_cmp).1;
        let high = *along.select_nth_unstable_by(all.len() - 1 - ignored, f64::total_cmp).1;
        side = side.max(high / 2.0 - low / 2.0);
    }
    let mut cells = 1u64;
    while cells < (all.len() as u64).div_ceil(1 << D) {
        side /= 2.0;
        cells = cells.saturating_mul(1 << D);
    }
    side
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn of(sizes: &[f32]) -> f32 {
        recommend(sizes.iter().map(|&size| Aabb::new([0.0, 0.0], [size, size])))
    }

    #[test]
    fn cells_follow_the_sizes_of_objects() {
        assert_eq!(of(&[1.0, 3.0]), 4.0, "twice the average");
        let (few, many) = (vec![2.0; 200], vec![2.0; 1000]);
        assert!(of(&[&few[..], &[1e9]].concat()) > 1e6, "every object counts");
        assert_eq!(of(&[&many[..], &[1e9]].concat()), 4.0, "a few among many are ignored");
        assert_eq!(of(&[&[1e9, 1e9], &many[..]].concat()), 4.0);
        assert!(of(&[&many[..], &[1e9; 20]].concat()) > 1e6, "twenty are too many to ignore");
        assert_eq!(of(&[]), 1.0);
        assert_eq!(of(&[0.0]), 1.0);
        assert_eq!(of(&[f32::NAN, 3.0]), 6.0, "invalid bounds are ignored");
    }

    #[test]
    fn points_get_about_a_cell_each() {
        let points = (0..100).map(|n| Aabb::point([n as f32, 0.0]));
        let side = recommend(points);
        assert!((6.0..30.0).contains(&side), "about as many cells as points, not {side}");
        let lost = (0..1000).map(|n| match n {
            0 => [1e30, -1e30],
            _ => [(n % 32) as f32, (n / 32) as f32],
        });
        let side = recommend(lost.map(Aabb::<f32, 2>::point));
        assert!((0.5..2.0).contains(&side), "one far point is ignored: {side}");
    }

    #[test]
    fn recommended_sides_are_finite_at_the_ends_of_numbers() {
        assert_eq!(recommend([Aabb::point([i32::MAX]), Aabb::point([i32::MAX - 1])]), 2);
        assert_eq!(recommend([Aabb::new([i32::MIN], [i32::MAX])]), i32::MAX);
        let far = recommend([Aabb::new([f32::MAX - 1e30, 0.0], [f32::MAX, 1.0])]);
        assert!(far.is_finite() && far >= f32::MAX / FAR as f32);
        let most = recommend([Aabb::new([f64::MIN; 3], [f64::MAX; 3]); 3]);
        assert!(most.is_finite() && most > 1e300);
    }

    #[test]
    fn outliers_do_not_make_cells_coarse() {
        let near = || (0..9).map(|n| Aabb::<f32, 2>::of_ball([n as f32, 0.0], 0.5));
        assert_eq!(recommend(near()), 2.0);
        let far = |at| Aabb::of_ball([at, at], 0.5);
        assert!((1.0..=2.0).contains(&recommend(near().chain([far(1e20), far(-1e30)]))));
        let many = || (0..3000).map(|n| Aabb::<f32, 2>::of_ball([n as f32, 0.0], 0.5));
        let side: f32 = recommend(many().chain([far(1e20), far(-1e30)]));
        assert!((side - 2.0).abs() < 0.01, "{side}");
    }
}
