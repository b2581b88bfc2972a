//! A suite of measurements: checked once, timed by criterion, reported as rows.

use core::fmt;
use core::hint::black_box;
use core::num::NonZero;
use core::time::Duration;
use std::path::PathBuf;
use std::{env, fs, thread};

use criterion::{Criterion, SamplingMode, Throughput};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::Value;
use simd_lanes::Backend;

use crate::answer::Answer;
use crate::estimate::{self, Estimate};
use crate::model::Model;
use crate::row::{Row, progress, table};

/// The work of one run. The time of a run is divided by the number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Processes this number of objects.
    Objects(u64),
    /// Converts, or queries, this number of points.
    Points(u64),
    /// Tests this number of pairs of volumes.
    Tests(u64),
}

impl Work {
    const fn count(self) -> u64 {
        match self {
            Self::Objects(n) | Self::Points(n) | Self::Tests(n) => n,
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::Objects(_) => "ns_per_object",
            Self::Points(_) => "ns_per_point",
            Self::Tests(_) => "ns_per_test",
        }
    }
}

/// The input of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The name in the JSON file, such as `discs:10000`.
    pub name: &'a str,
    /// The number of objects (points, codes, volumes).
    pub n: usize,
    /// The work of one run.
    pub work: Work,
}

impl<'a> Scene<'a> {
    /// Returns a scene of `n` objects; a run processes all of them.
    pub const fn objects(name: &'a str, n: usize) -> Self {
        Self { name, n, work: Work::Objects(n as u64) }
    }
}

/// An implementation of the work.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The name of the structure or function.
    pub name: &'a str,
    /// The name of the backend; `native` for other libraries.
    pub backend: &'a str,
    /// The number of threads used.
    pub threads: usize,
}

impl<'a> Subject<'a> {
    /// Returns a subject that runs on the detected backend and on one thread.
    pub fn detected(name: &'a str) -> Self {
        Self::on(Backend::detect(), name)
    }

    /// Returns a subject that runs on a backend and on one thread.
    pub fn on(backend: Backend, name: &'a str) -> Self {
        Self { name, backend: backend.kind().name(), threads: 1 }
    }

    /// Returns a subject of another library that runs on one thread.
    pub const fn peer(name: &'a str) -> Self {
        Self { name, backend: NATIVE, threads: 1 }
    }
}

/// The backend of other libraries.
const NATIVE: &str = "native";

/// Default number of samples of our own implementations.
const OUR_SAMPLES: usize = 20;
/// Default number of samples of other libraries: the smallest number that criterion allows.
const PEER_SAMPLES: usize = 10;

/// The measurements of one file in `benches/`.
pub struct Suite {
    name: &'static str,
    home: PathBuf,
    criterion: Criterion,
    measurements: Vec<Measurement>,
    modelled: Vec<Row>,
}

/// A measurement passed to criterion.
struct Measurement {
    comparison: usize,
    /// The row of the measurement; its time is filled in later.
    row: Row,
    work: u64,
    file: PathBuf,
}

impl Measurement {
    fn is_peer(&self) -> bool {
        self.row.backend == NATIVE
    }
}

impl Suite {
    /// Creates a suite. `name` must be the name of its file in `benches/`, without the extension.
    /// Reads criterion's own arguments from the command line.
    ///
    /// Sets the size of the global thread pool to 1, so code that installs no pool of its own runs
    /// on one thread.
    pub fn new(name: &'static str) -> Self {
        // Ignore the error: it means that another suite of this process has already built the pool.
        let _ = ThreadPoolBuilder::new().num_threads(1).build_global();
        let criterion = Criterion::default()
            .sample_size(OUR_SAMPLES)
            .warm_up_time(Duration::from_millis(150))
            .measurement_time(Duration::from_millis(550))
            // Only the median of the samples is used, which needs no resampling.
            .nresamples(1_001)
            .without_plots()
            .configure_from_args();
        Self::with(name, estimate::home(), criterion)
    }

    fn with(name: &'static str, home: PathBuf, criterion: Criterion) -> Self {
        let criterion = criterion.output_directory(&home);
        Self { name, home, criterion, measurements: Vec::new(), modelled: Vec::new() }
    }

    /// Starts a comparison: all its measurements do the same work on the same scene and must give
    /// the expected result.
    ///
    /// A scene may have several comparisons if their subjects have different names.
    pub fn compare(&mut self, scene: Scene<'_>, expected: Answer) -> Comparison<'_> {
        let number = self.measurements.len();
        let row = Row {
            suite: self.name.to_owned(),
            scene: scene.name.to_owned(),
            subject: String::new(),
            backend: String::new(),
            threads: 1,
            n: scene.n,
            pairs: expected.pairs,
            unit: scene.work.unit(),
            ns: f64::NAN,
            spread: None,
            peer: None,
        };
        Comparison { number, row, work: scene.work.count(), expected, samples: None, suite: self }
    }

    /// Returns the rows measured up to now. Our own rows include the fastest peer of their
    /// comparison that runs on the same number of threads.
    fn rows(&self) -> Vec<Row> {
        let measured: Vec<(&Measurement, f64, f64)> = self
            .measurements
            .iter()
            .filter_map(|measurement| {
                let Estimate { median, spread } = estimate::read(&measurement.file)?;
                Some((measurement, median / measurement.work as f64, spread))
            })
            .collect();
        let fastest_peer = |ours: &Measurement| {
            measured
                .iter()
                .filter(|(peer, ..)| peer.is_peer() && peer.comparison == ours.comparison)
                .filter(|(peer, ..)| peer.row.threads == ours.row.threads)
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .map(|&(measurement, ns, _)| (measurement.row.subject.clone(), ns))
        };
        let row = |&(measurement, ns, spread): &(&Measurement, f64, f64)| {
            let peer = if measurement.is_peer() { None } else { fastest_peer(measurement) };
            Row { ns, spread: Some(spread), peer, ..measurement.row.clone() }
        };
        measured.iter().map(row).chain(self.modelled.iter().cloned()).collect()
    }

    /// Prints the table, and writes the JSON file if `HEXPHASE_BENCH_JSON` names one.
    pub fn finish(self) {
        self.criterion.final_summary();
        let rows = self.rows();
        if rows.is_empty() {
            println!("{}: answers checked, nothing measured", self.name);
            return;
        }
        println!("{}", table(&rows));
        if let Some(file) = env::var_os("HEXPHASE_BENCH_JSON") {
            let json = Value::Array(rows.iter().map(Row::to_json).collect());
            let written = fs::write(&file, format!("{json:#}\n"));
            assert!(written.is_ok(), "{}: {written:?}", PathBuf::from(file).display());
        }
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suite").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Measurements of the same work on the same scene; see [`Suite::compare`].
#[derive(Debug)]
pub struct Comparison<'a> {
    number: usize,
    /// The fields that are equal in all rows of the comparison.
    row: Row,
    work: u64,
    expected: Answer,
    samples: Option<usize>,
    suite: &'a mut Suite,
}

impl Comparison<'_> {
    /// Sets the number of samples, at least 10, for the measurements that follow. A small number
    /// suits runs that take long.
    pub const fn samples(&mut self, count: usize) {
        self.samples = Some(count);
    }

    /// Measures one of our searches on one thread; `search` appends pairs, in any order, to an
    /// empty list.
    pub fn our_search(&mut self, name: &str, search: impl Fn(&mut Vec<[u32; 2]>)) {
        self.search(Subject::detected(name), search);
    }

    /// Measures a search of another library on one thread; see [`our_search`](Self::our_search).
    pub fn peer_search(&mut self, name: &str, search: impl Fn(&mut Vec<[u32; 2]>)) {
        self.search(Subject::peer(name), search);
    }

    fn search(&mut self, subject: Subject<'_>, search: impl Fn(&mut Vec<[u32; 2]>)) {
        let run = |out: &mut Vec<_>| {
            out.clear();
            search(out);
        };
        self.measure(subject, Vec::new, run, |out| Answer::of_set(out.iter().copied()));
    }

    /// Measures another library, on one thread.
    pub fn peer<S, R>(
        &mut self,
        name: &str,
        setup: impl FnOnce() -> S,
        run: impl FnMut(&mut S) -> R,
        answer: impl FnOnce(&S) -> Answer,
    ) {
        self.measure(Subject::peer(name), setup, run, answer);
    }

    /// Measures an implementation: `setup` creates the state, `run` is timed, `answer` reads the
    /// result of the first run from the state.
    pub fn measure<S, R>(
        &mut self,
        subject: Subject<'_>,
        setup: impl FnOnce() -> S,
        mut run: impl FnMut(&mut S) -> R,
        answer: impl FnOnce(&S) -> Answer,
    ) {
        let Subject { name, backend, threads } = subject;
        let scene = &self.row.scene;
        let group = estimate::folder_name(&format!("{}-{scene}", self.suite.name));
        let id = estimate::folder_name(&format!("{name}-{backend}-{threads}"));
        let file = estimate::file(&self.suite.home, &group, &id);
        let known = self.suite.measurements.iter().any(|measurement| measurement.file == file);
        assert!(!known, "{group}/{id} is measured twice");
        // Remove old estimates, so that an estimate found later is from this run.
        let _ = fs::remove_file(&file);

        let mut first = Some((setup, answer));
        let mut state = None;
        let mut measurements = self.suite.criterion.benchmark_group(&group);
        measurements.throughput(Throughput::Elements(self.work));
        measurements.sampling_mode(SamplingMode::Flat);
        if let Some(samples) = self.samples.or((backend == NATIVE).then_some(PEER_SAMPLES)) {
            measurements.sample_size(samples);
        }
        measurements.bench_function(&id, |bencher| {
            // Criterion calls this closure repeatedly, or never if a filter excludes it.
            if let Some((setup, answer)) = first.take() {
                let mut fresh = setup();
                run(&mut fresh);
                let (found, expected) = (answer(&fresh), self.expected);
                assert!(found == expected, "{scene}: {id} found {found:?}, not {expected:?}");
                state = Some(fresh);
            }
            if let Some(state) = &mut state {
                bencher.iter(|| black_box(run(state)));
            }
        });
        drop(measurements);

        let row = Row {
            subject: name.to_owned(),
            backend: backend.to_owned(),
            threads,
            ..self.row.clone()
        };
        if let Some(estimate) = estimate::read(&file) {
            let ns = estimate.median / self.work as f64;
            println!("{}", progress(&Row { ns, ..row.clone() }));
        }
        let measurement = Measurement { comparison: self.number, row, work: self.work, file };
        self.suite.measurements.push(measurement);
    }

    /// Computes the time of our work on the threads of a model; `two` has two threads.
    pub(crate) fn model<S: Send>(
        &mut self,
        model: Model,
        two: &ThreadPool,
        name: &str,
        setup: impl FnOnce() -> S,
        run: impl Fn(&mut S) + Sync,
        answer: impl FnOnce(&S) -> Answer,
    ) {
        let scene = &self.row.scene;
        let filter = env::args().skip(1).find(|argument| !argument.starts_with('-'));
        if filter.is_some_and(|filter| !format!("{scene} {name}").contains(&filter)) {
            return;
        }
        let mut state = setup();
        run(&mut state);
        let (found, expected) = (answer(&state), self.expected);
        assert!(found == expected, "{scene}: {name} found {found:?}, not {expected:?}");
        let modelled = model.time(two, || run(&mut state));
        let ns = |seconds: f64| seconds * 1e9 / self.work as f64;
        let row = Row {
            subject: name.to_owned(),
            backend: "model".to_owned(),
            threads: modelled.threads,
            ns: ns(modelled.time),
            peer: Some(("one thread".to_owned(), ns(modelled.one))),
            ..self.row.clone()
        };
        println!("{}\n{}", progress(&row), modelled.details());
        self.suite.modelled.push(row);
    }
}

/// Returns a thread pool for each number of threads to measure: 1 and 2, and when measuring also 4,
/// 8, … up to the number of cores.
pub fn pools() -> Vec<ThreadPool> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut counts = vec![1, 2];
    if measuring() {
        counts.extend((2..).map(|power| 1 << power).take_while(|&count| count < cores));
        counts.extend((cores > 2).then_some(cores));
    }
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    counts.into_iter().map(|threads| pool(threads).expect("threads")).collect()
}

/// Returns whether this program was started by `cargo bench`. Under `cargo test` it only checks
/// results, with small scenes.
pub fn measuring() -> bool {
    env::args().any(|argument| argument == "--bench")
}

/// Returns the scenes to measure: those of the variable `HEXPHASE_BENCH_SCENES`, separated by
/// commas, or `default`. Under `cargo test` returns `small`.
pub fn scenes(default: &[&str], small: &[&str]) -> Vec<String> {
    let listed = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    match env::var("HEXPHASE_BENCH_SCENES") {
        _ if !measuring() => listed(small),
        Ok(names) => names.split(',').map(|name| name.trim().to_owned()).collect(),
        Err(_) => listed(default),
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Criterion, Duration, Scene, Subject, Suite, Work, black_box, estimate};

    const SCENE: Scene<'_> = Scene { name: "three:3", n: 3, work: Work::Tests(3) };
    const OURS: Subject<'_> = Subject { name: "sum", backend: "scalar", threads: 1 };

    fn suite(test: &'static str) -> Suite {
        let criterion = Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(1))
            .measurement_time(Duration::from_millis(5))
            .without_plots();
        Suite::with(test, estimate::home().join("self-test"), criterion)
    }

    fn sum(state: &mut (u64, u64)) {
        state.1 = (0..state.0).sum();
    }

    fn answer(state: &(u64, u64)) -> Answer {
        Answer::new(1, [state.1])
    }

    #[test]
    fn the_fastest_peer_on_as_many_threads_joins_ours_of_the_same_comparison() {
        let mut suite = suite("join");
        let mut one = suite.compare(SCENE, Answer::new(1, [3]));
        one.measure(OURS, || (3, 0), sum, answer);
        one.measure(Subject { threads: 2, ..OURS }, || (3, 0), sum, answer);
        one.peer("slow", || (3, 0), |state| (0..5_000).for_each(|_| sum(black_box(state))), answer);
        one.peer("fast", || (3, 0), sum, answer);
        one.measure(Subject { threads: 2, ..Subject::peer("two") }, || (3, 0), sum, answer);
        let mut other = suite.compare(Scene { name: "alone:3", ..SCENE }, Answer::new(1, [3]));
        other.measure(OURS, || (3, 0), sum, answer);

        let rows = suite.rows();
        let peers = rows.iter().map(|row| row.peer.as_ref().map(|peer| peer.0.as_str()));
        assert!(peers.eq([Some("fast"), Some("two"), None, None, None, None]));
        assert!(rows.iter().all(|row| row.ns > 0.0 && row.unit == "ns_per_test"));
        assert!(rows.iter().all(|row| row.spread.is_some_and(|spread| spread >= 0.0)));
        assert_eq!((rows[3].subject.as_str(), rows[3].backend.as_str()), ("fast", "native"));
        assert_eq!((rows[5].scene.as_str(), rows[5].pairs), ("alone:3", 1));
    }

    #[test]
    #[should_panic(expected = "sum-scalar-1 found Answer { pairs: 1")]
    fn a_wrong_answer_is_not_timed() {
        suite("wrong").compare(SCENE, Answer::new(1, [4])).measure(OURS, || (3, 0), sum, answer);
    }
}
