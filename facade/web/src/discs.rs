//! Discs that fly through a square world and bounce off each other.
//!
//! A tick has three parts: [`Discs::advance`] moves all discs, [`Discs::step`] finds the overlapping
//! pairs, and [`Discs::bounce`] changes the velocities of overlapping discs that approach each
//! other. Only additions, multiplications, divisions and square roots are used, and pairs are in a
//! defined order, so equal settings give equal states on every machine.

use hexphase::{Algorithm, Ball, BroadPhase, Handle, Motion, Object, Options};
use oorandom::Rand32;

/// The length of a side of the world.
pub const SIDE: f32 = 1000.0;

/// The height of the rows in which discs are numbered.
const ROW: f32 = 10.0;

/// The part of the world that the discs cover.
const COVERED: f32 = 0.25;

/// How the radii of discs differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sizes {
    /// All radii are equal.
    #[default]
    Equal,
    /// The largest radius is four times the smallest.
    Mixed,
    /// Each doubling of the radius halves the number of discs, up to 64 times the smallest.
    Tail,
}

/// The settings that determine all states of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Selects radii, places and velocities.
    pub seed: u32,
    /// The number of discs.
    pub count: u32,
    /// How the radii differ.
    pub sizes: Sizes,
    /// The largest speed on each axis, in mean radii per tick.
    pub speed: f32,
    /// The part of the discs that never move, from 0 to 1.
    pub resting: f32,
    /// Whether the world wraps; if not, discs bounce off its sides.
    pub wraps: bool,
    /// The structure of the world. It changes the time, and no result.
    pub algorithm: Algorithm,
}

/// A simulation. Discs are numbered from 0.
#[derive(Debug)]
pub struct Discs {
    settings: Settings,
    /// The user data of a disc is its velocity.
    world: BroadPhase<f32, 2, [f32; 2], Ball>,
    handles: Vec<Handle>,
    balls: Vec<Ball>,
    /// Whether each disc never moves.
    rests: Vec<bool>,
    /// The numbers of the discs of each pair.
    pairs: Vec<[u32; 2]>,
}

impl Discs {
    /// Creates the discs, and finds the pairs that overlap at the start.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let random = &mut Rand32::new(settings.seed.into());
        let mut radii: Vec<f32> =
            (0..settings.count).map(|_| radius(settings.sizes, random)).collect();
        // Scale the radii so that the discs cover their part of the world.
        let squares: f32 = radii.iter().map(|radius| radius * radius).sum();
        let scale = SIDE * (COVERED / (squares.max(1.0) * core::f32::consts::PI)).sqrt();
        radii.iter_mut().for_each(|radius| *radius *= scale);
        let mean = radii.iter().sum::<f32>() / settings.count.max(1) as f32;

        let mut options = Options::new().algorithm(settings.algorithm);
        if settings.wraps {
            options = options.wrap([SIDE; 2]);
        }
        let mut discs = Self {
            settings,
            world: BroadPhase::with_options(options),
            balls: Vec::new(),
            handles: Vec::new(),
            rests: Vec::new(),
            pairs: Vec::new(),
        };
        let mut made = Vec::new();
        for radius in radii {
            let center = [(); 2].map(|()| radius + random.rand_float() * (SIDE - 2.0 * radius));
            let speed = settings.speed * mean;
            let velocity = [(); 2].map(|()| (random.rand_float() * 2.0 - 1.0) * speed);
            let rests = random.rand_float() < settings.resting;
            made.push((Ball::new(center, radius), velocity, rests));
        }
        // Neighbors have near numbers, so that data of discs that are visited together is in the
        // caches.
        let row = |ball: &Ball| (ball.center[1] / ROW) as u32;
        made.sort_by(|(a, ..), (b, ..)| {
            row(a).cmp(&row(b)).then(a.center[0].total_cmp(&b.center[0]))
        });
        let mut objects = Vec::new();
        for (ball, velocity, rests) in made {
            discs.balls.push(ball);
            discs.rests.push(rests);
            let motion = if rests { Motion::Static } else { Motion::Dynamic };
            let velocity = if rests { [0.0; 2] } else { velocity };
            objects.push(Object::new(ball, velocity).motion(motion));
        }
        // The indices of the handles in an empty world are the numbers of the discs.
        let inserted = discs.world.insert_many(&objects, &mut discs.handles);
        inserted.expect("the centers and radii are finite");
        discs.step();
        discs
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the world, whose objects are the discs, for queries.
    #[must_use]
    pub fn world(&self) -> &BroadPhase<f32, 2, [f32; 2], Ball> {
        &self.world
    }

    /// Returns all discs.
    #[must_use]
    pub fn balls(&self) -> &[Ball] {
        &self.balls
    }

    /// Returns the overlapping pairs of the last step, sorted.
    #[must_use]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Returns whether a disc never moves.
    #[must_use]
    pub fn rests(&self, disc: usize) -> bool {
        self.rests[disc]
    }

    /// Executes one tick.
    pub fn tick(&mut self) {
        self.advance();
        self.step();
        self.bounce();
    }

    /// Moves all discs by their velocities. At the sides of a world that does not wrap, they bounce.
    pub fn advance(&mut self) {
        let Self { world, balls, settings, .. } = self;
        let wraps = settings.wraps;
        let moved = world.update_dynamic(|handle, velocity, ball| {
            let (low, high) = (ball.radius, SIDE - ball.radius);
            for (at, speed) in ball.center.iter_mut().zip(velocity) {
                *at += *speed;
                if wraps {
                    *at += if *at < 0.0 { SIDE } else { 0.0 };
                    *at -= if *at >= SIDE { SIDE } else { 0.0 };
                } else if *at < low {
                    (*at, *speed) = (2.0 * low - *at, speed.abs());
                } else if *at > high {
                    (*at, *speed) = (2.0 * high - *at, -speed.abs());
                }
            }
            balls[handle.index() as usize] = *ball;
        });
        moved.expect("the centers are finite");
    }

    /// Finds the overlapping pairs.
    pub fn step(&mut self) {
        self.world.step();
        self.pairs.clear();
        self.pairs.extend(self.world.pairs().map(|pair| pair.handles.map(Handle::index)));
    }

    /// Changes the velocities of overlapping discs that approach each other, like elastic discs of
    /// equal density. Discs that rest are not moved.
    pub fn bounce(&mut self) {
        for &pair in &self.pairs {
            let [a, b] = pair.map(|disc| disc as usize);
            let way: [f32; 2] = core::array::from_fn(|axis| {
                let way = self.balls[b].center[axis] - self.balls[a].center[axis];
                match () {
                    () if self.settings.wraps && way > SIDE * 0.5 => way - SIDE,
                    () if self.settings.wraps && way < SIDE * -0.5 => way + SIDE,
                    () => way,
                }
            });
            let handles = [a, b].map(|disc| self.handles[disc]);
            let [mut va, mut vb] = handles.map(|disc| self.world[disc]);
            let approach = (vb[0] - va[0]) * way[0] + (vb[1] - va[1]) * way[1];
            let [share_a, share_b] = [a, b].map(|disc| {
                let radius = self.balls[disc].radius;
                if self.rests(disc) { 0.0 } else { 1.0 / (radius * radius) }
            });
            let weight = (way[0] * way[0] + way[1] * way[1]) * (share_a + share_b);
            if approach < 0.0 && weight > 0.0 {
                let impulse = 2.0 * approach / weight;
                for (axis, way) in way.into_iter().enumerate() {
                    va[axis] += way * (impulse * share_a);
                    vb[axis] -= way * (impulse * share_b);
                }
                for (disc, velocity) in handles.into_iter().zip([va, vb]) {
                    if let Some(user) = self.world.user_mut(disc) {
                        *user = velocity;
                    }
                }
            }
        }
    }

    /// Returns a hash of all discs, their velocities and pairs.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.world.state_hash()
    }
}

/// Returns a random radius, before it is scaled.
fn radius(sizes: Sizes, random: &mut Rand32) -> f32 {
    match sizes {
        Sizes::Equal => 1.0,
        Sizes::Mixed => 1.0 + 3.0 * random.rand_float(),
        // The number of zeros at the end is n with probability 2⁻ⁿ⁻¹.
        Sizes::Tail => (1 << random.rand_u32().trailing_zeros().min(6)) as f32,
    }
}
