//! A proxy that behaves like a bad network, for `hexphase-wire`: it loses, delays, reorders and
//! repeats datagrams.
//!
//! ```text
//! hexphase-wire --listen 127.0.0.1:7000
//! proxy 127.0.0.1:7001 127.0.0.1:7000
//! hexphase-wire --connect 127.0.0.1:7001
//! ```
//!
//! Further arguments after the two addresses, with their defaults:
//!
//! 1. lost datagrams per thousand: 50
//! 2. minimum delay in each direction: 100 milliseconds
//! 3. maximum random delay in addition: 20 milliseconds
//! 4. repeated datagrams per thousand: 20
//! 5. seed of the random numbers: 1
//!
//! Without arguments the program prints their names and ends. Otherwise it ends when no datagram
//! has arrived for three seconds, and prints how many were lost, overtaken and sent twice.

#[path = "support/proxy.rs"]
mod proxy;

use core::error::Error;
use core::time::Duration;
use std::net::UdpSocket;

use proxy::{Counts, Proxy, Weather};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, numbers @ ..] = &arguments[..] else {
        println!("proxy ADDRESS SERVER [LOSS [DELAY_MS [JITTER_MS [TWICE [SEED]]]]]");
        return Ok(());
    };
    let number = |at: usize, default: u64| match numbers.get(at) {
        Some(text) => text.parse().map_err(|why| format!("{text}: {why}")),
        None => Ok(default),
    };
    let weather = Weather {
        loss: number(0, 50)?,
        delay: Duration::from_millis(number(1, 100)?),
        jitter: Duration::from_millis(number(2, 20)?),
        twice: number(3, 20)?,
        seed: number(4, 1)?,
    };
    let proxy = Proxy::start(UdpSocket::bind(from)?, to.parse()?, weather)?;
    println!("{} to {to}: {weather:?}", proxy.address);
    let Counts { received, lost, twice, overtaken } = proxy.end(false)?;
    println!("{received} datagrams, {lost} lost, {twice} sent twice, {overtaken} overtaken");
    Ok(())
}
