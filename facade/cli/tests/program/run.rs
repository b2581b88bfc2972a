//! Runs the program in a temporary folder, and checks its result.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A temporary folder in which the program runs, so that its messages contain no absolute paths.
pub(crate) struct Folder(TempDir);

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The exit status; -1 if a signal ended the program.
    pub(crate) status: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn with_scene(text: impl AsRef<[u8]>) -> Self {
        Self::new().with("scene.csv", text)
    }

    /// Writes a file into the folder, and returns the folder.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.path(name), content).expect("a file");
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file of text")
    }

    /// Returns the names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        names.sort();
        names
    }

    /// Returns a command that runs the program in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hexphase"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Starts the program in the folder, with pipes as its standard streams. The arguments are
    /// separated by spaces.
    pub(crate) fn start(&self, line: &str) -> Child {
        self.start_words(&line.split(' ').collect::<Vec<_>>())
    }

    fn start_words(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    pub(crate) fn run(&self, line: &str) -> Run {
        self.feed(line, b"")
    }

    /// Runs the program with this standard input. The arguments are separated by spaces.
    pub(crate) fn feed(&self, line: &str, input: &[u8]) -> Run {
        self.run_words(&line.split(' ').collect::<Vec<_>>(), input)
    }

    /// Runs the program with arguments that may contain spaces.
    pub(crate) fn run_words(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self.start_words(arguments);
        let mut stdin = child.stdin.take().expect("a pipe");
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // An error here means that the program has exited before it has read all input.
                let _ = stdin.write_all(input);
            });
            child.wait_with_output().expect("the program ends")
        });
        output.into()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: output.stdout,
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs the program in an empty temporary folder.
pub(crate) fn run(line: &str) -> Run {
    Folder::new().run(line)
}

impl Run {
    /// Returns standard output as text; panics if the run failed.
    pub(crate) fn text(&self) -> &str {
        assert_eq!(self.status, 0, "{}", self.err);
        str::from_utf8(&self.out).expect("text")
    }

    pub(crate) fn lines(&self) -> Vec<&str> {
        self.err.lines().collect()
    }

    /// Returns the SHA-256 hash of standard output in hexadecimal.
    pub(crate) fn sha256(&self) -> String {
        Sha256::digest(self.text()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Asserts that the run failed with one line on standard error and no output.
    #[track_caller]
    pub(crate) fn assert_error(&self, message: &str) {
        let failed = Self { status: 2, out: Vec::new(), err: format!("hexphase: {message}\n") };
        assert_eq!(*self, failed);
    }
}

/// The expected outcome of `hexphase pairs FILE`.
#[derive(Clone, Copy)]
pub(crate) enum Outcome<'a> {
    /// These pairs, without a warning.
    Pairs(&'a str),
    /// These pairs, and a warning with this text after the name of the file.
    Warns(&'a str, &'a str),
    /// An error with this text after the name of the file.
    Fails(&'a str),
    /// An error with this text about an option.
    Refuses(&'a str),
}

/// Runs `pairs` for a file with this content, and asserts the outcome.
#[track_caller]
pub(crate) fn check(file: &str, content: impl AsRef<[u8]>, options: &str, outcome: Outcome<'_>) {
    let folder = Folder::new().with(file, content);
    let words = ["pairs", file].into_iter().chain(options.split(' ').filter(|it| !it.is_empty()));
    let run = folder.run_words(&words.collect::<Vec<_>>(), b"");
    match outcome {
        Outcome::Pairs(pairs) => {
            assert_eq!(run.text(), pairs, "{file} {options}");
            assert_eq!(run.lines().len(), 1, "{}", run.err);
        }
        Outcome::Warns(pairs, warning) => {
            assert_eq!(run.text(), pairs, "{file} {options}");
            assert_eq!(run.lines()[1..], [format!("hexphase: warning: {file}: {warning}")]);
        }
        Outcome::Fails(message) => run.assert_error(&format!("{file}: {message}")),
        Outcome::Refuses(message) => run.assert_error(message),
    }
    assert_eq!(folder.names(), [file], "no other file remains");
}

pub(crate) fn gzip(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_ref()).expect("memory");
    encoder.finish().expect("memory")
}
