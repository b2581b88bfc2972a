//! Vectors across seams.

use core::array::from_fn;

use broadphase_core::{Aabb, Scalar, SpatialIndexExt, Target, Torus};
use proptest::prelude::*;

use super::{places, reduced, sides};
use crate::Together;
use crate::examples::tried;
use crate::numbers::Numbers;

/// Asserts that invalid sides are errors, and that vectors lead to the nearest image: no other
/// image is nearer, and exchanging the points reverses the vector. With integers, the length is the
/// distance of the nearest object.
pub fn vectors_are_shortest<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let mut invalid = [-8.0, -1.0, S::MAX.to_f64() / 7.0].map(S::from_f64).to_vec();
    invalid.extend(S::FORBIDDEN.iter().chain(&[S::MAX, S::MIN]));
    for side in invalid {
        let mut sides = [S::from_f64(8.0); D];
        sides[D - 1] = side;
        assert_eq!(Torus::new(make(), sides).err().map(|why| why.axis), Some(D - 1), "{side}");
    }
    let point = || prop::collection::vec(places::<S>(), D);
    tried(192, (point(), point(), sides::<S, D>()), |(from, to, sides)| {
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
        let square = vector.iter().map(|way| way.to_f64() * way.to_f64()).sum::<f64>();
        if S::INTEGER && square < 1e15 {
            torus.insert(3, Aabb::point(to)).expect("the key is free");
            let mut near = Vec::new();
            torus.nearest(Target::point(from), |_, square| near.push(square.to_f64()));
            assert_eq!(near, [square]);
        }
        if let Some(&wrong) = S::FORBIDDEN.first() {
            let mut nowhere = to;
            nowhere[D - 1] = wrong;
            assert!(torus.shortest_vector(from, nowhere).is_err());
            assert!(torus.shortest_vector(nowhere, from).is_err());
            assert!(torus.reduced(Aabb::point(nowhere)).is_err());
        }
        Ok(())
    });
}
