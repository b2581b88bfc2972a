//! Sweeps between two runs: the hits are the same whether tests often hit or not, and however often
//! a full buffer interrupts the sweep. Sweeps within a run that output keys find the pairs of the
//! definition, also for indices far apart.

use core::ops::Range;

use broadphase_core::kernel::sweep::{
    BetweenCursor, KeyOutput, Picks, ROOM, Reach, RowIndex, RowIndexes, Run, SPARE, WORDS, between,
    within_keys,
};
use broadphase_core::{
    Aabb, Backend, Kernel, Keys, LANES, Lanes, Pair, Scalar, SlabPlanes, SlabVec, Slabs, pairs,
};
use laws::random::Random;

const LONGEST: i32 = 12;

fn random_volumes<const K: usize>(random: &mut Random, count: usize, width: u32) -> Vec<Slabs<K>> {
    let mut draw = |below: u32| random.below(below) as i32;
    let volume = |_| {
        let mut volume = Slabs::PADDING;
        for axis in 0..K {
            volume.min[axis] = draw(if axis == 0 { width } else { 20 });
            volume.max[axis] = volume.min[axis] + draw(LONGEST as u32 + 1);
        }
        volume
    };
    (0..count).map(volume).collect()
}

/// Volumes in common planes, and the index ranges of two runs of them.
struct Runs<const K: usize> {
    volumes: SlabVec<K>,
    places: [Range<usize>; 2],
}

impl<const K: usize> Runs<K> {
    /// Creates two runs with random volumes, spread over `width` on the first axis.
    fn new(counts: [usize; 2], width: u32, seed: u32) -> Self {
        let mut random = Random::new(u64::from(seed));
        Self::of(counts.map(|count| random_volumes(&mut random, count, width)))
    }

    /// Sorts two runs and lays them out with padding.
    fn of(runs: [Vec<Slabs<K>>; 2]) -> Self {
        let mut volumes = SlabVec::new();
        let places = runs.map(|mut run| {
            run.sort_by_key(|volume| volume.min[0]);
            let begin = volumes.len();
            run.iter().chain(&[Slabs::PADDING; SPARE]).for_each(|&volume| volumes.push(volume));
            begin..begin + run.len()
        });
        Self { volumes, places }
    }

    fn bounds(&self, which: usize) -> Slabs<K> {
        let mut bounds = Slabs::PADDING;
        for place in self.places[which].clone() {
            let volume = self.volumes.get(place);
            for axis in 0..K {
                bounds.min[axis] = bounds.min[axis].min(volume.min[axis]);
                bounds.max[axis] = bounds.max[axis].max(volume.max[axis]);
            }
        }
        bounds
    }

    fn run<'a>(&self, planes: SlabPlanes<'a, K>, which: usize) -> Run<'a, K> {
        let (places, bounds) = (self.places[which].clone(), self.bounds(which));
        Run { planes, places, bounds, row_index: None }
    }

    /// Builds a row index for the second run, whose coordinates may be integers.
    fn row_indexes(&self, backend: Backend, integer: bool) -> RowIndexes {
        let (mut row_indexes, bounds) = (RowIndexes::default(), self.bounds(1));
        let order = &self.volumes.planes().min[0][self.places[1].clone()];
        row_indexes.push(backend, order, [bounds.min[0], bounds.max[0]], integer);
        row_indexes
    }

    /// Returns the pairs found by testing every volume of the first run with every volume of the
    /// second.
    fn expected(&self) -> Vec<[u32; 2]> {
        let [ours, theirs] = &self.places;
        let all = ours.clone().flat_map(|a| theirs.clone().map(move |b| [a, b]));
        let met = all.filter(|&[a, b]| self.volumes.get(a).overlaps(&self.volumes.get(b)));
        met.map(|pair| pair.map(|place| place as u32)).collect()
    }
}

/// Kernel: sweeps the two runs against each other, calling `between` with a hit buffer of this size
/// until the sweep ends. Returns all hits with the number of tests, and the number of calls. If row
/// indexes are given, the second run uses the first of them. `often` is as in `write_pairs`.
struct Sweep<'a, const K: usize> {
    often: bool,
    runs: &'a Runs<K>,
    room: usize,
    row_indexes: Option<&'a RowIndexes>,
    reach: Reach,
}

impl<const K: usize> Kernel for Sweep<'_, K> {
    type Output = ((Vec<[u32; 2]>, u64), usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let Self { often, runs, room, row_indexes, reach } = self;
        let planes = runs.volumes.planes();
        let (first, mut second) = (runs.run(planes, 0), runs.run(planes, 1));
        second.row_index = row_indexes.map(|row_indexes| row_indexes.get(0));
        let mut picks = Picks::default();
        picks.reserve(first.places.len().max(second.places.len()), true);
        let (mut cursor, mut hits) = (BetweenCursor::default(), vec![[0; 2]; room]);
        let (mut all, mut times) = (Vec::new(), 0);
        loop {
            let (filled, done) = between(
                lanes,
                often,
                &first,
                &second,
                reach,
                &mut picks,
                &mut cursor,
                false,
                &mut hits,
                0,
            );
            all.extend_from_slice(&hits[..filled]);
            times += 1;
            if done {
                return ((all, cursor.tests), times);
            }
        }
    }
}

fn check_hits<const K: usize>() {
    let mut interrupted = [0; 2];
    for seed in 0..120 {
        // In every fourth case, sweep few volumes against many.
        let many = if seed % 4 == 0 { 1200 } else { 0 };
        let counts = [1 + seed as usize % 41, 1 + seed as usize * 7 % 83 + many];
        let runs: Runs<K> = Runs::new(counts, [30, 90, 300][seed as usize % 3], seed);
        let mut expected = runs.expected();
        expected.sort_unstable();
        let mut tests = [None; 2];
        for backend in Backend::available() {
            let row_indexes = runs.row_indexes(backend, true);
            for row_indexes in [None, Some(&row_indexes)] {
                let reach = Reach::new(LONGEST.into(), true);
                let sweep = |often, room| Sweep { often, runs: &runs, room, row_indexes, reach };
                let (rare, _) = backend.dispatch(sweep(false, 4096));
                let (often, _) = backend.dispatch(sweep(true, 4096));
                for room in [ROOM, ROOM + LANES] {
                    let what = format!("seed {seed} on {backend}, room for {room}");
                    let (found, times) = backend.dispatch(sweep(false, room));
                    assert!(found == rare, "{what}");
                    let (found, _) = backend.dispatch(sweep(true, room));
                    assert!(found == often, "{what}, often");
                    interrupted[usize::from(row_indexes.is_some())] += usize::from(times > 2);
                }
                // With a row index the order of hits may differ.
                assert!(row_indexes.is_some() || rare.0 == often.0, "seed {seed} on {backend}");
                let counts = [rare.1, often.1];
                let tests = tests[usize::from(row_indexes.is_some())].get_or_insert(counts);
                assert_eq!(counts, *tests, "seed {seed} on {backend}");
                for (mut found, tests) in [rare, often] {
                    found.sort_unstable();
                    assert!(found == expected, "seed {seed} on {backend}");
                    assert!(tests >= found.len() as u64, "seed {seed}: {tests} tests");
                }
            }
        }
    }
    assert!(
        interrupted.iter().all(|&times| times > 50),
        "{interrupted:?} sweeps were interrupted twice"
    );
}

#[test]
fn hits_between_runs_do_not_depend_on_the_path_taken() {
    check_hits::<1>();
    check_hits::<2>();
    check_hits::<3>();
}

fn check_row_indexes<S: Scalar>(starts: &[S], length: S) {
    check_row_indexes_on_axes::<S, 1>(starts, length);
    check_row_indexes_on_axes::<S, 2>(starts, length);
    check_row_indexes_on_axes::<S, 3>(starts, length);
}

/// Checks row indexes for volumes that each begin at the same coordinate on all axes.
fn check_row_indexes_on_axes<S: Scalar, const K: usize>(starts: &[S], length: S) {
    let volume = |&start: &S| Aabb::new([start; K], [start.plus(length); K]).slabs();
    let mut run: Vec<Slabs<K>> = starts.iter().map(volume).collect();
    run.sort_unstable_by_key(|volume| volume.min[0]);
    let few = run.iter().step_by(run.len() / 9).copied().collect();
    let runs = Runs::of([few, run]);
    let expected = runs.expected();
    for backend in Backend::available() {
        let row_indexes = runs.row_indexes(backend, S::INTEGER);
        for extent in [length.to_f64() * 1.000_001, f64::INFINITY] {
            for row_indexes in [None, Some(&row_indexes)] {
                let reach = Reach::new(extent, S::INTEGER);
                let sweep = Sweep { often: false, runs: &runs, room: 100_000, row_indexes, reach };
                let ((hits, _), _) = backend.dispatch(sweep);
                let is_indexed = row_indexes.is_some();
                assert_eq!(hits, expected, "{} on {backend}, indexed: {is_indexed}", S::NAME);
            }
        }
    }
}

#[test]
fn guided_sweeps_find_all_pairs() {
    let count = 900;
    let at = |index: i32| f64::from(index * index % 10_007);
    let even: Vec<f32> = (0..count).map(|index| at(index) as f32 - 5000.0).collect();
    check_row_indexes(&even, 16.0);
    check_row_indexes(&even, 0.0);
    check_row_indexes(&vec![7.5f32; 700], 1.0);
    let crowded: Vec<f32> =
        (0..count).map(|index| if index % 2 == 0 { 3.25 } else { at(index) as f32 }).collect();
    check_row_indexes(&crowded, 2.0);
    let far = |index: i32| (index as f32 / count as f32 * 2.0 - 1.0) * f32::MAX;
    check_row_indexes(&(0..count).map(far).collect::<Vec<f32>>(), 1e36);
    let tiny = |index: i32| f32::from_bits(index as u32 * 3);
    check_row_indexes(&(0..count).map(tiny).collect::<Vec<f32>>(), f32::from_bits(40));
    let outlier = |index: i32| if index == 5 { f32::MAX } else { at(index) as f32 };
    check_row_indexes(&(0..count).map(outlier).collect::<Vec<f32>>(), 4.0);
    let narrow: Vec<f64> = (0..count).map(|index| 1e9 + at(index) * 1e-3).collect();
    check_row_indexes(&narrow, 0.01);
    let whole = |index: i32| ((i64::from(index) * 4_771_000) + i64::from(i32::MIN)) as i32;
    check_row_indexes(&(0..count).map(whole).collect::<Vec<i32>>(), 20_000_000);
    check_row_indexes(&(0..count).map(whole).collect::<Vec<i32>>(), i32::MAX);
}

/// Kernel: looks up eight keys in the row index, together and one by one. Returns these indices,
/// and the lower bounds from which volumes that reach the keys can begin.
struct Lead<'a>(RowIndex<'a>, Reach, [i32; LANES]);

impl Kernel for Lead<'_> {
    type Output = (Option<[usize; LANES]>, [Option<usize>; LANES], [i32; LANES]);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let Self(row_index, reach, keys) = self;
        let one = keys.map(|key| row_index.place(lanes, key));
        let keys = lanes.load(&keys);
        (row_index.places(lanes, keys), one, lanes.store(reach.earliest_of(lanes, keys)))
    }
}

/// Returns keys over the whole number range: close to keys of `order`, at its end, and at the ends
/// of the range.
fn keys(order: &[i32]) -> [i32; 4 * LANES] {
    let mut keys = [0; 4 * LANES];
    for (index, key) in keys.iter_mut().enumerate() {
        let picked = order[(index * order.len() / 20).min(order.len() - 1)];
        *key = match index {
            0..24 => picked.saturating_add(index as i32 % 3 - 1),
            24 => i32::MIN,
            25 => i32::MAX,
            26 => f32::MIN_KEY - 2,
            27 => f32::MAX_KEY + 1,
            28 => order[order.len() - 1],
            _ => index as i32 - 30,
        };
    }
    keys
}

#[test]
fn guides_and_reach_are_correct() {
    for integer in [false, true] {
        let even: Vec<i32> = (0..5000).map(|x| (x as f32 * 3.0 - 7000.0).key_below()).collect();
        let whole: Vec<i32> = (0..5000).map(|x| x * 400_000 - 1_000_000_000).collect();
        let order = if integer { &whole } else { &even };
        for (backend, keys) in Backend::available()
            .flat_map(|b| keys(order).as_chunks().0.to_vec().into_iter().map(move |k| (b, k)))
        {
            let mut row_indexes = RowIndexes::default();
            row_indexes.push(backend, order, [order[0], order[order.len() - 1]], integer);
            for extent in [0.0, 1.0, 16.5, 3e7, 2e9, 2.2e9, 4.4e9, 1e38, f64::INFINITY] {
                let reach = Reach::new(extent, integer);
                let (places, one, early) = backend.dispatch(Lead(row_indexes.get(0), reach, keys));
                let places = places.expect("no crowded step");
                assert_eq!(places.map(Some), one);
                for lane in 0..LANES {
                    let before = order.partition_point(|&key| key < keys[lane]);
                    let (place, key) = (places[lane], keys[lane]);
                    assert!(place <= before && before - place <= 32, "{place} for {key}");
                    let one = reach.earliest(key);
                    let is_far = integer && extent >= 2_147_483_647.0;
                    let expected = if is_far { i32::MIN } else { one };
                    assert_eq!(early[lane], expected, "{key} with {extent} on {backend}");
                    assert!(early[lane] <= one);
                }
            }
        }
    }
}

/// Index at which the run starts; the entries before it are padding.
const BEGIN: usize = 24;

/// Kernel: sweeps a run with `room` words of scratch; returns the pairs.
struct WithinKeys<'a, const K: usize> {
    volumes: &'a SlabVec<K>,
    len: usize,
    keys: &'a [u32],
    room: usize,
}

impl<const K: usize> Kernel for WithinKeys<'_, K> {
    type Output = Vec<Pair>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Vec<Pair> {
        let Self { volumes, len, keys, room } = self;
        let (mut words, mut found, mut hits) = (vec![0; room], vec![[1, 2]], [[0; 2]; ROOM]);
        let mut output = KeyOutput { keys, words: &mut words, found: &mut found };
        let run = BEGIN..BEGIN + len;
        let lags = within_keys(lanes, &volumes.planes(), run, &mut hits, &mut output);
        assert!(lags as usize >= len / 8);
        assert_eq!(found.remove(0), [1, 2], "earlier pairs are kept");
        found
    }
}

/// Sorts a run and lays it out with padding; returns the volumes and the keys by index.
fn laid_out<const K: usize>(mut run: Vec<Slabs<K>>) -> (SlabVec<K>, Vec<u32>) {
    run.sort_by_key(|volume| volume.min[0]);
    let mut volumes = SlabVec::new();
    let padding = |count: usize| core::iter::repeat_n(Slabs::PADDING, count);
    let all = padding(BEGIN).chain(run).chain(padding(SPARE));
    all.for_each(|volume| volumes.push(volume));
    // Keys below and above 2^31, unordered.
    let keys = (0..volumes.len() as u32).map(|place| place.wrapping_mul(0x9E37_79B9)).collect();
    (volumes, keys)
}

fn check_keys<const K: usize>() {
    for (count, width) in (0..40).map(|count| (count, 20)).chain([(300, 30), (300, 3000)]) {
        let mut run = random_volumes::<K>(&mut Random::new(count as u64), count, width);
        if K > 1 {
            // On the first axis these overlap the padding.
            run.iter_mut().step_by(9).for_each(|volume| volume.max[0] = i32::MAX);
        }
        let (volumes, keys) = laid_out(run);
        let run = BEGIN..BEGIN + count;
        let all = run.clone().flat_map(|a| (a + 1..run.end).map(move |b| (a, b)));
        let met = all.filter(|&(a, b)| volumes.get(a).overlaps(&volumes.get(b)));
        let mut expected: Vec<Pair> = met.map(|(a, b)| pairs::pair(keys[a], keys[b])).collect();
        pairs::sort(&mut expected);
        for (backend, room) in Backend::available().flat_map(|b| [(b, ROOM), (b, WORDS)]) {
            let sweep = WithinKeys { volumes: &volumes, len: count, keys: &keys, room };
            let mut found = backend.dispatch(sweep);
            pairs::sort(&mut found);
            assert_eq!(found, expected, "{count} over {width} on {backend}");
        }
    }
}

#[test]
fn keys_of_all_pairs_within_a_run_are_appended() {
    check_keys::<1>();
    check_keys::<2>();
    check_keys::<3>();
}

#[test]
#[should_panic(expected = "room for the hits of one round")]
fn too_little_room_for_keys_panics() {
    let (volumes, keys) = laid_out(random_volumes::<2>(&mut Random::new(9), 9, 9));
    let room = ROOM - 1;
    Backend::detect().dispatch(WithinKeys { volumes: &volumes, len: 9, keys: &keys, room });
}

#[test]
fn indices_may_be_farther_apart_than_half_a_word() {
    const COUNT: i32 = (1 << 16) + 3000;
    // Neighbors touch. Five of the first volumes are below all others and as long as the run; they
    // overlap each other and three tall ones near its end.
    let mut run: Vec<Slabs<2>> =
        (0..COUNT).map(|n| Slabs { min: [n, 0], max: [n + 1, 0] }).collect();
    for n in [0, 3, 7, 8, 900] {
        run[n as usize] = Slabs { min: [n, -9], max: [COUNT, -9] };
    }
    for n in [COUNT - 1, COUNT - 20, COUNT - 500] {
        run[n as usize] = Slabs { min: [n, -9], max: [n, 0] };
    }
    let (volumes, keys) = laid_out(run);
    let place = |n: i32| BEGIN + n as usize;
    let low = [0, 3, 7, 8, 900];
    let tall = [COUNT - 1, COUNT - 20, COUNT - 500];
    let mut expected: Vec<Pair> = Vec::new();
    let mut meet = |a: i32, b: i32| expected.push(pairs::pair(keys[place(a)], keys[place(b)]));
    for (index, &a) in low.iter().enumerate() {
        low[index + 1..].iter().chain(&tall).for_each(|&b| meet(a, b));
    }
    // On the first axis a tall volume is a point: it touches the previous volume but not the next.
    for n in (0..COUNT - 1).filter(|n| !low.contains(n) && !low.contains(&(n + 1))) {
        if !tall.contains(&n) {
            meet(n, n + 1);
        }
    }
    pairs::sort(&mut expected);
    for backend in Backend::available() {
        let len = COUNT as usize;
        let sweep = WithinKeys { volumes: &volumes, len, keys: &keys, room: WORDS };
        let mut found = backend.dispatch(sweep);
        pairs::sort(&mut found);
        assert!(found == expected, "{} of {} on {backend}", found.len(), expected.len());
    }
}
