//! The command line of hexphase: a scene goes in, every overlapping pair comes out, or which
//! structure finds them fastest.
//!
//! Exit status 0 if it went well, 2 with one line on standard error if not.

#![forbid(unsafe_code)]

mod arguments;
mod error;
mod generate;
mod output;
mod pairs;
mod progress;
mod scene;
mod tune;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Arguments, Command};

/// Wrong input or wrong arguments.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return without_work(&answer),
    };
    let done = match &arguments.command {
        Command::Pairs(arguments) => {
            pairs::run(arguments).map(|summary| tell(&summary.to_string()))
        }
        Command::Tune(arguments) => tune::run(arguments).map(|summary| tell(&summary)),
        Command::Generate(arguments) => generate::run(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("hexphase: {error}\n"));
            FAILURE.into()
        }
    }
}

/// Shows help or the version, or what is wrong with the arguments.
fn without_work(answer: &clap::Error) -> ExitCode {
    match answer.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Whoever closed the pipe does not want it.
            let _ = answer.print();
        }
        _ => tell(&one_line(&answer.to_string())),
    }
    // Help that was asked for is no failure.
    if answer.use_stderr() { FAILURE.into() } else { ExitCode::SUCCESS }
}

/// The message at the front of usage errors, without the lines of advice behind it.
fn one_line(message: &str) -> String {
    let message = message.split("\n\n").next().unwrap_or_default();
    let words: Vec<_> = message.split_whitespace().collect();
    let message = words.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    format!("hexphase: {} (see hexphase --help)\n", error::OneLine(message))
}

/// Writes to standard error at once; if it is closed, nobody wants to know.
fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
