//! `hexphase pairs`: reads or generates a scene and prints all overlapping pairs.

use core::fmt;
use core::time::Duration;
use std::io::{self, Write};
use std::time::Instant;

use hexphase::{Algorithm, Backend, BroadPhase, Options};

use crate::arguments::{Pairs, ScalarType};
use crate::error::Error;
use crate::scene::{Number, Objects, Roundings, Scene, Source};
use crate::{output, progress};

/// Runs `hexphase pairs`. Returns the summary for standard error.
pub(crate) fn run(arguments: &Pairs) -> Result<Summary, Error> {
    match arguments.scalar {
        ScalarType::F32 => pairs::<f32>(arguments),
        ScalarType::F64 => pairs::<f64>(arguments),
        ScalarType::I32 => pairs::<i32>(arguments),
    }
}

fn pairs<S: Number>(arguments: &Pairs) -> Result<Summary, Error> {
    let backend = backend(&arguments.backend)?;
    let source = Source::new(&arguments.scene)?;
    let mut roundings = Roundings::default();
    let begun = Instant::now();
    let scene = Scene::<S>::load(&source, &mut roundings)?;
    let work = Work { arguments, source, backend, roundings, load_time: begun.elapsed() };
    match scene {
        Scene::Flat(objects) => work.finish(objects),
        Scene::Solid(objects) => work.finish(objects),
    }
}

/// Returns the backend of that name; for `auto`, the fastest available one.
pub(crate) fn backend(name: &str) -> Result<Backend, Error> {
    match name {
        "auto" => Ok(Backend::detect()),
        _ => name.parse().map_err(|error| Error::new("--backend", error)),
    }
}

/// The state after loading the scene.
struct Work<'a> {
    arguments: &'a Pairs,
    source: Source,
    backend: Backend,
    roundings: Roundings,
    load_time: Duration,
}

impl Work<'_> {
    /// Finds and writes the pairs.
    fn finish<S: Number, const D: usize>(self, scene: Objects<S, D>) -> Result<Summary, Error> {
        let Self { arguments, source, backend, roundings, load_time } = self;
        let objects = scene.bounds.len();
        let begun = Instant::now();
        let options = Options::new().algorithm(arguments.algorithm).backend(backend);
        let world = progress::with_spinner(|| build_world(scene, options));
        let world = world.map_err(|error| Error::new(&source, error))?;
        let find_time = begun.elapsed();
        let pairs = world.pairs();
        let found = pairs.len();
        output::write(arguments.output.as_deref(), |out| {
            if arguments.count {
                writeln!(out, "{found}")
            } else {
                write_pairs(pairs.map(|pair| pair.users), out)
            }
        })?;
        let algorithm = match arguments.algorithm {
            Algorithm::Auto => format!("auto ({})", world.choice()),
            _ => world.choice().to_string(),
        };
        Ok(Summary {
            source,
            objects,
            dimensions: D,
            scalar: S::NAME,
            pairs: found,
            algorithm,
            backend,
            load_time,
            find_time,
            roundings,
        })
    }
}

/// Returns a world with these objects after one step. The objects are inserted in ascending order
/// of their ids, so the pairs are sorted by id too.
fn build_world<S: Number, const D: usize>(
    objects: Objects<S, D>,
    options: Options<S, D>,
) -> Result<BroadPhase<S, D, u32>, hexphase::Error> {
    let mut world = BroadPhase::with_options(options);
    match objects.ids {
        Some(ids) => {
            for (bounds, id) in objects.bounds.into_iter().zip(ids) {
                world.insert(bounds, id)?;
            }
        }
        None => {
            for (bounds, id) in objects.bounds.into_iter().zip(0..) {
                world.insert(bounds, id)?;
            }
        }
    }
    world.step();
    Ok(world)
}

/// Writes a line `a,b` for each pair.
fn write_pairs(pairs: impl Iterator<Item = [u32; 2]>, out: &mut dyn Write) -> io::Result<()> {
    /// Size of the text buffer in bytes, without the last line, which has at most 22.
    const CHUNK: usize = 1 << 14;
    let mut text = Vec::with_capacity(CHUNK + 22);
    let (mut first, mut second) = (itoa::Buffer::new(), itoa::Buffer::new());
    for [a, b] in pairs {
        text.extend_from_slice(first.format(a).as_bytes());
        text.push(b',');
        text.extend_from_slice(second.format(b).as_bytes());
        text.push(b'\n');
        if text.len() >= CHUNK {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)
}

/// The summary for standard error: one line, and a warning if numbers were rounded.
pub(crate) struct Summary {
    source: Source,
    objects: usize,
    dimensions: usize,
    scalar: &'static str,
    pairs: usize,
    algorithm: String,
    backend: Backend,
    load_time: Duration,
    find_time: Duration,
    roundings: Roundings,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { objects, dimensions, scalar, pairs, algorithm, backend, .. } = self;
        let (load, find) = (self.load_time, self.find_time);
        writeln!(
            f,
            "hexphase: {objects} objects, {dimensions} dimensions ({scalar}), {pairs} pairs, \
             algorithm {algorithm}, backend {backend}, loaded in {load:.1?}, found in {find:.1?}"
        )?;
        f.write_str(&self.roundings.warning(&self.source, scalar))
    }
}

#[cfg(test)]
mod tests {
    use hexphase::BackendKind;

    use super::*;

    #[test]
    fn available_backends_are_found_by_name() {
        assert_eq!(backend("auto").unwrap(), Backend::detect());
        for kind in BackendKind::ALL {
            match Backend::new(kind) {
                Ok(available) => assert_eq!(backend(kind.name()).unwrap(), available),
                Err(why) => {
                    let message = backend(kind.name()).unwrap_err().to_string();
                    assert_eq!(message, format!("--backend: {why}"));
                }
            }
        }
        let unknown = backend("neon").unwrap_err().to_string();
        assert_eq!(
            unknown,
            "--backend: unknown backend; the names are scalar, wide, sse41 and avx2"
        );
    }

    #[test]
    fn all_lines_are_complete() {
        let pairs = (0..10_000).map(|a| [a, u32::MAX - a]);
        let mut out = Vec::new();
        write_pairs(pairs.clone(), &mut out).unwrap();
        let expected: String = pairs.map(|[a, b]| format!("{a},{b}\n")).collect();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
