//! Rollback between two peers with late inputs.
//!
//! Each peer simulates a tick immediately, with the inputs received by then. When an input arrives
//! late, the peer rewinds its world to the tick of the input and replays. The peers differ in
//! structure and backend; their state hashes are equal at every confirmed tick.

mod support;

use hexphase::{Aabb, Algorithm, Backend, BroadPhase, Handle, Options, SnapshotRing};
use support::Random;

type World = BroadPhase<f32, 2, [f32; 2]>;

const TICKS: usize = 120;
const LATEST: usize = 10;

/// One machine: a world, its snapshots, and the received inputs of both players by tick.
struct Peer {
    world: World,
    ring: SnapshotRing,
    ships: [Handle; 2],
    inputs: Vec<[[f32; 2]; 2]>,
    replayed: usize,
}

impl Peer {
    fn new(options: Options<f32, 2>) -> Result<Self, hexphase::Error> {
        let mut world = World::with_options(options);
        let mut random = Random(5);
        for _ in 0..500 {
            let at = random.point([100.0, 100.0]);
            let velocity = [random.between(-0.5, 0.5), random.between(-0.5, 0.5)];
            world.insert(Aabb::of_ball(at, 0.5), velocity)?;
        }
        let ships = [
            world.insert(Aabb::of_ball([20.0, 50.0], 1.0), [0.0; 2])?,
            world.insert(Aabb::of_ball([80.0, 50.0], 1.0), [0.0; 2])?,
        ];
        let inputs = vec![[[0.0; 2]; 2]; TICKS];
        Ok(Self { world, ring: SnapshotRing::new(LATEST + 1), ships, inputs, replayed: 0 })
    }

    /// Simulates one tick with the received inputs.
    fn tick(&mut self, tick: usize) -> Result<(), hexphase::Error> {
        self.ring.save(tick as u64, &self.world);
        for (ship, thrust) in self.ships.into_iter().zip(self.inputs[tick]) {
            self.world.set_user(ship, thrust)?;
        }
        self.world.update(|_, velocity, bounds| *bounds = bounds.translated(*velocity))?;
        self.world.step();
        // Rocks that begin to overlap exchange velocities, in the order of pairs, which is equal on
        // every machine.
        let began: Vec<_> = self.world.began().collect();
        for overlap in began {
            let [a, b] = overlap.handles.map(|one| self.world.get(one).map(|object| object.user));
            for (one, velocity) in [(overlap.handles[0], b), (overlap.handles[1], a)] {
                let velocity = velocity.expect("no object is removed");
                self.world.set_user(one, velocity)?;
            }
        }
        Ok(())
    }

    /// Stores an input of tick `at`; if that tick is past, rewinds to it and replays up to `now`.
    fn receive(
        &mut self,
        player: usize,
        at: usize,
        input: [f32; 2],
        now: usize,
    ) -> Result<(), Box<dyn core::error::Error>> {
        self.inputs[at][player] = input;
        if at < now {
            self.ring.restore(at as u64, &mut self.world)?;
            for tick in at..now {
                self.tick(tick)?;
                self.replayed += 1;
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let grid = Options::new().algorithm(Algorithm::Hshg);
    let tree = Options::new().algorithm(Algorithm::Morton).backend(Backend::SCALAR);
    let mut peers = [Peer::new(grid)?, Peer::new(tree)?];
    let mut random = Random(11);
    // Inputs sent but not yet received: the tick of arrival, the receiver, the tick of the input,
    // the input.
    let mut wire: Vec<(usize, usize, usize, [f32; 2])> = Vec::new();
    for now in 0..TICKS + LATEST {
        if now < TICKS {
            for (player, peer) in peers.iter_mut().enumerate() {
                let thrust = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
                peer.inputs[now][player] = thrust;
                let delay = random.bits() as usize % LATEST;
                wire.push((now + delay, 1 - player, now, thrust));
            }
        }
        let (arrived, rest) = wire.into_iter().partition(|message| message.0 <= now);
        wire = rest;
        let messages: Vec<(usize, usize, usize, [f32; 2])> = arrived;
        for (_, receiver, at, input) in messages {
            peers[receiver].receive(1 - receiver, at, input, now.min(TICKS))?;
        }
        for peer in &mut peers {
            if now < TICKS {
                peer.tick(now)?;
            }
        }
    }
    let hashes = peers.each_ref().map(|peer| peer.world.state_hash());
    let replayed = peers.each_ref().map(|peer| peer.replayed);
    println!(
        "{TICKS} ticks, {replayed:?} replayed, state hashes {:016x} {:016x}",
        hashes[0], hashes[1]
    );
    assert_eq!(hashes[0], hashes[1]);
    assert!(replayed[0] > TICKS);
    Ok(())
}
