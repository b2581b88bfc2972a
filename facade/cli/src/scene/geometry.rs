//! The bounding box of a geometry, given as WKT, GeoJSON or hexadecimal WKB.
//!
//! Boxes have two dimensions; other coordinates are ignored. Coordinates are converted to the
//! scalar type and then compared, and only the four ends of the box are tested for rounding. Points
//! are not stored. On axes that wrap, `seam.rs` visits long geometries again.

use alloc::borrow::Cow;

use hexphase::Aabb;

use super::batch::Batch;
use super::decimal::Decimal;
use super::number::Number;
use super::{geojson, seam, wkb, wkt};
use crate::error::Shown;

/// Maximum depth of collections that contain collections.
pub(super) const MAX_DEPTH: usize = 64;

/// The message that says why a text is not a geometry.
pub(super) type Malformed = Cow<'static, str>;

/// A coordinate of a geometry.
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

#[cfg(test)]
impl<'t, F: FnMut(usize, Coordinate<'t>) -> Result<(), Malformed>> Visitor<'t> for F {
    fn coordinate(&mut self, axis: usize, from: Coordinate<'t>) -> Result<(), Malformed> {
        self(axis, from)
    }
}

/// The receiver of the coordinates of a geometry.
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
    let is_binary = matches!(text, [b'0', b'0' | b'1', ..]);
    if is_binary {
        wkb::decode(text, &mut binary)?;
    }
    let visit_all: VisitAll<'_, '_> = &|visit| match text {
        [] => Ok(()),
        [b'{', ..] => geojson::read_geometry(text, visit),
        _ if is_binary => wkb::read(&binary, visit),
        _ => wkt::read(text, visit),
    };
    bounds(visit_all, sides, location, batch)
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

/// Returns the number of the scalar type that is nearest to a coordinate.
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

/// The bounding box of the coordinates that have been visited.
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
    /// Creates an extent without points.
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
    /// Extends the box by a coordinate.
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
