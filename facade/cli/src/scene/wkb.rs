//! Reads the coordinates of a geometry in well-known binary (WKB), as defined by ISO and PostGIS.

use super::geometry::{Coordinate, MAX_DEPTH, Malformed, Visit};

/// Decodes hexadecimal digits into bytes.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    out.clear();
    for pair in text.chunks(2) {
        let [Some(high), Some(low)] = [pair[0], *pair.last().unwrap_or(&b'?')].map(digit) else {
            return Err("neither WKT nor WKB in hexadecimal".into());
        };
        if pair.len() < 2 {
            return Err("an odd number of hexadecimal digits".into());
        }
        out.push(16 * high + low);
    }
    Ok(())
}

/// Calls `visit` for the coordinates of a geometry.
pub(super) fn read<'t>(data: &[u8], visit: Visit<'_, 't>) -> Result<(), Malformed> {
    let mut reader = Reader { rest: data, is_little: true };
    reader.geometry(visit, 0)?;
    if reader.rest.is_empty() { Ok(()) } else { Err("WKB with bytes behind its geometry".into()) }
}

struct Reader<'d> {
    rest: &'d [u8],
    is_little: bool,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or("truncated WKB")?;
        self.rest = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        let bytes = self.take()?;
        Ok(if self.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn f64(&mut self) -> Result<f64, Malformed> {
        let bytes = self.take()?;
        Ok(if self.is_little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) })
    }

    fn geometry<'t>(&mut self, visit: Visit<'_, 't>, depth: usize) -> Result<(), Malformed> {
        const Z: u32 = 0x8000_0000;
        const M: u32 = 0x4000_0000;
        const SRID: u32 = 0x2000_0000;
        if depth > MAX_DEPTH {
            return Err("too many nested collections".into());
        }
        let [order] = self.take()?;
        self.is_little = match order {
            0 => false,
            1 => true,
            _ => return Err("WKB with an unknown byte order".into()),
        };
        let kind = self.u32()?;
        if kind & SRID != 0 {
            self.u32()?;
        }
        let code = kind & !(Z | M | SRID);
        let more = match code / 1000 {
            0 => usize::from(kind & Z != 0) + usize::from(kind & M != 0),
            1 | 2 => 1,
            3 => 2,
            _ => return Err(format!("WKB with the unknown geometry {code}").into()),
        };
        match code % 1000 {
            1 => self.positions(1, more, visit),
            2 => self.sequence(more, visit),
            3 | 17 => {
                for _ in 0..self.u32()? {
                    self.sequence(more, visit)?;
                }
                Ok(())
            }
            4..=7 | 15 | 16 => {
                for _ in 0..self.u32()? {
                    self.geometry(visit, depth + 1)?;
                }
                Ok(())
            }
            8..=14 => Err("geometries with curves are not read".into()),
            _ => Err(format!("WKB with the unknown geometry {code}").into()),
        }
    }

    fn sequence<'t>(&mut self, more: usize, visit: Visit<'_, 't>) -> Result<(), Malformed> {
        let count = self.u32()?;
        self.positions(count, more, visit)
    }

    /// Calls `visit` for a part with a number of positions. A point without coordinates is stored
    /// as NaN, and skipped.
    fn positions<'t>(
        &mut self,
        count: u32,
        more: usize,
        visit: Visit<'_, 't>,
    ) -> Result<(), Malformed> {
        visit.part(true);
        for _ in 0..count {
            let (x, y) = (self.f64()?, self.f64()?);
            for _ in 0..more {
                self.f64()?;
            }
            if !(x.is_nan() && y.is_nan()) {
                visit.coordinate(0, Coordinate::Number(x))?;
                visit.coordinate(1, Coordinate::Number(y))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(hex: &str) -> Result<Vec<f64>, Malformed> {
        let (mut binary, mut list) = (Vec::new(), Vec::new());
        decode(hex.as_bytes(), &mut binary)?;
        read(&binary, &mut |axis: usize, coordinate: Coordinate<'_>| {
            let Coordinate::Number(number) = coordinate else { panic!("a number") };
            assert_eq!(axis, list.len() % 2);
            list.push(number);
            Ok(())
        })?;
        Ok(list)
    }

    const ONE: &str = "000000000000F03F";
    const TWO: &str = "0000000000000040";

    #[test]
    fn coordinates_are_visited() {
        let point = |kind: &str, more: &str| format!("01{kind}{ONE}{TWO}{more}");
        for (hex, expected) in [
            (point("01000000", ""), &[1.0, 2.0][..]),
            (point("01000080", ONE), &[1.0, 2.0]),
            (point("E9030000", ONE), &[1.0, 2.0]),
            (point("B90B0000", &format!("{ONE}{ONE}")), &[1.0, 2.0]),
            (point("01000020E6100000", ""), &[1.0, 2.0]),
            ("00000000013FF00000000000004000000000000000".into(), &[1.0, 2.0]),
            ("0101000000000000000000F87F000000000000F87F".into(), &[]),
            (format!("010200000002000000{ONE}{TWO}{TWO}{ONE}"), &[1.0, 2.0, 2.0, 1.0]),
            (format!("01030000000100000001000000{ONE}{TWO}"), &[1.0, 2.0]),
            (format!("010700000001000000{}", point("01000000", "")), &[1.0, 2.0]),
            ("010700000000000000".into(), &[]),
        ] {
            assert_eq!(coordinates(&hex).as_deref(), Ok(expected), "{hex}");
        }
    }

    #[test]
    fn malformed_data_is_an_error() {
        for (hex, message) in [
            ("01", "truncated WKB"),
            ("0101000000", "truncated WKB"),
            ("01020000000200000000", "truncated WKB"),
            ("010", "an odd number of hexadecimal digits"),
            ("01zz", "neither WKT nor WKB in hexadecimal"),
            ("0201000000", "WKB with an unknown byte order"),
            ("0163000000", "WKB with the unknown geometry 99"),
            ("0108000000", "geometries with curves are not read"),
            ("01070000000000000000", "WKB with bytes behind its geometry"),
        ] {
            assert_eq!(coordinates(hex).unwrap_err(), message, "{hex}");
        }
    }
}
