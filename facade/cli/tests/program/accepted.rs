//! All forms of scenes that are accepted.

use std::fs;

use crate::run::{Folder, gzip};

/// Three boxes in two dimensions. Each touches the next one.
const PLAIN: &str = "min_x,min_y,max_x,max_y\n0,0,1,1\n1,1,2,2\n2,2,3,3\n";
const PAIRS: &str = "0,1\n1,2\n";

#[track_caller]
fn pairs(text: impl AsRef<[u8]>) -> String {
    Folder::with_scene(text).run("pairs scene.csv").text().to_owned()
}

#[test]
fn touching_boxes_are_pairs() {
    assert_eq!(pairs(PLAIN), PAIRS);
    assert_eq!(pairs(PLAIN.replace("2,2,3,3", "2.0001,2,3,3")), "0,1\n");
}

#[test]
fn columns_may_have_any_order_and_others_are_ignored() {
    let text = "max_y,name,min_x,max_x,Min_X,min_y\n1,a,0,1,x,0\n2,,1,2,NaN,1\n3,\"b,c\",2,3,,2\n";
    assert_eq!(pairs(text), PAIRS);
    let latin_1 = b"max_y,min_x,max_x,name,min_y,name\n1,0,1,caf\xe9,0,a\n2,1,2,,1,b\n3,2,3,,2,\n";
    assert_eq!(pairs(latin_1), PAIRS);
}

#[test]
fn discs_are_replaced_by_their_bounding_box() {
    assert_eq!(pairs("x,y,r\n0,0,1\n2,-2,1\n4,0,1\n"), "0,1\n1,2\n");
    assert_eq!(pairs("r,y,x\n0,0,0\n-0,0,-0\n"), "0,1\n", "points overlap");
}

#[test]
fn a_third_axis_separates() {
    let solid = "min_x,min_y,min_z,max_x,max_y,max_z\n0,0,0,9,9,1\n0,0,1,9,9,2\n0,0,3,9,9,4\n";
    assert_eq!(pairs(solid), "0,1\n");
    assert_eq!(pairs("x,y,z,r\n0,0,0,1\n0,0,2,1\n0,0,5,1\n"), "0,1\n");
}

#[test]
fn decimals_that_touch_are_pairs_in_every_scalar() {
    for (discs, expected) in [
        ("0.1,0,0.1\n0.3,0,0.1\n", "0,1\n"),
        ("0.7,0,0.1\n0.9,0,0.1\n", "0,1\n"),
        ("0.1,0,.2\n+0.7,0,4e-1\n", "0,1\n"),
        ("-122.41941550000001,0,0.00000000000001\n-122.41941549999999,0,1e-14\n", "0,1\n"),
        ("1e-320,0,1e-320\n3e-320,0,1e-320\n", "0,1\n"),
        ("16777216,0,0.5\n16777217,0,0.5\n16777218,0,0.5\n", "0,1\n1,2\n"),
    ] {
        let folder = Folder::with_scene(format!("x,y,r\n{discs}"));
        for scalar in ["f32", "f64"] {
            let run = folder.run(&format!("pairs scene.csv --scalar {scalar}"));
            assert_eq!(run.text(), expected, "{discs} {scalar}");
        }
    }
    let folder = Folder::with_scene("x,y,r\n1e308,0,1e-320\n1e308,0,0\n");
    assert_eq!(folder.run("pairs scene.csv --scalar f64").text(), "0,1\n");
    let folder = Folder::with_scene("x,y,r\n0.5,0,0.5\n1.5,0,0.5\n");
    assert_eq!(folder.run("pairs scene.csv --scalar i32").text(), "0,1\n", "0 to 1 and 1 to 2");
}

/// Equal discs on a line at multiples of 0.1 have the same pairs as these discs scaled by 10, which
/// are read as integers.
#[test]
fn pairs_of_decimals_are_those_of_scaled_integers() {
    for radius in 1..8 {
        let scene = |decimal: &str| {
            (0..300).map(|x| format!("{x}{decimal},0,{radius}{decimal}\n")).collect::<String>()
        };
        let [tenths, whole] =
            [scene("e-1"), scene("")].map(|rows| Folder::with_scene(format!("x,y,r\n{rows}")));
        let expected = whole.run("pairs scene.csv --scalar i32");
        for scalar in ["f32", "f64"] {
            let found = tenths.run(&format!("pairs scene.csv --scalar {scalar}"));
            assert_eq!(found.text(), expected.text(), "{radius} {scalar}");
        }
        let rows =
            (0..300).map(|x| format!("{}.{},0,0.{radius}\n", x / 10, x % 10)).collect::<String>();
        let plain = Folder::with_scene(format!("x,y,r\n{rows}"));
        assert_eq!(plain.run("pairs scene.csv").text(), expected.text(), "{radius}");
    }
}

#[test]
fn columns_of_an_incomplete_second_form_are_ignored_with_a_warning() {
    for (column, ignored) in [
        ("z", "column z is ignored"),
        ("r", "column r is ignored"),
        ("x,y", "columns x, y are ignored"),
    ] {
        let rest = ",7".repeat(column.split(',').count());
        let text = format!(
            "min_x,min_y,max_x,max_y,{column}\n0,0,1,1{rest}\n1,1,2,2{rest}\n2,2,3,3{rest}\n"
        );
        let run = Folder::with_scene(text).run("pairs scene.csv");
        assert_eq!(run.text(), PAIRS);
        let warning =
            format!("hexphase: warning: scene.csv: {ignored}: boxes are read from min_x to max_y");
        assert_eq!(run.lines()[1..], [warning]);
    }
}

#[test]
fn line_ends_spaces_quotes_and_byte_order_marks_are_accepted() {
    for text in [
        PLAIN.trim_end().to_owned(),
        PLAIN.replace('\n', "\r\n"),
        PLAIN.replace('\n', "\r"),
        PLAIN.replace('\n', "\n\n"),
        format!("\u{feff}{PLAIN}"),
        format!("\n\n{PLAIN}\n\n"),
        format!("  \n\t\n{}  \n", PLAIN.replace('\n', "\n \t \n   \n")),
        format!("{}  ", PLAIN.replace('\n', "\r\n  \r\n")),
        PLAIN.replace(',', " ,\t"),
        PLAIN.replace("1,1,2,2", "\"1\",\" 1 \",2,\"2\"").replace("min_x", "\"min_x\""),
        PLAIN.replace("1,1,2,2", "+1,1.0,2e0,.2E+1"),
        format!("{PLAIN}\"4\n\",9,\"6\",\"9\"\n"),
    ] {
        assert_eq!(pairs(&text), PAIRS, "{text:?}");
    }
}

#[test]
fn quoted_text_may_end_in_a_line_end() {
    assert_eq!(pairs("x,y,r,note\n0,0,1,\"a\n\"\n1,1,1,\"b\n\"\n"), "0,1\n");
    assert_eq!(pairs("x,y,r,note\n0,0,1,\"\"\"\n\"\n1,1,1,\"b\n\n\""), "0,1\n");
}

#[test]
fn a_header_alone_is_an_empty_scene() {
    for header in ["x,y,r", "x,y,z,r\n", "id,x,y,r\r\n", "min_x,min_y,max_x,max_y\n\n"] {
        for scalar in ["f32", "f64", "i32"] {
            let folder = Folder::with_scene(header);
            let line = format!("pairs scene.csv --scalar {scalar}");
            assert_eq!(folder.run(&line).text(), "");
            assert_eq!(folder.run(&format!("{line} --count")).text(), "0\n");
        }
    }
}

#[test]
fn gzip_is_detected_by_its_first_bytes() {
    let packed = gzip(PLAIN);
    let twice = [gzip(&PLAIN[..30]), gzip(&PLAIN[30..])].concat();
    let folder = Folder::new()
        .with("a.csv.gz", &packed)
        .with("without-extension", &packed)
        .with("members.csv.gz", twice);
    for name in folder.names() {
        assert_eq!(folder.run(&format!("pairs {name}")).text(), PAIRS, "{name}");
    }
}

#[test]
fn a_dash_is_standard_input() {
    let folder = Folder::new();
    assert_eq!(folder.feed("pairs -", PLAIN.as_bytes()).text(), PAIRS);
    assert_eq!(folder.feed("pairs -", &gzip(PLAIN)).text(), PAIRS);
    let named = folder.with("-", "not a scene");
    assert_eq!(named.feed("pairs -", PLAIN.as_bytes()).text(), PAIRS);
    fs::write(named.path("-"), PLAIN).unwrap();
    assert_eq!(named.run("pairs ./-").text(), PAIRS);
}

#[test]
fn numbers_at_the_ends_of_the_float_range() {
    let text = "min_x,min_y,max_x,max_y\n-3.4e38,-3.4e38,3.4e38,3.4e38\n1e-45,0,1e-45,0\n";
    for algorithm in ["auto", "brute", "hash", "hshg", "morton"] {
        let folder = Folder::with_scene(text);
        assert_eq!(folder.run(&format!("pairs scene.csv --algorithm {algorithm}")).text(), "0,1\n");
    }
}
