//! Line of sight: guards see a thief if no wall is between them.
//!
//! `cast` visits the objects that a path touches, front to back; `mask` selects walls only. The
//! example checks every result against a test of all walls.

mod support;

use hexphase::{Aabb, BroadPhase, Filter, Motion, Object, Path};
use support::{Picture, Random};

const WALLS: u64 = 1;
const GUARDS: u64 = 2;
const SIZE: [f32; 2] = [200.0, 200.0];

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    let mut random = Random(3);
    let mut walls = Vec::new();
    for _ in 0..80 {
        let half = if random.bits() & 1 == 0 { [8.0, 0.5] } else { [0.5, 8.0] };
        let wall = Aabb::around(random.point(SIZE), half);
        world.insert_object(
            Object::new(wall, ()).motion(Motion::Static).filter(Filter::layers(WALLS)),
        )?;
        walls.push(wall);
    }
    let mut guards = Vec::new();
    for _ in 0..40 {
        let at = random.point(SIZE);
        world.insert_object(
            Object::new(Aabb::of_ball(at, 1.0), ()).filter(Filter::layers(GUARDS)),
        )?;
        guards.push(at);
    }
    let thief = [100.0, 100.0];
    let mut picture = Picture::new(SIZE);
    for wall in &walls {
        picture.rectangle(wall.min, wall.max, "#5c6bc0");
    }
    let mut seen = 0;
    for &guard in &guards {
        let view = Path::segment(guard, thief);
        let hit = world.cast(view).mask(WALLS).first();
        let expected = walls.iter().filter_map(|wall| view.first_touch(wall)).reduce(f32::min);
        assert_eq!(hit.map(|hit| hit.fraction), expected);
        seen += usize::from(hit.is_none());
        let end = hit.map_or(thief, |hit| {
            [0, 1].map(|axis| guard[axis] + (thief[axis] - guard[axis]) * hit.fraction)
        });
        picture.line(guard, end, if hit.is_none() { "#9ccc65" } else { "#b0bec5" });
        picture.circle(guard, 1.5, "#ffb300");
    }
    picture.circle(thief, 2.0, "#ff7043");
    println!("{seen} of {} guards see the thief", guards.len());
    picture.save("line_of_sight")?;
    Ok(())
}
