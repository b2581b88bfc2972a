//! The search for pairs in one scene, for the commands `pairs` and `neighbors`.

use core::mem::take;
use core::time::Duration;
use std::time::Instant;

use hexphase::Algorithm;

use super::{Kind, Request, Search, write};
use crate::arguments::Common;
use crate::error::Error;
use crate::lines::{self, Lines};
use crate::scene::{Input, Number, Objects};
use crate::wrap::{self, Wrap};
use crate::{output, progress};

/// A search for pairs in one scene, and its output.
#[derive(Debug)]
pub(crate) struct Alone<'a, S> {
    pub(crate) common: &'a Common,
    /// The files of the scene.
    pub(crate) input: &'a Input,
    pub(crate) algorithm: Algorithm,
    /// The distance up to which two objects are a pair; `None` if they must overlap.
    pub(crate) distance: Option<S>,
    pub(crate) wrap: &'a Wrap,
    /// The lines to write.
    pub(crate) kind: Kind,
    /// Set if only the number of lines is written.
    pub(crate) count: bool,
}

/// The outcome of a search.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The number of lines that were written or counted.
    pub(crate) pairs: u64,
    /// The structure that found the pairs.
    pub(crate) algorithm: String,
    /// The time for building the structure and finding the pairs.
    pub(crate) find_time: Duration,
}

impl<S: Number> Alone<'_, S> {
    /// Finds and writes the pairs of the objects.
    pub(crate) fn run<const D: usize>(&self, mut objects: Objects<S, D>) -> Result<Outcome, Error> {
        let request = Request {
            algorithm: self.algorithm,
            backend: self.common.backend()?,
            distance: self.distance,
            sides: self.wrap.sides()?,
        };
        wrap::move_home(&mut objects, request.sides, self.input)?;
        let ids = take(&mut objects.ids);
        let begun = Instant::now();
        let both = self.kind == Kind::Neighbors;
        let (search, pairs, found) = progress::with_spinner(|| {
            let mut search = Search::new(objects, None, &request, self.input)?;
            if self.count {
                let pairs = search.tally().pairs << u32::from(both);
                return Ok((search, pairs, None));
            }
            let found = search.find(both);
            Ok((search, found.pairs, Some(found)))
        })?;
        let find_time = begun.elapsed();
        let format = self.common.format();
        output::write(self.common.path(), &mut |out| match &found {
            None => lines::write_count(pairs, format, out),
            Some(found) => write(&search, found, self.kind, &Lines::new([&ids; 2], format), out),
        })?;
        Ok(Outcome { pairs, algorithm: search.index().name(), find_time })
    }
}
