//! `hexphase fleet --render FOLDER`: draws the game as PNG pictures.
//!
//! The game is played again for the pictures, without rollback. Each picture shows the middle of
//! the world: ships as hexagonal cells in the color of their player, pale with an outline if they
//! have lost cells, and bullets as dots.

use std::fs;
use std::path::Path;

use hexphase_draw::{Align, Color, Mark, Paint, Picture, TextSize, View, grouped};
use hexphase_fleet::{Game, Plan, Scene, Script, ShipView, TICK};

use crate::error::Error;
use crate::output;

/// The size of a picture in pixels.
const SIZE: [u32; 2] = [800, 640];
/// The rectangle of a picture that shows the world: its upper left and its lower right corner.
const AREA: [[f32; 2]; 2] = [[10.0, 55.0], [790.0, 605.0]];
/// The width of the shown part of the world, in cells, of the sparse and the dense scene.
const WIDTHS: [f64; 2] = [128.0, 90.0];
const COLORS: [Color; 8] = [
    Color::BLUE,
    Color::VERMILLION,
    Color::GREEN,
    Color::PURPLE,
    Color::SKY,
    Color::ORANGE,
    Color::YELLOW,
    Color::GRAY,
];

/// Plays the game of a plan and writes `count` pictures at equal intervals into a folder.
pub(super) fn write(plan: &Plan, folder: &Path, count: u32) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|error| Error::system(folder.display(), &error))?;
    let played = |error: hexphase::Error| Error::new("fleet", error);
    let mut game = Game::new(plan.settings).map_err(played)?;
    let mut scripts: Vec<Script> =
        (0..plan.settings.players).map(|player| Script::new(&plan.settings, player)).collect();
    for number in 0..count {
        let tick = u64::from(number) * plan.ticks / u64::from(count);
        while game.tick() < tick {
            let commands: Vec<_> = scripts.iter_mut().map(Script::command).collect();
            game.advance(&commands).map_err(played)?;
            game.forget(game.tick());
        }
        let path = folder.join(format!("{number:04}.png"));
        let drawn = picture(&game, plan).to_png();
        let file = drawn.map_err(|error| Error::new(path.display(), error))?;
        output::write(Some(&path), &mut |out| out.write_all(&file))?;
    }
    Ok(())
}

fn picture(game: &Game, plan: &Plan) -> Picture {
    let mut picture = Picture::new(SIZE);
    let camera = Camera::new(game);
    for ship in game.ship_views() {
        let position = ship.pose.position;
        for at in camera.images(to_cells([position.a, position.b])) {
            draw_ship(&mut picture, &camera.view, at, &ship);
        }
    }
    for bullet in game.bullet_positions() {
        for at in camera.images(to_cells([bullet.a, bullet.b])) {
            let paint = Paint::fill(Color::INK).and_border(Color::WHITE, 1.0);
            picture.disc(camera.view.point(at), 3.0, paint);
        }
    }
    cover_border(&mut picture);
    let (size, left) = (TextSize::Normal, AREA[0][0]);
    let facts = format!(
        "{} ships, {} bullets, {} cells lost",
        grouped(game.ships() as u64),
        grouped(game.bullets() as u64),
        grouped(game.broken_cells())
    );
    let seconds = TICK.as_secs_f64() * game.tick() as f64;
    let title = format!(
        "fleet: {} scene, seed {}, {seconds:.2} s",
        plan.settings.scene.name(),
        plan.settings.seed
    );
    for (line, text) in [title, facts].iter().enumerate() {
        let y = 10.0 + size.line_height() * line as f32;
        picture.text([left, y], text, size, Align::Start, Color::INK);
    }
    let players = COLORS.iter().zip(1..=plan.settings.players);
    let mut entries: Vec<(Mark, String)> = players
        .map(|(&color, player)| (Mark::Hexagon(cell_paint(color, false)), player.to_string()))
        .collect();
    entries[0].1.insert_str(0, "player ");
    let damaged = cell_paint(Color::INK, true);
    entries.push((Mark::Hexagon(damaged), "has lost cells".into()));
    entries.push((Mark::Disc(Paint::fill(Color::INK)), "bullet".into()));
    let [width, below] = [AREA[1][0] - left, AREA[1][1] + 7.0];
    picture.legend([left, below], width, size, &entries);
    picture
}

struct Camera {
    view: View,
    /// The point of the world in the middle.
    center: [f64; 2],
    /// Half of the width and height, enlarged so that ships at the border are drawn, too.
    half: [f64; 2],
    /// The two vectors by which the world repeats.
    periods: [[f64; 2]; 2],
}

impl Camera {
    fn new(game: &Game) -> Self {
        /// The largest distance of a cell from the position of its ship, in cells.
        const BORDER: f64 = 20.0;
        let periods = [[game.side(), 0], [0, game.side()]].map(to_cells);
        let width = WIDTHS[usize::from(game.settings().scene == Scene::Dense)];
        // The part is not wider than the world, so that no ship is shown twice.
        let width = width.min(periods[0][0]);
        let [[left, top], [right, bottom]] = AREA;
        let height = width * f64::from(bottom - top) / f64::from(right - left);
        let half = [width / 2.0, height / 2.0];
        Self {
            view: View::fit(half.map(|x| -x), half, AREA[0], AREA[1]),
            center: [0, 1].map(|axis| (periods[0][axis] + periods[1][axis]) / 2.0),
            half: half.map(|x| x + BORDER),
            periods,
        }
    }

    /// Returns the positions of all images of a point that can be visible, relative to the middle.
    fn images(&self, point: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
        let images = (0..9).map(move |image| {
            let times = [f64::from(image % 3 - 1), f64::from(image / 3 - 1)];
            [0, 1].map(|axis| {
                let moved = times[0] * self.periods[0][axis] + times[1] * self.periods[1][axis];
                point[axis] + moved - self.center[axis]
            })
        });
        images.filter(move |at| (0..2).all(|axis| at[axis].abs() <= self.half[axis]))
    }
}

/// Converts a point of the hexagonal plane, in units, to Cartesian coordinates in cells: the
/// centers of neighboring cells are 1 apart. Axis b is parallel to y; axis a is rotated from x
/// towards y by 30°.
fn to_cells(point: [i32; 2]) -> [f64; 2] {
    /// Units in a cell.
    const CELL: f64 = 512.0;
    const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;
    let [a, b] = point.map(|x| f64::from(x) / CELL);
    [HALF_ROOT_3 * a, a / 2.0 + b]
}

fn draw_ship(picture: &mut Picture, view: &View, at: [f64; 2], ship: &ShipView<'_>) {
    /// The distance from the center of a cell to its corners, without the gap.
    const RADIUS: f64 = 0.53;
    let paint = cell_paint(COLORS[usize::from(ship.player) % COLORS.len()], ship.damaged);
    // In a picture y points down, so the direction of rotation is reversed.
    let turn = -ship.pose.angle.to_radians() as f32;
    let (grid, position) = (ship.body.grid(), ship.pose.position);
    for cell in ship.body.cells() {
        let center = ship.pose.to_world(grid.center(cell)) - position;
        let [x, y] = to_cells([center.a, center.b]);
        picture.hexagon(view.point([at[0] + x, at[1] + y]), view.length(RADIUS), turn, paint);
    }
}

fn cell_paint(color: Color, damaged: bool) -> Paint {
    if damaged {
        Paint::fill(color.with_alpha(60)).and_border(color, 1.25)
    } else {
        Paint::fill(color)
    }
}

/// Covers the parts of ships outside of the area, and draws a frame around the area.
fn cover_border(picture: &mut Picture) {
    let [[left, top], [right, bottom]] = AREA;
    let [width, height] = SIZE.map(|side| side as f32);
    for (min, max) in [
        ([0.0, 0.0], [width, top]),
        ([0.0, bottom], [width, height]),
        ([0.0, 0.0], [left, height]),
        ([right, 0.0], [width, height]),
    ] {
        picture.rectangle(min, max, Paint::fill(Color::WHITE));
    }
    picture.rectangle(AREA[0], AREA[1], Paint::border(Color::GRAY, 1.0));
}
