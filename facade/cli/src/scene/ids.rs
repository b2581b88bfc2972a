//! The ids of objects: row numbers, numbers or texts.

/// The ids of the objects of a scene, by index. All ids are distinct and ascending.
#[derive(Debug, Default)]
pub(crate) enum Ids {
    /// The ids are the indices.
    #[default]
    Rows,
    /// Whole numbers, ascending.
    Numbers(Vec<u64>),
    /// Texts in the order of their bytes.
    Texts(Texts),
}

impl Ids {
    /// Appends the id of an object as a field of CSV, in quotes if needed.
    #[inline]
    pub(crate) fn write(&self, object: u32, out: &mut Vec<u8>) {
        let mut number = itoa::Buffer::new();
        out.extend_from_slice(match self {
            Self::Rows => number.format(object).as_bytes(),
            Self::Numbers(numbers) => number.format(numbers[object as usize]).as_bytes(),
            Self::Texts(texts) => texts.get(object),
        });
    }

    /// Appends the id of an object as a value of JSON: a number or a string.
    pub(crate) fn write_json(&self, object: u32, out: &mut Vec<u8>) {
        let Self::Texts(texts) = self else { return self.write(object, out) };
        let field = texts.get(object);
        let quoted = field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\""));
        let text = String::from_utf8_lossy(quoted.unwrap_or(field));
        // In a field with quotes, two quotes are one.
        let text = if quoted.is_some() { text.replace("\"\"", "\"") } else { text.into_owned() };
        out.extend_from_slice(crate::json::string(&text).as_bytes());
    }

    /// Returns the id of an object as a field of CSV.
    pub(crate) fn text(&self, object: u32) -> String {
        let mut out = Vec::new();
        self.write(object, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Texts in one buffer, in quotes if a field of CSV needs them.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    fields: Vec<u8>,
    /// The end of each field.
    ends: Vec<usize>,
}

impl Texts {
    /// Appends a text.
    ///
    /// # Errors
    /// If allocation fails.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), hexphase::Error> {
        let quotes = text.bytes().filter(|&byte| byte == b'"').count();
        let needs_quotes = quotes > 0 || text.contains([',', '\n', '\r']) || text.trim() != text;
        let length = text.len() + quotes + if needs_quotes { 2 } else { 0 };
        self.fields.try_reserve(length).map_err(|_| hexphase::Error::OutOfMemory)?;
        self.ends.try_reserve(1).map_err(|_| hexphase::Error::OutOfMemory)?;
        if needs_quotes {
            self.fields.push(b'"');
            for byte in text.bytes() {
                self.fields.push(byte);
                if byte == b'"' {
                    self.fields.push(byte);
                }
            }
            self.fields.push(b'"');
        } else {
            self.fields.extend_from_slice(text.as_bytes());
        }
        self.ends.push(self.fields.len());
        Ok(())
    }

    /// Returns a text as a field of CSV.
    #[inline]
    fn get(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let begin = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.fields[begin..self.ends[index]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_fields() {
        let mut texts = Texts::default();
        for text in ["a", "", "b,c", "d \"e\"", "f\ng", " h", "é"] {
            texts.push(text).expect("memory");
        }
        let ids = Ids::Texts(texts);
        let written: Vec<_> = (0..7).map(|object| ids.text(object)).collect();
        let expected = ["a", "", "\"b,c\"", "\"d \"\"e\"\"\"", "\"f\ng\"", "\" h\"", "é"];
        assert_eq!(written, expected);
        let json = |object| {
            let mut out = Vec::new();
            ids.write_json(object, &mut out);
            String::from_utf8(out).expect("text")
        };
        let expected = [r#""a""#, r#""""#, r#""b,c""#, r#""d \"e\"""#, r#""f\ng""#, r#"" h""#];
        assert_eq!([0, 1, 2, 3, 4, 5].map(json), expected);
        assert_eq!(Ids::Rows.text(7), "7");
        assert_eq!(Ids::Numbers(vec![5, 1 << 40]).text(1), "1099511627776");
    }
}
