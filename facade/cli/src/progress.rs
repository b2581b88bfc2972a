//! Progress of long work, on a terminal only.

use core::time::Duration;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often a spinner turns.
const TICK: Duration = Duration::from_millis(100);

/// A bar that appears once the work has taken a while.
struct LateBar {
    bar: ProgressBar,
    begun: Instant,
    /// Whether it waits for its time to appear; not if it never will.
    waiting: bool,
}

impl LateBar {
    fn new(verb: &'static str, total: Option<u64>, allowed: bool) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = match total {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
            None => "{msg} {spinner} {bytes}",
        };
        bar.set_style(style(template));
        bar.set_message(verb);
        Self { bar, begun: Instant::now(), waiting: allowed && io::stderr().is_terminal() }
    }

    fn advance(&mut self, bytes: usize) {
        self.bar.inc(bytes as u64);
        if self.waiting && self.begun.elapsed() > PATIENCE {
            self.waiting = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for LateBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Shows how much of something has been read.
pub(crate) struct Reading<R> {
    inner: R,
    bar: LateBar,
}

impl<R> Reading<R> {
    /// Watches the reading of so many bytes, if that is known.
    pub(crate) fn new(inner: R, bytes: Option<u64>) -> Self {
        Self { inner, bar: LateBar::new("reading", bytes, true) }
    }
}

impl<R: Read> Read for Reading<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.bar.advance(read);
        Ok(read)
    }
}

/// Shows how much has been written.
pub(crate) struct Writing<W> {
    inner: W,
    bar: LateBar,
}

impl<W> Writing<W> {
    /// Watches the writing; `allowed` is false if what is written appears on the terminal.
    pub(crate) fn new(inner: W, allowed: bool) -> Self {
        Self { inner, bar: LateBar::new("writing", None, allowed) }
    }
}

impl<W: Write> Write for Writing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bar.advance(written);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Shows that pairs are being found.
pub(crate) fn while_finding<T>(work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        // Nothing is sent: the work is done when the sender is gone.
        let (working, done) = mpsc::channel::<()>();
        scope.spawn(move || {
            let is_working =
                |patience| done.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
            if !is_working(PATIENCE) {
                return;
            }
            let bar = ProgressBar::new_spinner();
            bar.set_style(style("{msg} {spinner} {elapsed}"));
            bar.set_message("finding pairs");
            while is_working(TICK) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(working);
        result
    })
}
