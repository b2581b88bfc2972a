//! Bullets that are faster than the targets are thick.
//!
//! A swept object forms a pair with every object that overlaps the box around its path since the
//! last step. The box is larger than the path, so `Path::sweep` tests the path exactly and returns
//! the fraction of the path at the first touch. The example checks that every bullet hits the first
//! plate on its path.

mod support;

use hexphase::{Aabb, BroadPhase, Error, Filter, Motion, Path};
use support::{Picture, Random};

const PLATE: u64 = 1;
const BULLET: u64 = 2;

/// User data: a bullet has its position before the tick and its velocity; a plate has no data.
#[derive(Clone, Copy)]
enum Kind {
    Plate,
    Bullet { from: [f32; 2], velocity: [f32; 2] },
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut world: BroadPhase<f32, 2, Kind> = BroadPhase::new();
    let mut random = Random(7);
    let plates = insert_plates(&mut world, &mut random)?;
    for _ in 0..100 {
        let (from, velocity) =
            ([0.0, random.between(0.0, 200.0)], [90.0, random.between(-20.0, 20.0)]);
        let bullet = world.insert_with(
            Aabb::of_ball(from, 0.1),
            Kind::Bullet { from, velocity },
            Motion::Dynamic,
            Filter::layers(BULLET).mask(PLATE),
        )?;
        world.set_swept(bullet, true)?;
    }
    let mut picture = Picture::new([400.0, 200.0]);
    for plate in &plates {
        picture.rectangle(plate.min, plate.max, "#5c6bc0");
    }
    let mut hits = 0;
    for _ in 0..5 {
        world.update(|_, kind, bounds| {
            if let Kind::Bullet { from, velocity } = kind {
                *from = [bounds.min[0] + 0.1, bounds.min[1] + 0.1];
                *bounds = bounds.translated(*velocity);
            }
        })?;
        world.step();
        let mut first = first_hits(&world);
        for (bullet, fraction) in first.drain(..) {
            let Some(Kind::Bullet { from, velocity }) = world.remove(bullet) else { continue };
            let end = [0, 1].map(|axis| from[axis] + velocity[axis] * fraction);
            let way = Path::sweep(Aabb::of_ball(from, 0.1), velocity);
            let nearest = plates.iter().filter_map(|plate| way.first_touch(plate)).reduce(f32::min);
            assert_eq!(nearest, Some(fraction), "no plate is nearer");
            picture.line(from, end, "#ffb300");
            picture.circle(end, 1.5, "#ff7043");
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

/// Returns each bullet that hit a plate in the last step, with the fraction of its path at the
/// first touch.
fn first_hits(world: &BroadPhase<f32, 2, Kind>) -> Vec<(hexphase::Handle, f32)> {
    let mut hits: Vec<(hexphase::Handle, f32)> = Vec::new();
    for overlap in world.pairs() {
        for (one, other) in [(0, 1), (1, 0)] {
            let Kind::Bullet { from, velocity } = overlap.users[one] else { continue };
            let plate = world.get(overlap.handles[other]).expect("plates stay").bounds;
            let way = Path::sweep(Aabb::of_ball(from, 0.1), velocity);
            if let Some(fraction) = way.first_touch(&plate) {
                hits.push((overlap.handles[one], fraction));
            }
        }
    }
    hits.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    hits.dedup_by_key(|hit| hit.0);
    hits
}
