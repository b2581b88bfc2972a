//! Reads the coordinates of a geometry in well-known binary (WKB), as defined by ISO and PostGIS.

use super::geometry::{Coordinate, MAX_DEPTH, Malformed, Visit};

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

    /// Calls `visit` for a part. A point without coordinates is stored as NaN, and skipped.
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
