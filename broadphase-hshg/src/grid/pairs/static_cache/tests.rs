//! Tests that the cache is right after any change, and is used only where it is worthwhile.

use alloc::vec::Vec;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::panic::catch_unwind;

use broadphase_core::{
    Aabb, Backend, BruteForce, IndexError, IndexObject, Motion, Pair, Scalar, SpatialIndex,
    SpatialIndexExt,
};
use laws::random::Random;

use super::SKIPPED_SWEEPS;
use crate::grid::Hshg;

type World = Hshg<f32, 2>;

/// Returns a grid with 40 × 40 discs, 8 apart; one in 20 moves.
fn world(radius: f32) -> World {
    let mut world = World::new();
    for key in 0..1600u32 {
        let middle = [(key % 40) as f32 * 8.0, (key / 40) as f32 * 8.0];
        let disc = Aabb::of_ball(middle, radius);
        world.insert(key, disc).expect("the key is unused");
        if key % 20 != 7 {
            world.set_motion(key, Motion::Static).expect("the key is known");
        }
    }
    world
}

/// Returns the velocity of a disc of [`world`].
fn velocity(key: u32) -> f32 {
    (key % 7) as f32 * 0.1 - 0.3
}

/// Returns, for each step, the number of expired entries, or `None` if the cache was not used.
fn expired(
    world: &mut World,
    ticks: u32,
    speed: f32,
    velocity: fn(u32) -> f32,
) -> Vec<Option<usize>> {
    let (mut pairs, mut again) = (Vec::new(), Vec::new());
    let tick = |tick| {
        let moved = world.update_dynamic(|key, bounds| {
            *bounds = bounds.translated([velocity(key) * speed, 0.0]);
        });
        moved.expect("bounds stay valid");
        let waited = world.static_cache.skip > 0;
        world.pairs(&mut pairs);
        world.assert_well_formed();
        let found = (world.static_cache.rows() > 0).then_some(world.static_cache.expired.len());
        assert!(!(waited && found.is_some()), "a suspended cache is not used");
        // In one step nothing moves: pairs are recorded, then replayed.
        for _ in 0..2 * u32::from(tick == ticks / 2) {
            world.pairs(&mut again);
            assert_eq!(again, pairs);
        }
        found
    };
    (0..ticks).map(tick).collect()
}

#[test]
fn slow_movers_rarely_refill() {
    let mut world = world(3.0);
    let looked = expired(&mut world, 40, 1.0, velocity);
    let begin = looked.iter().position(Option::is_some).expect("the cache is used at some step");
    assert!(begin < 8 && looked[begin] == Some(80), "all entries expire at first: {looked:?}");
    let later: usize =
        looked[begin + 1..].iter().map(|found| found.expect("the cache is used")).sum();
    assert!((1..400).contains(&later), "later few entries expire per step: {later}");
}

#[test]
fn fast_movers_suspend_the_cache() {
    let mut world = world(3.0);
    let looked = expired(&mut world, 100, 40.0, velocity);
    let count = looked.iter().flatten().count();
    assert!((2..20).contains(&count), "{count} times: {looked:?}");
    assert!(world.static_cache.skip_next > 2 * SKIPPED_SWEEPS[0]);
}

#[test]
fn dense_neighborhoods_are_not_cached() {
    // With one radius, a lookup of neighbors exceeds its limit on work; with the other, its limit
    // on the number of neighbors.
    for radius in [60.0, 7.0] {
        let mut world = world(radius);
        assert!(expired(&mut world, 12, 1.0, velocity).iter().all(Option::is_none));
        assert_eq!(world.static_cache.skip_next, 2 * SKIPPED_SWEEPS[0], "the cache was tried");
    }
}

#[test]
fn many_movers_disable_the_cache() {
    let mut world = world(3.0);
    for key in (0..1600).filter(|key| key % 4 == 0) {
        world.set_motion(key, Motion::Dynamic).expect("the key is known");
    }
    assert!(expired(&mut world, 12, 1.0, velocity).iter().all(Option::is_none));
    assert_eq!(world.static_cache.skip_next, SKIPPED_SWEEPS[0], "the cache was not tried");
}

#[test]
fn large_movers_bypass_the_cache() {
    let mut world = world(3.0);
    world.insert(9000, Aabb::of_ball([150.0, 150.0], 140.0)).expect("the key is unused");
    let velocity = |key| if key == 9000 { 0.1 } else { velocity(key) };
    let looked = expired(&mut world, 40, 1.0, velocity);
    assert!(looked[8..].iter().all(Option::is_some), "the other movers use the cache: {looked:?}");
    let neighbors = &world.static_cache.neighbors;
    assert!(
        (80..800).contains(&neighbors.len()),
        "movers have few static neighbors: {}",
        neighbors.len()
    );
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    assert!(
        pairs.iter().filter(|pair| pair[1] == 9000).count() > 800,
        "the large mover overlaps many"
    );
}

struct Game<S, const D: usize> {
    world: Hshg<S, D>,
    oracle: BruteForce<S, D>,
    random: Random,
    /// On average, one of this many boxes reaches to the largest or smallest number.
    rare: u32,
    /// The next unused key.
    next: u32,
}

/// Moves an object by −1, 0 or 1 on each axis.
fn step<S: Scalar, const D: usize>(key: u32, bounds: &mut Aabb<S, D>) {
    let Aabb { min, max } = bounds;
    for (axis, (min, max)) in min.iter_mut().zip(max).enumerate() {
        let velocity = S::from_f64(f64::from((key >> (2 * axis)) % 3) - 1.0);
        // Boxes that reach to the largest or smallest number do not move.
        if *min > S::MIN && *max < S::MAX {
            (*min, *max) = (min.plus(velocity), max.plus(velocity));
        }
    }
}

impl<S: Scalar, const D: usize> Game<S, D> {
    fn draw(&mut self, below: u32) -> u32 {
        self.random.below(below)
    }

    /// Returns random bounds, some reaching to the largest or smallest number, some with equal low
    /// ends.
    fn bounds(&mut self) -> Aabb<S, D> {
        // Sides chosen so that some boxes overlap in each dimension.
        let side = [6000, 260, 80][D - 1];
        let mut bounds = Aabb::point([S::ZERO; D]);
        for axis in 0..D {
            let at = if self.draw(8) == 0 { 9 } else { self.draw(side) };
            let min = S::from_f64(f64::from(at) - f64::from(side / 2));
            let size = S::from_f64(f64::from(1 + self.draw(8)));
            (bounds.min[axis], bounds.max[axis]) = (min, min.plus(size));
        }
        match self.draw(self.rare) {
            0 => bounds.min[0] = S::MIN,
            1 => bounds.max[D - 1] = S::MAX,
            2 => bounds.max = bounds.min,
            _ => {}
        }
        bounds
    }

    /// Applies a change to the grid and to the oracle.
    fn change(&mut self, change: impl Fn(&mut dyn SpatialIndex<S, D>) -> Result<(), IndexError>) {
        change(&mut self.world).expect("the change is valid");
        change(&mut self.oracle).expect("the change is valid");
    }

    fn insert(&mut self, motion: Motion) {
        let object = IndexObject::new(self.next, self.bounds()).motion(motion);
        self.next += 1;
        self.change(|index| index.insert_many(&[object]));
    }

    /// Returns the key of a random object of a motion class.
    fn any(&mut self, motion: Motion) -> u32 {
        loop {
            let key = self.draw(self.next);
            if self.oracle.get(key).is_some_and(|object| object.motion == motion) {
                return key;
            }
        }
    }

    fn set_bounds(&mut self, key: u32) {
        let bounds = self.bounds();
        self.change(|index| index.set_bounds(key, bounds));
    }

    fn set_motion(&mut self, key: u32, motion: Motion) {
        self.change(|index| index.set_motion(key, motion));
    }

    fn remove(&mut self, key: u32) {
        self.change(|index| index.remove_many(&[key]));
    }

    /// Runs an operation that changes no object.
    fn maintain(&mut self, what: u32) {
        match what {
            0 => self.world.optimize(),
            1 => self.world.shrink_to_fit(),
            2 => self.world = self.world.clone(),
            3 => {
                let kept = self.world.update_dynamic(|_, _| ());
                kept.expect("no bounds are changed");
            }
            4 => {
                self.world.clear();
                let objects = self.oracle.keys().into_iter().filter_map(|key| self.oracle.get(key));
                self.world.insert_many(&objects.collect::<Vec<_>>()).expect("keys differ");
            }
            5 => {
                let mut left = 3;
                let walk = || {
                    self.world.update_dynamic(|_, _| {
                        left -= 1;
                        assert!(left > 0, "interrupts the walk");
                    })
                };
                catch_unwind(AssertUnwindSafe(walk)).expect_err("the closure panics");
            }
            _ => {
                let accept = |_, _| panic!("interrupts the search");
                let pairs = || self.world.pairs_where(accept, &mut Vec::new());
                let _ = catch_unwind(AssertUnwindSafe(pairs));
            }
        }
    }

    /// Returns the pairs; `way` selects one of four ways to find them.
    fn pairs(&mut self, way: u32) -> Vec<Pair> {
        let mut pairs = Vec::new();
        match way {
            0 => self.world.pairs(&mut pairs),
            1 => self.world.pairs_unordered(&mut pairs),
            2 => self.world.pairs_where(|_, _| true, &mut pairs),
            _ => {
                // The first search stops after a few pairs.
                let left = AtomicU32::new(5);
                let accept = |_, _| {
                    assert!(left.fetch_sub(1, Relaxed) > 0, "interrupts the search");
                    true
                };
                let search = || self.world.pairs_where(accept, &mut Vec::new());
                let _ = catch_unwind(AssertUnwindSafe(search));
                self.world.pairs_unordered(&mut pairs);
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

/// Runs 80 steps: all dynamic objects move, a dynamic object changes in every third step, and a
/// static one in every sixteenth. Returns the number of steps in which the cache had neighbors, and
/// the number of steps in which static rows had an index.
fn play<S: Scalar, const D: usize>(backend: Backend, rare: u32) -> [usize; 2] {
    let (world, oracle, random) = (Hshg::new(), BruteForce::new(), Random::new(rare.into()));
    let mut game: Game<S, D> = Game { world, oracle, random, rare, next: 0 };
    game.world.set_backend(backend);
    for key in 0..260 {
        game.insert(if key % 16 == 5 { Motion::Dynamic } else { Motion::Static });
    }
    let [mut remembered, mut indexed] = [0; 2];
    for tick in 0..80 {
        game.change(|index| index.update_dynamic(step));
        let mover = game.any(Motion::Dynamic);
        match (tick % 3, game.draw(5)) {
            (0, 0) => game.set_bounds(mover),
            (0, 1) => {
                game.remove(mover);
                game.insert(Motion::Dynamic);
            }
            (0, 2) => game.insert(Motion::Dynamic),
            (0, 3) => game.set_motion(mover, Motion::Sleeping),
            (1, 0) => {
                let what = game.draw(7);
                game.maintain(what);
            }
            _ => {}
        }
        let rests = game.any(Motion::Static);
        match (tick % 16, game.draw(4)) {
            (12, 0) => game.set_bounds(rests),
            (12, 1) => game.remove(rests),
            (12, 2) => game.insert(Motion::Static),
            (12, _) => {
                game.set_motion(rests, Motion::Dynamic);
                let mover = game.any(Motion::Dynamic);
                game.set_motion(mover, Motion::Static);
            }
            _ => {}
        }
        let way = game.draw(4);
        let (pairs, mut expected) = (game.pairs(way), Vec::new());
        game.oracle.pairs(&mut expected);
        assert_eq!(pairs, expected, "tick {tick} on {backend}, way {way}");
        game.world.assert_well_formed();
        remembered += usize::from(!game.world.static_cache.neighbors.is_empty());
        indexed += usize::from(!game.world.row_pairs.row_index.is_empty());
    }
    [remembered, indexed]
}

/// Unit tests use grids of these three types: each further type would take 8 s to compile. The law
/// suite has all types.
#[test]
fn cached_and_indexed_pairs_equal_brute_force() {
    let plays = [play::<i32, 1>, play::<f32, 2>, play::<f64, 3>];
    for backend in Backend::available() {
        // With many boxes that reach to the largest number, there are too many neighbors to cache.
        for (rare, least) in [(1000, 25), (60, 4), (12, 0)] {
            let ticks = plays.map(|play| play(backend, rare));
            assert!(ticks.iter().all(|&[cached, _]| cached >= least), "{ticks:?}, {rare}");
            assert!(ticks.iter().map(|&[_, indexed]| indexed).sum::<usize>() > 80, "{ticks:?}");
        }
    }
}
