//! Invalid worlds, boxes and queries on a torus.

use broadphase_core::{Aabb, IndexError, Path, SpatialIndex, SpatialIndexExt, Torus};

use crate::Together;
use crate::examples::tried;
use crate::numbers::{Numbers, wrong_boxes};

/// Asserts that invalid changes return an error with the key and change no object, that invalid
/// sides are errors, and that invalid queries find no objects.
///
/// # Panics
/// If the law is violated.
pub fn bad_input_changes_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let mut invalid = [-8.0, -1.0, S::MAX.to_f64() / 7.0].map(S::from_f64).to_vec();
    invalid.extend(S::forbidden());
    invalid.extend([S::MAX, S::MIN]);
    for side in invalid {
        let mut sides = [S::from_f64(8.0); D];
        sides[D - 1] = side;
        assert_eq!(Torus::new(make(), sides).err().map(|why| why.axis), Some(D - 1), "{side}");
    }
    let sides = [S::from_f64(8.0); D];
    let place = Aabb { min: [S::from_f64(7.0); D], max: [S::from_f64(9.0); D] };
    tried(32, wrong_boxes::<S, D>(), |invalid_box| {
        let mut torus = Torus::new(make(), sides).expect("the sides are valid");
        torus.extend([3, 5].map(|key| (key, place))).expect("the keys are free");
        let why = invalid_box.checked().expect_err("the box is invalid");
        let error = |key| Err(IndexError::InvalidBounds { key, why });
        assert_eq!(torus.insert(9, invalid_box), error(9));
        assert_eq!(torus.set_bounds(3, invalid_box), error(3));
        assert_eq!(torus.update(|_, bounds| *bounds = invalid_box), error(3));
        assert!(torus.reduced(invalid_box).is_err());
        for key in [3, 5] {
            assert_eq!(torus.get(key).map(|entry| entry.bounds), Some(place));
        }
        torus.nearest(invalid_box, |entry, _| -> () { panic!("{} is near nothing", entry.key) });
        let path = Path::sweep(invalid_box, place.min);
        torus.cast(path, |entry, _| -> () { panic!("an invalid path touches {}", entry.key) });
        Ok(())
    });
}
