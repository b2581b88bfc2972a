//! Ships and bullets: the user data of the world.

use hexphase::Plain;
use hexphase::hex::{Angle, Point};

/// Velocities are stored in units of 2^-`SPEED_FRACTION` per tick, that is, in sixteenths.
pub(crate) const SPEED_FRACTION: u32 = 4;

/// A ship or a bullet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entity {
    /// Position of the center in the home range, from 0 to the side of the world. A ship rotates
    /// about it.
    pub(crate) position: Point,
    /// Velocity in sixteenths of a unit per tick.
    pub(crate) velocity: [i16; 2],
    /// Rotation of a ship.
    pub(crate) angle: Angle,
    /// Change of the angle per tick.
    pub(crate) spin: i16,
    /// Extent of a ship along the axes a, b and c at any rotation, in units; 0 for a bullet.
    pub(crate) reach: u16,
    /// Remaining ticks of a bullet; 0 for a ship.
    pub(crate) life: u16,
    /// Number of the ship's hull in [`Hulls`](super::hulls::Hulls); 0 for a bullet.
    pub(crate) hull: u32,
    /// Player that commands the ship or fired the bullet.
    pub(crate) player: u8,
    /// Squad of the ship. A ship follows the order of its squad.
    pub(crate) squad: u8,
}

impl Entity {
    #[inline(always)]
    pub(crate) const fn is_bullet(&self) -> bool {
        self.life > 0
    }
}

impl Plain for Entity {
    const SIZE: usize = 26;
    const KIND: u32 = 0x4865_7801;

    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; Self::SIZE];
        bytes[..4].copy_from_slice(&self.position.a.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.position.b.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.velocity[0].to_le_bytes());
        bytes[10..12].copy_from_slice(&self.velocity[1].to_le_bytes());
        bytes[12..14].copy_from_slice(&self.angle.0.to_le_bytes());
        bytes[14..16].copy_from_slice(&self.spin.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.reach.to_le_bytes());
        bytes[18..20].copy_from_slice(&self.life.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.hull.to_le_bytes());
        bytes[24] = self.player;
        bytes[25] = self.squad;
        out.extend_from_slice(&bytes);
    }

    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (saved, rest) = bytes.split_first_chunk::<{ Self::SIZE }>()?;
        *bytes = rest;
        let short = |at: usize| u16::from_le_bytes([saved[at], saved[at + 1]]);
        let long = |at: usize| {
            u32::from_le_bytes([saved[at], saved[at + 1], saved[at + 2], saved[at + 3]])
        };
        Some(Self {
            position: Point::new(long(0) as i32, long(4) as i32),
            velocity: [short(8) as i16, short(10) as i16],
            angle: Angle(short(12)),
            spin: short(14) as i16,
            reach: short(16),
            life: short(18),
            hull: long(20),
            player: saved[24],
            squad: saved[25],
        })
    }
}
