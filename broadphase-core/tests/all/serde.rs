//! Filters and motion classes survive serialization.

use core::fmt::Debug;

use broadphase_core::{Filter, Motion};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Checks that a value survives serialization to text and to bytes; returns the text.
fn round_trip<V: Serialize + DeserializeOwned + PartialEq + Debug>(value: &V) -> String {
    let text = serde_json::to_string(value).expect("serialization to text");
    assert_eq!(&serde_json::from_str::<V>(&text).expect("valid input"), value, "{text}");
    let bytes = postcard::to_allocvec(value).expect("serialization to bytes");
    assert_eq!(&postcard::from_bytes::<V>(&bytes).expect("valid input"), value, "{bytes:?}");
    text
}

#[test]
fn filters_and_motion_classes_survive() {
    let filter = Filter::layers(6).mask(u64::MAX).group(-1).owner(9);
    let text = r#"{"layers":6,"mask":18446744073709551615,"group":-1,"owner":9}"#;
    assert_eq!(round_trip(&filter), text);
    round_trip(&Filter::ALL);
    round_trip(&Filter::NONE);
    let motions = [Motion::Dynamic, Motion::Static, Motion::Sleeping];
    assert_eq!(round_trip(&motions), r#"["Dynamic","Static","Sleeping"]"#);
    serde_json::from_str::<Motion>(r#""Flying""#).expect_err("an unknown motion class");
    serde_json::from_str::<Filter>(r#"{"layers":6}"#).expect_err("missing fields");
}
