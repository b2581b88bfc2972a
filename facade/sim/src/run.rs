//! Runs of a seed, or of a part of its schedule.

use core::fmt;

use crate::config::Config;
use crate::op::{Op, schedule};
use crate::planted::Planted;
use crate::pools::Pools;
use crate::ranges::Ranges;
use crate::simulation::{Difference, Simulation};
use crate::situations::Situations;
use crate::totals::Totals;

/// A part of the schedule of a seed: the operations and objects that are kept, and settings that
/// replace those of the seed. The default is the whole schedule.
///
/// `Display` writes the arguments of the command line.
///
/// ```
/// use hexphase_sim::Selection;
///
/// let selection = Selection {
///     operations: Some("0-3,17".parse()?),
///     settings: vec![("twin-threads".to_owned(), "1".to_owned())],
///     ..Selection::default()
/// };
/// assert_eq!(selection.to_string(), " --keep 0-3,17 --set twin-threads=1");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Indices of the operations that are kept; `None` for all.
    pub operations: Option<Ranges>,
    /// Numbers of the objects that are kept; `None` for all.
    pub objects: Option<Ranges>,
    /// Names and values of settings that replace those of the seed.
    pub settings: Vec<(String, String)>,
    /// A fault for tests of the simulator.
    #[doc(hidden)]
    pub planted: Option<Planted>,
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operations) = &self.operations {
            write!(f, " --keep {operations}")?;
        }
        if let Some(objects) = &self.objects {
            write!(f, " --objects {objects}")?;
        }
        for (index, (name, value)) in self.settings.iter().enumerate() {
            let before = if index == 0 { " --set " } else { "," };
            write!(f, "{before}{name}={value}")?;
        }
        Ok(())
    }
}

/// The configuration and the operations of a seed. `Display` writes them as text.
///
/// ```
/// use hexphase_sim::{Schedule, Selection};
///
/// let schedule = Schedule::new(7, &Selection::default())?;
/// assert!(schedule.to_string().starts_with("seed 7: "));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    seed: u64,
    pub(crate) config: Config,
    /// Operations with their indices.
    pub(crate) ops: Vec<(usize, Op)>,
}

impl Schedule {
    /// Expands a seed and applies a selection.
    ///
    /// # Errors
    /// If the selection has an unknown setting or an invalid value.
    pub fn new(seed: u64, selection: &Selection) -> Result<Self, String> {
        let mut config = Config::new(seed);
        let ops = schedule(seed, &config).into_iter().enumerate();
        let is_kept = |(index, _): &(usize, Op)| {
            selection.operations.as_ref().is_none_or(|kept| kept.contains(*index as u32))
        };
        let ops = ops.filter(is_kept).collect();
        for (name, value) in &selection.settings {
            config.set(name, value)?;
        }
        Ok(Self { seed, config, ops })
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
///
/// ```
/// use hexphase_sim::{Pools, Run, Selection};
///
/// let run = Run::new(1, &Selection::default(), &mut Pools::default())?;
/// assert!(run.difference.is_none() && run.totals.operations > 0);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Run {
    /// Counts up to the end or the first difference.
    pub totals: Totals,
    /// The situations up to the end or the first difference.
    pub situations: Situations,
    /// The first difference, if there is one.
    pub difference: Option<Difference>,
}

impl Run {
    /// Plays the selected part of the schedule of a seed, up to the first difference.
    ///
    /// # Errors
    /// If the selection has an unknown setting or an invalid value.
    pub fn new(seed: u64, selection: &Selection, pools: &mut Pools) -> Result<Self, String> {
        let schedule = Schedule::new(seed, selection)?;
        let mut simulation =
            Simulation::new(&schedule.config, selection.objects.as_ref(), selection.planted, pools);
        let mut ops = schedule.ops.iter();
        let difference = ops.find_map(|(index, op)| simulation.play(*index, op).err());
        let Simulation { totals, situations, .. } = simulation;
        Ok(Self { totals, situations, difference })
    }
}
