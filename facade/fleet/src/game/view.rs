//! Views of ships and bullets, for pictures.

use hexphase::hex::{HexBody, Point, Pose};

use super::Game;
use super::entity::{Entity, SPEED_FRACTION};

/// A ship.
#[derive(Clone, Copy, Debug)]
pub struct ShipView<'a> {
    /// The cells. [`HexBody::cell_corners`] returns the corners of a cell at a pose.
    pub body: &'a HexBody,
    /// Position and rotation, in units of the grid of the body.
    pub pose: Pose,
    /// Number of the player, from 0.
    pub player: u8,
    /// Number of the squad, from 0.
    pub squad: u8,
    /// Whether the ship has lost cells.
    pub damaged: bool,
}

/// A bullet with its path in the last tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulletView {
    /// Position before the last tick. It can be outside of the world, so that `from` and `to` are
    /// the ends of one straight path.
    pub from: Point,
    /// Current position.
    pub to: Point,
    /// Number of the player that fired the bullet, from 0.
    pub player: u8,
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
    /// assert!(game.bullet_views().all(|bullet| (0..game.side()).contains(&bullet.to.a)));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn ship_views(&self) -> impl Iterator<Item = ShipView<'_>> {
        self.world.objects().filter(|(_, object)| !object.user.is_bullet()).map(|(_, object)| {
            let Entity { position, angle, hull, player, squad, .. } = object.user;
            let body = &self.hulls.get(hull).body;
            let damaged = !self.hulls.is_shape(hull);
            ShipView { body, pose: Pose::new(position, angle), player, squad, damaged }
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
