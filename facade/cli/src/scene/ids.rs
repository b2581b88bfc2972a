//! The ids of objects, which are row numbers, whole numbers or texts.

use core::borrow::Borrow;
use core::mem::take;

use crate::json;
use crate::memory::{self, OutOfMemory};

/// The ids of the objects of a scene. While a scene is read, they are in the order of rows;
/// afterwards they are distinct and ascend.
#[derive(Debug, Default)]
pub(crate) enum Ids {
    /// Each id is the index of the object; also an empty list.
    #[default]
    Rows,
    /// Whole numbers below 2^64 without leading zeros.
    Numbers(Vec<u64>),
    /// Texts, in the order of their bytes. The ids are texts if any of them is no such number.
    Texts(Texts),
}

#[derive(Debug, Default)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Set if texts may need quotes as CSV fields.
    may_need_quotes: bool,
}

impl Texts {
    fn push(&mut self, text: &[u8]) -> Result<(), OutOfMemory> {
        self.bytes.try_reserve(text.len())?;
        self.ends.try_reserve(1)?;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.may_need_quotes |= needs_quotes(text);
        Ok(())
    }

    fn append(&mut self, more: &Self) -> Result<(), OutOfMemory> {
        self.bytes.try_reserve(more.bytes.len())?;
        self.ends.try_reserve(more.ends.len())?;
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(&more.bytes);
        self.ends.extend(more.ends.iter().map(|end| begin + end));
        self.may_need_quotes |= more.may_need_quotes;
        Ok(())
    }

    #[inline]
    fn get(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let begin = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[begin..self.ends[index]]
    }
}

impl Ids {
    /// Appends the id of an object as a CSV field, in quotes if needed.
    #[inline]
    pub(crate) fn write(&self, object: u32, out: &mut Vec<u8>) {
        let mut number = itoa::Buffer::new();
        match self {
            Self::Rows => out.extend_from_slice(number.format(object).as_bytes()),
            Self::Numbers(numbers) => {
                out.extend_from_slice(number.format(numbers[object as usize]).as_bytes());
            }
            Self::Texts(texts) => {
                let text = texts.get(object);
                if texts.may_need_quotes && needs_quotes(text) {
                    write_quoted(text, out);
                } else {
                    out.extend_from_slice(text);
                }
            }
        }
    }

    pub(crate) fn write_json(&self, object: u32, out: &mut Vec<u8>) {
        match self {
            Self::Texts(_) => out.extend_from_slice(json::string(&self.text(object)).as_bytes()),
            _ => self.write(object, out),
        }
    }

    pub(crate) fn text(&self, object: u32) -> String {
        match self {
            Self::Rows => object.to_string(),
            Self::Numbers(numbers) => numbers[object as usize].to_string(),
            Self::Texts(texts) => String::from_utf8_lossy(texts.get(object)).into_owned(),
        }
    }

    /// Appends the id of the next row, given as text.
    pub(super) fn push(&mut self, text: &[u8]) -> Result<(), OutOfMemory> {
        if let Self::Rows = self {
            *self = Self::Numbers(Vec::new());
        }
        match (&mut *self, number(text)) {
            (Self::Numbers(numbers), Some(number)) => {
                numbers.try_reserve(1)?;
                numbers.push(number);
                Ok(())
            }
            (Self::Texts(texts), _) => texts.push(text),
            _ => self.become_texts()?.push(text),
        }
    }

    pub(super) fn append(&mut self, other: &mut Self) -> Result<(), OutOfMemory> {
        match (&mut *self, &mut *other) {
            (_, Self::Rows) => {}
            (Self::Rows, _) => *self = take(other),
            (Self::Numbers(numbers), Self::Numbers(more)) => {
                numbers.try_reserve(more.len())?;
                numbers.append(more);
            }
            _ => {
                self.become_texts()?.append(other.become_texts()?)?;
                *other = Self::Rows;
            }
        }
        Ok(())
    }

    fn become_texts(&mut self) -> Result<&mut Texts, OutOfMemory> {
        if let Self::Numbers(numbers) = self {
            let mut texts = Texts::default();
            for &number in &*numbers {
                texts.push(itoa::Buffer::new().format(number).as_bytes())?;
            }
            *self = Self::Texts(texts);
        }
        match self {
            Self::Texts(texts) => Ok(texts),
            _ => Err(OutOfMemory),
        }
    }

    /// Returns the rows in ascending order of their ids; rows with equal ids ascend by row. Returns
    /// `None` if the ids of the rows are already distinct and ascending.
    pub(super) fn order(&self) -> Result<Option<Vec<u32>>, OutOfMemory> {
        fn ascending<T: Ord + ?Sized, R: Borrow<T>>(len: usize, get: impl Fn(u32) -> R) -> bool {
            (1..len as u32).all(|row| get(row - 1).borrow() < get(row).borrow())
        }
        match self {
            Self::Numbers(numbers) => {
                if ascending::<u64, _>(numbers.len(), |row| numbers[row as usize]) {
                    return Ok(None);
                }
                // Sorting pairs is faster than sorting rows by their numbers.
                let mut sorted =
                    memory::collect(numbers.iter().enumerate().map(|(row, &id)| (id, row as u32)))?;
                sorted.sort_unstable();
                memory::collect(sorted.iter().map(|&(_, row)| row)).map(Some)
            }
            Self::Texts(texts) if !ascending::<[u8], _>(texts.ends.len(), |row| texts.get(row)) => {
                let mut order = memory::collect((0..texts.ends.len()).map(|row| row as u32))?;
                order.sort_unstable_by_key(|&row| (texts.get(row), row));
                Ok(Some(order))
            }
            _ => Ok(None),
        }
    }

    /// Returns the first row that repeats the id of an earlier row, as `[earlier, repeating]`.
    /// `order` must be the result of [`order`](Self::order).
    pub(super) fn duplicate(&self, order: &[u32]) -> Option<[u32; 2]> {
        let is_equal = |a: u32, b: u32| match self {
            Self::Rows => false,
            Self::Numbers(numbers) => numbers[a as usize] == numbers[b as usize],
            Self::Texts(texts) => texts.get(a) == texts.get(b),
        };
        let equal = order.windows(2).map(|two| [two[0], two[1]]).filter(|&[a, b]| is_equal(a, b));
        equal.min_by_key(|two| two[1])
    }

    pub(super) fn in_order(self, order: &[u32]) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Self::Rows => Self::Rows,
            Self::Numbers(numbers) => {
                Self::Numbers(memory::collect(order.iter().map(|&row| numbers[row as usize]))?)
            }
            Self::Texts(texts) => {
                let mut sorted = Texts::default();
                sorted.bytes.try_reserve_exact(texts.bytes.len())?;
                sorted.ends.try_reserve_exact(texts.ends.len())?;
                order.iter().try_for_each(|&row| sorted.push(texts.get(row)))?;
                Self::Texts(sorted)
            }
        })
    }
}

/// Parses an id that is a whole number below 2^64 without leading zeros.
fn number(text: &[u8]) -> Option<u64> {
    const MAX_DIGITS: usize = 20;
    if text.is_empty() || text.len() > MAX_DIGITS || text.len() > 1 && text[0] == b'0' {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

fn needs_quotes(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) || text.trim_ascii() != text
}

fn write_quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        out.push(byte);
        if byte == b'"' {
            out.push(byte);
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &[&str]) -> Ids {
        let mut list = Ids::default();
        for id in ids {
            list.push(id.as_bytes()).expect("memory");
        }
        list
    }

    #[test]
    fn numbers_are_sorted_by_value_and_texts_by_bytes() {
        for (ids, expected) in [
            (&["10", "9", "18446744073709551615", "0"][..], "0 9 10 18446744073709551615"),
            (&["10", "9", "18446744073709551616"], "10 18446744073709551616 9"),
            (&["10", "9", "07"], "07 10 9"),
            (&["1", "2", "b", "a"], "1 2 a b"),
            (&["-1", "-2", "1"], "-1 -2 1"),
            (&["a", "b"], "a b"),
            (&["b,c", "a", "d \"e\"", "f\ng"], "a \"b,c\" \"d \"\"e\"\"\" \"f\ng\""),
        ] {
            // Ids that come from two blocks.
            for cut in 0..=ids.len() {
                let (mut all, mut second) = (list(&ids[..cut]), list(&ids[cut..]));
                all.append(&mut second).expect("memory");
                if let Some(order) = all.order().expect("memory") {
                    all = all.in_order(&order).expect("memory");
                }
                let field = |object: usize| {
                    let mut out = Vec::new();
                    all.write(object as u32, &mut out);
                    String::from_utf8(out).expect("text")
                };
                assert_eq!((0..ids.len()).map(field).collect::<Vec<_>>().join(" "), expected);
            }
        }
        let mut json = Vec::new();
        list(&["d \"e\""]).write_json(0, &mut json);
        assert_eq!(json, br#""d \"e\"""#);
    }
}
