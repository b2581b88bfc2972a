//! Calls of cargo: displayed as command lines, with both output streams in one text.

use core::fmt;
use std::env;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Environment variables of the allocator of glibc: a heap returns memory to the kernel only if
/// more than 64 MiB at its end are free. Tests allocate and free large buffers at a high rate; with
/// the default of 128 KiB, page faults take a fifth of the CPU time of the laws of brute force.
pub(crate) const KEEP_FREED_MEMORY: [(&str, &str); 2] =
    [("MALLOC_TRIM_THRESHOLD_", "67108864"), ("MALLOC_MMAP_THRESHOLD_", "67108864")];

/// A call of cargo with arguments and environment variables.
#[derive(Clone, Debug)]
pub(crate) struct Cargo {
    /// The program; `None` for the cargo that runs this program.
    program: Option<&'static str>,
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Output {
    /// Whether the call succeeded.
    pub(crate) success: bool,
    /// Standard output and standard error, in the order of writing.
    pub(crate) text: String,
}

impl Cargo {
    /// Creates a call with these arguments, separated by spaces.
    pub(crate) fn new(arguments: &str) -> Self {
        let arguments = arguments.split_whitespace().map(String::from).collect();
        Self { program: None, arguments, variables: Vec::new() }
    }

    /// Adds arguments, separated by spaces.
    pub(crate) fn with(mut self, arguments: &str) -> Self {
        self.arguments.extend(arguments.split_whitespace().map(String::from));
        self
    }

    /// Adds one argument, which may contain spaces.
    pub(crate) fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets an environment variable.
    pub(crate) fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Uses the compiler of Debian, with its unstable options.
    pub(crate) fn debian(mut self) -> Self {
        self.program = Some("/usr/bin/cargo");
        self.variable("RUSTC", "/usr/bin/rustc").variable("RUSTC_BOOTSTRAP", "1")
    }

    /// Runs the call and returns its output.
    pub(crate) fn capture(&self, root: &Path) -> io::Result<Output> {
        let (mut reader, writer) = io::pipe()?;
        let mut command = self.command(root);
        // Snapshot tests of `insta` fail on a new or changed snapshot; no snapshot is written.
        command.env_remove("INSTA_FORCE_PASS");
        command.envs([("CARGO_TERM_COLOR", "never"), ("CI", "true"), ("INSTA_UPDATE", "no")]);
        command.envs(KEEP_FREED_MEMORY);
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn()?;
        // Drop the command, because it holds a writer of the pipe: reading ends when all writers
        // are closed.
        drop(command);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let success = child.wait()?.success();
        Ok(Output { success, text: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// Runs the call and returns its standard output.
    ///
    /// # Errors
    /// If the call fails. The error contains the standard error of the call.
    pub(crate) fn standard_output(&self, root: &Path) -> Result<String, String> {
        let output = self.command(root).output().map_err(|why| format!("{self}: {why}"))?;
        if !output.status.success() {
            return Err(format!("{self}: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs the call with the output streams of this program.
    pub(crate) fn show(&self, root: &Path) -> io::Result<ExitStatus> {
        self.command(root).status()
    }

    fn command(&self, root: &Path) -> Command {
        let cargo = || env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(self.program.map_or_else(cargo, Into::into));
        command.args(&self.arguments).current_dir(root);
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }
}

impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={value} ")?;
        }
        write!(f, "{} {}", self.program.unwrap_or("cargo"), self.arguments.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Cargo;
    use std::path::Path;

    #[test]
    fn calls_are_displayed_as_command_lines_and_return_their_output() {
        let cargo = Cargo::new("test -p a").with("--lib --tests").variable("RUSTFLAGS", "-Cx=y");
        assert_eq!(cargo.to_string(), "RUSTFLAGS=-Cx=y cargo test -p a --lib --tests");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let version = Cargo::new("--version").capture(root).unwrap();
        assert!(version.success && version.text.starts_with("cargo "), "{version:?}");
        let nonsense = Cargo::new("no-such-command-of-cargo");
        let output = nonsense.capture(root).unwrap();
        assert!(!output.success && output.text.contains("no such"), "{output:?}");
        assert!(nonsense.standard_output(root).is_err());
    }
}
