//! Finds all pairs of triangles with overlapping boxes in a closed mesh, including adjacent
//! triangles. Measures it with a new structure in each run, and with one in which only one box has
//! changed.

use broadphase_core::Aabb;
use peers::world::{Boxes, Indexed, Motion, Rstar, Run, World as _};
use peers::{Scene, Subject, Suite, measuring};

pub(super) fn measure(suite: &mut Suite) {
    let (name, around, across) =
        if measuring() { ("mesh:200000", 500, 200) } else { ("mesh:4000", 100, 20) };
    let bounds = ring(around, across);
    let velocities = vec![[0.0; 3]; bounds.len()];
    let boxes = Boxes { bounds, velocities, motion: Motion::between([-1e3, 1e3]) };
    let expected = Run::after(0, Rstar::new(&boxes)).answer();
    let mut pairs = suite.compare(Scene::objects(name, boxes.bounds.len()), expected);
    let sorted = || Run::after(0, Indexed::sorted(&boxes));
    let subject = Subject::detected("from nothing");
    pairs.measure(subject, sorted, |run| *run = sorted(), Run::answer);
    let grid = || Run::after(0, Indexed::grid(&boxes));
    let subject = Subject::detected("hshg from nothing");
    pairs.measure(subject, grid, |run| *run = grid(), Run::answer);
    let search = |run: &mut Run<Indexed<3>>| {
        run.world.touch();
        run.world.collect(&mut run.pairs);
    };
    pairs.measure(Subject::detected("tick"), sorted, search, Run::answer);
}

/// Returns the boxes of the triangles of a torus with waves.
fn ring(around: usize, across: usize) -> Vec<Aabb<f32, 3>> {
    let turn = core::f32::consts::TAU;
    let point = |i: usize, k: usize| {
        let (u, v) = (i as f32 / around as f32 * turn, k as f32 / across as f32 * turn);
        let radius = 30.0 + 2.0 * (9.0 * u).sin() * (5.0 * v).cos();
        let out = 100.0 + radius * v.cos();
        [out * u.cos(), out * u.sin(), radius * v.sin()]
    };
    let mut bounds = Vec::with_capacity(2 * around * across);
    for i in 0..around {
        for k in 0..across {
            let (next, above) = ((i + 1) % around, (k + 1) % across);
            let [a, b, c, d] = [point(i, k), point(next, k), point(next, above), point(i, above)];
            bounds.extend(Aabb::of_points([a, b, c]));
            bounds.extend(Aabb::of_points([a, c, d]));
        }
    }
    bounds
}
