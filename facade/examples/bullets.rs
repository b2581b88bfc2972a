//! Bullets that are faster than the targets are thick.
//!
//! A swept object forms a pair with every object that overlaps the box around its path since the
//! last step. The box is larger than the path, so `swept_hits` tests the path exactly, and orders
//! the touched plates by the fraction of the path at the first touch. The example checks that the
//! first hit of each bullet is the nearest plate on its path.

mod support;

use hexphase::{Aabb, BroadPhase, Error, Filter, Motion, Path, SweptHit};
use support::{Picture, Random};

const PLATE: u64 = 1;
const BULLET: u64 = 2;

const RADIUS: f32 = 0.1;

/// User data: a bullet has its position and velocity; a plate has no data.
#[derive(Clone, Copy)]
enum Kind {
    Plate,
    Bullet { position: [f32; 2], velocity: [f32; 2] },
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut world: BroadPhase<f32, 2, Kind> = BroadPhase::new();
    let mut random = Random(7);
    let plates = insert_plates(&mut world, &mut random)?;
    for _ in 0..100 {
        let position = [0.0, random.between(0.0, 200.0)];
        let velocity = [90.0, random.between(-20.0, 20.0)];
        let bullet = world.insert_with(
            Aabb::of_ball(position, RADIUS),
            Kind::Bullet { position, velocity },
            Motion::Dynamic,
            Filter::layers(BULLET).mask(PLATE),
        )?;
        world.set_swept(bullet, true)?;
    }
    let mut picture = Picture::new([400.0, 200.0]);
    for plate in &plates {
        picture.rectangle(plate.min, plate.max, "#5c6bc0");
    }
    let (mut hits, mut touched) = (0, Vec::new());
    for _ in 0..5 {
        world.update(|_, kind, bounds| {
            if let Kind::Bullet { position, velocity } = kind {
                *position = [position[0] + velocity[0], position[1] + velocity[1]];
                *bounds = Aabb::of_ball(*position, RADIUS);
            }
        })?;
        world.step();
        world.swept_hits(world.pairs(), &mut touched);
        // The plates of each bullet ascend by fraction: keep the first.
        touched.dedup_by_key(|hit| hit.overlap.handles[0]);
        for SweptHit { fraction, overlap } in &touched {
            let Some(bullet) = world.get(overlap.handles[0]) else { continue };
            let Kind::Bullet { position, velocity } = bullet.user else { continue };
            let path = Path::sweep(bullet.bounds.translated(velocity.map(|v| -v)), velocity);
            let nearest = plates.iter().filter_map(|plate| path.first_touch(plate));
            let nearest = nearest.reduce(f32::min).expect("a plate is on the path");
            assert!((nearest - fraction).abs() < 1e-4, "no plate is nearer");
            let at = |fraction: f32| {
                [0, 1].map(|axis| position[axis] - velocity[axis] * (1.0 - fraction))
            };
            picture.line(at(0.0), at(*fraction), "#ffb300");
            picture.circle(at(*fraction), 1.5, "#ff7043");
            world.remove(overlap.handles[0]);
            hits += 1;
        }
    }
    println!("{hits} of 100 bullets hit one of {} plates", plates.len());
    assert!(hits > 50);
    picture.save("bullets")?;
    Ok(())
}

/// Inserts static plates, thinner than the distance that a bullet travels in one tick, and returns
/// their boxes.
fn insert_plates(
    world: &mut BroadPhase<f32, 2, Kind>,
    random: &mut Random,
) -> Result<Vec<Aabb<f32, 2>>, Error> {
    let mut plates = Vec::new();
    for _ in 0..60 {
        let [x, y] = random.point([300.0, 200.0]);
        let plate = Aabb::new([x + 50.0, y - 6.0], [x + 51.0, y + 6.0]);
        world.insert_with(
            plate,
            Kind::Plate,
            Motion::Static,
            Filter::layers(PLATE).mask(BULLET),
        )?;
        plates.push(plate);
    }
    Ok(plates)
}
