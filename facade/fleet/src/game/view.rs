//! Views for pictures: ships, bullets and the extent of the world.

use hexphase::hex::{HexBody, Point, Pose};

use super::Game;
use super::entity::{Entity, SPEED_FRACTION};

/// A ship.
#[derive(Clone, Copy, Debug)]
pub struct ShipView<'a> {
    /// Cells. [`HexBody::cell_corners`] returns the corners of a cell at a pose.
    pub body: &'a HexBody,
    /// Position and rotation, in units of the grid of the body.
    pub pose: Pose,
    /// Number of the player, from 0.
    pub player: u8,
    /// Number of the squad, from 0.
    pub squad: u8,
}

/// A bullet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulletView {
    /// Position before the last tick; it can be outside of the world, next to `to`.
    pub from: Point,
    /// Position.
    pub to: Point,
    /// Number of the player that has fired it, from 0.
    pub player: u8,
}

impl Game {
    /// Returns the side of the world in units; 512 units are a cell. Positions have coordinates
    /// from 0 up to the side, on both axes of the hexagonal plane, and wrap.
    #[must_use]
    pub const fn side(&self) -> i32 {
        self.space.side
    }

    /// Returns all ships, in a fixed order.
    ///
    /// ```
    /// use hexphase_fleet::{Game, Settings};
    ///
    /// let game = Game::new(Settings { ships: 20, bullets: 5, ..Settings::default() })?;
    /// let cells: usize = game.ship_views().map(|ship| ship.body.len()).sum();
    /// assert!(cells > 60);
    /// assert!(game.bullet_views().all(|bullet| (0..game.side()).contains(&bullet.to.a)));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn ship_views(&self) -> impl Iterator<Item = ShipView<'_>> {
        self.world.objects().filter(|(_, object)| !object.user.is_bullet()).map(|(_, object)| {
            let Entity { position, angle, hull, player, squad, .. } = object.user;
            let body = &self.hulls.get(hull).body;
            ShipView { body, pose: Pose::new(position, angle), player, squad }
        })
    }

    /// Returns all bullets, in a fixed order.
    pub fn bullet_views(&self) -> impl Iterator<Item = BulletView> {
        self.world.objects().filter(|(_, object)| object.user.is_bullet()).map(|(_, object)| {
            let Entity { position, velocity: [a, b], player, .. } = object.user;
            let way = Point::new((a >> SPEED_FRACTION).into(), (b >> SPEED_FRACTION).into());
            BulletView { from: position - way, to: position, player }
        })
    }
}
