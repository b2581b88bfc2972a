//! Memory limits of the process (`--memory`, `ulimit -v`, `ulimit -d`): a failed allocation becomes
//! an error message of one line instead of an abort.
//!
//! If an allocation fails and the calling code does not handle the error, the standard library
//! aborts the process. The hook that could change this is unstable. So under a limit, the program
//! runs as a child of itself, with a pipe as standard error, so there are no progress bars. If the
//! child exits, the parent writes its standard error and exits with its status. If the child is
//! ended by a signal, such as that of an abort, the parent writes one line and exits with status 2.
//!
//! Exiting with status 2 in a handler of that signal is simpler, but the standard library writes
//! several lines before it aborts.
//!
//! Without a limit there is no child. Linux then grants more memory than exists, and kills the
//! program when memory runs out. A killed program cannot report an error.

use std::env;
use std::process::{Child, Command, ExitCode, Stdio};

use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
};

use crate::error::ADVICE;
use crate::{FAILURE, print_stderr};

/// The environment variable that marks a process as the child.
const CHILD: &str = "HEXPHASE_CHILD";
/// The exit status of the dynamic loader if it cannot load the program.
const NOT_LOADED: i32 = 127;

/// Returns the memory limit of this process in bytes, `None` without a limit.
pub(crate) fn bytes() -> Option<u64> {
    [Resource::As, Resource::Data].into_iter().filter_map(|of| getrlimit(of).current).min()
}

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
    program.args(env::args_os().skip(1)).env(CHILD, "1").stderr(Stdio::piped());
    // By default, each thread reserves 64 MiB of address space for a heap of glibc.
    program.env("MALLOC_ARENA_MAX", "1");
    let failure = match program.spawn().and_then(Child::wait_with_output) {
        Ok(child) => {
            let text = String::from_utf8_lossy(&child.stderr);
            if let Some(status) = child.status.code().filter(|&status| status != NOT_LOADED) {
                print_stderr(&text);
                return Some(u8::try_from(status).unwrap_or(FAILURE).into());
            }
            // The standard library writes how many bytes were requested.
            let allocation = text.lines().find(|line| line.starts_with("memory allocation of "));
            allocation.map_or_else(|| child.status.to_string(), Into::into)
        }
        Err(error) => format!("the program could not be started: {error}"),
    };
    let kib = bytes / 1024;
    print_stderr(&format!(
        "hexphase: not enough memory: {failure}; the limit is {kib} KiB \
         (--memory, ulimit -v, -d); {ADVICE}\n"
    ));
    Some(FAILURE.into())
}
