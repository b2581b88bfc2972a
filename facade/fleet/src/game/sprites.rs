//! The game for pictures: ships and bullets in the Cartesian plane.
//!
//! Lengths are in cells: the centers of two neighboring cells of a ship are 1 apart. Axis b of the
//! hexagonal plane is parallel to y, axis a is 30° from x towards y.

use hexphase::hex::{Angle, HexBody, Point, Pose};

use super::Game;

/// √3 / 2.
const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;

/// A ship or a bullet at its place in the plane.
#[derive(Clone, Copy, Debug)]
pub struct Sprite<'a> {
    /// The position in the home range; the world repeats by [`Game::periods`].
    pub position: [f64; 2],
    /// The rotation in radians, counterclockwise.
    pub angle: f64,
    /// The player that commands the ship or has fired the bullet.
    pub player: u8,
    /// Whether the ship has lost cells.
    pub damaged: bool,
    /// The cells of a ship, and its rotation; `None` for a bullet.
    body: Option<(&'a HexBody, Angle)>,
}

impl Sprite<'_> {
    /// Returns whether this is a bullet.
    #[must_use]
    pub const fn is_bullet(&self) -> bool {
        self.body.is_none()
    }

    /// Returns the centers of the cells of a ship, relative to its position.
    pub fn cells(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.body.into_iter().flat_map(|(body, angle)| {
            let (grid, pose) = (body.grid(), Pose::new(Point::ORIGIN, angle));
            body.cells()
                .map(move |cell| to_cells(pose.to_world(grid.center(cell)), grid.cell_size()))
        })
    }
}

impl Game {
    /// Returns all ships and bullets for pictures.
    ///
    /// ```
    /// use hexphase_fleet::{Game, Settings};
    ///
    /// let game = Game::new(Settings { ships: 100, bullets: 10, ..Settings::default() })?;
    /// assert_eq!(game.sprites().filter(|sprite| sprite.is_bullet()).count(), 10);
    /// assert!(game.sprites().all(|sprite| sprite.is_bullet() || sprite.cells().count() >= 3));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn sprites(&self) -> impl Iterator<Item = Sprite<'_>> {
        let size = HexBody::new().grid().cell_size();
        self.world.objects().map(move |(_, object)| {
            let entity = object.user;
            let body = &self.hulls.get(entity.hull).body;
            let is_bullet = entity.is_bullet();
            Sprite {
                position: to_cells(entity.position, size),
                angle: entity.angle.to_radians(),
                player: entity.player,
                damaged: !is_bullet && !self.hulls.is_shape(entity.hull),
                body: (!is_bullet).then_some((body, entity.angle)),
            }
        })
    }

    /// Returns the two vectors by which the world repeats.
    ///
    /// ```
    /// use hexphase_fleet::{Game, Settings};
    ///
    /// let [[x, y], [u, v]] = Game::new(Settings::default())?.periods();
    /// assert_eq!((u, y), (0.0, v / 2.0));
    /// assert!((x * x + y * y - v * v).abs() < 1e-6 * v * v, "a rhombus");
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn periods(&self) -> [[f64; 2]; 2] {
        let (side, size) = (self.space.side, HexBody::new().grid().cell_size());
        [Point::new(side, 0), Point::new(0, side)].map(|period| to_cells(period, size))
    }
}

/// Converts a point in units to Cartesian coordinates in cells.
fn to_cells(point: Point, cell_size: i32) -> [f64; 2] {
    let [a, b] = [point.a, point.b].map(|x| f64::from(x) / f64::from(cell_size));
    [HALF_ROOT_3 * a, a / 2.0 + b]
}
