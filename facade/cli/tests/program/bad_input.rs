//! Invalid input causes an error of one line with the location, exit status 2, and no output.

use std::fs;

use crate::run::{Folder, gzip, run};

/// Asserts that a scene fails with a message, whether it is a file, a gzip file or standard input.
#[track_caller]
fn assert_scene_fails(scalar: &str, text: impl AsRef<[u8]>, message: &str) {
    let text = text.as_ref();
    let folder = Folder::with_scene(text).with("scene.csv.gz", gzip(text));
    for scene in ["scene.csv", "scene.csv.gz", "-"] {
        let run = folder.feed(&format!("pairs {scene} --scalar {scalar}"), text);
        let name = if scene == "-" { "stdin" } else { scene };
        run.assert_error(&format!("{name}: {message}"));
    }
    let run = folder.run(&format!("pairs scene.csv --scalar {scalar} --output pairs.csv"));
    run.assert_error(&format!("scene.csv: {message}"));
    assert_eq!(folder.names(), ["scene.csv", "scene.csv.gz"], "no other file remains");
}

#[track_caller]
fn assert_fails(text: impl AsRef<[u8]>, message: &str) {
    assert_scene_fails("f32", text, message);
}

/// Asserts that a box in two dimensions fails with a message. The row is on line 3.
#[track_caller]
fn assert_row_fails(row: &str, message: &str) {
    assert_fails(format!("min_x,min_y,max_x,max_y\n0,0,1,1\n{row}\n"), message);
}

/// Asserts that a disc fails with a message. The row is on line 2.
#[track_caller]
fn assert_disc_fails(scalar: &str, row: &str, message: &str) {
    assert_scene_fails(scalar, format!("x,y,r\n{row}\n"), message);
}

const FORMS: &str = "a scene has min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r";

#[test]
fn empty_input_is_an_error() {
    assert_fails("", "line 1: empty: a header is expected");
    assert_fails("\n\n", "line 1: empty: a header is expected");
    assert_fails(" \n\t\n  ", "line 1: empty: a header is expected");
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
        assert_fails(format!("{header}\n0,0,0,0,0\n"), &message);
    }
    for (header, message) in [
        ("min_x,min_y,max_x", "line 1, column max_y: missing"),
        ("min_y,max_x,max_y", "line 1, column min_x: missing"),
        ("min_x,min_y,max_x,max_y,max_z", "line 1, column min_z: missing"),
        ("min_x,min_y,min_z,max_x,max_y", "line 1, column max_z: missing"),
        ("x,z,r", "line 1, column y: missing"),
        ("r", "line 1, column x: missing"),
        ("x,y,width", "line 1, column height: missing"),
        ("x,y,r,max_x,max_y", "line 1, column x: mixes two forms"),
        ("x,y,r,min_z,max_z", "line 1, column x: mixes two forms"),
        ("min_x,min_y,max_x,r", "line 1, column r: mixes two forms"),
        ("min_x,min_y,max_x,max_y,min_z,r", "line 1, column r: mixes two forms"),
        ("min_x,min_y,max_x,max_y,x,y,r", "line 1, column x: mixes two forms"),
    ] {
        let message = format!("{message}: read {header}; {FORMS} (see --columns)");
        assert_fails(format!("{header}\n0,0,0,0,0\n"), &message);
    }
    for (header, message) in [
        ("x,y,r,x", "line 1, column x: duplicate column"),
        ("id,x,y,r,id", "line 1, column id: duplicate column"),
    ] {
        assert_fails(format!("{header}\n0,0,0,0,0\n"), message);
    }
}

#[test]
fn numbers_must_be_numbers() {
    assert_row_fails("0,abc,1,1", "line 3, column min_y: \"abc\" is not a number");
    assert_row_fails("0,0,1,0x10", "line 3, column max_y: \"0x10\" is not a number");
    assert_row_fails("1 2,0,1,1", "line 3, column min_x: \"1 2\" is not a number");
    assert_row_fails(",0,1,1", "line 3, column min_x: empty where a number is expected");
    assert_row_fails("0,0,\" \",1", "line 3, column max_x: empty where a number is expected");
    assert_row_fails("\"a\nb\",0,1,1", r#"line 3, column min_x: "a\nb" is not a number"#);
    let long = "7".repeat(100) + "x";
    let cut = "7".repeat(40);
    assert_row_fails(
        &format!("{long},0,1,1"),
        &format!("line 3, column min_x: \"{cut}...\" is not a number"),
    );
}

#[test]
fn numbers_must_be_finite() {
    assert_row_fails("0,NaN,1,1", "line 3, column min_y: \"NaN\" is not a finite number");
    assert_row_fails("0,0,inf,1", "line 3, column max_x: \"inf\" is infinite");
    assert_row_fails("-Infinity,0,1,1", "line 3, column min_x: \"-Infinity\" is infinite");
    assert_row_fails("0,0,1e39,1", "line 3, column max_x: \"1e39\" is beyond the range of f32");
    for scalar in ["f32", "f64", "i32"] {
        assert_disc_fails(scalar, "nan,0,1", "line 2, column x: \"nan\" is not a finite number");
        assert_disc_fails(scalar, "0,0,inf", "line 2, column r: \"inf\" is infinite");
        let message = format!("line 2, column y: \"1e309\" is beyond the range of {scalar}");
        assert_disc_fails(scalar, "0,1e309,0", &message);
    }
    let message = "line 2, column x: \"2147483648\" is beyond the range of i32";
    assert_disc_fails("i32", "2147483648,0,1", message);
}

#[test]
fn boxes_must_not_reach_beyond_the_range() {
    let y = "line 2, column y:";
    assert_disc_fails(
        "f32",
        "0,3e38,1e38",
        &format!("{y} 3e38 with radius 1e38 reaches beyond the range of f32"),
    );
    assert_disc_fails(
        "i32",
        "0,-2147483648,1",
        &format!("{y} -2147483648 with radius 1 reaches beyond the range of i32"),
    );
}

#[test]
fn boxes_must_not_be_inverted() {
    assert_row_fails("0,0,1,-1", "line 3, column min_y: the minimum 0 is above the maximum -1");
    assert_row_fails("5.5,0,1,1", "line 3, column min_x: the minimum 5.5 is above the maximum 1");
    assert_disc_fails("f32", "0,0,-1", "line 2, column r: the radius -1 is negative");
    assert_disc_fails("f32", "0,0,-1e-999", "line 2, column r: the radius -1e-999 is negative");
    let solid = "z,r,x,y\n1,1,1,1\n1,-0.5,1,1\n";
    assert_fails(solid, "line 3, column r: the radius -0.5 is negative");
}

#[test]
fn rows_must_be_as_wide_as_the_header() {
    assert_row_fails("0,0,1", "line 3, column max_y: missing: 3 fields, but the header has 4");
    assert_row_fails("  \n0", "line 4, column min_y: missing: 1 field, but the header has 4");
    assert_row_fails("0", "line 3, column min_y: missing: 1 field, but the header has 4");
    assert_row_fails("0,0,1,1,2", "line 3, column 5: too many: 5 fields, but the header has 4");
    assert_row_fails("0,0,1,1,", "line 3, column 5: too many: 5 fields, but the header has 4");
}

#[test]
fn ids_must_be_distinct() {
    let ids = |ids: &str, message: &str| {
        let rows: String = ids.split(' ').map(|id| format!("0,{id},0,1\n")).collect();
        assert_fails(format!("x,id,y,r\n{rows}"), message);
    };
    ids("7 8 7", "line 4, column id: duplicate id 7, first on line 2");
    ids("9 5 8 5 9 5", "line 5, column id: duplicate id 5, first on line 3");
    ids("b 01 1 a 01", "line 6, column id: duplicate id 01, first on line 3");
    ids("0 ", "line 3, column id: empty where an id is expected");
    let rows: String = (0..60_000).map(|row| format!("\n{},{row},0,1\n", row % 59_990)).collect();
    let message = "line 119983, column id: duplicate id 0, first on line 3";
    assert_fails(format!("id,x,y,r\n{rows}"), message);
}

#[test]
fn lines_are_counted_with_any_line_end() {
    let expected = "line 6, column r: \"bad\" is not a number";
    for text in [
        "x,y,r\n\n0,0,1\n\n\n0,0,bad\n0,0,1\n",
        "x,y,r\r\n\r\n0,0,1\r\n\r\n\r\n0,0,bad\r\n0,0,1\r\n",
        "x,y,r\r\r0,0,1\r\r\r0,0,bad\r0,0,1\r",
        "\n\n\nx,y,r\n0,0,1\n0,0,bad",
        " \n\t\nx,y,r\n  \n0,0,1\n0,0,bad",
        "\u{feff}x,y,r\n0,0,1\n0,0,1\n0,0,1\n0,0,1\n0,0,bad",
        "x,y,r,note\n0,0,1,\"two\nlines\"\n0,0,1,\"\"\"\"\n\n0,0,bad,\"two\r\nlines\"\n",
    ] {
        assert_fails(text, expected);
    }
    let message = format!("line 3, column y: missing: read x,r; {FORMS} (see --columns)");
    assert_fails("\r\n\r\nx,r\r\n", &message);
    let rows = "0,0,1\r\n".repeat(100_000);
    assert_fails(
        format!("x,y,r\r\n{rows}0,0,\r\n"),
        "line 100002, column r: empty where a number is expected",
    );
}

#[test]
fn an_unclosed_quote_is_an_error() {
    let message = "line 4, column note: unclosed quote";
    assert_fails("x,y,r,note\n0,0,1,\"good\n\"\n0,0,1,\"bad\n0,0,1,\n0,0,1,\n", message);
    assert_fails("x,y,r,note\n0,0,1,a\n\n0,0,1,\"bad\n0,0,1,", message);
    // An unclosed quote also includes the fields that follow.
    assert_fails("x,y,r\n0,0,1\n\"1,1,1\n2,2,2\n", "line 3, column x: unclosed quote");
    assert_fails("x,y,r\n0,\"0,1\n", "line 2, column y: unclosed quote");
}

#[test]
#[cfg(target_os = "linux")]
fn too_many_objects_for_the_memory_are_an_error() {
    for command in ["pairs", "generate"] {
        let limited = format!(
            "ulimit -v 2000000 && exec {} {command} discs:100000000",
            env!("CARGO_BIN_EXE_hexphase")
        );
        let run = std::process::Command::new("sh").args(["-c", &limited]).output().unwrap();
        let message =
            "hexphase: discs:100000000: not enough memory for 100000000 objects: about 100";
        assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0));
        let err = String::from_utf8(run.stderr).unwrap();
        assert!(err.starts_with(message) && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn text_that_is_read_must_be_utf_8() {
    assert_fails(b"x,y,r\n0,0,1\n0,\xff,1\n", "line 3, column y: \"\u{fffd}\" is not UTF-8");
    assert_fails(b"x,y,\xe9\n", "line 1, column 3: \"\u{fffd}\" is not UTF-8");
    let utf_16: Vec<u8> = "\u{feff}x,y,r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let message = "line 1: UTF-16 text; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8";
    assert_fails(utf_16, message);
}

#[test]
fn gzip_data_must_be_complete() {
    let text = "x,y,r\n".to_owned() + &"1,2,3\n4.5,6,7\n".repeat(9999);
    let complete = gzip(&text);
    let mut damaged = complete.clone();
    let crc = damaged.len() - 6;
    damaged[crc] ^= 1;
    let mut scribbled = complete.clone();
    scribbled[12..40].fill(0xff);
    for (data, packed) in [
        (&complete[..complete.len() - 1], true),
        (&complete[..complete.len() / 2], true),
        (&complete[..5], true),
        (&damaged, true),
        (&scribbled, true),
        (text.as_bytes(), false),
    ] {
        let folder = Folder::new().with("scene.csv.gz", data);
        let run = folder.run("pairs scene.csv.gz --output pairs.csv");
        let what = if packed { "damaged or truncated gzip data: " } else { "is not gzip data\n" };
        assert_eq!((run.status, &*run.out, run.lines().len()), (2, &b""[..], 1), "{}", run.err);
        assert!(run.err.starts_with("hexphase: scene.csv.gz: "), "{}", run.err);
        assert!(run.err.contains(what), "{}", run.err);
        assert_eq!(folder.names(), ["scene.csv.gz"]);
        if packed {
            let run = folder.feed("pairs -", data);
            assert!(run.err.starts_with("hexphase: stdin: line "), "{}", run.err);
            assert_eq!((run.status, run.out.len()), (2, 0));
        }
    }
    let nothing = Folder::new().with("scene.csv.gz", "");
    nothing
        .run("pairs scene.csv.gz")
        .assert_error("scene.csv.gz: line 1: empty: a header is expected");
    let nothing = Folder::new().with("scene.csv.gz", gzip(""));
    nothing
        .run("pairs scene.csv.gz")
        .assert_error("scene.csv.gz: line 1: empty: a header is expected");
}

#[test]
fn files_must_exist() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder.csv")).unwrap();
    folder.run("pairs missing.csv").assert_error("missing.csv: no such file or folder");
    folder.run("pairs a/b/c.csv").assert_error("a/b/c.csv: no such file or folder");
    folder.run("pairs folder.csv").assert_error("folder.csv: is a folder");
    let run = folder.run_words(&["pairs", ""], b"");
    run.assert_error("SCENE: the name of the file is empty");
    let run = folder.run_words(&["pairs", "two\nlines"], b"");
    run.assert_error(r"two\nlines: no such file or folder");
}

#[test]
fn generators_must_exist() {
    let names = "terdiman, discs, mixed, tail, clustered, discs3, mixed3, tail3, clustered3";
    for command in ["pairs", "generate"] {
        for (scene, message) in [
            ("disks:10", format!("unknown generator; there are {names}")),
            ("discs", "a generated scene is named name:count or name:count:seed".into()),
            ("discs:1:2:3", "a generated scene is named name:count or name:count:seed".into()),
            ("discs:", "the count must be a whole number below 2^32".into()),
            ("discs:4294967296", "the count must be a whole number below 2^32".into()),
            ("discs:ten", "the count must be a whole number below 2^32".into()),
            ("discs:10:x", "the seed must be a whole number above 0 and below 2^64".into()),
        ] {
            let run = run(&format!("{command} {scene}"));
            run.assert_error(&format!("{scene}: {message}"));
        }
    }
}
