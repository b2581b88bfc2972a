//! Objects of JSON, each on one line.

use core::fmt::{Display, Write};

pub(crate) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

pub(crate) struct Object {
    text: String,
}

impl Object {
    pub(crate) fn new() -> Self {
        Self { text: String::from("{") }
    }

    /// Adds a field whose value is JSON, such as a number.
    pub(crate) fn field(mut self, name: &str, value: impl Display) -> Self {
        let comma = if self.text.len() > 1 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{comma}\"{name}\":{value}");
        self
    }

    pub(crate) fn text(self, name: &str, text: &str) -> Self {
        self.field(name, string(text))
    }

    pub(crate) fn list<T: Display>(self, name: &str, values: impl IntoIterator<Item = T>) -> Self {
        let values: Vec<_> = values.into_iter().map(|value| value.to_string()).collect();
        self.field(name, format_args!("[{}]", values.join(",")))
    }

    /// Returns the object, without a line end.
    pub(crate) fn line(mut self) -> String {
        self.text.push('}');
        self.text
    }
}
