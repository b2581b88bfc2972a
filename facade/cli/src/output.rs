//! Output to standard output, or to a file that appears only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::error::Error;
use crate::progress::Metered;
use crate::scene::{Input, Source};

const BUFFER_SIZE: usize = 1 << 16;

/// Returns an error if the output would overwrite a file of the scene, even by another path.
pub(crate) fn check(path: Option<&Path>, input: &Input) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    if input.sources.iter().any(|source| is_same_file(path, source)) {
        let path = path.display();
        return Err(Error::new(
            "--output",
            format_args!("{path} is an input file and would be lost"),
        ));
    }
    Ok(())
}

/// Returns whether a path leads to the file of a scene.
#[cfg(unix)]
fn is_same_file(path: &Path, source: &Source) -> bool {
    use std::os::unix::fs::MetadataExt;
    let metadata = [fs::metadata(path).ok(), source.metadata()];
    let [Some(output), Some(scene)] = metadata else { return false };
    // Pipes and devices are written to, not replaced, so they cannot be lost.
    output.is_file() && [output.dev(), output.ino()] == [scene.dev(), scene.ino()]
}

#[cfg(not(unix))]
fn is_same_file(path: &Path, source: &Source) -> bool {
    let Source::File(scene) = source else { return false };
    let paths = [fs::canonicalize(path).ok(), fs::canonicalize(scene).ok()];
    paths[0].is_some() && paths[0] == paths[1]
}

type Fill<'a> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'a;

/// Writes a result to standard output, or to a file if there is a path.
///
/// A broken pipe on standard output is not an error: the reader needs no more output.
pub(crate) fn write(path: Option<&Path>, fill: &mut Fill<'_>) -> Result<(), Error> {
    let Some(path) = path else {
        let out = io::stdout().lock();
        let quiet = !out.is_terminal();
        return ignore_broken_pipe(write_buffered(out, quiet, fill))
            .map_err(|error| Error::system("stdout", &error));
    };
    write_file(path, fill).map_err(|error| Error::system(path.display(), &error))
}

/// Writes a temporary file and renames it to `path`. Pipes and devices are written to directly.
fn write_file(path: &Path, fill: &mut Fill<'_>) -> io::Result<()> {
    let before = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            let out = OpenOptions::new().write(true).open(path)?;
            return ignore_broken_pipe(write_buffered(out, true, fill));
        }
        // Renaming needs no permission to write the old file, so this permission is tested here.
        Ok(metadata) => OpenOptions::new().write(true).open(path).map(|_| Some(metadata))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // If the path is a symbolic link, its target is replaced, not the link.
    let path = if before.is_some() { fs::canonicalize(path)? } else { path.into() };
    let mut temporary = Temporary::new(&path)?;
    write_buffered(temporary.file(), true, fill)?;
    if let Some(before) = before {
        temporary.file().set_permissions(before.permissions())?;
    }
    temporary.persist(&path)
}

enum Temporary {
    /// A file without a name. If the program is killed, nothing remains of the file. Only some file
    /// systems of Linux support this.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// A file that is deleted on drop.
    Named(NamedTempFile),
}

impl Temporary {
    fn new(path: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::create(folder(path)) {
            return Ok(Self::Unnamed(file));
        }
        builder().tempfile_in(folder(path)).map(Self::Named)
    }

    fn file(&mut self) -> &mut File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file_mut(),
        }
    }

    /// Gives the complete file its name. Replaces an existing file of this name.
    fn persist(self, path: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => unnamed::link(&file, path),
            Self::Named(file) => Ok(file.persist(path).map(|_| ())?),
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".hexphase-");
    // The access rights of a normal new file, from which the system removes those of the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    use super::{File, Path, builder, folder, fs, io};

    /// Creates a file without a name in a folder; `None` if its file system does not support this.
    pub(super) fn create(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
        // A file without a name can be named only through `/proc`, so test that `/proc` is
        // available.
        fs::metadata(name_in_proc(&file)).ok().map(|_| file)
    }

    fn name_in_proc(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }

    /// Gives the file a temporary name and renames it to `path`. A direct link to `path` could not
    /// replace an existing file.
    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        let from = name_in_proc(file);
        let linked = builder().make_in(folder(path), |to| {
            Ok(linkat(CWD, &from, CWD, to, AtFlags::SYMLINK_FOLLOW)?)
        })?;
        Ok(linked.persist(path)?)
    }
}

fn write_buffered(out: impl Write, progress: bool, fill: &mut Fill<'_>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, Metered::writer(out, progress));
    fill(&mut out)?;
    out.flush()
}

fn ignore_broken_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
