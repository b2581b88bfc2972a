//! `hexphase tune`: a scene goes in, which structure is fastest for it comes out.

use std::time::Instant;

use broadphase_core::scenes::{Movers, Scene as Generated};
use hexphase::Backend;
use hexphase::tune::{Budget, Report, Trace, tune};

use crate::arguments::{ScalarType, Tune};
use crate::error::Error;
use crate::pairs::backend;
use crate::scene::{Changes, Number, Objects, Scene, Source, movers, objects};
use crate::{output, progress};

/// What is said of a scene in which nothing moves.
const STILL: &str = "\
The scene has one tick: its bounds are told again in every other, unchanged. What matters if it is
asked once is the column first.

";

/// Replays the scene and writes the report; what is to be said about it in the end.
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
    let mut work = Work { arguments, source, backend, changes: Changes::default() };
    match work.source {
        Source::Generated(name) => match movers(name)? {
            Generated::Flat(movers) => work.moving::<S, 2>(movers),
            Generated::Solid(movers) => work.moving::<S, 3>(movers),
        },
        _ => match Scene::<S>::load(&work.source, &mut work.changes)? {
            Scene::Flat(objects) => work.still(&objects),
            Scene::Solid(objects) => work.still(&objects),
        },
    }
}

/// What is known before there is a trace.
struct Work<'a> {
    arguments: &'a Tune,
    source: Source,
    backend: Backend,
    changes: Changes,
}

impl Work<'_> {
    /// A generated scene, which moves unless it has no velocities.
    fn moving<S: Number, const D: usize>(mut self, mut scene: Movers<D>) -> Result<String, Error> {
        let first = objects(&scene, &mut self.changes);
        if scene.velocities.iter().flatten().all(|&velocity| velocity == 0.0) {
            return self.still::<S, D>(&first);
        }
        let mut trace = Trace::new();
        self.push(&mut trace, &first)?;
        for _ in 0..self.arguments.ticks {
            scene.tick();
            // The first tick has said that numbers are rounded.
            self.push(&mut trace, &objects(&scene, &mut Changes::default()))?;
        }
        self.finish(&trace, "")
    }

    /// The same bounds in every tick.
    fn still<S: Number, const D: usize>(self, scene: &Objects<S, D>) -> Result<String, Error> {
        let mut trace = Trace::new();
        for _ in 0..=self.arguments.ticks {
            self.push(&mut trace, scene)?;
        }
        self.finish(&trace, STILL)
    }

    fn push<S: Number, const D: usize>(
        &self,
        trace: &mut Trace<S, D>,
        scene: &Objects<S, D>,
    ) -> Result<(), Error> {
        trace.push(scene.bounds.iter().copied()).map_err(|why| Error::new(&self.source, why))
    }

    /// Replays the trace and writes what came of it.
    fn finish<S: Number, const D: usize>(
        self,
        trace: &Trace<S, D>,
        preface: &str,
    ) -> Result<String, Error> {
        let begun = Instant::now();
        let budget = Budget::new().rounds(self.arguments.rounds as usize).backend(self.backend);
        let report: Report<S, D> = progress::while_finding(|| tune(trace, &budget));
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
            self.changes.warning(&self.source, S::NAME),
        ))
    }
}
