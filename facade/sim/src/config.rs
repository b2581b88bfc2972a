//! The configuration of a seed: the kind of world, the settings of the two worlds, and the
//! distribution of objects.

use core::fmt;

use hexphase::{Algorithm, Backend};

use crate::random::{Random, mix};
use crate::space::Space;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberType {
    F32,
    F64,
    I32,
}

/// The volumes of objects. Balls are those of `f32` in the plane, hexagons those of `i32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VolumeType {
    Box,
    Ball,
    Hexagon,
}

/// Settings of one of the two worlds. They must not affect any result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The structure; `None` for one that is supplied by the caller.
    pub(crate) structure: Option<Algorithm>,
    pub(crate) backend: Backend,
    pub(crate) threads: usize,
    /// The side of the smallest cells of the structure; 0 lets the world choose it.
    pub(crate) cell: f64,
    pub(crate) capacity: usize,
}

/// Distributions of the extents of objects, in units (see [`Config::unit`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    Points,
    Equal,
    Mixed,
    /// Powers of two from 1/4 to 128; each size is half as frequent as the next smaller one.
    Tail,
    /// 8 or 40 units on one axis, half a unit on the others.
    Bars,
    /// Half a unit; one object in 40 is three times as large as the inhabited area.
    Giants,
}

/// Distributions of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filters {
    /// All objects accept all others.
    All,
    /// Random subsets of four layers, as layers and as mask.
    Layers,
    /// Random groups and owners.
    Groups,
    /// More distinct filters than the 64 that fit into the bit matrix of a world, so that filters
    /// are compared one by one.
    Many,
    /// 95 % of the objects have filters that refuse each other, so that a step can skip their
    /// overlaps. The number selects the reason why they refuse each other.
    Refusing(u64),
}

/// Everything that a seed determines, except the schedule.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) number: NumberType,
    pub(crate) dimensions: usize,
    pub(crate) volume: VolumeType,
    /// Settings of the first world, and of the second, its twin.
    pub(crate) settings: [Settings; 2],
    /// The length after which the world wraps on each axis; 0 on an axis that does not wrap.
    pub(crate) sides: [f64; 3],
    pub(crate) events: bool,
    /// Set if the schedule has steps; if not, it only changes and queries the worlds.
    pub(crate) steps: bool,
    /// Upper limit of the number of objects; each has a number from 0 to this limit − 1.
    pub(crate) objects: u32,
    /// Unit of length: positions lie on a lattice with a spacing of half a unit, unless `fine` is
    /// set.
    pub(crate) unit: f64,
    pub(crate) offset: f64,
    /// Set if positions lie between the points of the lattice, and extents are shrunk by random
    /// factors from 0.5 to 1.
    pub(crate) fine: bool,
    /// Set if some positions differ from those of the lattice by 10⁻¹² units, which can be too
    /// little for different keys of `f64` coordinates.
    pub(crate) tiny: bool,
    /// Percentage of objects with an extreme coordinate, such as the largest number of the type.
    pub(crate) extreme: u64,
    pub(crate) sizes: Sizes,
    /// Extents on each axis, in units, of the area in which objects are inserted.
    pub(crate) spread: [f64; 3],
    pub(crate) filters: Filters,
    /// Percentages of the objects that are inserted static and sleeping.
    pub(crate) at_rest: [u64; 2],
}

/// Number of objects above which a schedule has only 14 operations, because each takes long.
pub(crate) const CROWD: u32 = 2000;

/// Returns units of length to choose from: common ones, and ones with which squares of lengths
/// underflow or overflow.
const fn units(number: NumberType) -> &'static [f64] {
    match number {
        NumberType::F32 => {
            &[1.0, 0.25, 1.0, 0.1, 1.0, 64.0, 1.401_298_464_324_817e-45, 1e-38, 1e-21, 2e17, 2e32]
        }
        NumberType::F64 => &[1.0, 0.25, 1.0, 0.1, 1.0, 64.0, 5e-324, 1e-308, 1e-160, 1e152, 1e302],
        NumberType::I32 => &[1.0, 1.0, 1.0, 4.0, 1000.0, 131_072.0],
    }
}

fn settings(random: &mut Random, unit: f64, space: &dyn Space, crowd: bool) -> Settings {
    let backends: Vec<Backend> = Backend::available().collect();
    let threads = random.pick(if crowd { &[1, 2, 3, 8] } else { &[1, 1, 1, 1, 1, 2, 5] });
    let structure = if random.chance(6) { None } else { Some(random.pick(Algorithm::ALL)) };
    let backend = random.pick(&backends);
    let cell = space.round(random.pick(&[0.25, 1.0, 3.0, 40.0]) * unit);
    let cell = if random.chance(25) && cell.is_finite() { cell } else { 0.0 };
    let capacity = if random.chance(20) { 64 } else { 0 };
    Settings { structure, backend, threads, cell, capacity }
}

impl Config {
    pub(crate) fn new(seed: u64) -> Self {
        use Filters::{All, Groups, Layers, Many};
        use Sizes::{Bars, Equal, Giants, Mixed, Points, Tail};

        let random = &mut Random::new(mix(seed, 1));
        let number =
            random.pick(&[NumberType::F32, NumberType::F32, NumberType::F64, NumberType::I32]);
        let dimensions = random.pick(&[1, 2, 2, 2, 3, 3]);
        let volume = match (number, dimensions) {
            (NumberType::F32, 2) if random.chance(25) => VolumeType::Ball,
            (NumberType::I32, 2) if random.chance(50) => VolumeType::Hexagon,
            _ => VolumeType::Box,
        };
        let space = crate::space::of(number, dimensions, volume);
        let crowd = random.below(256) == 0;
        let objects = match random.below(8) {
            _ if crowd => 9000 + random.below(12_000),
            0 => 1 + random.below(9),
            1..=5 => 16 + random.below(120),
            _ => 100 + random.below(300),
        };
        let steps = random.chance(92);
        // Worlds that make no step have more objects, so that queries make the world sort them.
        let objects = if steps || crowd { objects } else { 4 * objects };
        let unit = random.pick(units(number));
        let sizes = random.pick(&[Points, Equal, Mixed, Mixed, Tail, Tail, Bars, Giants]);
        let fine = number != NumberType::I32 && random.chance(30);
        let room = random.pick(if crowd { &[8.0, 30.0] } else { &[0.3, 1.0, 4.0, 16.0] });
        // The root rounded up, without `powf`, which is rounded differently on other machines.
        let is_enough = |side: &u64| side.pow(dimensions as u32) as f64 >= objects as f64 * room;
        let side = (1..).find(is_enough).unwrap_or(1) as f64;
        // In a crowd, places differ: the pairs of 10,000 equal boxes take gigabytes.
        let unit = if crowd && unit * side > space.largest() { 1.0 } else { unit };
        let mut spread = [0.0; 3];
        spread[..dimensions].fill(side);
        if random.chance(8) && !crowd {
            spread[random.below(dimensions as u64) as usize] = 0.0;
        }
        let settings = [0; 2].map(|_| settings(random, unit, space, crowd));
        let mut sides = [0.0; 3];
        if random.chance(35) {
            for axis in 0..dimensions {
                let length = random.pick(&[1.0, 1.0, 0.917, 2.5, 0.0]);
                let side = space.round(spread[axis].max(4.0) * length * unit);
                sides[axis] = if side * 9.0 <= space.largest() { side } else { 0.0 };
            }
        }
        let offset = match random.below(8) {
            0 => unit * -1e6,
            1 => unit * 16_777_216.0,
            2 => 1.0,
            _ => 0.0,
        };
        let offset = if offset.abs() * 1e3 < space.largest() { offset } else { 0.0 };
        let width = space.round(offset + unit * side) - offset;
        let offset = if crowd && width < unit * side * 0.5 { 0.0 } else { offset };
        let refusing = Filters::Refusing(random.below(4));
        Self {
            number,
            dimensions,
            volume,
            settings,
            sides,
            events: random.chance(92),
            steps,
            objects: objects as u32,
            unit,
            offset,
            fine,
            tiny: number == NumberType::F64 && !fine && random.chance(30),
            extreme: random.pick(&[0, 0, 1, 5]),
            sizes,
            spread,
            filters: random.pick(&[All, All, Layers, Groups, Many, refusing, refusing]),
            at_rest: random.pick(&[[0, 0], [10, 5], [60, 20], [95, 0]]),
        }
    }

    /// Returns the configuration of a seed, limited to a few objects and one thread.
    pub(crate) fn small(seed: u64) -> Self {
        /// Maximum number of objects.
        const OBJECTS: u32 = 48;
        let mut config = Self::new(seed);
        config.objects = config.objects.min(OBJECTS);
        config.settings.iter_mut().for_each(|settings| settings.threads = 1);
        config
    }

    pub(crate) fn space(&self) -> &'static dyn Space {
        crate::space::of(self.number, self.dimensions, self.volume)
    }

    pub(crate) fn wraps(&self) -> bool {
        self.sides.iter().any(|&side| side > 0.0)
    }

    pub(crate) fn is_crowd(&self) -> bool {
        self.objects > CROWD
    }
}

pub(crate) fn structure_name(structure: Option<Algorithm>) -> String {
    structure.map_or("supplied".to_owned(), |structure| structure.to_string())
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, dimensions, objects, unit, sizes, filters, at_rest, .. } = self;
        let number = format!("{number:?}").to_lowercase();
        let volume = format!("{:?}", self.volume).to_lowercase();
        write!(f, "{number}, {dimensions} dimensions, volume {volume}")?;
        if self.wraps() {
            write!(f, ", wraps at {:?}", &self.sides[..*dimensions])?;
        }
        write!(f, ", {objects} objects, unit {unit:?}, offset {:?}", self.offset)?;
        let (spread, fine) = (&self.spread[..*dimensions], if self.fine { ", fine" } else { "" });
        let fine = if self.tiny { ", tiny" } else { fine };
        write!(f, ", spread {spread:?}{fine}, extreme {} %", self.extreme)?;
        write!(f, ", sizes {sizes:?}, filters {filters:?}, static {} %", at_rest[0])?;
        let steps = if self.steps { "" } else { ", no steps" };
        let events = if self.events { "" } else { ", no events" };
        writeln!(f, ", sleeping {} %{events}{steps}", at_rest[1])?;
        let [first, twin] = &self.settings;
        write!(f, "{first:?}\n{twin:?}")
    }
}
