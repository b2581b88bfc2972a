//! Opens a file of a scene, finds its format, and reads its objects.

use super::blocks::Blocks;
use super::collector::{Batch, Collector};
use super::columns::Form;
use super::generated::{self, Generated};
use super::geojson::{GeoJson, Members};
use super::geometry::WktLines;
use super::input::FileFormat;
use super::table::Table;
use super::wkt::is_wkt;
use super::{Input, InputArgs, Number, Source, with_dimensions};
use crate::error::Error;

pub(super) struct OpenFile<'a> {
    source: &'a Source,
    contents: Contents<'a>,
}

enum Contents<'a> {
    /// A table whose header has been read.
    Table(Blocks<'a>, Box<Table<'a>>),
    /// A geometry in WKT or WKB on each line.
    WktLines(Blocks<'a>),
    /// A GeoJSON feature or geometry on each line.
    GeoJsonLines(Blocks<'a>),
    GeoJson(Blocks<'a>),
    Generated(Generated),
}

impl<'a> OpenFile<'a> {
    /// Opens a file, finds its format, and reads the header of a table.
    pub(super) fn open(source: &'a Source, input: &Input) -> Result<Self, Error> {
        let options = &input.options;
        let contents = match source {
            Source::Generated(name) => Contents::Generated(generated::movers(*name)?),
            _ => {
                let mut blocks = Blocks::new(source, source.open()?);
                let format = match options.format {
                    Some(format) => format,
                    None => find_format(blocks.peek()?, options),
                };
                match format {
                    FileFormat::Csv => {
                        let table = Table::open(source, input, &mut blocks)?;
                        Contents::Table(blocks, Box::new(table))
                    }
                    FileFormat::Wkt => Contents::WktLines(blocks),
                    FileFormat::Geojson if has_lines(&mut blocks)? => {
                        Contents::GeoJsonLines(blocks)
                    }
                    FileFormat::Geojson => Contents::GeoJson(blocks),
                }
            }
        };
        Ok(Self { source, contents })
    }

    /// Returns the number of dimensions. Geometries have two dimensions.
    pub(super) const fn dimensions(&self) -> usize {
        match &self.contents {
            Contents::Table(_, table) => table.columns.dimensions,
            Contents::Generated(scene) => scene.dimensions(),
            _ => 2,
        }
    }

    pub(super) fn read<S: Number>(
        self,
        input: &Input,
        collector: &mut Collector<'a, S>,
    ) -> Result<(), Error> {
        let Self { source, contents } = self;
        let option = input.options.id.as_deref();
        let has_discs = match &contents {
            Contents::Table(_, table) => matches!(table.columns.form, Form::Ball | Form::Point),
            Contents::Generated(scene) => {
                with_dimensions!(scene, movers => generated::are_discs(movers))
            }
            _ => false,
        };
        collector.are_discs &= has_discs;
        match contents {
            Contents::Table(mut blocks, table) => {
                if let Some(note) = table.note() {
                    collector.warnings.note(source, note);
                }
                let ids = table.columns.id.map(|column| table.column_name(column));
                collector.begin_file(source, ids)?;
                collector.read(&mut blocks, &*table)
            }
            Contents::WktLines(mut blocks) => {
                if option.is_some_and(|id| id != "-") {
                    return Err(Error::new("--id", format_args!("{source} has no columns")));
                }
                collector.begin_file(source, None)?;
                let lines = WktLines { source, sides: input.sides };
                collector.read(&mut blocks, &lines)
            }
            Contents::GeoJsonLines(mut blocks) => {
                let first = blocks.peek()?.split(|&byte| byte == b'\n').next().unwrap_or_default();
                let first = first.strip_prefix(b"\x1e").unwrap_or(first);
                let file = GeoJson::new(source, input, str::from_utf8(first).ok());
                collector.begin_file(source, file.id.clone())?;
                collector.read(&mut blocks, &file)
            }
            Contents::GeoJson(mut blocks) => {
                let document = blocks.read_all()?;
                GeoJson::read_document(source, input, &document, collector)
            }
            Contents::Generated(scene) => {
                collector.begin_file(source, None)?;
                let mut batch = Batch::default();
                with_dimensions!(&scene, movers => {
                    generated::append(movers, &mut batch);
                });
                collector.append(&mut batch)
            }
        }
    }
}

/// Returns the format of a file that begins with these bytes. Options about columns select a table.
fn find_format(head: &[u8], options: &InputArgs) -> FileFormat {
    let is_table = options.no_header || options.columns.is_some() || options.delimiter.is_some();
    let head = head.trim_ascii_start();
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let is_wkb = || {
        /// The length of the shortest geometry in hexadecimal WKB: one without points.
        const MIN_LENGTH: usize = 18;
        let begins = line.starts_with(b"00") || line.starts_with(b"01");
        begins && line.len() >= MIN_LENGTH && line.iter().all(u8::is_ascii_hexdigit)
    };
    match head.first() {
        _ if is_table => FileFormat::Csv,
        Some(b'{' | 0x1e) => FileFormat::Geojson,
        _ if is_wkt(line) || is_wkb() => FileFormat::Wkt,
        _ => FileFormat::Csv,
    }
}

/// Returns whether the first line of a GeoJSON text is a complete object, and more lines follow.
fn has_lines(blocks: &mut Blocks<'_>) -> Result<bool, Error> {
    let first = blocks.peek()?.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = first.trim_ascii();
    if first.starts_with(b"\x1e") {
        return Ok(true);
    }
    let is_complete = str::from_utf8(first).is_ok_and(|line| Members::new(line).is_ok());
    Ok(is_complete && !blocks.is_one_line()?)
}
