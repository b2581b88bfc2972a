//! The search for pairs in one scene or of two, with its output.

use core::mem::take;
use core::time::Duration;
use std::time::Instant;

use hexphase::Algorithm;

use super::{Kind, Search, Setup, Writer, bytes};
use crate::arguments::Common;
use crate::error::{Count, Error};
use crate::lines::{self, Lines};
use crate::memory::OutOfMemory;
use crate::scene::{Input, Number, Objects};
use crate::wrap::{self, Wrap};
use crate::{output, progress};

pub(crate) struct Job<'a, S> {
    pub(crate) common: &'a Common,
    /// The files of the first scene.
    pub(crate) input: &'a Input,
    pub(crate) algorithm: Algorithm,
    /// The distance up to which two objects are a pair; `None` if they must overlap.
    pub(crate) distance: Option<S>,
    pub(crate) wrap: &'a Wrap,
    pub(crate) kind: Kind,
    /// Set if only the number of lines is written.
    pub(crate) count: bool,
}

pub(crate) struct Outcome {
    /// The number of pairs; pairs of neighbors count in both directions.
    pub(crate) pairs: u64,
    /// The number of objects of the first scene without a partner, if they were counted.
    pub(crate) alone: u64,
    pub(crate) algorithm: String,
    /// The time for building the structures and finding the pairs.
    pub(crate) find_time: Duration,
}

impl<S: Number> Job<'_, S> {
    pub(crate) fn run<const D: usize>(
        &self,
        mut first: Objects<S, D>,
        mut second: Option<(Objects<S, D>, &Input)>,
    ) -> Result<Outcome, Error> {
        let &Self { common, input, algorithm, distance, kind, count, .. } = self;
        let (backend, sides) = (common.backend, self.wrap.sides()?);
        wrap::move_home(&mut first, sides, input)?;
        if let Some((second, input)) = &mut second {
            wrap::move_home(second, sides, input)?;
        }
        let ids = take(&mut first.ids);
        let other = second.as_mut().map(|(second, _)| take(&mut second.ids));
        let lines = Lines::new([&ids, other.as_ref().unwrap_or(&ids)], common.format());
        let begun = Instant::now();
        let (search, found) = progress::with_spinner(|| {
            let second = second.map(|(second, _)| second);
            let setup = Setup { algorithm, sides, backend };
            let mut search = Search::new(first, second, setup, distance, input)?;
            let found = if count || kind == Kind::AntiJoin {
                search.tally()
            } else {
                let objects = Count::objects(search.rows());
                let found = search.find(kind == Kind::Neighbors);
                let bytes = bytes::<S, D>(search.rows(), false);
                found.map_err(|OutOfMemory| Error::no_memory(input, objects, bytes))?
            };
            Ok((search, found))
        })?;
        let find_time = begun.elapsed();
        let pairs = found.pairs;
        let alone = found.paired.iter().filter(|paired| !**paired).count() as u64;
        output::write(common.path(), &mut |out| match kind {
            Kind::AntiJoin if count => lines::write_count(alone, common.format(), out),
            Kind::LeftJoin if count => lines::write_count(pairs + alone, common.format(), out),
            _ if count => lines::write_count(pairs, common.format(), out),
            _ => Writer { search: &search, kind, lines: &lines }.write(&found, out),
        })?;
        Ok(Outcome { pairs, alone, algorithm: search.algorithm(), find_time })
    }
}
