//! Reads Parquet with the separate program `hexphase-parquet`, which converts it to CSV. The
//! program is a package of its own, because the `parquet` crate takes longer to compile than the
//! rest of the command line.

use std::env::{self, consts::EXE_SUFFIX};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

pub(super) const MAGIC: &[u8] = b"PAR1";
/// The error message if the program is not installed.
pub(super) const NOT_INSTALLED: &str =
    "is Parquet: install hexphase-parquet beside hexphase, or convert the file to CSV";

/// A reader that returns the CSV of a Parquet file.
pub(super) struct ParquetReader {
    child: Child,
    out: ChildStdout,
    is_finished: bool,
}

impl ParquetReader {
    /// Starts the program for a Parquet file.
    ///
    /// # Errors
    /// If the program is neither beside this program nor in the search path, or if it cannot be
    /// started.
    pub(super) fn start(path: &Path) -> io::Result<Self> {
        let name = format!("hexphase-parquet{EXE_SUFFIX}");
        let beside = env::current_exe().ok().map(|program| program.with_file_name(&name));
        let program = beside.filter(|program| program.exists()).unwrap_or(PathBuf::from(name));
        let mut command = Command::new(program);
        command.arg(path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let out = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, out, is_finished: false })
    }

    /// Waits until the program has ended, and returns its error.
    fn finish(&mut self) -> io::Result<()> {
        self.is_finished = true;
        let mut message = String::new();
        if let Some(stderr) = &mut self.child.stderr {
            stderr.read_to_string(&mut message)?;
        }
        if self.child.wait()?.success() {
            return Ok(());
        }
        // The message begins with the names of the program and of the file, which are removed here.
        let message = message.trim_end();
        let message = message.splitn(3, ": ").last().unwrap_or(message);
        Err(io::Error::other(message))
    }
}

impl Read for ParquetReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.out.read(out)?;
        if read == 0 && !out.is_empty() && !self.is_finished {
            self.finish()?;
        }
        Ok(read)
    }
}

impl Drop for ParquetReader {
    fn drop(&mut self) {
        if !self.is_finished {
            // An error here means that the program has already ended.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
