//! Replays a trace in a world and measures the time.

use alloc::vec::Vec;
use core::time::Duration;
use std::time::Instant;

use broadphase_core::{Aabb, Number, Scalar, SearchStats};

use super::trace::{Tick, Trace};
use crate::{BroadPhase, Handle, Object, Options};

/// Panic message: a replay needs only the memory that the recorded world needed.
const ENOUGH_MEMORY: &str = "not enough memory to replay the trace";

/// Measurements of one setting.
#[derive(Clone, Debug)]
pub(super) struct Measurements<S> {
    /// Time of each tick, per round.
    times: Vec<Vec<Duration>>,
    /// Number of pairs and fingerprint of the pairs, per tick.
    pairs: Vec<(usize, u64)>,
    /// Bytes allocated by the world after the last tick.
    pub(super) bytes: usize,
    /// Cell size of the world after the last tick, if all cells have one size.
    pub(super) cell: Option<S>,
    /// Numbers of tests and hits in the last search for pairs that made any tests.
    pub(super) search: Option<SearchStats>,
}

impl<S> Default for Measurements<S> {
    fn default() -> Self {
        Self { times: Vec::new(), pairs: Vec::new(), bytes: 0, cell: None, search: None }
    }
}

impl<S: Scalar> Measurements<S> {
    /// Replays the trace in a new world. The first replay also records the other measurements.
    pub(super) fn replay<const D: usize>(&mut self, trace: &Trace<S, D>, options: Options<S, D>)
    where
        S: Number,
    {
        let first = self.times.is_empty();
        let mut replay = Replay::new(options);
        let mut times = Vec::with_capacity(trace.ticks.len());
        for tick in &trace.ticks {
            times.push(replay.tick(tick));
            if first {
                self.pairs.push(replay.fingerprint());
                self.search = replay.world.stats().search.or(self.search);
            }
        }
        if first {
            self.bytes = replay.world.stats().bytes;
            self.cell = replay.world.choice().cell;
        }
        self.times.push(times);
    }

    /// Returns whether two settings found the same pairs in every tick.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.pairs == other.pairs
    }

    /// Returns the mean number of pairs per tick.
    pub(super) fn pairs_per_tick(&self) -> f64 {
        let pairs: usize = self.pairs.iter().map(|&(count, _)| count).sum();
        pairs as f64 / self.pairs.len().max(1) as f64
    }

    /// Returns the median time over all rounds, per tick.
    pub(super) fn medians(&self) -> Vec<Duration> {
        let ticks = self.times.first().map_or(0, Vec::len);
        let median = |tick: usize| {
            let mut times: Vec<_> = self.times.iter().map(|round| round[tick]).collect();
            times.sort_unstable();
            times[times.len() / 2]
        };
        (0..ticks).map(median).collect()
    }
}

/// A world in which a trace is replayed. User data: the slot in the trace.
struct Replay<S, const D: usize> {
    world: BroadPhase<S, D, u32>,
    /// Handles by slot of the trace.
    handles: Vec<Option<Handle>>,
    bounds: Vec<Option<Aabb<S, D>>>,
}

impl<S: Number, const D: usize> Replay<S, D> {
    fn new(options: Options<S, D>) -> Self {
        let world = BroadPhase::with_options(options);
        Self { world, handles: Vec::new(), bounds: Vec::new() }
    }

    /// Applies the changes of a tick and steps. Returns the elapsed time.
    fn tick(&mut self, tick: &Tick<S, D>) -> Duration {
        let last = tick.inserted.last().map_or(0, |&(slot, _)| slot as usize + 1);
        let slots = self.handles.len().max(last);
        self.handles.resize(slots, None);
        self.bounds.resize(slots, None);
        for &(slot, item) in &tick.inserted {
            self.bounds[slot as usize] = Some(item.bounds);
        }
        for &(slot, to) in &tick.moved {
            self.bounds[slot as usize] = Some(to);
        }
        let begun = Instant::now();
        self.apply(tick);
        self.world.step();
        begun.elapsed()
    }

    fn apply(&mut self, tick: &Tick<S, D>) {
        let Self { world, handles, bounds } = self;
        for &slot in &tick.removed {
            if let Some(object) = handles[slot as usize].take() {
                world.remove(object);
            }
        }
        for &(slot, item) in &tick.inserted {
            let object = world.insert_object(
                Object::new(item.bounds, slot).motion(item.motion).filter(item.filter),
            );
            let object = object.expect(ENOUGH_MEMORY);
            if item.swept {
                world.set_swept(object, true).expect(ENOUGH_MEMORY);
            }
            handles[slot as usize] = Some(object);
        }
        for &(slot, item) in &tick.altered {
            if let Some(object) = handles[slot as usize] {
                world.set_motion(object, item.motion).expect(ENOUGH_MEMORY);
                world.set_filter(object, item.filter).expect(ENOUGH_MEMORY);
                world.set_swept(object, item.swept).expect(ENOUGH_MEMORY);
            }
        }
        let follow = |_, &mut slot: &mut u32, place: &mut Aabb<S, D>| {
            if let Some(bounds) = bounds[slot as usize] {
                *place = bounds;
            }
        };
        if tick.walks {
            return world.update_dynamic(follow).expect(ENOUGH_MEMORY);
        }
        for &(slot, to) in &tick.moved {
            if let Some(object) = handles[slot as usize] {
                world.set_bounds(object, to).expect(ENOUGH_MEMORY);
            }
        }
    }

    /// Returns the number of pairs and a fingerprint: the sum of the hashes of all pairs,
    /// independent of their order. Different sets have equal fingerprints with negligible
    /// probability.
    fn fingerprint(&self) -> (usize, u64) {
        let pairs = self.world.pairs();
        let scrambled = pairs.map(|overlap| {
            let [a, b] = overlap.users;
            mix(u64::from(a.min(b)) << 32 | u64::from(a.max(b)))
        });
        (self.world.pairs().len(), scrambled.fold(0, u64::wrapping_add))
    }
}

/// Returns a hash: the finalizer of splitmix64. Source: Sebastiano Vigna, splitmix64.c.
const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use broadphase_core::{Filter, Motion};

    use super::*;

    /// Returns the pairs of a replayed world, as slots of the trace, ascending.
    fn pairs(replay: &Replay<f32, 2>) -> Vec<[u32; 2]> {
        let mut pairs: Vec<_> = replay.world.pairs().map(|overlap| overlap.users).collect();
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn a_replay_reproduces_the_world() {
        let mut world: BroadPhase<f32, 2> = BroadPhase::new();
        let mut trace = Trace::default();
        let mut all: Vec<_> = (0..40)
            .map(|x| world.insert(Aabb::around([2.0 * x as f32, 0.0], [1.5; 2]), ()).unwrap())
            .collect();
        // Leave a slot free when the trace begins, to be used in a later tick.
        world.remove(all[3]);
        let mut replay = Replay::new(Options::new());
        for tick in 0..42u32 {
            let object = all[(11 * tick % 40) as usize];
            match tick % 7 {
                0 => drop(world.remove(object)),
                1 => all.push(world.insert(Aabb::new([9.0, 0.0], [12.0, 1.0]), ()).unwrap()),
                2 => drop(world.set_motion(object, Motion::Static)),
                3 => drop(world.set_filter(object, Filter::NONE)),
                4 => drop(world.set_bounds(object, Aabb::new([0.0; 2], [9.0, 1.0]))),
                5 => drop(world.set_swept(object, true)),
                _ => {
                    let left = |bounds: &mut Aabb| *bounds = bounds.translated([-1.0, 0.0]);
                    world.update(|_, (), bounds| left(bounds)).unwrap();
                }
            }
            world.step();
            trace.record(&world);
            replay.tick(trace.ticks.last().unwrap());
            let slots = |handles: [Handle; 2]| handles.map(Handle::index);
            let expected: Vec<_> = world.pairs().map(|overlap| slots(overlap.handles)).collect();
            assert_eq!(pairs(&replay), expected, "tick {tick}");
        }
    }

    #[test]
    fn different_pairs_have_different_fingerprints() {
        let fingerprint = |places: [u8; 4]| {
            let mut trace = Trace::<f32, 2>::default();
            trace.push(places.map(|x| Aabb::point([f32::from(x), 0.0]))).unwrap();
            let mut measured = Measurements::default();
            measured.replay(&trace, Options::new());
            measured
        };
        let one = fingerprint([0, 0, 1, 2]);
        assert!(one.agrees(&fingerprint([5, 5, 9, 7])));
        assert!(!one.agrees(&fingerprint([0, 1, 0, 2])), "the same number of other pairs");
        assert!(!one.agrees(&fingerprint([0, 0, 0, 2])));
        assert_eq!(one.pairs_per_tick(), 1.0);
    }

    #[test]
    fn medians_are_taken_per_tick() {
        let round = |times: [u64; 2]| times.map(Duration::from_nanos).to_vec();
        let times = Vec::from([round([5, 10]), round([900, 12]), round([7, 11])]);
        let measured = Measurements::<f32> { times, ..Measurements::default() };
        assert_eq!(measured.medians(), round([7, 11]));
    }
}
