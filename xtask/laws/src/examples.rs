//! Examples that laws are tried on: drawn, tried and made smaller by one runner that does not know
//! what they are, so that it is compiled once, and not for each law of each structure.

use core::any::Any;
use core::fmt::Debug;
use core::ops::Range;

use alloc::collections::BTreeMap;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

/// An example of any kind.
trait Example: Any + Debug {}

impl<V: Any + Debug> Example for V {}

/// How many examples are tried of so many: more in a thorough run.
fn cases(few: u32) -> u32 {
    let thorough = std::env::var("HEXPHASE_THOROUGH").ok().and_then(|times| times.parse().ok());
    few * thorough.unwrap_or(1)
}

/// Tries a law on so many examples, or more in a thorough run.
///
/// # Panics
/// If it does not hold for one of them.
pub fn tried<V: Debug + 'static>(
    few: u32,
    examples: impl Strategy<Value = V> + 'static,
    law: impl Fn(V) -> TestCaseResult,
) {
    run(&mut runner(few), &hidden(examples), &on_hidden(law));
}

/// Tries a law on so many examples; if too few of them told anything, on twice as many in all, and
/// so on up to sixteen times as many: a share well above what is asked for, which a few examples
/// miss by bad luck, is met by many.
///
/// `missing` is told how many were tried, all rounds together, and says what is missing.
///
/// # Panics
/// If the law does not hold for one of them, or if something is missing in the end.
pub fn tried_until<V: Debug + 'static>(
    few: u32,
    examples: impl Strategy<Value = V> + 'static,
    law: impl Fn(V) -> TestCaseResult,
    mut missing: impl FnMut(u32) -> Option<String>,
) {
    let examples = hidden(examples);
    let law = on_hidden(law);
    let mut last = None;
    let mut source = runner(few);
    for (more, all) in [(1, 1), (1, 2), (2, 4), (4, 8), (8, 16)] {
        for _ in 0..more {
            // Seeded by the source: so no round repeats another, even where the first seed is given.
            let (config, rng) = (source.config().clone(), source.new_rng());
            run(&mut TestRunner::new_with_rng(config, rng), &examples, &law);
        }
        last = missing(all * cases(few));
        if last.is_none() {
            return;
        }
    }
    panic!("{} in {} examples", last.unwrap_or_default(), 16 * cases(few));
}

/// Not where the law is known: it is much code to have once for each.
fn hidden<V: Debug + 'static>(
    examples: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Box<dyn Example>> {
    examples.prop_map(|example| Box::new(example) as Box<dyn Example>).boxed()
}

/// The law, of an example that is hidden.
fn on_hidden<V: 'static>(
    law: impl Fn(V) -> TestCaseResult,
) -> impl Fn(Box<dyn Example>) -> TestCaseResult {
    move |example| {
        let example: Box<dyn Any> = example;
        law(*example.downcast().expect("it is what was drawn"))
    }
}

/// What draws so many examples.
fn runner(few: u32) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases: cases(few),
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

fn run(
    runner: &mut TestRunner,
    examples: &BoxedStrategy<Box<dyn Example>>,
    law: &dyn Fn(Box<dyn Example>) -> TestCaseResult,
) {
    runner.run(examples, law).unwrap_or_else(|why| panic!("{why}"));
}

/// Values by key, so many.
pub fn by_key<V: Debug + 'static>(
    keys: Range<u32>,
    values: impl Strategy<Value = V> + 'static,
    count: Range<usize>,
) -> BoxedStrategy<BTreeMap<u32, V>> {
    // Enough for all keys: those that are too many are left.
    let values = prop::collection::vec(values, count.end - 1);
    (prop::collection::btree_set(keys, count), values)
        .prop_map(|(keys, values)| {
            let mut map = BTreeMap::new();
            for (key, value) in keys.into_iter().zip(values) {
                map.insert(key, value);
            }
            map
        })
        .boxed()
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use std::panic::catch_unwind;

    use super::tried_until;

    #[test]
    fn what_chance_misses_comes_later() {
        let (drawn, asked) = (Cell::new(0), Cell::new(0));
        let law = |_| {
            drawn.set(drawn.get() + 1);
            Ok(())
        };
        tried_until(8, 0..9, law, |tried| {
            asked.set(asked.get() + 1);
            (asked.get() < 3).then(|| format!("{tried}"))
        });
        assert_eq!((drawn.get(), asked.get()), (super::cases(4 * 8), 3));
    }

    #[test]
    fn what_never_comes_is_missed() {
        let missed = catch_unwind(|| {
            tried_until(1, 0..9, |_| Ok(()), |_| Some("nothing".to_owned()));
        });
        let why = *missed.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(why, format!("nothing in {} examples", super::cases(16)));
    }
}
