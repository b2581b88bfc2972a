//! `hexphase pairs`: reads or generates a scene and prints all overlapping pairs.

use core::fmt;
use core::time::Duration;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use hexphase::{Aabb, Algorithm, Backend, BroadPhase, Handle, Options, Reason, TooManyPairs};

use crate::arguments::{ScalarType, algorithms, backends};
use crate::error::{Count, Error, NoMemory};
use crate::lines::{Format, Lines};
use crate::near::{self, Alone, Kind, Outcome};
use crate::scene::{Input, InputArgs, Number, Objects, Scene, Warnings};
use crate::wrap::Wrap;
use crate::{lines, memory, output, pieces, progress};

/// With up to this number of objects, a world chooses brute force.
const MAX_BRUTE_OBJECTS: usize = 256;
/// Maximum number of pairs that are listed at once; more are written in pieces.
const MAX_PAIRS: usize = 1 << 23;
/// Minimum number of pairs for which memory must be available; otherwise the command fails.
const MIN_PAIRS: usize = 1 << 18;
/// Peak memory in bytes per pair, while pairs are found and sorted.
const BYTES_PER_PAIR: usize = 64;
/// Peak memory in bytes per object, without its boxes, while a world is built and searched.
const BYTES_PER_OBJECT: usize = 120;
/// Number of copies of each box at the peak of memory.
const COPIES: usize = 4;
/// Additional memory in bytes per object if the structure is the hash.
const BYTES_IN_HASH: usize = 500;

/// The arguments of `pairs`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Pairs {
    /// Files; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE", required = true)]
    pub(crate) scene: Vec<OsString>,
    /// The structure that finds the pairs; it does not change the output
    #[arg(long, default_value = "auto", value_parser = algorithms())]
    pub(crate) algorithm: Algorithm,
    /// The SIMD backend; it does not change the output
    #[arg(long, default_value = "auto", value_parser = backends())]
    pub(crate) backend: String,
    /// The type of the coordinates
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
    /// Also find pairs that do not overlap but are at most this distance apart
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true)]
    #[arg(conflicts_with = "algorithm")]
    pub(crate) within: Option<String>,
    /// Length of each axis that wraps, 0 for an axis that does not, such as 360,0 for degrees
    #[arg(long, value_name = "LENGTHS", allow_hyphen_values = true)]
    #[arg(conflicts_with = "algorithm")]
    pub(crate) wrap: Option<String>,
    /// Print the number of pairs instead of the pairs
    #[arg(long)]
    pub(crate) count: bool,
    /// Print a JSON object on each line instead of CSV
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to a file other than the scene; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

const HELP: &str = "\
A scene is one or more files: tables with a header, WKT or GeoJSON, also
compressed with gzip or zstd. The columns of a table are
min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],width,height[,depth] for
boxes, x,y[,z],r for discs and balls, x,y[,z] for points, or geometry. Discs,
balls and geometries are replaced by their bounding boxes. Other common names,
such as xmin, west or lon, are recognized, and --columns assigns any others. The
delimiter is found from the header. Objects have the ids of the column id, or
are numbered from 0 in the order of rows, counted through all files.

Prints a line a,b for each pair; a is before b, and the lines are sorted. Boxes
that touch overlap. The ends of discs and balls are computed exactly and rounded
once. Memory does not grow with the number of pairs.

With --within, distances are measured between boxes, or between discs or balls
if the scene has no other objects. With --wrap, the two ends of an axis join. A
box may lie across the seam: then its minimum is above its maximum, or its
maximum is beyond the end of the axis.

Examples:
  hexphase pairs scene.csv.gz
  hexphase pairs a.csv b.csv --memory 2G --output pairs.csv
  hexphase pairs clustered:500000 --algorithm hshg --backend avx2 --count
  hexphase generate discs:1000 | hexphase pairs - --scalar f64";

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
    let wrap = Wrap::new(arguments.wrap.as_deref());
    let distance = arguments.within.as_deref();
    let distance = distance.map(|text| near::read_distance::<S>("--within", text)).transpose()?;
    let input = arguments.input.input(&arguments.scene)?.with_wrap(wrap.lengths());
    output::check(arguments.output.as_deref(), &input)?;
    let mut warnings = Warnings::default();
    let begun = Instant::now();
    let scene = Scene::<S>::load(&input, &mut warnings)?;
    let work = Work { arguments, input, backend, warnings, load_time: begun.elapsed() };
    let objects = match &scene {
        Scene::Flat(objects) => objects.bounds.len(),
        Scene::Solid(objects) => objects.bounds.len(),
    };
    // A bare grid is built faster than a world that chooses a grid (see `near`).
    let is_auto = arguments.algorithm == Algorithm::Auto && objects > MAX_BRUTE_OBJECTS;
    if distance.is_some() || arguments.wrap.is_some() || is_auto {
        return match scene {
            Scene::Flat(objects) => work.finish_near(objects, distance, &wrap),
            Scene::Solid(objects) => work.finish_near(objects, distance, &wrap),
        };
    }
    match scene {
        Scene::Flat(objects) => work.finish(objects),
        Scene::Solid(objects) => work.finish(objects),
    }
}

/// Returns the backend with this name; for `auto`, the fastest available backend.
pub(crate) fn backend(name: &str) -> Result<Backend, Error> {
    match name {
        "auto" => Ok(Backend::detect()),
        _ => name.parse().map_err(|error| Error::new("--backend", error)),
    }
}

/// The state after the scene has been loaded.
struct Work<'a> {
    arguments: &'a Pairs,
    input: Input,
    backend: Backend,
    warnings: Warnings,
    load_time: Duration,
}

impl Work<'_> {
    /// Finds and writes the pairs that overlap or are within a distance, in a grid or a world that
    /// wraps.
    fn finish_near<S: Number, const D: usize>(
        self,
        scene: Objects<S, D>,
        distance: Option<S>,
        wrap: &Wrap,
    ) -> Result<Summary, Error> {
        let Self { arguments, input, backend, warnings, load_time } = self;
        let objects = scene.bounds.len();
        let (kind, count) = (Kind::Pairs, arguments.count);
        let (format, path) = (Format::new(arguments.json), arguments.output.as_deref());
        let search = Alone { input: &input, distance, wrap, backend, kind, count, format, path };
        let Outcome { pairs, algorithm, find_time } = search.run(scene)?;
        let (dimensions, scalar) = (D, S::NAME);
        let is_auto = distance.is_none() && arguments.wrap.is_none();
        let algorithm = if is_auto { format!("auto ({algorithm})") } else { algorithm };
        Ok(Summary {
            input,
            objects,
            dimensions,
            scalar,
            pairs,
            algorithm,
            backend,
            load_time,
            find_time,
            warnings,
        })
    }

    /// Finds and writes the pairs with a world on the selected structure.
    fn finish<S: Number, const D: usize>(self, scene: Objects<S, D>) -> Result<Summary, Error> {
        let Self { arguments, input, backend, warnings, load_time } = self;
        let objects = scene.bounds.len();
        let begun = Instant::now();
        let options = Options::new().algorithm(arguments.algorithm).backend(backend).events(false);
        let bytes = world_bytes(&scene, arguments.algorithm == Algorithm::Hash);
        let found = progress::with_spinner(|| {
            memory::prepare(bytes)?;
            let mut world = build_world(&scene, options)?;
            let Objects { ids, bounds, .. } = scene;
            drop(bounds);
            // Build the structure first, because the rest of the memory is available for pairs.
            world.optimize();
            if world.choice().reason == Reason::OutOfMemory {
                // Without memory for the selected structure the world uses brute force, which takes
                // too long.
                return Err(hexphase::Error::OutOfMemory);
            }
            let found = world.step_up_to(if arguments.count { 0 } else { max_pairs()? });
            Ok((world, ids, found))
        });
        let list_bytes = if arguments.count { 0 } else { MIN_PAIRS * BYTES_PER_PAIR };
        let needed = bytes.saturating_add(list_bytes);
        let out_of_memory = || Error::new(&input, NoMemory::for_objects(objects, needed));
        let (mut world, ids, found) = found.map_err(|error| match error {
            hexphase::Error::OutOfMemory => out_of_memory(),
            error => Error::new(&input, error),
        })?;
        let find_time = begun.elapsed();
        let pairs = match found {
            Ok(()) => world.pairs().len() as u64,
            Err(TooManyPairs { pairs, .. }) => pairs,
        };
        let path = arguments.output.as_deref();
        let empty = Lines::new([&ids; 2], Format::new(arguments.json));
        if arguments.count {
            output::write(path, |out| lines::write_count(pairs, Format::new(arguments.json), out))?;
        } else if found.is_ok() {
            output::write(path, |out| {
                write_pairs(world.pairs().map(|pair| pair.users), empty, out)
            })?;
        } else {
            // Free the incomplete list of pairs.
            world.shrink_to_fit();
            let mut handles = Vec::new();
            handles.try_reserve_exact(objects).map_err(|_| out_of_memory())?;
            handles.extend(world.handles());
            let fill = fill(&world, &handles);
            output::write(path, |out| pieces::write(objects, &empty, out, &fill))?;
        }
        let choice = world.choice();
        let algorithm = match (arguments.algorithm, choice.reason) {
            (Algorithm::Auto, reason @ Reason::ManyTests { .. }) => {
                format!("auto ({choice}, {reason})")
            }
            (Algorithm::Auto, _) => format!("auto ({choice})"),
            _ => choice.to_string(),
        };
        Ok(Summary {
            input,
            objects,
            dimensions: D,
            scalar: S::NAME,
            pairs,
            algorithm,
            backend,
            load_time,
            find_time,
            warnings,
        })
    }
}

/// Returns the maximum number of pairs that can be listed at once in the available memory.
///
/// # Errors
/// If memory is not available for [`MIN_PAIRS`] pairs.
pub(crate) fn max_pairs() -> Result<usize, hexphase::Error> {
    let mut pairs = MAX_PAIRS;
    while !memory::is_available(pairs * BYTES_PER_PAIR) {
        if pairs <= MIN_PAIRS {
            return Err(hexphase::Error::OutOfMemory);
        }
        pairs /= 2;
    }
    Ok(pairs)
}

/// Returns the peak memory in bytes, without pairs, while a world with these objects is built and
/// searched.
pub(crate) fn world_bytes<S, const D: usize>(objects: &Objects<S, D>, in_hash: bool) -> usize {
    let more = if in_hash { BYTES_IN_HASH } else { 0 };
    let each = BYTES_PER_OBJECT + COPIES * size_of::<Aabb<S, D>>() + more;
    objects.bounds.len().saturating_mul(each)
}

/// Returns a world with these objects; the user data of an object is its index. Objects ascend by
/// id, so pairs that are sorted by index are also sorted by id.
///
/// # Errors
/// If bounds are invalid, or allocation fails.
pub(crate) fn build_world<S: Number, const D: usize>(
    objects: &Objects<S, D>,
    options: Options<S, D>,
) -> Result<BroadPhase<S, D, u32>, hexphase::Error> {
    let mut world = BroadPhase::with_options(options);
    for (index, bounds) in (0..).zip(&objects.bounds) {
        world.insert(*bounds, index)?;
    }
    Ok(world)
}

/// Returns a function that appends the lines of the pairs of an object with later objects.
/// `handles` are the handles of all objects in ascending order.
pub(crate) fn fill<'a, S: Number, const D: usize>(
    world: &'a BroadPhase<S, D, u32>,
    handles: &'a [Handle],
) -> impl Fn(u32, &mut Lines<'_>, &mut Vec<u32>) + Sync + 'a {
    |object, lines, partners| {
        let handle = handles[object as usize];
        let Some(bounds) = world.get(handle).map(|object| object.bounds) else { return };
        partners.clear();
        world.query(bounds).filter(|other, _| other > handle).visit(|_, &other, _| {
            partners.push(other);
        });
        partners.sort_unstable();
        lines.begin(object);
        for &other in &*partners {
            lines.push(other);
        }
    }
}

/// Writes a line for each pair. `lines` must be empty.
fn write_pairs(
    pairs: impl Iterator<Item = [u32; 2]>,
    mut lines: Lines<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut first = None;
    for [a, b] in pairs {
        if first != Some(a) {
            first = Some(a);
            lines.begin(a);
        }
        lines.push(b);
        lines.flush_if_full(out)?;
    }
    lines.flush(out)
}

/// The summary for standard error: one line, and a warning line if numbers were rounded.
pub(crate) struct Summary {
    input: Input,
    objects: usize,
    dimensions: usize,
    scalar: &'static str,
    pairs: u64,
    algorithm: String,
    backend: Backend,
    load_time: Duration,
    find_time: Duration,
    warnings: Warnings,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dimensions, scalar, algorithm, backend, .. } = self;
        let (objects, pairs) = (Count(self.objects as u64, "object"), Count(self.pairs, "pair"));
        let (load, find) = (self.load_time, self.find_time);
        writeln!(
            f,
            "hexphase: {objects}, {dimensions} dimensions ({scalar}), {pairs}, \
             algorithm {algorithm}, backend {backend}, loaded in {load:.1?}, found in {find:.1?}"
        )?;
        f.write_str(&self.warnings.lines(&self.input, scalar))
    }
}

#[cfg(test)]
mod tests {
    use hexphase::BackendKind;

    use super::*;
    use crate::scene::Ids;

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
        let lines = Lines::new([&Ids::Rows; 2], Format::Csv);
        write_pairs(pairs.clone(), lines, &mut out).unwrap();
        let expected: String = pairs.map(|[a, b]| format!("{a},{b}\n")).collect();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
