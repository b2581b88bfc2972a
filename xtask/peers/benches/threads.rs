//! Benchmarks the same work on 1 and 2 threads, and on 4, 8, … threads up to the number of cores.
//!
//! * `tick`: a grid moves every object and writes every overlapping pair, in any order
//! * `tick sorted`: as `tick`, with pairs in canonical order
//! * `list`: writes the pairs of a list of boxes in canonical order (`find_pairs`)
//! * `from nothing`: fills a new grid, and writes pairs in canonical order
//! * `jump`: moves every object to a random place, and writes pairs in canonical order
//! * `neighbors`: finds for every object the objects within a distance; no object moves
//! * `world with events`: a tick of a world (`par_update`, `step`), in which each event is read;
//!   only in two dimensions
//! * `query_many`: box queries in a batch, only for the first scene
//!
//! The scenes are those of the variable `HEXPHASE_BENCH_SCENES`, separated by commas, or three
//! scenes of up to 500,000 objects. Every result is compared with that of another library, or with
//! single queries. Searches among points are in the suite `cube`.

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Lists, Neighbors, Region, SpatialIndexExt};
use peers::world::{
    Boxes, FLAT_BUILDERS, Facade, Indexed, Run, SOLID_BUILDERS, TICKS, Test, pairs_within,
};
use peers::{Answer, Scene, Suite, Work, pools, scenes};

/// Number of ticks after which all objects reverse their direction, so that the number of pairs is
/// nearly constant.
const TICKS_PER_DIRECTION: u32 = 20;
/// Maximum distance of neighbors; objects of `discs` have a diameter of 14.
const DISTANCE: f32 = 4.0;
/// Number of box queries.
const QUERIES: usize = 20_000;

fn main() {
    let mut suite = Suite::new("threads");
    let pools = pools();
    let names = scenes(
        &["discs:500000", "clustered:500000", "mixed3:300000"],
        &["discs:40000", "mixed3:2000"],
    );
    for (index, name) in names.iter().enumerate() {
        let scene: SceneName = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        match scene.generate() {
            Objects::Flat(movers) => {
                let test = Test::new(name, open(movers.into()), &pools, &FLAT_BUILDERS);
                measure(&test, &mut suite);
                world(&test, &mut suite);
                if index == 0 {
                    queries(&test, &mut suite);
                }
            }
            Objects::Solid(movers) => {
                let start = open(movers.into());
                measure(&Test::new(name, start, &pools, &SOLID_BUILDERS), &mut suite);
            }
        }
    }
    suite.finish();
}

/// Removes the walls: worlds can then be updated in parallel without changing velocities.
fn open<const D: usize>(start: Boxes<D>) -> Boxes<D> {
    let motion = start.motion.without_walls().turning_after(TICKS_PER_DIRECTION);
    Boxes { motion, ..start }
}

fn measure<const D: usize>(test: &Test<'_, D>, suite: &mut Suite) {
    let mut compared = suite.compare(test.scene, test.expected);
    test.ours(&mut compared, "tick", || test.warm(), Run::tick, Run::answer);
    test.sorted_ticks(&mut compared);
    test.builds(suite);

    let pairs = pairs_within(&test.start, DISTANCE);
    let both = pairs.into_iter().flat_map(|[a, b]| [[a, b], [b, a]]);
    let mut compared = suite.compare(test.scene, Answer::of_set(both));
    let mut grid = Indexed::grid(&test.start);
    grid.index.optimize();
    let search = |found: &mut Neighbors| grid.index.neighbors(DISTANCE, found);
    test.ours(&mut compared, "neighbors", Neighbors::default, search, |found| {
        let list = |(key, list): (u32, &[u32])| {
            list.iter().map(move |&other| [key, other]).collect::<Vec<_>>()
        };
        Answer::of_set(found.iter().flat_map(list))
    });
}

fn world(test: &Test<'_, 2>, suite: &mut Suite) {
    let mut compared = suite.compare(test.scene, test.expected);
    let started = || Facade::new(&test.start, true).after(TICKS - 1);
    test.ours(&mut compared, "world with events", started, Facade::tick, Facade::answer);
}

fn queries(test: &Test<'_, 2>, suite: &mut Suite) {
    let mut grid = Indexed::grid(&test.start);
    // Sort the pending objects into the grid; otherwise each query would test all of them.
    grid.index.optimize();
    let step = test.start.bounds.len() / QUERIES.min(test.start.bounds.len());
    let areas = test.start.bounds.iter().step_by(step);
    let regions: Vec<Region> = areas.map(|area| area.enlarged(3.0).into()).collect();
    let answer = |lists: &Lists| {
        let items = lists.items().iter().map(|&key| u64::from(key));
        let ends = lists.ends().iter().map(|&end| end as u64);
        Answer::new(lists.items().len() as u64, items.chain(ends))
    };
    let (mut expected, mut found) = (Lists::default(), Vec::new());
    for region in &regions {
        grid.index.query(*region, &mut found);
        expected.push(found.iter().copied());
    }
    let work = Work::Points(regions.len() as u64);
    let name = format!("{} boxes", test.scene.name);
    let scene = Scene { name: &name, n: regions.len(), work };
    let search = |lists: &mut Lists| grid.index.query_many(&regions, lists);
    let mut compared = suite.compare(scene, answer(&expected));
    test.ours(&mut compared, "query_many", Lists::default, search, answer);
}
