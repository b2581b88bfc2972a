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
#[must_use]
pub fn cases(few: u32) -> u32 {
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
    run(few, &hidden(examples), &|example| {
        let example: Box<dyn Any> = example;
        law(*example.downcast().expect("it is what was drawn"))
    });
}

/// Not where the law is known: it is much code to have once for each.
fn hidden<V: Debug + 'static>(
    examples: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Box<dyn Example>> {
    examples.prop_map(|example| Box::new(example) as Box<dyn Example>).boxed()
}

fn run(
    few: u32,
    examples: &BoxedStrategy<Box<dyn Example>>,
    law: &dyn Fn(Box<dyn Example>) -> TestCaseResult,
) {
    let config = ProptestConfig {
        cases: cases(few),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let tried = TestRunner::new(config).run(examples, law);
    tried.unwrap_or_else(|why| panic!("{why}"));
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
