//! Rollback between two peers with late inputs.
//!
//! Each peer simulates a tick immediately, with the inputs received by then. When an input arrives
//! late, the peer rewinds its world to the tick of the input and replays. State outside of the
//! world (the random number generator that places new rocks, and the scores) is saved beside the
//! world. The peers differ in structure and backend; their state hashes are equal at every
//! confirmed tick.

mod support;

use hexphase::{
    Aabb, Algorithm, Backend, BroadPhase, Handle, Options, Plain as _, SnapshotRing, plain,
};
use support::Random;

type World = BroadPhase<f32, 2, Body>;

plain! {
    /// User data of an object.
    #[derive(Clone, Copy)]
    struct Body {
        position: [f32; 2],
        velocity: [f32; 2],
        radius: f32,
        kind: Kind,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Rock,
        Ship { player: u8 },
    }

    /// State of a peer outside of its world.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Game {
        random: u64,
        /// Rocks hit by each player.
        hits: [u32; 2],
    }
}

impl Body {
    /// Returns the bounds. Built from the position, the box has the same size at every tick; a box
    /// that is moved by `translated` accumulates rounding errors.
    fn bounds(self) -> Aabb<f32, 2> {
        Aabb::of_ball(self.position, self.radius)
    }
}

const TICKS: usize = 120;
const LATEST: usize = 10;

/// One machine: a world, its snapshots, and the received inputs of both players by tick.
struct Peer {
    world: World,
    game: Game,
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
            let position = random.point([100.0, 100.0]);
            let velocity = [random.between(-0.5, 0.5), random.between(-0.5, 0.5)];
            let rock = Body { position, velocity, radius: 0.5, kind: Kind::Rock };
            world.insert(rock.bounds(), rock)?;
        }
        let mut ship = |player, x| {
            let (position, velocity, kind) = ([x, 50.0], [0.0; 2], Kind::Ship { player });
            let ship = Body { position, velocity, radius: 1.0, kind };
            world.insert(ship.bounds(), ship)
        };
        let ships = [ship(0, 20.0)?, ship(1, 80.0)?];
        let game = Game { random: random.0, hits: [0; 2] };
        let (ring, inputs) = (SnapshotRing::new(LATEST), vec![[[0.0; 2]; 2]; TICKS]);
        Ok(Self { world, game, ring, ships, inputs, replayed: 0 })
    }

    /// Simulates one tick with the received inputs.
    fn tick(&mut self, tick: usize) -> Result<(), hexphase::Error> {
        self.ring.save_with(tick as u64, &self.world, |out| self.game.write(out));
        for (ship, input) in self.ships.into_iter().zip(self.inputs[tick]) {
            self.world.user_mut(ship).expect("ships are not removed").velocity = input;
        }
        self.world.update(|_, body, bounds| {
            body.position = [0, 1].map(|axis| body.position[axis] + body.velocity[axis]);
            *bounds = body.bounds();
        })?;
        let mut random = Random(self.game.random);
        let velocity = [random.between(-0.5, 0.5), 0.0];
        let position = random.point([100.0, 100.0]);
        let rock = Body { position, velocity, radius: 0.5, kind: Kind::Rock };
        self.world.insert(rock.bounds(), rock)?;
        self.game.random = random.0;
        self.world.step();
        // Objects that begin to overlap exchange velocities. The order of pairs is equal on every
        // machine.
        let began: Vec<_> = self.world.began().collect();
        for overlap in began {
            let [mut a, mut b] = overlap.handles.map(|one| self.world[one]);
            for body in [a, b] {
                if let Kind::Ship { player } = body.kind {
                    self.game.hits[usize::from(player)] += 1;
                }
            }
            (a.velocity, b.velocity) = (b.velocity, a.velocity);
            for (object, body) in overlap.handles.into_iter().zip([a, b]) {
                *self.world.user_mut(object).expect("no object was removed") = body;
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
            let mut game = self.ring.restore(at as u64, &mut self.world)?;
            self.game = Game::read(&mut game).ok_or("saved by another program")?;
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
        "{TICKS} ticks, {replayed:?} replayed, {:?} hits, state hashes {:016x} {:016x}",
        peers[0].game.hits, hashes[0], hashes[1]
    );
    assert_eq!((hashes[0], peers[0].game), (hashes[1], peers[1].game));
    assert!(replayed[0] > TICKS);
    Ok(())
}
