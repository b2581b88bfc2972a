//! A call of cargo: shown as one could type it, run with its output in one piece.

use core::fmt;
use std::env;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Cargo with arguments and variables, not yet run.
#[derive(Clone, Debug)]
pub(crate) struct Cargo {
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

/// What a call left.
#[derive(Debug)]
pub(crate) struct Output {
    /// Whether it succeeded.
    pub(crate) success: bool,
    /// Everything it printed, both streams in the order they came.
    pub(crate) text: String,
}

impl Cargo {
    /// `cargo` with these arguments, separated by spaces.
    pub(crate) fn new(arguments: &str) -> Self {
        let arguments = arguments.split_whitespace().map(String::from).collect();
        Self { arguments, variables: Vec::new() }
    }

    /// More arguments, separated by spaces.
    pub(crate) fn with(mut self, arguments: &str) -> Self {
        self.arguments.extend(arguments.split_whitespace().map(String::from));
        self
    }

    /// One more argument, whatever is in it.
    pub(crate) fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// A variable of its environment.
    pub(crate) fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Runs it and keeps what it prints.
    pub(crate) fn capture(&self, root: &Path) -> io::Result<Output> {
        let (mut reader, writer) = io::pipe()?;
        let mut command = self.command(root);
        // A new or changed snapshot is a failure, never an update.
        command.env_remove("INSTA_FORCE_PASS");
        command.envs([("CARGO_TERM_COLOR", "never"), ("CI", "true"), ("INSTA_UPDATE", "no")]);
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn()?;
        // The command holds the writing end; reading ends only when all of them are closed.
        drop(command);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let success = child.wait()?.success();
        Ok(Output { success, text: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// Runs it and keeps only what it prints to its standard output, if it succeeds.
    pub(crate) fn standard_output(&self, root: &Path) -> Result<String, String> {
        let output = self.command(root).output().map_err(|why| format!("{self}: {why}"))?;
        if !output.status.success() {
            return Err(format!("{self}: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs it in the terminal.
    pub(crate) fn show(&self, root: &Path) -> io::Result<ExitStatus> {
        self.command(root).status()
    }

    fn command(&self, root: &Path) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
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
        write!(f, "cargo {}", self.arguments.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Cargo;
    use std::path::Path;

    #[test]
    fn a_call_is_shown_as_it_is_typed() {
        let cargo = Cargo::new("test -p a").with("--lib --tests").variable("RUSTFLAGS", "-Cx=y");
        assert_eq!(cargo.to_string(), "RUSTFLAGS=-Cx=y cargo test -p a --lib --tests");
    }

    #[test]
    fn output_is_kept_whether_it_succeeds_or_not() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let version = Cargo::new("--version").capture(root);
        assert!(version.is_ok_and(|output| output.success && output.text.starts_with("cargo ")));
        let nonsense = Cargo::new("no-such-command-of-cargo").capture(root);
        assert!(nonsense.is_ok_and(|output| !output.success && output.text.contains("no such")));
        assert!(Cargo::new("no-such-command-of-cargo").standard_output(root).is_err());
    }
}
