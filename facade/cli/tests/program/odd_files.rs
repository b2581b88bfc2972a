//! All forms of scenes that are accepted, each with its exact outcome: pairs, or pairs with a
//! warning. `bad_input.rs` has the files that are errors.

use std::fs;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::run::Outcome::{Fails, Pairs, Warns};
use crate::run::{Folder, Outcome, check, gzip};

/// A table with two boxes that touch.
const BOXES: &str = "min_x,min_y,max_x,max_y\n0,0,1,1\n1,1,2,2\n";
const PAIR: &str = "0,1\n";

/// Asserts that each table has one pair.
#[track_caller]
fn accept(tables: &[&str]) {
    for table in tables {
        check("scene.csv", table, "", Pairs(PAIR));
    }
}

/// Asserts the outcome of each table with these options.
#[track_caller]
fn check_tables(tables: &[(&str, &str, Outcome<'_>)]) {
    for &(table, options, outcome) in tables {
        check("scene.csv", table, options, outcome);
    }
}

#[test]
fn boxes_discs_and_points() {
    let solid = "min_x,min_y,min_z,max_x,max_y,max_z\n0,0,0,9,9,1\n0,0,1,9,9,2\n0,0,3,9,9,4\n";
    check_tables(&[
        (BOXES, "", Pairs(PAIR)),
        ("min_x,min_y,max_x,max_y\n0,0,1,1\n1.0001,1,2,2\n", "", Pairs("")),
        ("x,y,r\n0,0,1\n2,-2,1\n4,0,1\n", "", Pairs("0,1\n1,2\n")),
        ("r,y,x\n0,0,0\n-0,0,-0\n", "", Pairs(PAIR)),
        (solid, "", Pairs(PAIR)),
        ("x,y,z,r\n0,0,0,1\n0,0,2,1\n0,0,5,1\n", "", Pairs(PAIR)),
        ("x,y,r\n0.1,0,0.1\n0.3,0,0.1\n", "--scalar f64", Pairs(PAIR)),
        ("x,y,r\n5,0,1\n7,0,1\n", "--scalar i32", Pairs(PAIR)),
    ]);
    let ends = "min_x,min_y,max_x,max_y\n-3.4e38,-3.4e38,3.4e38,3.4e38\n1e-45,0,1e-45,0\n";
    for algorithm in ["auto", "brute", "hash", "hshg", "morton"] {
        check("scene.csv", ends, &format!("--algorithm {algorithm}"), Pairs(PAIR));
    }
    for header in ["x,y,r", "x,y,z,r\n", "id,x,y,r\r\n", "min_x,min_y,max_x,max_y\n\n"] {
        for scalar in ["f32", "f64", "i32"] {
            check("scene.csv", header, &format!("--scalar {scalar}"), Pairs(""));
        }
    }
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
fn encodings_lines_and_quotes() {
    accept(&[
        &format!("\u{feff}{BOXES}"),
        &format!("\u{feff}\u{feff}name,{BOXES}").replace("\n0", "\nä,0").replace("\n1", "\nß,1"),
        BOXES.trim_end(),
        &BOXES.replace('\n', "\r\n"),
        &BOXES.replace('\n', "\r"),
        &format!("\n  \n{}\n\t\n", BOXES.replace('\n', "\n\n")),
        &format!("  \n\t\n{}  \n", BOXES.replace('\n', "\n \t \n   \n")),
        &format!("{}  ", BOXES.replace('\n', "\r\n  \r\n")),
        &BOXES.replace(',', " ,\t"),
        &BOXES.replace("1,1,2,2", "\"1\",\" 1 \",2,\"2\"").replace("min_x", "\"min_x\""),
        &format!("{BOXES}\"4\n\",9,\"6\",\"9\"\n"),
        "x,y,r,note\n0,0,1,\"a, \"\"b\"\"\nc\"\n1,1,1,5\" pipe\n",
        "x,y,r,note\n0,0,1,\"a\n\"\n1,1,1,\"b\n\"\n",
        "x,y,r,note\n0,0,1,\"\"\"\n\"\n1,1,1,\"b\n\n\"",
        "\"x\",\"y\",\"r\"\n0,0,1\n1,1,1",
        "# a comment\n#another, one\nx,y,r\n0,0,1\n1,1,1\n",
    ]);
    check("scene.csv", b"x,y,r,name\n0,0,1,caf\xe9\n1,1,1,\xff\n", "", Pairs(PAIR));
}

#[test]
fn delimiters_and_decimal_commas() {
    for delimiter in [";", "\t", "|", " "] {
        accept(&[&BOXES.replace(',', delimiter)]);
    }
    let decimals = "x;y;r\n0,5;0;0,25\n1;0;0,25\n";
    let thousands = "line 3, column x: \"2.000,5\" is not a number";
    check_tables(&[
        ("x;y;r;name, short\n0;0;1;a,b,c\n1;1;1;d,e\n", "", Pairs(PAIR)),
        ("  x     y    r\n  0     0    1\n  1.5   0    1  \n", "", Pairs(PAIR)),
        ("x\ty\tr\tname\n0\t0\t1\t\n1\t1\t1\t\n", "", Pairs(PAIR)),
        ("x:y:r\n0:0:1\n1:1:1\n", "--delimiter :", Pairs(PAIR)),
        (&BOXES.replace(',', "\t"), "--delimiter tab", Pairs(PAIR)),
        (&BOXES.replace(',', "\t"), "--delimiter \\t", Pairs(PAIR)),
        (&BOXES.replace(',', " "), "--delimiter space", Pairs(PAIR)),
        ("x;y;r\n0;0;1\n2.000,5;0;1\n", "--decimal-comma", Fails(thousands)),
        (decimals, "--decimal-comma", Pairs(PAIR)),
        (&decimals.replace(';', "\t"), "--decimal-comma", Pairs(PAIR)),
        ("x,y,r\n\"0,5\",0,\"0,25\"\n1,0,\"0,25\"\n", "--decimal-comma", Pairs(PAIR)),
        // Numbers that all have a comma are read without the option, unless all may be thousands.
        ("x;y;r\n0,5;0,0;0,25\n1,00;0,0;0,250\n", "", Pairs(PAIR)),
        ("id;x;y\n\"a\n;1\";-1,5;2,0\nb;-1,50;+2,\n", "", Pairs("\"a\n;1\",b\n")),
        ("0,5;0,0;0,25\n1,0;0,0;0,25\n", "--no-header", Pairs(PAIR)),
    ]);
}

#[test]
fn numbers() {
    accept(&[
        &BOXES.replace("1,1,2,2", "1e0,+1,.2E+1,2."),
        &BOXES.replace("1,1,2,2", "1.0000000000000000000000000000000000000000,01,2,2"),
        &BOXES.replace("0,0,1,1", "-0,-.0,1,1"),
    ]);
    // Exact numbers; numbers with more digits than needed, as `printf` writes them; ends of discs
    // with more digits than the type can store; and columns that are not read.
    for (table, scalar) in [
        ("x,y,r\n0.1,-1e-3,1.0\n16777216,00012.5000,3e5\n", "f32"),
        ("x,y,r\n-55.7821999,52.5588989,0.400000006\n9,29629.563,5.4321\n", "f32"),
        ("x,y,note,r\n0,0,123.4567891,1\n16777217,0,,1\n", "f32"),
        ("x,y,r\n123.4567891,16777217,0.3\n-1,16777217,0.30000000000000004\n", "f64"),
        ("x,y,r\n1.0,-2147483648,0\n2e3,+7,0e5\n0.5,1.5,0.5\n", "i32"),
    ] {
        check("scene.csv", table, &format!("--scalar {scalar}"), Pairs(""));
    }
    let mixed = "0.5,0,0\n-0.5,0,0\n1.5,0,0\n2.5,0,0\n2.51,0,0\n3,0,0\n";
    for (scalar, columns, rows, pairs, count, first) in [
        (
            "f32",
            "x,y",
            "16777217,0\n16777216,0\n",
            PAIR,
            1,
            "2, column x: 16777217 became 16777216",
        ),
        ("f32", "x,y,r", "16777216,0,0.5\n", "", 2, "2, column x: 16777216 - 0.5 became 16777216"),
        ("f64", "x,y,r", "1,2,1e-50\n", "", 4, "2, column x: 1 - 1e-50 became 1"),
        ("i32", "x,y,r", mixed, "0,1\n2,3\n4,5\n", 10, "2, column x: 0.5 - 0 became 0"),
        (
            "f32",
            "max_y,min_y,max_x,min_x",
            "16777219,0,16777219,16777217\n1,0,1,0\n",
            "",
            3,
            "2, column min_x: 16777217 became 16777216",
        ),
        (
            "f64",
            "min_x,min_y,max_x,max_y",
            "1,9007199254740993,1,1e17\n",
            "",
            1,
            "2, column min_y: 9007199254740993 became 9007199254740992",
        ),
        (
            "f32",
            "x,y,r",
            "0,0,1\n0,123.4567891,1\n",
            "",
            2,
            "3, column y: 123.4567891 - 1 became 122.45679",
        ),
    ] {
        let warning = match count {
            1 => format!("as {scalar}, 1 number was rounded: line {first}"),
            _ => format!("as {scalar}, {count} numbers were rounded, first line {first}"),
        };
        let options = format!("--scalar {scalar}");
        check("scene.csv", format!("{columns}\n{rows}"), &options, Warns(pairs, &warning));
    }
}

#[test]
fn headers() {
    let headers = "xmin,ymin,xmax,ymax MinX,MinY,MaxX,MaxY left,bottom,right,top \
                   west,south,east,north x1,y1,x2,y2 lon_min,lat_min,lon_max,lat_max \
                   x,y,width,height left,top,width,height";
    for header in headers.split(' ') {
        accept(&[&format!("{header}\n0,0,1,1\n1,1,2,2\n")]);
    }
    let from = "boxes are read from min_x to max_y";
    let ignored = ["column z is", "column r is", "columns x, y are"]
        .map(|columns| format!("{columns} ignored: {from}"));
    let [z, r, x_y] = ignored.each_ref().map(String::as_str);
    let wide: String = (0..299_997).map(|column| format!(",c{column}")).collect();
    let row = ",7".repeat(299_997);
    accept(&[&format!("x,y,r{wide}\n0,0,1{row}\n1,1,1{row}\n")]);
    check_tables(&[
        ("left,top,right,bottom\n0,1,1,0\n1,1,2,2\n", "", Pairs(PAIR)),
        ("x1,x2,y1,y2,z1,z2\n0,1,0,1,0,1\n1,2,1,2,1,2\n2,3,0,1,7,8\n", "", Pairs(PAIR)),
        ("x,y,z,dx,dy,dz\n0,0,0,1,1,1\n1,1,1,1,1,1\n0,0,2.5,1,1,1\n", "", Pairs(PAIR)),
        ("Lat,Lon,Radius\n0,9,1\n1,9,0\n9,9,7\n", "", Pairs(PAIR)),
        ("x,y,r,lon,lat\n0,0,1,7,7\n1,1,1,9,9\n", "", Pairs(PAIR)),
        ("lon,lat,x,y\n0,0,1,1\n7,7,1,1\n", "", Pairs(PAIR)),
        ("name,lat,lon\na,1,2\nb,1,2\nc,2,1\n", "", Pairs(PAIR)),
        ("min_x,xmin,min_y,max_x,max_y\n0,9,0,1,1\n1,7,1,2,2\n", "", Pairs(PAIR)),
        ("max_y,name,min_x,max_x,Min_X,min_y\n1,a,0,1,x,0\n2,,1,2,NaN,1\n", "", Pairs(PAIR)),
        ("0,0,1,1\n1,1,2,2\n", "--no-header", Pairs(PAIR)),
        ("0,0,1\n1,1,1\n", "--no-header", Pairs(PAIR)),
        ("a,0,0,1,x\nb,1,1,1,y\n", "--no-header --columns id,x,y,r,-", Pairs("a,b\n")),
        ("A,B,R\n0,0,1\n1,1,1\n", "--columns x=A,y=B", Pairs(PAIR)),
        ("A,B,C\n0,0,1\n1,1,1\n", "--columns x,y,r", Pairs(PAIR)),
        ("min_x,min_y,max_x,max_y,z\n0,0,1,1,7\n1,1,2,2,7\n", "", Warns(PAIR, z)),
        ("min_x,min_y,max_x,max_y,r\n0,0,1,1,7\n1,1,2,2,7\n", "", Warns(PAIR, r)),
        ("min_x,min_y,max_x,max_y,x,y\n0,0,1,1,7,7\n1,1,2,2,7,7\n", "", Warns(PAIR, x_y)),
    ]);
}

#[test]
fn ids() {
    let table = |ids: [&str; 2]| format!("id,x,y,r\n{},0,0,1\n{},1,1,1\n", ids[0], ids[1]);
    for (ids, pairs) in [
        (["7", "5"], "5,7\n"),
        (["-7", "-5"], "-5,-7\n"),
        (["18446744073709551615", "3"], "3,18446744073709551615\n"),
        (["99999999999999999999999", "3"], "3,99999999999999999999999\n"),
        (["007", "7"], "007,7\n"),
        (["b", "a"], "a,b\n"),
        (["\"x, \"\"1\"\"\"", "a b"], "a b,\"x, \"\"1\"\"\"\n"),
        (["ß", "z"], "z,ß\n"),
        (["\"two\nlines\"", "one"], "one,\"two\nlines\"\n"),
    ] {
        check("scene.csv", table(ids), "", Pairs(pairs));
    }
    let named = "name,x,y,r\nb,0,0,1\na,1,1,1\n";
    let numbers = "id,x,y,r\n4294967295,0,0,1\n10,0,0,1\n9,1,0,1\n0,9,9,0\n";
    let pairs = Pairs("9,10\n9,4294967295\n10,4294967295\n");
    check_tables(&[
        (&table(["a", "a"]), "--id -", Pairs(PAIR)),
        (named, "", Pairs(PAIR)),
        (named, "--id name", Pairs("a,b\n")),
        (named, "--id 1", Pairs("a,b\n")),
        (numbers, "--algorithm brute", pairs),
        (numbers, "--algorithm hshg", pairs),
    ]);
}

#[test]
fn compressed_files_and_standard_input() {
    let members = [gzip(&BOXES[..30]), gzip(&BOXES[30..])].concat();
    check("scene.csv.gz", &members, "", Pairs(PAIR));
    check("named.csv", &members, "", Pairs(PAIR));
    // Zeros fill the last block of a tape; gzip -d ignores them.
    for zeros in [1, 100, 1 << 20] {
        check("scene.csv.gz", [&members[..], &vec![0; zeros]].concat(), "", Pairs(PAIR));
    }
    let skipped = [&0x184d_2a57u32.to_le_bytes()[..], &3u32.to_le_bytes(), b"abc"].concat();
    let [first, second] = [&BOXES[..30], &BOXES[30..]]
        .map(|part| compress_to_vec(part.as_bytes(), CompressionLevel::Fastest));
    check("scene.csv.zst", [&*first, &second].concat(), "", Pairs(PAIR));
    check("scene.csv", [&*skipped, &first, &skipped, &second].concat(), "", Pairs(PAIR));
    let folder = Folder::new();
    assert_eq!(folder.feed("pairs -", BOXES.as_bytes()).text(), PAIR);
    assert_eq!(folder.feed("pairs -", &members).text(), PAIR);
    let named = folder.with("-", "not a scene");
    assert_eq!(named.feed("pairs -", BOXES.as_bytes()).text(), PAIR);
    fs::write(named.path("-"), BOXES).unwrap();
    assert_eq!(named.run("pairs ./-").text(), PAIR);
}

#[test]
fn names_of_files() {
    for name in [
        r"C:\scenes\boxes.csv",
        "two words.csv",
        "ü.csv",
        "discs:10",
        "CON.csv",
        "scene",
        "a,b.csv",
        "a'b\"c.csv",
        "two\nlines.csv",
    ] {
        check(name, BOXES, "", Pairs(PAIR));
    }
}

#[test]
fn geometries() {
    for text in [
        "POINT(1 1)\nPOLYGON((0 0,2 0,2 2,0 0))\n",
        "point z (1 1 5)\nSRID=4326;MULTIPOINT((0 0),(2 2))\n",
        "BOX(0 0,1 1)\nLINESTRING(1 1,2 2)",
        "0101000000000000000000F03F000000000000F03F\nBOX(0 0,1 1)\n",
        "GEOMETRYCOLLECTION(POINT(0 0),GEOMETRYCOLLECTION(POINT(1 1)))\nPOINT(.5 .5)\n",
    ] {
        check("scene.wkt", text, "", Pairs(PAIR));
    }
    let commas = "geometry,id\n\"LINESTRING(0 0,2 2)\",1\n\"{\"\"type\"\":\"\"Point\"\",\"\"coordinates\"\":[1,1]}\",2\n";
    check_tables(&[
        ("id;name;wkt\na;x;POINT(1 1)\nb;y;LINESTRING(0 0,2 2)\n", "", Pairs("a,b\n")),
        (commas, "", Pairs("1,2\n")),
        ("a\tPOINT(1 1)\nb\tPOINT(1 1)\n", "--no-header --columns id,wkt", Pairs("a,b\n")),
        ("POINT(1 1);a\nPOINT(1 1);b\n", "--no-header --columns wkt,id", Pairs("a,b\n")),
    ]);
    // A point without coordinates has NaN in WKB.
    let binary = "0101000000000000000000F87F000000000000F87F";
    let warning = "1 geometry is empty and is left out: line 2";
    for empty in ["POINT EMPTY", "POINT(nan nan)", "POINT Z (NaN -nan 1)", binary] {
        let text = format!("POINT(1 1)\n{empty}\nPOINT(1 1)\n");
        check("scene.wkt", text, "", Warns("0,2\n", warning));
    }
}

/// Returns a GeoJSON feature, and a document with features.
pub(crate) fn feature(id: &str, geometry: &str) -> String {
    format!(r#"{{"type":"Feature",{id}"properties":{{"name":"a, b"}},"geometry":{geometry}}}"#)
}

pub(crate) fn collection(features: &[String]) -> String {
    let features = features.join(",\n");
    format!("{{ \"type\": \"FeatureCollection\",\n\"features\": [\n{features}\n] }}\n")
}

#[test]
fn geojson() {
    let point = r#"{"type":"Point","coordinates":[1,1]}"#;
    let line = r#"{"type":"LineString","coordinates":[[0,0],[2,2,9]]}"#;
    let two = [feature("", point), feature("", line)];
    let named = collection(&[feature("\"id\":\"b\",", point), feature("\"id\":7,", line)]);
    let null = [feature("", point), feature("", "null"), feature("", line)];
    let nested = r#"{"type":"GeometryCollection","geometries":[{"type":"GeometryCollection","geometries":[]},
        {"type":"Point","coordinates":[2,2]}]}"#;
    let warning = "1 geometry is empty and is left out: line 4";
    let equal = "line 4, column name: duplicate id a, b, first on line 3";
    // Features that are parsed on several threads.
    let many: Vec<String> = (0..2500)
        .map(|x| {
            feature("", &format!("{{\"type\":\"Point\",\"coordinates\":[{},0]}}", 7 * (x % 2499)))
        })
        .collect();
    for (text, options, outcome) in [
        (collection(&two), "", Pairs(PAIR)),
        (collection(&two).replace('\n', ""), "", Pairs(PAIR)),
        (two.join("\n"), "", Pairs(PAIR)),
        (format!("\x1e{}\n\x1e{}\n", two[0], two[1]), "", Pairs(PAIR)),
        (format!("{point}\n{line}\n"), "", Pairs(PAIR)),
        (point.into(), "", Pairs("")),
        (named.clone(), "", Pairs("7,b\n")),
        (named.clone(), "--id -", Pairs(PAIR)),
        (named, "--id name", Fails(equal)),
        (collection(&null), "", Warns("0,2\n", warning)),
        (collection(&[feature("", line), feature("", nested)]), "", Pairs(PAIR)),
        (collection(&many), "", Pairs("0,2499\n")),
    ] {
        check("scene.json", text, options, outcome);
    }
}

#[test]
fn several_files() {
    let folder = Folder::new()
        .with("a.csv", BOXES)
        .with("b.txt", "x;y;r\n2;2;0,5\n")
        .with("c.csv", "id,x,y,r\na,0,0,1\n")
        .with("d.csv", "id,x,y,r\nb,0,0,1\n\na,1,1,1\n")
        .with("e.csv", "x,y,z,r\n0,0,0,1\n")
        .with("f.wkt", "POINT(2 2)\n")
        .with("g.csv", "x,y\n0.5,16777217\n");
    for (files, pairs) in [
        ("a.csv f.wkt", "0,1\n1,2\n"),
        ("a.csv a.csv", "0,1\n0,2\n0,3\n1,2\n1,3\n2,3\n"),
        ("a.csv b.txt --decimal-comma", "0,1\n1,2\n"),
        ("c.csv d.csv --id -", "0,1\n0,2\n1,2\n"),
        ("c.csv discs:1 --id - --count", "0\n"),
    ] {
        assert_eq!(folder.run(&format!("pairs {files}")).text(), pairs, "{files}");
    }
    for (files, message) in [
        (
            "a.csv b.txt",
            "b.txt: line 2, column r: \"0,5\" is not a number; use --decimal-comma if the comma \
             stands before decimals",
        ),
        (
            "c.csv d.csv",
            "d.csv: line 4, column id: duplicate id a, first on line 2 of c.csv (--id - numbers \
             the rows)",
        ),
        ("a.csv c.csv", "c.csv: has ids, but a.csv has none (--id - ignores them)"),
        ("a.csv e.csv", "e.csv: 3 dimensions, but a.csv has 2"),
        ("a.csv f.wkt --output a.csv", "--output: a.csv is an input file and would be lost"),
        ("a.csv f.wkt --output f.wkt", "--output: f.wkt is an input file and would be lost"),
    ] {
        folder.run(&format!("pairs {files}")).assert_error(message);
    }
    let warning = "hexphase: warning: a.csv and 1 more: as f32, 1 number was rounded: g.csv, \
                   line 2, column y: 16777217 became 16777216";
    assert_eq!(folder.run("pairs a.csv g.csv").lines()[1..], [warning]);
}
