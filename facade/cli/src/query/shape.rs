//! Queries: as they are written in options or in a file, and as they are run.

use broadphase_core::torus::World;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use hexphase::{Aabb, Path, Region};

use crate::error::{Error, Location, Shown};
use crate::near;
use crate::scene::{Input, Number};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShapeKind {
    Box,
    Point,
    Ball,
    Segment,
    Ray,
    /// The objects nearest to a point or box. This kind has no option; it exists only in files.
    Nearest,
}

/// Each kind with its name, the placeholder for its value in two dimensions, and its help.
const KINDS: &[(ShapeKind, &str, &str, &str)] = &[
    (
        ShapeKind::Box,
        "box",
        "X,Y,X,Y",
        "Find objects that overlap a box: its minimum and its maximum; repeatable",
    ),
    (ShapeKind::Point, "point", "X,Y", "Find objects that contain a point; repeatable"),
    (
        ShapeKind::Ball,
        "ball",
        "X,Y,R",
        "Find objects that overlap a disc or ball: center and radius; repeatable",
    ),
    (
        ShapeKind::Segment,
        "segment",
        "X,Y,X,Y",
        "Find objects on the line between two points; repeatable",
    ),
    (
        ShapeKind::Ray,
        "ray",
        "X,Y,DX,DY",
        "Find objects on the line from a point in a direction; repeatable",
    ),
    (ShapeKind::Nearest, "nearest", "", ""),
];

/// The kinds that have an option.
const OPTIONS: &[(ShapeKind, &str, &str, &str)] = KINDS.split_at(5).0;

impl ShapeKind {
    fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|kind| kind.1 == name).map(|kind| kind.0)
    }

    const fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Returns the two numbers of coordinates that are allowed; they are equal for most kinds.
    const fn lengths(self, dimensions: usize) -> [usize; 2] {
        match self {
            Self::Box | Self::Segment | Self::Ray => [2 * dimensions; 2],
            Self::Point => [dimensions; 2],
            Self::Ball => [dimensions + 1; 2],
            Self::Nearest => [dimensions + 1, 2 * dimensions + 1],
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<S: Number, const D: usize> {
    Region(Region<S, D>),
    Path(Path<S, D>),
    /// A box that is home, and the number of objects nearest to it to find.
    Nearest(Aabb<S, D>, usize),
}

impl<S: Number, const D: usize> Shape<S, D> {
    /// Returns the query of a kind, given its coordinates, whose number must be right. If `nearest`
    /// is set, boxes and points are targets, and this number of nearest objects is found.
    fn new(
        kind: ShapeKind,
        numbers: &[S],
        sides: [S; D],
        nearest: Option<u32>,
    ) -> Result<Self, String> {
        let point = |from: usize| -> [S; D] { core::array::from_fn(|axis| numbers[from + axis]) };
        let first = point(0);
        let bounds = || {
            let mut bounds = Aabb { min: first, max: point(D) };
            for (axis, side) in sides.into_iter().enumerate() {
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                if min > max {
                    // The box is across a seam.
                    bounds.max[axis] = max.plus(side);
                }
                if min > bounds.max[axis] {
                    return Err(format!("the minimum {min} is above the maximum {max}"));
                }
            }
            Ok(bounds)
        };
        Ok(match (kind, nearest) {
            (ShapeKind::Box, None) => Self::Region(bounds()?.into()),
            (ShapeKind::Point, None) => Self::Region(Region::point(first)),
            (ShapeKind::Ball, _) => {
                let radius = numbers[D];
                if radius < S::ZERO {
                    return Err(format!("the radius {radius} is negative"));
                }
                Self::Region(Region::ball(first, radius))
            }
            (ShapeKind::Segment, _) => Self::Path(Path::segment(first, point(D))),
            (ShapeKind::Ray, _) => Self::Path(Path::ray(first, point(D))),
            (_, count) => {
                let bounds = if numbers.len() > D { bounds()? } else { Aabb::point(first) };
                let home = World::of_valid(sides).reduced(bounds).map_err(|why| why.to_string())?;
                Self::Nearest(home, count.unwrap_or(1) as usize)
            }
        })
    }
}

/// A query before the scalar type and the number of dimensions are known.
#[derive(Clone, Debug)]
pub(super) struct Written {
    kind: ShapeKind,
    numbers: Vec<String>,
    place: String,
    line: Option<u64>,
}

impl Written {
    pub(super) fn shape<S: Number, const D: usize>(
        &self,
        sides: [S; D],
        nearest: Option<u32>,
    ) -> Result<Shape<S, D>, Error> {
        let [least, most] = self.kind.lengths(D);
        let count = self.numbers.len();
        if count != least && count != most {
            let (name, written) = (self.kind.name(), self.numbers.join(","));
            let or_most = if most > least { format!(" or {most}") } else { String::new() };
            return Err(self.error(format_args!(
                "\"{}\": a {name} in {D} dimensions has {least}{or_most} numbers, not {count}",
                Shown(&written)
            )));
        }
        let (count, numbers) = match (self.kind, &self.numbers[..]) {
            (ShapeKind::Nearest, [first, numbers @ ..]) => {
                let count = first.parse().ok().filter(|&count| count > 0);
                let message = || format!("\"{}\" is not a number of objects", Shown(first));
                (Some(count.ok_or_else(|| self.error(message()))?), numbers)
            }
            (_, numbers) => (nearest, numbers),
        };
        let read = |text: &String| near::parse_number(text).map_err(|message| self.error(message));
        let numbers: Vec<S> = numbers.iter().map(read).collect::<Result<_, _>>()?;
        Shape::new(self.kind, &numbers, sides, count).map_err(|why| self.error(why))
    }

    fn error(&self, message: impl core::fmt::Display) -> Error {
        Error::new(&self.place, message).at(self.line.map(Location::line))
    }
}

/// Appends the queries of a file. Each line has the form `box,0,0,10,10`; there is no header.
pub(super) fn read(input: &Input, queries: &mut Vec<Written>) -> Result<(), Error> {
    let [source] = &input.sources[..] else { return Ok(()) };
    let block = source.read()?;
    for (line, text) in block.lines() {
        let fail = |message: &str| Err(Error::new(source, message).at(Location::line(line)));
        let Ok(text) = str::from_utf8(text) else { return fail("is not UTF-8") };
        let mut fields = text.split(',').map(|field| field.trim_matches([' ', '\t', '"']));
        let name = fields.next().unwrap_or_default();
        if text.trim().is_empty() {
            continue;
        }
        let Some(kind) = ShapeKind::named(&name.to_ascii_lowercase()) else {
            return fail(&format!(
                "\"{}\" is not a query: box, point, ball, segment, ray or nearest is expected",
                Shown(name)
            ));
        };
        let numbers = fields.map(Into::into).collect();
        queries.push(Written { kind, numbers, place: source.to_string(), line: Some(line) });
    }
    Ok(())
}

/// The queries given by options, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes(pub(super) Vec<Written>);

impl Args for Shapes {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, &(_, name, value_name, help)| {
            let option = Arg::new(name).long(name).value_name(value_name).help(help);
            command.arg(option.action(ArgAction::Append).allow_hyphen_values(true))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Shapes {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut queries = Vec::new();
        for &(kind, name, ..) in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            queries.extend(places.zip(texts).map(|(place, text)| {
                let numbers = text.split(',').map(|number| number.trim().into()).collect();
                (place, Written { kind, numbers, place: format!("--{name}"), line: None })
            }));
        }
        queries.sort_by_key(|(place, _)| *place);
        Ok(Self(queries.into_iter().map(|(_, query)| query).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
