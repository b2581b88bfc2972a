//! Pairs and box queries on a torus after every step of a random sequence.

use core::cell::Cell;
use std::sync::Mutex;

use broadphase_core::{
    Aabb, IndexObject, Motion, Pair, Region, SpatialIndex, SpatialIndexExt, Torus,
};
use proptest::prelude::*;

use super::{Objects, boxes, images, overlap, pairs, reduced, sides};
use crate::Together;
use crate::examples::tried_until;
use crate::numbers::Numbers;

/// One change: its kind, the key, and a box.
type Step<S, const D: usize> = (u8, u32, Aabb<S, D>);

fn take<S: Numbers, const D: usize>(
    torus: &mut Torus<S, D>,
    objects: &mut Objects<S, D>,
    sides: &[S; D],
    &(kind, key, bounds): &Step<S, D>,
) {
    let stored = reduced(&bounds, sides);
    match kind {
        0..=7 => {
            if let Some(object) = objects.get_mut(&key) {
                object.bounds = stored;
                torus.set_bounds(key, bounds).expect("the object exists");
            } else {
                objects.insert(key, IndexObject::new(key, stored));
                torus.insert(key, bounds).expect("the key is free");
            }
        }
        8 => assert_eq!(torus.remove(key), objects.remove(&key).is_some()),
        9 | 10 => {
            let motion = if kind == 9 { Motion::Static } else { Motion::Dynamic };
            if let Some(object) = objects.get_mut(&key) {
                object.motion = motion;
                torus.set_motion(key, motion).expect("the object exists");
            }
        }
        11 | 12 => {
            let moves = |number: u32| number % 3 == key % 3;
            let change = |number: u32, place: &mut Aabb<S, D>| {
                assert_eq!(*place, objects[&number].bounds, "walks visit the stored bounds");
                if moves(number) {
                    *place = bounds;
                }
            };
            let updated =
                if kind == 11 { torus.update(change) } else { torus.update_dynamic(change) };
            updated.expect("all bounds are valid");
            for (&number, object) in objects {
                if moves(number) && (kind == 11 || object.motion == Motion::Dynamic) {
                    object.bounds = stored;
                }
            }
        }
        _ => {
            let goes = |number: u32| number % 8 == key % 8;
            torus
                .retain(|number, place| {
                    if number == key + 1 {
                        *place = bounds;
                    }
                    !goes(number)
                })
                .expect("all bounds are valid");
            if let Some(object) = objects.get_mut(&(key + 1)) {
                object.bounds = stored;
            }
            objects.retain(|&number, _| !goes(number));
        }
    }
}

/// Asserts that after every step of a random sequence, pairs and box queries find all images and
/// report each result once.
///
/// # Panics
/// If the law is violated, if at most 25 % of the sequences have a pair across a seam, or if at
/// most 12.5 % have a pair that overlaps in two images.
pub fn every_image_counts_once<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let steps = prop::collection::vec((0u8..14, 0u32..20, boxes::<S, D>()), 1..60);
    let (relevant, twice) = (Cell::new(0), Cell::new(0));
    let examples = (steps, sides::<S, D>(), boxes::<S, D>());
    let law = |(steps, sides, region): (Vec<Step<S, D>>, [S; D], Aabb<S, D>)| {
        let (mut across_seam, mut overlaps_twice) = (false, false);
        let (mut found, mut all) = (vec![7], vec![[7, 7]]);
        let mut torus = Torus::new(make(), sides).expect("the sides are valid");
        let mut objects = Objects::new();
        for step in &steps {
            take(&mut torus, &mut objects, &sides, step);
            torus.assert_well_formed();
            for (&key, object) in &objects {
                let entry = torus.get(key).expect("the object exists");
                assert_eq!(entry.bounds, object.bounds, "of {key}");
                assert_eq!(
                    torus.reduced(object.bounds),
                    Ok(object.bounds),
                    "reduced bounds are unchanged"
                );
            }
            let reduced_region = reduced(&region, &sides);
            torus.query(region, &mut found);
            let meets =
                |object: &IndexObject<S, D>| overlap(&reduced_region, &object.bounds, &sides);
            let expected = objects.iter().filter(|(_, object)| meets(object));
            assert!(expected.map(|(key, _)| key).eq(&found), "query for {region:?}");

            let expected = pairs(&objects, &sides, &|_, _| true);
            torus.pairs(&mut all);
            assert_eq!(all, expected, "{objects:?}");
            torus.pairs_unordered(&mut all);
            all.sort_unstable();
            assert_eq!(all, expected, "each once");
            for &[a, b] in &expected {
                let [a, b] = [objects[&a].bounds, objects[&b].bounds];
                let ways = images(a, b, sides).filter(|(a, b)| a.overlaps(b)).count();
                across_seam |= !a.overlaps(&b);
                overlaps_twice |= ways > 1;
            }
        }
        let accept = |a: u32, b: u32| !(a + b).is_multiple_of(3);
        let offered = Mutex::new(Vec::new());
        let accept_offered = |a: u32, b: u32| {
            offered.lock().expect("no panic").push([a, b]);
            accept(a, b)
        };
        torus.pairs_where(accept_offered, &mut all);
        assert_eq!(all, pairs(&objects, &sides, &accept));
        // `Together` offers the pairs of stored boxes once for each structure.
        let across = |&[a, b]: &Pair| !objects[&a].bounds.overlaps(&objects[&b].bounds);
        let mut offered = offered.into_inner().expect("no panic");
        offered.retain(across);
        offered.sort_unstable();
        let mut expected = pairs(&objects, &sides, &|_, _| true);
        expected.retain(across);
        assert_eq!(offered, expected, "each pair across a seam once, the smaller key first");

        // Compare pairs with another torus of equal sides, and of a structure that does not wrap.
        let mut other = Torus::new(make(), sides).expect("the sides are valid");
        let mut plain = make();
        for (key, step) in (0..).zip(&steps) {
            other.insert(key, step.2).expect("the key is free");
            plain.insert(key, step.2).expect("the key is free");
        }
        let mut expected = Vec::new();
        for (&key, object) in &objects {
            for (theirs, step) in (0..).zip(&steps) {
                if overlap(&object.bounds, &reduced(&step.2, &sides), &sides) {
                    expected.push([key, theirs]);
                }
            }
        }
        for distance in [0.0, 1.0, 2.5].map(S::from_f64) {
            let near = |a: &Aabb<S, D>, b: &Aabb<S, D>| {
                images(*a, *b, sides).any(|(a, b)| Region::around(a, distance).overlaps(&b))
            };
            let mut within = Vec::new();
            for (&key, object) in &objects {
                let others = (0..).zip(&steps);
                let others =
                    others.filter(|(_, step)| near(&object.bounds, &reduced(&step.2, &sides)));
                within.extend(others.map(|(theirs, _)| [key, theirs]));
            }
            torus.pairs_with(&mut other, distance, &mut all);
            assert_eq!(all, within, "of both within {distance}");
        }
        // The boxes of a structure that does not wrap are those of the other's world.
        torus.pairs_with(&mut plain, S::ZERO, &mut all);
        assert_eq!(all, expected);
        plain.pairs_with(&mut torus, S::ZERO, &mut all);
        all.iter_mut().for_each(|pair| pair.reverse());
        all.sort_unstable();
        assert_eq!(all, expected);

        // `Torus::new` moves the objects that a structure already has to the fundamental domain.
        let mut later = Torus::new(plain, sides).expect("the sides are valid");
        let mut before = Vec::new();
        later.pairs(&mut before);
        other.pairs(&mut all);
        assert_eq!(before, all);
        relevant.set(relevant.get() + u32::from(across_seam));
        twice.set(twice.get() + u32::from(overlaps_twice));
        Ok(())
    };
    tried_until(96, examples, law, |tried| {
        let (relevant, twice) = (relevant.get(), twice.get());
        println!(
            "{}, {D}-D, {tried} tried: {relevant} across a seam, {twice} in two images",
            S::NAME
        );
        let few = relevant <= tried / 4 || twice <= tried / 8;
        few.then(|| {
            format!("{relevant} have a pair across a seam, {twice} one that overlaps in two images")
        })
    });
}
