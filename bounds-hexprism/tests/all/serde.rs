//! Saving and loading volumes; invalid volumes are rejected on loading.

use core::fmt::Debug;

use crate::numbers::{Numbers, boxes, prisms};
use bounds_hexprism::{
    Aabb, Axes, Ball, Bounds, DownTriangle, Elegant, HexPrism, Hexagon, Pragmatic, SplitPrism,
    Turned, UpTriangle, ZInterval,
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::de::value::{self, MapDeserializer};
use serde::{Deserialize, Serialize};

/// Checks that saving and loading, as JSON and as postcard, returns an equal volume.
fn round_trip<V: Serialize + DeserializeOwned + PartialEq + Debug>(volume: &V) {
    let text = serde_json::to_string(volume).expect("text");
    assert_eq!(&serde_json::from_str::<V>(&text).expect("a valid volume"), volume, "{text}");
    let bytes = postcard::to_allocvec(volume).expect("bytes");
    assert_eq!(&postcard::from_bytes::<V>(&bytes).expect("a valid volume"), volume, "{bytes:?}");
}

fn load_error<V: DeserializeOwned + Debug>(text: &str) -> String {
    let why = serde_json::from_str::<V>(text).expect_err(text).to_string();
    // Remove the position in the text from the message.
    why.split(" at line").next().unwrap_or_default().to_owned()
}

fn check_round_trips<S: Numbers + Serialize + DeserializeOwned, A: Axes + Debug + PartialEq>() {
    proptest!(ProptestConfig::with_cases(64), |(
        line in boxes::<S, 1>(),
        flat in boxes::<S, 2>(),
        solid in boxes::<S, 3>(),
        prism in prisms::<S, A>(),
    )| {
        round_trip(&line);
        round_trip(&flat);
        round_trip(&solid);
        let prism = prism.checked().expect("good");
        round_trip(&prism);
        round_trip(&prism.hexagon);
        round_trip(&SplitPrism::from(prism));
        round_trip(&(prism.hexagon.up, prism.hexagon.down, prism.z));
    });
}

#[test]
fn volumes_round_trip() {
    check_round_trips::<i32, Pragmatic>();
    check_round_trips::<f32, Elegant>();
    check_round_trips::<f64, Turned>();
}

#[test]
fn the_json_format_is_stable() {
    fn text(volume: &impl Serialize) -> String {
        serde_json::to_string(volume).expect("text")
    }
    let bounds = Aabb::new([0, 1], [2, 3]);
    assert_eq!(text(&bounds), r#"{"min":[0,1],"max":[2,3]}"#);
    let ball = Ball::new([0, 1], 2);
    assert_eq!(text(&ball), r#"{"center":[0,1],"radius":2}"#);
    round_trip(&ball);
    let negative = load_error::<Ball<i32>>(r#"{"center":[0,1],"radius":-2}"#);
    assert_eq!(negative, "bounds have min above max on axis 0");
    let prism: HexPrism<i32> = HexPrism::new([0, 1, -5], [2, 3, -1], [7, 9]);
    let expected = r#"{"hexagon":{"up":{"min_a":0,"min_b":1,"min_c":-5},"#.to_owned()
        + r#""down":{"max_a":2,"max_b":3,"max_c":-1}},"z":{"min_z":7,"max_z":9}}"#;
    assert_eq!(text(&prism), expected);
    assert_eq!(text(&SplitPrism::from(prism)), expected);
}

/// Loads a box from numbers, including NaN and infinities, which JSON cannot represent.
fn read(min: [f32; 2], max: [f32; 2]) -> Result<Aabb, String> {
    let fields = [("min", min.to_vec()), ("max", max.to_vec())];
    let fields = MapDeserializer::<_, value::Error>::new(fields.into_iter());
    Aabb::deserialize(fields).map_err(|why| why.to_string())
}

#[test]
fn invalid_boxes_are_rejected_with_the_error_of_checked() {
    assert_eq!(read([0.0, 0.0], [1.0, 1.0]), Ok(Aabb::new([0.0, 0.0], [1.0, 1.0])));
    let bad = [
        ([0.0, 2.0], [1.0, 1.0]),
        ([0.0, 0.0], [f32::INFINITY, 1.0]),
        ([f32::NEG_INFINITY, 0.0], [1.0, 1.0]),
        ([f32::INFINITY, f32::NAN], [1.0, 1.0]),
    ];
    for (min, max) in bad {
        let why = Aabb::new(min, max).checked().expect_err("bad");
        assert_eq!(read(min, max), Err(why.to_string()));
    }
    let refused = load_error::<Aabb<f32, 2>>;
    let inverted = refused(r#"{"min":[0,2],"max":[1,1]}"#);
    assert_eq!(inverted, "bounds have min above max on axis 1");
    assert_eq!(refused(r#"{"min":[0],"max":[1,1]}"#), "invalid length 1, expected 2 numbers");
    assert_eq!(refused(r#"{"min":[0,0,0],"max":[1,1]}"#), "trailing characters");
    assert_eq!(refused(r#"{"min":[0,0]}"#), "missing field `max`");
    // JSON writes NaN as null.
    let text = serde_json::to_string(&Aabb::new([f32::NAN, 0.0], [1.0, 1.0])).expect("text");
    assert_eq!(refused(&text), "invalid type: null, expected f32");
}

#[test]
fn nan_is_rejected_in_binary_formats() {
    fn refused<V: Serialize + DeserializeOwned + Debug>(volume: &V) {
        let bytes = postcard::to_allocvec(volume).expect("bytes");
        postcard::from_bytes::<V>(&bytes).expect_err("NaN");
    }
    refused(&Aabb::new([f64::NAN], [1.0]));
    refused(&Ball::new([0.0, f32::NAN], 1.0));
    refused(&Hexagon::<f32>::new([0.0, f32::NAN, 0.0], [1.0; 3]));
    refused(&HexPrism::<f32, Turned>::new([0.0; 3], [1.0; 3], [0.0, f32::NAN]));
    refused(&Hexagon::<i32>::EMPTY);
}

#[test]
fn invalid_prisms_are_rejected_with_the_error_of_checked() {
    let prism =
        |up: [f64; 3], z: [f64; 2]| -> HexPrism<f64, Elegant> { HexPrism::new(up, [4.0; 3], z) };
    let refused = |prism: &HexPrism<f64, Elegant>| {
        let text = serde_json::to_string(prism).expect("text");
        assert_eq!(load_error::<SplitPrism<f64, Elegant>>(&text), load_error::<HexPrism>(&text));
        load_error::<HexPrism<f64, Elegant>>(&text)
    };
    let hexagon = refused(&prism([0.0, 0.0, 5.0], [0.0, 1.0]));
    assert_eq!(hexagon, "bounds have min above max on axis 2");
    let heights = refused(&prism([0.0; 3], [1.0, 0.0]));
    assert_eq!(heights, "bounds have min above max on axis 3");
}

#[test]
fn minus_zero_becomes_zero() {
    let bounds: Aabb<f32, 1> = serde_json::from_str(r#"{"min":[-0.0],"max":[-0.0]}"#).expect("0");
    assert!(bounds.min[0].is_sign_positive() && bounds.max[0].is_sign_positive());
    let bytes = postcard::to_allocvec(&HexPrism::<f64>::new([-0.0; 3], [-0.0; 3], [-0.0; 2]));
    let prism: HexPrism<f64> = postcard::from_bytes(&bytes.expect("bytes")).expect("0");
    let HexPrism { hexagon, z } = prism;
    let ends = [hexagon.up.to_array(), hexagon.down.to_array(), [z.min_z, z.max_z, 0.0]];
    assert!(ends.as_flattened().iter().all(|end| end.is_sign_positive()));
}

#[test]
fn triangles_and_intervals_are_not_validated() {
    round_trip(&UpTriangle { min_a: i32::MAX, min_b: 0, min_c: 0 });
    round_trip(&DownTriangle { max_a: f64::MIN, max_b: 0.0, max_c: 0.0 });
    round_trip(&ZInterval { min_z: 1, max_z: 0 });
}

/// Checks that volumes can be saved although axes do not implement the serde traits.
#[test]
fn axes_need_not_implement_serde() {
    fn saved<A: Axes>(hexagon: &Hexagon<i32, A>) -> serde_json::Result<Hexagon<i32, A>> {
        serde_json::from_str(&serde_json::to_string(hexagon)?)
    }
    let hexagon: Hexagon<i32, Turned> = Hexagon::new([0; 3], [1; 3]);
    assert_eq!(saved(&hexagon).expect("a valid volume"), hexagon);
}
