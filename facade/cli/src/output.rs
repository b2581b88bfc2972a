//! Output to standard output, or to a file that appears only when it is complete.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::Error;
use crate::progress::ProgressWriter;

/// Size of the output buffer in bytes.
const BUFFER_SIZE: usize = 1 << 16;

/// Writes a result to standard output, or to a file if there is a path.
///
/// A broken pipe on standard output is not an error: the reader needs no more.
pub(crate) fn write(
    path: Option<&Path>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let Some(path) = path else {
        let out = io::stdout().lock();
        let quiet = !out.is_terminal();
        return ignore_broken_pipe(write_buffered(out, quiet, fill))
            .map_err(|error| Error::system("stdout", &error));
    };
    write_file(path, fill).map_err(|error| Error::system(path.display(), &error))
}

/// Writes a temporary file in the same folder and renames it; writes to a pipe or device directly.
fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let before = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            let out = OpenOptions::new().write(true).open(path)?;
            return ignore_broken_pipe(write_buffered(out, true, fill));
        }
        // Renaming needs no write permission for the old file, so that permission is tested here.
        Ok(metadata) => OpenOptions::new().write(true).open(path).map(|_| Some(metadata))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // Replaces the target of a symbolic link, not the link.
    let path = if before.is_some() { fs::canonicalize(path)? } else { path.into() };
    let mut temporary = temporary_file(&path)?;
    write_buffered(temporary.as_file_mut(), true, fill)?;
    if let Some(before) = before {
        temporary.as_file().set_permissions(before.permissions())?;
    }
    temporary.persist(&path)?;
    Ok(())
}

/// Creates a temporary file in the folder of `path`, deleted on drop unless it is persisted.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.into(),
        _ => PathBuf::from("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".hexphase-");
    // The mode of a normal new file; the system applies the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn write_buffered(
    out: impl Write,
    progress: bool,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, ProgressWriter::new(out, progress));
    fill(&mut out)?;
    out.flush()
}

/// Turns a broken pipe into success.
fn ignore_broken_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
