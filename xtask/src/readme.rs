//! The commands in the READMEs exist, and those that run the command line run.
//!
//! * `cargo run … -- ARGUMENTS` is run, with the program that the tests of all features have built.
//! * `hexphase SUBCOMMAND …` is compared with what `hexphase SUBCOMMAND --help` says.
//! * `cargo xtask …` must parse, and a suite must exist.
//! * Of any other cargo command only the name is looked at.
//!
//! Words in capitals are placeholders: such a command is not run, but compared with the help.

use std::fs;
use std::path::PathBuf;
use std::process::Command as Process;

use clap::Parser as _;
use serde_json::Value;

use crate::bench::suites;
use crate::markdown;
use crate::step::Verdict;
use crate::tidy::files;
use crate::verify;
use crate::workspace::Workspace;
use crate::{Arguments, Command};

/// Cargo commands that are not ours to check.
const CARGO: [&str; 9] =
    ["add", "bench", "build", "clippy", "doc", "fmt", "install", "test", "tree"];

/// Runs the command line with some arguments and yields what it prints.
type Hexphase<'a> = dyn Fn(&[&str]) -> Result<String, String> + 'a;

/// Looks at every command in every README.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let program = built(workspace);
    // In a folder of its own, for what it writes.
    let folder = workspace.root.join("target/readme");
    fs::create_dir_all(&folder).map_err(|why| vec![format!("{}: {why}", folder.display())])?;
    let hexphase = |arguments: &[&str]| {
        let program = program.as_ref().map_err(Clone::clone)?;
        let output = Process::new(program).args(arguments).current_dir(&folder).output();
        let output = output.map_err(|why| format!("{}: {why}", program.display()))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
    };
    let mut findings = Vec::new();
    let mut commands = 0;
    for file in files(&workspace.root, "md") {
        let text = fs::read_to_string(&file).unwrap_or_default();
        for program in ["cargo", "hexphase"] {
            for command in markdown::commands(&text, program) {
                commands += 1;
                if let Err(why) = check_command(workspace, command, &hexphase) {
                    findings.push(format!("{}: {command}: {why}", workspace.relative(&file)));
                }
            }
        }
    }
    if findings.is_empty() { Ok(format!("{commands} commands")) } else { Err(findings) }
}

/// Where the command line is that the tests run.
fn built(workspace: &Workspace) -> Result<PathBuf, String> {
    let build = verify::all_tests().with("--no-run --message-format json-render-diagnostics");
    let messages = build.standard_output(&workspace.root)?;
    let is_program = |message: &Value| {
        let target = &message["target"];
        target["name"] == "hexphase"
            && target["kind"][0] == "bin"
            && !message["executable"].is_null()
            && message["profile"]["test"] == false
    };
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let message = messages.into_iter().find(is_program);
    let path = message.and_then(|message| message["executable"].as_str().map(PathBuf::from));
    path.ok_or_else(|| format!("{build} builds no program hexphase"))
}

fn check_command(
    workspace: &Workspace,
    command: &str,
    hexphase: &Hexphase<'_>,
) -> Result<(), String> {
    let words = words(command);
    match words.as_slice() {
        [] | ["cargo"] | ["hexphase"] => Ok(()),
        ["hexphase", arguments @ ..] => in_help(hexphase, arguments),
        ["cargo", "xtask", arguments @ ..] => xtask(workspace, arguments),
        ["cargo", "run", options @ ..] => {
            let dashes = options.iter().position(|&word| word == "--").unwrap_or(options.len());
            let arguments = options.get(dashes + 1..).unwrap_or_default();
            if arguments.is_empty() || arguments.iter().any(|word| is_placeholder(word)) {
                in_help(hexphase, arguments)
            } else {
                hexphase(arguments).map(|_| ())
            }
        }
        ["cargo", known, ..] if CARGO.contains(known) => Ok(()),
        _ => Err("no such command".to_owned()),
    }
}

/// The words of the command itself, without comment, pipe and redirection.
fn words(command: &str) -> Vec<&str> {
    command
        .split_whitespace()
        .take_while(|word| !["#", "|", ">", "<", "&&"].contains(word))
        .collect()
}

/// `SCENE`, `[--json`, `FILE]`, `…`: stands for something else.
fn is_placeholder(word: &str) -> bool {
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    word.contains(['[', ']', '…']) || (letters().count() > 1 && letters().all(char::is_uppercase))
}

/// Whether our own command line understands it.
fn xtask(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let real = arguments.iter().take_while(|word| !word.starts_with('['));
    let parsed = Arguments::try_parse_from([&"cargo xtask"].into_iter().chain(real));
    match parsed.map(|arguments| arguments.command) {
        Ok(Command::Bench { suite, .. }) => {
            let known = is_placeholder(&suite) || suites(&workspace.root).contains(&suite);
            if known { Ok(()) } else { Err(format!("no suite {suite}")) }
        }
        Ok(Command::Verify { .. }) => Ok(()),
        Err(why) => Err(why.kind().to_string()),
    }
}

/// Whether the help of the subcommand has all options.
fn in_help(hexphase: &Hexphase<'_>, arguments: &[&str]) -> Result<(), String> {
    let subcommand = arguments.first().filter(|word| !word.starts_with('-'));
    let request: Vec<&str> = subcommand.into_iter().copied().chain(["--help"]).collect();
    let help = hexphase(&request)?;
    let mut options = arguments.iter().map(|word| word.trim_matches(['[', ']']));
    let missing = options.find(|word| word.starts_with("--") && !help.contains(word));
    missing.map_or(Ok(()), |option| Err(format!("{option} is not in the help")))
}

#[cfg(test)]
mod tests {
    use super::{check_command, is_placeholder, words};
    use crate::workspace::Workspace;
    use std::path::Path;

    fn here() -> Workspace {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Workspace { root, packages: Vec::new() }
    }

    #[test]
    fn a_command_ends_at_a_pipe() {
        assert_eq!(
            words("cargo run -- pairs a:1 | head -n 3"),
            ["cargo", "run", "--", "pairs", "a:1"]
        );
        assert_eq!(words("cargo xtask verify  # all of it"), ["cargo", "xtask", "verify"]);
    }

    #[test]
    fn capitals_stand_for_something_else() {
        assert!(["SCENE", "[--json", "FILE]", "NAME:COUNT[:SEED]"].into_iter().all(is_placeholder));
        assert!(!["pairs", "discs:10000", "--count", "-", "8"].into_iter().any(is_placeholder));
    }

    #[test]
    fn commands_must_be_known() {
        let checks = |command| {
            check_command(&here(), command, &|arguments| match arguments {
                ["pairs", "--help"] => Ok("--count".to_owned()),
                ["pairs", "discs:9"] => Ok(String::new()),
                _ => Err("it is not known".to_owned()),
            })
        };
        assert_eq!(checks("cargo xtask verify --quick"), Ok(()));
        assert_eq!(checks("cargo xtask bench SUITE [--json FILE]"), Ok(()));
        assert_eq!(checks("cargo xtask bench hash --json rows.json -- --test"), Ok(()));
        assert_eq!(checks("cargo add hexphase"), Ok(()));
        assert!(checks("cargo xtask verfiy").is_err());
        assert!(checks("cargo xtask bench hsah").is_err());
        assert!(checks("cargo nonsense").is_err());
        assert_eq!(checks("cargo run -- pairs discs:9 | head"), Ok(()));
        assert_eq!(checks("cargo run --release -- pairs SCENE [--count]"), Ok(()));
        assert_eq!(checks("hexphase pairs SCENE --count"), Ok(()));
        assert!(checks("hexphase pairs SCENE --cuont").is_err());
        assert!(checks("cargo run -- piars discs:9").is_err());
    }
}
