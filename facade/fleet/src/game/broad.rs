//! The broad phase: the pairs of entities whose bounding rhombi overlap.
//!
//! The bounds of an entity in the world are a *fat box*, which it leaves only after many ticks. So
//! most ticks change no bounds and need no step of the world:
//!
//! 1. The fat box of an entity covers its path from [`BACK`] ticks ago to [`AHEAD`] ticks ahead at
//!    its present velocity, and [`SLACK`] units more on each side. The ticks in the past are for
//!    states that are loaded.
//! 2. The candidates are all pairs of slots whose fat boxes overlap.
//! 3. In each tick the rhombus of each entity is compared with its fat box. If few entities have
//!    left theirs, or are new, each gets a new fat box, and one query finds its candidates. If many
//!    have, all entities get new fat boxes, and a step of the world finds all candidates.
//! 4. The rhombi of each candidate are compared, in ascending order, without branches.
//!
//! Fat boxes and candidates are not a part of the state, and loading a state keeps them: a candidate
//! is no more than a pair of slots to test, whichever entities are in these slots. A slot without an
//! entity has no fat box, so the next entity there, new or loaded, is a new one in step 3.

use core::mem::take;

use hexphase::hex::Point;
use hexphase::{Aabb, Error, Handle};

use super::Game;
use super::entity::{Entity, SPEED_FRACTION};
use super::space::Space;

/// Ticks ahead that a fat box covers.
const AHEAD: i32 = 16;
/// Ticks in the past that a fat box covers.
const BACK: i32 = 10;
/// Additional extent of a fat box on each side, in units, for changes of the velocity.
const SLACK: i32 = 64;
/// One in this number of entities must leave their fat boxes, in one tick, for a step of the world:
/// a query takes as long as a step takes for about this number of entities.
const MIN_STEP_SHARE: usize = 32;

/// Which pairs an entity can form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Class {
    /// 0 if the slot is free, otherwise [`SHIP`] or [`BULLET`].
    kind: u8,
    player: u8,
}

const SHIP: u8 = 1;
const BULLET: u8 = 2;

impl Class {
    #[inline(always)]
    fn of(entity: &Entity) -> Self {
        let kind = if entity.is_bullet() { BULLET } else { SHIP };
        Self { kind, player: entity.player }
    }
}

/// The bounding rhombus of the entity in a slot in the present tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rhombus {
    pub(super) position: Point,
    /// The velocity of a ship, in sixteenths of a unit per tick; the movement of a bullet in this
    /// tick, in units, which ends at `position`.
    pub(super) velocity: [i16; 2],
    /// Extent along an axis; 0 for a bullet.
    pub(super) reach: u16,
    class: Class,
}

impl Rhombus {
    /// Returns whether two rhombi overlap that form a pair: two ships, or a ship and a bullet of
    /// another player.
    #[inline(always)]
    fn overlaps(&self, other: &Self, space: Space) -> bool {
        if self.class.kind & other.class.kind == SHIP {
            let reach = i32::from(self.reach) + i32::from(other.reach);
            let [a, b] = space.distances(self.position, other.position);
            return (a <= reach) & (b <= reach);
        }
        match [self.class.kind, other.class.kind] {
            [SHIP, BULLET] => self.meets_bullet(other, space),
            [BULLET, SHIP] => other.meets_bullet(self, space),
            _ => false,
        }
    }

    fn meets_bullet(&self, bullet: &Self, space: Space) -> bool {
        let reach = i32::from(self.reach);
        let to = space.offset(self.position, bullet.position);
        let [a, b] = bullet.velocity.map(i32::from);
        let meets = |to: i32, way: i32| to.min(to - way) <= reach && to.max(to - way) >= -reach;
        self.class.player != bullet.class.player && meets(to.a, a) && meets(to.b, b)
    }

    #[inline(always)]
    pub(super) const fn is_bullet(&self) -> bool {
        self.class.kind == BULLET
    }
}

/// Bounds that an entity leaves only after many ticks.
#[derive(Clone, Copy, Debug, Default)]
struct FatBox {
    center: Point,
    /// Extents along both axes.
    half: [u16; 2],
    /// The class of the entity; the default if there is no fat box.
    class: Class,
}

impl FatBox {
    fn around(entity: &Entity, space: Space) -> Self {
        let [a, b] = entity.velocity.map(i32::from);
        let middle = |speed: i32| (speed * (AHEAD - BACK) / 2) >> SPEED_FRACTION;
        let half = |speed: i32| {
            let path = (speed.abs() * (AHEAD + BACK) / 2) >> SPEED_FRACTION;
            (path + SLACK + i32::from(entity.reach)) as u16
        };
        Self {
            center: space.home(entity.position + Point::new(middle(a), middle(b))),
            half: [half(a), half(b)],
            class: Class::of(entity),
        }
    }

    #[inline(always)]
    fn contains(&self, rhombus: &Rhombus, space: Space) -> bool {
        let [a, b] = space.distances(self.center, rhombus.position);
        let reach = i32::from(rhombus.reach);
        let inside = self.class == rhombus.class
            && a + reach <= self.half[0].into()
            && b + reach <= self.half[1].into();
        inside && (!rhombus.is_bullet() || self.contains_start(rhombus, space))
    }

    /// Returns whether the movement of a bullet starts inside.
    fn contains_start(&self, bullet: &Rhombus, space: Space) -> bool {
        let way = Point::from(bullet.velocity.map(i32::from));
        let [a, b] = space.distances(self.center, space.home(bullet.position - way));
        a <= self.half[0].into() && b <= self.half[1].into()
    }

    fn bounds(&self) -> Aabb<i32, 2> {
        let Point { a, b } = self.center;
        let [x, y] = self.half.map(i32::from);
        Aabb { min: [a - x, b - y], max: [a + x, b + y] }
    }
}

/// The state of the broad phase. Lists by slot have equal lengths.
#[derive(Debug, Default)]
pub(super) struct Broad {
    /// By slot.
    boxes: Vec<FatBox>,
    /// By slot, for the present tick.
    pub(super) rhombi: Vec<Rhombus>,
    /// By slot; stale for free slots.
    pub(super) handles: Vec<Handle>,
    /// Candidates of the last step, ascending: the lower slot in the upper bits.
    candidates: Vec<u64>,
    /// Candidates found by queries since, ascending.
    late: Vec<u64>,
    /// Entities that have left their fat boxes or have none, in the present tick.
    left: Vec<Handle>,
    /// The first `count` are the pairs of the present tick.
    pairs: Vec<u64>,
    count: usize,
    // Buffers.
    found: Vec<Handle>,
    old_boxes: Vec<FatBox>,
}

impl Broad {
    /// Begins a tick: no slot has a rhombus.
    pub(super) fn begin(&mut self) {
        self.rhombi.fill(Rhombus::default());
    }

    /// Sets the rhombus of an entity, whose way in this tick ends at its position.
    #[inline(always)]
    pub(super) fn place(&mut self, object: Handle, entity: &Entity, way: Point, space: Space) {
        let slot = object.index() as usize;
        if slot >= self.rhombi.len() {
            self.grow(slot + 1);
        }
        let class = Class::of(entity);
        let velocity =
            if class.kind == BULLET { [way.a as i16, way.b as i16] } else { entity.velocity };
        let Entity { position, reach, .. } = *entity;
        let rhombus = Rhombus { position, velocity, reach, class };
        self.rhombi[slot] = rhombus;
        self.handles[slot] = object;
        if !self.boxes[slot].contains(&rhombus, space) {
            self.left.push(object);
        }
    }

    #[cold]
    fn grow(&mut self, slots: usize) {
        self.rhombi.resize(slots, Rhombus::default());
        self.boxes.resize(slots, FatBox::default());
        self.handles.resize(slots, Handle::DANGLING);
    }

    /// Drops the rhombus and the fat box of a slot.
    pub(super) fn clear(&mut self, object: Handle) {
        let slot = object.index() as usize;
        if slot < self.rhombi.len() {
            self.rhombi[slot] = Rhombus::default();
            self.boxes[slot] = FatBox::default();
        }
    }

    /// Begins to load a state: no slot has a fat box.
    pub(super) fn begin_load(&mut self) {
        core::mem::swap(&mut self.boxes, &mut self.old_boxes);
        self.boxes.clear();
    }

    /// Returns the bounds in the world of an entity that is loaded. It keeps the fat box of its
    /// slot if that is for an entity of this class. Slots must ascend.
    pub(super) fn load(&mut self, object: Handle, entity: &Entity) -> Aabb<i32, 2> {
        let slot = object.index() as usize;
        let old = self.old_boxes.get(slot).filter(|old| old.class == Class::of(entity));
        self.boxes.resize(slot, FatBox::default());
        self.boxes.push(old.copied().unwrap_or_default());
        old.map_or_else(|| Aabb::point(entity.position), FatBox::bounds)
    }

    /// Ends loading.
    pub(super) fn end_load(&mut self) {
        let slots = self.rhombi.len().max(self.boxes.len());
        self.grow(slots);
    }

    /// Returns the pairs of the present tick, ascending: the lower slot in the upper bits.
    pub(super) fn pairs(&self) -> &[u64] {
        &self.pairs[..self.count]
    }

    /// Tests all candidates.
    fn test_candidates(&mut self, space: Space) {
        let Self { rhombi, candidates, late, pairs, .. } = self;
        let most = candidates.len() + late.len() + 1;
        if pairs.len() < most {
            pairs.resize(most, 0);
        }
        let mut count = 0;
        let mut test = |pair: u64| {
            let [a, b] = [(pair >> 32) as usize, pair as u32 as usize];
            pairs[count] = pair;
            count += usize::from(rhombi[a].overlaps(&rhombi[b], space));
        };
        let mut late = late.iter().copied();
        let mut next_late = late.next();
        for &pair in candidates.iter() {
            while let Some(other) = next_late.filter(|&other| other <= pair) {
                if other < pair {
                    test(other);
                }
                next_late = late.next();
            }
            test(pair);
        }
        next_late.into_iter().chain(late).for_each(test);
        self.count = count;
    }
}

impl Game {
    /// Finds the pairs of the present tick.
    pub(super) fn find_pairs(&mut self) -> Result<(), Error> {
        let left = take(&mut self.broad.left);
        let Broad { rhombi, candidates, late, .. } = &self.broad;
        let many_left = left.len() > rhombi.len() / MIN_STEP_SHARE;
        let many_late = late.len() > candidates.len() / 4 + rhombi.len() / MIN_STEP_SHARE;
        if many_left || many_late {
            self.find_all_candidates()?;
        } else if !left.is_empty() {
            self.find_candidates_of(&left)?;
        }
        self.broad.left = left;
        self.broad.left.clear();
        self.broad.test_candidates(self.space);
        Ok(())
    }

    /// Sets the fat boxes of all entities and finds all candidates.
    fn find_all_candidates(&mut self) -> Result<(), Error> {
        let Self { world, broad, space, .. } = self;
        world.update(|object, entity, bounds| {
            let fat = FatBox::around(entity, *space);
            broad.boxes[object.index() as usize] = fat;
            *bounds = fat.bounds();
        })?;
        world.step();
        broad.late.clear();
        broad.candidates.clear();
        let candidates = &mut broad.candidates;
        world.pairs().visit(|objects, _| candidates.push(slots(objects)));
        Ok(())
    }

    /// Sets the fat boxes of some entities and adds their candidates.
    fn find_candidates_of(&mut self, objects: &[Handle]) -> Result<(), Error> {
        let Self { world, broad, space, .. } = self;
        for &object in objects {
            let fat = FatBox::around(&world[object], *space);
            broad.boxes[object.index() as usize] = fat;
            world.set_bounds(object, fat.bounds())?;
        }
        for &object in objects {
            world.overlapping(object, &mut broad.found)?;
            broad.late.extend(broad.found.iter().map(|&other| slots([object, other])));
        }
        broad.late.sort_unstable();
        broad.late.dedup();
        Ok(())
    }
}

/// Returns the slots of two objects, the lower in the upper bits.
fn slots(objects: [Handle; 2]) -> u64 {
    let [a, b] = objects.map(|object| u64::from(object.index()));
    a.min(b) << 32 | a.max(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, Saved, Scene, Script, Settings};

    /// Returns the pairs of the present tick: all rhombi are compared in all images.
    fn all_pairs(game: &Game) -> Vec<u64> {
        let side = game.space.side;
        let ranges = |rhombus: &Rhombus| {
            let Rhombus { position: Point { a, b }, velocity, reach, .. } = *rhombus;
            let ways = if rhombus.is_bullet() { velocity.map(i32::from) } else { [0; 2] };
            let range = |to: i32, way: i32| {
                [to.min(to - way) - i32::from(reach), to.max(to - way) + i32::from(reach)]
            };
            [range(a, ways[0]), range(b, ways[1])]
        };
        let meet = |one: [i32; 2], other: [i32; 2]| {
            [-side, 0, side].iter().any(|&x| one[0] <= other[1] + x && other[0] + x <= one[1])
        };
        let rhombi = &game.broad.rhombi;
        let mut pairs = Vec::new();
        for (a, first) in rhombi.iter().enumerate() {
            for (b, second) in rhombi.iter().enumerate().skip(a + 1) {
                let (one, other) = (first.class, second.class);
                let form_pair = match [one.kind, other.kind] {
                    [SHIP, SHIP] => true,
                    [SHIP, BULLET] | [BULLET, SHIP] => one.player != other.player,
                    _ => false,
                };
                let [ours, theirs] = [first, second].map(ranges);
                if form_pair && meet(ours[0], theirs[0]) && meet(ours[1], theirs[1]) {
                    pairs.push((a as u64) << 32 | b as u64);
                }
            }
        }
        pairs
    }

    /// Plays 80 ticks; goes back 9 ticks in every third of them, and plays other inputs.
    #[test]
    fn pairs_are_those_of_all_rhombi() {
        for scene in [Scene::Sparse, Scene::Dense] {
            let settings = Settings { ships: 150, bullets: 150, scene, ..Settings::default() };
            let mut game = Game::new(settings).expect("memory");
            let mut scripts = [0, 1].map(|player| Script::new(&settings, player));
            let inputs: Vec<[Command; 2]> =
                (0..90).map(|_| scripts.each_mut().map(Script::command)).collect();
            let mut saved = vec![Saved::default(); 10];
            let (mut queries, mut steps, mut pairs) = (0, 0, 0);
            for now in 0..80 {
                let first = if now % 3 == 2 { usize::saturating_sub(now, 9) } else { now };
                if first < now {
                    game.load(&saved[first % 10]).expect("saved below");
                }
                for tick in first..=now {
                    game.save(&mut saved[tick % 10]);
                    for (player, &command) in inputs[tick + now % 5].iter().enumerate() {
                        game.orders.apply(player, command);
                    }
                    let late = game.broad.late.clone();
                    game.move_all().expect("memory");
                    game.find_pairs().expect("memory");
                    assert_eq!(game.broad.pairs(), all_pairs(&game), "{scene:?}, tick {tick}");
                    pairs += game.broad.count;
                    queries += usize::from(game.broad.late.len() > late.len());
                    steps += usize::from(game.broad.late.len() < late.len());
                    game.find_contacts();
                    game.apply_contacts().expect("memory");
                    game.tick += 1;
                }
            }
            assert!(queries > 10 && steps > 3, "{queries} queries, {steps} steps");
            assert!(pairs > 500, "{pairs} pairs");
        }
    }
}
