//! `hexphase tune`: replays a scene on all structures with several settings and ranks them by
//! speed.

use std::time::Instant;

use broadphase_core::scenes::{Movers, Scene as Generated};
use hexphase::Backend;
use hexphase::tune::{Budget, Report, Trace, tune};

use crate::arguments::{ScalarType, Tune};
use crate::error::Error;
use crate::pairs::backend;
use crate::scene::{Number, Objects, Roundings, Scene, Source, movers, objects};
use crate::{output, progress};

/// Note for a scene without motion.
const STATIC_NOTE: &str = "\
The scene has one tick: all other ticks set the same bounds. To find the pairs of the scene only
once, compare the column \"first\".

";

/// Runs `hexphase tune`. Returns the summary for standard error.
pub(crate) fn run(arguments: &Tune) -> Result<String, Error> {
    match arguments.scalar {
        ScalarType::F32 => run_in::<f32>(arguments),
        ScalarType::F64 => run_in::<f64>(arguments),
        ScalarType::I32 => run_in::<i32>(arguments),
    }
}

fn run_in<S: Number>(arguments: &Tune) -> Result<String, Error> {
    let backend = backend(&arguments.backend)?;
    let source = Source::new(&arguments.scene)?;
    let mut work = Work { arguments, source, backend, roundings: Roundings::default() };
    match work.source {
        Source::Generated(name) => match movers(name)? {
            Generated::Flat(movers) => work.tune_moving::<S, 2>(movers),
            Generated::Solid(movers) => work.tune_moving::<S, 3>(movers),
        },
        _ => match Scene::<S>::load(&work.source, &mut work.roundings)? {
            Scene::Flat(objects) => work.tune_static(&objects),
            Scene::Solid(objects) => work.tune_static(&objects),
        },
    }
}

/// The state before recording the trace.
struct Work<'a> {
    arguments: &'a Tune,
    source: Source,
    backend: Backend,
    roundings: Roundings,
}

impl Work<'_> {
    /// Tunes for a generated scene; it moves unless all velocities are 0.
    fn tune_moving<S: Number, const D: usize>(
        mut self,
        mut scene: Movers<D>,
    ) -> Result<String, Error> {
        let first = objects(&scene, &mut self.roundings);
        if scene.velocities.iter().flatten().all(|&velocity| velocity == 0.0) {
            return self.tune_static::<S, D>(&first);
        }
        let mut trace = Trace::new();
        self.push(&mut trace, &first)?;
        for _ in 0..self.arguments.ticks {
            scene.tick();
            // The roundings of the first tick are reported; those of later ticks are ignored.
            self.push(&mut trace, &objects(&scene, &mut Roundings::default()))?;
        }
        self.finish(&trace, "")
    }

    /// Tunes for a scene with constant bounds.
    fn tune_static<S: Number, const D: usize>(
        self,
        scene: &Objects<S, D>,
    ) -> Result<String, Error> {
        let mut trace = Trace::new();
        for _ in 0..=self.arguments.ticks {
            self.push(&mut trace, scene)?;
        }
        self.finish(&trace, STATIC_NOTE)
    }

    fn push<S: Number, const D: usize>(
        &self,
        trace: &mut Trace<S, D>,
        scene: &Objects<S, D>,
    ) -> Result<(), Error> {
        trace.push(scene.bounds.iter().copied()).map_err(|why| Error::new(&self.source, why))
    }

    /// Replays the trace and writes the report.
    fn finish<S: Number, const D: usize>(
        self,
        trace: &Trace<S, D>,
        preface: &str,
    ) -> Result<String, Error> {
        let begun = Instant::now();
        let budget = Budget::new().rounds(self.arguments.rounds as usize).backend(self.backend);
        let report: Report<S, D> = progress::with_spinner(|| tune(trace, &budget));
        let took = begun.elapsed();
        output::write(self.arguments.output.as_deref(), |out| write!(out, "{preface}{report}"))?;
        Ok(format!(
            "hexphase: {} objects, {D} dimensions ({}), {} ticks, {} settings, {} rounds, \
             backend {}, replayed in {took:.1?}\n{}",
            trace.objects(),
            S::NAME,
            trace.len(),
            report.trials().len(),
            report.rounds(),
            self.backend,
            self.roundings.warning(&self.source, S::NAME),
        ))
    }
}
