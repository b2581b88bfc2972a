//! Tests of serialization. Deserialization rejects every value that the constructors reject.

use core::fmt::Debug;

use hexcoord::{
    Affine, Angle, Area, Corner, Diagonal, Direction, Edge, Grid, Hex, HexBody, HexMap, Layout,
    Offset, Orientation, Path, PathLimits, Point, Pose, Rhombus, Sight, Wraparound, hex,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Checks the round trips through JSON and postcard. Returns the JSON text.
fn round_trip<V: Serialize + DeserializeOwned + PartialEq + Debug>(value: &V) -> String {
    let text = serde_json::to_string(value).expect("JSON");
    assert_eq!(&serde_json::from_str::<V>(&text).expect("round trip"), value, "{text}");
    let bytes = postcard::to_allocvec(value).expect("postcard");
    assert_eq!(&postcard::from_bytes::<V>(&bytes).expect("round trip"), value, "{bytes:?}");
    text
}

fn rejection<V: DeserializeOwned + Debug>(text: &str) -> String {
    let error = serde_json::from_str::<V>(text).expect_err(text).to_string();
    // Strip the position in the text.
    error.split(" at line").next().unwrap_or_default().to_owned()
}

#[test]
fn serialized_form_is_compact() {
    assert_eq!(round_trip(&hex(1, -2)), r#"{"q":1,"r":-2}"#);
    assert_eq!(round_trip(&Point::new(0.5f32, -2.0)), r#"{"a":0.5,"b":-2.0}"#);
    assert_eq!(round_trip(&Angle(7)), "7");
    let pose = Pose::new(Point::new(1, 2), Angle::HALF);
    assert_eq!(round_trip(&pose), r#"{"position":{"a":1,"b":2},"angle":32768}"#);
    assert_eq!(round_trip(&Direction::NW), r#""NW""#);
    assert_eq!(round_trip(&Grid::new(4)), r#"{"shift":4}"#);
    assert_eq!(round_trip(&Rhombus::new([0, 1], [2, 3])), r#"{"min":[0,1],"max":[2,3]}"#);
    let layout = Layout::<f32>::try_new(Orientation::Flat, [1.0, -1.5], [3.0, 4.0]);
    assert_eq!(
        round_trip(&layout.expect("valid")),
        r#"{"orientation":"Flat","size":[1.0,-1.5],"origin":[3.0,4.0]}"#
    );
    assert_eq!(round_trip(&Wraparound::hexagon(3)), r#"{"Hexagon":3}"#);
    assert_eq!(round_trip(&Wraparound::rhombus(8, 4)), r#"{"Rhombus":[8,4]}"#);
    let (edge, corner) = (hex(1, 0).edge(Direction::W), hex(1, 0).corner(Diagonal::WSW));
    assert_eq!(round_trip(&edge), r#"{"cell":{"q":0,"r":0},"direction":"E"}"#);
    assert_eq!(round_trip(&corner), r#"{"cell":{"q":0,"r":0},"diagonal":"ESE"}"#);
    let limits = PathLimits { min_step_cost: 1, budget: 9 };
    assert_eq!(round_trip(&limits), r#"{"min_step_cost":1,"budget":9}"#);
    assert_eq!(round_trip(&Sight::Strict), r#""Strict""#);
    let area = Area::rectangle(hex(0, 1), 2, 1);
    assert_eq!(
        round_trip(&HexMap::new(area, |cell| cell.q)),
        r#"{"area":{"Rectangle":{"min":{"q":0,"r":1},"width":2,"height":1}},"values":[0,1]}"#
    );
    let body: HexBody = hex(0, 0).range(0).collect();
    assert_eq!(round_trip(&body), r#"{"grid":{"shift":9},"cells":[{"q":0,"r":0}]}"#);
}

#[test]
fn all_types_round_trip() {
    Direction::ALL.iter().for_each(|direction| drop(round_trip(direction)));
    Diagonal::ALL.iter().for_each(|diagonal| drop(round_trip(diagonal)));
    Offset::ALL.iter().for_each(|offset| drop(round_trip(offset)));
    round_trip(&Affine::<f64>::from_cartesian([[2.0, 0.1], [-0.5, 3.0]], [1.0, -1.0]));
    round_trip(&Point::new(i32::MIN, i32::MAX));
    round_trip(&Path { cells: vec![hex(1, 2), hex(1, 3)], cost: u64::MAX });
    for shift in 0..=Grid::MAX_SHIFT {
        round_trip(&Grid::new(shift));
    }
    let far = hex(i32::MAX, i32::MIN);
    let flat = Area::flat_rectangle(far, 1 << 15, 3);
    for area in [Area::hexagon(far, 1 << 15), Area::rhombus(far, 0, 1 << 15), flat] {
        round_trip(&area);
    }
    round_trip(&Wraparound::rhombus(1 << 30, 1));
    round_trip(&Wraparound::hexagon(u32::MAX));
}

/// Derived matrices are not serialized and are recomputed.
#[test]
fn layouts_recompute_derived_data() {
    let layout = Layout::new(Orientation::Pointy, 7.0).with_origin([0.1, 9.0]);
    let again: Layout = serde_json::from_str(&round_trip(&layout)).expect("round trip");
    for cell in hex(3, 4).range(5) {
        assert_eq!(again.corners(cell), layout.corners(cell));
        assert_eq!(again.cell(layout.center(cell)), cell);
    }
}

proptest! {
    #[test]
    fn bodies_round_trip_with_derived_data(
        cells in prop::collection::vec((-40i32..40, -40i32..40), 0..60),
        shift in 0..12u32,
        turn in any::<u16>(),
    ) {
        let mut body = HexBody::with_grid(Grid::new(shift));
        body.extend(cells.iter().map(|&(q, r)| hex(q, r)));
        let again: HexBody = serde_json::from_str(&round_trip(&body)).expect("round trip");
        let pose = Pose::new(Point::new(5, -9), Angle(turn));
        prop_assert_eq!(again.span(Point::new(3, 3)), body.span(Point::new(3, 3)));
        prop_assert_eq!(again.rhombus(pose), body.rhombus(pose));
        prop_assert_eq!(again.center(), body.center());
    }
}

#[test]
fn edges_and_corners_can_be_of_any_of_their_cells() {
    let text = r#"{"cell":{"q":1,"r":0},"direction":"W"}"#;
    assert_eq!(serde_json::from_str::<Edge>(text).expect("an edge"), hex(0, 0).edge(Direction::E));
    let text = r#"{"cell":{"q":0,"r":1},"diagonal":"N"}"#;
    let corner: Corner = serde_json::from_str(text).expect("a corner");
    assert_eq!(corner, hex(0, 0).corner(Diagonal::ESE));
}

#[test]
fn body_cells_can_be_in_any_order() {
    let text = r#"{"grid":{"shift":3},"cells":[{"q":1,"r":0},{"q":0,"r":0},{"q":1,"r":0}]}"#;
    let body: HexBody = serde_json::from_str(text).expect("two cells");
    assert_eq!(body.cells().collect::<Vec<Hex>>(), [hex(0, 0), hex(1, 0)]);
    assert_eq!(body.grid(), Grid::new(3));
}

#[test]
fn invalid_values_are_rejected_with_constructor_messages() {
    assert_eq!(rejection::<Grid>(r#"{"shift":30}"#), "the cell size is above 2^29 units");
    let far = rejection::<HexBody>(r#"{"grid":{"shift":9},"cells":[{"q":1048577,"r":0}]}"#);
    assert_eq!(far, "cell (1048577, 0) is out of reach of the body");
    let wide = r#"{"grid":{"shift":9},"cells":[{"q":0,"r":0},{"q":0,"r":16384}]}"#;
    assert_eq!(rejection::<HexBody>(wide), "cell (0, 16384) is out of reach of the body");
    let grid = rejection::<HexBody>(r#"{"grid":{"shift":31},"cells":[]}"#);
    assert_eq!(grid, "the cell size is above 2^29 units");

    let layout = r#"{"orientation":"Flat","size":[1.0,0.0],"origin":[3.0,4.0]}"#;
    let zero = "sizes of a layout must be finite and not 0, its origin finite";
    assert_eq!(rejection::<Layout>(layout), zero);
    assert_eq!(rejection::<Layout<f64>>(layout), zero);

    let inverted = rejection::<Rhombus>(r#"{"min":[0,4],"max":[2,3]}"#);
    assert_eq!(inverted, "bounds have min above max on axis 1");

    let empty = "a wraparound map must have at least one cell";
    assert_eq!(rejection::<Wraparound>(r#"{"Rhombus":[8,0]}"#), empty);
    assert_eq!(rejection::<Wraparound>(r#"{"Rhombus":[0,8]}"#), empty);
    let large = rejection::<Wraparound>(r#"{"Rhombus":[8,1073741825]}"#);
    assert_eq!(large, "a side of the wraparound map is longer than 2^30 cells");

    let area = |radius: i64| {
        rejection::<Area>(&format!(
            r#"{{"Hexagon":{{"center":{{"q":0,"r":0}},"radius":{radius}}}}}"#
        ))
    };
    assert_eq!(area((1 << 15) + 1), "a side of the area is longer than 2^15 cells");
    assert_eq!(area(-1), "a side of the area is negative");
    let map = r#"{"area":{"Rhombus":{"min":{"q":0,"r":0},"width":2,"height":2}},"values":[1,2,3]}"#;
    assert_eq!(rejection::<HexMap<u8>>(map), "the map has 4 cells but 3 values");
    let tall = map.replace("\"height\":2", "\"height\":32769");
    assert_eq!(rejection::<HexMap<u8>>(&tall), "a side of the area is longer than 2^15 cells");

    let direction = rejection::<Direction>(r#""N""#);
    assert!(direction.starts_with("unknown variant `N`, expected one of `E`, `SE`"), "{direction}");
    assert_eq!(rejection::<Angle>("65536"), "invalid value: integer `65536`, expected u16");
    assert_eq!(rejection::<Hex>(r#"{"q":1}"#), "missing field `r`");
}
