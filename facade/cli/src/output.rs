//! Where results go: standard output, or a file that appears only when it is whole.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::Error;
use crate::progress::Writing;

/// Bytes handed to the system at once.
const CHUNK: usize = 1 << 16;

/// Writes a result to standard output, or to a file if there is a path.
///
/// A reader who closes the pipe has seen enough: that is no error.
pub(crate) fn write(
    path: Option<&Path>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let Some(path) = path else {
        let out = io::stdout().lock();
        let quiet = !out.is_terminal();
        return ended(buffered(out, quiet, fill)).map_err(|error| Error::system("stdout", &error));
    };
    into_path(path, fill).map_err(|error| Error::system(path.display(), &error))
}

/// Writes to a file through another one beside it, or straight into a pipe or device.
fn into_path(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let before = match fs::metadata(path) {
        Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => {
            let out = OpenOptions::new().write(true).open(path)?;
            return ended(buffered(out, true, fill));
        }
        // Whoever may not write the file may not replace it.
        Ok(about) => OpenOptions::new().write(true).open(path).map(|_| Some(about))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // What a link names is replaced, not the link.
    let path = if before.is_some() { fs::canonicalize(path)? } else { path.into() };
    let mut whole = beside(&path)?;
    buffered(whole.as_file_mut(), true, fill)?;
    if let Some(before) = before {
        whole.as_file().set_permissions(before.permissions())?;
    }
    whole.persist(&path)?;
    Ok(())
}

/// A new file in the same folder, which vanishes unless it is persisted.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.into(),
        _ => PathBuf::from("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".hexphase-");
    // As any new file would have; the system takes off what the user wants taken off.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn buffered(
    out: impl Write,
    progress: bool,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(CHUNK, Writing::new(out, progress));
    fill(&mut out)?;
    out.flush()
}

/// A closed pipe is the end, not an error.
fn ended(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
