//! `SnapshotRing`: worlds and the program's own state, rewound together.

use hexphase::{Aabb, BroadPhase, Handle, Plain, SnapshotError, SnapshotRing, plain};
use proptest::prelude::*;

type World = BroadPhase<f32, 2, [f32; 2]>;

plain! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Timer {
        object: Handle,
        ticks: u8,
    }
}

/// A simulation whose state is partly outside of the world: a random number generator and a list
/// of timers of varying length.
#[derive(Clone, Debug)]
struct Game {
    world: World,
    random: u64,
    timers: Vec<Timer>,
}

impl Game {
    fn new() -> Self {
        Self { world: World::new(), random: 1, timers: Vec::new() }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random = self.random.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ 0x51;
        self.random % limit
    }

    /// Advances by one tick: adds objects that live for a random time, and moves all objects.
    fn tick(&mut self, input: u8) {
        self.random ^= u64::from(input);
        for _ in 0..self.below(4) {
            let at = [self.below(30) as f32, self.below(30) as f32];
            let velocity = [self.below(3) as f32 - 1.0, self.below(3) as f32 - 1.0];
            let object = self.world.insert(Aabb::of_ball(at, 1.0), velocity).unwrap();
            let ticks = self.below(9) as u8;
            self.timers.push(Timer { object, ticks });
        }
        for timer in &mut self.timers {
            match timer.ticks.checked_sub(1) {
                Some(ticks) => timer.ticks = ticks,
                None => drop(self.world.remove(timer.object)),
            }
        }
        self.timers.retain(|timer| self.world.contains(timer.object));
        self.world.update(|_, velocity, bounds| *bounds = bounds.translated(*velocity)).unwrap();
        self.world.step();
    }

    fn save(&self, tick: u64, ring: &mut SnapshotRing) -> u64 {
        ring.save_with(tick, &self.world, |out| {
            assert!(out.is_empty());
            self.random.write(out);
            Timer::write_list(&self.timers, out);
        })
    }

    fn restore(&mut self, tick: u64, ring: &mut SnapshotRing) {
        let mut extra = ring.restore(tick, &mut self.world).unwrap();
        self.random = u64::read(&mut extra).unwrap();
        self.timers = Timer::read_list(&mut extra).unwrap();
        assert!(extra.is_empty());
    }
}

proptest! {
    /// After random rollbacks with wrong inputs in between, every tick has the hash of a simulation
    /// without rollbacks.
    #[test]
    fn rewound_simulations_continue_identically(
        inputs in proptest::collection::vec((any::<u8>(), 0..7u64), 1..60),
    ) {
        let mut straight = Game::new();
        let mut ring = SnapshotRing::new(0);
        let expected: Vec<u64> = (0..inputs.len() as u64).map(|tick| {
            let hash = straight.save(tick, &mut ring);
            straight.tick(inputs[tick as usize].0);
            hash
        }).collect();

        let mut game = Game::new();
        let mut ring = SnapshotRing::new(13);
        for now in 0..inputs.len() as u64 {
            let back = inputs[now as usize].1.min(now);
            game.save(now, &mut ring);
            // Simulate ticks ahead with wrong inputs. The ring keeps at least six earlier ticks.
            for ahead in now..=now + 7 - back {
                game.save(ahead, &mut ring);
                game.tick(!inputs[now as usize].0);
            }
            game.restore(now - back, &mut ring);
            prop_assert_eq!(ring.hash(now + 1), None, "later ticks are removed");
            for tick in now - back..=now {
                prop_assert_eq!(game.save(tick, &mut ring), expected[tick as usize]);
                prop_assert_eq!(ring.hash(tick), Some(expected[tick as usize]));
                game.tick(inputs[tick as usize].0);
            }
        }
        prop_assert_eq!(game.random, straight.random);
        prop_assert_eq!(&game.timers, &straight.timers);
        prop_assert_eq!(game.world.state_hash(), straight.world.state_hash());
    }
}

#[test]
fn hashes_cover_the_bytes_of_the_program() {
    let mut ring = SnapshotRing::new(4);
    let world = World::new();
    let save = |ring: &mut SnapshotRing, tick, bytes: &[u8]| {
        ring.save_with(tick, &world, |out| out.extend_from_slice(bytes))
    };
    let hashes = [&b""[..], b"a", b"b", b"ab", b"\0"].map(|bytes| save(&mut ring, 1, bytes));
    assert_eq!(hashes[0], world.state_hash());
    for (index, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..index].contains(hash), "bytes {index}");
    }
    ring.save(1, &world);
    assert_eq!(ring.hash(1), Some(world.state_hash()));
}

#[test]
fn a_ring_for_n_ticks_goes_back_n_ticks() {
    for ticks in [0, 1, 2, 8] {
        let (mut ring, mut world) = (SnapshotRing::new(ticks as usize), World::new());
        for tick in 0..20u64 {
            ring.save(tick, &world);
            let oldest = tick.saturating_sub(ticks);
            assert!((oldest..=tick).all(|saved| ring.hash(saved).is_some()));
            if let Some(before) = oldest.checked_sub(1) {
                let unknown = Err(SnapshotError::UnknownTick { tick: before });
                assert_eq!(ring.restore(before, &mut world), unknown, "memory for one tick more");
            }
        }
        ring.restore(19 - ticks, &mut world).unwrap();
        assert!((20 - ticks..20).all(|later| ring.hash(later).is_none()));
        ring.save(u64::MAX, &world);
        assert!(ring.hash(u64::MAX).is_some());
    }
}

#[test]
fn ticks_that_are_not_saved_are_an_error() {
    let (mut ring, mut world) = (SnapshotRing::new(1), World::new());
    assert_eq!(ring.restore(0, &mut world), Err(SnapshotError::UnknownTick { tick: 0 }));
    ring.save_with(3, &world, |out| out.push(7));
    assert_eq!(ring.restore(1, &mut world), Err(SnapshotError::UnknownTick { tick: 1 }));
    assert_eq!(ring.restore(3, &mut world), Ok(&[7][..]));
    let other = ring.restore(3, &mut BroadPhase::<f32, 3, [f32; 2]>::new()).map(|_| ());
    let (saved, world) = ("2".into(), "3".into());
    assert_eq!(other, Err(SnapshotError::Kind { what: "dimensions", saved, world }));
}

#[test]
fn a_panic_of_the_caller_removes_the_tick() {
    let (mut ring, world) = (SnapshotRing::new(1), World::new());
    ring.save(0, &world);
    let save = core::panic::AssertUnwindSafe(|| ring.save_with(2, &world, |_| panic!("caller")));
    assert!(std::panic::catch_unwind(save).is_err());
    assert_eq!((ring.hash(0), ring.hash(2)), (None, None));
}

#[test]
fn saving_reuses_the_memory() {
    let mut game = Game::new();
    let mut ring = SnapshotRing::new(3);
    for tick in 0..40 {
        game.save(tick, &mut ring);
        game.tick(tick as u8);
    }
    for tick in 40..44 {
        game.save(tick, &mut ring);
    }
    let counted = allocation_counter::measure(|| {
        for tick in 44..60 {
            game.save(tick, &mut ring);
        }
    });
    let mut buffer = Vec::with_capacity(1 << 20);
    let snapshots = allocation_counter::measure(|| {
        for _ in 44..60 {
            game.world.snapshot_into(&mut buffer);
        }
    });
    assert_eq!(counted.count_total, snapshots.count_total);
}
