//! Objects moved by whole sides, and vectors across seams.

use core::array::from_fn;
use core::cell::Cell;

use broadphase_core::{Aabb, Scalar, SpatialIndex, SpatialIndexExt, Target, Torus};
use proptest::prelude::*;

use super::exact::exact_sum;
use super::{boxes, places, reduced, sides};
use crate::Together;
use crate::examples::{by_key, tried, tried_until};
use crate::map::SortedMap;
use crate::numbers::Numbers;

/// Boxes by key, each with the number of sides by which it is moved on each axis.
type Moves<S, const D: usize> = SortedMap<(Aabb<S, D>, Vec<i32>)>;

/// Returns a box moved by whole sides. Axes on which the moved ends would not be exact are
/// unchanged.
fn moved<S: Numbers, const D: usize>(
    bounds: &Aabb<S, D>,
    sides: &[S; D],
    by: &[i32],
) -> Aabb<S, D> {
    let mut moved = *bounds;
    for axis in 0..D {
        let end = |x: S| exact_sum(x, sides[axis], by[axis]);
        if let (Some(min), Some(max)) = (end(bounds.min[axis]), end(bounds.max[axis])) {
            (moved.min[axis], moved.max[axis]) = (min, max);
        }
    }
    moved
}

/// Asserts that objects moved by whole sides have equal stored bounds and form the same pairs, if
/// the moved coordinates are exact.
///
/// # Panics
/// If the law is violated, or if less than 25 % of the objects were moved.
pub fn whole_sides_change_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let (total, exact) = (Cell::new(0), Cell::new(0));
    let by = prop::collection::vec(-40i32..40, D);
    let objects = by_key(0..40, (boxes::<S, D>(), by), 1..24);
    tried_until(
        48,
        (objects, sides::<S, D>()),
        |(objects, sides): (Moves<S, D>, [S; D])| {
            let [mut here, mut there] =
                [(); 2].map(|()| Torus::new(make(), sides).expect("the sides are valid"));
            for (&key, (bounds, by)) in &objects {
                let away = moved(bounds, &sides, by);
                total.set(total.get() + 1);
                exact.set(exact.get() + u32::from(away != *bounds));
                here.insert(key, *bounds).expect("the key is free");
                there.insert(key, away).expect("the key is free");
                let stored = [&here, &there].map(|torus| torus.get(key).map(|entry| entry.bounds));
                assert_eq!(stored[0], stored[1], "{bounds:?} and {away:?} in {sides:?}");
            }
            let [mut pairs, mut same] = [(); 2].map(|()| Vec::new());
            here.pairs(&mut pairs);
            there.pairs(&mut same);
            assert_eq!(pairs, same);
            Ok(())
        },
        |_| {
            let (total, exact) = (total.get(), exact.get());
            (exact < total / 4).then(|| format!("{exact} of {total} objects were moved"))
        },
    );
}

/// Asserts that vectors lead to the nearest image: no other image is nearer, exchanging the points
/// reverses the vector, and moving points by whole sides changes nothing. With integers, the length
/// is the distance of the nearest object.
///
/// # Panics
/// If the law is violated.
pub fn vectors_are_shortest<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let point = || prop::collection::vec(places::<S>(), D);
    let by = prop::collection::vec(-40i32..40, D);
    tried(192, (point(), point(), sides::<S, D>(), by), |(from, to, sides, by)| {
        let [from, to]: [[S; D]; 2] = [from, to].map(|at| from_fn(|axis| at[axis]));
        let mut torus = Torus::new(make(), sides).expect("the sides are valid");
        let vector = torus.shortest_vector(from, to).expect("the points are finite");
        let back = torus.shortest_vector(to, from).expect("the points are finite");
        let [a, b] = [from, to].map(|at| reduced(&Aabb::point(at), &sides).min);
        for axis in 0..D {
            let way = b[axis].minus(a[axis]);
            let found = vector[axis].to_f64();
            if sides[axis] == S::ZERO {
                assert_eq!(vector[axis], way);
                continue;
            }
            assert!(back[axis] == S::ZERO.minus(vector[axis]), "{back:?} is not −{vector:?}");
            let side = sides[axis].to_f64();
            let images = [way.to_f64(), way.to_f64() - side, way.to_f64() + side];
            assert!(images.contains(&found), "{found} from {from:?} to {to:?}");
            let shortest = images.map(f64::abs).into_iter().fold(f64::INFINITY, f64::min);
            assert_eq!(found.abs(), shortest, "from {from:?} to {to:?} in {sides:?}");
            if way.to_f64().abs() == shortest {
                assert_eq!(vector[axis], way, "crosses no seam without need");
            }
        }
        let away = moved(&Aabb::point(to), &sides, &by).min;
        // On an axis that does not wrap, the numbers have not changed.
        assert_eq!(torus.shortest_vector(from, away), Ok(vector));
        let square = vector.iter().map(|way| way.to_f64() * way.to_f64()).sum::<f64>();
        if S::INTEGER && square < 1e15 {
            torus.insert(3, Aabb::point(to)).expect("the key is free");
            let mut near = Vec::new();
            torus.nearest(Target::point(from), |_, square| near.push(square.to_f64()));
            assert_eq!(near, [square]);
        }
        if let Some(&wrong) = S::forbidden().first() {
            let mut nowhere = to;
            nowhere[D - 1] = wrong;
            assert!(torus.shortest_vector(from, nowhere).is_err());
            assert!(torus.shortest_vector(nowhere, from).is_err());
        }
        Ok(())
    });
}
