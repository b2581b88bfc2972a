//! A snapshot of a small scene, for visual inspection: its picture and pairs are equal with every
//! structure and backend.

use core::fmt::Write;

use hexphase::{Aabb, Algorithm, Backend, BroadPhase, Filter, Motion, Options};

/// Named boxes with integer corners, so that touching is visible.
const SCENE: [(char, [i32; 2], [i32; 2]); 7] = [
    ('a', [1, 1], [8, 4]),
    ('b', [6, 3], [12, 6]),
    ('c', [12, 6], [16, 8]),
    ('d', [20, 1], [24, 3]),
    ('e', [24, 4], [28, 7]),
    ('f', [26, 5], [26, 5]),
    ('g', [1, 7], [10, 8]),
];

/// Draws the corners and borders of all boxes, y upwards; later boxes cover earlier ones.
fn draw() -> String {
    let mut rows = vec![vec!['·'; 30]; 10];
    for (name, min, max) in SCENE {
        for x in min[0]..=max[0] {
            for y in min[1]..=max[1] {
                if x == min[0] || x == max[0] || y == min[1] || y == max[1] {
                    rows[y as usize][x as usize] = name;
                }
            }
        }
    }
    let lines = rows.iter().rev().map(|row| row.iter().collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

fn report(algorithm: Algorithm, backend: Backend) -> String {
    let options = Options::new().algorithm(algorithm).backend(backend);
    let mut world: BroadPhase<i32, 2, char> = BroadPhase::with_options(options);
    for (name, min, max) in SCENE {
        // The box c is static from the start; b becomes static in the second part.
        let motion = if name == 'c' { Motion::Static } else { Motion::Dynamic };
        world.insert_with(Aabb::new(min, max), name, motion, Filter::ALL).unwrap();
    }
    let mut text = draw();
    let mut list = |title: &str, world: &BroadPhase<i32, 2, char>| {
        write!(text, "\n\n{title}:").unwrap();
        for overlap in world.pairs() {
            write!(text, " {}{}", overlap.users[0], overlap.users[1]).unwrap();
        }
    };
    world.step();
    list("pairs", &world);
    let b = world.handles().nth(1).unwrap();
    world.set_motion(b, Motion::Static).unwrap();
    world.step();
    list("with b and c static", &world);
    world.set_bounds(b, Aabb::new([6, 5], [12, 6])).unwrap();
    world.step();
    list("with b moved up off a", &world);
    text
}

#[test]
fn all_structures_report_the_pairs_of_the_picture() {
    for backend in Backend::available() {
        for &algorithm in Algorithm::ALL {
            insta::assert_snapshot!("boxes", report(algorithm, backend));
        }
    }
}
