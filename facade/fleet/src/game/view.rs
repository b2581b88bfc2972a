//! Views of ships and bullets, for pictures.

use hexphase::hex::{HexBody, Point, Pose};

use super::Game;
use super::entity::Entity;

/// A ship.
#[derive(Clone, Copy, Debug)]
pub struct ShipView<'a> {
    /// The cells.
    pub body: &'a HexBody,
    /// Position and rotation, in units of the grid of the body.
    pub pose: Pose,
    /// Number of the player, from 0.
    pub player: u8,
    /// Whether the ship has lost cells.
    pub damaged: bool,
}

impl Game {
    /// Returns the side of the world in units. Positions have coordinates from 0 to the side on
    /// both axes of the hexagonal plane, and wrap. 512 units are the size of a cell.
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
    /// assert!(game.bullet_positions().all(|bullet| (0..game.side()).contains(&bullet.a)));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn ship_views(&self) -> impl Iterator<Item = ShipView<'_>> {
        self.world.objects().filter(|(_, object)| !object.user.is_bullet()).map(|(_, object)| {
            let Entity { position, angle, hull, player, .. } = object.user;
            let body = &self.hulls.get(hull).body;
            let damaged = !self.hulls.is_shape(hull);
            ShipView { body, pose: Pose::new(position, angle), player, damaged }
        })
    }

    /// Returns the positions of all bullets, in a fixed order.
    pub fn bullet_positions(&self) -> impl Iterator<Item = Point> {
        let bullets = self.world.objects().filter(|(_, object)| object.user.is_bullet());
        bullets.map(|(_, object)| object.user.position)
    }
}
