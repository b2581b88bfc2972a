//! All accepted forms of a scene.

use std::fs;

use crate::run::{Folder, gzip};

/// Three boxes in two dimensions; each touches the next.
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
fn ball_ends_are_computed_in_the_scalar() {
    // At 2^24 f32 represents only even numbers, so the discs become points.
    let folder = Folder::with_scene("x,y,r\n16777216,0,0.5\n16777217,0,0.5\n16777218,0,0.5\n");
    assert_eq!(folder.run("pairs scene.csv --scalar f32").text(), "0,1\n");
    assert_eq!(folder.run("pairs scene.csv --scalar f64").text(), "0,1\n1,2\n");
    // In i32 the radius is rounded to 0 first.
    assert_eq!(folder.run("pairs scene.csv --scalar i32").text(), "");
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
