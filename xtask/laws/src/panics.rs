//! The law of panics: if a caller's closure panics, the calls completed before take effect, and all
//! later results are right.

use core::cell::Cell;
use core::ops::ControlFlow;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::{catch_unwind, resume_unwind};
use std::sync::Mutex;

use broadphase_core::{
    Aabb, IndexObject, Motion, Pair, PairSearch, Path, SpatialIndex, SpatialIndexExt, pairs,
};
use proptest::prelude::*;

use crate::Together;
use crate::examples::tried_until;
use crate::map::SortedMap;
use crate::model::{Model, Step, steps};
use crate::numbers::{Numbers, boxes, wrong_boxes};
use crate::queries::{Objects, Seed, check_all, seeds};
use crate::threads::{self, with_threads};

/// Runs `act` on a structure. Returns whether it panicked.
fn panics<I>(index: &mut I, act: impl FnOnce(&mut I)) -> bool {
    catch_unwind(AssertUnwindSafe(|| act(index))).is_err()
}

/// Panics without a message on standard error.
fn panic_silently() -> ! {
    resume_unwind(Box::new("on purpose"))
}

/// A call with a closure that may panic.
#[derive(Clone, Debug)]
struct Walk<S, const D: usize> {
    /// The method, by number; see [`Walk::run`].
    method: u8,
    /// The number of completed calls of the closure before it panics.
    panic_after: usize,
    /// The new boxes, selected by key; some are invalid.
    targets: Vec<Aabb<S, D>>,
}

fn walks<S: Numbers, const D: usize>() -> BoxedStrategy<Vec<Walk<S, D>>> {
    let target = prop_oneof![7 => boxes(), 1 => wrong_boxes()];
    // Most examples have only a few pairs, so a closure that panics late would not panic at all.
    let panic_after = prop_oneof![2 => 0usize..3, 1 => 0usize..14];
    let walk = (0u8..7, panic_after, prop::collection::vec(target, 1..8));
    let walk =
        walk.prop_map(|(method, panic_after, targets)| Walk { method, panic_after, targets });
    prop::collection::vec(walk, 1..6).boxed()
}

impl<S: Numbers, const D: usize> Walk<S, D> {
    /// Calls the method, and updates the model to the expected content. Returns whether the closure
    /// panicked.
    fn run(&self, index: &mut Together<S, D>, model: &mut Model<S, D>) -> bool {
        let Self { method, panic_after, ref targets } = *self;
        let calls = AtomicUsize::new(0);
        let counts = || {
            if calls.fetch_add(1, Ordering::Relaxed) == panic_after {
                panic_silently();
            }
        };
        let (done, one) = (Mutex::new(SortedMap::default()), S::from_f64(1.0));
        let keeps = |key: u32| method != 2 || !key.is_multiple_of(3);
        let change = |key: u32, bounds: &mut Aabb<S, D>| {
            let to = targets[key as usize % targets.len()];
            // The change of the call that panics must not take effect, even if it is valid.
            bounds.min[0] = S::MAX;
            let is_last = calls.load(Ordering::Relaxed) == panic_after;
            done.lock().expect("the lock is not poisoned").insert(key, (!is_last).then_some(to));
            counts();
            *bounds = to;
        };
        let panicked = panics(index, |index| {
            // The error for invalid boxes is tested by other laws.
            let _ = match method {
                0 => index.update(change),
                1 => index.update_dynamic(change),
                2 => index.retain(|key, bounds| {
                    change(key, bounds);
                    keeps(key)
                }),
                3 => index.par_update(change),
                _ => {
                    let accept = |a: u32, b: u32| {
                        counts();
                        (a ^ b).is_multiple_of(2)
                    };
                    let filter = |found: &mut [Pair]| pairs::accepted(found, accept);
                    let distance = (method == 5).then_some(one);
                    let search = PairSearch { distance, filter: Some(&filter), sorted: method < 6 };
                    index.find_pairs(&search, &mut Vec::new());
                    Ok(())
                }
            };
        });
        assert_eq!(panicked, calls.into_inner() > panic_after, "panics are propagated");
        for (&key, &to) in done.into_inner().expect("the lock is not poisoned").iter() {
            let object = model.objects.get_mut(&key).expect("the object exists");
            let Some(to) = to else { continue };
            object.bounds = to.checked().unwrap_or(object.bounds);
            if !keeps(key) {
                model.objects.remove(&key);
            }
        }
        panicked
    }
}

/// Steps, calls whose closures may panic, further steps, a region, and seeds of queries.
type Example<S, const D: usize> =
    (Vec<Step<S, D>>, Vec<Walk<S, D>>, Vec<Step<S, D>>, Aabb<S, D>, Vec<Seed<S, D>>);

/// Asserts that if a closure panics at any object, only the changes of its completed calls take
/// effect.
pub fn changes_before_a_panic_are_kept<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let examples = (steps::<S, D>(), walks(), steps(), boxes(), seeds());
    let panicked: [Cell<u32>; 7] = Default::default();
    let law = |(steps, walks, more, region, seeds): Example<S, D>| {
        for mut index in make().each_alone() {
            let mut model = Model::default();
            steps.iter().for_each(|step| model.take(&mut index, step));
            for walk in &walks {
                // About half of the calls follow a refresh by `pairs`; the others find pending
                // objects.
                if walk.panic_after % 2 == 1 {
                    model.compare(&mut index, &region);
                }
                let count = &panicked[usize::from(walk.method)];
                count.set(count.get() + u32::from(walk.run(&mut index, &mut model)));
                let bounds = model.objects.iter().map(|(&key, object)| (key, object.bounds));
                check_all(&index, &Objects::from_iter(bounds), &seeds);
                model.compare(&mut index, &region);
            }
            more.iter().for_each(|step| model.take(&mut index, step));
            model.compare(&mut index, &region);
        }
        Ok(())
    };
    tried_until(48, examples, law, |tried| {
        println!("{}, {D}-D, {tried} tried: panics of each method: {panicked:?}", S::NAME);
        let few = panicked.iter().any(|count| count.get() < tried / 48);
        few.then(|| format!("{panicked:?} panics of each method"))
    });
}

/// Asserts the law of panics for `par_update` with 20,000 objects on three threads. The structure
/// and the oracle must be empty.
pub fn panic_in_par_update(mut index: Together<f32, 2>, mut oracle: Together<f32, 2>) {
    let objects = (0..).zip(threads::boxes::<f32, 2>("tail:20000"));
    for index in [&mut index, &mut oracle] {
        index.extend(objects.clone()).expect("the keys are free");
        (0..20_000).step_by(9).for_each(|key| {
            index.set_motion(key, Motion::Static).expect("the object exists");
        });
    }
    for last in [0, 700, 9000, 19_999] {
        index.pairs(&mut Vec::new());
        let done = Mutex::new(Vec::new());
        let panicked = panics(&mut index, |index| {
            with_threads(3, || {
                // The error for invalid boxes is tested by other laws.
                let _ = index.par_update(|key, bounds| {
                    if key == last {
                        panic_silently();
                    }
                    threads::change(key, last, bounds);
                    done.lock().expect("the lock is not poisoned").push((key, *bounds));
                });
            });
        });
        assert!(panicked, "panics are propagated");
        for (key, bounds) in done.into_inner().expect("the lock is not poisoned") {
            // Invalid boxes change no object in either structure.
            let _ = oracle.set_bounds(key, bounds);
        }
        // Before and after `pairs`, all objects and queries around some of them are equal.
        let mut both = Together::of([index.clone(), oracle.clone()]);
        check_sample(&both);
        both.pairs(&mut Vec::new());
        check_sample(&both);
    }
}

/// Gets all objects, and queries around some of them; the structures compare the results.
fn check_sample(both: &Together<f32, 2>) {
    both.assert_well_formed();
    for key in 0..20_000 {
        let Some(IndexObject { bounds, .. }) = both.get(key).filter(|_| key % 777 == 0) else {
            continue;
        };
        let mut visits = 0;
        let mut five = || {
            visits += 1;
            if visits % 5 > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        both.query(bounds.enlarged(9.0), &mut Vec::new());
        let _ = both.nearest(bounds, |_, _| five());
        let _ = both.cast(Path::sweep(bounds, [300.0, 40.0]), |_, _| five());
    }
}
