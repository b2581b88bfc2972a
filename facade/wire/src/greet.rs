//! The greeting before the game: the two sides find each other and compare their terms.
//!
//! 1. The connecting side sends `Hello` with its terms, every 20 ms.
//! 2. The listening side compares the terms. If they are equal, it answers `Welcome` and begins the
//!    game. During the game it answers each further `Hello`, because a `Welcome` may be lost.
//! 3. Otherwise it answers `Refuse` with its own terms, until the connecting side confirms. The
//!    game fails on both sides.

use core::net::SocketAddr;
use core::time::Duration;
use std::thread::sleep;
use std::time::Instant;

use crate::error::WireError;
use crate::link::Link;
use crate::packet::Note;
use crate::terms::{Terms, TermsDiffer};

/// Interval at which a note is sent again.
pub(crate) const RESEND: Duration = Duration::from_millis(20);
/// Interval at which the socket is read.
pub(crate) const POLL: Duration = Duration::from_millis(1);
/// Time for which a side repeats its last note if the other side does not confirm it.
pub(crate) const LINGER: Duration = Duration::from_secs(1);

/// Waits for a process with equal terms, and returns its address.
pub(crate) fn accept(
    link: &mut Link,
    terms: Terms,
    timeout: Duration,
) -> Result<SocketAddr, WireError> {
    let begin = Instant::now();
    loop {
        while let Some((peer, note)) = link.note()? {
            match note {
                Note::Hello(other) if other == terms => {
                    link.set_peer(peer);
                    link.send(peer, &Note::Welcome)?;
                    return Ok(peer);
                }
                Note::Hello(other) => {
                    link.set_peer(peer);
                    refuse(link, peer, terms)?;
                    let differ = TermsDiffer { here: terms, there: other };
                    return Err(WireError::Terms(peer, differ));
                }
                _ => {}
            }
        }
        if begin.elapsed() >= timeout {
            return Err(WireError::NotCalled(timeout));
        }
        sleep(POLL);
    }
}

fn refuse(link: &mut Link, peer: SocketAddr, terms: Terms) -> Result<(), WireError> {
    let begin = Instant::now();
    link.send(peer, &Note::Refuse(terms))?;
    while begin.elapsed() < LINGER {
        match link.note()? {
            Some((_, Note::Refuse(_))) => break,
            Some((_, Note::Hello(_))) => link.send(peer, &Note::Refuse(terms))?,
            Some(_) => {}
            None => sleep(POLL),
        }
    }
    Ok(())
}

/// Sends `Hello` to a process until it agrees to the terms, refuses, or the timeout ends.
pub(crate) fn call(
    link: &mut Link,
    peer: SocketAddr,
    terms: Terms,
    timeout: Duration,
) -> Result<(), WireError> {
    let begin = Instant::now();
    let mut next = begin;
    loop {
        if Instant::now() >= next {
            link.send(peer, &Note::Hello(terms))?;
            next += RESEND;
        }
        while let Some((_, note)) = link.note()? {
            match note {
                Note::Welcome => return Ok(()),
                Note::Refuse(other) => {
                    for _ in 0..3 {
                        link.send(peer, &Note::Refuse(terms))?;
                    }
                    let differ = TermsDiffer { here: terms, there: other };
                    return Err(WireError::Terms(peer, differ));
                }
                Note::Busy => return Err(WireError::Busy(peer)),
                _ => {}
            }
        }
        if begin.elapsed() >= timeout {
            return Err(WireError::NoAnswer(peer, timeout));
        }
        sleep(POLL);
    }
}
