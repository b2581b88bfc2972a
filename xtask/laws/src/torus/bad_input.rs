//! What a torus refuses.

use broadphase_core::{Aabb, IndexError, Path, SpatialIndex, Torus};

use crate::Together;
use crate::examples::tried;
use crate::numbers::{Numbers, wrong_boxes};

/// Errors name the object and leave everything as it was; worlds that are none are refused, and
/// strange questions find nothing.
///
/// # Panics
/// If not.
pub fn bad_input_changes_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let mut strange: Vec<S> = [-8.0, 3.0, 12.0, 1e9].map(S::from_f64).to_vec();
    strange.extend(S::forbidden());
    strange.extend([S::MAX, S::MIN]);
    for side in strange {
        let mut sides = [S::from_f64(8.0); D];
        sides[D - 1] = side;
        assert_eq!(Torus::new(make(), sides).err().map(|why| why.axis), Some(D - 1), "{side}");
    }
    let sides = [S::from_f64(8.0); D];
    let place = Aabb { min: [S::from_f64(7.0); D], max: [S::from_f64(9.0); D] };
    tried(32, wrong_boxes::<S, D>(), |wrong| {
        let mut torus = Torus::new(make(), sides).expect("these are powers of two");
        torus.insert(3, place, 0).expect("the key is free");
        torus.insert(5, place, 0).expect("the key is free");
        let why = wrong.checked().expect_err("it is wrong");
        let error = |key| Err(IndexError::InvalidBounds { key, why });
        assert_eq!(torus.insert(9, wrong, 0), error(9));
        assert_eq!(torus.set_bounds(3, wrong), error(3));
        assert_eq!(torus.set_bounds_many(&[(5, place), (3, wrong)]), error(3));
        assert_eq!(torus.update(|_, _, bounds| *bounds = wrong), error(3));
        assert_eq!(torus.update_dynamic(|_, _, bounds| *bounds = wrong), error(3));
        assert_eq!(torus.insert(3, place, 0), Err(IndexError::KeyInUse { key: 3 }));
        assert!(torus.reduced(wrong).is_err());
        for key in [3, 5] {
            assert_eq!(torus.get(key).map(|entry| entry.bounds), Some(place));
        }
        torus.assert_well_formed();
        let mut found = vec![1];
        if wrong.askable().is_none() {
            torus.query(wrong, &mut found);
            assert_eq!(found, [], "nothing overlaps what is inverted or NaN");
        }
        torus.nearest(wrong, |_, _| -> () { panic!("nothing is near what is wrong") });
        torus.cast(Path::sweep(wrong, place.min), |_, _| -> () { panic!("it touches nothing") });
        Ok(())
    });
}
