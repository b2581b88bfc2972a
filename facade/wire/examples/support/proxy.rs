//! A bad network between two processes: loss, delay, another order, copies.
//!
//! A thread forwards datagrams between one client and one server. Each is lost with a probability,
//! or else arrives after a delay to which a random time is added; so some overtake others. Some are
//! sent twice, each copy at its own time. The random numbers depend only on the seed; the number of
//! datagrams depends on the clock.

extern crate alloc;

use self::alloc::collections::BinaryHeap;
use self::alloc::sync::Arc;
use core::cmp::Reverse;
use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use core::time::Duration;
use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::thread::{self, JoinHandle, sleep};
use std::time::Instant;

/// A proxy that has forwarded datagrams ends when none arrives for this time.
const IDLE: Duration = Duration::from_secs(3);

/// How badly datagrams are forwarded, in each direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weather {
    /// Lost datagrams of a thousand.
    pub(super) loss: u64,
    /// Minimum time of a datagram.
    pub(super) delay: Duration,
    /// Maximum time that is added.
    pub(super) jitter: Duration,
    /// Datagrams of a thousand that arrive twice.
    pub(super) twice: u64,
    /// Start of the random numbers.
    pub(super) seed: u64,
}

/// Numbers of datagrams.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Received by the proxy.
    pub(super) received: u64,
    /// Lost on purpose.
    pub(super) lost: u64,
    /// Sent twice.
    pub(super) twice: u64,
    /// Sent after a datagram that was received later.
    pub(super) overtaken: u64,
}

/// A running proxy; dropping it does not end it.
#[derive(Debug)]
pub(super) struct Proxy {
    /// The address for the client.
    pub(super) address: SocketAddr,
    end: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Counts>>,
}

impl Proxy {
    /// Starts a proxy that forwards what arrives on `front` to `server`, and answers back.
    pub(super) fn start(
        front: UdpSocket,
        server: SocketAddr,
        weather: Weather,
    ) -> io::Result<Self> {
        let address = front.local_addr()?;
        let any = if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        let sockets = [front, UdpSocket::bind(any)?];
        for socket in &sockets {
            socket.set_nonblocking(true)?;
        }
        let end = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&end);
        let thread = thread::spawn(move || forward(&sockets, server, weather, &stop));
        Ok(Self { address, end, thread })
    }

    /// Ends the proxy, now or when no datagrams arrive any more, and returns its counts.
    pub(super) fn end(self, now: bool) -> io::Result<Counts> {
        self.end.store(now, Relaxed);
        self.thread.join().expect("the proxy does not panic")
    }
}

fn forward(
    sockets: &[UdpSocket; 2],
    server: SocketAddr,
    weather: Weather,
    end: &AtomicBool,
) -> io::Result<Counts> {
    let mut random = weather.seed;
    let mut counts = Counts::default();
    let mut client = None;
    // Time of arrival, number, whether to the server, bytes; the earliest first.
    let mut flying = BinaryHeap::new();
    let mut newest = [0; 2];
    let mut buffer = [0; 4096];
    let mut latest = Instant::now();
    while !end.load(Relaxed) && (counts.received == 0 || latest.elapsed() < IDLE) {
        for (to_server, socket) in [(1, &sockets[0]), (0, &sockets[1])] {
            loop {
                let (len, from) = match socket.recv_from(&mut buffer) {
                    Ok(received) => received,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    // An earlier datagram had no receiver.
                    Err(error) if error.kind() == ErrorKind::ConnectionReset => continue,
                    Err(error) => return Err(error),
                };
                if to_server == 1 {
                    client = Some(from);
                }
                counts.received += 1;
                latest = Instant::now();
                if below(1000, &mut random) < weather.loss {
                    counts.lost += 1;
                    continue;
                }
                let copies = 1 + u64::from(below(1000, &mut random) < weather.twice);
                counts.twice += copies - 1;
                for _ in 0..copies {
                    let jitter = below(1 + weather.jitter.as_micros() as u64, &mut random);
                    let at = Instant::now() + weather.delay + Duration::from_micros(jitter);
                    flying.push(Reverse((at, counts.received, to_server, buffer[..len].to_vec())));
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
                // A datagram that cannot be sent is lost.
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
