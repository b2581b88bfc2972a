//! Random examples for laws. Examples are type-erased, so the runner that draws, tests and shrinks
//! them is compiled once instead of for each law of each structure.

use core::any::Any;
use core::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

/// A type-erased example.
trait Example: Any + Debug {}

impl<V: Any + Debug> Example for V {}

/// Returns the number of examples for a law that normally has `few`: that number, multiplied by the
/// environment variable `HEXPHASE_EXAMPLES` if it is set, and at least 1.
fn cases(few: u32) -> u32 {
    let factor = std::env::var("HEXPHASE_EXAMPLES").ok().and_then(|text| text.parse::<f64>().ok());
    (f64::from(few) * factor.unwrap_or(1.0)).max(1.0) as u32
}

/// Tests a law on `few` examples, multiplied by `HEXPHASE_EXAMPLES` if it is set.
///
/// # Panics
/// If the law fails for an example.
pub fn tried<V: Debug + 'static>(
    few: u32,
    examples: impl Strategy<Value = V> + 'static,
    law: impl Fn(V) -> TestCaseResult,
) {
    run(&mut runner(few), &erased(examples), &on_erased(law));
}

/// Tests a law on `few` examples, multiplied by `HEXPHASE_EXAMPLES` if it is set. While `missing`
/// returns a message, doubles the total number of examples, up to 16 times the first number.
///
/// `missing` receives the total number of examples and returns a message if too few of them were
/// relevant. A small number of examples can by chance have too few relevant ones; with more
/// examples this is unlikely, if the expected share is well above the required one.
///
/// # Panics
/// If the law fails for an example, or if `missing` returns a message after the last round.
pub fn tried_until<V: Debug + 'static>(
    few: u32,
    examples: impl Strategy<Value = V> + 'static,
    law: impl Fn(V) -> TestCaseResult,
    mut missing: impl FnMut(u32) -> Option<String>,
) {
    let examples = erased(examples);
    let law = on_erased(law);
    let mut last = None;
    let mut source = runner(few);
    for round in 1..=16u32 {
        // `source` gives the seed, so no round repeats another, even with a fixed first seed.
        let (config, rng) = (source.config().clone(), source.new_rng());
        run(&mut TestRunner::new_with_rng(config, rng), &examples, &law);
        if round.is_power_of_two() {
            last = missing(round * cases(few));
            if last.is_none() {
                return;
            }
        }
    }
    panic!("{} in {} examples", last.unwrap_or_default(), 16 * cases(few));
}

/// Erases the type of the examples. Otherwise the runner would be compiled for each law.
fn erased<V: Debug + 'static>(
    examples: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Box<dyn Example>> {
    examples.prop_map(|example| Box::new(example) as Box<dyn Example>).boxed()
}

/// Adapts a law to type-erased examples.
fn on_erased<V: 'static>(
    law: impl Fn(V) -> TestCaseResult,
) -> impl Fn(Box<dyn Example>) -> TestCaseResult {
    move |example| {
        let example: Box<dyn Any> = example;
        law(*example.downcast().expect("the example has the type of the strategy"))
    }
}

/// Returns a runner for `few` examples; see [`cases`].
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

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use std::panic::catch_unwind;

    use super::tried_until;

    #[test]
    fn more_examples_are_drawn_until_nothing_is_missing() {
        let (drawn, calls) = (Cell::new(0), Cell::new(0));
        let law = |_| {
            drawn.set(drawn.get() + 1);
            Ok(())
        };
        tried_until(8, 0..9, law, |tried| {
            calls.set(calls.get() + 1);
            (calls.get() < 3).then(|| format!("{tried}"))
        });
        assert_eq!((drawn.get(), calls.get()), (4 * super::cases(8), 3));
        let missed = catch_unwind(|| tried_until(1, 0..9, |_| Ok(()), |_| Some("few".to_owned())));
        assert!(missed.unwrap_err().downcast::<String>().unwrap().starts_with("few in"));
    }
}
