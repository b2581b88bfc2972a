//! Memory limits of the process (`--memory`, `ulimit -v`, `ulimit -d`): a failed allocation becomes
//! an error message of one line instead of an abort.
//!
//! If an allocation fails and the calling code does not handle the error, the standard library
//! aborts the process. The hook that could change this is unstable. So under a limit, the program
//! runs as a child of itself:
//!
//! 1. The parent starts the same program with the same arguments, standard input and standard
//!    output. Standard error is a pipe, so there are no progress bars.
//! 2. If the child exits, the parent writes the standard error of the child and exits with its
//!    status.
//! 3. If the child is ended by a signal that can follow from a lack of memory, the parent writes
//!    one line and exits with status 2. After another signal, the parent exits as a shell would:
//!    with 128 plus the number of the signal.
//!
//! Without a limit there is no child. Linux then grants more memory than exists, and kills the
//! program when memory runs out. A killed program cannot report an error.

use core::fmt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::{env, io};

use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
};

use crate::error::ADVICE;
use crate::{FAILURE, print_stderr};

/// The environment variable that marks a process as the child.
const CHILD: &str = "HEXPHASE_CHILD";
/// The environment variable with the maximum number of heaps in glibc. If it is not set, it is set
/// to 1 for the child, because by default each thread reserves 64 MiB of address space for a heap.
const MAX_HEAPS: &str = "MALLOC_ARENA_MAX";
/// The signals that can end a program after a failed allocation or when memory runs out.
const FROM_LACK_OF_MEMORY: [Signal; 4] = [Signal::ABORT, Signal::SEGV, Signal::BUS, Signal::KILL];
/// The exit status of the dynamic loader if it cannot load the program.
const NOT_LOADED: i32 = 127;

/// Returns the memory limit of this process in bytes, `None` without a limit.
pub(crate) fn bytes() -> Option<u64> {
    [Resource::As, Resource::Data].into_iter().filter_map(|of| getrlimit(of).current).min()
}

/// Limits the memory for data to this number of bytes, unless the limit is lower already.
pub(crate) fn set(bytes: u64) {
    let Rlimit { current, maximum } = getrlimit(Resource::Data);
    let current = Some(current.unwrap_or(u64::MAX).min(bytes));
    // The call succeeds, because the limit is lowered. If it failed, there would be no limit.
    let _ = setrlimit(Resource::Data, Rlimit { current, maximum });
}

/// Runs the program as a child process if memory is limited, and returns its exit status. Returns
/// `None` without a limit, and in the child: then this process does the work.
pub(crate) fn run_child() -> Option<ExitCode> {
    let bytes = bytes()?;
    if env::var_os(CHILD).is_some() {
        // End the child if the parent is killed. If this call fails, the child ends with its work.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        return None;
    }
    let mut program = Command::new(env::current_exe().ok()?);
    let mut arguments = env::args_os();
    if let Some(name) = arguments.next() {
        program.arg0(name);
    }
    program.args(arguments).env(CHILD, "1").stderr(Stdio::piped());
    if env::var_os(MAX_HEAPS).is_none() {
        program.env(MAX_HEAPS, "1");
    }
    Some(report(program.spawn().and_then(Child::wait_with_output), bytes))
}

/// Writes the standard error of the child and returns its exit status, or reports a lack of memory.
fn report(child: io::Result<Output>, bytes: u64) -> ExitCode {
    let failure = match &child {
        Err(error) => Failure::NotStarted(error),
        Ok(output) => match (output.status.code(), output.status.signal()) {
            (Some(NOT_LOADED), _) => Failure::NotLoaded,
            (Some(status), _) => {
                print_stderr(&String::from_utf8_lossy(&output.stderr));
                return u8::try_from(status).unwrap_or(FAILURE).into();
            }
            (None, signal) => {
                let signal = signal.unwrap_or_default();
                match failed_allocation(&output.stderr) {
                    Some(size) => Failure::Allocation(size),
                    None if FROM_LACK_OF_MEMORY.iter().any(|from| from.as_raw() == signal) => {
                        Failure::Signal(signal)
                    }
                    None => return u8::try_from(128 + signal).unwrap_or(FAILURE).into(),
                }
            }
        },
    };
    let kib = bytes / 1024;
    print_stderr(&format!(
        "hexphase: not enough memory: {failure}; the limit is {kib} KiB \
         (--memory, ulimit -v, -d); {ADVICE}\n"
    ));
    FAILURE.into()
}

/// Returns the number of bytes in the standard library's message about a failed allocation.
fn failed_allocation(message: &[u8]) -> Option<u64> {
    let message = str::from_utf8(message).ok()?;
    let (_, size) = message.split_once("memory allocation of ")?;
    size.split_once(" bytes failed")?.0.parse().ok()
}

/// The reason that the child did not finish its work.
enum Failure<'a> {
    /// An allocation of this number of bytes failed.
    Allocation(u64),
    /// A signal ended the child, without a message about a failed allocation.
    Signal(i32),
    /// The dynamic loader failed.
    NotLoaded,
    /// The child could not be started.
    NotStarted(&'a io::Error),
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allocation(bytes) => write!(f, "an allocation of {bytes} bytes failed"),
            Self::Signal(signal) => write!(f, "the program was ended by signal {signal}"),
            Self::NotLoaded => f.write_str("the program could not be loaded"),
            Self::NotStarted(error) => write!(f, "the program could not be started: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::failed_allocation;

    #[test]
    fn sizes_of_failed_allocations_are_found() {
        let message = b"memory allocation of 4194304 bytes failed\n";
        assert_eq!(failed_allocation(message), Some(4_194_304));
        let traced = b"memory allocation of 16 bytes failed, and cannot unwind\n 0: main\n";
        assert_eq!(failed_allocation(traced), Some(16));
        for other in ["", "thread panicked", "memory allocation of x bytes failed"] {
            assert_eq!(failed_allocation(other.as_bytes()), None);
        }
    }
}
