//! A bad network between two processes: datagrams are lost, delayed, reordered and repeated.
//!
//! A thread forwards datagrams between one client and one server. Each datagram is lost with a
//! given probability. Otherwise it is forwarded after a minimum delay plus a random time, so that
//! some datagrams overtake others. Some are sent twice, each copy after its own delay.

use core::cmp::Reverse;
use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use core::time::Duration;
use std::collections::BinaryHeap;
use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::sync::Arc;
use std::thread::{self, JoinHandle, sleep};
use std::time::Instant;

/// Number of datagrams per thousand that are lost, and that are sent twice.
const LOSS: u64 = 50;
const TWICE: u64 = 50;
/// Minimum delay of a datagram, and the maximum random delay in addition.
const DELAY: Duration = Duration::from_millis(25);
const JITTER: Duration = Duration::from_millis(10);

/// Numbers of datagrams.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Dropped on purpose.
    pub(super) lost: u64,
    /// Sent twice.
    pub(super) twice: u64,
    /// Forwarded after a datagram that the proxy received later.
    pub(super) overtaken: u64,
}

/// A running proxy. Dropping it does not stop its thread.
#[derive(Debug)]
pub(super) struct Proxy {
    /// The address to which the client connects.
    pub(super) address: SocketAddr,
    end: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Counts>>,
}

impl Proxy {
    /// Starts a proxy that forwards datagrams from `front` to `server`, and the answers back.
    pub(super) fn start(front: UdpSocket, server: SocketAddr) -> io::Result<Self> {
        let address = front.local_addr()?;
        let sockets = [front, UdpSocket::bind("127.0.0.1:0")?];
        for socket in &sockets {
            socket.set_nonblocking(true)?;
        }
        let end = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&end);
        let thread = thread::spawn(move || forward(&sockets, server, &stop));
        Ok(Self { address, end, thread })
    }

    /// Ends the proxy and returns its counts.
    pub(super) fn end(self) -> io::Result<Counts> {
        self.end.store(true, Relaxed);
        self.thread.join().expect("the proxy does not panic")
    }
}

fn forward(sockets: &[UdpSocket; 2], server: SocketAddr, end: &AtomicBool) -> io::Result<Counts> {
    let mut random = 1;
    let mut counts = Counts::default();
    let mut client = None;
    // Time to forward, number, whether to the server, bytes; the earliest time first.
    let mut flying = BinaryHeap::new();
    let mut newest = [0; 2];
    let mut buffer = [0; 4096];
    let mut received = 0u64;
    while !end.load(Relaxed) {
        for (to_server, socket) in [(1, &sockets[0]), (0, &sockets[1])] {
            loop {
                let (len, from) = match socket.recv_from(&mut buffer) {
                    Ok(received) => received,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    // Some systems report here that an earlier datagram had no receiver.
                    Err(error) if error.kind() == ErrorKind::ConnectionReset => continue,
                    Err(error) => return Err(error),
                };
                if to_server == 1 {
                    client = Some(from);
                }
                received += 1;
                if below(1000, &mut random) < LOSS {
                    counts.lost += 1;
                    continue;
                }
                let copies = 1 + u64::from(below(1000, &mut random) < TWICE);
                counts.twice += copies - 1;
                for _ in 0..copies {
                    let jitter = below(1 + JITTER.as_micros() as u64, &mut random);
                    let at = Instant::now() + DELAY + Duration::from_micros(jitter);
                    flying.push(Reverse((at, received, to_server, buffer[..len].to_vec())));
                }
            }
        }
        while let Some(Reverse((at, ..))) = flying.peek()
            && *at <= Instant::now()
        {
            let Some(Reverse((_, number, to_server, bytes))) = flying.pop() else { break };
            counts.overtaken += u64::from(number < newest[to_server]);
            newest[to_server] = number.max(newest[to_server]);
            let (socket, to) = match to_server {
                1 => (&sockets[1], Some(server)),
                _ => (&sockets[0], client),
            };
            if let Some(to) = to {
                // A datagram that the system cannot send counts as lost in the network.
                let _ = socket.send_to(&bytes, to);
            }
        }
        sleep(Duration::from_micros(500));
    }
    Ok(counts)
}

/// Returns a random number below `end`: `SplitMix64`.
fn below(end: u64, random: &mut u64) -> u64 {
    *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *random;
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ bits >> 31) % end
}
