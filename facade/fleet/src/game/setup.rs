//! The start of a game: creates the shapes, the ships and the bullets.

use hexphase::hex::{Angle, Hex, HexBody, Point, hex};
use hexphase::{Error, Filter};

use super::Game;
use super::entity::Entity;
use crate::inputs::{Command, SQUADS};
use crate::random::Random;
use crate::settings::{Scene, Settings};

/// Number of different shapes of small ships.
const SHAPES: u32 = 32;
/// In the sparse scene, one ship in this number is large.
const LARGE_EVERY: u32 = 2000;
/// Number of cells of a large ship.
const LARGE_CELLS: usize = 500;
/// Width of the empty border of the world in units: 16 cells.
const MARGIN: i32 = 8192;
/// Minimum side of the world in units: about eight times the extent of a large ship.
const MIN_SIDE: i32 = 1 << 16;
/// Speed of a bullet that flies along an axis, relative to its ship, in sixteenths of a unit per
/// tick.
pub(crate) const BULLET_SPEED: i32 = 16 * 300;
/// Minimum number of ticks for which a bullet flies.
const MIN_BULLET_LIFE: u32 = 128;

/// The rate of fire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guns {
    /// Number of ticks between two shots of a ship; a power of two.
    pub(super) period: u32,
    /// Number of ticks for which a bullet flies.
    pub(super) life: u16,
}

impl Guns {
    /// Returns the rate at which about `settings.bullets` bullets are in flight if none hits a
    /// ship.
    pub(super) fn new(settings: &Settings) -> Self {
        let (ships, bullets) = (settings.ships.max(1), settings.bullets.max(1));
        let period = (ships.saturating_mul(MIN_BULLET_LIFE) / bullets).clamp(1, 1 << 24);
        let period = period.next_power_of_two();
        let life = u64::from(period) * u64::from(bullets) / u64::from(ships);
        Self { period, life: life.clamp(1, u64::from(u16::MAX)) as u16 }
    }
}

/// Returns the distance between neighboring ships at the start, in units: 32 cells in the sparse
/// scene, 4.75 cells in the dense one. At this distance about a fifth of the ships touch another
/// ship.
const fn spacing(scene: Scene) -> i32 {
    match scene {
        Scene::Sparse => 16_384,
        Scene::Dense => 2_432,
    }
}

/// Returns the number of ships in a row at the start, and the side of the world in units.
pub(super) fn side(settings: &Settings) -> (u32, i32) {
    let places = settings.ships.max(1).isqrt();
    let places = if places * places < settings.ships { places + 1 } else { places };
    (places, (places as i32 * spacing(settings.scene) + MARGIN).max(MIN_SIDE))
}

/// Returns a random order for a squad at the start.
pub(super) fn first_order(settings: &Settings, random: &mut Random) -> Command {
    let (thrust, turn) = settings.scene.order(random);
    Command { squad: 1, thrust, turn, fire: 1 }
}

/// Returns the filter of an entity. Ships accept all ships, and the bullets of other players;
/// bullets accept the ships of other players.
pub(super) fn filter(entity: &Entity) -> Filter {
    let player = entity.player;
    if entity.is_bullet() {
        Filter::layers(1 << (32 + player)).mask(0xff & !(1 << player))
    } else {
        Filter::layers(1 << player)
    }
}

impl Game {
    /// Adds the shapes, the ships and the bullets.
    pub(super) fn populate(&mut self) -> Result<(), Error> {
        let mut random = Random(self.settings.seed);
        for shape in 0..SHAPES {
            let cells = 3 + 16 * shape as usize / (SHAPES as usize - 1);
            let body = grown(hex(0, 0).range(2).collect(), cells, &mut random);
            self.hulls.add(body);
        }
        self.hulls.add(grown(hex(0, 0).range(13).collect(), LARGE_CELLS, &mut random));
        self.hulls.keep_all();
        let (places, _) = side(&self.settings);
        let is_sparse = self.settings.scene == Scene::Sparse;
        let spacing = spacing(self.settings.scene);
        let (jitter, speed) = if is_sparse { (spacing as u32, 256) } else { (1, 32) };
        let players = u32::from(self.settings.player_count());
        for ship in 0..self.settings.ships {
            let at = Point::new((ship % places) as i32, (ship / places) as i32) * spacing;
            let moved = [0; 2].map(|_| random.below(jitter) as i32);
            let large = is_sparse && ship % LARGE_EVERY == 7;
            let hull = if large { SHAPES } else { random.below(SHAPES) };
            let entity = Entity {
                position: self.space.home(at + Point::from(moved)),
                velocity: [0; 2].map(|_| random.around_zero(speed) as i16),
                angle: Angle(random.bits() as u16),
                spin: random.around_zero(64) as i16,
                reach: self.hulls.get(hull).reach,
                life: 0,
                hull,
                player: (ship % players) as u8,
                squad: random.below(SQUADS.into()) as u8,
            };
            self.launch(entity)?;
        }
        for bullet in 0..self.settings.bullets {
            let at = [0; 2].map(|_| random.below(self.space.side as u32) as i32);
            let life = 1 + random.below(self.guns.life.into()) as u16;
            let angle = Angle(random.bits() as u16);
            self.launch(bullet_at(at.into(), angle, [0; 2], life, (bullet % players) as u8))?;
        }
        self.random = random;
        Ok(())
    }
}

/// Returns a bullet with [`BULLET_SPEED`] in the direction of `angle`, added to the velocity of its
/// ship.
pub(super) fn bullet_at(
    position: Point,
    angle: Angle,
    velocity: [i16; 2],
    life: u16,
    player: u8,
) -> Entity {
    let speed = angle.rotation().rotate(Point::new(BULLET_SPEED, 0));
    let velocity =
        [velocity[0].saturating_add(speed.a as i16), velocity[1].saturating_add(speed.b as i16)];
    Entity { position, velocity, angle, spin: 0, reach: 0, life, hull: 0, player, squad: 0 }
}

/// Returns a connected part of `all` with this number of cells. It starts with the origin and grows
/// by random neighboring cells.
fn grown(all: HexBody, cells: usize, random: &mut Random) -> HexBody {
    let mut body: HexBody = core::iter::once(Hex::ORIGIN).collect();
    while body.len() < cells.min(all.len()) {
        let border: Vec<Hex> = all
            .cells()
            .filter(|&cell| !body.contains(cell))
            .filter(|cell| cell.neighbors().into_iter().any(|near| body.contains(near)))
            .collect();
        body.insert(border[random.below(border.len() as u32) as usize]);
    }
    super::hulls::centered(body, hexphase::hex::Pose::default()).expect("a body with cells").0
}
