//! Geometries that cross the seam of longitudes, in all notations, cut at the seam or not.

use crate::run::Folder;

/// A geometry as rings, lines or points.
type Parts<'a> = &'a [&'a [[f64; 2]]];

/// Returns a geometry of a kind of WKT in WKT, hexadecimal WKB and GeoJSON.
fn notations(kind: &str, parts: Parts<'_>) -> [String; 3] {
    let (code, name, close) = match kind {
        "POINT" => (1, "Point", ["", ""]),
        "LINESTRING" => (2, "LineString", ["", ""]),
        "POLYGON" => (3, "Polygon", ["(", ")"]),
        "MULTILINESTRING" => (5, "MultiLineString", ["(", ")"]),
        _ => (6, "MultiPolygon", ["((", "))"]),
    };
    let text = |numbers: &dyn Fn(&[f64; 2]) -> String, part: &[[f64; 2]]| {
        part.iter().map(numbers).collect::<Vec<_>>().join(",")
    };
    let inner = if code == 6 { ")),((" } else { "),(" };
    let wkt = |[x, y]: &[f64; 2]| format!("{x} {y}");
    let wkt = parts.iter().map(|part| text(&wkt, part)).collect::<Vec<_>>().join(inner);
    let wkt = format!("{kind}{}({wkt}){}", close[0], close[1]);
    let json = |[x, y]: &[f64; 2]| format!("[{x},{y}]");
    let json = parts.iter().map(|part| text(&json, part)).collect::<Vec<_>>();
    let json = match code {
        1 => json.join(","),
        2 => format!("[{}]", json.join(",")),
        3 | 5 => format!("[[{}]]", json.join("],[")),
        _ => format!("[[[{}]]]", json.join("]],[[")),
    };
    let json = format!("{{\"type\":\"{name}\",\"coordinates\":{json}}}");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let number = |number: u32| hex(&number.to_le_bytes());
    let count = number(parts.len() as u32);
    let begin = |code: u32| format!("01{}", number(code));
    let mut wkb = begin(code);
    if code > 2 {
        wkb += &count;
    }
    for part in parts {
        match code {
            5 => wkb += &begin(2),
            6 => wkb += &(begin(3) + &number(1)),
            _ => {}
        }
        if code > 1 {
            wkb += &number(part.len() as u32);
        }
        for end in part.iter().flatten() {
            wkb += &hex(&end.to_le_bytes());
        }
    }
    [wkt, wkb, json]
}

/// Returns the output of `pairs` for a geometry and three points at the longitudes 0, 180 and
/// 179.9375, and its warnings.
fn pairs(kind: &str, parts: Parts<'_>, options: &str) -> (String, Vec<String>) {
    let points = [0.0, 180.0, 179.9375].map(|x| notations("POINT", &[&[[x, 0.5]]]));
    let geometry = notations(kind, parts);
    let runs = [0, 1, 2].map(|notation| {
        let mut lines = geometry[notation].clone();
        for point in &points {
            lines += &format!("\n{}", point[notation]);
        }
        let run = Folder::new().with("a", lines).run(&format!("pairs a{options}"));
        let warnings = run.lines()[1..].iter().map(ToString::to_string).collect();
        (run.text().to_string(), warnings)
    });
    assert!(runs[0] == runs[1] && runs[0] == runs[2], "{kind} {options}: {runs:?}");
    let [first, ..] = runs;
    first
}

#[test]
fn geometries_at_the_seam_have_small_boxes() {
    let ring = |x: [f64; 2]| [[x[0], 0.0], [x[1], 0.0], [x[1], 1.0], [x[0], 1.0], [x[0], 0.0]];
    let [west, east, over] = [[-180.0, -179.875], [179.875, 180.0], [179.875, -179.875]].map(ring);
    let warning = "hexphase: warning: a: 1 geometry is shorter across longitude 180, line 1; \
                   --wrap 360,0 joins both ends of the axis";
    let all = "0,1\n0,2\n0,3\n";
    for (kind, parts, plain) in [
        // Cut at the seam, as RFC 7946 wants.
        ("MULTIPOLYGON", &[&west[..], &east[..]][..], all),
        ("MULTIPOLYGON", &[&east, &west], all),
        ("MULTILINESTRING", &[&west, &east], all),
        // Not cut.
        ("POLYGON", &[&over], "0,1\n"),
        ("LINESTRING", &[&[[179.0, 0.0], [-179.0, 1.0]]], "0,1\n"),
    ] {
        for scalar in ["f32", "f64"] {
            let options = format!(" --scalar {scalar}");
            assert_eq!(pairs(kind, parts, &options), (plain.into(), vec![warning.into()]));
            let wrapped = pairs(kind, parts, &format!("{options} --wrap 360,0"));
            assert_eq!(wrapped, ("0,2\n0,3\n".into(), Vec::new()));
        }
    }
}

#[test]
fn geometries_around_the_world_cover_the_axis() {
    let world = [[-180.0, -90.0], [180.0, -90.0], [180.0, 90.0], [-180.0, 90.0]];
    let pole = [[-180.0, 0.0], [-60.0, 1.0], [60.0, 1.0], [180.0, 0.0]];
    for ring in [world, pole] {
        for options in ["", " --wrap 360,0"] {
            let outcome = pairs("POLYGON", &[&ring], options);
            assert_eq!(outcome, ("0,1\n0,2\n0,3\n".into(), Vec::new()), "{ring:?} {options}");
        }
    }
}

#[test]
fn boxes_are_not_followed_from_point_to_point() {
    let folder = Folder::new().with("a", "BOX(-170 0,170 1)\nPOINT(0 0)\nPOINT(180 0)\n");
    for options in ["", " --wrap 360,0"] {
        let run = folder.run(&format!("pairs a{options}"));
        assert_eq!(run.text(), "0,1\n");
        assert_eq!(run.lines().len(), 1, "{}", run.err);
    }
}

#[test]
fn geometries_that_may_cross_the_seam_are_counted() {
    let over = "LINESTRING(179 0,-179 1)\n";
    let table = format!("id;wkt\na;{over}");
    let folder = Folder::new().with("a", format!("POINT(1 1)\n{over}{over}")).with("b", table);
    let count = folder.run("info a");
    assert!(count.err.contains("2 geometries are shorter across longitude 180, first line 2; "));
    let column = folder.run("pairs b");
    assert!(column.err.contains(" longitude 180, line 2, column wkt; "), "{}", column.err);
    // These coordinates are no degrees.
    for text in ["LINESTRING(181 0,-179 1)", "LINESTRING(179 91,-179 1)", "LINESTRING(0 0,180 1)"] {
        let run = Folder::new().with("a", text).run("pairs a");
        assert_eq!(run.lines().len(), 1, "{}", run.err);
    }
}
