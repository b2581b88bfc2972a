//! Panic messages with the place in the source.

use core::any::Any;
use core::cell::RefCell;
use std::panic;

thread_local! {
    /// The place in the source of the last panic on this thread, as " at FILE:LINE:COLUMN".
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Installs a panic hook that records the place of a panic instead of printing a message. If a
/// world panics, the text of the [`Difference`](crate::Difference) then has this place.
///
/// ```
/// hexphase_sim::record_panics();
/// # drop(std::panic::take_hook());
/// ```
pub fn record_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |place| format!(" at {place}"));
        LAST.with(|last| *last.borrow_mut() = place);
    }));
}

/// Returns the message of a panic, with its place if it was recorded on this thread.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    let place = LAST.with(|last| core::mem::take(&mut *last.borrow_mut()));
    format!("{}{place}", text.unwrap_or("without a message"))
}
