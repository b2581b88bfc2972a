//! Sweeps within a run that output keys find the pairs of the definition, also for indices far
//! apart.

use broadphase_core::kernel::sweep::{KeyOutput, ROOM, SPARE, WORDS, within_keys};
use broadphase_core::{Backend, Kernel, Lanes, Pair, SlabVec, Slabs, pairs};
use laws::random::Random;

/// Index at which the run starts; the entries before it are padding.
const BEGIN: usize = 24;

/// Kernel: sweeps a run with `room` words of scratch; returns the pairs.
struct Sweep<'a, const K: usize> {
    volumes: &'a SlabVec<K>,
    len: usize,
    keys: &'a [u32],
    room: usize,
}

impl<const K: usize> Kernel for Sweep<'_, K> {
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

fn random_volumes<const K: usize>(count: usize, width: u32) -> Vec<Slabs<K>> {
    let mut random = Random::new(count as u64);
    let mut draw = |below: u32| random.below(below) as i32;
    let volume = |_| {
        let mut volume = Slabs::PADDING;
        for axis in 0..K {
            volume.min[axis] = draw(if axis == 0 { width } else { 20 });
            volume.max[axis] = volume.min[axis] + draw(13);
        }
        volume
    };
    (0..count).map(volume).collect()
}

fn check_keys<const K: usize>() {
    for (count, width) in (0..40).map(|count| (count, 20)).chain([(300, 30), (300, 3000)]) {
        let (volumes, keys) = laid_out(random_volumes::<K>(count, width));
        let run = BEGIN..BEGIN + count;
        let all = run.clone().flat_map(|a| (a + 1..run.end).map(move |b| (a, b)));
        let met = all.filter(|&(a, b)| volumes.get(a).overlaps(&volumes.get(b)));
        let mut expected: Vec<Pair> = met.map(|(a, b)| pairs::pair(keys[a], keys[b])).collect();
        pairs::sort(&mut expected);
        for (backend, room) in Backend::available().flat_map(|b| [(b, ROOM), (b, WORDS)]) {
            let sweep = Sweep { volumes: &volumes, len: count, keys: &keys, room };
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
fn too_little_room_panics() {
    let (volumes, keys) = laid_out(random_volumes::<2>(9, 9));
    let room = ROOM - 1;
    Backend::detect().dispatch(Sweep { volumes: &volumes, len: 9, keys: &keys, room });
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
        let sweep = Sweep { volumes: &volumes, len, keys: &keys, room: WORDS };
        let mut found = backend.dispatch(sweep);
        pairs::sort(&mut found);
        assert!(found == expected, "{} of {} on {backend}", found.len(), expected.len());
    }
}
