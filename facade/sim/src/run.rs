//! Runs of a seed, or of a part of its schedule.

use core::fmt;

use crate::config::Config;
use crate::op::{self, Op, schedule};
use crate::ranges::Ranges;
use crate::simulation::{Difference, Simulation};
use crate::totals::{Situations, Totals};

/// A part of the schedule of a seed: the operations and objects that are kept. The default is the
/// whole schedule.
/// `Display` writes the arguments of the command line, such as ` --keep 0-3,17`.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Indices of the operations that are kept; `None` for all.
    pub operations: Option<Ranges>,
    /// Numbers of the objects that are kept; `None` for all.
    pub objects: Option<Ranges>,
    /// Set to compute the hash of all results, which makes a run 15 % longer.
    pub hash: bool,
    /// Set in tests of the simulator: a fault that hides the pairs of the first world whose first
    /// object has user data with the remainder 2 modulo 5.
    #[doc(hidden)]
    pub planted: bool,
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operations) = &self.operations {
            write!(f, " --keep {operations}")?;
        }
        if let Some(objects) = &self.objects {
            write!(f, " --objects {objects}")?;
        }
        Ok(())
    }
}

/// The configuration and the operations of a seed. `Display` writes them as text.
#[derive(Clone, Debug)]
pub struct Schedule {
    seed: u64,
    pub(crate) config: Config,
    /// Operations with their indices.
    pub(crate) ops: Vec<(usize, Op)>,
}

impl Schedule {
    /// Expands a seed and applies a selection.
    #[must_use]
    pub fn new(seed: u64, selection: &Selection) -> Self {
        let config = Config::new(seed);
        let ops = schedule(seed, &config).into_iter().enumerate();
        let is_kept = |(index, _): &(usize, Op)| {
            selection.operations.as_ref().is_none_or(|kept| kept.contains(*index as u32))
        };
        let ops = ops.filter(is_kept).collect();
        Self { seed, config, ops }
    }

    /// Decodes a schedule from any bytes, for fuzzers: two bytes for the seed of the configuration,
    /// and two for each operation. The configuration has few objects and one thread.
    ///
    /// ```
    /// let schedule = hexphase_sim::Schedule::of_bytes(b"any bytes");
    /// assert_eq!(schedule.play().difference, None);
    /// ```
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let (seed, ops) = bytes.split_first_chunk().unwrap_or((&[0; 2], &[]));
        let seed = u16::from_le_bytes(*seed).into();
        let ops = op::of_bytes(ops).into_iter().enumerate().collect();
        Self { seed, config: Config::small(seed), ops }
    }

    /// Plays the schedule up to the first difference.
    #[must_use]
    pub fn play(&self) -> Run {
        Run::of(self, &Selection::default())
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, config, ops } = self;
        writeln!(f, "seed {seed}: {config}")?;
        ops.iter().try_for_each(|(index, op)| writeln!(f, "{index:>4} {}", op.kind))
    }
}

/// The result of playing a schedule.
#[derive(Clone, Debug)]
pub struct Run {
    /// Counts up to the end or the first difference.
    pub totals: Totals,
    /// The hash of all results up to the end or the first difference, equal on every machine; 0 if
    /// it is not selected.
    pub hash: u64,
    /// The situations up to the end or the first difference.
    pub situations: Situations,
    /// The first difference, if there is one.
    pub difference: Option<Difference>,
}

impl Run {
    /// Plays the selected part of the schedule of a seed, up to the first difference.
    #[must_use]
    pub fn new(seed: u64, selection: &Selection) -> Self {
        Self::of(&Schedule::new(seed, selection), selection)
    }

    fn of(schedule: &Schedule, selection: &Selection) -> Self {
        let mut simulation = Simulation::new(&schedule.config, selection);
        let mut ops = schedule.ops.iter();
        let difference = ops.find_map(|(index, op)| simulation.play(*index, op).err());
        let Simulation { totals, hash, situations, .. } = simulation;
        let hash = hash.unwrap_or(0);
        Self { totals, hash, situations, difference }
    }
}
