//! Bytes as a file of the command line: a table, WKT, WKB or GeoJSON, compressed or not.
//!
//! The first byte selects the options for reading and the number type.

use core::fmt::Write as _;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;

use clap::Parser;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tempfile::NamedTempFile;

use crate::error::Error;
use crate::scene::{Input, InputArgs, Number, Scene, Warnings, with_dimensions};

/// Options for reading. The last ones select the formats that are otherwise found.
const OPTIONS: [&str; 12] = [
    "",
    "",
    "--no-header",
    "--delimiter ;",
    "--delimiter space --no-header",
    "--columns min_x,min_y,-,max_x,max_y --no-header",
    "--columns x=LON",
    "--decimal-comma",
    "--id name",
    "--format csv",
    "--format wkt",
    "--format geojson --id -",
];

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: InputArgs,
    scene: Vec<OsString>,
}

thread_local! {
    static FILE: NamedTempFile = NamedTempFile::with_prefix("hexphase-fuzz-").expect("a file");
    /// The inputs of all options, which takes longer to parse than a file to read.
    static INPUTS: Vec<Input> = OPTIONS.iter().map(|options| input(options)).collect();
}

fn input(options: &str) -> Input {
    let path = FILE.with(|file| file.path().as_os_str().to_owned());
    let words = ["fuzz"].into_iter().chain(options.split_whitespace()).map(OsString::from);
    let arguments = Arguments::parse_from(words.chain([path]));
    arguments.options.input(&arguments.scene).expect("valid options")
}

/// Reads the bytes as a scene.
///
/// # Panics
/// If an error has several lines, or if an object is invalid.
pub fn run(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    // Parquet is read by another program.
    if bytes.starts_with(b"PAR1") {
        return;
    }
    FILE.with(|file| fs::write(file.path(), bytes).expect("a writable file"));
    let kind = usize::from(kind);
    let mut input = INPUTS.with(|inputs| inputs[kind % OPTIONS.len()].clone());
    let variant = kind / OPTIONS.len();
    if variant >= 9 {
        input = input.with_wrap([360.0, 0.0, 0.0]);
    }
    match variant % 3 {
        0 => read::<f32>(&input, variant < 9),
        1 => read::<f64>(&input, variant < 9),
        _ => read::<i32>(&input, variant < 9),
    }
}

fn read<S: Number>(input: &Input, is_flat: bool) {
    let mut warnings = Warnings::default();
    match Scene::<S>::load(input, &mut warnings) {
        Ok(scene) => with_dimensions!(scene, objects => {
            let mut texts = String::new();
            for (object, bounds) in (0..).zip(&objects.bounds) {
                assert!(!is_flat || bounds.checked().is_ok(), "{bounds:?}");
                writeln!(texts, "{}", objects.ids.text(object)).expect("a string");
            }
        }),
        Err(error) => assert_one_line(&error),
    }
    for line in warnings.lines(input, S::NAME).lines() {
        assert!(line.starts_with("hexphase: warning: "), "{line}");
    }
}

fn assert_one_line(error: &Error) {
    let text = error.to_string();
    assert!(!text.chars().any(char::is_control) && text.len() < 2000, "{text}");
}

/// Files of all formats.
const FILES: [&str; 14] = [
    "min_x,min_y,max_x,max_y\n0,0,1,1\n1,1,2,2\n",
    "id,x,y,z,r\na,0,0,0,1\n\"b \"\"c\"\"\",0,0,2e-1,1\n",
    "x;y;width;height\n0,5;1;2,25;3\n1;2;3;4\n",
    "# a comment\nname\tx\ty\nä\t-1.5\t3\nb\t+7\t.25\n",
    "0 0 1 1\n 5 5 6 6\n",
    "id,geometry\n7,\"POLYGON ((0 0, 1 0, 1 1, 0 0))\"\n8,POINT Z (3 4 5)\n",
    "POINT (1 2)\nLINESTRING (170 0, -170 5)\nSRID=4326;MULTIPOINT ((1 2), (3 4))\n\nPOINT EMPTY\n",
    "GEOMETRYCOLLECTION (POINT (1 2), MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0))))\n",
    "0101000000000000000000F03F0000000000000040\n00000000013FF00000000000004000000000000000\n",
    "0102000000020000000000000000000000000000000000F03F00000000000000400000000000000840\n",
    r#"{"type":"FeatureCollection","features":[{"type":"Feature","id":3,"properties":{"name":"a"},
       "geometry":{"type":"Point","coordinates":[1,2]}}]}"#,
    "{\"type\":\"Point\",\"coordinates\":[1,2]}\n{\"type\":\"Feature\",\"bbox\":[0,0,1,1],\
     \"properties\":null,\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0]]]}}\n",
    "\u{feff}xmin,ymin,xmax,ymax\r\n9007199254740993,-0,1e308,1e-400\r\n",
    "x,y,r\n0.1000000000000000055511151231257827,0,3402823466385288598117041834845169254400\n",
];

/// Returns the seeds: files of all formats, and compressed files.
///
/// # Panics
/// Never: writing to a vector does not fail.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let kinds = [0, 12, 3, 7, 4, 24, 0, 108, 12, 0, 8, 0, 12, 0];
    let seed = |(kind, file): (u8, &[u8])| [&[kind], file].concat();
    let mut seeds: Vec<_> = kinds.into_iter().zip(FILES.map(str::as_bytes)).map(seed).collect();
    for file in &FILES[..2] {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(file.as_bytes()).expect("a vector");
        let gzip = gzip.finish().expect("a vector");
        let zstd = compress_to_vec(file.as_bytes(), CompressionLevel::Fastest);
        seeds.extend([seed((0, &gzip)), seed((0, &zstd))]);
    }
    seeds
}
