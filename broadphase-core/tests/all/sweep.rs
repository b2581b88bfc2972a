//! Sweeps between two runs: the same hits whether tests often hit or not, and however often a full
//! buffer interrupts them.

use core::ops::Range;

use broadphase_core::kernel::sweep::{BetweenCursor, Picks, ROOM, Run, SPARE, between};
use broadphase_core::{Backend, Kernel, LANES, Lanes, SlabPlanes, SlabVec, Slabs};

/// No volume is longer on the first axis.
const LONGEST: i32 = 12;

/// Two runs in the same planes.
struct Runs<const K: usize> {
    volumes: SlabVec<K>,
    places: [Range<usize>; 2],
}

impl<const K: usize> Runs<K> {
    /// So many volumes each, strewn by a seed over a space that is as wide as it is told.
    fn new(counts: [usize; 2], width: u32, seed: u32) -> Self {
        let mut state = seed;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) % below) as i32
        };
        let mut volumes = SlabVec::new();
        let mut end = 0;
        let places = counts.map(|count| {
            let mut run: Vec<Slabs<K>> = Vec::new();
            for _ in 0..count {
                let mut volume = Slabs::PADDING;
                for axis in 0..K {
                    volume.min[axis] = draw(if axis == 0 { width } else { 20 });
                    volume.max[axis] = volume.min[axis] + draw(LONGEST as u32 + 1);
                }
                run.push(volume);
            }
            run.sort_by_key(|volume| volume.min[0]);
            let begin = end;
            end = begin + count + SPARE;
            run.resize(count + SPARE, Slabs::PADDING);
            run.into_iter().for_each(|volume| volumes.push(volume));
            begin..begin + count
        });
        Self { volumes, places }
    }

    fn run<'a>(&self, planes: SlabPlanes<'a, K>, which: usize) -> Run<'a, K> {
        let mut bounds = Slabs::PADDING;
        for place in self.places[which].clone() {
            let volume = self.volumes.get(place);
            for axis in 0..K {
                bounds.min[axis] = bounds.min[axis].min(volume.min[axis]);
                bounds.max[axis] = bounds.max[axis].max(volume.max[axis]);
            }
        }
        Run { planes, places: self.places[which].clone(), bounds }
    }

    /// The pairs by the definition.
    fn expected(&self) -> Vec<[u32; 2]> {
        let [ours, theirs] = &self.places;
        let all = ours.clone().flat_map(|a| theirs.clone().map(move |b| [a, b]));
        let met = all.filter(|&[a, b]| self.volumes.get(a).overlaps(&self.volumes.get(b)));
        met.map(|pair| pair.map(|place| place as u32)).collect()
    }
}

/// All hits, with room for so many at a time, and how many times that took.
struct Sweep<'a, const OFTEN: bool, const K: usize>(&'a Runs<K>, usize);

impl<const OFTEN: bool, const K: usize> Kernel for Sweep<'_, OFTEN, K> {
    type Output = (Vec<[u32; 2]>, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let Self(runs, room) = self;
        let planes = runs.volumes.planes();
        let (first, second) = (runs.run(planes, 0), runs.run(planes, 1));
        let mut picks = Picks::default();
        picks.reserve(first.places.len().max(second.places.len()), true);
        let (mut cursor, mut hits) = (BetweenCursor::default(), vec![[0; 2]; room]);
        let (mut all, mut times) = (Vec::new(), 0);
        loop {
            let early = |key: i32| key.saturating_sub(LONGEST);
            let (filled, done) = between::<OFTEN, _, _>(
                lanes,
                &first,
                &second,
                early,
                &mut picks,
                &mut cursor,
                false,
                &mut hits,
                0,
            );
            all.extend_from_slice(&hits[..filled]);
            times += 1;
            if done {
                return (all, times);
            }
        }
    }
}

fn hits_are_the_same<const K: usize>() {
    let mut interrupted = 0;
    for seed in 0..120 {
        let counts = [1 + seed as usize % 41, 1 + seed as usize * 7 % 83];
        let runs: Runs<K> = Runs::new(counts, [30, 90, 300][seed as usize % 3], seed);
        let mut expected = runs.expected();
        expected.sort_unstable();
        for backend in Backend::available() {
            let (rare, _) = backend.dispatch(Sweep::<false, K>(&runs, 4096));
            for room in [ROOM, ROOM + LANES, 4096] {
                let (often, times) = backend.dispatch(Sweep::<true, K>(&runs, room));
                assert_eq!(often, rare, "seed {seed} on {backend}, room for {room}");
                interrupted += usize::from(times > 2);
            }
            let mut sorted = rare;
            sorted.sort_unstable();
            assert_eq!(sorted, expected, "seed {seed} on {backend}");
        }
    }
    assert!(interrupted > 50, "{interrupted} sweeps that went on twice");
}

#[test]
fn hits_between_runs_are_the_same_however_they_are_written() {
    hits_are_the_same::<1>();
    hits_are_the_same::<2>();
    hits_are_the_same::<3>();
}
