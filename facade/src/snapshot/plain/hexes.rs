//! [`Plain`] for cells, edges, corners, directions, points, angles and poses.

use alloc::vec::Vec;

use hexcoord::{Angle, Corner, Diagonal, Direction, Edge, Hex, Orientation, Point, Pose, hex};

use super::{Plain, combine, type_number};

impl<S: Plain> Plain for Point<S> {
    const SIZE: usize = <[S; 2]>::SIZE;
    const KIND: u32 = combine(type_number("Point"), S::KIND);
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        (self.a, self.b).write(out);
    }
    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (a, b) = Plain::read(bytes)?;
        Some(Self { a, b })
    }
}

/// Implements [`Plain`] with a conversion into a stored type, and a conversion back that fails for
/// other values.
macro_rules! stored {
    ($($Type:ident as $Stored:ty: $write:expr, $read:expr;)*) => {$(
        impl Plain for $Type {
            const SIZE: usize = <$Stored>::SIZE;
            const KIND: u32 = combine(type_number(stringify!($Type)), <$Stored>::KIND);
            #[inline]
            fn write(&self, out: &mut Vec<u8>) {
                let write: fn(Self) -> $Stored = $write;
                write(*self).write(out);
            }
            #[inline]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let read: fn($Stored) -> Option<Self> = $read;
                read(Plain::read(bytes)?)
            }
        }
    )*};
}

stored! {
    Hex as [i32; 2]: |cell| [cell.q, cell.r], |[q, r]| Some(hex(q, r));
    Angle as u16: |angle| angle.0, |units| Some(Angle(units));
    Pose as (Point, Angle):
        |pose| (pose.position, pose.angle),
        |(position, angle)| Some(Pose { position, angle });
    Direction as u8: |way| way as u8, |index| Direction::ALL.get(usize::from(index)).copied();
    Diagonal as u8: |way| way as u8, |index| Diagonal::ALL.get(usize::from(index)).copied();
    Orientation as bool:
        |orientation| orientation == Orientation::Flat,
        |flat| Some(if flat { Orientation::Flat } else { Orientation::Pointy });
    Edge as (Hex, Direction):
        |edge| (edge.cells()[0], edge.direction()),
        |(cell, way)| Some(cell.edge(way)).filter(|edge| edge.direction() == way);
    Corner as (Hex, Diagonal):
        |corner| (corner.cells()[0], corner.diagonal()),
        |(cell, way)| Some(cell.corner(way)).filter(|corner| corner.diagonal() == way);
}
