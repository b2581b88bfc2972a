//! Progress bars for long operations, shown only on a terminal.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Delay before a progress bar appears.
const SHOW_AFTER: Duration = Duration::from_millis(300);
/// Interval between two frames of a spinner.
const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

/// Set while a bar is visible or a bar of steps exists, so that no other bar appears.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Set if the output is written to the terminal, so that no bar appears beside it.
static ON_TERMINAL: AtomicBool = AtomicBool::new(false);

/// A progress bar that appears if the work takes longer than [`SHOW_AFTER`].
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    /// Set until the bar appears; `false` from the start if the bar may not appear.
    hidden: bool,
    /// Set if this bar has set [`TAKEN`].
    owner: bool,
}

impl Progress {
    /// Creates a bar for steps. Until it is dropped, the bars of readers and writers do not appear.
    pub(crate) fn steps(verb: &'static str, steps: u64) -> Self {
        let template = "{msg} {wide_bar} {pos}/{len} {eta}";
        let mut bar = Self::new(verb, Some(steps), template, !ON_TERMINAL.load(Ordering::Relaxed));
        bar.take();
        bar
    }

    fn new(verb: &'static str, total: Option<u64>, template: &str, allowed: bool) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        bar.set_style(style(template));
        bar.set_message(verb);
        let hidden = allowed && io::stderr().is_terminal();
        Self { bar, begun: Instant::now(), hidden, owner: false }
    }

    pub(crate) fn set(&mut self, done: u64) {
        self.bar.set_position(done);
        self.show();
    }

    pub(crate) fn advance(&mut self, by: u64) {
        self.bar.inc(by);
        self.show();
    }

    /// Reserves the terminal for this bar, if no other has. Returns whether this bar may appear.
    fn take(&mut self) -> bool {
        self.owner |= !TAKEN.swap(true, Ordering::Relaxed);
        self.owner
    }

    fn show(&mut self) {
        if self.hidden && self.begun.elapsed() > SHOW_AFTER && self.take() {
            self.hidden = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if self.owner {
            TAKEN.store(false, Ordering::Relaxed);
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

pub(crate) struct Metered<T> {
    inner: T,
    bar: Progress,
}

impl<R: Read> Metered<R> {
    /// Wraps a reader. `bytes` is the size of its whole input, if known.
    pub(crate) fn reader(inner: R, bytes: Option<u64>) -> Self {
        let template = match bytes {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
            None => "{msg} {spinner} {bytes}",
        };
        Self { inner, bar: Progress::new("reading", bytes, template, true) }
    }
}

impl<W: Write> Metered<W> {
    /// Wraps a writer. `allowed` is false if the output is the terminal: then no bar appears.
    pub(crate) fn writer(inner: W, allowed: bool) -> Self {
        ON_TERMINAL.store(!allowed, Ordering::Relaxed);
        let template = "{msg} {spinner} {bytes}";
        Self { inner, bar: Progress::new("writing", None, template, allowed) }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.bar.advance(read as u64);
        Ok(read)
    }
}

impl<W: Write> Write for Metered<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bar.advance(written as u64);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Runs `work`, with a spinner on a terminal if it takes longer than [`SHOW_AFTER`].
pub(crate) fn with_spinner<T>(work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    // No messages are sent through the channel: the thread ends when the sender is dropped.
    let (working, done) = mpsc::channel::<()>();
    let spin = move || {
        if done.recv_timeout(SHOW_AFTER) == Err(RecvTimeoutError::Timeout) {
            let bar = ProgressBar::new_spinner().with_message("finding pairs");
            bar.set_style(style("{msg} {spinner} {elapsed}"));
            bar.enable_steady_tick(SPINNER_INTERVAL);
            let _ = done.recv();
            bar.finish_and_clear();
        }
    };
    thread::scope(move |scope| {
        // Without memory for a thread there is no spinner.
        let _ = thread::Builder::new().spawn_scoped(scope, spin);
        let _working = working;
        work()
    })
}
