//! Snapshots and paths of worlds with tighter volumes.

use hexphase::{Algorithm, Bounds, BroadPhase, Handle, Hexagon, Options};

fn saved<S, const D: usize, U, B>(world: &BroadPhase<S, D, U, B>) -> Vec<u8>
where
    S: hexphase::Scalar + hexphase::Plain,
    U: hexphase::Plain + Send + Sync,
    B: Bounds<S, D> + hexphase::Plain,
{
    let mut bytes = Vec::new();
    world.snapshot_into(&mut bytes);
    bytes
}

#[test]
fn hexagons_are_saved_exactly() {
    let triangle = |at: i32| Hexagon::of_points([[at, 0], [at + 9, 0], [at, 9]]).unwrap();
    let mut world: BroadPhase<i32, 2, Option<Handle>, Hexagon<i32>> = BroadPhase::new();
    let first = world.insert(triangle(0), None).unwrap();
    let gone = world.insert(triangle(3), Some(first)).unwrap();
    let last = world.insert(triangle(5), Some(gone)).unwrap();
    world.step();
    world.remove(gone);
    let bytes = saved(&world);
    let mut other = BroadPhase::with_options(Options::new().algorithm(Algorithm::Brute));
    other.restore(&bytes).unwrap();
    other.assert_well_formed();
    assert_eq!(saved(&other), bytes);
    assert_eq!(other.get(last), world.get(last));
    let again = other.insert(triangle(1), None).unwrap();
    assert_eq!(again, world.insert(triangle(1), None).unwrap(), "handles differ");
    world.step();
    other.step();
    assert!(other.ended().eq(world.ended()) && other.began().eq(world.began()));
    assert_eq!(world.ended().len(), 2);
}

#[test]
fn swept_paths_use_boxes() {
    let triangle = |at: i32| Hexagon::of_points([[at, 0], [at + 9, 0], [at, 9]]).unwrap();
    let mut world: BroadPhase<i32, 2, u8, Hexagon<i32>> = BroadPhase::new();
    let corner = Hexagon::of_points([[8, 8], [9, 8], [8, 9]]).unwrap();
    assert!(corner.aabb().overlaps(&triangle(0).aabb()));
    world.insert(corner, 0).unwrap();
    let bullet = world.insert(triangle(0), 1).unwrap();
    world.set_swept(bullet, true).unwrap();
    world.step();
    world.step();
    assert_eq!(world.pairs().len(), 0, "at rest: boxes overlap, hexagons do not");
    world.set_bounds(bullet, triangle(30)).unwrap();
    world.step();
    assert_eq!(world.pairs().len(), 1);
    world.step();
    assert_eq!(world.pairs().len(), 0);
}
