//! `hexphase tune`: replays a scene on all structures with several settings, and ranks them by
//! speed.

mod explain;

use core::mem::take;
use core::time::Duration;
use std::collections::HashMap;
use std::time::Instant;

use broadphase_core::scenes::Movers;
use clap::Args;
use hexphase::tune::{Budget, Report, Trace, Trial, tune};
use hexphase::{Aabb, BroadPhase, Handle, Options, TooManyPairs};

use crate::arguments::{Common, SceneArgs};
use crate::error::{Count, Error};
use crate::lines::Format;
use crate::scene::{
    Input, Number, Objects, Scene, Ticks, Warnings, movers, objects, with_dimensions,
};
use crate::{json, memory, near, output, progress};
use explain::{explanation, snippet, table};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Tune {
    #[command(flatten)]
    scene: SceneArgs,
    /// The scene is a file of recorded ticks, with the columns tick and id
    #[arg(long, conflicts_with = "ticks")]
    recorded: bool,
    /// Number of ticks after the first tick, which inserts all objects
    #[arg(long, value_name = "COUNT", default_value = "10")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1000))]
    ticks: u64,
    /// Number of replays; no replay starts after ten seconds
    #[arg(long, value_name = "COUNT", default_value = "5")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1000))]
    rounds: u64,
    #[command(flatten)]
    pub(crate) common: Common,
}

const HELP: &str = "\
The objects of a generated scene move in each tick. The objects of a file do not
move, nor do those of terdiman: each tick sets the same bounds. The formats of
scenes are those of the command pairs.

With --recorded the scene is a CSV file with a row for each object in each tick.
Its columns are tick,id and min_x,min_y[,min_z],max_x,max_y[,max_z] or
x,y[,z],r. Ticks are whole numbers and ascend; ids are any text. An object that
a tick does not have is removed, and inserted when it appears again.

Prints a table (fastest first), an explanation, and Rust code to paste. A tick
sets all bounds and finds all pairs and events. A size of cells with \"(chosen)\"
is not a setting: the world derived it from the sizes of the objects.

Examples:
  hexphase tune tail:5000
  hexphase tune scene.csv --scalar f64 --rounds 2
  hexphase tune ticks.csv --recorded
  hexphase tune discs:2000 --ticks 30 --backend scalar";

/// Peak memory in bytes per pair of a tick, while the tick is replayed with events.
const BYTES_PER_PAIR: u64 = 128;

/// The note for a scene whose objects do not move.
const STATIC_NOTE: &str = "\
The scene has one tick: all other ticks set the same bounds. To find the pairs of the scene only
once, compare the column \"first\".

";

/// The note for a table with cell sizes that were not set.
const CHOSEN_NOTE: &str = "\
A size of cells with \"(chosen)\" is not a setting: the world derived it from the
sizes of the objects.

";

pub(crate) fn run<S: Number>(arguments: &Tune) -> Result<String, Error> {
    let input = arguments.scene.input(arguments.common.path())?;
    let mut work = Work { arguments, input, warnings: Warnings::default() };
    if arguments.recorded {
        let input = work.input.clone();
        let ticks = Ticks::open(&input)?;
        return match ticks.dimensions() {
            3 => work.tune_recorded::<S, 3>(ticks),
            _ => work.tune_recorded::<S, 2>(ticks),
        };
    }
    match work.input.generated() {
        Some(name) => with_dimensions!(movers(name)?, movers => {
            let scene = objects::<S, _>(&movers, &mut work.warnings);
            let moves = movers.velocities.iter().flatten().any(|&velocity| velocity != 0.0);
            work.tune_scene(scene, moves.then_some(movers))
        }),
        None => {
            let scene = Scene::<S>::load(&work.input, &mut work.warnings)?;
            with_dimensions!(scene, objects => work.tune_scene(objects, None))
        }
    }
}

/// The state after the scene has been loaded.
struct Work<'a> {
    arguments: &'a Tune,
    input: Input,
    warnings: Warnings,
}

impl Work<'_> {
    /// Tunes for a scene, whose objects may move.
    fn tune_scene<S: Number, const D: usize>(
        self,
        mut scene: Objects<S, D>,
        mut movers: Option<Movers<D>>,
    ) -> Result<String, Error> {
        self.check_memory(&scene)?;
        let mut trace = Trace::default();
        for tick in 0..=self.arguments.ticks {
            if let Some(movers) = movers.as_mut().filter(|_| tick > 0) {
                movers.tick();
                // Only the warnings of the first tick are reported.
                scene = objects(movers, &mut Warnings::default());
            }
            let pushed = trace.push(scene.bounds.iter().copied());
            pushed.map_err(|why| Error::new(&self.input, why))?;
        }
        self.finish(&trace, if movers.is_some() { "" } else { STATIC_NOTE })
    }

    /// Tunes for recorded ticks: inserts new objects, sets the bounds of known objects, and removes
    /// objects that a tick does not have.
    fn tune_recorded<S: Number, const D: usize>(
        mut self,
        ticks: Ticks<'_>,
    ) -> Result<String, Error> {
        let mut trace = Trace::default();
        // User data is not needed. It has the type of other commands, to share their compiled code.
        let mut world: BroadPhase<S, D, u32> = BroadPhase::with_options(Options::new());
        let mut known: HashMap<String, Handle> = HashMap::new();
        let failed = |why| Error::new(&self.input, why);
        ticks.read(&mut self.warnings, |objects: Objects<S, D>| {
            let mut previous = take(&mut known);
            for (row, bounds) in (0..).zip(objects.bounds) {
                let id = objects.ids.text(row);
                let object = match previous.remove(&id) {
                    Some(object) => world.set_bounds(object, bounds).map(|()| object),
                    None => world.insert(bounds, 0),
                };
                known.insert(id, object.map_err(failed)?);
            }
            for object in previous.into_values() {
                world.remove(object);
            }
            trace.record(&world);
            Ok(())
        })?;
        self.finish(&trace, "")
    }

    /// Returns an error unless memory suffices for the ticks and for the pairs of the first tick.
    fn check_memory<S: Number, const D: usize>(&self, scene: &Objects<S, D>) -> Result<(), Error> {
        let objects = Count::objects(scene.bounds.len());
        let ticks = self.arguments.ticks as usize + 1;
        let recorded = scene.bounds.len().saturating_mul(ticks * size_of::<Aabb<S, D>>());
        let needed = recorded.saturating_add(near::bytes::<S, D>(scene.bounds.len(), true));
        let options = Options::new().backend(self.arguments.common.backend).events(false);
        let world = memory::prepare(needed).and_then(|()| scene.world(options));
        let mut world = world.map_err(|_| Error::no_memory(&self.input, objects, needed))?;
        let Err(TooManyPairs { pairs, .. }) = world.step_up_to(0) else { return Ok(()) };
        drop(world);
        let bytes = usize::try_from(pairs.saturating_mul(BYTES_PER_PAIR)).unwrap_or(usize::MAX);
        let bytes = bytes.saturating_add(needed);
        if memory::is_available(bytes) {
            return Ok(());
        }
        Err(Error::no_memory(&self.input, Count(pairs, "pair"), bytes))
    }

    /// Replays the recorded ticks and writes the report.
    fn finish<S: Number, const D: usize>(
        self,
        trace: &Trace<S, D>,
        preface: &str,
    ) -> Result<String, Error> {
        let begun = Instant::now();
        let budget = Budget {
            rounds: self.arguments.rounds as usize,
            backend: self.arguments.common.backend,
            ..Budget::default()
        };
        let report: Report<S, D> = progress::with_spinner(|| tune(trace, &budget));
        let took = begun.elapsed();
        let chosen = report.trials.iter().any(|trial| trial.chosen_cell.is_some());
        let chosen = if chosen { CHOSEN_NOTE } else { "" };
        let common = &self.arguments.common;
        output::write(common.path(), &mut |out| match common.format() {
            Format::Json => {
                report.trials.iter().try_for_each(|trial| writeln!(out, "{}", json(trial)))
            }
            Format::Csv => {
                let (explanation, snippet) = (explanation(&report), snippet(&report));
                let table = table(&report.trials);
                write!(out, "{preface}{chosen}{table}\n{explanation}\n{snippet}")
            }
        })?;
        Ok(format!(
            "hexphase: {}, {D} dimensions ({}), {}, {}, {}, \
             backend {}, replayed in {took:.1?}\n{}",
            Count::objects(report.profile.objects),
            S::NAME,
            Count(report.profile.ticks as u64, "tick"),
            Count(report.trials.len() as u64, "setting"),
            Count(report.rounds as u64, "round"),
            self.arguments.common.backend,
            self.warnings.lines(&self.input, S::NAME),
        ))
    }
}

fn json<S: Number>(trial: &Trial<S>) -> String {
    let or_null = |x: Option<S>| x.map_or_else(|| "null".into(), |x| x.to_string());
    let milliseconds = |time: Duration| time.as_nanos() as f64 / 1e6;
    json::Object::new()
        .text("structure", trial.algorithm.name())
        .field("cell", or_null(trial.cell))
        .field("chosen_cell", or_null(trial.chosen_cell))
        .field("tick_ms", milliseconds(trial.tick))
        .field("slowest_ms", milliseconds(trial.worst))
        .field("first_ms", milliseconds(trial.first))
        .field("bytes", trial.bytes)
        .field("agrees", trial.agrees)
        .line()
}
