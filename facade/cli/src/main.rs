//! The command line of hexphase: finds pairs, joins and neighbors in scenes, describes and draws
//! them, ranks the structures by speed, and tests worlds with a game and with hostile schedules.
//!
//! The exit status is 0 on success, and 2 with one line on standard error on failure.

#![forbid(unsafe_code)]

#[cfg(all(test, not(feature = "full")))]
compile_error!("the tests use all number types and structures: `cargo test --features full`");

extern crate alloc;

mod arguments;
mod completions;
mod error;
#[cfg(feature = "full")]
mod fleet;
mod generate;
mod info;
mod join;
mod json;
#[cfg(target_os = "linux")]
mod limit;
mod lines;
mod memory;
mod near;
mod neighbors;
mod output;
mod pairs;
mod pieces;
mod progress;
mod query;
mod render;
mod scene;
#[cfg(feature = "sim")]
mod sim;
mod tune;
mod wrap;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Arguments, Command, with_scalar};

/// The exit status for invalid input, invalid arguments, failed writes, a lack of memory, and a
/// difference found by `sim`.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return print_usage(&error),
    };
    if let Some(bytes) = arguments.memory {
        memory::set_limit(bytes);
    }
    #[cfg(target_os = "linux")]
    if let Some(status) = limit::run_child() {
        return status;
    }
    let done = match &arguments.command {
        Command::Pairs(args) => with_scalar!(args.common.scalar, pairs::run(args)),
        Command::Join(args) => with_scalar!(args.common.scalar, join::run(args)),
        Command::Query(args) => with_scalar!(args.common.scalar, query::run(args)),
        Command::Neighbors(args) => with_scalar!(args.common.scalar, neighbors::run(args)),
        Command::Info(args) => with_scalar!(args.common.scalar, info::run(args)),
        Command::Tune(args) => with_scalar!(args.common.scalar, tune::run(args)),
        Command::Render(args) => with_scalar!(args.scalar, render::run(args)),
        #[cfg(feature = "sim")]
        Command::Sim(args) => sim::run(args),
        Command::Generate(args) => generate::run(args).map(|()| String::new()),
        #[cfg(feature = "full")]
        Command::Fleet(args) => fleet::run(args).map(|()| String::new()),
        Command::Completions(args) => completions::completions(args).map(|()| String::new()),
        Command::Man(args) => completions::man(args).map(|()| String::new()),
    };
    match done {
        Ok(lines) => {
            print_stderr(&lines);
            ExitCode::SUCCESS
        }
        Err(error) => {
            print_stderr(&format!("hexphase: {error}\n"));
            FAILURE.into()
        }
    }
}

/// Prints help, the version, or the error in the arguments. Returns the exit status.
fn print_usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // A reader that closes the pipe needs no more output.
            if let Err(why) = error.print()
                && why.kind() != io::ErrorKind::BrokenPipe
            {
                print_stderr(&format!("hexphase: {}\n", error::Error::system("stdout", &why)));
                return FAILURE.into();
            }
        }
        _ => print_stderr(&usage_error(&error.to_string())),
    }
    // Help and the version were requested, so they are written to standard output and are no
    // failure.
    if error.use_stderr() { FAILURE.into() } else { ExitCode::SUCCESS }
}

/// Reduces a usage error of clap to its message, without the hints after it.
fn usage_error(message: &str) -> String {
    let message = message.split("\n\n").next().unwrap_or_default();
    let words: Vec<_> = message.split_whitespace().collect();
    let message = words.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    format!("hexphase: {} (see hexphase --help)\n", error::OneLine(message))
}

/// Writes to standard error in one call. Errors are ignored, because standard error may be closed.
fn print_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
