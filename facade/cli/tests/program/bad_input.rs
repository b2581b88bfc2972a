//! Invalid input causes an error of one line with the location, exit status 2, and no output.

use std::fs;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::odd_files::{collection, feature};
use crate::run::Outcome::{Fails, Refuses};
use crate::run::{Folder, check, gzip, run};

/// Asserts that each table fails with a message after its name.
#[track_caller]
fn fail(tables: &[(&str, &str)]) {
    for (table, message) in tables {
        check("scene.csv", table, "", Fails(message));
    }
}

/// Asserts that each box fails with a message if it is the second row, on line 3.
#[track_caller]
fn fail_rows(rows: &[(&str, &str)]) {
    for (row, message) in rows {
        let table = format!("min_x,min_y,max_x,max_y\n0,0,1,1\n{row}\n");
        check("scene.csv", table, "", Fails(&format!("line 3, column {message}")));
    }
}

const FORMS: &str = "a scene has min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r";
const ADVICE: &str = "use --decimal-comma if the comma stands before decimals";

#[test]
fn errors_are_equal_for_files_compressed_files_and_standard_input() {
    let text = "x,y,r\n0,0,1\n0,0,bad\n";
    let message = "line 3, column r: \"bad\" is not a number";
    let folder = Folder::with_scene(text).with("scene.csv.gz", gzip(text));
    for scene in ["scene.csv", "scene.csv.gz", "-", "scene.csv --output pairs.csv"] {
        let name = if scene == "-" { "stdin" } else { scene.split(' ').next().unwrap() };
        let run = folder.feed(&format!("pairs {scene}"), text.as_bytes());
        run.assert_error(&format!("{name}: {message}"));
    }
    assert_eq!(folder.names(), ["scene.csv", "scene.csv.gz"], "no other file remains");
}

#[test]
fn columns_must_have_one_form_and_be_complete() {
    let names = "the first line names the columns; --columns sets other names";
    let rows = "if the first line is a row, use --no-header";
    let separator = ", --delimiter the character between columns";
    for (header, advice) in [
        ("id,name", names.to_owned()),
        ("1,2,3,4", rows.into()),
        ("points", format!("{names}{separator}")),
    ] {
        let message = format!("line 1: no known column: read {header}; {FORMS}; {advice}");
        fail(&[(&format!("{header}\n0,0,0,0,0\n"), &message)]);
    }
    for (problem, headers) in [
        ("max_y: missing", "min_x,min_y,max_x"),
        ("min_x: missing", "min_y,max_x,max_y"),
        ("min_z: missing", "min_x,min_y,max_x,max_y,max_z"),
        ("max_z: missing", "min_x,min_y,min_z,max_x,max_y"),
        ("x: missing", "r"),
        ("y: missing", "x,z,r x,width,height"),
        ("height: missing", "x,y,width"),
        ("x: mixes two forms", "x,y,r,max_x,max_y x,y,r,min_z,max_z min_x,min_y,max_x,max_y,x,y,r"),
        (
            "r: mixes two forms",
            "x,y,r,width,height min_x,min_y,max_x,r min_x,min_y,max_x,max_y,min_z,r",
        ),
    ] {
        for header in headers.split(' ') {
            let message =
                format!("line 1, column {problem}: read {header}; {FORMS} (see --columns)");
            fail(&[(&format!("{header}\n0,0,0,0,0\n"), &message)]);
        }
    }
    let separated = format!("line 1: no known column: read x;y;r; {FORMS}; {names}{separator}");
    let meanings = "--columns: \"q\" has no meaning; use min_x, min_y, min_z, max_x, max_y, max_z, \
                    x, y, z, r, width, height, depth, id or geometry";
    for (table, options, outcome) in [
        ("x,y,r,x\n0,0,1,0\n", "", Fails("line 1, column x: duplicate column")),
        ("id,x,y,r,id\n0,0,1,0\n", "", Fails("line 1, column id: duplicate column")),
        (
            "xmin,ymin,xmax,ymax,left\n0,0,1,1,0\n",
            "",
            Fails("line 1, column left: means min_x, as column xmin does; choose with --columns"),
        ),
        ("x;y;r\n0;0;1\n", "--delimiter ,", Fails(&separated)),
        (
            "0,0,1\n1,1\n",
            "--no-header",
            Fails("line 2, column 3: missing: 2 fields, but the first row has 3"),
        ),
        (
            "A,B,R\n",
            "--columns x=LON",
            Refuses("--columns: scene.csv has no column \"LON\": read A,B,R"),
        ),
        ("A,B,R\n", "--columns lng=A,q=B", Refuses(meanings)),
        ("x,y,r\n", "--id nome", Refuses("--id: scene.csv has no column \"nome\": read x,y,r")),
    ] {
        check("scene.csv", table, options, outcome);
    }
}

#[test]
fn numbers_must_be_finite_and_in_range() {
    for text in ["0x10", "1_000", "1 000", "1e", ".", "--1", "1.2.3", "\u{2212}1"] {
        let message = format!("min_x: \"{text}\" is not a number");
        fail_rows(&[(&format!("{text},0,1,1"), &message)]);
    }
    let long = "é".repeat(41) + ",0,1,1";
    let cut = format!("min_x: \"{}...\" is not a number", "é".repeat(40));
    fail_rows(&[
        ("0,abc,1,1", "min_y: \"abc\" is not a number"),
        ("\"a\nb\",0,1,1", r#"min_x: "a\nb" is not a number"#),
        (&long, &cut),
        ("0,NaN,1,1", "min_y: \"NaN\" is not a finite number"),
        ("0,0,inf,1", "max_x: \"inf\" is infinite"),
        ("0,0,-Infinity,1", "max_x: \"-Infinity\" is infinite"),
        ("1e39,0,1,1", "min_x: \"1e39\" is beyond the range of f32"),
        (",0,1,1", "min_x: empty where a number is expected"),
        ("0,0,\" \",1", "max_x: empty where a number is expected"),
        ("0,0,1,-1", "min_y: the minimum 0 is above the maximum -1"),
        ("5.5,0,1,1", "min_x: the minimum 5.5 is above the maximum 1"),
    ]);
    for (scalar, disc, message) in [
        ("f64", "0,1e309,0", "y: \"1e309\" is beyond the range of f64"),
        ("i32", "2147483648,0,1", "x: \"2147483648\" is beyond the range of i32"),
        ("i32", "nan,0,1", "x: \"nan\" is not a finite number"),
        ("f64", "0,0,inf", "r: \"inf\" is infinite"),
        ("f32", "0,3e38,1e38", "y: 3e38 with radius 1e38 reaches beyond the range of f32"),
        ("f64", "0,-1e308,1e308", "y: -1e308 with radius 1e308 reaches beyond the range of f64"),
        ("i32", "0,-2147483648,1", "y: -2147483648 with radius 1 reaches beyond the range of i32"),
        ("i32", "2147483647,0,1", "x: 2147483647 with radius 1 reaches beyond the range of i32"),
        ("i32", "1,0x10,1", "y: \"0x10\" is not a number"),
        ("i32", "2147483647.5,0,1", "x: \"2147483647.5\" is beyond the range of i32"),
        ("i32", "-2147483648.6,0,1", "x: \"-2147483648.6\" is beyond the range of i32"),
        ("i32", "1e300,0,1", "x: \"1e300\" is beyond the range of i32"),
        ("f32", "0,0,-1", "r: the radius -1 is negative"),
        ("f32", "0,0,-1e-999", "r: the radius -1e-999 is negative"),
    ] {
        let message = format!("line 2, column {message}");
        let options = format!("--scalar {scalar}");
        check("scene.csv", format!("x,y,r\n{disc}\n"), &options, Fails(&message));
    }
    for (text, number, column) in [
        ("x;y;r\n0,5;0;0,25\n1;0;0,25\n", "0,25", "r"),
        ("x;y\n1,234;5,678\n1,234;5,678\n", "1,234", "x"),
        ("x;y\n1,5;2,5\n1,5;2.5\n", "1,5", "x"),
        ("x;y\n1,5;2,5\n1,5;2\n", "1,5", "x"),
        ("x;y\n2;1,5\n1,5;2,5\n", "1,5", "y"),
        ("x\ty\n1,5\t2,5\n", "1,5", "x"),
    ] {
        let message = format!("line 2, column {column}: \"{number}\" is not a number; {ADVICE}");
        fail(&[(text, &message)]);
    }
}

#[test]
fn rows_must_be_complete_and_closed() {
    fail_rows(&[
        ("0,0,1", "max_y: missing: 3 fields, but the header has 4"),
        ("0", "min_y: missing: 1 field, but the header has 4"),
        ("0;0;1;1", "min_y: missing: 1 field, but the header has 4"),
        ("# end", "min_y: missing: 1 field, but the header has 4"),
        ("0,0,1,1,2", "5: too many: 5 fields, but the header has 4"),
        ("0,0,1,1,", "5: too many: 5 fields, but the header has 4"),
        // An unclosed quote also includes the fields that follow.
        ("\"1,1,1,1\n2,2,2,2", "min_x: unclosed quote"),
        ("0,\"0,1,1", "min_y: unclosed quote"),
    ]);
    let message = "line 4, column note: unclosed quote";
    fail(&[
        ("x,y,r,note\n0,0,1,\"good\n\"\n0,0,1,\"bad\n0,0,1,\n0,0,1,\n", message),
        ("x,y,r,note\n0,0,1,a\n\n0,0,1,\"bad\n0,0,1,", message),
        (
            "x,y,r,\"a\nb\"\n0,0,1\n",
            r"line 3, column a\nb: missing: 3 fields, but the header has 4",
        ),
        ("", "line 1: empty: a header is expected"),
        ("\n \n", "line 1: empty: a header is expected"),
        (" \n\t\n  ", "line 1: empty: a header is expected"),
    ]);
}

#[test]
fn ids_must_be_distinct() {
    for (ids, message) in [
        ("7 8 7", "line 4, column id: duplicate id 7, first on line 2"),
        ("9 5 8 5 9 5", "line 5, column id: duplicate id 5, first on line 3"),
        ("b 01 1 a 01", "line 6, column id: duplicate id 01, first on line 3"),
        ("0 ", "line 3, column id: empty where an id is expected"),
    ] {
        let rows: String = ids.split(' ').map(|id| format!("0,{id},0,1\n")).collect();
        fail(&[(&format!("x,id,y,r\n{rows}"), message)]);
    }
    let rows: String = (0..60_000).map(|row| format!("\n{},{row},0,1\n", row % 59_990)).collect();
    let message = "line 119983, column id: duplicate id 0, first on line 3";
    fail(&[(&format!("id,x,y,r\n{rows}"), message)]);
}

#[test]
fn lines_are_counted_with_any_line_end() {
    for text in [
        "x,y,r\n\n0,0,1\n\n\n0,0,bad\n0,0,1\n",
        "x,y,r\r\n\r\n0,0,1\r\n\r\n\r\n0,0,bad\r\n0,0,1\r\n",
        "x,y,r\r\r0,0,1\r\r\r0,0,bad\r0,0,1\r",
        "\n\n\nx,y,r\n0,0,1\n0,0,bad",
        " \n\t\nx,y,r\n  \n0,0,1\n0,0,bad",
        "\u{feff}x,y,r\n0,0,1\n0,0,1\n0,0,1\n0,0,1\n0,0,bad",
        "x,y,r,note\n0,0,1,\"two\nlines\"\n0,0,1,\"\"\"\"\n\n0,0,bad,\"two\r\nlines\"\n",
    ] {
        fail(&[(text, "line 6, column r: \"bad\" is not a number")]);
    }
    let rows = "0,0,1\r\n".repeat(100_000);
    let message = "line 100002, column r: empty where a number is expected";
    fail(&[(&format!("x,y,r\r\n{rows}0,0,\r\n"), message)]);
}

#[test]
fn text_that_is_read_must_be_utf_8() {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let converted = "line 1: UTF-16 text; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8";
    let binary = "line 1: contains a zero byte: neither a table nor another known format";
    let parquet =
        "is Parquet: install hexphase-parquet beside hexphase, or convert the file to CSV";
    for (content, message) in [
        (b"x,y,r\n0,0,1\n0,\xff,1\n".to_vec(), "line 3, column y: \"\u{fffd}\" is not UTF-8"),
        (b"x,y,\xe9\n".to_vec(), "line 1, column 3: \"\u{fffd}\" is not UTF-8"),
        (utf_16("\u{feff}x,y,r\n"), converted),
        ([&[0xfe, 0xff][..], b"\0x\0,\0y"].concat(), converted),
        (utf_16("x,y,r\n"), binary),
        (b"\x7fELF\0\0\0\0".to_vec(), binary),
        (b"PAR1\0\0\0\0PAR1".to_vec(), parquet),
    ] {
        check("scene.csv", content, "", Fails(message));
    }
}

#[test]
fn compressed_data_must_be_complete() {
    let text = "x,y,r\n".to_owned() + &"1,2,3\n4.5,6,7\n".repeat(9999);
    let with = |data: &[u8], change: &dyn Fn(&mut Vec<u8>)| {
        let mut data = data.to_vec();
        change(&mut data);
        data
    };
    let packed = gzip(&text);
    let end = packed.len();
    let frame = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    let last = frame.len() - 1;
    for (kind, data) in [
        ("gzip", packed[..end - 1].to_vec()),
        ("gzip", packed[..end / 2].to_vec()),
        ("gzip", packed[..5].to_vec()),
        ("gzip", with(&packed, &|data| data[end - 6] ^= 1)),
        ("gzip", with(&packed, &|data| data[12..40].fill(0xff))),
        ("zstd", frame[..last - 2].to_vec()),
        ("zstd", frame[..frame.len() / 2].to_vec()),
        ("zstd", with(&frame, &|data| data[last] ^= 1)),
        ("zstd", [&frame[..], b"\x57\x2a\x4d\x18\x03\0\0\0a"].concat()),
    ] {
        let folder = Folder::new().with("packed", &data);
        for (file, line) in [("packed", "pairs packed --output pairs.csv"), ("stdin", "pairs -")] {
            let run = folder.feed(line, &data);
            assert_eq!((run.status, &*run.out, run.lines().len()), (2, &b""[..], 1), "{}", run.err);
            assert!(run.err.starts_with(&format!("hexphase: {file}: line ")), "{}", run.err);
            let what = format!(": damaged or truncated {kind} data: ");
            assert!(run.err.contains(&what), "{}", run.err);
        }
        assert_eq!(folder.names(), ["packed"]);
    }
    for garbage in [&b"\0x"[..], b"trailing garbage", &[&[0; 9][..], &packed].concat()] {
        let message = "line 20000: damaged or truncated gzip data: invalid gzip header";
        check("scene.csv.gz", [&packed[..], garbage].concat(), "", Fails(message));
    }
    let mut stored = GzEncoder::new(Vec::new(), Compression::none());
    std::io::Write::write_all(&mut stored, b"").expect("memory");
    let empty = "line 1: empty: a header is expected";
    check("scene.csv.gz", stored.finish().expect("memory"), "", Fails(empty));
    check("scene.csv.gz", "", "", Fails(empty));
    check("scene.csv.gz", &text, "", Fails("is not gzip data"));
    check("scene.csv.zst", &text, "", Fails("is not zstd data"));
}

#[test]
fn geometries_must_be_known_and_complete() {
    let json = |geometry| collection(&[feature("", geometry)]);
    for (text, message) in [
        ("POINT(1 1)\nPOINT(1)\n", "line 2: \")\" where a number is expected"),
        ("POINT(1 1)\nPOINT(1 nan)\n", "line 2: \"nan\" is not a finite number"),
        ("MULTICURVE((0 0,1 1))", "line 1: MULTICURVE: geometries with curves are not read"),
        (
            &json(r#"{"type":"Circle","coordinates":[1,1]}"#),
            "line 3: \"Circle\" is not the type of a geometry",
        ),
        (&json("null")[..45], "line 3: EOF while parsing a list at character 0"),
    ] {
        check("scene", text, "", Fails(message));
    }
}

#[test]
fn files_and_generators_must_exist() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder.csv")).unwrap();
    for (file, message) in [
        ("missing.csv", "missing.csv: no such file or folder"),
        ("a/b/c.csv", "a/b/c.csv: no such file or folder"),
        ("folder.csv", "folder.csv: is a folder"),
        ("disks", "disks: no such file or folder"),
        ("a/b:1", "a/b:1: no such file or folder"),
        ("b:1.csv", "b:1.csv: no such file or folder"),
        ("", "SCENE: the name of the file is empty"),
        ("two\nlines", r"two\nlines: no such file or folder"),
    ] {
        folder.run_words(&["pairs", file], b"").assert_error(message);
    }
    let names = "terdiman, discs, mixed, tail, clustered, discs3, mixed3, tail3, clustered3";
    for (scene, message) in [
        ("disks:10", &*format!("unknown generator; there are {names}")),
        ("discs", "a generated scene is named name:count or name:count:seed"),
        ("discs:1:2:3", "a generated scene is named name:count or name:count:seed"),
        ("discs:", "the count must be a whole number below 2^32"),
        (":", &*format!("unknown generator; there are {names}")),
        ("discs:4294967296", "the count must be a whole number below 2^32"),
        ("discs:ten", "the count must be a whole number below 2^32"),
        ("discs:10:x", "the seed must be a whole number above 0 and below 2^64"),
    ] {
        for command in ["pairs", "generate"] {
            run(&format!("{command} {scene}")).assert_error(&format!("{scene}: {message}"));
        }
    }
}
