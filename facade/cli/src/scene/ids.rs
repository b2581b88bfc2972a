//! The ids of objects, which are row numbers, whole numbers or texts.

use core::borrow::Borrow;

use crate::memory;

/// The ids of the objects of a scene, in the order of their indices. All ids are distinct and
/// ascend.
#[derive(Debug, Default)]
pub(crate) enum Ids {
    /// Each id is the index of the object.
    #[default]
    Rows,
    /// The ids are whole numbers, ascending.
    Numbers(Vec<u64>),
    /// The ids are texts, stored as CSV fields, in the order of their bytes.
    Texts(Texts),
}

impl Ids {
    /// Appends the id of an object as a CSV field, in quotes if needed.
    #[inline]
    pub(crate) fn write(&self, object: u32, out: &mut Vec<u8>) {
        let mut number = itoa::Buffer::new();
        out.extend_from_slice(match self {
            Self::Rows => number.format(object).as_bytes(),
            Self::Numbers(numbers) => number.format(numbers[object as usize]).as_bytes(),
            Self::Texts(texts) => texts.get(object as usize),
        });
    }

    /// Appends the id of an object as a JSON value: a number or a string.
    pub(crate) fn write_json(&self, object: u32, out: &mut Vec<u8>) {
        let Self::Texts(texts) = self else { return self.write(object, out) };
        let field = texts.get(object as usize);
        let quoted = field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\""));
        let text = String::from_utf8_lossy(quoted.unwrap_or(field));
        // In a field with quotes, two quotes in a row stand for one.
        let text = if quoted.is_some() { text.replace("\"\"", "\"") } else { text.into_owned() };
        out.extend_from_slice(crate::json::string(&text).as_bytes());
    }

    /// Returns the id of an object as a CSV field.
    pub(crate) fn text(&self, object: u32) -> String {
        let mut out = Vec::new();
        self.write(object, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// A list of texts in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    /// The end of each text in the buffer.
    ends: Vec<usize>,
}

impl Texts {
    /// Appends a text.
    fn push(&mut self, text: &[u8]) -> Result<(), hexphase::Error> {
        self.bytes.try_reserve(text.len()).map_err(|_| hexphase::Error::OutOfMemory)?;
        self.ends.try_reserve(1).map_err(|_| hexphase::Error::OutOfMemory)?;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        Ok(())
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn get(&self, index: usize) -> &[u8] {
        let begin = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[begin..self.ends[index]]
    }
}

/// The ids of rows in the order of rows. They are stored as numbers as long as all of them are
/// whole numbers below 2^64 without leading zeros.
#[derive(Debug)]
pub(super) enum IdList {
    Numbers(Vec<u64>),
    Texts(Texts),
}

impl Default for IdList {
    fn default() -> Self {
        Self::Numbers(Vec::new())
    }
}

impl IdList {
    /// Appends the id of the next row, given as text.
    ///
    /// # Errors
    /// If allocation fails.
    pub(super) fn push(&mut self, text: &[u8]) -> Result<(), hexphase::Error> {
        match (&mut *self, number(text)) {
            (Self::Numbers(numbers), Some(number)) => {
                numbers.try_reserve(1).map_err(|_| hexphase::Error::OutOfMemory)?;
                numbers.push(number);
                Ok(())
            }
            (Self::Numbers(_), None) => self.become_texts()?.push(text),
            (Self::Texts(texts), _) => texts.push(text),
        }
    }

    /// Moves all ids of another list to the end of this list.
    ///
    /// # Errors
    /// If allocation fails.
    pub(super) fn append(&mut self, other: &mut Self) -> Result<(), hexphase::Error> {
        match (&mut *self, &mut *other) {
            (Self::Numbers(numbers), Self::Numbers(more)) => {
                numbers.try_reserve(more.len()).map_err(|_| hexphase::Error::OutOfMemory)?;
                numbers.append(more);
            }
            _ => {
                let texts = self.become_texts()?;
                let more = other.become_texts()?;
                texts
                    .bytes
                    .try_reserve(more.bytes.len())
                    .map_err(|_| hexphase::Error::OutOfMemory)?;
                texts.ends.try_reserve(more.len()).map_err(|_| hexphase::Error::OutOfMemory)?;
                let begin = texts.bytes.len();
                texts.bytes.append(&mut more.bytes);
                texts.ends.extend(more.ends.drain(..).map(|end| begin + end));
                *other = Self::default();
            }
        }
        Ok(())
    }

    /// Converts the ids from numbers to texts.
    fn become_texts(&mut self) -> Result<&mut Texts, hexphase::Error> {
        if let Self::Numbers(numbers) = self {
            let mut texts = Texts::default();
            for &number in &*numbers {
                texts.push(itoa::Buffer::new().format(number).as_bytes())?;
            }
            *self = Self::Texts(texts);
        }
        match self {
            Self::Texts(texts) => Ok(texts),
            Self::Numbers(_) => Err(hexphase::Error::OutOfMemory),
        }
    }

    /// Returns the text of the id of a row.
    pub(super) fn text(&self, row: u32) -> String {
        match self {
            Self::Numbers(numbers) => numbers[row as usize].to_string(),
            Self::Texts(texts) => String::from_utf8_lossy(texts.get(row as usize)).into_owned(),
        }
    }

    /// Returns the rows in ascending order of their ids; rows with equal ids ascend by row. Returns
    /// `None` if the ids of the rows are already distinct and ascending.
    ///
    /// # Errors
    /// If allocation fails.
    pub(super) fn order(&self) -> Result<Option<Vec<u32>>, hexphase::Error> {
        fn ascending<T: Ord + ?Sized, R: Borrow<T>>(len: usize, get: impl Fn(usize) -> R) -> bool {
            (1..len).all(|row| get(row - 1).borrow() < get(row).borrow())
        }
        match self {
            Self::Numbers(numbers) => {
                if ascending::<u64, _>(numbers.len(), |row| numbers[row]) {
                    return Ok(None);
                }
                let pairs = numbers.iter().copied().zip(0u32..);
                let mut sorted = Vec::new();
                sorted
                    .try_reserve_exact(numbers.len())
                    .map_err(|_| hexphase::Error::OutOfMemory)?;
                sorted.extend(pairs);
                sorted.sort_unstable();
                memory::collect(sorted.iter().map(|&(_, row)| row)).map(Some)
            }
            Self::Texts(texts) => {
                if ascending::<[u8], _>(texts.len(), |row| texts.get(row)) {
                    return Ok(None);
                }
                let mut order = memory::collect((0..texts.len()).map(|row| row as u32))?;
                order.sort_unstable_by_key(|&row| (texts.get(row as usize), row));
                Ok(Some(order))
            }
        }
    }

    /// Returns the first row that repeats the id of an earlier row, as `[earlier, repeating]`.
    /// `order` must be the result of [`order`](Self::order).
    pub(super) fn duplicate(&self, order: &[u32]) -> Option<[u32; 2]> {
        let is_equal = |a: u32, b: u32| {
            let [a, b] = [a as usize, b as usize];
            match self {
                Self::Numbers(numbers) => numbers[a] == numbers[b],
                Self::Texts(texts) => texts.get(a) == texts.get(b),
            }
        };
        let equal = order.windows(2).map(|two| [two[0], two[1]]).filter(|&[a, b]| is_equal(a, b));
        equal.min_by_key(|two| two[1])
    }

    /// Returns the ids in this order of rows; texts become CSV fields.
    ///
    /// # Errors
    /// If allocation fails.
    pub(super) fn into_ids(self, order: Option<&[u32]>) -> Result<Ids, hexphase::Error> {
        match self {
            Self::Numbers(numbers) => Ok(Ids::Numbers(match order {
                Some(order) => memory::collect(order.iter().map(|&row| numbers[row as usize]))?,
                None => numbers,
            })),
            Self::Texts(texts) => {
                if order.is_none() && (0..texts.len()).all(|row| !needs_quotes(texts.get(row))) {
                    return Ok(Ids::Texts(texts));
                }
                let mut fields = Texts::default();
                let no_memory = |_| hexphase::Error::OutOfMemory;
                fields.bytes.try_reserve_exact(texts.bytes.len()).map_err(no_memory)?;
                fields.ends.try_reserve_exact(texts.len()).map_err(no_memory)?;
                let mut quoted = Vec::new();
                for index in 0..texts.len() {
                    let row = order.map_or(index, |order| order[index] as usize);
                    let text = texts.get(row);
                    if needs_quotes(text) {
                        quote(text, &mut quoted);
                        fields.push(&quoted)?;
                    } else {
                        fields.push(text)?;
                    }
                }
                Ok(Ids::Texts(fields))
            }
        }
    }
}

/// Parses an id that is a whole number below 2^64 without leading zeros.
fn number(text: &[u8]) -> Option<u64> {
    /// The number of digits of 2^64 - 1.
    const MAX_DIGITS: usize = 20;
    if text.is_empty() || text.len() > MAX_DIGITS || text.len() > 1 && text[0] == b'0' {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Returns whether a CSV field with this text needs quotes.
fn needs_quotes(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) || text.trim_ascii() != text
}

/// Replaces the contents of `out` with the text as a CSV field in quotes.
fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.clear();
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

    fn list(ids: &[&str]) -> IdList {
        let mut list = IdList::default();
        for id in ids {
            list.push(id.as_bytes()).expect("memory");
        }
        list
    }

    fn sorted(list: IdList) -> Vec<String> {
        let order = list.order().expect("memory");
        let len = match &list {
            IdList::Numbers(numbers) => numbers.len(),
            IdList::Texts(texts) => texts.len(),
        };
        let ids = list.into_ids(order.as_deref()).expect("memory");
        (0..len).map(|object| ids.text(object as u32)).collect()
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
        ] {
            assert_eq!(sorted(list(ids)).join(" "), expected);
            // Ids that come from two blocks.
            for cut in 0..ids.len() {
                let (mut first, mut second) = (list(&ids[..cut]), list(&ids[cut..]));
                first.append(&mut second).expect("memory");
                assert_eq!(sorted(first).join(" "), expected);
            }
        }
    }

    #[test]
    fn texts_are_written_as_fields() {
        let ids = ["b,c", "a", "d \"e\"", "f\ng", "é"];
        assert_eq!(sorted(list(&ids)), ["a", "\"b,c\"", "\"d \"\"e\"\"\"", "\"f\ng\"", "é"]);
        assert_eq!(sorted(list(&["a", "b,"])), ["a", "\"b,\""]);
        let ids = ["a", "b,c", "d \"e\"", "f\ng"];
        let list = list(&ids).into_ids(None).expect("memory");
        let json = |object| {
            let mut out = Vec::new();
            list.write_json(object, &mut out);
            String::from_utf8(out).expect("text")
        };
        let expected = [r#""a""#, r#""b,c""#, r#""d \"e\"""#, r#""f\ng""#];
        assert_eq!([0, 1, 2, 3].map(json), expected);
        assert_eq!(Ids::Rows.text(7), "7");
    }

    #[test]
    fn the_first_repeated_row_is_found() {
        for (ids, expected) in [
            (&["9", "5", "8", "5", "9", "5"][..], Some([1, 3])),
            (&["b", "a", "b", "b"], Some([0, 2])),
            (&["1", "01"], None),
        ] {
            let list = list(ids);
            let order = list.order().expect("memory").unwrap_or_default();
            assert_eq!(list.duplicate(&order), expected, "{ids:?}");
        }
    }
}
