//! The simulation of the page, for JavaScript.

use hexphase::{Aabb, Bounds as _, Path};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::discs::{Discs, SIDE, Settings, Sizes};
use crate::picture::{Palette, Picture};
use crate::world::{cell_lines, error, numbers, parse_structure};

/// Discs in a square world of 1000 by 1000, and their picture.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    discs: Discs,
    picture: Picture,
}

#[wasm_bindgen]
impl Simulation {
    /// Creates the discs.
    ///
    /// `sizes` is `"equal"`, `"mixed"` or `"tail"`; the structures are those of `World`; `speed` is
    /// in mean radii per tick; `resting` is the part of the discs that never move, from 0 to 1.
    #[wasm_bindgen(constructor)]
    pub fn new(
        seed: u32,
        count: u32,
        structure: &str,
        sizes: &str,
        speed: f32,
        resting: f32,
        wraps: bool,
    ) -> Result<Self, JsError> {
        let sizes = match sizes {
            "equal" => Sizes::Equal,
            "mixed" => Sizes::Mixed,
            "tail" => Sizes::Tail,
            _ => return Err(error(format!("unknown sizes {sizes}"))),
        };
        if !(0.0..=10.0).contains(&speed) || count > 1_000_000 {
            return Err(error(format!(
                "the speed is {speed}, at most 10 is allowed; {count} discs, at most 1000000"
            )));
        }
        let algorithm = parse_structure(structure)?;
        let settings = Settings { seed, count, sizes, speed, resting, wraps, algorithm };
        Ok(Self { discs: Discs::new(settings), picture: Picture::default() })
    }

    /// Moves all discs.
    pub fn advance(&mut self) {
        self.discs.advance();
    }

    /// Finds the overlapping pairs.
    pub fn step(&mut self) {
        self.discs.step();
    }

    /// Changes the velocities of discs that overlap.
    pub fn bounce(&mut self) {
        self.discs.bounce();
    }

    /// The number of overlapping pairs.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.discs.pairs().len()
    }

    /// The structure that found the pairs.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn structure(&self) -> String {
        let choice = self.discs.world().choice();
        choice.algorithm.map_or_else(String::new, |algorithm| algorithm.name().to_owned())
    }

    /// Returns a hash of the state, 16 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        format!("{:016x}", self.discs.hash())
    }

    /// Draws all discs into a square picture of `side` times `side` pixels. Returns the address of
    /// its pixels, 4 bytes each, in the memory of the module. Colors are red + 256 green + 65536
    /// blue + 16777216 opacity.
    pub fn draw(
        &mut self,
        side: usize,
        background: u32,
        free: u32,
        touching: u32,
        resting: u32,
    ) -> usize {
        let colors = Palette { background, free, touching, resting };
        self.picture.draw(&self.discs, side, &colors);
        self.picture.pixels().as_ptr().addr()
    }

    /// Returns the discs that overlap the box between two corners.
    pub fn query(&self, x0: f32, y0: f32, x1: f32, y1: f32) -> Result<Vec<u32>, JsError> {
        let (min, max) = ([x0.min(x1), y0.min(y1)], [x0.max(x1), y0.max(y1)]);
        let area = Aabb::new(min, max).checked().map_err(error)?;
        Ok(numbers(self.discs.world().query(area).to_vec()))
    }

    /// Returns the `count` discs nearest to a point.
    pub fn nearest(&self, x: f32, y: f32, count: usize) -> Result<Vec<u32>, JsError> {
        let point = Aabb::point([x, y]).checked().map_err(error)?;
        let found = self.discs.world().nearest(point.min).take(count).to_vec();
        Ok(numbers(found.into_iter().map(|one| one.object)))
    }

    /// Returns the discs that the segment between two points touches, in the order in which it
    /// touches them.
    pub fn cast(&self, x0: f32, y0: f32, x1: f32, y1: f32) -> Result<Vec<u32>, JsError> {
        for end in [[x0, y0], [x1, y1]] {
            Aabb::point(end).checked().map_err(error)?;
        }
        let found = self.discs.world().cast(Path::segment([x0, y0], [x1, y1])).to_vec();
        Ok(numbers(found.into_iter().map(|hit| hit.object)))
    }

    /// Returns the center and the radius of each of these discs, three numbers each.
    #[must_use]
    pub fn circles(&self, ids: &[u32]) -> Vec<f32> {
        let balls = ids.iter().filter_map(|&id| self.discs.balls().get(id as usize));
        balls.flat_map(|ball| [ball.center[0], ball.center[1], ball.radius]).collect()
    }

    /// Returns the boxes of all discs, four numbers each.
    #[must_use]
    pub fn boxes(&self) -> Vec<f32> {
        let boxes = self.discs.balls().iter().map(|ball| ball.aabb());
        boxes.flat_map(|Aabb { min, max }| [min[0], min[1], max[0], max[1]]).collect()
    }

    /// Returns a line between the centers of each pair, four numbers each. Pairs across a side of
    /// the world are left out.
    #[wasm_bindgen(js_name = pairLines)]
    #[must_use]
    pub fn pair_lines(&self) -> Vec<f32> {
        let ends = self
            .discs
            .pairs()
            .iter()
            .map(|pair| pair.map(|disc| self.discs.balls()[disc as usize].center));
        let is_near = |[a, b]: &[[f32; 2]; 2]| {
            (a[0] - b[0]).abs() < SIDE * 0.5 && (a[1] - b[1]).abs() < SIDE * 0.5
        };
        ends.filter(is_near).flat_map(|[a, b]| [a[0], a[1], b[0], b[1]]).collect()
    }

    /// Returns the borders of the cells that have discs, four numbers each.
    #[wasm_bindgen(js_name = cellLines)]
    #[must_use]
    pub fn cell_lines(&self) -> Vec<f32> {
        cell_lines(self.discs.world())
    }
}
