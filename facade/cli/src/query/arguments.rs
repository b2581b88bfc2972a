//! The arguments of `hexphase query`.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::shape::OPTIONS;
use super::source::Written;
use crate::arguments::{Common, SceneArgs};
use crate::wrap::Wrap;

/// The arguments of `query`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub(super) scene: SceneArgs,
    #[command(flatten)]
    pub(super) shapes: Shapes,
    /// Find this number of objects nearest to each point and box instead of overlapping objects
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) nearest: Option<u32>,
    /// A file of queries, one on each line: box, point, ball, segment or ray, and its numbers
    #[arg(long, value_name = "FILE")]
    pub(super) queries: Option<OsString>,
    /// Print at most this number of objects for each query
    #[arg(long, value_name = "COUNT")]
    pub(super) limit: Option<u32>,
    #[command(flatten)]
    pub(super) wrap: Wrap,
    #[command(flatten)]
    pub(super) common: Common,
}

const HELP: &str = "\
Prints a line query,id for each object that a query finds. Queries are numbered
from 0: those of options in the order of the command line, then those of the
file. The objects of a box, point or ball are in ascending order of ids.

The lines of a segment or ray have a third field: the fraction of the path at
which it reaches the object, from 0 to 1; on a ray, in lengths of its direction.
The lines of --nearest have the distance. Lines are sorted by the third field.

All objects are boxes: discs and balls are replaced by their bounding boxes. A
query also finds boxes that it only touches. In three dimensions all points have
three coordinates.

A file of queries has no header. Its lines are like the options, such as
box,0,0,10,10 or ray,0,0,1,0. A line nearest,3,5,5 finds the 3 objects nearest
to the point 5,5.

Examples:
  hexphase query scene.csv --box 0,0,10,10 --point 5,5
  hexphase query discs:1000 --nearest 3 --point 100,100 --json
  hexphase query discs:1000 --ray 0,0,1,1 --limit 1
  hexphase query discs:1000 --queries queries.csv --output found.csv";

/// The queries given by options, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes(pub(super) Vec<Written>);

impl Args for Shapes {
    fn augment_args(command: Command) -> Command {
        OPTIONS.into_iter().fold(command, |command, (_, name, value_name, help)| {
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
        for (kind, name, ..) in OPTIONS {
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
