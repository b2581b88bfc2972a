//! A simulated network within the process. Packets arrive late, out of order, or twice; lost
//! packets are sent again.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use crate::inputs::Command;
use crate::random::Random;

/// The input of one player in one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The player.
    pub player: u8,
    /// The tick.
    pub tick: u64,
    /// The command, or [`Command::NONE`].
    pub command: Command,
}

/// The quality of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Maximum delay of a packet in ticks. Each packet has a random delay up to it; a lost packet
    /// takes longer, because it is sent again.
    pub latency: u32,
    /// Number of lost packets per thousand.
    pub loss: u32,
    /// Number of packets per thousand that arrive twice.
    pub twice: u32,
}

/// The packets between all peers. Delays and losses depend only on the seed.
#[derive(Debug)]
pub(crate) struct Network {
    conditions: Conditions,
    random: Random,
    /// Tick of arrival, index of the packet, receiver; the earliest first.
    flying: BinaryHeap<Reverse<(u64, u64, usize)>>,
    packets: Vec<Packet>,
    /// Number of packets that were lost.
    pub(crate) lost: u64,
}

impl Network {
    pub(crate) fn new(conditions: Conditions, seed: u64) -> Self {
        let loss = conditions.loss.min(950);
        Self {
            conditions: Conditions { loss, ..conditions },
            random: Random(seed),
            flying: BinaryHeap::new(),
            packets: Vec::new(),
            lost: 0,
        }
    }

    /// Sends a packet to a peer. A lost packet is sent again after a round trip of twice the
    /// latency.
    pub(crate) fn send(&mut self, now: u64, to: usize, packet: Packet) {
        let Conditions { latency, loss, twice } = self.conditions;
        let mut at = now;
        while self.random.below(1000) < loss {
            self.lost += 1;
            at += u64::from(2 * latency.max(1));
        }
        self.packets.push(packet);
        let number = self.packets.len() as u64 - 1;
        let copies = 1 + u32::from(self.random.below(1000) < twice);
        for _ in 0..copies {
            let arrival = at + u64::from(self.random.below(latency + 1));
            self.flying.push(Reverse((arrival, number, to)));
        }
    }

    /// Returns the next packet that has arrived, and its receiver.
    pub(crate) fn receive(&mut self, now: u64) -> Option<(usize, Packet)> {
        let &Reverse((arrival, number, to)) = self.flying.peek()?;
        if arrival > now {
            return None;
        }
        self.flying.pop();
        Some((to, self.packets[number as usize]))
    }
}
