//! Pairs and box queries on a torus after every step of a random sequence.

use core::cell::Cell;
use std::sync::Mutex;

use broadphase_core::{Aabb, Pair, SpatialIndex, SpatialIndexExt, Torus};
use proptest::prelude::*;

use super::{boxes, images, is_near, reduced, sides};
use crate::Together;
use crate::examples::tried_until;
use crate::model::{Model, steps_with};
use crate::numbers::Numbers;

/// Asserts that after every step of a random sequence, pairs and box queries find all images and
/// report each result once.
///
/// # Panics
/// If the law is violated, if at most 25 % of the sequences have a pair across a seam, or if at
/// most 12.5 % have a pair that overlaps in two images.
pub fn every_image_counts_once<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let (relevant, twice) = (Cell::new(0), Cell::new(0));
    let theirs = prop::collection::vec(boxes::<S, D>(), 1..60);
    let examples = (steps_with(boxes::<S, D>()), sides::<S, D>(), boxes::<S, D>(), theirs);
    let law = |(steps, sides, region, theirs): (Vec<_>, [S; D], Aabb<S, D>, Vec<Aabb<S, D>>)| {
        let (mut across_seam, mut overlaps_twice) = (false, false);
        let (mut expected, mut all) = (Vec::new(), vec![[7, 7]]);
        let mut torus = Torus::new(make(), sides).expect("the sides are valid");
        let mut model = Model::of_torus(sides);
        for step in &steps {
            model.take(&mut torus, step);
            expected = model.compare(&mut torus, &region);
            torus.pairs_unordered(&mut all);
            all.sort_unstable();
            assert_eq!(all, expected, "each once");
            for object in model.objects.values() {
                let again = torus.reduced(object.bounds);
                assert_eq!(again, Ok(object.bounds), "reduced bounds are unchanged");
            }
            for pair in &expected {
                let [a, b] = pair.map(|key| model.objects[&key].bounds);
                let ways = images(a, b, sides).filter(|(a, b)| a.overlaps(b)).count();
                across_seam |= !a.overlaps(&b);
                overlaps_twice |= ways > 1;
            }
        }
        let objects = &model.objects;
        let accept = |a: u32, b: u32| !(a ^ b).is_multiple_of(3);
        let offered = Mutex::new(Vec::new());
        let accept_offered = |a: u32, b: u32| {
            offered.lock().expect("no panic").push([a, b]);
            accept(a, b)
        };
        torus.pairs_where(accept_offered, &mut all);
        let accepted = expected.iter().filter(|pair| accept(pair[0], pair[1]));
        assert!(all.iter().eq(accepted), "{all:?} of {expected:?}");
        // `Together` offers the pairs of stored boxes once for each structure.
        let across = |&[a, b]: &Pair| !objects[&a].bounds.overlaps(&objects[&b].bounds);
        let mut offered = offered.into_inner().expect("no panic");
        offered.retain(across);
        offered.sort_unstable();
        expected.retain(across);
        assert_eq!(offered, expected, "each pair across a seam once, the smaller key first");

        // Compare pairs with another torus of equal sides, and of a structure that does not wrap.
        let mut other = Torus::new(make(), sides).expect("the sides are valid");
        let mut plain = make();
        for index in [&mut other as &mut dyn SpatialIndex<S, D>, &mut plain] {
            index.extend((0..).zip(theirs.iter().copied())).expect("the keys are free");
        }
        let theirs: Vec<_> = theirs.iter().map(|bounds| reduced(bounds, &sides)).collect();
        let mut overlapping = Vec::new();
        for distance in [2.5, 1.0, 0.0].map(S::from_f64) {
            overlapping.clear();
            for (&key, object) in objects.iter() {
                let others = (0..).zip(&theirs);
                let others =
                    others.filter(|(_, other)| is_near(&object.bounds, other, distance, &sides));
                overlapping.extend(others.map(|(theirs, _)| [key, theirs]));
            }
            torus.pairs_with(&mut other, distance, &mut all);
            assert_eq!(all, overlapping, "of both within {distance}");
        }
        // The boxes of a structure that does not wrap are those of the other's world.
        torus.pairs_with(&mut plain, S::ZERO, &mut all);
        assert_eq!(all, overlapping);
        plain.pairs_with(&mut torus, S::ZERO, &mut all);
        all.iter_mut().for_each(|pair| pair.reverse());
        all.sort_unstable();
        assert_eq!(all, overlapping);

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
    tried_until(64, examples, law, |tried| {
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
