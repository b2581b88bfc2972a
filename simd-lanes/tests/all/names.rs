//! In generic code with the bound `Scalar`, a program may give its own functions the names of key
//! functions.

use simd_lanes::Scalar;

/// A trait that a program could define. Its functions have the names of functions of
/// `simd_lanes::Keys`.
trait Named {
    fn key_below(self) -> &'static str;
    fn key_above(self) -> &'static str;
    fn compress(self) -> &'static str;
    fn from_key(key: &'static str) -> &'static str;
}

impl<S: Scalar> Named for S {
    fn key_below(self) -> &'static str {
        "below"
    }
    fn key_above(self) -> &'static str {
        "above"
    }
    fn compress(self) -> &'static str {
        "compressed"
    }
    fn from_key(key: &'static str) -> &'static str {
        key
    }
}

/// If `Scalar` or one of its supertraits had these functions, the calls would be ambiguous.
fn call<S: Scalar + Named>(number: S) -> [&'static str; 4] {
    [number.key_below(), number.key_above(), number.compress(), S::from_key("key")]
}

#[test]
fn kernel_functions_do_not_hide_those_of_programs() {
    let expected = ["below", "above", "compressed", "key"];
    assert_eq!(call(1.0f32), expected);
    assert_eq!(call(1.0f64), expected);
    assert_eq!(call(1), expected);
}
