//! Random boxes, filters and motion classes with the distributions of a configuration.

use core::array::from_fn;

use hexphase::{Aabb, Filter, Motion};

use crate::config::{Config, Filters, NumberType, Sizes};
use crate::op::Movement;
use crate::random::Random;
use crate::shape::{Box64, New, Volume64};
use crate::space::Space;

/// Creates random boxes, filters and motion classes.
#[derive(Clone, Copy)]
pub(crate) struct Maker<'a> {
    pub(crate) config: &'a Config,
    pub(crate) space: &'static dyn Space,
}

impl Maker<'_> {
    fn dimensions(&self) -> usize {
        self.config.dimensions
    }

    /// Returns the results of a function of the axes; 0 on axes that the world does not have.
    pub(crate) fn axes(&self, mut number: impl FnMut(usize) -> f64) -> [f64; 3] {
        from_fn(|axis| if axis < self.dimensions() { number(axis) } else { 0.0 })
    }

    /// Returns a box whose ends are rounded to the number type of the world, given its lower corner
    /// and its extents.
    fn rounded(&self, min: [f64; 3], extent: [f64; 3]) -> Box64 {
        let ends = self.axes(|axis| self.space.round(min[axis] + extent[axis]));
        let min = self.axes(|axis| self.space.round(min[axis]));
        Aabb { min, max: from_fn(|axis| ends[axis].max(min[axis])) }
    }

    fn position(&self, random: &mut Random, axis: usize) -> f64 {
        let Config { spread, unit, offset, fine, tiny, .. } = self.config;
        let place = random.unit() * spread[axis];
        let tiny = if *tiny { random.pick(&[-1e-12, 0.0, 0.0, 1e-12]) } else { 0.0 };
        offset + unit * if *fine { place } else { (place * 2.0).floor() * 0.5 + tiny }
    }

    /// Returns a random point in the area in which objects are inserted.
    pub(crate) fn point(&self, random: &mut Random) -> [f64; 3] {
        self.axes(|axis| self.space.round(self.position(random, axis)))
    }

    fn extent(&self, random: &mut Random) -> [f64; 3] {
        let Config { sizes, unit, fine, .. } = self.config;
        let long_axis = random.below(self.dimensions() as u64) as usize;
        let power = random.next().trailing_zeros().min(9) as i32;
        let giant = random.below(40) == 0;
        self.axes(|axis| {
            let units = match sizes {
                Sizes::Points => 0.0,
                Sizes::Equal => 1.0,
                Sizes::Mixed => random.pick(&[0.0, 0.5, 1.0, 1.0, 2.0, 4.0]),
                Sizes::Tail => f64::powi(2.0, power - 2),
                Sizes::Bars if axis == long_axis => random.pick(&[8.0, 40.0]),
                Sizes::Bars => 0.5,
                Sizes::Giants if giant => 3.0 * self.config.spread[axis],
                Sizes::Giants => 0.5,
            };
            let shrunk = if *fine { 0.5 + 0.5 * random.unit() } else { 1.0 };
            unit * units * shrunk
        })
    }

    /// Returns an extreme number: the largest number, half of it, 0, −0, or a number far outside
    /// the area.
    fn extreme(&self, random: &mut Random) -> f64 {
        let largest = self.space.largest();
        let far = self.config.unit * 1e5;
        self.space.round(random.pick(&[largest, -largest, 0.0, -0.0, far, -far, largest * 0.5]))
    }

    /// Returns a random box; with the probability `Config::extreme`, one coordinate is extreme.
    pub(crate) fn place(&self, random: &mut Random) -> Box64 {
        let min = self.axes(|axis| self.position(random, axis));
        let mut bounds = self.rounded(min, self.extent(random));
        if random.chance(self.config.extreme) {
            let axis = random.below(self.dimensions() as u64) as usize;
            let (a, b) = (self.extreme(random), self.extreme(random));
            (bounds.min[axis], bounds.max[axis]) = if a <= b { (a, b) } else { (b, a) };
        }
        bounds
    }

    /// Returns the box of an object after a movement. The seed `common` is equal for all objects of
    /// an operation; `other` is the box of another object.
    pub(crate) fn moved(
        &self,
        random: &mut Random,
        movement: Movement,
        at: &Box64,
        common: u64,
        other: Option<&Box64>,
    ) -> Box64 {
        let mut extent: [f64; 3] = from_fn(|axis| at.max[axis] - at.min[axis]);
        let unit = self.config.unit;
        let mut min = at.min;
        match movement {
            Movement::Drift => {
                let step = if self.config.fine { 0.3 * random.unit() } else { 0.5 };
                let steps = [-1.0, 0.0, 0.0, 1.0, 2.0];
                min = self.axes(|axis| at.min[axis] + unit * step * random.pick(&steps));
            }
            Movement::Shift => {
                let random = &mut Random::new(common);
                let steps = [0.0, 0.5, 1.0, -3.0, 7.0];
                min = self.axes(|axis| at.min[axis] + unit * random.pick(&steps));
            }
            Movement::Jump => return self.place(random),
            Movement::Resize => extent = self.extent(random),
            Movement::Snap => {
                if let Some(other) = other {
                    let axis = random.below(self.dimensions() as u64) as usize;
                    min = other.min;
                    min[axis] = match random.below(4) {
                        0 => other.max[axis],
                        1 => other.min[axis] - extent[axis],
                        2 => other.min[axis],
                        _ => other.max[axis] - extent[axis],
                    };
                }
            }
            Movement::Swell => {
                let offset = self.config.offset;
                min = self.axes(|axis| offset + (at.min[axis] - offset) * 1.25);
            }
            Movement::Stay => return *at,
        }
        self.rounded(min, extent)
    }

    /// Returns a random volume; its shape depends on the number of the object.
    pub(crate) fn volume(&self, random: &mut Random, id: u32) -> Volume64 {
        self.space.volume(&self.place(random), id.into())
    }

    /// Returns a random object to insert, with its number as user data.
    pub(crate) fn object(&self, random: &mut Random, id: u32) -> New {
        let (volume, filter) = (self.volume(random, id), self.filter(random));
        New { volume, user: id, motion: self.motion(random), filter }
    }

    /// Returns a volume that every world must refuse.
    pub(crate) fn invalid_volume(&self, random: &mut Random) -> Volume64 {
        self.space.invalid(&self.invalid(random))
    }

    /// Returns a box that every world must refuse: not finite, or with `min` above `max`.
    pub(crate) fn invalid(&self, random: &mut Random) -> Box64 {
        let mut bounds = self.place(random);
        let axis = random.below(self.dimensions() as u64) as usize;
        if self.config.number == NumberType::I32 || random.chance(40) {
            let largest = self.space.largest();
            (bounds.min[axis], bounds.max[axis]) = (largest, -largest);
        } else {
            bounds.max[axis] = random.pick(&[f64::NAN, f64::INFINITY]);
        }
        bounds
    }

    pub(crate) fn filter(&self, random: &mut Random) -> Filter {
        match self.config.filters {
            Filters::All => Filter::ALL,
            Filters::Layers => {
                let layers = random.below(16);
                let mask = random.below(16);
                Filter::layers(layers).mask(mask)
            }
            Filters::Groups => {
                let owner = random.pick(&[0, 0, 1, 2]);
                Filter::ALL.group(random.pick(&[0, 0, 1, -1, -2])).owner(owner)
            }
            Filters::Many => {
                let bit = |random: &mut Random| 1 << random.below(8);
                let layers = bit(random) | bit(random);
                Filter::layers(layers).mask(bit(random) | bit(random) | bit(random))
            }
            Filters::Refusing(kind) if random.chance(95) => match kind {
                0 => Filter::layers(2).mask(1).owner(random.below(3) as u32),
                1 => Filter::ALL.owner(7),
                2 => Filter::ALL.group(-1),
                _ => Filter::layers(1 << random.below(3)).mask(8).group(random.pick(&[0, -1])),
            },
            Filters::Refusing(_) => random.pick(&[
                Filter::layers(1),
                Filter::ALL,
                Filter::layers(8).group(1),
                Filter::ALL.owner(7),
            ]),
        }
    }

    pub(crate) fn motion(&self, random: &mut Random) -> Motion {
        let [fixed, sleeping] = self.config.at_rest;
        match random.below(100) {
            share if share < fixed => Motion::Static,
            share if share < fixed + sleeping => Motion::Sleeping,
            _ => Motion::Dynamic,
        }
    }
}
