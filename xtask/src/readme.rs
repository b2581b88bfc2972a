//! Checks the commands in Markdown files: they must exist, and runs of the command line must
//! succeed.
//!
//! * `cargo run … -- ARGUMENTS` is run, with the program built for the tests of all features.
//! * The options of `hexphase SUBCOMMAND …` must be in `hexphase SUBCOMMAND --help`.
//! * `cargo xtask …` must parse, and its suite must exist.
//! * Any other cargo command must have a name from [`CARGO`].
//!
//! Words in capitals are placeholders. A command with placeholders is not run; only its options are
//! compared with the help.

use std::fs;
use std::path::PathBuf;
use std::process::Command as Process;

use clap::Parser as _;

use crate::bench::suites;
use crate::markdown;
use crate::programs;
use crate::step::Verdict;
use crate::tidy::files;
use crate::verify;
use crate::workspace::Workspace;
use crate::{Arguments, Command};

/// Cargo commands that are not checked further.
const CARGO: [&str; 10] =
    ["add", "bench", "build", "clippy", "doc", "fmt", "fuzz", "install", "test", "tree"];

/// Runs the command line with arguments and returns its standard output.
type Hexphase<'a> = dyn Fn(&[&str]) -> Result<String, String> + 'a;

/// Checks every command in every Markdown file.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let program = built_program(workspace);
    // Some commands write files, so the program runs in a separate folder.
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

/// Returns the path of the command line's binary that the tests run.
fn built_program(workspace: &Workspace) -> Result<PathBuf, String> {
    let programs = programs::build(verify::all_tests().with("--no-run"), workspace)?;
    let program = programs.into_iter().find(|one| one.kind == "bin" && one.name == "hexphase");
    program.map(|one| one.path).ok_or_else(|| "the tests build no program hexphase".to_owned())
}

fn check_command(
    workspace: &Workspace,
    command: &str,
    hexphase: &Hexphase<'_>,
) -> Result<(), String> {
    let words = words(command);
    match words.as_slice() {
        [] | ["cargo"] | ["hexphase"] => Ok(()),
        ["hexphase", arguments @ ..] => check_help(hexphase, arguments),
        ["cargo", "xtask", arguments @ ..] => xtask(workspace, arguments),
        ["cargo", "run", options @ ..] => {
            let dashes = options.iter().position(|&word| word == "--").unwrap_or(options.len());
            let arguments = options.get(dashes + 1..).unwrap_or_default();
            if arguments.is_empty() || arguments.iter().any(|word| is_placeholder(word)) {
                check_help(hexphase, arguments)
            } else {
                hexphase(arguments).map(|_| ())
            }
        }
        ["cargo", known, ..] if CARGO.contains(known) => Ok(()),
        _ => Err("unknown command".to_owned()),
    }
}

/// Returns the words of a command, without comment, pipe and redirection.
fn words(command: &str) -> Vec<&str> {
    command
        .split_whitespace()
        .take_while(|word| !["#", "|", ">", "<", "&&"].contains(word))
        .collect()
}

/// Returns whether a word is a placeholder: `SCENE`, `[--json`, `FILE]`, `…`.
fn is_placeholder(word: &str) -> bool {
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    word.contains(['[', ']', '…']) || (letters().count() > 1 && letters().all(char::is_uppercase))
}

/// Checks that `cargo xtask` accepts the arguments.
fn xtask(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let real = arguments.iter().take_while(|word| !word.starts_with('['));
    let parsed = Arguments::try_parse_from([&"cargo xtask"].into_iter().chain(real));
    match parsed.map(|arguments| arguments.command) {
        Ok(Command::Bench { suite: Some(suite), .. }) => {
            let known = is_placeholder(&suite) || suites(&workspace.root).contains(&suite);
            if known { Ok(()) } else { Err(format!("unknown suite {suite}")) }
        }
        Ok(_) => Ok(()),
        Err(why) => Err(why.kind().to_string()),
    }
}

/// Checks that the help of the subcommand has all options.
fn check_help(hexphase: &Hexphase<'_>, arguments: &[&str]) -> Result<(), String> {
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

    #[test]
    fn words_end_at_a_pipe_and_capitals_are_placeholders() {
        let command = "cargo run -- pairs a:1 | head -n 3";
        assert_eq!(words(command), ["cargo", "run", "--", "pairs", "a:1"]);
        assert_eq!(words("cargo xtask verify  # all of it"), ["cargo", "xtask", "verify"]);
        assert!(["SCENE", "[--json", "FILE]", "NAME:COUNT[:SEED]"].into_iter().all(is_placeholder));
        assert!(!["pairs", "discs:10000", "--count", "-", "8"].into_iter().any(is_placeholder));
    }

    #[test]
    fn unknown_commands_are_errors() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace { root, packages: Vec::new() };
        let program = |arguments: &[&str]| match arguments {
            ["pairs", "--help"] => Ok("--count".to_owned()),
            ["pairs", "discs:9"] => Ok(String::new()),
            _ => Err("unknown arguments".to_owned()),
        };
        for (command, is_known) in [
            ("cargo xtask verify --quick", true),
            ("cargo xtask verfiy", false),
            ("cargo xtask doc-examples", true),
            ("cargo xtask bench SUITE [--json FILE]", true),
            ("cargo xtask bench hshg --json rows.json -- --test", true),
            ("cargo xtask bench hsgh", false),
            ("cargo xtask bench --compare old.json new.json", true),
            ("cargo add hexphase", true),
            ("cargo nonsense", false),
            ("cargo run -- pairs discs:9 | head", true),
            ("cargo run -- piars discs:9", false),
            ("cargo run --release -- pairs SCENE [--count]", true),
            ("hexphase pairs SCENE --count", true),
            ("hexphase pairs SCENE --cuont", false),
        ] {
            let checked = check_command(&workspace, command, &program);
            assert_eq!(checked.is_ok(), is_known, "{command}: {checked:?}");
        }
    }
}
