//! Benchmarks pairs of two worlds and pairs within a distance, with parry2d and
//! `packed_spatial_index` in the same run.
//!
//! The objects of a scene are in one world, or divided between two worlds. `world` writes pairs in
//! canonical order; `world, any order` and the other libraries call a closure that appends each
//! pair to a list.
//!
//! * `two worlds`, `within`: only the search for pairs; no object has moved since the last search
//! * `two worlds, tick`, `within, tick`: all objects move first. The trees of parry are refitted,
//!   and optimized every few ticks; the trees of `packed_spatial_index` are rebuilt.

use core::ops::ControlFlow;

use broadphase_core::{Aabb, Backend, Pair};
use hexphase::{Algorithm, BroadPhase, Handle, Options};
use packed_spatial_index::{Box2D, Index2D, Index2DBuilder};
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use peers::world::{Boxes, answer_of};
use peers::{Answer, Scene, Subject, Suite, Work};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

/// Maximum distance of pairs; objects of `discs` have a diameter of 14.
const DISTANCE: f32 = 4.0;
/// Number of ticks between optimizations of the trees of parry.
const TICKS_PER_OPTIMIZATION: u32 = 8;

type World = BroadPhase<f32, 2, [f32; 2]>;

/// The objects of one world, or of two.
#[derive(Clone)]
struct Sets {
    ours: Boxes<2>,
    theirs: Option<Boxes<2>>,
}

/// A library: the objects of one or two sets, and its search for pairs.
trait Search {
    fn new(sets: &Sets) -> Self;
    /// Moves all objects by one tick.
    fn advance(&mut self);
    /// Replaces the contents of `out` with the pairs.
    fn find(&mut self, out: &mut Vec<Pair>);
}

/// Measures all searches of a scene.
pub(crate) fn measure(suite: &mut Suite, name: &str, boxes: &Boxes<2>) {
    let half = |first: usize| Boxes {
        bounds: boxes.bounds.iter().skip(first).step_by(2).copied().collect(),
        velocities: boxes.velocities.iter().skip(first).step_by(2).copied().collect(),
        motion: boxes.motion,
    };
    let two = Sets { ours: half(0), theirs: Some(half(1)) };
    let one = Sets { ours: boxes.clone(), theirs: None };
    for (what, sets) in [("two worlds", two), ("within", one)] {
        let n = boxes.len();
        let scene = format!("{name}, {what}");
        let scene = Scene { name: &scene, n, work: Work::Objects(n as u64) };
        race(suite, scene, &sets, false);
        let scene = format!("{name}, {what}, tick");
        let scene = Scene { name: &scene, n, work: Work::Objects(n as u64) };
        race(suite, scene, &sets, true);
    }
}

/// Measures the search of all libraries, after a tick if `moves` is set.
fn race(suite: &mut Suite, scene: Scene<'_>, sets: &Sets, moves: bool) {
    let backend = Backend::detect().to_string();
    let mut later = sets.clone();
    if moves {
        later.advance();
    }
    let mut compared = suite.compare(scene, answer_of(&expected(&later)));
    let subject = Subject { name: "world", backend: &backend, threads: 1 };
    compared.ours(subject, || Ours::new(sets, true), |world| step(world, moves), Ours::answer);
    let subject = Subject { name: "world, any order", ..subject };
    compared.ours(subject, || Ours::new(sets, false), |world| step(world, moves), Ours::answer);
    compared.peer("parry2d", || Found::<Parry>::new(sets), |all| step(all, moves), Found::answer);
    let packed = || Found::<Packed>::new(sets);
    compared.peer("packed_spatial_index", packed, |all| step(all, moves), Found::answer);
}

fn step(search: &mut impl Step, moves: bool) {
    search.step(moves);
}

/// A search with its results.
trait Step {
    fn step(&mut self, moves: bool);
}

struct Found<T> {
    search: T,
    pairs: Vec<Pair>,
}

impl<T: Search> Found<T> {
    fn new(sets: &Sets) -> Self {
        Self { search: T::new(sets), pairs: Vec::new() }
    }

    fn answer(&self) -> Answer {
        answer_of(&self.pairs)
    }
}

impl<T: Search> Step for Found<T> {
    fn step(&mut self, moves: bool) {
        if moves {
            self.search.advance();
        }
        self.search.find(&mut self.pairs);
    }
}

impl Sets {
    fn advance(&mut self) {
        self.ours.advance();
        if let Some(theirs) = &mut self.theirs {
            theirs.advance();
        }
    }
}

/// Returns whether two boxes are within [`DISTANCE`] of each other.
fn near(a: &Aabb, b: &Aabb) -> bool {
    let gap = |axis: usize| (b.min[axis] - a.max[axis]).max(a.min[axis] - b.max[axis]).max(0.0);
    gap(0) * gap(0) + gap(1) * gap(1) <= DISTANCE * DISTANCE
}

/// Returns the pairs that rstar finds. All keys of the second set are larger than those of the
/// first, so the two keys of a pair can be in any order.
fn expected(sets: &Sets) -> Vec<Pair> {
    let ours = &sets.ours.bounds;
    let others = sets.theirs.as_ref().map_or(ours, |theirs| &theirs.bounds);
    let object = |(key, bounds): (u32, &Aabb)| {
        GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), key)
    };
    let tree = RTree::bulk_load((0..).zip(others).map(object).collect());
    let far = if sets.theirs.is_some() { 0.0 } else { DISTANCE * 1.001 };
    let mut pairs = Vec::new();
    for (a, own) in (0..).zip(ours) {
        let around = own.enlarged(far);
        let around = AABB::from_corners(around.min, around.max);
        for other in tree.locate_in_envelope_intersecting(around) {
            let b = other.data;
            if sets.theirs.is_some() {
                pairs.push([a, b + ours.len() as u32]);
            } else if a < b && near(own, &others[b as usize]) {
                pairs.push([a, b]);
            }
        }
    }
    pairs
}

/// Worlds, and the handles of their pairs.
struct Ours {
    worlds: [World; 2],
    motion: peers::world::Motion,
    of_two: bool,
    ordered: bool,
    found: Vec<[Handle; 2]>,
}

impl Ours {
    fn new(sets: &Sets, ordered: bool) -> Self {
        let fill = |boxes: Option<&Boxes<2>>| {
            let mut world = World::with_options(Options::new().algorithm(Algorithm::Hshg));
            for (_, bounds, velocity) in boxes.iter().flat_map(|boxes| boxes.movers()) {
                world.insert(bounds, velocity).expect("scenes have valid bounds");
            }
            world.optimize();
            world
        };
        Self {
            worlds: [fill(Some(&sets.ours)), fill(sets.theirs.as_ref())],
            motion: sets.ours.motion,
            of_two: sets.theirs.is_some(),
            ordered,
            found: Vec::new(),
        }
    }

    fn answer(&self) -> Answer {
        let shift = if self.of_two { self.worlds[0].len() as u32 } else { 0 };
        let pairs = self.found.iter().map(|[a, b]| [a.index(), b.index() + shift]);
        answer_of(&pairs.collect::<Vec<_>>())
    }
}

impl Step for Ours {
    fn step(&mut self, moves: bool) {
        if moves {
            let tick = self.motion.tick();
            for world in &mut self.worlds {
                let moved = world.update(|_, velocity, bounds| tick.advance(velocity, bounds));
                moved.expect("scenes have valid bounds");
            }
        }
        let Self { worlds: [ours, theirs], found, .. } = self;
        let query = if self.of_two { ours.pairs_with(theirs) } else { ours.pairs_within(DISTANCE) };
        if self.ordered {
            query.write_to(found);
        } else {
            found.clear();
            query.visit(|pair, _, _| found.push(pair));
        }
    }
}

/// A tree of parry for each set. To find pairs within the distance, leaves are enlarged by half the
/// distance, and each pair of overlapping leaves is tested exactly.
struct Parry {
    sets: Sets,
    trees: Vec<Bvh>,
    workspace: BvhWorkspace,
    margin: f32,
    ticks: u32,
}

fn leaf(bounds: &Aabb, margin: f32) -> parry2d::bounding_volume::Aabb {
    let bounds = bounds.enlarged(margin);
    parry2d::bounding_volume::Aabb { mins: bounds.min.into(), maxs: bounds.max.into() }
}

impl Search for Parry {
    fn new(sets: &Sets) -> Self {
        let margin = if sets.theirs.is_some() { 0.0 } else { DISTANCE * 0.501 };
        let tree = |boxes: &Boxes<2>| {
            let leaves = boxes.bounds.iter().map(|bounds| leaf(bounds, margin));
            Bvh::from_iter(BvhBuildStrategy::Binned, leaves.enumerate())
        };
        let trees = [Some(&sets.ours), sets.theirs.as_ref()].into_iter().flatten().map(tree);
        let (trees, workspace) = (trees.collect(), BvhWorkspace::default());
        Self { sets: sets.clone(), trees, workspace, margin, ticks: 0 }
    }

    fn advance(&mut self) {
        self.sets.advance();
        self.ticks += 1;
        let optimizes = self.ticks.is_multiple_of(TICKS_PER_OPTIMIZATION);
        let sets = [Some(&self.sets.ours), self.sets.theirs.as_ref()].into_iter().flatten();
        for (tree, boxes) in self.trees.iter_mut().zip(sets) {
            if optimizes {
                tree.optimize_incremental(&mut self.workspace);
            }
            for (key, bounds) in (0..).zip(&boxes.bounds) {
                tree.insert_or_update_partially(leaf(bounds, self.margin), key, 0.0);
            }
            if optimizes {
                tree.refit(&mut self.workspace);
            } else {
                tree.refit_without_opt();
            }
        }
    }

    fn find(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        let bounds = &self.sets.ours.bounds;
        if let [ours, theirs] = &self.trees[..] {
            let shift = bounds.len() as u32;
            let pairs = ours.leaf_pairs(theirs, |a, b| a.intersects(b));
            out.extend(pairs.map(|(a, b)| [a, b + shift]));
            return;
        }
        let mut found = |a: u32, b: u32| {
            if near(&bounds[a as usize], &bounds[b as usize]) {
                out.push([a, b]);
            }
        };
        self.trees[0].traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut found);
    }
}

/// A tree of `packed_spatial_index` for each set. `Index2D` takes 38 % less time for building and
/// joining than the other kind of tree, `SimdIndex2D`.
struct Packed {
    sets: Sets,
    trees: Vec<Index2D>,
}

impl Packed {
    fn build(&mut self) {
        let tree = |boxes: &Boxes<2>| {
            let mut builder = Index2DBuilder::new(boxes.len());
            for bounds in &boxes.bounds {
                let [[a, b], [c, d]] = [bounds.min, bounds.max].map(|at| at.map(f64::from));
                builder.add(Box2D::new(a, b, c, d));
            }
            builder.finish().expect("all boxes were added")
        };
        let sets = [Some(&self.sets.ours), self.sets.theirs.as_ref()].into_iter().flatten();
        self.trees = sets.map(tree).collect();
    }
}

impl Search for Packed {
    fn new(sets: &Sets) -> Self {
        let mut packed = Self { sets: sets.clone(), trees: Vec::new() };
        packed.build();
        packed
    }

    fn advance(&mut self) {
        self.sets.advance();
        self.build();
    }

    fn find(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        let shift = if self.trees.len() > 1 { self.sets.ours.len() as u32 } else { 0 };
        let found = |a: usize, b: usize| {
            out.push([a as u32, b as u32 + shift]);
            ControlFlow::<()>::Continue(())
        };
        let _ = match &self.trees[..] {
            [ours, theirs] => ours.join_each(theirs, found),
            trees => trees[0].pairs_within_each(DISTANCE.into(), found),
        };
    }
}
