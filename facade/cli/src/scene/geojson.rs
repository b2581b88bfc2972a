//! Reads GeoJSON: a document with a collection, or a feature or geometry on each line.
//!
//! 1. Split the text into features without parsing them. Values remain raw text, so numbers keep
//!    their digits and no tree of values is built.
//! 2. Parse the features on several threads: their geometry and their id.
//! 3. Visit the positions of each geometry: the arrays of numbers in its coordinates.

use alloc::collections::BTreeMap;

use memchr::memchr_iter;
use rayon::prelude::*;
use serde_json::value::RawValue;

use super::blocks::Block;
use super::collector::{Batch, Collector, Parser};
use super::decimal::Decimal;
use super::geometry::{self, Coordinate, MAX_DEPTH, Malformed, Visit, VisitAll};
use super::number::Number;
use super::{Input, Source};
use crate::error::{Error, Location, NO_MEMORY, Shown};
use crate::memory::{self, OutOfMemory};

/// The number of features that one task parses.
const FEATURES_PER_TASK: usize = 1000;

/// The types of geometries, each with the nesting depth of the arrays that are positions.
const KINDS: [(&str, usize); 6] = [
    ("Point", 1),
    ("LineString", 2),
    ("MultiPoint", 2),
    ("Polygon", 3),
    ("MultiLineString", 3),
    ("MultiPolygon", 4),
];

#[derive(Debug, Default)]
pub(super) struct Members<'t>(BTreeMap<String, &'t RawValue>);

impl<'t> Members<'t> {
    /// Parses an object. If a member is repeated, the last one counts.
    ///
    /// # Errors
    /// Returns the line of the problem within the text, counted from 0, and the message.
    pub(super) fn new(text: &'t str) -> Result<Self, (u64, String)> {
        let parsed = serde_json::from_str(text).map(Self);
        parsed.map_err(|error| {
            let message = error.to_string().replace("expected a map", "expected an object");
            let message = message.split(" at line ").next().unwrap_or_default();
            let line = error.line().saturating_sub(1) as u64;
            (line, format!("{message} at character {}", error.column()))
        })
    }

    /// Returns the raw text of a member; `None` if it is missing or `null`.
    fn get(&self, name: &str) -> Option<&'t str> {
        self.0.get(name).map(|value| value.get()).filter(|&text| text != "null")
    }

    /// Returns the elements of a member, which must be an array; `None` if it is missing.
    fn list(&self, name: &str) -> Result<Option<Vec<&'t str>>, String> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let list: Vec<&RawValue> =
            serde_json::from_str(text).map_err(|_| format!("\"{name}\" is not an array"))?;
        Ok(Some(list.into_iter().map(RawValue::get).collect()))
    }
}

pub(super) struct GeoJson<'a> {
    source: &'a Source,
    /// The name of the property with the id, or [`FEATURE_ID`]; `None` if rows have no ids.
    pub(super) id: Option<String>,
    /// The length of each axis that wraps, 0 for other axes.
    sides: [f64; 3],
}

/// The name of the member of a feature with its id. With this name, a property is used only if the
/// feature has no such member.
const FEATURE_ID: &str = "id";

impl<'a> GeoJson<'a> {
    /// Creates a reader and finds the name of the ids. `first` is the first feature, if the text
    /// has features. Without the option `--id`, features have ids if the first one has the member
    /// [`FEATURE_ID`].
    pub(super) fn new(source: &'a Source, input: &Input, first: Option<&str>) -> Self {
        let first = || first.and_then(|text| Members::new(text).ok());
        let has_id = || first().is_some_and(|feature| feature.get(FEATURE_ID).is_some());
        let id = match input.options.id.as_deref() {
            Some("-") => None,
            Some(name) => Some(name.into()),
            None => has_id().then(|| FEATURE_ID.into()),
        };
        Self { source, id, sides: input.sides }
    }

    fn error(&self, line: u64, message: &str) -> Error {
        Error::new(self.source, message).at(Location::line(line))
    }

    /// Reads a collection, a feature or a geometry. Features are parsed on several threads.
    pub(super) fn read_document<S: Number>(
        source: &'a Source,
        input: &Input,
        document: &Block,
        collector: &mut Collector<'a, S>,
    ) -> Result<(), Error> {
        let error = |line: u64, message: &str| {
            Error::new(source, message).at(Location::line(document.line + line))
        };
        let text = str::from_utf8(&document.text).map_err(|why| {
            let before = &document.text[..why.valid_up_to()];
            error(memchr_iter(b'\n', before).count() as u64, "not UTF-8")
        })?;
        let object = Members::new(text).map_err(|(line, why)| error(line, &why))?;
        let features = object.list("features").map_err(|why| error(0, &why))?;
        let features = features.unwrap_or_else(|| vec![text]);
        let file = Self::new(source, input, features.first().copied());
        collector.begin_file(source, file.id.clone())?;
        if features.len() > FEATURES_PER_TASK {
            memory::start_threads().map_err(|OutOfMemory| error(0, NO_MEMORY))?;
        }
        let (mut line, mut at) = (document.line, 0);
        let located: Vec<(u64, &str)> = features
            .into_iter()
            .map(|feature| {
                let begin = feature.as_ptr() as usize - text.as_ptr() as usize;
                line += memchr_iter(b'\n', &text.as_bytes()[at..begin]).count() as u64;
                at = begin;
                (line, feature)
            })
            .collect();
        let tasks = located.par_chunks(FEATURES_PER_TASK).map(|features| {
            let mut batch = Batch::default();
            let mut features = features.iter();
            features.try_for_each(|&(line, text)| file.feature(line, text, &mut batch))?;
            Ok(batch)
        });
        let batches: Vec<Result<Batch<S>, Error>> = tasks.collect();
        batches.into_iter().try_for_each(|batch| collector.append(&mut batch?))
    }

    fn feature<S: Number>(&self, line: u64, text: &str, batch: &mut Batch<S>) -> Result<(), Error> {
        let error = |why: &str| self.error(line, why);
        let object = Members::new(text).map_err(|(more, why)| self.error(line + more, &why))?;
        if let Some(features) = object.list("features").map_err(|why| error(&why))? {
            return features.into_iter().try_for_each(|text| self.feature(line, text, batch));
        }
        batch.begin_row(line);
        let is_feature = object.get("type") == Some("\"Feature\"");
        let geometry = if is_feature { object.get("geometry") } else { Some(text) };
        let visit_all: VisitAll<'_, '_> = &|visit| match geometry {
            Some(geometry) => read_geometry(geometry.as_bytes(), visit),
            None => Ok(()),
        };
        let location = || Location::line(line).to_string();
        let bounds = geometry::bounds(visit_all, self.sides, location, batch);
        let Some(bounds) = bounds.map_err(|why| error(&why))? else { return Ok(()) };
        let id = self.id.as_ref().map(|name| self.id_of(name, &object, line)).transpose()?;
        let pushed = batch.push(bounds, id.as_deref().map(str::as_bytes));
        pushed.map_err(|OutOfMemory| error(NO_MEMORY))
    }

    /// Returns the id of a feature: the value of a property, or of the member `id`.
    fn id_of(&self, name: &str, object: &Members<'_>, line: u64) -> Result<String, Error> {
        let fail = |message: String| {
            let location = Location { line, column: Some(name.into()) };
            Err(Error::new(self.source, message).at(location))
        };
        let properties = match object.get("properties") {
            Some(text) => Members::new(text).map_err(|(_, why)| self.error(line, &why))?,
            None => Members::default(),
        };
        let own = object.get(FEATURE_ID).filter(|_| name == FEATURE_ID);
        match own.or_else(|| properties.get(name)) {
            None => fail("missing: the feature has no such id (--id - numbers the rows)".into()),
            Some(text) if text.starts_with('"') => match serde_json::from_str::<String>(text) {
                Ok(text) if text.is_empty() => fail("empty where an id is expected".into()),
                Ok(text) => Ok(text),
                Err(why) => fail(why.to_string()),
            },
            Some(text) if text.starts_with(['{', '[']) => {
                fail(format!("\"{}\" is neither a text nor a number", Shown(text)))
            }
            Some(text) => Ok(text.into()),
        }
    }
}

impl<S: Number> Parser<S> for GeoJson<'_> {
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error> {
        for (line, text) in block.lines() {
            // In GeoJSON text sequences, a record separator precedes each line.
            let text = text.strip_prefix(b"\x1e").unwrap_or(text).trim_ascii();
            if !text.is_empty() {
                let text = str::from_utf8(text).map_err(|_| self.error(line, "not UTF-8"))?;
                self.feature(line, text, batch)?;
            }
        }
        Ok(())
    }
}

pub(super) fn read_geometry<'t>(text: &'t [u8], visit: Visit<'_, 't>) -> Result<(), Malformed> {
    let text = str::from_utf8(text).map_err(|_| "not UTF-8")?;
    geometry_at(text, visit, 0)
}

fn geometry_at<'t>(text: &'t str, visit: Visit<'_, 't>, depth: usize) -> Result<(), Malformed> {
    if depth > MAX_DEPTH {
        return Err("too many nested collections".into());
    }
    let object = Members::new(text).map_err(|(_, why)| why)?;
    let Some(kind) = object.get("type") else { return Err("a geometry without a type".into()) };
    let kind = kind.trim_matches('"');
    if kind == "GeometryCollection" {
        let list = object.list("geometries")?.unwrap_or_default();
        return list.into_iter().try_for_each(|item| geometry_at(item, visit, depth + 1));
    }
    let Some(&(_, levels)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        return Err(format!("\"{}\" is not the type of a geometry", Shown(kind)).into());
    };
    // Each point is a part, otherwise each array of positions.
    let part = if kind.ends_with("Point") { levels } else { levels - 1 };
    coordinates(object.get("coordinates").unwrap_or("[]").as_bytes(), [levels, part], visit)
}

/// Calls `visit` for the coordinates in nested arrays, given the depth of positions and of parts.
fn coordinates<'t>(
    text: &'t [u8],
    [levels, part]: [usize; 2],
    visit: Visit<'_, 't>,
) -> Result<(), Malformed> {
    let malformed = || format!("coordinates must be arrays of numbers, nested {levels} times");
    let (mut depth, mut count, mut at) = (0, 0, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'[' => {
                depth += 1;
                count = 0;
                if depth == part {
                    visit.part(true);
                }
            }
            b']' => {
                // Only a point may have an empty array: it then has no coordinates.
                let is_whole = depth != levels || count >= 2 || count == 0 && levels == 1;
                if !is_whole {
                    return Err("a position has at least two numbers".into());
                }
                depth -= 1;
                count = 0;
            }
            b',' | b' ' | b'\n' | b'\t' => {}
            b'-' | b'0'..=b'9' if depth == levels => {
                let rest = &text[at..];
                let is_digit = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let (mut short, mut length) = Decimal::short_prefix(rest);
                if length == 0 || rest.get(length).is_some_and(is_digit) {
                    short = None;
                    while rest.get(length).is_some_and(is_digit) {
                        length += 1;
                    }
                }
                if count < 2 {
                    visit.coordinate(count, Coordinate::Text(&rest[..length], short))?;
                }
                count += 1;
                at += length;
                continue;
            }
            _ => return Err(malformed().into()),
        }
        if depth > levels {
            return Err(malformed().into());
        }
        at += 1;
    }
    Ok(())
}
