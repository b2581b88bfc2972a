//! Converts a Parquet or GeoParquet file to CSV that `hexphase` can read.
//!
//! 1. Select the columns of numbers, texts and binary data, also within structures (`select`).
//! 2. Read rows, and write their fields in the selected columns.

use std::env;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use parquet::basic::{ConvertedType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use parquet::schema::types::Type;

fn main() -> ExitCode {
    let mut files = env::args_os().skip(1);
    let (Some(file), None) = (files.next(), files.next()) else {
        eprintln!("hexphase-parquet: expected the path of one Parquet file");
        return ExitCode::from(2);
    };
    let out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    match convert(Path::new(&file), out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(why) => {
            let message = why.to_string();
            let line = message.lines().next().unwrap_or_default();
            eprintln!("hexphase-parquet: {}: {line}", file.to_string_lossy());
            ExitCode::from(2)
        }
    }
}

/// The reason that a file cannot be converted.
#[derive(Debug)]
enum Failure {
    Read(ParquetError),
    Open(io::Error),
    Write(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(why) => why.fmt(f),
            Self::Open(why) | Self::Write(why) => why.fmt(f),
        }
    }
}

impl From<ParquetError> for Failure {
    fn from(why: ParquetError) -> Self {
        Self::Read(why)
    }
}

impl From<io::Error> for Failure {
    fn from(why: io::Error) -> Self {
        Self::Write(why)
    }
}

/// Writes a file as CSV.
fn convert(path: &Path, mut out: impl Write) -> Result<(), Failure> {
    let reader = SerializedFileReader::new(File::open(path).map_err(Failure::Open)?)?;
    let schema = reader.metadata().file_metadata().schema();
    let mut selected = Vec::new();
    let mut names = Vec::new();
    for field in schema.get_fields() {
        if let Some(names_of_field) = select(field) {
            names.extend(names_of_field);
            selected.push(field.clone());
        }
    }
    if names.is_empty() {
        let message = "no column of numbers, texts or binary data".into();
        return Err(Failure::Read(ParquetError::General(message)));
    }
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_text(name, &mut out)?;
    }
    out.write_all(b"\n")?;
    let projection = Type::group_type_builder(schema.name()).with_fields(selected).build()?;
    let mut hexadecimal = Vec::new();
    for row in reader.get_row_iter(Some(projection))? {
        let mut is_first = true;
        write_row(&row?, &mut is_first, &mut hexadecimal, &mut out)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Returns the names of the CSV columns for a column of the file; `None` if the column is left out.
fn select(field: &Type) -> Option<Vec<String>> {
    if field.get_basic_info().has_repetition()
        && field.get_basic_info().repetition() == parquet::basic::Repetition::REPEATED
    {
        return None;
    }
    if field.is_group() {
        let fields = field.get_fields();
        let is_structure = field.get_basic_info().converted_type() == ConvertedType::NONE;
        // A structure that has other fields than numbers, texts and binary data is left out.
        let names: Option<Vec<_>> = fields.iter().map(|field| select(field)).collect();
        return names.filter(|_| is_structure).map(|names| names.concat());
    }
    let converted = field.get_basic_info().converted_type();
    let is_time = matches!(
        converted,
        ConvertedType::DATE
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS
            | ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
            | ConvertedType::INTERVAL
            | ConvertedType::DECIMAL
    );
    let is_time = is_time || field.get_physical_type() == PhysicalType::INT96;
    (!is_time).then(|| vec![field.name().to_owned()])
}

/// Writes the fields of a row.
fn write_row(
    row: &Row,
    is_first: &mut bool,
    hexadecimal: &mut Vec<u8>,
    out: &mut impl Write,
) -> io::Result<()> {
    for (_, field) in row.get_column_iter() {
        if let Field::Group(row) = field {
            write_row(row, is_first, hexadecimal, out)?;
            continue;
        }
        if !core::mem::replace(is_first, false) {
            out.write_all(b",")?;
        }
        match field {
            Field::Bool(value) => write!(out, "{value}")?,
            Field::Byte(value) => write!(out, "{value}")?,
            Field::Short(value) => write!(out, "{value}")?,
            Field::Int(value) => write!(out, "{value}")?,
            Field::Long(value) => write!(out, "{value}")?,
            Field::UByte(value) => write!(out, "{value}")?,
            Field::UShort(value) => write!(out, "{value}")?,
            Field::UInt(value) => write!(out, "{value}")?,
            Field::ULong(value) => write!(out, "{value}")?,
            Field::Float16(value) => write!(out, "{value}")?,
            // The fewest digits that are read as the same value; with an exponent for very small
            // and very large values.
            Field::Float(value) if is_plain(f64::from(*value)) => write!(out, "{value}")?,
            Field::Float(value) => write!(out, "{value:e}")?,
            Field::Double(value) if is_plain(*value) => write!(out, "{value}")?,
            Field::Double(value) => write!(out, "{value:e}")?,
            Field::Str(text) => write_text(text, out)?,
            Field::Bytes(bytes) => {
                const DIGITS: [u8; 16] = *b"0123456789abcdef";
                hexadecimal.clear();
                let digits =
                    |byte: &u8| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
                hexadecimal.extend(bytes.data().iter().flat_map(digits));
                out.write_all(hexadecimal)?;
            }
            // Missing values are empty fields. Other types are not selected.
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a number is written without an exponent.
fn is_plain(value: f64) -> bool {
    value == 0.0 || (1e-5..1e15).contains(&value.abs())
}

/// Writes a text as a CSV field, in quotes if necessary.
fn write_text(text: &str, out: &mut impl Write) -> io::Result<()> {
    if text.contains([',', '"', '\n', '\r']) {
        return write!(out, "\"{}\"", text.replace('"', "\"\""));
    }
    out.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    /// Writes a Parquet file with an id, a text, a structure of two numbers, a geometry and a list.
    fn file() -> std::path::PathBuf {
        let schema = "message schema {
            REQUIRED INT64 id;
            OPTIONAL BYTE_ARRAY name (UTF8);
            REQUIRED group bbox { REQUIRED DOUBLE xmin; REQUIRED DOUBLE ymax; }
            OPTIONAL BYTE_ARRAY geometry;
            REPEATED INT64 list;
        }";
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let path = env::temp_dir().join(format!("hexphase-{}.parquet", std::process::id()));
        let properties = Arc::new(WriterProperties::builder().build());
        let file = File::create(&path).expect("a file");
        let mut writer = SerializedFileWriter::new(file, schema, properties).expect("a writer");
        let mut rows = writer.next_row_group().expect("rows");
        let text = |text: &str| ByteArray::from(text);
        let mut index = 0;
        while let Some(mut column) = rows.next_column().expect("a column") {
            match index {
                0 => column.typed::<Int64Type>().write_batch(&[7, -1 << 40], None, None),
                1 => column.typed::<ByteArrayType>().write_batch(
                    &[text("a, \"b\"")],
                    Some(&[1, 0]),
                    None,
                ),
                2 => column.typed::<DoubleType>().write_batch(&[0.1, -1e300], None, None),
                3 => column.typed::<DoubleType>().write_batch(&[2.0, 0.0], None, None),
                4 => column.typed::<ByteArrayType>().write_batch(
                    &[ByteArray::from(vec![1, 0xab])],
                    Some(&[0, 1]),
                    None,
                ),
                _ => column.typed::<Int64Type>().write_batch(&[], Some(&[0, 0]), Some(&[0, 0])),
            }
            .expect("values");
            column.close().expect("a column");
            index += 1;
        }
        rows.close().expect("rows");
        writer.close().expect("a file");
        path
    }

    #[test]
    fn columns_become_fields() {
        let path = file();
        let mut out = Vec::new();
        convert(&path, &mut out).expect("a file of Parquet");
        std::fs::remove_file(path).expect("a file");
        let text = String::from_utf8(out).expect("text");
        let expected = "id,name,xmin,ymax,geometry\n7,\"a, \"\"b\"\"\",0.1,2,\n\
                        -1099511627776,,-1e300,0,01ab\n";
        assert_eq!(text, expected);
    }
}
