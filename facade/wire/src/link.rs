//! The socket of one side, shared by GGRS and by notes (messages outside of GGRS).

use alloc::collections::VecDeque;
use alloc::rc::Rc;
use core::cell::RefCell;
use core::net::SocketAddr;
use core::time::Duration;
use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::time::Instant;

use ggrs::{Message, NonBlockingSocket};

use crate::packet::{Datagram, MAX_LEN, Note, read, write_game, write_note};

/// A non-blocking socket with queues of the datagrams that have arrived.
#[derive(Debug)]
pub(crate) struct Link {
    socket: UdpSocket,
    /// The other side; datagrams of other senders are ignored. `None` until the other side is
    /// known.
    peer: Option<SocketAddr>,
    messages: Vec<(SocketAddr, Message)>,
    notes: VecDeque<(SocketAddr, Note)>,
    /// Arrival time of the last datagram of the other side.
    heard: Instant,
    /// Number of datagrams sent.
    pub(crate) sent: u64,
    /// Number of datagrams received from the other side.
    pub(crate) received: u64,
    buffer: Vec<u8>,
}

impl Link {
    pub(crate) fn new(socket: UdpSocket, peer: Option<SocketAddr>) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            peer,
            messages: Vec::new(),
            notes: VecDeque::new(),
            heard: Instant::now(),
            sent: 0,
            received: 0,
            buffer: Vec::new(),
        })
    }

    /// Sets the other side. The time of its silence starts at 0.
    pub(crate) fn set_peer(&mut self, peer: SocketAddr) {
        self.peer = Some(peer);
        self.heard = Instant::now();
    }

    /// Returns the time since the last datagram of the other side.
    pub(crate) fn silence(&self) -> Duration {
        self.heard.elapsed()
    }

    /// Receives all datagrams that have arrived, and returns the next note and its sender.
    pub(crate) fn note(&mut self) -> io::Result<Option<(SocketAddr, Note)>> {
        self.receive()?;
        Ok(self.notes.pop_front())
    }

    /// Sends a note. If the system cannot send it now, it counts as lost.
    pub(crate) fn send(&mut self, to: SocketAddr, note: &Note) -> io::Result<()> {
        write_note(note, &mut self.buffer);
        self.send_buffer(to)
    }

    fn send_buffer(&mut self, to: SocketAddr) -> io::Result<()> {
        self.sent += 1;
        match self.socket.send_to(&self.buffer, to) {
            Err(error) if !may_pass(&error) => Err(error),
            _ => Ok(()),
        }
    }

    fn receive(&mut self) -> io::Result<()> {
        let mut bytes = [0; MAX_LEN];
        loop {
            let (len, from) = match self.socket.recv_from(&mut bytes) {
                Ok(received) => received,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if may_pass(&error) => continue,
                Err(error) => return Err(error),
            };
            let Some(datagram) = read(&bytes[..len]) else { continue };
            if self.peer.is_some_and(|peer| peer != from) {
                if matches!(datagram, Datagram::Note(Note::Hello(_))) {
                    self.send(from, &Note::Busy)?;
                }
                continue;
            }
            self.heard = Instant::now();
            self.received += 1;
            match datagram {
                Datagram::Note(note) => self.notes.push_back((from, note)),
                Datagram::Game(bytes) => {
                    if let Ok(message) = bincode::deserialize(bytes) {
                        self.messages.push((from, message));
                    }
                }
            }
        }
    }
}

/// Returns whether an error of a socket concerns only one datagram: some systems report, on a later
/// call, that an earlier datagram had no receiver.
fn may_pass(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, WouldBlock};
    matches!(error.kind(), WouldBlock | Interrupted | ConnectionReset | ConnectionRefused)
}

/// The socket as GGRS uses it. Errors count as loss; if they persist, the other side is reported as
/// silent.
#[derive(Debug)]
pub(crate) struct SharedLink(pub(crate) Rc<RefCell<Link>>);

impl NonBlockingSocket<SocketAddr> for SharedLink {
    fn send_to(&mut self, message: &Message, to: &SocketAddr) {
        let mut link = self.0.borrow_mut();
        if write_game(message, &mut link.buffer).is_ok() {
            let _ = link.send_buffer(*to);
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(SocketAddr, Message)> {
        let mut link = self.0.borrow_mut();
        let _ = link.receive();
        core::mem::take(&mut link.messages)
    }
}
