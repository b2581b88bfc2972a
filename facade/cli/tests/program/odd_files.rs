//! Small unusual files, each with its exact outcome: pairs, pairs with a warning, or an error.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::run::{Folder, gzip};

/// The expected outcome of `hexphase pairs FILE`.
enum Outcome {
    /// These pairs, without a warning.
    Pairs(&'static str),
    /// These pairs, and a warning with this text after the name of the file.
    Warns(&'static str, &'static str),
    /// An error with this text after the name of the file.
    Fails(&'static str),
    /// An error with this text about an option.
    Refuses(&'static str),
}

use Outcome::{Fails, Pairs, Refuses, Warns};

/// Runs `pairs` for a file with this content, and asserts the outcome.
#[track_caller]
fn check(file: &str, content: impl AsRef<[u8]>, options: &str, outcome: Outcome) {
    let folder = Folder::new().with(file, content);
    let words = ["pairs", file].into_iter().chain(options.split(' ').filter(|it| !it.is_empty()));
    let run = folder.run_words(&words.collect::<Vec<_>>(), b"");
    match outcome {
        Pairs(pairs) => {
            assert_eq!(run.text(), pairs, "{file} {options}");
            assert_eq!(run.lines().len(), 1, "{}", run.err);
        }
        Warns(pairs, warning) => {
            assert_eq!(run.text(), pairs, "{file} {options}");
            assert_eq!(run.lines()[1..], [format!("hexphase: warning: {file}: {warning}")]);
        }
        Fails(message) => run.assert_error(&format!("{file}: {message}")),
        Refuses(message) => run.assert_error(message),
    }
    assert_eq!(folder.names(), [file], "no other file remains");
}

/// A table with two boxes that overlap.
const BOXES: &str = "min_x,min_y,max_x,max_y\n0,0,1,1\n1,1,2,2\n";
const PAIR: &str = "0,1\n";

/// Asserts that a table has one pair.
#[track_caller]
fn accept(content: impl AsRef<[u8]>) {
    check("scene.csv", content, "", Pairs(PAIR));
}

/// Asserts that a table fails with a message.
#[track_caller]
fn fail(content: impl AsRef<[u8]>, message: &'static str) {
    check("scene.csv", content, "", Fails(message));
}

/// Asserts that a table fails with a message if this box is its second row.
#[track_caller]
fn fail_row(row: &str, message: &'static str) {
    fail(format!("min_x,min_y,max_x,max_y\n0,0,1,1\n{row}\n"), message);
}

#[test]
fn encodings() {
    accept(format!("\u{feff}{BOXES}"));
    accept(format!("\u{feff}\u{feff}name,{BOXES}").replace("\n0", "\nä,0").replace("\n1", "\nß,1"));
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let message = "line 1: UTF-16 text; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8";
    fail(utf_16(&format!("\u{feff}{BOXES}")), message);
    fail([&[0xfe, 0xff][..], b"\0x\0,\0y"].concat(), message);
    let binary = "line 1: contains a zero byte: neither a table nor another known format";
    fail(utf_16(BOXES), binary);
    fail(b"\x7fELF\0\0\0\0", binary);
    let parquet =
        "is Parquet: install hexphase-parquet beside hexphase, or convert the file to CSV";
    check("scene.parquet", b"PAR1\0\0\0\0PAR1", "", Fails(parquet));
    fail(b"x,y,r\n0,\xe9,1\n", "line 2, column y: \"\u{fffd}\" is not UTF-8");
    accept(b"x,y,r,name\n0,0,1,caf\xe9\n1,1,1,\xff\n");
}

#[test]
fn lines_and_quotes() {
    accept(BOXES.replace('\n', "\r\n"));
    accept(BOXES.replace('\n', "\r"));
    accept(BOXES.trim_end());
    accept(format!("\n  \n{}\n\t\n", BOXES.replace('\n', "\n\n")));
    accept(BOXES.replace("1,1,2,2", "\"1\",\" 1 \",2,\"2\""));
    accept("x,y,r,note\n0,0,1,\"a, \"\"b\"\"\nc\"\n1,1,1,5\" pipe\n");
    accept("\"x\",\"y\",\"r\"\n0,0,1\n1,1,1");
    fail("x,y,r\n0,0,1\n1,\"1,1\n", "line 3, column y: unclosed quote");
    fail("x,y,r\n0,0,1\n1,1,1,\n", "line 3, column 4: too many: 4 fields, but the header has 3");
    fail("x,y,r\n0,0,1\n1;1;1\n", "line 3, column y: missing: 1 field, but the header has 3");
    accept("# a comment\n#another, one\nx,y,r\n0,0,1\n1,1,1\n");
    fail("x,y,r\n0,0,1\n# end\n", "line 3, column y: missing: 1 field, but the header has 3");
}

#[test]
fn delimiters() {
    for delimiter in [";", "\t", "|", " "] {
        accept(BOXES.replace(',', delimiter));
    }
    accept("x;y;r;name, short\n0;0;1;a,b,c\n1;1;1;d,e\n");
    accept("  x     y    r\n  0     0    1\n  1.5   0    1  \n");
    let name = "scene.csv";
    check(name, "x:y:r\n0:0:1\n1:1:1\n", "--delimiter :", Pairs(PAIR));
    check(name, BOXES.replace(',', "\t"), "--delimiter tab", Pairs(PAIR));
    check(
        name,
        "x;y;r\n0;0;1\n",
        "--delimiter ,",
        Fails(
            "line 1: no known column: read x;y;r; a scene has \
             min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r; the first line names the \
             columns; --columns sets other names, --delimiter the character between columns",
        ),
    );
    check("tab.tsv", "x\ty\tr\tname\n0\t0\t1\t\n1\t1\t1\t\n", "", Pairs(PAIR));
}

#[test]
fn decimal_commas() {
    let text = "x;y;r\n0,5;0;0,25\n1;0;0,25\n";
    check("scene.csv", text, "--decimal-comma", Pairs(PAIR));
    check("scene.csv", text.replace(';', "\t"), "--decimal-comma", Pairs(PAIR));
    let quoted = "x,y,r\n\"0,5\",0,\"0,25\"\n1,0,\"0,25\"\n";
    check("scene.csv", quoted, "--decimal-comma", Pairs(PAIR));
    fail(
        text,
        "line 2, column r: \"0,25\" is not a number; use --decimal-comma if the comma stands \
         before decimals",
    );
    // Numbers that all have a comma are read without the option, unless all may be thousands.
    check("scene.csv", "x;y;r\n0,5;0,0;0,25\n1,00;0,0;0,250\n", "", Pairs(PAIR));
    check("scene.csv", "id;x;y\n\"a\n;1\";-1,5;2,0\nb;-1,50;+2,\n", "", Pairs("\"a\n;1\",b\n"));
    check("scene.csv", "0,5;0,0;0,25\n1,0;0,0;0,25\n", "--no-header", Pairs(PAIR));
    for (text, number, column) in [
        ("x;y\n1,234;5,678\n1,234;5,678\n", "1,234", "x"),
        ("x;y\n1,5;2,5\n1,5;2.5\n", "1,5", "x"),
        ("x;y\n1,5;2,5\n1,5;2\n", "1,5", "x"),
        ("x;y\n2;1,5\n1,5;2,5\n", "1,5", "y"),
    ] {
        let message = format!(
            "scene.csv: line 2, column {column}: \"{number}\" is not a number; use --decimal-comma \
             if the comma stands before decimals"
        );
        Folder::with_scene(text).run("pairs scene.csv").assert_error(&message);
    }
    let tabs = "line 2, column x: \"1,5\" is not a number; use --decimal-comma if the comma stands \
                before decimals";
    fail("x\ty\n1,5\t2,5\n", tabs);
    let thousands = Fails("line 2, column x: \"1.000,5\" is not a number");
    check("scene.csv", "x;y;r\n1.000,5;0;1\n", "--decimal-comma", thousands);
}

#[test]
fn numbers() {
    accept(BOXES.replace("1,1,2,2", "1e0,+1,.2E+1,2."));
    accept(BOXES.replace("1,1,2,2", "1.0000000000000000000000000000000000000000,01,2,2"));
    accept(BOXES.replace("0,0,1,1", "-0,-.0,1,1"));
    for (row, message) in [
        ("0,NaN,1,1", "line 3, column min_y: \"NaN\" is not a finite number"),
        ("0,0,inf,1", "line 3, column max_x: \"inf\" is infinite"),
        ("0,0,-Infinity,1", "line 3, column max_x: \"-Infinity\" is infinite"),
        ("0x10,0,1,1", "line 3, column min_x: \"0x10\" is not a number"),
        ("1_000,0,1,1", "line 3, column min_x: \"1_000\" is not a number"),
        ("1 000,0,1,1", "line 3, column min_x: \"1 000\" is not a number"),
        ("1e,0,1,1", "line 3, column min_x: \"1e\" is not a number"),
        (".,0,1,1", "line 3, column min_x: \".\" is not a number"),
        ("--1,0,1,1", "line 3, column min_x: \"--1\" is not a number"),
        ("1.2.3,0,1,1", "line 3, column min_x: \"1.2.3\" is not a number"),
        ("\u{2212}1,0,1,1", "line 3, column min_x: \"\u{2212}1\" is not a number"),
        ("1e39,0,1,1", "line 3, column min_x: \"1e39\" is beyond the range of f32"),
        (",0,1,1", "line 3, column min_x: empty where a number is expected"),
        ("5,0,1,1", "line 3, column min_x: the minimum 5 is above the maximum 1"),
    ] {
        fail_row(row, message);
    }
    let rounded = "as f32, 1 number was rounded: line 2, column x: 16777217 became 16777216";
    check("scene.csv", "x,y\n16777217,0\n16777216,0\n", "", Warns(PAIR, rounded));
}

#[test]
fn headers() {
    let forms = |header: &str| format!("{header}\n0,0,1,1\n1,1,2,2\n");
    for header in [
        "xmin,ymin,xmax,ymax",
        "MinX,MinY,MaxX,MaxY",
        "left,bottom,right,top",
        "west,south,east,north",
        "x1,y1,x2,y2",
        "lon_min,lat_min,lon_max,lat_max",
        "x,y,width,height",
        "left,top,width,height",
    ] {
        accept(forms(header));
    }
    check("edges.csv", "left,top,right,bottom\n0,1,1,0\n1,1,2,2\n", "", Pairs(PAIR));
    check("points.csv", "name,lat,lon\na,1,2\nb,1,2\nc,2,1\n", "", Pairs(PAIR));
    check("unnamed.csv", "0,0,1,1\n1,1,2,2\n", "--no-header", Pairs(PAIR));
    check("unnamed.csv", "0,0,1\n1,1,1\n", "--no-header", Pairs(PAIR));
    check(
        "unnamed.csv",
        "0,0,1\n1,1\n",
        "--no-header",
        Fails("line 2, column 3: missing: 2 fields, but the first row has 3"),
    );
    check("five.csv", "a,0,0,1,x\nb,1,1,1,y\n", "--no-header --columns id,x,y,r,-", Pairs("a,b\n"));
    check("other.csv", "A,B,R\n0,0,1\n1,1,1\n", "--columns x=A,y=B", Pairs(PAIR));
    check("other.csv", "A,B,C\n0,0,1\n1,1,1\n", "--columns x,y,r", Pairs(PAIR));
    fail(
        "0,0,1,1\n1,1,2,2\n",
        "line 1: no known column: read 0,0,1,1; a scene has \
         min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r; if the first line is a row, use \
         --no-header",
    );
    fail("x,y,r,x\n0,0,1,0\n", "line 1, column x: duplicate column");
    fail(
        "xmin,ymin,xmax,ymax,left\n0,0,1,1,0\n",
        "line 1, column left: means min_x, as column xmin does; choose with --columns",
    );
    fail("", "line 1: empty: a header is expected");
    fail("\n \n", "line 1: empty: a header is expected");
    check("header.csv", "x,y,r\n", "", Pairs(""));
    fail(
        "name\na\n",
        "line 1: no known column: read name; a scene has \
         min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r; the first line names the columns; \
         --columns sets other names, --delimiter the character between columns",
    );
    check(
        "other.csv",
        "A,B,R\n",
        "--columns x=LON",
        Refuses("--columns: other.csv has no column \"LON\": read A,B,R"),
    );
    check(
        "other.csv",
        "A,B,R\n",
        "--columns lng=A,q=B",
        Refuses(
            "--columns: \"q\" has no meaning; use min_x, min_y, min_z, max_x, max_y, max_z, x, y, \
             z, r, width, height, depth, id or geometry",
        ),
    );
    let wide: String = (0..299_997).map(|column| format!(",c{column}")).collect();
    let row = ",7".repeat(299_997);
    accept(format!("x,y,r{wide}\n0,0,1{row}\n1,1,1{row}\n"));
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
        let folder = Folder::with_scene(table(ids));
        assert_eq!(folder.run("pairs scene.csv").text(), pairs, "{ids:?}");
    }
    let equal = "line 3, column id: duplicate id a, first on line 2";
    fail(table(["a", "a"]), equal);
    check("scene.csv", table(["a", "a"]), "--id -", Pairs(PAIR));
    fail(table(["a", ""]), "line 3, column id: empty where an id is expected");
    let named = "name,x,y,r\nb,0,0,1\na,1,1,1\n";
    check("scene.csv", named, "", Pairs(PAIR));
    check("scene.csv", named, "--id name", Pairs("a,b\n"));
    check("scene.csv", named, "--id 1", Pairs("a,b\n"));
    let unknown = Refuses("--id: scene.csv has no column \"nome\": read name,x,y,r");
    check("scene.csv", named, "--id nome", unknown);
}

#[test]
fn compressed_files() {
    let members = [gzip(&BOXES[..30]), gzip(&BOXES[30..])].concat();
    check("scene.csv.gz", &members, "", Pairs(PAIR));
    check("named.csv", &members, "", Pairs(PAIR));
    // Zeros fill the last block of a tape; gzip -d ignores them.
    for zeros in [1, 100, 1 << 20] {
        check("scene.csv.gz", [&members[..], &vec![0; zeros]].concat(), "", Pairs(PAIR));
    }
    for garbage in [&b"\0x"[..], b"trailing garbage", &[&[0; 9][..], &members].concat()] {
        let folder = Folder::new().with("scene.csv.gz", [&members[..], garbage].concat());
        folder.run("pairs scene.csv.gz").assert_error(
            "scene.csv.gz: line 4: damaged or truncated gzip data: invalid gzip header",
        );
    }
    let packed = gzip(BOXES);
    let cut = &packed[..packed.len() - 9];
    let folder = Folder::new().with("scene.csv.gz", cut);
    let run = folder.run("pairs scene.csv.gz");
    let start = "hexphase: scene.csv.gz: line 4: damaged or truncated gzip data: ";
    assert!(run.status == 2 && run.err.starts_with(start), "{}", run.err);
    check("scene.csv.gz", BOXES, "", Fails("is not gzip data"));
    let frames = [&BOXES[..30], &BOXES[30..]]
        .map(|part| compress_to_vec(part.as_bytes(), CompressionLevel::Fastest))
        .concat();
    check("scene.csv.zst", &frames, "", Pairs(PAIR));
    check("scene.csv.zst", BOXES, "", Fails("is not zstd data"));
    let mut damaged = frames.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    for data in [&frames[..frames.len() - 3], &damaged] {
        let run = Folder::new().with("scene.csv.zst", data).run("pairs scene.csv.zst");
        assert_eq!((run.status, run.lines().len()), (2, 1));
        assert!(run.err.contains("damaged or truncated zstd data: "), "{}", run.err);
    }
    let mut empty = GzEncoder::new(Vec::new(), Compression::none());
    empty.write_all(b"").expect("memory");
    let empty = empty.finish().expect("memory");
    check("scene.csv.gz", empty, "", Fails("line 1: empty: a header is expected"));
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
    ] {
        check(name, BOXES, "", Pairs(PAIR));
    }
    check("two\nlines.csv", BOXES, "", Pairs(PAIR));
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
    let table = "id;name;wkt\na;x;POINT(1 1)\nb;y;LINESTRING(0 0,2 2)\n";
    check("scene.csv", table, "", Pairs("a,b\n"));
    let commas = "geometry,id\n\"LINESTRING(0 0,2 2)\",1\n\"{\"\"type\"\":\"\"Point\"\",\"\"coordinates\"\":[1,1]}\",2\n";
    check("scene.csv", commas, "", Pairs("1,2\n"));
    check(
        "scene.tsv",
        "a\tPOINT(1 1)\nb\tPOINT(1 1)\n",
        "--no-header --columns id,wkt",
        Pairs("a,b\n"),
    );
    let unnamed = "POINT(1 1);a\nLINESTRING(0 0,2 2);b\n";
    check("scene.txt", unnamed, "--no-header --columns wkt,id", Pairs("a,b\n"));
    check(
        "scene.wkt",
        "POINT(1 1)\nPOINT EMPTY\nPOINT(1 1)\n",
        "",
        Warns("0,2\n", "1 geometry is empty and is left out: line 2"),
    );
    // A point without coordinates has NaN in WKB.
    let binary = "0101000000000000000000F87F000000000000F87F";
    for empty in ["POINT(nan nan)", "POINT Z (NaN -nan 1)", "MULTIPOINT(nan nan)", binary] {
        check(
            "scene.wkt",
            format!("POINT(1 1)\n{empty}\nPOINT(1 1)\n"),
            "",
            Warns("0,2\n", "1 geometry is empty and is left out: line 2"),
        );
    }
    for curve in [
        "CIRCULARSTRING(0 0,1 1,2 0)",
        "COMPOUNDCURVE((0 0,1 1))",
        "CurvePolygon Z (CIRCULARSTRING Z (0 0 0,1 1 1,2 0 0,0 0 0))",
        "MULTICURVE((0 0,1 1))",
        "MULTISURFACE(((0 0,1 1,1 0,0 0)))",
    ] {
        let name = curve.split(['(', ' ']).next().unwrap_or_default().to_uppercase();
        let message = format!("scene.wkt: line 1: {name}: geometries with curves are not read");
        Folder::new().with("scene.wkt", curve).run("pairs scene.wkt").assert_error(&message);
    }
    for (text, message) in [
        ("POINT(1 1)\nPOINT(1)\n", "line 2: \")\" where a number is expected"),
        (
            "POINT(1 1)\nCIRCLE(1)\n",
            "line 2: \"CIRCLE(1)\" where a geometry (WKT, GeoJSON or WKB) is expected",
        ),
        ("POINT(1 1)\nPOINT(1 nan)\n", "line 2: \"nan\" is not a finite number"),
        ("POINT(1 1)\nPOINT(1 1\n", "line 2: the geometry ends where \")\" is expected"),
    ] {
        check("scene.wkt", text, "", Fails(message));
    }
}

#[test]
fn geojson() {
    let point = r#"{"type":"Point","coordinates":[1,1]}"#;
    let line = r#"{"type":"LineString","coordinates":[[0,0],[2,2,9]]}"#;
    let feature = |id: &str, geometry: &str| {
        format!(r#"{{"type":"Feature",{id}"properties":{{"name":"a, b"}},"geometry":{geometry}}}"#)
    };
    let collection = |features: &[String]| {
        format!(
            "{{ \"type\": \"FeatureCollection\",\n\"features\": [\n{}\n] }}\n",
            features.join(",\n")
        )
    };
    let two = [feature("", point), feature("", line)];
    check("scene.geojson", collection(&two), "", Pairs(PAIR));
    check("one-line.json", collection(&two).replace('\n', ""), "", Pairs(PAIR));
    check("lines.ndjson", two.join("\n"), "", Pairs(PAIR));
    check("sequence.json", format!("\x1e{}\n\x1e{}\n", two[0], two[1]), "", Pairs(PAIR));
    check("geometries.json", format!("{point}\n{line}\n"), "", Pairs(PAIR));
    check("one.json", point, "", Pairs(""));
    let named = [feature("\"id\":\"b\",", point), feature("\"id\":7,", line)];
    check("ids.json", collection(&named), "", Pairs("7,b\n"));
    check("ids.json", collection(&named), "--id -", Pairs(PAIR));
    check(
        "ids.json",
        collection(&named),
        "--id name",
        Fails("line 4, column name: duplicate id a, b, first on line 3"),
    );
    let null = [feature("", point), feature("", "null"), feature("", line)];
    let warning = "1 geometry is empty and is left out: line 4";
    check("null.json", collection(&null), "", Warns("0,2\n", warning));
    let nested = r#"{"type":"GeometryCollection","geometries":[{"type":"GeometryCollection","geometries":[]},
        {"type":"Point","coordinates":[2,2]}]}"#;
    check("nested.json", collection(&[feature("", line), feature("", nested)]), "", Pairs(PAIR));
    for (geometry, message) in [
        (r#"{"type":"Point","coordinates":[1]}"#, "line 3: a position has at least two numbers"),
        (
            r#"{"type":"Circle","coordinates":[1,1]}"#,
            "line 3: \"Circle\" is not the type of a geometry",
        ),
        (
            r#"{"type":"Point","coordinates":[1,null]}"#,
            "line 3: coordinates must be arrays of numbers, nested 1 times",
        ),
    ] {
        check("bad.json", collection(&[feature("", geometry)]), "", Fails(message));
    }
    check(
        "cut.json",
        &collection(&two)[..45],
        "",
        Fails("line 3: EOF while parsing a list at character 0"),
    );
}

#[test]
fn several_files() {
    let folder = Folder::new()
        .with("a.csv", BOXES)
        .with("b.txt", "x;y;r\n2;2;0,5\n")
        .with("c.csv", "id,x,y,r\na,0,0,1\n")
        .with("d.csv", "id,x,y,r\nb,0,0,1\n\na,1,1,1\n")
        .with("e.csv", "x,y,z,r\n0,0,0,1\n")
        .with("f.wkt", "POINT(2 2)\n");
    assert_eq!(folder.run("pairs a.csv f.wkt").text(), "0,1\n1,2\n");
    assert_eq!(folder.run("pairs a.csv a.csv").text(), "0,1\n0,2\n0,3\n1,2\n1,3\n2,3\n");
    let run = folder.run("pairs a.csv b.txt");
    run.assert_error(
        "b.txt: line 2, column r: \"0,5\" is not a number; use --decimal-comma if the comma \
         stands before decimals",
    );
    assert_eq!(folder.run("pairs a.csv b.txt --decimal-comma").text(), "0,1\n1,2\n");
    folder.run("pairs c.csv d.csv").assert_error(
        "d.csv: line 4, column id: duplicate id a, first on line 2 of c.csv (--id - numbers the \
         rows)",
    );
    assert_eq!(folder.run("pairs c.csv d.csv --id -").text(), "0,1\n0,2\n1,2\n");
    let message = "c.csv: has ids, but a.csv has none (--id - ignores them)";
    folder.run("pairs a.csv c.csv").assert_error(message);
    folder.run("pairs a.csv e.csv").assert_error("e.csv: 3 dimensions, but a.csv has 2");
    assert_eq!(folder.run("pairs c.csv discs:1 --id - --count").text(), "0\n");
    let folder = folder.with("g.csv", "x,y\n0.5,16777217\n");
    let warning = "hexphase: warning: a.csv and 1 more: as f32, 1 number was rounded: g.csv, \
                   line 2, column y: 16777217 became 16777216";
    assert_eq!(folder.run("pairs a.csv g.csv").lines()[1..], [warning]);
    for output in ["a.csv", "f.wkt"] {
        let run = folder.run(&format!("pairs a.csv f.wkt --output {output}"));
        run.assert_error(&format!("--output: {output} is an input file and would be lost"));
    }
}
