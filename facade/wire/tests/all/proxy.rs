//! A bad network between two processes: datagrams are lost, delayed, reordered and repeated.
//!
//! Two threads receive the datagrams of one client and one server. Each datagram is lost with a
//! given probability. Otherwise a thread of its own sends it after a minimum delay plus a random
//! time, so that some overtake others. Some are sent twice, each copy after its own delay.

use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use core::time::Duration;
use std::io;
use std::net::UdpSocket;
use std::sync::{Arc, OnceLock};
use std::thread::{self, sleep};

/// Number of datagrams per thousand that are lost, and that are sent twice.
const LOSS: u64 = 50;
const TWICE: u64 = 50;
/// Minimum delay of a datagram, and the maximum random delay in addition.
const DELAY: Duration = Duration::from_millis(25);
const JITTER: Duration = Duration::from_millis(10);

/// A running proxy. It stops if `end` is set.
#[derive(Debug)]
pub(super) struct Proxy {
    /// The sockets that the client and the server send to.
    sockets: [UdpSocket; 2],
    client: OnceLock<SocketAddr>,
    server: SocketAddr,
    pub(super) end: AtomicBool,
    /// Numbers of datagrams: dropped on purpose, sent twice, and sent after a datagram of the same
    /// side that the proxy received later.
    pub(super) lost: AtomicU64,
    pub(super) twice: AtomicU64,
    pub(super) overtaken: AtomicU64,
}

impl Proxy {
    /// Starts a proxy that forwards datagrams from `front` to `server`, and the answers back.
    pub(super) fn start(front: UdpSocket, server: SocketAddr) -> io::Result<Arc<Self>> {
        let sockets = [front, UdpSocket::bind("127.0.0.1:0")?];
        for socket in &sockets {
            socket.set_read_timeout(Some(Duration::from_millis(5)))?;
        }
        let client = OnceLock::new();
        let (end, [lost, twice, overtaken]) =
            (AtomicBool::new(false), [const { AtomicU64::new(0) }; 3]);
        let proxy = Arc::new(Self { sockets, client, server, end, lost, twice, overtaken });
        for side in [0, 1] {
            let proxy = Arc::clone(&proxy);
            thread::spawn(move || proxy.forward(side));
        }
        Ok(proxy)
    }

    /// Returns the address to which the client connects.
    pub(super) fn address(&self) -> SocketAddr {
        self.sockets[0].local_addr().expect("a bound socket")
    }

    /// Forwards the datagrams of one side to the other one.
    fn forward(self: Arc<Self>, side: usize) {
        let newest = Arc::new(AtomicU64::new(0));
        let mut random = side as u64;
        let mut buffer = [0; 4096];
        let mut number = 0;
        while !self.end.load(Relaxed) {
            // An error means that nothing has arrived, or that an earlier datagram had no receiver.
            let Ok((len, from)) = self.sockets[side].recv_from(&mut buffer) else { continue };
            if side == 0 {
                self.client.get_or_init(|| from);
            }
            number += 1;
            if below(1000, &mut random) < LOSS {
                self.lost.fetch_add(1, Relaxed);
                continue;
            }
            let copies = 1 + u64::from(below(1000, &mut random) < TWICE);
            self.twice.fetch_add(copies - 1, Relaxed);
            for _ in 0..copies {
                let jitter = below(1 + JITTER.as_micros() as u64, &mut random);
                let (proxy, newest) = (Arc::clone(&self), Arc::clone(&newest));
                let bytes = buffer[..len].to_vec();
                thread::spawn(move || {
                    sleep(DELAY + Duration::from_micros(jitter));
                    let late = number < newest.fetch_max(number, Relaxed);
                    proxy.overtaken.fetch_add(late.into(), Relaxed);
                    let client = proxy.client.get().copied();
                    let to = if side == 0 { proxy.server } else { client.expect("it was first") };
                    // A datagram that the system cannot send counts as lost in the network.
                    let _ = proxy.sockets[1 - side].send_to(&bytes, to);
                });
            }
        }
    }
}

/// Returns a random number below `end`: `SplitMix64`.
fn below(end: u64, random: &mut u64) -> u64 {
    *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *random;
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ bits >> 31) % end
}
