//! The search for pairs in one scene, for the commands `pairs` and `neighbors`.

use core::mem::take;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;

use hexphase::Backend;

use super::{Kind, Search, error, write};
use crate::error::Error;
use crate::lines::{self, Format, Lines};
use crate::scene::{Input, Number, Objects};
use crate::wrap::{self, Wrap};
use crate::{output, progress};

/// A search for pairs in one scene, and its output.
#[derive(Debug)]
pub(crate) struct Alone<'a, S> {
    /// The files of the scene.
    pub(crate) input: &'a Input,
    /// The distance up to which two objects are a pair; `None` if they must overlap.
    pub(crate) distance: Option<S>,
    /// The option `--wrap`.
    pub(crate) wrap: &'a Wrap,
    /// The backend of the structure.
    pub(crate) backend: Backend,
    /// The lines to write.
    pub(crate) kind: Kind,
    /// Set if only the number of lines is written.
    pub(crate) count: bool,
    /// The format of the lines.
    pub(crate) format: Format,
    /// The file to write; `None` for standard output.
    pub(crate) path: Option<&'a Path>,
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
        let sides = self.wrap.sides::<S, D>()?;
        wrap::move_home(&mut objects, sides, self.input)?;
        let (count, ids) = (objects.bounds.len(), take(&mut objects.ids));
        let begun = Instant::now();
        let both = self.kind == Kind::Neighbors;
        let (search, pairs, found) = progress::with_spinner(|| {
            let mut search = Search::new(objects, None, self.distance, sides, self.backend)?;
            if self.count {
                let pairs = search.tally().pairs << u32::from(both);
                return Ok((search, pairs, None));
            }
            let found = search.find(both);
            Ok((search, found.pairs, Some(found)))
        })
        .map_err(|why| error::<S, D>(self.input, count, &why))?;
        let find_time = begun.elapsed();
        output::write(self.path, |out| match found {
            None => lines::write_count(pairs, self.format, out),
            Some(found) => {
                write(&search, found, self.kind, Lines::new([&ids; 2], self.format), out)
            }
        })?;
        Ok(Outcome { pairs, algorithm: search.algorithm(), find_time })
    }
}
