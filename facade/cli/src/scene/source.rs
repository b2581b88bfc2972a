//! The source of a scene: a file, standard input, or a generator of scenes.

use core::fmt;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use broadphase_core::scenes::{SceneKind, SceneName, UnknownScene};

use super::blocks::{Block, Blocks};
use super::parquet::{self, ParquetReader};
use super::unpack::{GzipReader, ZstdReader, is_zstd};
use crate::error::{Error, Shown};
use crate::progress::Metered;

/// Size of the read buffer in bytes.
const BUFFER_SIZE: usize = 1 << 16;
/// Number of bytes by which compressed data and Parquet are recognized.
const MAGIC_LENGTH: usize = 4;

/// The source that an argument `SCENE` names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    File(PathBuf),
    /// Standard input, compressed or not.
    Stdin,
    Generated(SceneName),
}

impl Source {
    /// Parses an argument. The first interpretation that applies is used: `-`, an existing file,
    /// the name of a generated scene, a file that does not exist.
    pub(crate) fn new(argument: &OsStr) -> Result<Self, Error> {
        if argument == "-" {
            return Ok(Self::Stdin);
        }
        if argument.is_empty() {
            return Err(Error::new("SCENE", "the name of the file is empty"));
        }
        let path = Path::new(argument);
        match argument.to_str() {
            Some(text) if looks_generated(text) && fs::symlink_metadata(path).is_err() => {
                Self::generated(text).map(Self::Generated)
            }
            _ => Ok(Self::File(path.into())),
        }
    }

    pub(crate) fn generated(text: &str) -> Result<SceneName, Error> {
        text.parse().map_err(|error: UnknownScene| Error::new(Shown(text), error))
    }

    /// Returns the metadata of the file that is read, including a file that standard input is
    /// redirected from; `None` if there is no file.
    pub(crate) fn metadata(&self) -> Option<fs::Metadata> {
        match self {
            Self::File(path) => fs::metadata(path).ok(),
            #[cfg(unix)]
            Self::Stdin => {
                use std::os::fd::AsFd;
                let stdin = io::stdin().as_fd().try_clone_to_owned().ok()?;
                File::from(stdin).metadata().ok()
            }
            _ => None,
        }
    }

    /// Opens a file or standard input, and decompresses gzip and Zstandard data.
    pub(super) fn open(&self) -> Result<Text, Error> {
        let system = |error: io::Error| Error::system(self, &error);
        let (raw, length): (Box<dyn Read + Send>, _) = match self {
            Self::File(path) => {
                let about = fs::metadata(path).map_err(system)?;
                if about.is_dir() {
                    return Err(Error::new(self, "is a folder"));
                }
                (Box::new(File::open(path).map_err(system)?), Some(about.len()))
            }
            Self::Stdin => (Box::new(io::stdin()), None),
            Self::Generated(_) => (Box::new(io::empty()), None),
        };
        let raw = Metered::reader(raw, length.filter(|&n| n > 0));
        let mut raw = BufReader::with_capacity(BUFFER_SIZE, raw);
        // A pipe may return single bytes, so several reads may be needed.
        let mut head = Vec::with_capacity(MAGIC_LENGTH);
        raw.by_ref().take(MAGIC_LENGTH as u64).read_to_end(&mut head).map_err(system)?;
        if head == parquet::MAGIC {
            return self.open_parquet();
        }
        let packing = match &head[..] {
            [0x1f, 0x8b, ..] => Some("gzip"),
            head if is_zstd(head) => Some("zstd"),
            _ => None,
        };
        let extension = match self {
            Self::File(path) => path.extension().and_then(OsStr::to_str),
            _ => None,
        };
        let named = match extension {
            Some("gz") => Some("gzip"),
            Some("zst" | "zstd") => Some("zstd"),
            _ => None,
        };
        if let Some(named) = named
            && packing.is_none()
            && !head.is_empty()
        {
            return Err(Error::new(self, format_args!("is not {named} data")));
        }
        let complete = io::Cursor::new(head).chain(raw);
        let reader: Box<dyn Read + Send> = match packing {
            None => Box::new(complete),
            Some("gzip") => Box::new(GzipReader::new(complete)),
            Some(_) => Box::new(ZstdReader::new(complete)),
        };
        Ok(Text { reader, packing })
    }

    /// Reads the whole text.
    pub(crate) fn read(&self) -> Result<Block, Error> {
        Blocks::new(self, self.open()?).read_all()
    }

    fn open_parquet(&self) -> Result<Text, Error> {
        let Self::File(path) = self else {
            return Err(Error::new(self, "is Parquet, which is read only from files"));
        };
        match ParquetReader::start(path) {
            Ok(reader) => Ok(Text { reader: Box::new(reader), packing: Some("Parquet") }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Error::new(self, parquet::NOT_INSTALLED))
            }
            Err(error) => Err(Error::system(self, &error)),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("stdin"),
            Self::Generated(name) => name.fmt(f),
        }
    }
}

/// Returns whether a text is more likely the name of a generated scene than that of a file.
fn looks_generated(text: &str) -> bool {
    let named = SceneKind::ALL.iter().any(|kind| kind.name() == text);
    named || (text.contains(':') && !text.contains(['/', '\\', '.']))
}

/// The text of a source, ready for reading.
pub(super) struct Text {
    pub(super) reader: Box<dyn Read + Send>,
    /// The name of the compression, if the source is compressed, for messages.
    pub(super) packing: Option<&'static str>,
}
