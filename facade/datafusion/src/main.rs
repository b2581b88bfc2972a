//! The program `hexphase-datafusion`: pairs of files, in limited memory.
#![forbid(unsafe_code)]

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::main()
}
