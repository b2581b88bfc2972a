//! The bounding box of a geometry, given as WKT, GeoJSON or hexadecimal WKB.
//!
//! Boxes have two dimensions; other coordinates are ignored. Coordinates are converted to the
//! scalar type and then compared, and only the four ends of the box are tested for rounding. Points
//! are not stored.

use alloc::borrow::Cow;

use hexphase::Aabb;

use super::batch::Batch;
use super::number::{Number, Scratch};
use super::short::ShortDecimal;
use super::{geojson, wkb, wkt};
use crate::error::Shown;

/// Maximum depth of collections that contain collections.
pub(super) const MAX_DEPTH: usize = 64;

/// The message that says why a text is not a geometry.
pub(super) type Malformed = Cow<'static, str>;

/// A coordinate of a geometry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Coordinate<'t> {
    /// A number as text, and its value if it is short.
    Text(&'t [u8], Option<ShortDecimal>),
    /// A number from WKB.
    Number(f64),
}

/// Called with the coordinates of a geometry on axis 0 and 1 in turn.
pub(super) type Visit<'v, 't> = &'v mut dyn FnMut(usize, Coordinate<'t>) -> Result<(), Malformed>;

/// Returns the bounding box of a geometry in any notation. An empty geometry has no box, which is
/// recorded in the batch.
pub(super) fn read<S: Number>(
    text: &[u8],
    location: impl Fn() -> String,
    batch: &mut Batch<S>,
    scratch: &mut Scratch,
) -> Result<Option<Aabb<S, 3>>, Malformed> {
    let mut extent = Extent::new(scratch);
    let mut visit = |axis, coordinate| extent.extend(axis, coordinate);
    let mut binary = Vec::new();
    match text {
        [] => {}
        [b'{', ..] => geojson::read_geometry(text, &mut visit)?,
        [b'0', b'0' | b'1', ..] => {
            wkb::decode(text, &mut binary)?;
            wkb::read(&binary, &mut visit)?;
        }
        _ => wkt::read(text, &mut visit)?,
    }
    extent.finish(location, batch)
}

/// The bounding box of the coordinates that have been visited.
pub(super) struct Extent<'s, 't, S> {
    ends: Option<[[End<'t, S>; 2]; 2]>,
    /// The coordinate of the first point on axis 0, until its coordinate on axis 1 follows.
    x: Option<End<'t, S>>,
    scratch: &'s mut Scratch,
}

/// One end of the box: its value, and the coordinate that it comes from.
#[derive(Clone, Copy)]
struct End<'t, S> {
    value: S,
    from: Coordinate<'t>,
}

impl<'s, 't, S: Number> Extent<'s, 't, S> {
    /// Creates an extent without points.
    pub(super) fn new(scratch: &'s mut Scratch) -> Self {
        Self { ends: None, x: None, scratch }
    }

    /// Extends the box by a coordinate. Coordinates on axis 0 and 1 must alternate.
    #[inline]
    pub(super) fn extend(&mut self, axis: usize, from: Coordinate<'t>) -> Result<(), Malformed> {
        let value = match from {
            Coordinate::Text(text, short) => match short.and_then(S::from_short) {
                Some(value) => value,
                None => {
                    let text = str::from_utf8(text).unwrap_or_default();
                    let bad = |bad: super::number::NumberError| {
                        format!("\"{}\" {}", Shown(text), bad.message::<S>())
                    };
                    S::parse(text).map_err(bad)?
                }
            },
            Coordinate::Number(number) => {
                let value = S::from_f64(number);
                // Rounding to an integer saturates, so a large difference means that the number is
                // out of range.
                let in_range = (value.to_f64() - number).abs() < 1.0 || !S::INTEGER;
                if !number.is_finite() || !value.is_finite() || !in_range {
                    let message = format!("{number} is beyond the range of {}", S::NAME);
                    return Err(message.into());
                }
                value
            }
        };
        let end = End { value, from };
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

    /// Returns the box. Records its rounded ends, or, without points, that the row has no box.
    pub(super) fn finish(
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
                Coordinate::Text(text, short) => {
                    S::is_rounded(text, short, value, &mut self.scratch.digits)
                }
                Coordinate::Number(number) => value.to_f64() != number,
            };
            if is_rounded {
                let text = || match from {
                    Coordinate::Text(text, _) => Shown(&String::from_utf8_lossy(text)).to_string(),
                    Coordinate::Number(number) => number.to_string(),
                };
                batch.warnings.record(&location, text, &value);
            }
        }
        let [min, max] = ends;
        Ok(Some(Aabb {
            min: [min[0].value, min[1].value, S::ZERO],
            max: [max[0].value, max[1].value, S::ZERO],
        }))
    }
}
