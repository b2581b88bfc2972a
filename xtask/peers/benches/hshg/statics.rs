//! Ten thousand moving objects among a million static ones: our grid and our Morton-sorted cells,
//! with all objects in one structure, and other libraries, with a tree for each kind.
//!
//! The static objects are the scene `discs:1000000`. The movers are the first objects of the scene
//! with another seed. The result is the pairs of two movers, and of a mover and a static object.
//! In the rows called `idle` no object moves.

use broadphase_core::{Pair, SpatialIndex};
use broadphase_hshg::Hshg;
use broadphase_morton::MortonCells;
use peers::world::{Boxes, Indexed, Parry2, Rstar, Run, World};
use peers::{Scene, Subject, Suite, measuring};

/// Number of ticks before the result is compared: enough to fill caches of static neighbors.
const TICKS: usize = 12;

pub(super) fn measure(suite: &mut Suite) {
    let (name, rest, count) = if measuring() {
        ("discs:1000000+10000", 1_000_000, 10_000)
    } else {
        ("discs:20000+1000", 20_000, 1_000)
    };
    let statics = Boxes::flat(&format!("discs:{rest}"));
    let movers = Boxes::flat(&format!("discs:{rest}:2")).select(|index| index < count);
    let trees = || Apart {
        statics: Rstar::new(&statics),
        movers: Rstar::new(&movers),
        first: rest,
        collect_with: Rstar::collect_with,
    };
    let scene = Scene::objects(name, statics.bounds.len() + movers.bounds.len());
    let expected = Run::after(TICKS, trees()).answer();
    let grid = || Box::new(Hshg::new()) as Box<dyn SpatialIndex<f32, 2>>;
    let cells = || Box::new(MortonCells::new()) as Box<dyn SpatialIndex<f32, 2>>;

    let mut ticks = suite.compare(scene, expected);
    let warm = |index| Run::after(TICKS - 1, Indexed::among(index, &statics, &movers));
    ticks.measure(Subject::detected("tick"), || warm(grid()), Run::tick, Run::answer);
    ticks.measure(Subject::detected("morton tick"), || warm(cells()), Run::tick, Run::answer);
    let parry = || Apart {
        statics: Parry2::new(&statics),
        movers: Parry2::new(&movers),
        first: rest,
        collect_with: Parry2::collect_with,
    };
    ticks.peer("parry2d", || Run::after(TICKS - 1, parry()), Run::tick, Run::answer);
    ticks.peer("rstar", || Run::after(TICKS - 1, trees()), Run::tick, Run::answer);

    let mut idle = suite.compare(scene, expected);
    let moved = |index| Run::after(TICKS, Indexed::among(index, &statics, &movers));
    let search = |run: &mut Run<Indexed<2>>| run.world.collect(&mut run.pairs);
    idle.measure(Subject::detected("idle"), || moved(grid()), search, Run::answer);
    idle.measure(Subject::detected("morton idle"), || moved(cells()), search, Run::answer);
}

/// A tree for static objects, and one for movers.
struct Apart<W> {
    statics: W,
    movers: W,
    /// The key of the first mover.
    first: u32,
    collect_with: fn(&W, &W, &mut Vec<Pair>),
}

impl<W: World<2>> World<2> for Apart<W> {
    fn advance(&mut self) {
        self.movers.advance();
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        let mut mixed = Vec::new();
        (self.collect_with)(&self.movers, &self.statics, &mut mixed);
        self.movers.collect(out);
        out.iter_mut().for_each(|pair| *pair = pair.map(|key| key + self.first));
        out.extend(mixed.into_iter().map(|[mover, fixed]| [mover + self.first, fixed]));
    }
}
