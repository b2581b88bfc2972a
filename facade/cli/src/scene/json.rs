//! Parses JSON objects into their members. Values remain raw text: numbers keep their digits, and
//! no tree of values is built.

use alloc::borrow::Cow;
use core::fmt;

use serde_core::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON string with its quotes and escapes resolved.
#[derive(Debug)]
pub(super) struct Text<'t>(pub(super) Cow<'t, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.into())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

/// The members of an object. If `SPLITS` is set, the member `features` is split into its elements.
#[derive(Debug, Default)]
pub(super) struct Members<'t, const SPLITS: bool = false> {
    members: Vec<(Cow<'t, str>, &'t RawValue)>,
    /// The elements of the member `features`, if it exists and `SPLITS` is set.
    pub(super) features: Option<Vec<&'t RawValue>>,
}

impl<'t, const SPLITS: bool> Members<'t, SPLITS> {
    /// Returns the raw text of a member; `None` if it is missing or `null`.
    pub(super) fn get(&self, name: &str) -> Option<&'t str> {
        let (_, value) = self.members.iter().rfind(|(member, _)| member == name)?;
        Some(value.get()).filter(|&text| text != "null")
    }
}

impl<'de, const SPLITS: bool> Deserialize<'de> for Members<'de, SPLITS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor<const SPLITS: bool>;

        impl<'de, const SPLITS: bool> Visitor<'de> for MembersVisitor<SPLITS> {
            type Value = Members<'de, SPLITS>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut object = Members::default();
                while let Some(Text(name)) = map.next_key()? {
                    if SPLITS && name == "features" {
                        object.features = map.next_value()?;
                    } else {
                        object.members.push((name, map.next_value()?));
                    }
                }
                Ok(object)
            }
        }

        deserializer.deserialize_map(MembersVisitor::<SPLITS>)
    }
}

/// Parses a JSON object.
///
/// # Errors
/// Returns the line of the problem within the text, counted from 0, and the message.
pub(super) fn members<const SPLITS: bool>(
    text: &str,
) -> Result<Members<'_, SPLITS>, (u64, String)> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let line = error.line().saturating_sub(1) as u64;
        (line, format!("{message} at character {}", error.column()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_text() {
        let object = members::<false>(r#" {"a":1.50, "b\n":[1,{"c":2}],"a":"x","n":null} "#)
            .expect("an object");
        assert_eq!(object.get("a"), Some("\"x\""));
        assert_eq!(object.get("b\n"), Some(r#"[1,{"c":2}]"#));
        assert_eq!([object.get("n"), object.get("c")], [None; 2]);
        let features = members::<true>(r#"{"features":[1,{"b":2}]}"#).expect("an object").features;
        let texts: Vec<_> = features.iter().flatten().map(|raw| raw.get()).collect();
        assert_eq!(texts, ["1", r#"{"b":2}"#]);
    }

    #[test]
    fn malformed_texts_are_errors() {
        for (text, line, message) in [
            ("{", 0, "EOF while parsing an object at character 1"),
            ("{\n\"a\":x}", 1, "expected value at character 5"),
            ("{} {}", 0, "trailing characters at character 4"),
            ("[1]", 0, "invalid type: sequence, expected an object at character 0"),
        ] {
            assert_eq!(members::<false>(text).unwrap_err(), (line, message.into()), "{text}");
        }
    }
}
