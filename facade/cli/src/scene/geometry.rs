//! The bounding box of a geometry, given as WKT, GeoJSON or hexadecimal WKB.
//!
//! Boxes have two dimensions; other coordinates are ignored. Coordinates are converted to the
//! scalar type and then compared, and only the four ends of the box are tested for rounding. Points
//! are not stored. On axes that wrap, `seam.rs` visits long geometries again.

use alloc::borrow::Cow;

use hexphase::Aabb;

use super::blocks::Block;
use super::collector::{Batch, Parser};
use super::decimal::Decimal;
use super::number::Number;
use super::{Source, geojson, seam, wkb, wkt};
use crate::error::{Error, Location, NO_MEMORY, Shown};
use crate::memory::OutOfMemory;

/// Maximum depth of collections that contain collections.
pub(super) const MAX_DEPTH: usize = 64;

/// The message that says why a text is not a geometry.
pub(super) type Malformed = Cow<'static, str>;

#[derive(Clone, Copy, Debug)]
pub(super) enum Coordinate<'t> {
    /// A number as text, and its value if it is short.
    Text(&'t [u8], Option<Decimal>),
    /// A number from WKB.
    Number(f64),
}

/// Receives the coordinates of a geometry.
pub(super) trait Visitor<'t> {
    /// Begins a part: a point, line or ring, or the two corners of a box. If `has_steps`,
    /// successive points of the part are connected.
    fn part(&mut self, _has_steps: bool) {}

    /// Visits a coordinate. Coordinates on axis 0 and 1 alternate.
    fn coordinate(&mut self, axis: usize, from: Coordinate<'t>) -> Result<(), Malformed>;
}

pub(super) type Visit<'v, 't> = &'v mut (dyn Visitor<'t> + 'v);
/// A function that visits the coordinates of one geometry each time it is called.
pub(super) type VisitAll<'f, 't> = &'f dyn Fn(Visit<'_, 't>) -> Result<(), Malformed>;

/// Returns the bounding box of a geometry in any notation. An empty geometry has no box, which is
/// recorded in the batch. `sides` has the lengths of the axes that wrap, 0 for other axes.
pub(super) fn read<S: Number>(
    text: &[u8],
    sides: [f64; 3],
    location: impl Fn() -> String,
    batch: &mut Batch<S>,
) -> Result<Option<Aabb<S, 3>>, Malformed> {
    let mut binary = Vec::new();
    bounds(&visit_all(text, &mut binary)?, sides, location, batch)
}

/// Returns a function that visits the coordinates of a geometry. `binary` is a buffer for WKB.
fn visit_all<'t>(
    text: &'t [u8],
    binary: &'t mut Vec<u8>,
) -> Result<impl Fn(Visit<'_, 't>) -> Result<(), Malformed>, Malformed> {
    let is_binary = matches!(text, [b'0', b'0' | b'1', ..]);
    if is_binary {
        wkb::decode(text, binary)?;
    }
    let binary = &binary[..];
    Ok(move |visit: Visit<'_, 't>| match text {
        [] => Ok(()),
        [b'{', ..] => geojson::read_geometry(text, visit),
        _ if is_binary => wkb::read(binary, visit),
        _ => wkt::read(text, visit),
    })
}

/// Returns the bounding box of a geometry, as [`read`] does.
pub(super) fn bounds<S: Number>(
    visit_all: VisitAll<'_, '_>,
    sides: [f64; 3],
    location: impl Fn() -> String,
    batch: &mut Batch<S>,
) -> Result<Option<Aabb<S, 3>>, Malformed> {
    let mut extent = Extent::new();
    visit_all(&mut extent)?;
    let mut bounds = extent.finish(&location, batch)?;
    if let Some(bounds) = &mut bounds {
        seam::adjust(bounds, visit_all, sides, location, batch)?;
    }
    Ok(bounds)
}

#[inline(always)]
pub(super) fn value_of<S: Number>(from: Coordinate<'_>) -> Result<S, Malformed> {
    if let Coordinate::Text(_, Some(number)) = from
        && let Some(value) = S::nearest(number)
    {
        return Ok(value);
    }
    parsed(from)
}

/// Does the work of [`value_of`] for any coordinate.
#[inline(never)]
fn parsed<S: Number>(from: Coordinate<'_>) -> Result<S, Malformed> {
    match from {
        Coordinate::Text(text, _) => {
            let text = str::from_utf8(text).unwrap_or_default();
            let bad = |bad: super::number::NumberError| {
                format!("\"{}\" {}", Shown(text), bad.message::<S>()).into()
            };
            S::parse(text).map_err(bad)
        }
        Coordinate::Number(number) => {
            let value = S::from_f64(number);
            // Rounding to an integer saturates, so a large difference means that the number is out
            // of range.
            let in_range = (value.to_f64() - number).abs() < 1.0 || !S::INTEGER;
            if number.is_finite() && value.is_finite() && in_range {
                return Ok(value);
            }
            Err(format!("{number} is beyond the range of {}", S::NAME).into())
        }
    }
}

struct Extent<'t, S> {
    ends: Option<[[End<'t, S>; 2]; 2]>,
    /// The coordinate of the first point on axis 0, until its coordinate on axis 1 follows.
    x: Option<End<'t, S>>,
}

/// One end of the box: its value, and the coordinate that it comes from.
#[derive(Clone, Copy)]
struct End<'t, S> {
    value: S,
    from: Coordinate<'t>,
}

impl<'t, S: Number> Extent<'t, S> {
    const fn new() -> Self {
        Self { ends: None, x: None }
    }

    /// Returns the box. Records its rounded ends, or, without points, that the row has no box.
    fn finish(
        self,
        location: impl Fn() -> String,
        batch: &mut Batch<S>,
    ) -> Result<Option<Aabb<S, 3>>, Malformed> {
        let Some(ends) = self.ends else {
            batch.leave_out(location);
            return Ok(None);
        };
        for end in ends.iter().flatten() {
            let End { value, from } = *end;
            let is_rounded = match from {
                Coordinate::Text(text, number) => {
                    let number = number.or_else(|| Decimal::new(text));
                    number.is_some_and(|number| S::is_rounded(number, value))
                }
                Coordinate::Number(number) => value.to_f64() != number,
            };
            if is_rounded {
                let text = || match from {
                    Coordinate::Text(text, _) => Shown(&String::from_utf8_lossy(text)).to_string(),
                    Coordinate::Number(number) => number.to_string(),
                };
                batch.warnings.record_rounded(&location, text, &value);
            }
        }
        let [min, max] = ends;
        Ok(Some(Aabb {
            min: [min[0].value, min[1].value, S::ZERO],
            max: [max[0].value, max[1].value, S::ZERO],
        }))
    }
}

impl<'t, S: Number> Visitor<'t> for Extent<'t, S> {
    #[inline]
    fn coordinate(&mut self, axis: usize, from: Coordinate<'t>) -> Result<(), Malformed> {
        let end = End { value: value_of(from)?, from };
        if let Some(ends) = &mut self.ends {
            if end.value < ends[0][axis].value {
                ends[0][axis] = end;
            }
            if end.value > ends[1][axis].value {
                ends[1][axis] = end;
            }
        } else if axis == 0 {
            self.x = Some(end);
        } else if let Some(x) = self.x {
            self.ends = Some([[x, end]; 2]);
        }
        Ok(())
    }
}

/// A file with a geometry in WKT or hexadecimal WKB on each line.
pub(super) struct WktLines<'a> {
    pub(super) source: &'a Source,
    /// The length of each axis that wraps, 0 for other axes.
    pub(super) sides: [f64; 3],
}

impl<S: Number> Parser<S> for WktLines<'_> {
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error> {
        for (line, text) in block.lines() {
            let text = text.trim_ascii();
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            let fail = |message: &str| Error::new(self.source, message).at(Location::line(line));
            batch.begin_row(line);
            let location = || Location::line(line).to_string();
            let bounds = read(text, self.sides, location, batch);
            if let Some(bounds) = bounds.map_err(|why| fail(&why))? {
                batch.push(bounds, None).map_err(|OutOfMemory| fail(NO_MEMORY))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<'t, F: FnMut(usize, Coordinate<'t>) -> Result<(), Malformed>> Visitor<'t> for F {
        fn coordinate(&mut self, axis: usize, from: Coordinate<'t>) -> Result<(), Malformed> {
            self(axis, from)
        }
    }

    /// Returns the coordinates of a geometry, separated by spaces.
    fn coordinates(text: &str) -> Result<String, Malformed> {
        let (mut list, mut binary) = (Vec::new(), Vec::new());
        let visit_all = visit_all(text.as_bytes(), &mut binary)?;
        visit_all(&mut |axis: usize, coordinate: Coordinate<'_>| {
            assert_eq!(axis, list.len() % 2);
            list.push(match coordinate {
                Coordinate::Text(number, short) => {
                    let number = String::from_utf8_lossy(number).into_owned();
                    assert!(short.is_none_or(|short| Some(short) == Decimal::new(&number)));
                    number
                }
                Coordinate::Number(number) => number.to_string(),
            });
            Ok(())
        })?;
        Ok(list.join(" "))
    }

    const ONE: &str = "000000000000F03F";
    const TWO: &str = "0000000000000040";

    #[test]
    fn coordinates_are_visited() {
        let json = |kind: &str, coordinates: &str| {
            format!("{{\"type\":\"{kind}\",\"coordinates\":{coordinates}}}")
        };
        let nested = r#"{"type":"GeometryCollection","geometries":[{"type":"GeometryCollection",
            "geometries":[{"type":"Point","coordinates":[1,2]}]},
            {"coordinates":[3,4],"type":"Point","bbox":[9,9,9,9]}]}"#;
        let point = |kind: &str, more: &str| format!("01{kind}{ONE}{TWO}{more}");
        for (text, expected) in [
            ("POINT(1 2)", "1 2"),
            ("point z ( 1.5  -2e3 7 )", "1.5 -2e3"),
            ("POINTZM(1 2 3 4)", "1 2"),
            ("LineString M (1 2 9,3 4 9)", "1 2 3 4"),
            ("SRID=4326;POLYGON((0 0,1 0,1 1,0 0),(2 2,3 3))", "0 0 1 0 1 1 0 0 2 2 3 3"),
            ("MULTIPOINT(1 2,3 4)", "1 2 3 4"),
            ("MULTIPOINT((1 2),EMPTY,(3 4))", "1 2 3 4"),
            ("MULTIPOLYGON(EMPTY,((0 0,1 1)))", "0 0 1 1"),
            ("GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(LINESTRING EMPTY,POINT(3 4)))", "3 4"),
            ("BOX(1 2,3 4)", "1 2 3 4"),
            ("BOX3D(1 2 0,3 4 0)", "1 2 3 4"),
            ("TIN Z(((0 0 0,0 0 1,0 1 0,0 0 0)))", "0 0 0 0 0 1 0 0"),
            ("POINT EMPTY", ""),
            ("GEOMETRYCOLLECTION EMPTY", ""),
            ("POLYGON Z EMPTY", ""),
            (&json("Point", "[1.50,-2e3,7]"), "1.50 -2e3"),
            (&json("Point", "[]"), ""),
            (&json("LineString", "[[0,1],\n [2, 3]]"), "0 1 2 3"),
            (&json("MultiPoint", "[]"), ""),
            (&json("Polygon", "[[[0,0],[1,0],[1,1],[0,0]]]"), "0 0 1 0 1 1 0 0"),
            (&json("MultiPolygon", "[[[[0,0],[1,1]]],[]]"), "0 0 1 1"),
            (nested, "1 2 3 4"),
            (&point("01000000", ""), "1 2"),
            (&point("01000080", ONE), "1 2"),
            (&point("E9030000", ONE), "1 2"),
            (&point("B90B0000", &format!("{ONE}{ONE}")), "1 2"),
            (&point("01000020E6100000", ""), "1 2"),
            ("00000000013FF00000000000004000000000000000", "1 2"),
            ("0101000000000000000000F87F000000000000F87F", ""),
            (&format!("010200000002000000{ONE}{TWO}{TWO}{ONE}"), "1 2 2 1"),
            (&format!("01030000000100000001000000{ONE}{TWO}"), "1 2"),
            (&format!("010700000001000000{}", point("01000000", "")), "1 2"),
            ("010700000000000000", ""),
        ] {
            assert_eq!(coordinates(text).as_deref(), Ok(expected), "{text}");
            let is_wkt = !text.starts_with(['{', '0']);
            assert_eq!(wkt::is_wkt(text.as_bytes()), is_wkt, "{text}");
        }
        for other in ["x,y,r", "point_x,point_y", "box,x,y,r", "{", "", "pointer (1)", "POINT,x"] {
            assert!(!wkt::is_wkt(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn malformed_geometries_are_errors() {
        let nested =
            |depth: u32| format!("coordinates must be arrays of numbers, nested {depth} times");
        let deep = "GEOMETRYCOLLECTION(".repeat(99) + &")".repeat(99);
        for (text, message) in [
            ("POINT", "the geometry ends where \"(\" is expected"),
            ("POINT(1)", "\")\" where a number is expected"),
            ("POINT(1 2", "the geometry ends where \")\" is expected"),
            ("POINT(1 2) x", "\"x\" where the end of the geometry is expected"),
            ("POINT(1 2,3 4)", "\",3 4)\" where \")\" is expected"),
            ("POINT(1 2 3 4 5)", "\"5)\" where \",\" is expected"),
            ("POLYGON(0 0,1 1)", "\"0 0,1 1)\" where \"(\" is expected"),
            ("CIRCLE(1)", "\"CIRCLE(1)\" where a geometry (WKT, GeoJSON or WKB) is expected"),
            (
                "GEOMETRYCOLLECTION(",
                "the geometry ends where a geometry (WKT, GeoJSON or WKB) is expected",
            ),
            ("CIRCULARSTRING(0 0,1 1,2 0)", "CIRCULARSTRING: geometries with curves are not read"),
            ("COMPOUNDCURVE((0 0,1 1))", "COMPOUNDCURVE: geometries with curves are not read"),
            ("CurvePolygon Z ((0 0 0))", "CURVEPOLYGON: geometries with curves are not read"),
            ("MULTICURVE((0 0,1 1))", "MULTICURVE: geometries with curves are not read"),
            ("MULTISURFACE(((0 0,1 1)))", "MULTISURFACE: geometries with curves are not read"),
            ("SRID=4326 POINT(0 0)", "\";\" is missing after SRID"),
            (&deep, "too many nested collections"),
            ("{}", "a geometry without a type"),
            (r#"{"type":"Circle"}"#, "\"Circle\" is not the type of a geometry"),
            (r#"{"type":"Point","coordinates":[1]}"#, "a position has at least two numbers"),
            (r#"{"type":"Point","coordinates":[[1,2]]}"#, &nested(1)),
            (r#"{"type":"LineString","coordinates":[1,2]}"#, &nested(2)),
            (r#"{"type":"Point","coordinates":["1",2]}"#, &nested(1)),
            (r#"{"type":"Point","coordinates":[1,null]}"#, &nested(1)),
            (r#"{"type":"GeometryCollection","geometries":7}"#, "\"geometries\" is not an array"),
            ("01", "truncated WKB"),
            ("0101000000", "truncated WKB"),
            ("01020000000200000000", "truncated WKB"),
            ("010", "an odd number of hexadecimal digits"),
            ("01zz", "neither WKT nor WKB in hexadecimal"),
            ("0107000000010000000201000000", "WKB with an unknown byte order"),
            ("0163000000", "WKB with the unknown geometry 99"),
            ("0108000000", "geometries with curves are not read"),
            ("01070000000000000000", "WKB with bytes behind its geometry"),
        ] {
            assert_eq!(coordinates(text).unwrap_err(), message, "{text}");
        }
    }
}
