//! The laws themselves; each takes a function that makes an empty structure.

use core::cell::Cell;
use core::ops::ControlFlow;

use allocation_counter::AllocationInfo;
use broadphase_core::{Aabb, IndexError, InvalidBounds, Motion, SpatialIndex, pairs};
use proptest::prelude::*;

use crate::Together;
use crate::examples::{by_key, tried, tried_until};
use crate::model::{Model, Object, Step, steps};
use crate::numbers::{Numbers, boxes};

/// After every step of any sequence, every answer is the model's.
///
/// Prints how many steps there were in sequences that tell something: those with a pair, a removal
/// and an object that became eight times as large, or an eighth. The others do not count.
///
/// # Panics
/// If not, or if too few sequences tell something, or something of statics that are no pairs.
pub fn every_step_agrees_with_the_model<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let (telling, telling_of_statics) = (Cell::new(0), Cell::new(0));
    let steps_that_count = Cell::new(0);
    let examples = (steps::<S, D>(), boxes::<S, D>(), any::<u64>());
    let law = |(steps, region, asks): (Vec<Step<S, D>>, Aabb<S, D>, u64)| {
        let mut index = make();
        let mut model = Model::default();
        let mut buffers = Default::default();
        let (mut met, mut apart, mut removed, mut resized) = (false, false, false, false);
        for (number, step) in steps.iter().enumerate() {
            let before = model.clone();
            model.take(&mut index, step);
            // Now and then several steps are taken before anything is refreshed.
            if asks >> (number % 64) & 1 == 1 {
                model.compare(&mut index, &region, &mut buffers);
            } else {
                model.compare_unrefreshed(&index, &region, &mut buffers.1);
            }
            met |= !buffers.0.is_empty();
            apart |= model.keeps_apart();
            removed |= matches!(step, Step::Remove(_)) && model != before;
            resized |= !matches!(step, Step::Renumber) && model.resized(&before);
        }
        if met && removed && resized {
            telling.set(telling.get() + 1);
            telling_of_statics.set(telling_of_statics.get() + u32::from(apart));
            steps_that_count.set(steps_that_count.get() + steps.len());
        }
        Ok(())
    };
    tried_until(192, examples, law, |tried| {
        let (telling, of_statics) = (telling.get(), telling_of_statics.get());
        println!("{}, {D}-D, {tried} tried: {} steps count", S::NAME, steps_that_count.get());
        let few = telling < tried / 4 || of_statics < tried / 16;
        few.then(|| format!("{telling} tell anything, {of_statics} of them of statics"))
    });
}

/// Objects by key, each with two boxes, and the same in another order.
type TwoOrders<S, const D: usize> = [Vec<(u32, (Aabb<S, D>, Aabb<S, D>))>; 2];

fn in_two_orders<S: Numbers, const D: usize>() -> BoxedStrategy<TwoOrders<S, D>> {
    by_key(0..200, (boxes(), boxes()), 1..60)
        .prop_flat_map(|objects| {
            let objects: Vec<_> = objects.into_iter().collect();
            (Just(objects.clone()), Just(objects).prop_shuffle())
        })
        .prop_map(|(sorted, shuffled)| [sorted, shuffled])
        .boxed()
}

/// The same objects, put in in another order and by detours, give the same answers.
///
/// # Panics
/// If not.
pub fn answers_do_not_depend_on_history<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    tried(32, in_two_orders::<S, D>(), |[sorted, shuffled]| {
        let mut straight = make();
        for &(key, (bounds, _)) in &sorted {
            straight.insert(key, bounds, key).expect("the key is free");
        }
        let statics = || sorted.iter().map(|object| object.0).filter(|key| key % 5 < 2);
        statics().for_each(|key| straight.set_motion(key, Motion::Static).expect("it is there"));
        let mut detour = make();
        for &(key, (_, elsewhere)) in &shuffled {
            detour.insert(key, elsewhere, 0).expect("the key is free");
            detour.set_motion(key, Motion::Static).expect("it is there");
        }
        let mut pairs = [vec![], vec![[7, 7]]];
        detour.pairs(&mut pairs[1]);
        for &(key, (bounds, _)) in &shuffled {
            if key % 3 == 0 {
                detour.remove(key).expect("the object is there");
                detour.insert(key, bounds, key).expect("the key is free again");
            } else {
                detour.set_bounds(key, bounds).expect("the object is there");
                detour.set_motion(key, Motion::Sleeping).expect("the object is there");
            }
        }
        statics().for_each(|key| detour.set_motion(key, Motion::Static).expect("it is there"));
        straight.pairs(&mut pairs[0]);
        detour.pairs(&mut pairs[1]);
        assert_eq!(pairs[0], pairs[1]);
        let copy = detour.clone();
        for &(_, (bounds, region)) in &sorted {
            let mut found = [vec![], vec![], vec![]];
            for region in [bounds, region] {
                straight.query(region, &mut found[0]);
                detour.query(region, &mut found[1]);
                copy.query(region, &mut found[2]);
                assert_eq!(found[0], found[1]);
                assert_eq!(found[0], found[2]);
            }
        }
        Ok(())
    });
}

/// Errors name the object and leave everything as it was; absurd questions have no answer.
///
/// # Panics
/// If not.
pub fn bad_input_changes_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let unit = Aabb::<S, D> { min: [S::ZERO; D], max: [S::from_f64(1.0); D] };
    let inverted = Aabb { min: unit.max, max: unit.min };
    let mut index = make();
    let mut model = Model::default();
    for key in [5, 3] {
        model.take(&mut index, &Step::Put(key, unit, key));
    }
    let mut bad = vec![(inverted, InvalidBounds::Inverted { axis: 0 })];
    for &value in S::forbidden() {
        let mut bounds = unit;
        bounds.max[D - 1] = value;
        bad.push((bounds, bounds.checked().expect_err("not a finite number")));
    }
    for (bounds, why) in bad {
        assert_eq!(index.insert(9, bounds, 0), Err(IndexError::InvalidBounds { key: 9, why }));
        assert_eq!(index.set_bounds(3, bounds), Err(IndexError::InvalidBounds { key: 3, why }));
        let walked = index.update(|_, _, place| *place = bounds);
        assert_eq!(walked, Err(IndexError::InvalidBounds { key: 3, why }), "the smallest key");
        let both = [(5, unit), (3, bounds), (4, unit)];
        let many = index.set_bounds_many(&both);
        assert_eq!(many, Err(IndexError::InvalidBounds { key: 3, why }), "the first that is wrong");
        model.take(&mut index, &Step::SetMotion(3, Motion::Static));
        let walked = index.update_dynamic(|_, _, place| *place = bounds);
        assert_eq!(walked, Err(IndexError::InvalidBounds { key: 5, why }), "the only one walked");
        model.take(&mut index, &Step::SetMotion(3, Motion::Dynamic));
        model.compare(&mut index, &unit, &mut Default::default());
    }
    assert_eq!(index.insert(3, unit, 0), Err(IndexError::KeyInUse { key: 3 }));
    let unknown = Err(IndexError::UnknownKey { key: 4 });
    assert_eq!(index.set_bounds(4, unit), unknown);
    assert_eq!(index.set_motion(4, Motion::Static), unknown);
    assert_eq!(index.set_bounds_many(&[(3, inverted), (4, unit)][1..]), unknown);
    assert_eq!(index.set_bounds_many(&[(4, unit), (3, inverted)]), unknown, "the first of them");
    assert_eq!(index.set_bounds_many(&[(4, inverted)]), unknown, "as of set_bounds");
    assert_eq!(index.remove(4), None);
    assert!(index.data_mut(4).is_none());
    let mut found = vec![1];
    index.query(inverted, &mut found);
    assert_eq!(found, [], "nothing overlaps an inverted box");
    if let [nan, infinite, minus_infinite] = *S::forbidden() {
        index.query(Aabb { min: [nan; D], max: [nan; D] }, &mut found);
        assert_eq!(found, [], "nothing overlaps NaN");
        index.query(Aabb { min: [minus_infinite; D], max: [infinite; D] }, &mut found);
        assert_eq!(found, [3, 5], "everything overlaps everything");
    }
    model.compare(&mut index, &unit, &mut Default::default());
}

/// A cube, by the numbers its lower corner has in turn, and its side.
fn cube<S: Numbers, const D: usize>(at: [f64; 2], side: f64) -> Aabb<S, D> {
    let (mut min, mut max) = ([S::ZERO; D], [S::ZERO; D]);
    for axis in 0..D {
        min[axis] = S::from_f64(at[axis % 2]);
        max[axis] = min[axis].plus(S::from_f64(side));
    }
    Aabb { min, max }
}

/// A visitor that stops sees nothing more, and its answer comes back.
///
/// # Panics
/// If not.
pub fn visitors_stop_when_they_wish<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    // 40 objects in one place, so more pairs than any block or buffer of a structure holds.
    let unit = Aabb::<S, D> { min: [S::ZERO; D], max: [S::from_f64(1.0); D] };
    let mut index = make();
    index.extend((0..40).map(|key| (key, unit, key))).expect("keys are free");
    for last in [1, 2, 9, 300, 779, 780] {
        let mut seen = 0;
        let answer = index.pairs_unordered(|a, b| {
            assert!(a.key < b.key, "the smaller key comes first");
            seen += 1;
            if seen == last { ControlFlow::Break(last) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((answer, seen), (ControlFlow::Break(last), last));
    }
    let mut pairs = vec![[7, 7]];
    index.pairs_unordered_into(&mut pairs);
    pairs.sort_unstable();
    assert!(pairs.into_iter().eq((0..40).flat_map(|a| (a + 1..40).map(move |b| [a, b]))));
    for last in [1, 8, 9, 40] {
        let mut seen = 0;
        let answer = index.query_unordered(unit, |_| {
            seen += 1;
            if seen == last { Err(last) } else { Ok(()) }
        });
        assert_eq!((answer, seen), (Err(last), last));
    }
    assert_eq!(index.query_unordered(unit, |_| Ok::<(), ()>(())), Ok(()));

    // Objects all over the place, some of them waiting, so that a query looks in many places.
    let at = |n: u32| [f64::from(n % 10) * 20.0, f64::from(n / 10) * 20.0];
    let spread = |n: u32| cube::<S, D>(at(n), f64::from(1 + n % 9 * n % 9));
    let everything = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
    let mut index = make();
    index.extend((0..100).map(|key| (key, spread(key), key))).expect("keys are free");
    index.optimize();
    index.extend((100..110).map(|key| (key, unit, key))).expect("keys are free");
    for last in 1..=110 {
        let mut seen = 0;
        let answer = index.query_unordered(everything, |_| {
            seen += 1;
            if seen == last { Err(last) } else { Ok(()) }
        });
        assert_eq!((answer, seen), (Err(last), last));
    }
}

/// Objects that reach over all numbers, of every count modulo the lanes, among small ones: every
/// pair once, and no padding, hole or fence of a structure among them.
///
/// # Panics
/// If not.
pub fn what_spans_everything_meets_everything_once<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let everything = Aabb::<S, D> { min: [S::MIN; D], max: [S::MAX; D] };
    for giants in 1..=10 {
        let mut index = make();
        let mut model = Model::default();
        for key in 0..giants + 11 {
            let at = S::from_f64(f64::from(key) * 5.0);
            let bounds =
                if key < giants { everything } else { Aabb { min: [at; D], max: [at; D] } };
            model.take(&mut index, &Step::Put(key * 3, bounds, key));
        }
        model.compare(&mut index, &everything, &mut Default::default());
        // What was removed or moved away may leave something behind.
        for key in [0, giants + 2, giants + 5] {
            model.take(&mut index, &Step::Remove(key * 3));
        }
        let home = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        model.take(&mut index, &Step::Put((giants + 8) * 3, home, 0));
        model.compare(&mut index, &everything, &mut Default::default());
    }
}

/// `retain` removes what it is told to, and `update` moves what it is told to.
///
/// # Panics
/// If not.
pub fn walks_change_what_they_say<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let objects = by_key(0..100, (boxes::<S, D>(), boxes::<S, D>()), 0..40);
    tried(32, (objects, any::<u32>()), |(objects, chosen)| {
        let mut index = make();
        let mut model = Model::default();
        for (&key, &(bounds, _)) in &objects {
            model.take(&mut index, &Step::Put(key, bounds, key));
        }
        let goes = |key: u32| chosen >> (key % 32) & 1 == 1;
        let moves = |key: u32| chosen >> ((key + 7) % 32) & 1 == 1;
        let mut walked = vec![];
        index
            .retain(|key, data, bounds| {
                walked.push(key);
                assert_eq!(Object::new(*bounds, *data), model.objects[&key]);
                if moves(key) {
                    *bounds = objects[&key].1;
                    *data += 1;
                }
                !goes(key)
            })
            .expect("all bounds are valid");
        walked.sort_unstable();
        assert!(walked.iter().eq(objects.keys()), "every object once");
        model.retain(&mut |key, object| {
            if moves(key) {
                *object = Object::new(objects[&key].1, object.data + 1);
            }
            !goes(key)
        });
        for (bounds, region) in objects.values() {
            model.compare(&mut index, bounds, &mut Default::default());
            model.compare(&mut index, region, &mut Default::default());
        }
        Ok(())
    });
}

/// Pairs by predicate, of chosen objects, and between two structures are what they should be.
///
/// # Panics
/// If not.
pub fn chosen_pairs_are_those_of_the_definition<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let objects = || prop::collection::vec(boxes::<S, D>(), 0..40);
    let chosen = prop::collection::vec(0u32..60, 0..20);
    tried(32, (objects(), objects(), chosen), |(ours, theirs, chosen)| {
        let accept = |a: u32, b: u32| !(a ^ b).is_multiple_of(3);
        let motion = |key: u32| match key % 5 {
            0 | 1 => Motion::Static,
            2 => Motion::Sleeping,
            _ => Motion::Dynamic,
        };
        let fill = |boxes: &[Aabb<S, D>]| {
            let mut index = make();
            let mut model = Model::default();
            for (key, &bounds) in (0..).zip(boxes) {
                model.take(&mut index, &Step::Put(key, bounds, key * 7 % 16));
                model.take(&mut index, &Step::SetMotion(key, motion(key)));
            }
            (index, model)
        };
        let (mut index, model) = fill(&ours);
        let (mut other, others) = fill(&theirs);
        let mut found = vec![];

        index.pairs_where(|&a, &b| accept(a, b), &mut found);
        assert_eq!(found, model.pairs_where(&accept));

        index.pairs_of(&chosen, |&a, &b| accept(a, b), &mut found);
        let mut expected = model.pairs_where(&accept);
        expected.retain(|pair| pair.iter().any(|key| chosen.contains(key)));
        assert_eq!(found, expected);

        index.pairs_with_any(&mut other, |&a, &b| accept(a, b), &mut found);
        let mut expected = vec![];
        for (&a, own) in &model.objects {
            for (&b, theirs) in &others.objects {
                if own.meets(theirs) && accept(own.data, theirs.data) {
                    expected.push([a, b]);
                }
            }
        }
        pairs::sort(&mut expected);
        assert_eq!(found, expected);
        Ok(())
    });
}

/// What so much work takes; measured by one function, whatever the work.
fn measure(work: &mut dyn FnMut()) -> AllocationInfo {
    allocation_counter::measure(work)
}

/// `memory_use` is what the allocator handed out, and `shrink_to_fit` gives back what is not used;
/// more than there is cannot be reserved, and nothing changes then.
///
/// # Panics
/// If not.
pub fn memory_is_what_it_says<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    // What a pool of threads takes and gives back is not counted here: this one is alone.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let at = |n: u32| cube::<S, D>([f64::from(n % 100); 2], f64::from(n % 7 * n % 7));
    let (mut index, mut model) = (None, Model::default());
    let mut pairs = Vec::new();
    let build = measure(&mut || index = Some(make()));
    let mut index = index.expect("it was made");
    assert_eq!(index.memory_use() as i64, build.bytes_current, "when empty");
    let fill = measure(&mut || {
        for n in 0..300 {
            index.insert(n, at(n), n).expect("the key is free");
            if n % 3 == 0 {
                index.set_motion(n, Motion::Static).expect("the object is there");
            }
        }
    });
    for n in 0..300 {
        let motion = if n % 3 == 0 { Motion::Static } else { Motion::Dynamic };
        model.objects.insert(n, Object { motion, ..Object::new(at(n), n) });
    }
    let held = build.bytes_current + fill.bytes_current;
    assert_eq!(index.memory_use() as i64, held, "when filled");
    model.compare(&mut index, &at(99), &mut Default::default());

    // The pairs have their own memory; this is what else is needed to find them.
    index.pairs(&mut pairs);
    let before = index.memory_use() as i64;
    let again = measure(&mut || {
        for n in 0..300 {
            index.set_bounds(n, at(n * 11)).expect("the object is there");
        }
        index.optimize();
        index.pairs(&mut Vec::new());
    });
    let later = index.memory_use() as i64;
    assert_eq!(later, before + again.bytes_current, "when moved");
    for n in 0..300 {
        model.objects.get_mut(&n).expect("it was put in").bounds = at(n * 11);
    }

    // Not counted: what is asked for is added up, and this is more than there are numbers for.
    allocation_counter::opt_out(|| {
        assert_eq!(index.try_reserve(usize::MAX / 64), Err(IndexError::OutOfMemory));
        assert_eq!(index.try_reserve(usize::MAX), Err(IndexError::OutOfMemory));
    });
    model.compare(&mut index, &at(99), &mut Default::default());
    index.try_reserve(10_000).expect("a little memory");
    let room = |bytes| bytes > 10_000 * size_of::<u32>();
    assert!(index.memory_of_each().all(room), "room for as many keys");
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
        assert_eq!(after, before + shrink.bytes_current, "when {keep} are left");
        model.compare(&mut index, &at(99), &mut Default::default());
    }
    index.shrink_to_fit();
    for bytes in index.memory_of_each() {
        assert!(bytes < 4096, "{bytes} bytes for nothing");
    }
}

/// After `try_reserve`, objects that are alike and whose keys follow each other take no memory.
///
/// # Panics
/// If they do.
pub fn what_is_reserved_is_there<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let mut index = make();
    index.insert(7_000, Aabb { min: [S::ZERO; D], max: [S::ZERO; D] }, 0).expect("it is empty");
    index.try_reserve(3_000).expect("a little memory");
    let taken = measure(&mut || {
        for n in 0..3_000 {
            let at = [S::from_f64(f64::from(n % 1_500)); D];
            index.insert(7_001 + n, Aabb { min: at, max: at }, 0).expect("the key is free");
        }
    });
    assert_eq!(taken.count_total, 0, "{} bytes", taken.bytes_total);
}
