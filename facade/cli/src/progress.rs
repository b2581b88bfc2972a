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

/// Set while a bar is visible or a [`Progress`] exists, so that no other bar appears.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Set if the output is written to the terminal, so that no bar appears beside it.
static ON_TERMINAL: AtomicBool = AtomicBool::new(false);

/// A progress bar that appears if the work takes longer than [`SHOW_AFTER`].
struct DelayedBar {
    bar: ProgressBar,
    begun: Instant,
    /// Set until the bar appears; `false` from the start if the bar may not appear.
    hidden: bool,
    /// Set if this bar has set [`TAKEN`].
    owner: bool,
}

/// The progress of work with a known number of steps, shown with an estimate of the remaining time.
pub(crate) struct Progress(DelayedBar);

impl Progress {
    /// Creates the bar. Until it is dropped, the bars of readers and writers do not appear.
    pub(crate) fn new(verb: &'static str, steps: u64) -> Self {
        let mut bar = DelayedBar::new(verb, Some(steps), !ON_TERMINAL.load(Ordering::Relaxed));
        bar.bar.set_style(style("{msg} {wide_bar} {percent} % {eta}"));
        bar.take();
        Self(bar)
    }

    /// Sets the number of steps that are done.
    pub(crate) fn set(&mut self, done: u64) {
        self.0.bar.set_position(done);
        self.0.show();
    }
}

impl DelayedBar {
    fn new(verb: &'static str, total: Option<u64>, allowed: bool) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = match total {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
            None => "{msg} {spinner} {bytes}",
        };
        bar.set_style(style(template));
        bar.set_message(verb);
        Self {
            bar,
            begun: Instant::now(),
            hidden: allowed && io::stderr().is_terminal(),
            owner: false,
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.bar.inc(bytes as u64);
        self.show();
    }

    /// Reserves the terminal for this bar, unless another bar has reserved it. Returns whether this
    /// bar may appear.
    fn take(&mut self) -> bool {
        self.owner |= !TAKEN.swap(true, Ordering::Relaxed);
        self.owner
    }

    /// Shows the bar if more time than [`SHOW_AFTER`] has passed.
    fn show(&mut self) {
        if self.hidden && self.begun.elapsed() > SHOW_AFTER && self.take() {
            self.hidden = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for DelayedBar {
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

/// A progress bar that counts items, shared by several threads.
#[cfg(feature = "sim")]
pub(crate) struct ProgressCount(std::sync::Mutex<DelayedBar>);

#[cfg(feature = "sim")]
impl ProgressCount {
    /// Creates a bar for this number of items.
    pub(crate) fn new(verb: &'static str, total: u64) -> Self {
        let bar = DelayedBar::new(verb, Some(total), true);
        bar.bar.set_style(style("{msg} {wide_bar} {pos}/{len} {eta}"));
        Self(std::sync::Mutex::new(bar))
    }

    /// Counts one finished item.
    pub(crate) fn advance(&self) {
        if let Ok(mut bar) = self.0.lock() {
            bar.advance(1);
        }
    }
}

/// A reader with a progress bar.
pub(crate) struct ProgressReader<R> {
    inner: R,
    bar: DelayedBar,
}

impl<R> ProgressReader<R> {
    /// Wraps a reader. `bytes` is the size of its whole input, if known.
    pub(crate) fn new(inner: R, bytes: Option<u64>) -> Self {
        Self { inner, bar: DelayedBar::new("reading", bytes, true) }
    }
}

impl<R: Read> Read for ProgressReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.bar.advance(read);
        Ok(read)
    }
}

/// A writer with a progress bar.
pub(crate) struct ProgressWriter<W> {
    inner: W,
    bar: DelayedBar,
}

impl<W> ProgressWriter<W> {
    /// Wraps a writer. `allowed` is false if the output is written to the terminal: then no bar
    /// appears.
    pub(crate) fn new(inner: W, allowed: bool) -> Self {
        ON_TERMINAL.store(!allowed, Ordering::Relaxed);
        Self { inner, bar: DelayedBar::new("writing", None, allowed) }
    }
}

impl<W: Write> Write for ProgressWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bar.advance(written);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Runs `work` and returns its result. If it takes longer than [`SHOW_AFTER`] and standard error is
/// a terminal, shows a spinner meanwhile.
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
