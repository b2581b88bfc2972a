//! Reads the coordinates of a geometry in well-known text (WKT).
//!
//! All geometries without curves are read, with or without `Z`, `M`, `EMPTY` and an `SRID`; also
//! `BOX(x y,x y)` of PostGIS. Names can be in upper or lower case.

use super::decimal::Decimal;
use super::geometry::{Coordinate, MAX_DEPTH, Malformed, Visit};
use crate::error::Shown;

/// The names of geometries, each with the number of nested parentheses around its positions.
const KINDS: [(&[u8], usize); 10] = [
    (b"POINT", 1),
    (b"LINESTRING", 1),
    (b"LINEARRING", 1),
    (b"BOX", 1),
    (b"POLYGON", 2),
    (b"MULTILINESTRING", 2),
    (b"TRIANGLE", 2),
    (b"MULTIPOLYGON", 3),
    (b"TIN", 3),
    (b"POLYHEDRALSURFACE", 3),
];
/// Further words with which the text of a geometry can begin.
const OTHERS: [&[u8]; 4] = [b"MULTIPOINT", b"GEOMETRYCOLLECTION", b"SRID", b"BOX3D"];
/// The names of geometries with curves, which are recognized but not read.
const CURVES: [&[u8]; 5] =
    [b"CIRCULARSTRING", b"COMPOUNDCURVE", b"CURVEPOLYGON", b"MULTICURVE", b"MULTISURFACE"];

/// Returns whether a text begins like a geometry in WKT.
pub(super) fn is_wkt(text: &[u8]) -> bool {
    let mut scanner = Scanner { text: text.trim_ascii_start(), at: 0 };
    let word = scanner.word();
    let next = scanner.peek();
    let kinds = KINDS.iter().map(|(name, _)| *name).chain(OTHERS).chain(CURVES);
    let is_name = kinds.into_iter().any(|name| is_named(word, name));
    if !is_name || matches!(next, Some(b'(' | b'=')) {
        return is_name;
    }
    let second = scanner.word();
    !second.is_empty() && (is_dimension(second) || second.eq_ignore_ascii_case(b"EMPTY"))
}

pub(super) fn read<'t>(text: &'t [u8], visit: Visit<'_, 't>) -> Result<(), Malformed> {
    let mut scanner = Scanner { text, at: 0 };
    let begin = scanner.at;
    if scanner.word().eq_ignore_ascii_case(b"SRID") {
        let end =
            text.iter().position(|&byte| byte == b';').ok_or("\";\" is missing after SRID")?;
        scanner.at = end + 1;
    } else {
        scanner.at = begin;
    }
    scanner.geometry(visit, 0)?;
    match scanner.peek() {
        None => Ok(()),
        Some(_) => Err(scanner.unexpected("the end of the geometry")),
    }
}

/// Returns whether a word is a name, with or without additional dimensions.
fn is_named(word: &[u8], name: &[u8]) -> bool {
    let (front, rest) = word.split_at(word.len().min(name.len()));
    front.eq_ignore_ascii_case(name) && is_dimension(rest)
}

/// Returns whether a text is empty or names additional dimensions: `Z`, `M` or `ZM`.
fn is_dimension(text: &[u8]) -> bool {
    [&b""[..], b"Z", b"M", b"ZM"].iter().any(|name| text.eq_ignore_ascii_case(name))
}

fn is_nan(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    unsigned.eq_ignore_ascii_case(b"nan")
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// Removes and returns the next word, which may be empty: a letter, then letters or digits.
    fn word(&mut self) -> &'t [u8] {
        self.peek();
        let begin = self.at;
        while let Some(byte) = self.text.get(self.at)
            && (byte.is_ascii_alphabetic() || self.at > begin && byte.is_ascii_digit())
        {
            self.at += 1;
        }
        &self.text[begin..self.at]
    }

    /// Removes the next word if it is wanted. Returns whether it was.
    fn skip_word(&mut self, is_wanted: impl Fn(&[u8]) -> bool) -> bool {
        let begin = self.at;
        let word = self.word();
        let is_found = !word.is_empty() && is_wanted(word);
        if !is_found {
            self.at = begin;
        }
        is_found
    }

    fn skip_empty(&mut self) -> bool {
        self.skip_word(|word| word.eq_ignore_ascii_case(b"EMPTY"))
    }

    fn unexpected(&mut self, wanted: &str) -> Malformed {
        match self.peek() {
            None => format!("the geometry ends where {wanted} is expected").into(),
            Some(_) => {
                let rest = String::from_utf8_lossy(&self.text[self.at..]);
                format!("\"{}\" where {wanted} is expected", Shown(&rest)).into()
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected(&format!("\"{}\"", char::from(byte))))
    }

    /// Reads items in parentheses, separated by commas.
    fn list(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.expect(b'(')?;
        loop {
            item(self)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => break,
                _ => return Err(self.unexpected("\",\" or \")\"")),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn geometry(&mut self, visit: Visit<'_, 't>, depth: usize) -> Result<(), Malformed> {
        if depth > MAX_DEPTH {
            return Err("too many nested collections".into());
        }
        let begin = self.at;
        let word = self.word();
        let is = |name: &[u8]| is_named(word, name);
        let kind = KINDS.iter().find(|(name, _)| is(name)).map(|(_, levels)| *levels);
        let is_box = word.eq_ignore_ascii_case(b"BOX3D");
        let is_known = kind.is_some() || is_box || is(b"MULTIPOINT") || is(b"GEOMETRYCOLLECTION");
        if !is_known {
            if CURVES.into_iter().any(is) {
                let name = String::from_utf8_lossy(word).to_ascii_uppercase();
                return Err(format!("{name}: geometries with curves are not read").into());
            }
            self.at = begin;
            return Err(self.unexpected("a geometry (WKT, GeoJSON or WKB)"));
        }
        self.skip_word(is_dimension);
        if self.skip_empty() {
            return Ok(());
        }
        if is(b"POINT") {
            self.expect(b'(')?;
            visit.part(true);
            self.position(visit)?;
            return self.expect(b')');
        }
        if is(b"MULTIPOINT") {
            return self.list(|scanner| match scanner.peek() {
                Some(b'(') => scanner.nested(1, visit),
                _ if scanner.skip_empty() => Ok(()),
                _ => {
                    visit.part(true);
                    scanner.position(visit)
                }
            });
        }
        if is_box || is(b"BOX") {
            visit.part(false);
            return self.list(|scanner| scanner.position(visit));
        }
        match kind {
            Some(levels) => self.nested(levels, visit),
            None => self.list(|scanner| scanner.geometry(visit, depth + 1)),
        }
    }

    /// Calls `visit` for positions within a number of nested parentheses.
    fn nested(&mut self, levels: usize, visit: Visit<'_, 't>) -> Result<(), Malformed> {
        if self.skip_empty() {
            return Ok(());
        }
        if levels > 1 {
            return self.list(|scanner| scanner.nested(levels - 1, visit));
        }
        visit.part(true);
        self.list(|scanner| scanner.position(visit))
    }

    /// Calls `visit` for the first two coordinates of a position, which has two to four
    /// coordinates. If both are NaN, the position is skipped, as in WKB: a point without
    /// coordinates is written like that.
    fn position(&mut self, visit: Visit<'_, 't>) -> Result<(), Malformed> {
        let (mut count, mut skipped) = (0, None);
        loop {
            match self.peek() {
                None | Some(b',' | b')') if count >= 2 => return Ok(()),
                Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'n' | b'N' | b'i' | b'I') if count < 4 => {
                }
                _ => return Err(self.unexpected(if count < 4 { "a number" } else { "\",\"" })),
            }
            let rest = &self.text[self.at..];
            let is_end = |next: Option<&u8>| {
                next.is_none_or(|&byte| matches!(byte, b',' | b')') || byte.is_ascii_whitespace())
            };
            let (mut short, mut length) = Decimal::short_prefix(rest);
            if length == 0 || !is_end(rest.get(length)) {
                short = None;
                while !is_end(rest.get(length)) {
                    length += 1;
                }
            }
            if count < 2 {
                let text = &rest[..length];
                if short.is_none() && is_nan(text) && (count == 0 || skipped.is_some()) {
                    skipped = Some(text);
                } else {
                    if let Some(x) = skipped.take() {
                        visit.coordinate(0, Coordinate::Text(x, None))?;
                    }
                    visit.coordinate(count, Coordinate::Text(text, short))?;
                }
            }
            self.at += length;
            count += 1;
        }
    }
}
