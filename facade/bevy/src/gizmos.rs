//! Draws the world with gizmos.

use bevy_color::Color;
use bevy_ecs::system::Res;
use bevy_gizmos::gizmos::Gizmos;
use bevy_math::Vec3;
use hexphase::{LineKind, Motion};

use crate::BroadPhase;

/// A system that draws the bounds of all entities, their pairs, and the cells of the structure. It
/// must run before the schedule `Last`, in which Bevy collects gizmos.
pub fn draw<const D: usize>(world: Res<BroadPhase<D>>, mut gizmos: Gizmos) {
    world.world().debug_lines(|line| {
        let color = match line.kind {
            LineKind::Bounds(Motion::Dynamic) => Color::srgb(0.3, 0.7, 1.0),
            LineKind::Bounds(_) => Color::srgb(0.6, 0.6, 0.6),
            LineKind::Pair => Color::srgb(1.0, 0.5, 0.2),
            _ => Color::srgba(0.5, 0.5, 0.5, 0.3),
        };
        let [a, b] = line.ends.map(|end| {
            let mut place = [0.0; 3];
            place[..D].copy_from_slice(&end);
            Vec3::from(place)
        });
        gizmos.line(a, b, color);
    });
}
