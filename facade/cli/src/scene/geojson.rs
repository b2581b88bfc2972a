//! Reads GeoJSON: a document with a collection, or a feature or geometry on each line.
//!
//! 1. Split the text into features without parsing them.
//! 2. Parse the features on several threads: their geometry and their id.
//! 3. Visit the positions of each geometry: the arrays of numbers in its coordinates.

use memchr::memchr_iter;
use serde_json::value::RawValue;

use super::batch::{Batch, Parser};
use super::blocks::Block;
use super::collector::Collector;
use super::geometry::{self, Coordinate, MAX_DEPTH, Malformed, Visit, VisitAll};
use super::json::{Members, Text, members};
use super::number::Number;
use super::short::ShortDecimal;
use super::{Input, Source, Warnings};
use crate::error::{Error, Location, NO_MEMORY, Shown};
use crate::jobs::{self, Job};
use crate::memory;

/// The number of features that one task parses.
const FEATURES_PER_TASK: usize = 1000;
/// The number of tasks per thread that are parsed before their objects are collected.
const TASKS_PER_THREAD: usize = 8;

/// The types of geometries with coordinates, each with the nesting depth of the arrays that are
/// positions.
const KINDS: [(&str, usize); 6] = [
    ("Point", 1),
    ("LineString", 2),
    ("MultiPoint", 2),
    ("Polygon", 3),
    ("MultiLineString", 3),
    ("MultiPolygon", 4),
];

/// A GeoJSON file.
pub(super) struct GeoJson<'a> {
    /// The source.
    pub(super) source: &'a Source,
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
        let first = || first.and_then(|text| members::<false>(text).ok());
        let has_id = || first().is_some_and(|feature| feature.get(FEATURE_ID).is_some());
        let id = match input.options.id.as_deref() {
            Some("-") => None,
            Some(name) => Some(name.into()),
            None => has_id().then(|| FEATURE_ID.into()),
        };
        Self { source, id, sides: input.sides }
    }

    /// Returns the error for a text that is not valid GeoJSON.
    pub(super) fn error(&self, line: u64, message: &str) -> Error {
        Error::new(self.source, message).at(Location::line(line))
    }

    /// Reads a document that is a collection, a feature or a geometry.
    pub(super) fn read_document<S: Number>(
        source: &'a Source,
        input: &Input,
        document: &Block,
        collector: &mut Collector<'a, S>,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        let error = |line: u64, message: &str| {
            Error::new(source, message).at(Location::line(document.line + line))
        };
        let text = str::from_utf8(&document.text).map_err(|why| {
            let before = &document.text[..why.valid_up_to()];
            error(memchr_iter(b'\n', before).count() as u64, "not UTF-8")
        })?;
        let object = members::<true>(text).map_err(|(line, why)| error(line, &why))?;
        let first = match &object.features {
            Some(features) => features.first().map(|feature| feature.get()),
            None => Some(text),
        };
        let file = Self::new(source, input, first);
        collector.begin_file(source, file.id.clone())?;
        if let Some(features) = &object.features {
            return file.read_features(document, text, features, collector, warnings);
        }
        let mut batch = Batch::default();
        file.feature(document.line, text, &mut batch)?;
        collector.append(&mut batch, warnings)
    }

    /// Reads the features of a collection. `text` is the document that contains them.
    fn read_features<S: Number>(
        &self,
        document: &Block,
        text: &str,
        features: &[&RawValue],
        collector: &mut Collector<'_, S>,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        if features.len() > FEATURES_PER_TASK {
            let no_memory = || self.error(document.line, NO_MEMORY);
            memory::start_threads().map_err(|_| no_memory())?;
        }
        let run = |features: &[&RawValue], batch: &mut Batch<S>| {
            let mut lines = LineCounter { text: text.as_bytes(), at: 0, line: document.line };
            features.iter().try_for_each(|feature| {
                let offset = feature.get().as_ptr() as usize - text.as_ptr() as usize;
                self.feature(lines.line_at(offset), feature.get(), batch)
            })
        };
        if features.len() <= FEATURES_PER_TASK {
            let mut batch = Batch::default();
            run(features, &mut batch)?;
            return collector.append(&mut batch, warnings);
        }
        let tasks = TASKS_PER_THREAD * rayon::current_num_threads();
        for features in features.chunks(tasks * FEATURES_PER_TASK) {
            let parts = features.chunks(FEATURES_PER_TASK);
            let mut parts: Vec<_> =
                parts.map(|features| (features, Batch::default(), Ok(()))).collect();
            let jobs = parts.iter_mut().map(|(features, batch, result)| -> Job<'_> {
                Box::new(|| *result = run(features, batch))
            });
            jobs::run_all(jobs.collect());
            for (_, mut batch, result) in parts {
                result?;
                collector.append(&mut batch, warnings)?;
            }
        }
        Ok(())
    }

    /// Appends the object of a feature or a geometry to a batch.
    fn feature<S: Number>(&self, line: u64, text: &str, batch: &mut Batch<S>) -> Result<(), Error> {
        let object = members(text).map_err(|(more, why)| self.error(line + more, &why))?;
        if let Some(features) = object.get("features") {
            let features: Vec<&RawValue> = serde_json::from_str(features)
                .map_err(|_| self.error(line, "\"features\" is not an array"))?;
            return features.iter().try_for_each(|it| self.feature(line, it.get(), batch));
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
        let Some(bounds) = bounds.map_err(|why| self.error(line, &why))? else { return Ok(()) };
        let no_memory = |_| self.error(line, NO_MEMORY);
        if let Some(name) = &self.id {
            let id = self.id_of(name, &object, line)?;
            batch.ids.push(id.as_bytes()).map_err(no_memory)?;
        }
        batch.bounds.try_reserve(1).map_err(|_| no_memory(hexphase::Error::OutOfMemory))?;
        batch.bounds.push(bounds);
        Ok(())
    }

    /// Returns the id of a feature: the value of a property, or of the member `id`.
    fn id_of(&self, name: &str, object: &Members<'_>, line: u64) -> Result<String, Error> {
        let fail = |message: String| {
            let location = Location { line, column: Some(name.into()) };
            Err(Error::new(self.source, message).at(location))
        };
        let properties: Members<'_> = match object.get("properties") {
            Some(text) => members(text).map_err(|(_, why)| self.error(line, &why))?,
            None => Members::default(),
        };
        let own = object.get(FEATURE_ID).filter(|_| name == FEATURE_ID);
        match own.or_else(|| properties.get(name)) {
            None => fail("missing: the feature has no such id (--id - numbers the rows)".into()),
            Some(text) if text.starts_with('"') => match serde_json::from_str::<Text<'_>>(text) {
                Ok(Text(text)) if text.is_empty() => fail("empty where an id is expected".into()),
                Ok(Text(text)) => Ok(text.into_owned()),
                Err(why) => fail(why.to_string()),
            },
            Some(text) if text.starts_with(['{', '[']) => {
                fail(format!("\"{}\" is neither a text nor a number", Shown(text)))
            }
            Some(text) => Ok(text.into()),
        }
    }
}

/// Parses lines with a feature or a geometry each.
impl<S: Number> Parser<S> for GeoJson<'_> {
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error> {
        for (line, text) in (block.line..).zip(block.text.split(|&byte| byte == b'\n')) {
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

/// Counts the lines before offsets that ascend.
struct LineCounter<'t> {
    text: &'t [u8],
    at: usize,
    line: u64,
}

impl LineCounter<'_> {
    fn line_at(&mut self, offset: usize) -> u64 {
        self.line += memchr_iter(b'\n', &self.text[self.at..offset]).count() as u64;
        self.at = offset;
        self.line
    }
}

/// Calls `visit` for the coordinates of a geometry.
pub(super) fn read_geometry<'t>(text: &'t [u8], visit: Visit<'_, 't>) -> Result<(), Malformed> {
    let text = str::from_utf8(text).map_err(|_| "not UTF-8")?;
    geometry_at(text, visit, 0)
}

fn geometry_at<'t>(text: &'t str, visit: Visit<'_, 't>, depth: usize) -> Result<(), Malformed> {
    if depth > MAX_DEPTH {
        return Err("too many nested collections".into());
    }
    let object = members::<false>(text).map_err(|(_, why)| why)?;
    let Some(kind) = object.get("type") else { return Err("a geometry without a type".into()) };
    let kind = kind.trim_matches('"');
    if kind == "GeometryCollection" {
        let list = object.get("geometries").unwrap_or("[]");
        let list: Vec<&RawValue> = serde_json::from_str(list)
            .map_err(|_| "\"geometries\" is not an array of geometries")?;
        return list.into_iter().try_for_each(|item| geometry_at(item.get(), visit, depth + 1));
    }
    let Some(&(_, levels)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        return Err(format!("\"{}\" is not the type of a geometry", Shown(kind)).into());
    };
    // Each point is a part, otherwise each array of positions.
    let part = if kind.ends_with("Point") { levels } else { levels - 1 };
    coordinates(object.get("coordinates").unwrap_or("[]").as_bytes(), [levels, part], visit)
}

/// Calls `visit` for the coordinates in nested arrays, given the depth of positions and of parts.
/// The text must be valid JSON.
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
                let (mut short, mut length) = ShortDecimal::prefix(rest);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn visited(text: &str) -> Result<String, Malformed> {
        let mut list = Vec::new();
        read_geometry(text.as_bytes(), &mut |axis: usize, coordinate: Coordinate<'_>| {
            let Coordinate::Text(number, short) = coordinate else { panic!("a text") };
            assert_eq!(axis, list.len() % 2);
            let number = String::from_utf8_lossy(number);
            assert_eq!(ShortDecimal::new(&number), short);
            list.push(number.into_owned());
            Ok(())
        })?;
        Ok(list.join(" "))
    }

    #[test]
    fn coordinates_are_visited() {
        for (kind, coordinates, expected) in [
            ("Point", "[1.50,-2e3,7]", "1.50 -2e3"),
            ("Point", "[]", ""),
            ("LineString", "[[0,1],\n [2, 3]]", "0 1 2 3"),
            ("MultiPoint", "[]", ""),
            ("Polygon", "[[[0,0],[1,0],[1,1],[0,0]]]", "0 0 1 0 1 1 0 0"),
            ("MultiPolygon", "[[[[0,0],[1,1]]],[]]", "0 0 1 1"),
        ] {
            let text = format!("{{\"type\":\"{kind}\",\"coordinates\":{coordinates}}}");
            assert_eq!(visited(&text).as_deref(), Ok(expected), "{text}");
        }
        let nested = r#"{"type":"GeometryCollection","geometries":[{"type":"GeometryCollection",
            "geometries":[{"type":"Point","coordinates":[1,2]}]},
            {"coordinates":[3,4],"type":"Point","bbox":[9,9,9,9]}]}"#;
        assert_eq!(visited(nested).as_deref(), Ok("1 2 3 4"));
    }

    #[test]
    fn malformed_geometries_are_errors() {
        for (text, message) in [
            ("{}", "a geometry without a type"),
            (r#"{"type":"Circle"}"#, "\"Circle\" is not the type of a geometry"),
            (r#"{"type":"Point","coordinates":[1]}"#, "a position has at least two numbers"),
            (
                r#"{"type":"Point","coordinates":[[1,2]]}"#,
                "coordinates must be arrays of numbers, nested 1 times",
            ),
            (
                r#"{"type":"LineString","coordinates":[1,2]}"#,
                "coordinates must be arrays of numbers, nested 2 times",
            ),
            (
                r#"{"type":"Point","coordinates":["1",2]}"#,
                "coordinates must be arrays of numbers, nested 1 times",
            ),
            (
                r#"{"type":"GeometryCollection","geometries":7}"#,
                "\"geometries\" is not an array of geometries",
            ),
        ] {
            assert_eq!(visited(text).unwrap_err(), message, "{text}");
        }
    }
}
