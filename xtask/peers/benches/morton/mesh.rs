//! Finds all pairs of triangles with overlapping boxes in a closed mesh, including adjacent
//! triangles. Measures it with a structure that is filled in each run, and with one in which only
//! one box has changed.

use broadphase_core::{Aabb, Backend};
use peers::world::{Boxes, Grid, Motion, Rstar, Sorted, World, answer, answer_of};
use peers::{Scene, Suite, Work, measuring};

use super::subject;

pub(super) fn measure(suite: &mut Suite) {
    let (name, around, across) =
        if measuring() { ("mesh:200000", 500, 200) } else { ("mesh:4000", 100, 20) };
    let bounds = ring(around, across);
    let n = bounds.len();
    let velocities = vec![[0.0; 3]; n];
    let boxes = Boxes { bounds, velocities, motion: Motion::between([-1e3, 1e3]) };
    let expected = answer(&mut Rstar::new(&boxes));
    let scene = Scene { name, n, work: Work::Objects(n as u64) };
    let mut pairs = suite.compare(scene, expected);
    let on = Backend::detect().to_string();
    pairs.ours(
        subject("from nothing", &on),
        || (Sorted::new(&boxes), Vec::new()),
        |(world, out)| {
            world.refill(&boxes);
            world.collect(out);
        },
        |(_, out)| answer_of(out),
    );
    pairs.ours(
        subject("hshg from nothing", &on),
        || (Grid::new(&boxes), Vec::new()),
        |(world, out)| {
            world.refill(&boxes);
            world.collect(out);
        },
        |(_, out)| answer_of(out),
    );
    pairs.ours(
        subject("sorted", &on),
        || (Sorted::new(&boxes), Vec::new()),
        |(world, out)| world.collect(out),
        |(_, out)| answer_of(out),
    );
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
