//! The laws of all structures. Each law is a function whose argument creates an empty structure.

use core::cell::Cell;

use allocation_counter::AllocationInfo;
use broadphase_core::{
    Aabb, IndexError, IndexObject, InvalidBounds, Motion, SpatialIndex, SpatialIndexExt,
};
use proptest::prelude::*;

use crate::Together;
use crate::examples::tried_until;
use crate::model::{Model, Step, steps};
use crate::numbers::{Numbers, boxes};

/// Asserts that after every step of a random sequence all results equal those of the model, which
/// knows only the current objects, and so do those of a copy at the end.
///
/// A sequence is relevant if it has a pair, a removal, and an object whose size changes by a factor
/// of at least eight. Prints the number of steps in relevant sequences.
///
/// # Panics
/// If the law is violated, if fewer than 25 % of the sequences are relevant, or if fewer than 6.25
/// % are relevant and have two static objects that overlap.
pub fn every_step_agrees_with_the_model<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let (relevant, relevant_with_statics) = (Cell::new(0), Cell::new(0));
    let relevant_steps = Cell::new(0);
    let examples = (steps::<S, D>(), boxes::<S, D>(), any::<u64>());
    let law = |(steps, region, asks): (Vec<Step<S, D>>, Aabb<S, D>, u64)| {
        let mut index = make();
        let mut model = Model::default();
        let (mut met, mut apart, mut removed, mut resized) = (false, false, false, false);
        for (number, step) in steps.iter().enumerate() {
            let before = model.clone();
            model.take(&mut index, step);
            // After about half of the steps, the next step follows before `pairs` refreshes the
            // structure.
            if asks >> (number % 64) & 1 == 1 {
                met |= !model.compare(&mut index, &region).is_empty();
            } else {
                model.compare_unrefreshed(&index, &region);
            }
            apart |= model.keeps_apart();
            removed |= matches!(step, Step::Remove(_)) && model != before;
            resized |= model.resized(&before);
        }
        model.compare(&mut index.clone(), &region);
        if met && removed && resized {
            relevant.set(relevant.get() + 1);
            relevant_with_statics.set(relevant_with_statics.get() + u32::from(apart));
            relevant_steps.set(relevant_steps.get() + steps.len());
        }
        Ok(())
    };
    tried_until(192, examples, law, |tried| {
        let (relevant, of_statics) = (relevant.get(), relevant_with_statics.get());
        println!("{}, {D}-D, {tried} tried: {} relevant steps", S::NAME, relevant_steps.get());
        let few = relevant < tried / 4 || of_statics < tried / 16;
        few.then(|| format!("{relevant} are relevant, {of_statics} of them with statics"))
    });
}

/// Asserts that invalid walks return an error with the key and change no object, and that invalid
/// queries find no objects. Other invalid changes are steps of the model.
pub fn bad_input_changes_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let unit = Aabb::<S, D> { min: [S::ZERO; D], max: [S::from_f64(1.0); D] };
    let inverted = Aabb { min: unit.max, max: unit.min };
    let mut index = make();
    let mut model = Model::default();
    for key in [5, 3] {
        model.take(&mut index, &Step::Put(key, unit));
    }
    let mut bad = vec![(inverted, InvalidBounds::Inverted { axis: 0 })];
    for &value in S::FORBIDDEN {
        let mut bounds = unit;
        bounds.max[D - 1] = value;
        bad.push((bounds, bounds.checked().expect_err("not a finite number")));
    }
    for (bounds, why) in bad {
        let result = index.update(|_, place| *place = bounds);
        assert_eq!(result, Err(IndexError::InvalidBounds { key: 3, why }), "the smallest key");
        model.take(&mut index, &Step::SetMotion(3, Motion::Static));
        let result = index.update_dynamic(|_, place| *place = bounds);
        let error = Err(IndexError::InvalidBounds { key: 5, why });
        assert_eq!(result, error, "the only dynamic object");
        model.take(&mut index, &Step::SetMotion(3, Motion::Dynamic));
        model.compare(&mut index, &unit);
    }
    let some = [7, 3, 8].map(|key| (key, unit));
    assert_eq!(index.extend(some), Err(IndexError::KeyInUse { key: 3 }));
    assert_eq!(index.remove_many(&[7]), Ok(()), "the objects before the first error are kept");
    assert_eq!(index.set_bounds(4, unit), Err(IndexError::UnknownKey { key: 4 }));
    let mut found = vec![1];
    index.query(inverted, &mut found);
    assert_eq!(found, [], "nothing overlaps an inverted box");
    if let [nan, infinite, minus_infinite] = *S::FORBIDDEN {
        index.query(Aabb { min: [nan; D], max: [nan; D] }, &mut found);
        assert_eq!(found, [], "nothing overlaps NaN");
        index.query(Aabb { min: [minus_infinite; D], max: [infinite; D] }, &mut found);
        assert_eq!(found, [3, 5], "infinite bounds overlap all objects");
    }
    model.compare(&mut index, &unit);
}

/// Returns a cube. The coordinates of its lower corner alternate between the numbers in `at`.
fn cube<S: Numbers, const D: usize>(at: [f64; 2], side: f64) -> Aabb<S, D> {
    let min = core::array::from_fn(|axis| S::from_f64(at[axis % 2]));
    Aabb { min, max: min.map(|x| x.plus(S::from_f64(side))) }
}

/// Asserts that a visitor is not called again after it breaks, and that the method returns the
/// value of the break; also that `pairs_unordered` finds many pairs once.
pub fn visitors_can_stop_early<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    // 40 identical boxes: 780 pairs, more than a block or buffer of any structure.
    let unit = Aabb::<S, D> { min: [S::ZERO; D], max: [S::from_f64(1.0); D] };
    let mut index = make();
    index.extend((0..40).map(|key| (key, unit))).expect("keys are free");
    let mut pairs = vec![[7, 7]];
    index.pairs_unordered(&mut pairs);
    pairs.sort_unstable();
    assert!(pairs.into_iter().eq((0..40).flat_map(|a| (a + 1..40).map(move |b| [a, b]))));
    let stops = |index: &Together<S, D>, region: Aabb<S, D>, last: u32| {
        let mut seen = 0;
        let answer = index.query_unordered(region, |_| {
            seen += 1;
            if seen == last { Err(last) } else { Ok(()) }
        });
        assert_eq!((answer, seen), (Err(last), last));
    };
    [1, 8, 9, 40].into_iter().for_each(|last| stops(&index, unit, last));
    assert_eq!(index.query_unordered(unit, |_| Ok::<(), ()>(())), Ok(()));

    // Scatter objects and leave some of them pending, so that a query visits many parts of the
    // structure.
    let at = |n: u32| [f64::from(n % 10) * 20.0, f64::from(n / 10) * 20.0];
    let spread = |n: u32| cube::<S, D>(at(n), f64::from(1 + n % 9 * n % 9));
    let everything = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
    let mut index = make();
    index.extend((0..100).map(|key| (key, spread(key)))).expect("keys are free");
    index.optimize();
    index.extend((100..110).map(|key| (key, unit))).expect("keys are free");
    (1..=110).for_each(|last| stops(&index, everything, last));
}

/// Asserts that objects over the whole number range form one pair with every object. No padding,
/// hole or sentinel of a structure may be reported. The number of such objects takes every
/// remainder modulo the number of lanes.
pub fn infinite_boxes_pair_once<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let everything = Aabb::<S, D> { min: [S::MIN; D], max: [S::MAX; D] };
    for giants in 1..=10 {
        let mut index = make();
        let mut model = Model::default();
        for key in 0..giants + 11 {
            let at = Aabb::point([S::from_f64(f64::from(key) * 5.0); D]);
            let bounds = if key < giants { everything } else { at };
            model.take(&mut index, &Step::Put(key * 3, bounds));
        }
        model.compare(&mut index, &everything);
        // Removed and moved objects may leave holes.
        for key in [0, giants + 2, giants + 5] {
            model.take(&mut index, &Step::Remove(key * 3));
        }
        model.take(&mut index, &Step::Put((giants + 8) * 3, Aabb::point([S::ZERO; D])));
        model.compare(&mut index, &everything);
    }
}

/// Measures the allocations of a closure; not generic, so it is compiled once.
fn measure(work: &mut dyn FnMut()) -> AllocationInfo {
    allocation_counter::measure(work)
}

/// Asserts that `memory_use` equals the bytes allocated, that `shrink_to_fit` releases unused
/// memory, and that a failing `try_reserve` changes nothing.
pub fn memory_use_equals_the_allocated_bytes<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    // Use a pool of only this thread, because allocations of other threads are not measured.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let at = |n: u32| cube::<S, D>([f64::from(n % 100); 2], f64::from(n % 7 * n % 7));
    let (mut index, mut model) = (None, Model::default());
    let mut pairs = Vec::new();
    let build = measure(&mut || index = Some(make()));
    let mut index = index.expect("the structure was created");
    assert_eq!(index.memory_use() as i64, build.bytes_current, "when empty");
    let fill = measure(&mut || {
        for n in 0..300 {
            index.insert(n, at(n)).expect("the key is free");
            if n % 3 == 0 {
                index.set_motion(n, Motion::Static).expect("the object exists");
            }
        }
    });
    for n in 0..300 {
        let motion = if n % 3 == 0 { Motion::Static } else { Motion::Dynamic };
        model.objects.insert(n, IndexObject::new(n, at(n)).motion(motion));
    }
    let held = build.bytes_current + fill.bytes_current;
    assert_eq!(index.memory_use() as i64, held, "when filled");
    model.compare(&mut index, &at(99));

    // `pairs` also needs scratch buffers; the vector of pairs is not part of `memory_use`.
    index.pairs(&mut pairs);
    let before = index.memory_use() as i64;
    let again = measure(&mut || {
        for n in 0..300 {
            index.set_bounds(n, at(n * 11)).expect("the object exists");
        }
        index.optimize();
        index.pairs(&mut Vec::new());
    });
    let later = index.memory_use() as i64;
    assert_eq!(later, before + again.bytes_current, "when moved");
    for n in 0..300 {
        model.objects.get_mut(&n).expect("the object exists").bounds = at(n * 11);
    }

    // Do not count these allocations: the sum of the requested bytes would overflow.
    allocation_counter::opt_out(|| {
        assert_eq!(index.try_reserve(usize::MAX / 64), Err(IndexError::OutOfMemory));
        assert_eq!(index.try_reserve(usize::MAX), Err(IndexError::OutOfMemory));
    });
    model.compare(&mut index, &at(99));
    index.try_reserve(10_000).expect("enough memory");
    let room = |bytes| bytes > 10_000 * size_of::<u32>();
    assert!(index.memory_of_each().all(room), "memory for 10,000 keys");
    let mut few = 300;
    for keep in [300, 30, 0] {
        for n in keep..few {
            model.take(&mut index, &Step::Remove(n));
        }
        few = keep;
        let (before, mut after) = (index.memory_use() as i64, 0);
        let shrink = measure(&mut || {
            index.shrink_to_fit();
            after = index.memory_use() as i64;
        });
        assert!(after <= before, "{before} bytes, then {after}");
        assert_eq!(after, before + shrink.bytes_current, "with {keep} objects");
        model.compare(&mut index, &at(99));
    }
    index.shrink_to_fit();
    for bytes in index.memory_of_each() {
        assert!(bytes < 4096, "{bytes} bytes without objects");
    }
}

/// Asserts that inserting equal objects with consecutive keys does not allocate after
/// `try_reserve`.
pub fn reserved_memory_suffices<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let mut index = make();
    index.insert(7_000, Aabb::point([S::ZERO; D])).expect("the key is free");
    index.try_reserve(3_000).expect("enough memory");
    let taken = measure(&mut || {
        for n in 0..3_000 {
            let at = [S::from_f64(f64::from(n % 1_500)); D];
            index.insert(7_001 + n, Aabb::point(at)).expect("the key is free");
        }
    });
    assert_eq!(taken.count_total, 0, "{} bytes", taken.bytes_total);
}
